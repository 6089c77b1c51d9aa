// SPDX-License-Identifier: GPL-3.0-or-later
// `netsim calibrate --draws N`: fits again in each draw, and writes the ensemble.
#ifndef NETSIM_CLI_CALIBRATE_DRAWS_H
#define NETSIM_CLI_CALIBRATE_DRAWS_H

#include "sim/calibrate/refit.h"
#include "sim/cli/cli.h"

struct calibrate_draws {
    struct evaluation *evaluation; // initialised, with its progress
    const struct scenario *scenario;
    const struct scenario_schema *schema;
    enum fit_method method;
    int draws;
    const char *command;     // the user's, in shell syntax, as it shapes the result
    const char *out, *check; // files; or NULL
    bool again;              // fits draws anew that the file has
    bool json;
    struct progress *progress;
};

enum cli_exit calibrate_draws(const struct calibrate_draws *asked);

#endif
