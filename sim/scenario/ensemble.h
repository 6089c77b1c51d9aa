// SPDX-License-Identifier: GPL-3.0-or-later
// Ensembles: what fitted constants are in each draw. A machine whose priors have other values has
// other fitted constants, too; a file has them as a row per draw:
//
//   # netsim calibrate scenarios/pingpong_cluster1.yaml --fit … --draws 200 --out …
//   draw,eepro100.rx_latency,mpich_1_2_2.request
//   0,22110 ns,8204 cycles
//   1,19800 ns,9120 cycles
//
// Values are as after --set. Row 0, which may be missing, has the values of a run without draws: of
// a fit's ensemble they are those of the overlay, or the ensemble is of another fit. A last column
// `fault`, which may be missing, has of a draw without values the reason.
//
// `ensemble: cluster1.draws` in a testbed or a file that it includes names such files, one or
// a list, next to it. It stands where it is written: what that file and its includes give of these
// parameters is drawn by the rows, and what a file above, a series or --set gives is certain, as
// ever.
#ifndef NETSIM_SCENARIO_ENSEMBLE_H
#define NETSIM_SCENARIO_ENSEMBLE_H

#include "sim/config/node.h"
#include "sim/scenario/schema.h"

#define ENSEMBLE_KEY "ensemble"
#define ENSEMBLE_MOST_PATHS 1000
#define ENSEMBLE_MOST_BYTES (64 * 1024 * 1024)

struct ensemble_row {
    int line;
    char **values; // by path; NULL: the draw has none
    int *columns;  // of each value in the line, from 1
    char *fault;   // why it has none; or NULL
};

struct ensemble {
    const char *file; // interned
    char *command;    // the first line of its comments that is one; NULL: none
    GPtrArray *paths; // char *
    GArray *columns;  // int, of each path in its line
    int line;         // of the paths
    GHashTable *rows; // int64_t * -> struct ensemble_row *
    int64_t last;     // the greatest number of a draw
};

// Reads a file; the paths must be parameters of the schema (NULL: not checked). Returns NULL with
// diagnostics after an error; `from` is where the file is named (line 0: the file itself).
struct ensemble *ensemble_load(const char *file, const struct scenario_schema *schema,
                               struct source_mark from, struct diag_list *diags);
void ensemble_free(struct ensemble *ensemble);

// The row of a draw; NULL: there is none.
const struct ensemble_row *ensemble_row_of(const struct ensemble *ensemble, int64_t draw);

// The column of a path; -1: the ensemble does not have it.
int ensemble_column(const struct ensemble *ensemble, const char *path);

// Files that have been read. One for a compilation.
struct ensemble_shelf {
    const struct scenario_schema *schema;
    GHashTable *files; // interned name -> struct ensemble *, NULL if it could not be read
};
void ensemble_shelf_init(struct ensemble_shelf *shelf, const struct scenario_schema *schema);
void ensemble_shelf_clear(struct ensemble_shelf *shelf);

// Takes the key `ensemble` from a tree, and marks the parameters that its files have: each becomes
// {value: …, ensemble: FILE}, or {ensemble: FILE} where the tree has no value. False after an
// error.
bool ensembles_mark(struct ensemble_shelf *shelf, struct node **tree, struct diag_list *diags);

// The value, as after --set, of a parameter that is marked with `file`, in a draw, and its place.
// `now` is its value without draws as text, and `at` where that is given. NULL after a complaint.
// The shelf owns the value.
const char *ensemble_value(struct ensemble_shelf *shelf, const char *file, const char *path,
                           int64_t draw, const char *now, struct source_mark at,
                           struct source_mark *place, struct diag_list *diags);

// ---- Writing ----

// The head of a file: comments (lines, each without its "# "), then the names of the columns.
void ensemble_append_head(GString *out, const char *comments, const char *const *paths,
                          bool with_fault);

// A row; values NULL: it has none, because of the fault.
void ensemble_append_row(GString *out, int64_t draw, size_t paths, const char *const *values,
                         bool with_fault, const char *fault);

#endif
