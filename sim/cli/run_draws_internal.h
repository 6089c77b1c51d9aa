// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to `netsim run --draws`: run_draws.c runs the draws, run_draws_cells.c collects their
// values, run_draws_pairs.c compares the series draw by draw, run_draws_causes.c finds the inputs
// that bands and failures come from, run_draws_total.c the
// indices of total sensitivity; run_draws_text.c prints.
#ifndef NETSIM_CLI_RUN_DRAWS_INTERNAL_H
#define NETSIM_CLI_RUN_DRAWS_INTERNAL_H

#include "sim/campaign/campaign.h"
#include "sim/cli/run_draws.h"

// A metric of a series at a size or of a rank, with its value in each draw that completed.
struct cell {
    json_t *place;  // {"series", "size_bytes", "rank", "metric", "unit"}
    GArray *values; // double
    GArray *draws;  // int, the draw of each, ascending
};

struct cells {
    GPtrArray *list; // struct cell *, in the order of the first draw that has it
    GHashTable *by_place;
    int draw;           // the last that was added
    GPtrArray *reasons; // of each series: GPtrArray of each draw's reason of failure, {"kind",
                        // "text"}, NULL: it completed
};

// Of a number of series; cells_add adds the document of the next draw.
struct cells cells_new(guint series);
void cells_add(struct cells *cells, const json_t *result);
void cells_clear(struct cells *cells);

// The values of a cell, in the order of its draws.
const double *cell_values(const struct cell *cell);

// Of the cells: the first metric of a series (NULL: it has none), and those of one metric with two
// values at least, which the caller unrefs.
const char *cells_metric(const struct cells *cells, const char *series);
GPtrArray *cells_of(const struct cells *cells, const char *series, const char *metric);

// The list "pairs" of the document.
json_t *draws_pairs(const struct run_draws *run, const struct cells *cells);

// Adds "causes" and the rest to the list "series" of the document, and "failures" where draws
// failed.
void draws_add_causes(const struct run_draws *run, const struct cells *cells, json_t *series);
void draws_add_failures(const struct run_draws *run, const struct cells *cells, json_t *series);

// Adds draw `draw` with this draw_mix (NULL: none) of all series to the campaign; its number there,
// or -1 after a complaint.
int draws_add_run(const struct run_draws *run, struct campaign *campaign, int64_t draw,
                  const char *mix, struct diag_list *diags);

// Total sensitivity: the names of the groups of inputs, which the caller unrefs; the number of
// runs; adds these runs; adds "total" to the list "series" of the document, from these, of which
// the first is number `first`.
GPtrArray *total_groups(const struct run_draws *run);
int total_runs(const struct run_draws *run, const GPtrArray *groups);
int total_add(const struct run_draws *run, struct campaign *campaign, const GPtrArray *groups,
              struct diag_list *diags);
void total_add_indices(const struct run_draws *run, const struct campaign *campaign, int first,
                       const GPtrArray *groups, json_t *series);

// The document's failures, pairs and causes for people.
void draws_append_failures(GString *out, const json_t *document);
void draws_append_pairs(GString *out, const json_t *document);
void draws_append_causes(GString *out, const json_t *document);
bool draws_append_total(GString *out, const json_t *document); // false if it has none

// Members of an object of a document.
const char *draws_text_at(const json_t *value, const char *key);
double draws_number_at(const json_t *value, const char *key);

// "4096", "rank 3", or nothing: the row of a value. The caller frees it.
char *draws_row_name(const json_t *value);

#endif
