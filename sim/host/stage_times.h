// SPDX-License-Identifier: GPL-3.0-or-later
// How long each stage took: a hash table by the stage's address, since every spending of time adds
// to it.
#ifndef NETSIM_HOST_STAGE_TIMES_H
#define NETSIM_HOST_STAGE_TIMES_H

#include "sim/core/stage.h"
#include "sim/core/time.h"

#include <stdint.h>

struct stage_time {
    const struct stage *stage; // NULL: the slot is free
    sim_time time;
    uint32_t place; // in the order of first use
};

// Slots with linear probing, at most half full.
struct stage_times {
    struct stage_time *slots;
    uint32_t mask; // number of slots (a power of two) minus 1
    uint32_t used;
};

void stage_times_init(struct stage_times *times);
void stage_times_clear(struct stage_times *times);

// Adds a stage that is not in the table yet.
void stage_times_insert(struct stage_times *times, const struct stage *stage, sim_time time);

static inline void stage_times_add(struct stage_times *times, const struct stage *stage,
                                   sim_time time)
{
    // Stages are adjacent constants of 16 bytes each.
    uint32_t slot = (uint32_t)((uintptr_t)stage >> 4) & times->mask;
    while (times->slots[slot].stage != stage) {
        if (!times->slots[slot].stage) {
            stage_times_insert(times, stage, time);
            return;
        }
        slot = (slot + 1) & times->mask;
    }
    times->slots[slot].time += time;
}

// Calls `each` once per name, in the order of first use. Several files may have stages of one name;
// their times are added.
void stage_times_each(const struct stage_times *times,
                      void (*each)(void *owner, const char *name, sim_time time), void *owner);

#endif
