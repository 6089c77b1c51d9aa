// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants of all associations of a world of SCTP hosts (world_sctp.h): flights, windows, timers,
// states of paths, buffers. The first that does not hold is printed.
#ifndef NETSIM_TESTS_SUPPORT_SCTP_WATCH_H
#define NETSIM_TESTS_SUPPORT_SCTP_WATCH_H

#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

struct sctp_watch {
    struct transition_sink sink; // give &watch->sink.trace to the world
    struct world *world;
    int number;           // of the run, for messages
    int64_t receive_most; // bytes that a receive buffer may hold
    bool moved;           // a path has changed its state since the last check
    bool failed;
    GHashTable *seen; // what is remembered of each association
};

// The caller frees it with sctp_watch_free.
struct sctp_watch *sctp_watch_new(int number, int64_t receive_most);
void sctp_watch_free(struct sctp_watch *watch);

// Runs until nothing is left to happen, or something did not hold, or it takes too long.
void sctp_watch_run(struct sctp_watch *watch, struct world *world);

// How many associations have not ended, and how much of chunks, messages and their bytes is in use.
int sctp_watch_left(const struct world *world);

#endif
