// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep varies: parameters (axes) with the values each takes, from the key `sweep` of a
// scenario and from arguments "PATH=V1,V2,...". Only the form is checked here; whether a value
// suits its parameter shows when the points are compiled (sim/campaign/points.h).
//
//   sweep: {axes: {lam_via.tiny: [1 KiB, 4 KiB], lam_via.rdescs: 8 .. 64}, mode: product, seeds: 3}
//
// A value "A .. B" of two numbers with the same kind of unit stands for A, 2A, 4A ... B, as it does
// among message sizes, unless it is quoted or the parameter itself takes ranges (workload.sizes).
#ifndef NETSIM_SCENARIO_SWEEP_H
#define NETSIM_SCENARIO_SWEEP_H

#include "sim/config/node.h"
#include "sim/core/diag.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SWEEP_MOST_POINTS 100000
#define SWEEP_MOST_SEEDS 10000

struct scenario_schema;

struct sweep_value {
    char *text; // as it would stand behind --set PATH=
    struct source_mark mark;
};

struct sweep_axis {
    char *path;
    struct source_mark mark;
    GPtrArray *values; // struct sweep_value *
};

enum sweep_mode { SWEEP_PRODUCT, SWEEP_ZIP };

struct sweep {
    GPtrArray *axes; // struct sweep_axis *
    enum sweep_mode mode;
    int64_t seeds; // each point is run with the seeds 1 .. seeds; 0: with the scenario's
};

struct sweep *sweep_new(void);
struct sweep *sweep_copy(const struct sweep *sweep);
void sweep_free(struct sweep *sweep);

// Reads the key `sweep` of a scenario. Complains about what is wrong.
void sweep_read(struct sweep *sweep, const struct node *node, const struct scenario_schema *schema,
                struct diag_list *diags);

// Reads "PATH=V1,V2,..."; an axis of that path from the scenario is replaced, one from another
// argument is a mistake. Commas within brackets and quotes do not separate. Marks count columns in
// the argument.
void sweep_add(struct sweep *sweep, const char *argument, const struct scenario_schema *schema,
               struct diag_list *diags);

// What concerns the axes together: in zip mode all must have as many values, the number of points
// is bounded, and seeds and an axis `seed` exclude each other.
bool sweep_check(const struct sweep *sweep, struct diag_list *diags);

// Points of a sweep that is right: at least 1. They are counted with the last axis fastest, and
// seeds faster than that.
int sweep_points(const struct sweep *sweep);

// Which value of an axis a point has, and its seed (0: the scenario's).
int sweep_point_value(const struct sweep *sweep, int point, int axis);
uint64_t sweep_point_seed(const struct sweep *sweep, int point);

const struct sweep_axis *sweep_axis_at(const struct sweep *sweep, int axis);
const struct sweep_value *sweep_value_at(const struct sweep_axis *axis, int value);

// The JSON Schema of the key `sweep`, new reference.
json_t *sweep_json_schema(void);

#endif
