// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of `netsim run`: run.c is the command, run_parallel.c runs series in processes.
#ifndef NETSIM_CLI_RUN_H
#define NETSIM_CLI_RUN_H

#include "sim/cli/cli.h"
#include "sim/output/captures.h"
#include "sim/output/progress.h"
#include "sim/output/state_log.h"
#include "sim/output/timeline.h"
#include "sim/workload/result.h"

// Series to run, each in a process, and where their events go.
struct run_parallel {
    const struct scenario *scenario;
    int jobs; // processes; 0: one for each processor
    double time_limit_s;
    struct timeline *timeline;   // NULL: none
    struct state_log *state_log; // NULL: none
    struct captures *captures;   // NULL: none
    struct progress *progress;   // NULL: none
};

// How the series of a run have ended as a whole.
struct run_ending {
    int signal;   // that interrupted them; 0: none
    bool crashed; // a process has died, which was reported
    bool broken;  // a sink is not whole, which was reported
};

// Runs the series of a scenario and adds what is finished to the result, in the scenario's order:
// results and sinks are those of a run one after the other, to the byte.
struct run_ending run_parallel(const struct run_parallel *run, struct result *result);

#endif
