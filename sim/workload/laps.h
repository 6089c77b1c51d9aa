// SPDX-License-Identifier: GPL-3.0-or-later
// The repetitions of a measurement, one by one: when each turn of the measured loop has ended.
#ifndef NETSIM_WORKLOAD_LAPS_H
#define NETSIM_WORKLOAD_LAPS_H

#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

// Zeroed, it keeps nothing.
struct laps {
    bool kept;
    bool armed; // a measurement has begun, and no loop so far
    sim_time start;
    int64_t count, capacity;
    sim_time *ends; // [2 * lap]: when it ended, and what the library had reported by then
};

// A measurement begins.
void laps_begin(struct laps *laps, sim_time now);

// A loop of `turns` begins. True if its turns are the repetitions: the first loop of a measurement.
// Room for all of them is made here, so that laps_add allocates nothing.
bool laps_loop(struct laps *laps, int64_t turns);

// A turn has ended; `reported` is the time that the library has reported since laps_begin.
void laps_add(struct laps *laps, sim_time now, sim_time reported);

// The measurement of `count` repetitions ends: the time of each of them, on the clock or as
// reported; valid until the next laps_begin. NULL if repetitions were not one turn each. Without a
// loop, a single repetition has the time `elapsed`.
const sim_time *laps_end(struct laps *laps, int64_t count, bool reported, sim_time elapsed);

void laps_clear(struct laps *laps);

#endif
