// SPDX-License-Identifier: GPL-3.0-or-later
// The object of a check: one metric of a series over message sizes, or a relation of two such
// curves. In a file of claims a curve is the name of a series, or a map:
//
//   VIA RPI
//   {series: VIA RPI, scenario: pingpong_cluster2, set: [lam_via.area=32 KiB], metric: latency_us}
//   {series: MVICH, over: VIA RPI}      # the quotient, size by size; `minus` is the difference
//   {series: lam_via, rank: 0, metric: program_us}   # of one rank; else of all ranks together
//
// Keys that a map omits are taken from the check.
#ifndef NETSIM_COMPARE_CURVE_H
#define NETSIM_COMPARE_CURVE_H

#include "sim/config/node.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum curve_relation { CURVE_ALONE, CURVE_OVER, CURVE_MINUS };

struct curve {
    const char *scenario; // interned, as all names here
    const char *sets;     // interned: "path=value" joined by line feeds; "" for none
    const char *series;
    const char *metric; // may be NULL for a check that needs no value
    int of_rank;        // 1 + the rank whose values are meant; 0: all ranks together
    enum curve_relation relation;
    struct curve *other; // the second curve of a relation, or NULL
};

struct curve_point {
    int64_t size; // -1: a value that belongs to no size
    double value;
};

// The settings of `set`, a text or a list of texts, in the form of struct curve. Returns NULL after
// a complaint.
const char *curve_sets_read(const struct node *node, const char *path, struct diag_list *diags);

// Reads a curve. `defaults` gives the keys that the node omits. Returns NULL after a complaint.
// Free with curve_free.
struct curve *curve_read(const struct node *node, const char *path, const struct curve *defaults,
                         struct diag_list *diags);
struct curve *curve_copy(const struct curve *curve);
void curve_free(struct curve *curve);

// "MVICH / VIA RPI", with what else distinguishes it from the plain series of its scenario. The
// caller frees it.
char *curve_label(const struct curve *curve);

// The unit of its values: the metric's, or "" for a quotient.
const char *curve_unit(const struct curve *curve);

// The series with this name in a result document (sim/output/json.h), or NULL. Borrowed.
json_t *curve_find_series(json_t *result, const char *name);

// The points (struct curve_point) of one metric of such a series, ascending by size, without values
// of single ranks.
GArray *curve_points_of(json_t *series, const char *metric);

// The points of the first curve of a relation (or of a lone curve), taken from its series.
GArray *curve_own_points(json_t *series, const struct curve *curve);

// The point at a size, or NULL.
const struct curve_point *curve_at(const GArray *points, int64_t size);

#endif
