// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a piece of code on the processor that runs it: a fixed time, or cycles of that
// processor's clock.
#ifndef NETSIM_CORE_COST_H
#define NETSIM_CORE_COST_H

#include "sim/core/time.h"

struct cost {
    sim_time time;  // ps
    int64_t cycles; // of the processor's clock; either of the two is 0
};

// The cost in picoseconds on a processor of `clock_hz`.
static inline sim_time cost_time(struct cost cost, int64_t clock_hz)
{
    return cost.cycles ? time_at_rate(cost.cycles, clock_hz) : cost.time;
}

#endif
