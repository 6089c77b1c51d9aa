// SPDX-License-Identifier: GPL-3.0-or-later
// How far a simulation goes: until nothing is left to happen, or to a limit. The end of time
// (TIME_END) always holds. A limit of simulated time stands in the scenario, under `limits`: with
// it a run ends at the same event each time. One on the clock on the wall is an option of a run.
#ifndef NETSIM_WORKLOAD_LIMIT_H
#define NETSIM_WORKLOAD_LIMIT_H

#include "sim/core/sim.h"
#include "sim/scenario/case.h"

// The kind of reason of a run that was interrupted.
#define SIM_INTERRUPTED "interrupted"

struct limit_config {
    sim_time simulated_time; // 0: none
    int64_t memory;          // bytes that a run may take; 0: what the machine has
    int64_t operations;      // of all ranks
};

// "limits"; ends with a NULL path.
extern const struct scenario_section limit_sections[];

struct limits {
    sim_time simulated;      // 0: none
    double wall_s;           // seconds; 0: none
    bool (*interrupt)(void); // asked now and then whether to stop; NULL: never
};

// The limits of a case, and one on the wall's clock.
struct limits limits_of(const struct scenario_case *test_case, double wall_s);

enum limit_reached {
    LIMIT_NONE,        // no event is left, or the run was stopped
    LIMIT_END_OF_TIME, // what is left would happen at TIME_END or after it
    LIMIT_SIMULATED,   // or after the limit of simulated time
    LIMIT_WALL,
    LIMIT_INTERRUPT,
};

// Runs the simulation. The clock on the wall is looked at once in many events.
enum limit_reached limit_run(struct sim *sim, const struct limits *limits);

// Ends the run as failed, because of a limit that limit_run has told. `detail` (a new reference)
// says where all ranks are that have not ended, `rank` is the first of them and `at` its place.
void limit_fail(struct sim *sim, const struct limits *limits, enum limit_reached reached,
                json_t *detail, int rank, const char *at);

#endif
