// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/memory_bus.h"

#include <glib.h>

// The time lost over an overlap of `together` when a demand of `asked` bytes per second meets
// `rate`.
static sim_time time_lost(sim_time together, int64_t asked, int64_t rate)
{
    unsigned __int128 lost = (unsigned __int128)(uint64_t)together * (uint64_t)(asked - rate);
    lost = (lost + (uint64_t)rate - 1) / (uint64_t)rate;
    return lost < (unsigned __int128)TIME_END ? (sim_time)lost : TIME_END;
}

sim_time memory_bus_meet(const struct memory_bus *memory, int64_t bytes, sim_time time)
{
    struct cpu_memory_work work;
    if (memory->rate == 0 || time == 0)
        return 0;
    int64_t asked = (int64_t)((unsigned __int128)(uint64_t)bytes * TIME_S / (uint64_t)time);
    for (int64_t i = 0; i < memory->core_count; i++)
        if (cpu_memory_work(memory->cores[i], time, &work))
            asked += work.demand;
    if (asked <= memory->rate)
        return 0;
    sim_time longest = 0;
    for (int64_t i = 0; i < memory->core_count; i++) {
        if (!cpu_memory_work(memory->cores[i], time, &work))
            continue;
        sim_time lost = time_lost(work.to - work.from, asked, memory->rate);
        cpu_stall(memory->cores[i], &work, lost);
        longest = MAX(longest, lost);
    }
    return longest;
}
