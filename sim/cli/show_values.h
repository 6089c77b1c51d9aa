// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a resolved scenario, for `netsim show`.
#ifndef NETSIM_CLI_SHOW_VALUES_H
#define NETSIM_CLI_SHOW_VALUES_H

#include "sim/scenario/scenario.h"

#include <glib.h>

struct show_values_options {
    bool all;     // those that are defaults, too
    bool origins; // where each comes from
    int width;    // columns
};

// Appends the values that all series have alike, and then those of each.
void show_values_of_cases(GString *out, const struct scenario *scenario,
                          const struct scenario_schema *schema,
                          const struct show_values_options *options);

// Appends the values that a testbed's file and its includes give.
void show_values_of_testbed(GString *out, const struct node *tree,
                            const struct scenario_schema *schema,
                            const struct show_values_options *options);

#endif
