// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives in which all ranks exchange: recursive doubling, ring, pairs, and all at once. Those
// of MPICH are as its public sources of early 2003 describe them.
//
// Not modelled: heterogeneous data, operations that do not commute.
#include "sim/mpi/algorithm.h"

// ---- Recursive doubling for any number of ranks ----

void mpi_allgather_doubling(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                            const struct mpi_blocks *blocks)
{
    int relative = mpi_relative(call);
    for (int bit = 1; bit < call->ranks; bit <<= 1) {
        int partner = relative ^ bit, mine = relative & ~(bit - 1), theirs = mine ^ bit;
        int64_t have = mpi_block_bytes(blocks, mine, bit),
                get = mpi_block_bytes(blocks, theirs, bit);
        int peer = mpi_absolute(call, partner);
        if (partner < call->ranks)
            mpi_sendrecv(schedule, peer, mpi_block_place(blocks, mine), have, peer,
                         mpi_block_place(blocks, theirs), get);
        mpi_spread(schedule, call, bit, mpi_block_place(blocks, theirs), get);
    }
}

void mpi_allgather_round(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                         const struct mpi_blocks *blocks)
{
    int ranks = call->ranks, relative = mpi_relative(call),
        left = mpi_absolute(call, relative + ranks - 1), right = mpi_absolute(call, relative + 1);
    for (int step = 0; step < ranks - 1; step++) {
        int sent = (relative - step + ranks) % ranks, received = (sent + ranks - 1) % ranks;
        mpi_sendrecv(schedule, right, mpi_block_place(blocks, sent),
                     mpi_block_bytes(blocks, sent, 1), left, mpi_block_place(blocks, received),
                     mpi_block_bytes(blocks, received, 1));
    }
}

void mpi_allgather_both_sides(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                              const struct mpi_blocks *blocks)
{
    int ranks = call->ranks, sign = call->rank % 2 ? -1 : 1, first = call->rank - call->rank % 2;
    int sent = first, next[2] = {first, first};
    mpi_sendrecv(schedule, call->rank + sign, mpi_block_place(blocks, call->rank),
                 mpi_block_bytes(blocks, call->rank, 1), call->rank + sign,
                 mpi_block_place(blocks, call->rank + sign),
                 mpi_block_bytes(blocks, call->rank + sign, 1));
    for (int step = 1; step < ranks / 2; step++) {
        int side = step % 2, to = side ? -sign : sign; // step 1: to the other neighbour
        int peer = (call->rank + to + ranks) % ranks;
        next[side] = (next[side] + 2 * to + ranks) % ranks;
        mpi_sendrecv(schedule, peer, mpi_block_place(blocks, sent),
                     mpi_block_bytes(blocks, sent, 2), peer, mpi_block_place(blocks, next[side]),
                     mpi_block_bytes(blocks, next[side], 2));
        sent = next[side];
    }
}

// ---- Broadcast ----

// The message is cut into a block a rank; a block that is empty is not sent.
static void scatter_blocks(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                           const struct mpi_blocks *blocks)
{
    int relative = mpi_relative(call), bit = mpi_lowest_bit(relative, call->ranks);
    int64_t own = mpi_block_bytes(blocks, relative, bit);
    if (relative != 0 && own > 0) {
        mpi_schedule_recv(schedule, mpi_absolute(call, relative - bit),
                          mpi_block_place(blocks, relative), own);
        mpi_schedule_end_round(schedule);
    }
    while ((bit >>= 1) > 0) {
        int child = relative + bit;
        int64_t bytes = child < call->ranks ? mpi_block_bytes(blocks, child, bit) : 0;
        if (bytes > 0)
            mpi_schedule_send(schedule, mpi_absolute(call, child), mpi_block_place(blocks, child),
                              bytes);
        mpi_schedule_end_round(schedule);
    }
}

static struct mpi_blocks pieces(const struct mpi_collective_call *call)
{
    return (struct mpi_blocks){.buffer = call->buffer,
                               .unit = (call->size + call->ranks - 1) / call->ranks,
                               .total = call->size};
}

// Scatters the message by binomial tree, and gathers it everywhere by recursive doubling: twice the
// steps of a tree, and at most twice the bytes through any rank (MPICH 1.2.5; MPICH2 for messages
// that are not long).
void mpi_bcast_scatter_allgather(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = pieces(call);
    scatter_blocks(schedule, call, &blocks);
    mpi_allgather_doubling(schedule, call, &blocks);
}

// Like mpi_bcast_scatter_allgather with a ring, from which short pieces at the end are not left out
// (MPICH2 for long messages).
void mpi_bcast_scatter_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = pieces(call);
    scatter_blocks(schedule, call, &blocks);
    mpi_allgather_round(schedule, call, &blocks);
}

// ---- Allreduce ----

// All ranks exchange their sums so far (MPICH, early 2003).
void mpi_allreduce_recursive_doubling(struct mpi_schedule *schedule,
                                      const struct mpi_collective_call *call)
{
    struct mpi_place sum = {BUFFER_RECEIVE, 0}, operand = {BUFFER_TEMPORARY, 0};
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), sum, call->size);
    for (int bit = 1; bit < call->ranks; bit <<= 1) {
        int partner = call->rank ^ bit;
        if (partner < call->ranks) {
            mpi_sendrecv(schedule, partner, sum, call->size, partner, operand, call->size);
            mpi_schedule_reduce(schedule, operand, sum, call->size);
        }
        mpi_spread(schedule, &all, bit, sum, call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Recursive doubling among a power of two of ranks; odd ranks of the first pairs act for their
// neighbours, and send them the sum (MPICH2 for short messages, Open MPI).
void mpi_allreduce_folded_doubling(struct mpi_schedule *schedule,
                                   const struct mpi_collective_call *call)
{
    struct mpi_place sum = {BUFFER_RECEIVE, 0}, operand = {BUFFER_TEMPORARY, 0};
    struct mpi_fold fold = mpi_fold_of(call, 1);
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), sum, call->size);
    mpi_fold_in(schedule, call, &fold, sum, operand, call->size);
    for (int bit = 1; fold.place >= 0 && bit < fold.power; bit <<= 1) {
        int peer = mpi_fold_rank(&fold, fold.place ^ bit);
        mpi_sendrecv(schedule, peer, sum, call->size, peer, operand, call->size);
        mpi_schedule_reduce(schedule, operand, sum, call->size);
    }
    mpi_fold_out(schedule, call, &fold, sum, call->size);
}

// The message goes round in as many pieces as there are ranks, each summed up at every rank, and
// once more with the sums (Open MPI).
void mpi_allreduce_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = {.buffer = BUFFER_RECEIVE,
                                .unit = (call->size + call->ranks - 1) / call->ranks,
                                .total = call->size};
    struct mpi_place operand = {BUFFER_TEMPORARY, 0};
    struct mpi_collective_call shifted = *call;
    int ranks = call->ranks, left = (call->rank + ranks - 1) % ranks,
        right = (call->rank + 1) % ranks;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), mpi_place(BUFFER_RECEIVE, 0),
                      call->size);
    for (int step = 0; step < ranks - 1; step++) {
        int sent = (call->rank - step + ranks) % ranks, received = (sent + ranks - 1) % ranks;
        int64_t bytes = mpi_block_bytes(&blocks, received, 1);
        mpi_sendrecv(schedule, right, mpi_block_place(&blocks, sent),
                     mpi_block_bytes(&blocks, sent, 1), left, operand, bytes);
        mpi_schedule_reduce(schedule, operand, mpi_block_place(&blocks, received), bytes);
    }
    // Each rank has summed up the piece of the rank to its right.
    shifted.root = ranks - 1;
    mpi_allgather_round(schedule, &shifted, &blocks);
    mpi_schedule_end_round(schedule);
}

// ---- Allgather ----

static void own_block(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0),
                      mpi_place(BUFFER_RECEIVE, call->rank * call->size), call->size);
}

static struct mpi_blocks own_blocks(const struct mpi_collective_call *call)
{
    return (struct mpi_blocks){
        .buffer = BUFFER_RECEIVE, .unit = call->size, .total = call->size * call->ranks};
}

// Blocks go round to the right, one place a step (MPICH up to 1.2.4; MPICH2 for long messages).
void mpi_allgather_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = own_blocks(call);
    struct mpi_collective_call all = *call;
    all.root = 0;
    own_block(schedule, call);
    mpi_allgather_round(schedule, &all, &blocks);
    mpi_schedule_end_round(schedule);
}

// An even number of ranks: with both neighbours in turn, two blocks a step after the first (Open
// MPI for long messages). Others: as the ring.
void mpi_allgather_neighbours(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (call->ranks % 2) {
        mpi_allgather_ring(schedule, call);
        return;
    }
    struct mpi_blocks blocks = own_blocks(call);
    own_block(schedule, call);
    mpi_allgather_both_sides(schedule, call, &blocks);
    mpi_schedule_end_round(schedule);
}

void mpi_allgather_recursive_doubling(struct mpi_schedule *schedule,
                                      const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = own_blocks(call);
    struct mpi_collective_call all = *call;
    all.root = 0;
    own_block(schedule, call);
    mpi_allgather_doubling(schedule, &all, &blocks);
    mpi_schedule_end_round(schedule);
}

// ---- Alltoall ----

// The own block moves without a message in all of them.
static void own_of_all(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int64_t offset = call->rank * call->size;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, offset), mpi_place(BUFFER_RECEIVE, offset),
                      call->size);
}

// All receives, then all sends, started at once and waited for together (LAM; MPICH for medium
// sizes). Peers begin with the next rank, so that not all begin with the same.
void mpi_alltoall_linear(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    own_of_all(schedule, call);
    for (int i = 1; i < call->ranks; i++) {
        int peer = (call->rank + i) % call->ranks;
        mpi_schedule_recv(schedule, peer, mpi_place(BUFFER_RECEIVE, peer * call->size), call->size);
    }
    for (int i = 1; i < call->ranks; i++) {
        int peer = (call->rank + i) % call->ranks;
        mpi_schedule_send(schedule, peer, mpi_place(BUFFER_SEND, peer * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Receives from the next ranks upwards and sends to the next ones downwards, `batch` of each at a
// time, of which the rank itself is the first; each batch is waited for together.
static void scattered(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                      int batch)
{
    int ranks = call->ranks;
    own_of_all(schedule, call);
    for (int first = 0; first < ranks; first += batch) {
        int end = MIN(first + batch, ranks);
        for (int i = MAX(first, 1); i < end; i++) {
            int peer = (call->rank + i) % ranks;
            mpi_schedule_recv(schedule, peer, mpi_place(BUFFER_RECEIVE, peer * call->size),
                              call->size);
        }
        for (int i = MAX(first, 1); i < end; i++) {
            int peer = (call->rank - i + ranks) % ranks;
            mpi_schedule_send(schedule, peer, mpi_place(BUFFER_SEND, peer * call->size),
                              call->size);
        }
        mpi_schedule_end_round(schedule);
    }
}

// All at once, sends in the opposite order of receives, in which they arrive (Open MPI).
void mpi_alltoall_scattered(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    scattered(schedule, call, call->ranks);
}

// In batches (MPICH since 1.4; Open MPI starts a request as soon as one of the batch is done).
void mpi_alltoall_scattered_batches(struct mpi_schedule *schedule,
                                    const struct mpi_collective_call *call)
{
    scattered(schedule, call, mpi_batch(call));
}

// Step i: with the rank that differs in the bits of i, among a power of two of ranks; else as
// pairwise (MPICH2 for long messages).
void mpi_alltoall_pairs(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    if (!mpi_power_of_two(call->ranks)) {
        mpi_alltoall_pairwise(schedule, call);
        return;
    }
    own_of_all(schedule, call);
    for (int i = 1; i < call->ranks; i++) {
        int64_t offset = (call->rank ^ i) * call->size;
        mpi_sendrecv(schedule, call->rank ^ i, mpi_place(BUFFER_SEND, offset), call->size,
                     call->rank ^ i, mpi_place(BUFFER_RECEIVE, offset), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Step i: to the rank i above, from the rank i below (MPICH for long messages).
void mpi_alltoall_pairwise(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    own_of_all(schedule, call);
    for (int i = 1; i < call->ranks; i++) {
        int to = (call->rank + i) % call->ranks,
            from = (call->rank - i + call->ranks) % call->ranks;
        mpi_sendrecv(schedule, to, mpi_place(BUFFER_SEND, to * call->size), call->size, from,
                     mpi_place(BUFFER_RECEIVE, from * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Each rank gets all blocks of all in a logarithmic number of steps, and takes its own out of them
// (MPICH for short messages).
void mpi_alltoall_recursive_doubling(struct mpi_schedule *schedule,
                                     const struct mpi_collective_call *call)
{
    int64_t row = call->size * call->ranks;
    struct mpi_blocks blocks = {
        .buffer = BUFFER_TEMPORARY, .unit = row, .total = row * call->ranks};
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0),
                      mpi_place(BUFFER_TEMPORARY, call->rank * row), row);
    mpi_allgather_doubling(schedule, &all, &blocks);
    for (int peer = 0; peer < call->ranks; peer++)
        mpi_schedule_copy(schedule,
                          mpi_place(BUFFER_TEMPORARY, peer * row + call->rank * call->size),
                          mpi_place(BUFFER_RECEIVE, peer * call->size), call->size);
    mpi_schedule_end_round(schedule);
}
