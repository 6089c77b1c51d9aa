// SPDX-License-Identifier: GPL-3.0-or-later
// How far a simulation goes: until nothing is left to happen, or to a limit.
#ifndef NETSIM_WORKLOAD_LIMIT_H
#define NETSIM_WORKLOAD_LIMIT_H

#include "sim/core/sim.h"

enum limit_reached {
    LIMIT_NONE,        // no event is left, or the run was stopped
    LIMIT_END_OF_TIME, // what is left would happen at TIME_END or after it
};

// Runs the simulation.
enum limit_reached limit_run(struct sim *sim);

// Ends the run as failed, because of a limit that limit_run has told. `detail` (a new reference)
// says where all ranks are that have not ended, `rank` is the first of them and `at` its place.
void limit_fail(struct sim *sim, enum limit_reached limit, json_t *detail, int rank,
                const char *at);

#endif
