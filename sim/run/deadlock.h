// SPDX-License-Identifier: GPL-3.0-or-later
// The diagnosis of a deadlock, for runs of packets and of flows: lost messages, unexpected messages
// and receives that do not match them, circles of waits with the setting that would open them, and
// waits for ranks whose programs have ended.
#ifndef NETSIM_RUN_DEADLOCK_H
#define NETSIM_RUN_DEADLOCK_H

#include "sim/model/stack.h"

// An open request of a rank whose program has not ended.
struct deadlock_request {
    enum mpi_request_kind kind;
    const char *operation; // the name, of REQUEST_OPERATION
    int number;            // of the rank's requests, from 1
    int peer, tag, context;
    const struct mpi_group *group; // NULL: all of the job
    int64_t size;
    bool waited;     // the program waits for it
    bool needs_peer; // only its peer can end it
    bool matched;    // a receive or probe that has found its message
    bool sent;       // a receive or probe whose message was sent, and is on its path or lost
    bool standard;   // a send in the standard mode
};

struct deadlock;

// Begins the diagnosis of a case of that stack. The caller frees it with deadlock_free.
struct deadlock *deadlock_new(const struct stack *stack, const struct scenario_case *test_case);
void deadlock_free(struct deadlock *deadlock);

// Adds the next rank, from 0. `host` must outlive the diagnosis.
void deadlock_add_rank(struct deadlock *deadlock, const char *host, bool program_ended);

// Add an open request of the latest rank, and a message that lies unexpected at it. Copied.
void deadlock_add_request(struct deadlock *deadlock, const struct deadlock_request *request);
void deadlock_add_message(struct deadlock *deadlock, const struct mpi_envelope *envelope);

// Adds a message that lost a part for good, as the ledger describes it. Copied.
void deadlock_add_lost(struct deadlock *deadlock, const char *message);

// Adds what is found to `detail`, as members "lost", "mismatches", "circles" and "ended" that are
// not empty: lists of objects, each with a "text". At most DEADLOCK_MOST entries each.
#define DEADLOCK_MOST 64
void deadlock_describe(const struct deadlock *deadlock, json_t *detail);

#endif
