// SPDX-License-Identifier: GPL-3.0-or-later
// When the repetitions of a benchmark have become alike, so that the others need not be run
// (workload.steady).
//
// The ranks of a program run loops whose turns correspond: a ping-pong's two ranks, the ranks of a
// collective. A loop is steady once the times of its turns have a period on every rank: the last
// `alike` periods are equal to the picosecond. All ranks must have the same period, of the same
// duration, or one would lag ever more and fill a buffer between them. Roots that rotate,
// credits that return with every eighth message and acknowledgements of every other segment are
// such periods; up to STEADY_LONGEST turns are looked at. The equal turns must be a part of all,
// too, for a few that are equal can stand within a longer period. A first turn has no time of its
// own, as what comes before it takes part.
//
// Then all ranks leave the loop at the end of the same turn, the first that none of them has ended:
// no message is left over. The time of the turns left out is that of the period, repeated.
//
// It is an approximation: it misses what happens first or seldom after long (a timer, a number that
// wraps around).
#ifndef NETSIM_MEASURE_STEADY_H
#define NETSIM_MEASURE_STEADY_H

#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

#define STEADY_LONGEST 32 // turns of a period
#define STEADY_PART 64    // of how many turns one must be among the equal ones

struct steady;

// The end of a turn of a rank's loop: its number, from 1, of so many, and the number of ranks whose
// loops correspond.
struct steady_turn {
    int64_t turn, turns;
    int sharers;
};

// For a run of so many ranks; alike: 2 or more. Free with steady_free.
struct steady *steady_new(int ranks, int alike);
void steady_free(struct steady *steady);

// A rank's turn ends now. Ranks go through their loops in the same order. Returns true if the rank
// leaves the loop, with the time of the turns left out. Allocates nothing but for the first turn of
// a loop.
bool steady_leaves(struct steady *steady, int rank, const struct steady_turn *turn, sim_time now,
                   sim_time *left_out);

// Turns of all loops so far, each counted once, and how many of them were run.
int64_t steady_turns(const struct steady *steady);
int64_t steady_turns_run(const struct steady *steady);

#endif
