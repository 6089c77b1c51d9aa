// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: the parameters to vary (axes) with their values, from the key `sweep` of a scenario and
// from arguments "PATH=V1,V2,...". Only the form is checked here; whether a value is valid for its
// parameter shows when the points are compiled (sim/campaign/points.h).
//
//   sweep: {axes: {lam_via.tiny: [1 KiB, 4 KiB], lam_via.rdescs: 8 .. 64}, mode: product, seeds: 3,
//           draws: 20}
//
// A value "A .. B" of two numbers with the same kind of unit means A, 2A, 4A ... B, as for message
// sizes, unless it is quoted or the parameter itself takes ranges (workload.sizes).
#ifndef NETSIM_SCENARIO_SWEEP_H
#define NETSIM_SCENARIO_SWEEP_H

#include "sim/config/node.h"
#include "sim/config/param.h"
#include "sim/core/diag.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SWEEP_MOST_POINTS 100000
#define SWEEP_MOST_SEEDS 10000
#define SWEEP_MOST_DRAWS 10000

// The paths by which an axis varies seeds, or draws (sim/scenario/draw.h).
#define SWEEP_SEED "seed"
#define SWEEP_DRAW "draw"

struct scenario_schema;

struct sweep_value {
    char *text; // as after --set PATH=
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
    int64_t seeds; // each point runs with the seeds 1 .. seeds; 0: with the scenario's
    int64_t draws; // each point runs in the draws 1 .. draws; 0: as the scenario has it
};

struct sweep *sweep_new(void);
struct sweep *sweep_copy(const struct sweep *sweep);
void sweep_free(struct sweep *sweep);

// Reads the key `sweep` of a scenario. Complains about its faults.
void sweep_read(struct sweep *sweep, const struct node *node, const struct scenario_schema *schema,
                struct diag_list *diags);

// Reads "PATH=V1,V2,...". It replaces an axis of that path from the scenario; one from another
// argument is an error. Commas within brackets and quotes do not separate. Marks count columns in
// the argument.
void sweep_add(struct sweep *sweep, const char *argument, const struct scenario_schema *schema,
               struct diag_list *diags);

// Checks the axes together: in zip mode all must have equally many values, the number of points is
// bounded, and seeds and an axis `seed` exclude each other, as draws and an axis `draw` do. Returns
// false after a complaint.
bool sweep_check(const struct sweep *sweep, struct diag_list *diags);

// Returns the number of points of a valid sweep, at least 1. The last axis varies fastest but for
// the draws, which vary faster, and the seeds, which vary faster than those.
int sweep_points(const struct sweep *sweep);

// The index of a point's value on an axis, its draw and its seed (0: the scenario's).
int sweep_point_value(const struct sweep *sweep, int point, int axis);
int64_t sweep_point_draw(const struct sweep *sweep, int point);
uint64_t sweep_point_seed(const struct sweep *sweep, int point);

const struct sweep_axis *sweep_axis_at(const struct sweep *sweep, int axis);
const struct sweep_value *sweep_value_at(const struct sweep_axis *axis, int value);

// The map of the key `sweep`.
extern const struct param_table sweep_table;

#endif
