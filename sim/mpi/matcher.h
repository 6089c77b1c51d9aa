// SPDX-License-Identifier: GPL-3.0-or-later
// Matching by source, tag and context, with wildcards: the posted receive queue and the unexpected
// message queue.
#ifndef NETSIM_MPI_MATCHER_H
#define NETSIM_MPI_MATCHER_H

#include "sim/core/pool.h"
#include "sim/mpi/request.h"

// An unexpected message: its envelope, and as much of its data as has been buffered.
struct mpi_unexpected {
    struct mpi_unexpected *next;
    struct mpi_envelope envelope;
    struct message_ref message;
    bool whole;                    // all of it has arrived; if false, the sender is still needed
    struct mpi_request *self_send; // a message to self: its send request
    int64_t buffered;              // bytes held in a temporary buffer
    uint64_t extra[2];             // the device's
};

struct mpi_matcher {
    struct mpi_queue posted;
    struct mpi_unexpected *unexpected_head, *unexpected_tail;
    struct pool unexpected_pool;
    int posted_count, unexpected_count;
};

void mpi_matcher_init(struct mpi_matcher *matcher);
void mpi_matcher_clear(struct mpi_matcher *matcher);

void mpi_matcher_post(struct mpi_matcher *matcher, struct mpi_request *request);

// True if a posted request (receive or probe) matches the envelope.
bool mpi_envelope_matches(const struct mpi_envelope *envelope, const struct mpi_request *request);

// Removes the first matching posted request from the queue and returns it, or returns NULL if none
// matches. *scanned: entries examined. Probes are returned like receives: the caller completes a
// probe and calls again.
struct mpi_request *mpi_matcher_find_posted(struct mpi_matcher *matcher,
                                            const struct mpi_envelope *envelope, int *scanned);

// Returns the first unexpected message that a request matches, or NULL if there is none. The
// message stays in the queue.
struct mpi_unexpected *mpi_matcher_find_unexpected(struct mpi_matcher *matcher,
                                                   const struct mpi_request *request, int *scanned);

// Appends a new unexpected message with that envelope; the caller fills in the rest.
struct mpi_unexpected *mpi_matcher_buffer(struct mpi_matcher *matcher,
                                          const struct mpi_envelope *envelope);

// Removes the message from the queue and frees it.
void mpi_matcher_remove_unexpected(struct mpi_matcher *matcher, struct mpi_unexpected *message);

#endif
