// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives whose blocks may differ (the v forms): linear, pairs, ring.
//
// Not modelled: gaps between the blocks.
#include "sim/mpi/algorithm.h"

// Whether a message is sent of a block of so many bytes.
static bool is_sent(const struct mpi_collective_call *call, int64_t bytes)
{
    return bytes > 0 || call->library->empty_blocks_send;
}

// ---- One root ----

// The root receives the blocks one after the other.
void mpi_gatherv_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place own = {BUFFER_SEND, 0}, into = {BUFFER_RECEIVE, 0};
    int64_t mine = mpi_block_of(call, call->blocks, call->rank);
    if (call->rank != call->root && is_sent(call, mine))
        mpi_schedule_send(schedule, call->root, own, mine);
    for (int peer = 0; call->rank == call->root && peer < call->ranks; peer++) {
        int64_t bytes = mpi_block_of(call, call->blocks, peer);
        if (peer == call->rank)
            mpi_schedule_copy(schedule, own, into, bytes);
        else if (is_sent(call, bytes)) {
            mpi_schedule_recv(schedule, peer, into, bytes);
            mpi_schedule_end_round(schedule);
        }
        into.offset += bytes;
    }
    mpi_schedule_end_round(schedule);
}

// The root sends the blocks one after the other.
void mpi_scatterv_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_place from = call->from, own = {BUFFER_RECEIVE, 0};
    int64_t mine = mpi_block_of(call, call->blocks, call->rank);
    if (call->rank != call->root && is_sent(call, mine))
        mpi_schedule_recv(schedule, call->root, own, mine);
    for (int peer = 0; call->rank == call->root && peer < call->ranks; peer++) {
        int64_t bytes = mpi_block_of(call, call->blocks, peer);
        if (peer == call->rank)
            mpi_schedule_copy(schedule, from, own, bytes);
        else if (is_sent(call, bytes)) {
            mpi_schedule_send(schedule, peer, from, bytes);
            mpi_schedule_end_round(schedule);
        }
        from.offset += bytes;
    }
    mpi_schedule_end_round(schedule);
}

// ---- All to all ----

struct sides {
    struct mpi_blocks sent, received;
};

// The own block moves without a message.
static struct sides sides_begin(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call)
{
    struct sides sides = {
        mpi_blocks_of(schedule, call, call->blocks, BUFFER_SEND, 0),
        mpi_blocks_of(schedule, call, call->receive_blocks, BUFFER_RECEIVE, 1),
    };
    mpi_schedule_copy(schedule, mpi_block_place(&sides.sent, call->rank),
                      mpi_block_place(&sides.received, call->rank),
                      mpi_block_bytes(&sides.sent, call->rank, 1));
    return sides;
}

// All receives, then all sends, started at once and waited for together. Peers begin with `first`.
static void all_at_once(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                        int first)
{
    struct sides sides = sides_begin(schedule, call);
    for (int i = 0; i < call->ranks; i++) {
        int peer = (first + i) % call->ranks;
        int64_t bytes = mpi_block_bytes(&sides.received, peer, 1);
        if (peer != call->rank && is_sent(call, bytes))
            mpi_schedule_recv(schedule, peer, mpi_block_place(&sides.received, peer), bytes);
    }
    for (int i = 0; i < call->ranks; i++) {
        int peer = (first + i) % call->ranks;
        int64_t bytes = mpi_block_bytes(&sides.sent, peer, 1);
        if (peer != call->rank && is_sent(call, bytes))
            mpi_schedule_send(schedule, peer, mpi_block_place(&sides.sent, peer), bytes);
    }
    mpi_schedule_end_round(schedule);
}

// Peers begin with the next rank, so that not all begin with the same (MPICH).
void mpi_alltoallv_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    all_at_once(schedule, call, call->rank + 1);
}

// All begin with rank 0 (LAM, Open MPI).
void mpi_alltoallv_in_order(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    all_at_once(schedule, call, 0);
}

// Receives from the next ranks upwards and sends to the next ones downwards, a batch of each at a
// time (MPICH since 1.4).
void mpi_alltoallv_scattered_batches(struct mpi_schedule *schedule,
                                     const struct mpi_collective_call *call)
{
    struct sides sides = sides_begin(schedule, call);
    int ranks = call->ranks, batch = mpi_batch(call);
    for (int first = 0; first < ranks; first += batch) {
        int end = MIN(first + batch, ranks);
        for (int i = MAX(first, 1); i < end; i++) {
            int peer = (call->rank + i) % ranks;
            int64_t bytes = mpi_block_bytes(&sides.received, peer, 1);
            if (is_sent(call, bytes))
                mpi_schedule_recv(schedule, peer, mpi_block_place(&sides.received, peer), bytes);
        }
        for (int i = MAX(first, 1); i < end; i++) {
            int peer = (call->rank - i + ranks) % ranks;
            int64_t bytes = mpi_block_bytes(&sides.sent, peer, 1);
            if (is_sent(call, bytes))
                mpi_schedule_send(schedule, peer, mpi_block_place(&sides.sent, peer), bytes);
        }
        mpi_schedule_end_round(schedule);
    }
}

// Step i: to the rank i above, from the rank i below.
void mpi_alltoallv_pairwise(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct sides sides = sides_begin(schedule, call);
    for (int i = 1; i < call->ranks; i++) {
        int to = (call->rank + i) % call->ranks,
            from = (call->rank - i + call->ranks) % call->ranks;
        mpi_sendrecv(schedule, to, mpi_block_place(&sides.sent, to),
                     mpi_block_bytes(&sides.sent, to, 1), from,
                     mpi_block_place(&sides.received, from),
                     mpi_block_bytes(&sides.received, from, 1));
    }
    mpi_schedule_end_round(schedule);
}

// ---- Allgather ----

static struct mpi_blocks gathered(struct mpi_schedule *schedule,
                                  const struct mpi_collective_call *call, enum mpi_buffer buffer)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, buffer, 0);
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), mpi_block_place(&blocks, call->rank),
                      mpi_block_bytes(&blocks, call->rank, 1));
    return blocks;
}

// Blocks go round to the right, one place a step.
void mpi_allgatherv_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = gathered(schedule, call, BUFFER_RECEIVE);
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_allgather_round(schedule, &all, &blocks);
    mpi_schedule_end_round(schedule);
}

// An even number of ranks: with both neighbours in turn (Open MPI). Others: as the ring.
void mpi_allgatherv_neighbours(struct mpi_schedule *schedule,
                               const struct mpi_collective_call *call)
{
    if (call->ranks % 2) {
        mpi_allgatherv_ring(schedule, call);
        return;
    }
    struct mpi_blocks blocks = gathered(schedule, call, BUFFER_RECEIVE);
    mpi_allgather_both_sides(schedule, call, &blocks);
    mpi_schedule_end_round(schedule);
}

// In a temporary buffer, since the program's blocks might have gaps; then a copy for each block
// (MPICH).
void mpi_allgatherv_recursive_doubling(struct mpi_schedule *schedule,
                                       const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = gathered(schedule, call, BUFFER_TEMPORARY);
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_allgather_doubling(schedule, &all, &blocks);
    for (int peer = 0; peer < call->ranks; peer++)
        mpi_schedule_copy(schedule, mpi_block_place(&blocks, peer),
                          mpi_place(BUFFER_RECEIVE, mpi_block_start(&blocks, peer)),
                          mpi_block_bytes(&blocks, peer, 1));
    mpi_schedule_end_round(schedule);
}
