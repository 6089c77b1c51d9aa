// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated time: signed 64-bit picoseconds, enough for 106 days.
//
// Every duration that depends on a rate is rounded up to the next picosecond, with integer
// arithmetic, so that a scenario gives the same times on every machine.
#ifndef NETSIM_CORE_TIME_H
#define NETSIM_CORE_TIME_H

#include <stdint.h>

typedef int64_t sim_time;

#define TIME_NS ((sim_time)1000)
#define TIME_US (1000 * TIME_NS)
#define TIME_MS (1000 * TIME_US)
#define TIME_S (1000 * TIME_MS)
#define TIME_NEVER INT64_MAX

// Time that `amount` things take at `per_second` of them a second. amount >= 0, per_second > 0.
static inline sim_time time_at_rate(int64_t amount, int64_t per_second)
{
    unsigned __int128 scaled = (unsigned __int128)(uint64_t)amount * (uint64_t)TIME_S;
    return (sim_time)((scaled + (uint64_t)per_second - 1) / (uint64_t)per_second);
}

// Serialisation time of `bytes` on a wire of `bits_per_second`.
static inline sim_time time_of_bytes(int64_t bytes, int64_t bits_per_second)
{
    return time_at_rate(bytes * 8, bits_per_second);
}

// The first multiple of `period` after `origin` that is not before `when`. period > 0.
static inline sim_time time_next_tick(sim_time origin, sim_time period, sim_time when)
{
    if (when <= origin)
        return origin;
    return origin + (when - origin + period - 1) / period * period;
}

static inline double time_to_us(sim_time t)
{
    return (double)t / (double)TIME_US;
}

static inline double time_to_s(sim_time t)
{
    return (double)t / (double)TIME_S;
}

#endif
