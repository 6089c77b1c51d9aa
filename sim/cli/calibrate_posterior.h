// SPDX-License-Identifier: GPL-3.0-or-later
// `netsim calibrate --posterior`: weighs draws of the uncertain constants by targets
// (sim/calibrate/posterior.h) and writes them as an ensemble.
#ifndef NETSIM_CLI_CALIBRATE_POSTERIOR_H
#define NETSIM_CLI_CALIBRATE_POSTERIOR_H

#include "sim/calibrate/target.h"
#include "sim/cli/cli.h"

struct calibrate_posterior {
    const struct scenario *scenario;
    const struct scenario_schema *schema;
    const struct target_list *targets;
    char **sets;            // the user's, NULL-terminated; NULL: none
    char **named;           // paths to report on, NULL-terminated; NULL: what was learnt
    int draws;              // POSTERIOR_LEAST_DRAWS .. POSTERIOR_MOST_DRAWS
    double discrepancy;     // of the model: a share of values
    const char *out;        // the ensemble's file; NULL: it is not written
    const char *command;    // the user's, in shell syntax
    const char *database;   // as struct campaign_options
    int jobs, time_limit_s; // as those of campaign_options
    bool json;
};

// Reads the options --draws and --discrepancy (NULL: not given) of --posterior. Returns false after
// printing an error.
bool calibrate_posterior_read(const char *draws, const char *discrepancy,
                              struct calibrate_posterior *request);

// --fit PATH=LO..HI gives a constant a range, as a setting for `sets`; the paths of all of --fit go
// to `named`. Returns false after printing an error.
bool calibrate_posterior_fits(char **fits, const struct scenario *scenario, GPtrArray *sets,
                              GPtrArray *named);

enum cli_exit calibrate_posterior(const struct calibrate_posterior *request);

#endif
