// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives in which all ranks exchange: recursive doubling, ring, pairs, and all at once. Those
// of MPICH are as its public sources of early 2003 describe them.
//
// Not modelled: heterogeneous data, operations that do not commute.
#include "sim/mpi/algorithm.h"

// A receive and a send that are started together, as MPI_Sendrecv does.
static void sendrecv(struct mpi_schedule *schedule, int to, struct mpi_place from, int64_t sent,
                     int source, struct mpi_place into, int64_t received)
{
    mpi_schedule_recv(schedule, source, into, received);
    mpi_schedule_send(schedule, to, from, sent);
    mpi_schedule_end_round(schedule);
}

// ---- Recursive doubling for any number of ranks ----

// Step `bit` of recursive doubling joins the group of `bit` ranks below (bit not set in their
// numbers) and the group above. If that is not whole, only the first of the group below find a
// partner in it; these hand what they have got to the others, halving the distance each time.
static void spread(struct mpi_schedule *schedule, const struct mpi_collective_call *call, int bit,
                   struct mpi_place data, int64_t size)
{
    int relative = mpi_relative(call);
    int have = call->ranks - (relative & ~(bit - 1)) - bit;
    if ((relative & bit) || have <= 0 || have >= bit)
        return;
    for (int half = bit >> 1; half > 0; half >>= 1) {
        int partner = relative ^ half, end = (relative & ~(2 * half - 1)) + have;
        if (partner > relative && relative < end && partner >= end)
            mpi_schedule_send(schedule, mpi_absolute(call, partner), data, size);
        else if (partner < relative && partner < end && relative >= end)
            mpi_schedule_recv(schedule, mpi_absolute(call, partner), data, size);
        mpi_schedule_end_round(schedule);
    }
}

// The blocks of an allgather: `unit` bytes each, in the order of relative ranks, of `total` bytes
// together, so that the last ones may be short or empty.
struct blocks {
    enum mpi_buffer buffer;
    int64_t unit, total;
};

static struct mpi_place block_place(const struct blocks *blocks, int first)
{
    return mpi_place(blocks->buffer, MIN(first * blocks->unit, blocks->total));
}

static int64_t block_bytes(const struct blocks *blocks, int first, int count)
{
    return MIN((first + count) * blocks->unit, blocks->total) -
           MIN(first * blocks->unit, blocks->total);
}

// Each rank has its own block in place, and gets all others.
static void allgather_blocks(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                             const struct blocks *blocks)
{
    int relative = mpi_relative(call);
    for (int bit = 1; bit < call->ranks; bit <<= 1) {
        int partner = relative ^ bit, mine = relative & ~(bit - 1), theirs = mine ^ bit;
        int64_t have = block_bytes(blocks, mine, bit), get = block_bytes(blocks, theirs, bit);
        int peer = mpi_absolute(call, partner);
        if (partner < call->ranks)
            sendrecv(schedule, peer, block_place(blocks, mine), have, peer,
                     block_place(blocks, theirs), get);
        spread(schedule, call, bit, block_place(blocks, theirs), get);
    }
}

// ---- Broadcast ----

// The message is cut into a block a rank; a block that is empty is not sent.
static void scatter_blocks(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                           const struct blocks *blocks)
{
    int relative = mpi_relative(call), bit = mpi_lowest_bit(relative, call->ranks);
    int64_t own = block_bytes(blocks, relative, bit);
    if (relative != 0 && own > 0) {
        mpi_schedule_recv(schedule, mpi_absolute(call, relative - bit),
                          block_place(blocks, relative), own);
        mpi_schedule_end_round(schedule);
    }
    while ((bit >>= 1) > 0) {
        int child = relative + bit;
        int64_t bytes = child < call->ranks ? block_bytes(blocks, child, bit) : 0;
        if (bytes > 0)
            mpi_schedule_send(schedule, mpi_absolute(call, child), block_place(blocks, child),
                              bytes);
        mpi_schedule_end_round(schedule);
    }
}

// Scatters the message by binomial tree, and gathers it everywhere by recursive doubling: twice the
// steps of a tree, and at most twice the bytes through any rank (MPICH 1.2.5).
void mpi_bcast_scatter_allgather(struct mpi_schedule *schedule,
                                 const struct mpi_collective_call *call)
{
    struct blocks blocks = {call->buffer, (call->size + call->ranks - 1) / call->ranks, call->size};
    scatter_blocks(schedule, call, &blocks);
    allgather_blocks(schedule, call, &blocks);
}

// ---- Allreduce ----

// All ranks exchange what they have summed up so far (MPICH, early 2003).
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
            sendrecv(schedule, partner, sum, call->size, partner, operand, call->size);
            mpi_schedule_reduce(schedule, operand, sum, call->size);
        }
        spread(schedule, &all, bit, sum, call->size);
    }
    mpi_schedule_end_round(schedule);
}

// ---- Allgather ----

static void own_block(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0),
                      mpi_place(BUFFER_RECEIVE, call->rank * call->size), call->size);
}

// Blocks go round to the right, one place a step (MPICH up to 1.2.4).
void mpi_allgather_ring(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int ranks = call->ranks, left = (call->rank + ranks - 1) % ranks,
        right = (call->rank + 1) % ranks;
    own_block(schedule, call);
    for (int step = 0; step < ranks - 1; step++) {
        int sent = (call->rank - step + ranks) % ranks, received = (sent + ranks - 1) % ranks;
        sendrecv(schedule, right, mpi_place(BUFFER_RECEIVE, sent * call->size), call->size, left,
                 mpi_place(BUFFER_RECEIVE, received * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

void mpi_allgather_recursive_doubling(struct mpi_schedule *schedule,
                                      const struct mpi_collective_call *call)
{
    struct blocks blocks = {BUFFER_RECEIVE, call->size, call->size * call->ranks};
    struct mpi_collective_call all = *call;
    all.root = 0;
    own_block(schedule, call);
    allgather_blocks(schedule, &all, &blocks);
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

// Step i: to the rank i above, from the rank i below (MPICH for long messages).
void mpi_alltoall_pairwise(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    own_of_all(schedule, call);
    for (int i = 1; i < call->ranks; i++) {
        int to = (call->rank + i) % call->ranks,
            from = (call->rank - i + call->ranks) % call->ranks;
        sendrecv(schedule, to, mpi_place(BUFFER_SEND, to * call->size), call->size, from,
                 mpi_place(BUFFER_RECEIVE, from * call->size), call->size);
    }
    mpi_schedule_end_round(schedule);
}

// Everybody gets everything in a logarithm of steps, and takes its blocks out of it (MPICH for
// short messages).
void mpi_alltoall_recursive_doubling(struct mpi_schedule *schedule,
                                     const struct mpi_collective_call *call)
{
    int64_t row = call->size * call->ranks;
    struct blocks blocks = {BUFFER_TEMPORARY, row, row * call->ranks};
    struct mpi_collective_call all = *call;
    all.root = 0;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0),
                      mpi_place(BUFFER_TEMPORARY, call->rank * row), row);
    allgather_blocks(schedule, &all, &blocks);
    for (int peer = 0; peer < call->ranks; peer++)
        mpi_schedule_copy(schedule,
                          mpi_place(BUFFER_TEMPORARY, peer * row + call->rank * call->size),
                          mpi_place(BUFFER_RECEIVE, peer * call->size), call->size);
    mpi_schedule_end_round(schedule);
}
