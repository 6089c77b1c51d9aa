// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated time: signed 64-bit picoseconds. The clock ends after 26 days, a quarter of the
// integers' range, so that a point in time and a few durations can be added without an overflow
// check.
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

// The end of time. An event at this time or later ends the run instead of running
// (sim/run/limit.h).
#define TIME_END (26 * 24 * 3600 * TIME_S)

// `span` after `when`, both 0 .. 3 * TIME_END, but at most TIME_END. Code that adds up times while
// the clock stands still (a processor's work, a queue's departures) must use it.
static inline sim_time time_after(sim_time when, sim_time span)
{
    sim_time sum = when + span;
    return sum < TIME_END ? sum : TIME_END;
}

// `count` (>= 0) times `span` (0 .. TIME_END), at most TIME_END.
static inline sim_time time_times(int64_t count, sim_time span)
{
    sim_time product;
    if (__builtin_mul_overflow(count, span, &product) || product > TIME_END)
        return TIME_END;
    return product;
}

// `part` (0 .. whole) of `whole` (> 0) parts of `span` (>= 0), rounded down.
static inline sim_time time_share(sim_time span, int64_t part, int64_t whole)
{
    sim_time product;
    if (part == whole)
        return span;
    if (!__builtin_mul_overflow(span, part, &product)) // 64 bits do, whose division is far quicker
        return product / whole;
    return (sim_time)((__int128)span * part / whole);
}

// Time that `amount` (>= 0) units take at a rate of `per_second` (> 0) units per second, at most
// TIME_END.
static inline sim_time time_at_rate(int64_t amount, int64_t per_second)
{
    uint64_t short_time; // of up to 18 M units: 64 bits do, whose division is far quicker
    if (!__builtin_mul_overflow((uint64_t)amount, (uint64_t)TIME_S, &short_time) &&
        !__builtin_add_overflow(short_time, (uint64_t)per_second - 1, &short_time)) {
        short_time /= (uint64_t)per_second;
        return short_time < (uint64_t)TIME_END ? (sim_time)short_time : TIME_END;
    }
    unsigned __int128 scaled = (unsigned __int128)(uint64_t)amount * (uint64_t)TIME_S;
    unsigned __int128 time = (scaled + (uint64_t)per_second - 1) / (uint64_t)per_second;
    return time < (unsigned __int128)TIME_END ? (sim_time)time : TIME_END;
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
