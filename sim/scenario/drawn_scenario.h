// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario of which many draws are compiled: the file, its testbeds and its settings are read
// once, and a draw is laid over the tree of each case. The result is what scenario_load gives with
// `draw=K` among the settings.
#ifndef NETSIM_SCENARIO_DRAWN_SCENARIO_H
#define NETSIM_SCENARIO_DRAWN_SCENARIO_H

#include "sim/scenario/scenario.h"

struct drawn_scenario;

// Reads a file; the schema must outlive the result, the options need not. A draw that the file or
// the settings give is set aside. Returns NULL after an error, with all faults in diags. The caller
// frees it with drawn_scenario_free.
struct drawn_scenario *drawn_scenario_load(const char *file, const struct scenario_schema *schema,
                                           const struct scenario_options *options,
                                           struct diag_list *diags);
void drawn_scenario_free(struct drawn_scenario *drawn);

// The scenario without a draw: every constant has its median. Owned by `drawn`.
const struct scenario *drawn_scenario_medians(const struct drawn_scenario *drawn);

// A draw, 1 .. DRAW_MOST, without the sweep, with a text of draw_mix.h (NULL: that of the file).
// Returns NULL after an error. The caller frees it with scenario_free.
struct scenario *drawn_scenario_take(struct drawn_scenario *drawn, int64_t draw, const char *mix,
                                     struct diag_list *diags);

#endif
