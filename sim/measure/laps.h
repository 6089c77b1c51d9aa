// SPDX-License-Identifier: GPL-3.0-or-later
// The single repetitions of a measurement: when each turn of the measured loop has ended.
#ifndef NETSIM_MEASURE_LAPS_H
#define NETSIM_MEASURE_LAPS_H

#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

// Zeroed, it keeps nothing.
struct laps {
    bool kept;
    sim_time start;
    int64_t count, capacity;
    sim_time *ends; // [2 * lap]: when it ended; [2 * lap + 1]: time reported by the library until
                    // then
};

// A measurement begins.
void laps_begin(struct laps *laps, sim_time now);

// One of `of` repetitions has ended. `reported` is the time that the library has reported since
// laps_begin. The first call allocates room for all repetitions; the others allocate nothing.
void laps_add(struct laps *laps, int64_t of, sim_time now, sim_time reported);

// The measurement of `count` repetitions ends. Returns the time of each, by the clock or as
// reported, valid until the next laps_begin. Returns NULL if repetitions were not one turn each.
// Without a loop, a single repetition has the time `elapsed`.
const sim_time *laps_end(struct laps *laps, int64_t count, bool reported, sim_time elapsed);

void laps_clear(struct laps *laps);

#endif
