// SPDX-License-Identifier: GPL-3.0-or-later
// A draw that has some of its inputs from another one: `draw: 7` with `draw_mix: 1007 of switch,
// host.kernel` has the switch and the kernel of draw 1007. `draw_mix: none` changes no input. No
// mixed machine was fitted to what was measured, so ensembles do not apply: fitted constants have
// their medians. Saltelli's design for sensitivity (sim/statistics/indices.h) is of such draws.
#ifndef NETSIM_SCENARIO_DRAW_MIX_H
#define NETSIM_SCENARIO_DRAW_MIX_H

#include "sim/scenario/schema.h"

#define DRAW_MIX_KEY "draw_mix"

struct draw_mix {
    bool mixed;   // the key is there
    int64_t draw; // of the paths below
    char **paths; // of sections and parameters
};

// Reads the key of a tree. Complains about a number or path that does not exist, and returns false.
bool draw_mix_read(const struct node *tree, const struct scenario_schema *schema,
                   struct draw_mix *mix, struct diag_list *diags);
void draw_mix_clear(struct draw_mix *mix);

// The draw that an input (draw_inputs) is of, in draw `draw`.
int64_t draw_mix_of(const struct draw_mix *mix, int64_t draw, const char *input);

#endif
