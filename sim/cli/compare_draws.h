// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of `netsim compare --draws N`.
#ifndef NETSIM_CLI_COMPARE_DRAWS_H
#define NETSIM_CLI_COMPARE_DRAWS_H

#include "sim/cli/cli.h"

// Runs SCENARIO or SCENARIO#PATH=VALUE,... for A and B in the draws 1 .. draws, and puts what came
// of each draw (struct compared *) into a and b. Returns false after printed errors.
bool compare_run_draws(char **places, int draws, int jobs, GPtrArray *a, GPtrArray *b);

#endif
