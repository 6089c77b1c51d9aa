// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation runs until no event is left, or to a limit. The end of time (TIME_END) always
// applies. A limit of simulated time is part of the scenario, under `limits`: a run with it always
// ends at the same event. A limit of wall-clock time is an option of a run.
#ifndef NETSIM_RUN_LIMIT_H
#define NETSIM_RUN_LIMIT_H

#include "sim/core/sim.h"
#include "sim/scenario/case.h"

// The kind of reason (sim_fail) of an interrupted run.
#define SIM_INTERRUPTED "interrupted"

struct limit_config {
    sim_time simulated_time; // 0: none
    int64_t memory;          // bytes; 0: the machine's memory
    int64_t operations;      // of all ranks
};

// "limits"; ends with a NULL path.
extern const struct scenario_section limit_sections[];

struct limits {
    sim_time simulated;          // 0: none
    sim_time stop_at;            // to inspect the run (run_options); 0: none
    double wall_s;               // seconds; 0: none
    int64_t wall_end;            // when these have passed, by g_get_monotonic_time; 0: after a run
    bool (*interrupt)(void);     // polled occasionally; true stops the run. NULL: none
    bool (*enough)(void *owner); // the same, once all that is wanted has been measured
    void *owner;
};

// Returns the limits of a case, and one of wall-clock time.
struct limits limits_of(const struct scenario_case *test_case, double wall_s);

// When a run that begins now has to end, by g_get_monotonic_time.
int64_t limit_wall_end(const struct limits *limits);

enum limit_reached {
    LIMIT_NONE,        // no event is left, or the run was stopped
    LIMIT_END_OF_TIME, // the next event would be at TIME_END or later
    LIMIT_SIMULATED,   // or later than the limit of simulated time
    LIMIT_STOP,        // or later than where the run is to be stopped
    LIMIT_WALL,
    LIMIT_INTERRUPT,
    LIMIT_ENOUGH, // no failure
};

// Runs the simulation. Checks the wall clock only once in many events.
enum limit_reached limit_run(struct sim *sim, const struct limits *limits);

// Ends the run as failed because of the limit that limit_run returned. `detail` (a new reference)
// describes where all unfinished ranks are; `rank` is the first of them and `at` its place in the
// program.
void limit_fail(struct sim *sim, const struct limits *limits, enum limit_reached reached,
                json_t *detail, int rank, const char *at);

#endif
