// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of `netsim compare --draws N`.
#ifndef NETSIM_CLI_COMPARE_DRAWS_H
#define NETSIM_CLI_COMPARE_DRAWS_H

#include "sim/cli/cli.h"

struct compare_draws_options {
    int draws, seeds; // of each draw, 1 .. seeds; 0: the scenario's own
    int jobs;
};

// Runs SCENARIO or SCENARIO#PATH=VALUE,... for A and B in the draws 1 .. draws, and puts what came
// of each draw (struct compared *, the mean of its seeds) into a and b. Returns false after printed
// errors.
bool compare_run_draws(char **places, const struct compare_draws_options *options, GPtrArray *a,
                       GPtrArray *b);

#endif
