// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that measured points are fitted with: a testbed, a benchmark, and a series for each
// series of the points.
#ifndef NETSIM_CLI_FIT_SCENARIO_H
#define NETSIM_CLI_FIT_SCENARIO_H

#include "sim/cli/cli.h"
#include "sim/output/measured.h"

struct fit_machine {
    const char *name; // of the scenario
    const char *testbed;
    char **stacks;         // "STACK" or "SERIES=STACK"; NULL: series are called as their stacks
    const char *benchmark; // NULL: PingPong
    const char *command;   // for the comment, in shell syntax
};

// Its text; `overlay` is what it includes (NULL: nothing). NULL after an error that has been
// printed. The caller frees it.
char *fit_scenario_text(const struct fit_machine *machine, const struct measured_points *points,
                        const struct scenario_schema *schema, const char *overlay);

// The name of a scenario for a file of points: its own, without ending and signs that a name has
// not. The caller frees it.
char *fit_scenario_name(const char *file);

#endif
