// SPDX-License-Identifier: GPL-3.0-or-later
// The targets of a calibration: numbers, orders and crossovers of curves, as a reference file lists
// them, or points that a user has measured, as CSV.
//
//   schema: 1
//   name: cluster1
//   description: …
//   targets:
//     - {series: VIA RPI, metric: latency_us, size: 1 B, value: 74 us, tolerance: 1 us,
//        source: "thesis 000, 6.1", claim: via.pingpong.latency_min.via_rpi}
//     - {order: [VIA RPI, MVICH], metric: latency_us, over: 1 B .. 512 B}   # lowest first
//     - {crossover: [VIA RPI, MVICH], metric: latency_us, at: 3500 B}       # first one lower
//     before
//     - {gain: [current, pipelined], metric: latency_us, sizes: [400000 B, 1548800 B], value: 13 %,
//        tolerance: 2 %}   # by how much the first is above the second, mean over the sizes
//
// A residual is the simulation's deviation in tolerances. The default tolerance is 1 % of the
// value; for an order and a crossover it is a fraction of the curves' values; for a gain,
// percentage points. A point and a gain have one residual. An order has one per size: by how much
// two neighbours are in the wrong order, 0 if they are not. A crossover at one size has the
// difference of both curves there, and one on each side for the order, at half and twice the size;
// one in a range (at: 2048 B .. 4096 B) has only those two, at its ends. `weight` multiplies the
// residuals.
#ifndef NETSIM_CALIBRATE_TARGET_H
#define NETSIM_CALIBRATE_TARGET_H

#include "sim/config/param.h"
#include "sim/output/measured.h"
#include "sim/scenario/scenario.h"

#include <glib.h>
#include <stdbool.h>

enum target_kind { TARGET_POINT, TARGET_ORDER, TARGET_CROSSOVER, TARGET_GAIN };
#define TARGET_KINDS 4

struct target {
    enum target_kind kind;
    GPtrArray *series;  // char *: one, or those in order
    const char *metric; // interned
    GArray *sizes;    // int64_t: of a point one; of an order its range; of a crossover: before, at,
                      // after, or before and after; of a gain all that it is the mean of
    bool counts;      // sizes are counts of what the benchmark counts ("16"), not bytes ("16 B")
    double value;     // of a point, in the metric's unit; of a gain, a share
    double tolerance; // of a point in the metric's unit; else a share
    double weight;
    const char *source, *claim; // interned; or NULL
    struct source_mark mark;    // of a measured point; line 0: the target is none
};

struct target_list {
    int64_t schema;
    const char *name, *description; // interned; or NULL
    char *file;
    GPtrArray *targets; // struct target *
    bool smooth;        // all targets are points
    guint assumed;      // of measured points: how many have no error, and the default tolerance
};

// The maps: of each kind of target, and of the file.
extern const struct param_table target_tables[TARGET_KINDS], target_file_table;

// Reads a reference file of a scenario with these series (NULL-terminated; NULL: not known), of
// whose only one a point need not give the name. Returns NULL after errors, which are in diags.
// Free with target_list_free.
struct target_list *target_list_load(const char *file, const char *const *series,
                                     struct diag_list *diags);
void target_list_free(struct target_list *list);

// Whether a file of targets is one of measured points (sim/output/measured.h): FILE.csv.
bool target_file_is_measured(const char *file);

// The measured points of a file as targets, whose tolerances are the errors of the points. Where
// the scenario has one series, the file need not name it. NULL and *error after a mistake, with its
// place.
struct target_list *target_list_measured(const char *file, const struct scenario *scenario,
                                         GError **error);

// Like target_list_measured, but of points that were read.
struct target_list *target_list_of_points(const struct measured_points *points,
                                          const struct scenario *scenario, GError **error);

// A list without targets, of a file; a target of this kind, with nothing but its weight of 1.
struct target_list *target_list_new(const char *file);
struct target *target_new(enum target_kind kind);

// The tolerance of a point with this value, if no other is given.
double target_default_tolerance(double value);

// Whether the target expects a number, a point's or a gain's (target_simulated has the same unit);
// the other targets are only measured in tolerances.
bool target_has_value(const struct target *target);

// The number of residuals of a target.
int target_residuals(const struct target *target);

// The number of residuals of all targets.
int target_list_residuals(const struct target_list *list);

// Fills residuals[0 .. target_residuals - 1] from the document of a run (sim/output/json.h).
// Returns false and sets *why (g_free) if the document lacks what the target needs.
bool target_judge(const struct target *target, const json_t *document, double *residuals,
                  char **why);

// The simulated counterpart of the target, for tables: a point's value; for the others the
// deviation in tolerances.
double target_simulated(const struct target *target, const json_t *document);

// "VIA RPI latency_us at 1 B". The caller frees it.
char *target_text(const struct target *target);

// The names of all series that the targets use, each once, NULL-terminated. The targets own the
// names; free the array with g_ptr_array_unref.
GPtrArray *target_list_series(const struct target_list *list);

// Whether the sizes of a series are counts instead of bytes, according to its first target.
bool target_list_counts(const struct target_list *list, const char *series);

// All sizes of a series that the targets use, ascending. Free with g_array_unref.
GArray *target_list_sizes(const struct target_list *list, const char *series);

#endif
