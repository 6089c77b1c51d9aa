// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of `netsim run`: run.c is the command, run_parallel.c runs series in processes.
#ifndef NETSIM_CLI_RUN_H
#define NETSIM_CLI_RUN_H

#include "sim/cli/cli.h"
#include "sim/measure/result.h"
#include "sim/output/progress.h"
#include "sim/output/recorder.h"

// The series to run, one process per series, and the recorders of their events.
struct run_parallel {
    const struct scenario *scenario;
    int jobs; // processes; 0: one per processor
    const struct cli_limits *limits;
    sim_time stop_at; // of each series; 0: it goes to its end
    const struct recorders *recorders;
    struct progress *progress; // NULL: none
};

// How the series of a run ended as a whole.
struct run_ending {
    int signal;   // the signal that interrupted them; 0: none
    bool crashed; // a process has died, which has been reported
    bool broken;  // a sink is incomplete, which has been reported
};

// Runs the series of a scenario and adds finished ones to the result, in the scenario's order:
// results and sinks equal those of a sequential run, to the byte.
struct run_ending run_parallel(const struct run_parallel *run, struct result *result);

// Finds the settings of the command line without which all values and counters of the series would
// be the same, and adds them to the result; those with the scenario's own value are left out. It
// runs the series again for each of them, if that is not long.
void run_find_idle(const struct scenario *scenario, char **sets, struct result *result);

#endif
