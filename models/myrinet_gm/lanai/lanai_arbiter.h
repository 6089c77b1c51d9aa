// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitration of the SRAM: the three engines and the processor share its bytes per second.
//
// Each engine asks for what its bus or its link can move, as long as it has bytes to move; the
// processor asks all the time, because its loop runs even if it finds nothing. The engines are
// served in the order of their ranks: one gets what it asks for before those of higher ranks get
// anything, and equal ranks get shares in proportion to what they ask for. The processor gets the
// rest. (If it went before an engine it would shut that one out for good, as it never stops
// asking.)
//
// The shares hold for anything longer than a few words while the same engines are under way, and
// are settled anew when one starts or ends. The arbiter knows no events: callers pass all times,
// which must not decrease.
#ifndef NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_ARBITER_H
#define NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_ARBITER_H

#include "sim/core/time.h"

#include <stdbool.h>

enum arbiter_user { ARBITER_HOST, ARBITER_RECEIVE, ARBITER_SEND, ARBITER_ENGINES };

struct arbiter_share {
    int64_t rank;  // the least goes first
    int64_t asks;  // B/s; 0: nothing is under way
    int64_t gets;  // B/s, <= asks
    __int128 left; // of its transfer, in B/TIME_S: `gets` times a time; <= 0: all has moved
};

struct arbiter {
    int64_t rate;      // B/s of the SRAM
    int64_t processor; // B/s that the processor asks for
    struct arbiter_share users[ARBITER_ENGINES];
    sim_time settled; // the time for which `left` holds
};

// rate > 0, processor >= 0 and at most rate; ranks of the engines.
void arbiter_init(struct arbiter *arbiter, int64_t rate, int64_t processor,
                  const int64_t ranks[ARBITER_ENGINES]);

// An engine that has nothing under way begins to move `bytes` (> 0), of which it could move `asks`
// (> 0) per second.
void arbiter_start(struct arbiter *arbiter, sim_time now, enum arbiter_user user, int64_t bytes,
                   int64_t asks);

// Adds bytes to the end of an engine's transfer, or starts one if it has none under way.
void arbiter_add(struct arbiter *arbiter, sim_time now, enum arbiter_user user, int64_t bytes,
                 int64_t asks);

// Moves on to `now`.
void arbiter_settle(struct arbiter *arbiter, sim_time now);

bool arbiter_busy(const struct arbiter *arbiter, enum arbiter_user user);

// Returns true if all of its transfer has moved. The caller then calls arbiter_end, so that others
// get its share.
bool arbiter_over(const struct arbiter *arbiter, enum arbiter_user user);
void arbiter_end(struct arbiter *arbiter, enum arbiter_user user);

// Returns when the next transfer ends if no other starts; TIME_NEVER if none is under way.
sim_time arbiter_next(const struct arbiter *arbiter);

// Returns when the engine's transfer has `left` bytes to go if no other starts. For one that has
// less to go: when it had, if it went as fast as it asks for.
sim_time arbiter_when(const struct arbiter *arbiter, enum arbiter_user user, int64_t left);

// Returns the bytes per second that are left for the processor.
int64_t arbiter_left(const struct arbiter *arbiter);

// Returns when the processor has done work that takes it `time` alone, from `from` on (not before
// the settled time), if no transfer starts.
sim_time arbiter_work(const struct arbiter *arbiter, sim_time from, sim_time time);

// Returns the work that the processor does from the settled time until `until`, as the time that it
// takes alone, if no transfer starts.
sim_time arbiter_done(const struct arbiter *arbiter, sim_time until);

#endif
