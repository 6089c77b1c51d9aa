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
    sim_time start;
    int64_t count, capacity;
    sim_time *ends; // [2 * lap]: when it ended, and what the library had reported by then
};

// A measurement begins.
void laps_begin(struct laps *laps, sim_time now);

// A repetition has ended, of `of`; `reported` is the time that the library has reported since
// laps_begin. With the first, room for all of them is made, so that the others allocate nothing.
void laps_add(struct laps *laps, int64_t of, sim_time now, sim_time reported);

// The measurement of `count` repetitions ends: the time of each of them, on the clock or as
// reported; valid until the next laps_begin. NULL if repetitions were not one turn each. Without a
// loop, a single repetition has the time `elapsed`.
const sim_time *laps_end(struct laps *laps, int64_t count, bool reported, sim_time elapsed);

void laps_clear(struct laps *laps);

#endif
