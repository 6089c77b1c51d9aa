// SPDX-License-Identifier: GPL-3.0-or-later
// What a calibration is to come near to: numbers, orders and crossovers of curves, as a reference
// file lists them.
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
// A residual is how far off the simulation is, in tolerances (1 % of the value if none is given; of
// an order and a crossover, a share of the curves' values; of a gain, points of a percent). A point
// and a gain have one. An order has one for
// each size, by how much two neighbours stand the wrong way round, 0 if they do not. A crossover at
// one size has the difference of both curves there, and one on each side for the order, half and
// twice the size; one in a range (at: 2048 B .. 4096 B) has only those, at its ends. `weight`
// multiplies the residuals.
#ifndef NETSIM_CALIBRATE_TARGET_H
#define NETSIM_CALIBRATE_TARGET_H

#include "sim/scenario/case.h"

#include <glib.h>
#include <stdbool.h>

enum target_kind { TARGET_POINT, TARGET_ORDER, TARGET_CROSSOVER, TARGET_GAIN };

struct target {
    enum target_kind kind;
    GPtrArray *series; // char *: one, or those in order
    char *metric;
    GArray *sizes;    // int64_t: of a point one; of an order its range; of a crossover: before, at,
                      // after, or before and after; of a gain all that it is the mean of
    bool counts;      // sizes are counts of what the benchmark counts ("16"), not bytes ("16 B")
    double value;     // of a point, in the metric's unit; of a gain, a share
    double tolerance; // of a point in the metric's unit; else a share
    double weight;
    char *source, *claim; // or NULL
};

struct target_list {
    char *name;
    char *file;
    GPtrArray *targets; // struct target *
    bool smooth;        // there are points only
};

// Reads a reference file. NULL after errors, which are in diags. Free with target_list_free.
struct target_list *target_list_load(const char *file, struct diag_list *diags);
void target_list_free(struct target_list *list);

// A number is expected of it, a point's or a gain's (target_simulated has its own in the same
// unit); else it can only be off by tolerances.
bool target_has_value(const struct target *target);

// How many residuals a target has.
int target_residuals(const struct target *target);

// How many residuals all have.
int target_list_residuals(const struct target_list *list);

// Fills residuals[0 .. target_residuals - 1] from the document of a run (sim/output/json.h); false
// if it lacks what the target needs, with why (g_free).
bool target_judge(const struct target *target, const json_t *document, double *residuals,
                  char **why);

// What the simulation has for the target, for tables: of a point its value, of the others how many
// tolerances they are off.
double target_simulated(const struct target *target, const json_t *document);

// "VIA RPI latency_us at 1 B". The caller frees it.
char *target_text(const struct target *target);

// The names of all series that the targets look at, each once, NULL-terminated. They stay the
// targets'; free the array with g_ptr_array_unref.
GPtrArray *target_list_series(const struct target_list *list);

// Whether the sizes of a series are counts, and not bytes: as its first target says.
bool target_list_counts(const struct target_list *list, const char *series);

// All sizes of a series that the targets look at, ascending. Free with g_array_unref.
GArray *target_list_sizes(const struct target_list *list, const char *series);

#endif
