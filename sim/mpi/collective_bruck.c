// SPDX-License-Identifier: GPL-3.0-or-later
// Bruck's algorithms: a logarithmic number of steps among any number of ranks, in which a block
// travels the distance to its rank bit by bit (Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE
// Transactions on Parallel and Distributed Systems 8 (1997)), for short messages.
#include "sim/mpi/algorithm.h"

// ---- Allgather ----

// Bytes of the own block and those of the `count` - 1 ranks above.
static int64_t bytes_from_own(const struct mpi_blocks *blocks, int rank, int ranks, int count)
{
    int64_t own = mpi_block_start(blocks, rank), total = mpi_block_start(blocks, ranks);
    return rank + count <= ranks ? mpi_block_start(blocks, rank + count) - own
                                 : total - own + mpi_block_start(blocks, rank + count - ranks);
}

// Blocks are collected in a temporary buffer, the own one first. Their number doubles in each step,
// by the blocks of the rank that far above.
static void collect(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                    const struct mpi_blocks *blocks)
{
    int rank = call->rank, ranks = call->ranks;
    mpi_schedule_copy(schedule, mpi_place(BUFFER_SEND, 0), mpi_place(BUFFER_TEMPORARY, 0),
                      mpi_block_bytes(blocks, rank, 1));
    for (int have = 1; have < ranks; have *= 2) {
        int count = MIN(have, ranks - have);
        int64_t had = bytes_from_own(blocks, rank, ranks, have);
        mpi_sendrecv(schedule, (rank - have + ranks) % ranks, mpi_place(BUFFER_TEMPORARY, 0),
                     bytes_from_own(blocks, rank, ranks, count), (rank + have) % ranks,
                     mpi_place(BUFFER_TEMPORARY, had),
                     bytes_from_own(blocks, rank, ranks, have + count) - had);
    }
}

void mpi_allgather_bruck(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = {
        .buffer = BUFFER_RECEIVE, .unit = call->size, .total = call->size * call->ranks};
    int64_t below = mpi_block_start(&blocks, call->rank), above = blocks.total - below;
    collect(schedule, call, &blocks);
    mpi_schedule_copy(schedule, mpi_place(BUFFER_TEMPORARY, 0),
                      mpi_block_place(&blocks, call->rank), above);
    mpi_schedule_copy(schedule, mpi_place(BUFFER_TEMPORARY, above), mpi_block_place(&blocks, 0),
                      below);
    mpi_schedule_end_round(schedule);
}

// Like mpi_allgather_bruck, with a copy for each block.
void mpi_allgatherv_bruck(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    struct mpi_blocks blocks = mpi_blocks_of(schedule, call, call->blocks, BUFFER_RECEIVE, 0);
    int64_t offset = 0;
    collect(schedule, call, &blocks);
    for (int i = 0; i < call->ranks; i++) {
        int peer = (call->rank + i) % call->ranks;
        int64_t bytes = mpi_block_bytes(&blocks, peer, 1);
        mpi_schedule_copy(schedule, mpi_place(BUFFER_TEMPORARY, offset),
                          mpi_block_place(&blocks, peer), bytes);
        offset += bytes;
    }
    mpi_schedule_end_round(schedule);
}

// ---- Alltoall ----

// Blocks first .. ranks - 1 and then those below `first`, from one buffer to the begin of another.
static void bruck_rotate(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                         int first, enum mpi_buffer from, enum mpi_buffer to)
{
    int64_t below = first * call->size, above = (call->ranks - first) * call->size;
    mpi_schedule_copy(schedule, mpi_place(from, below), mpi_place(to, 0), above);
    mpi_schedule_copy(schedule, mpi_place(from, 0), mpi_place(to, above), below);
}

// Between blocks whose numbers have this bit and the packed ones, a run of neighbours at a time.
// Returns their bytes.
static int64_t pack_bit(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                        int bit, struct mpi_place packed, bool unpack)
{
    int64_t bytes = 0;
    for (int first = bit; first < call->ranks; first += 2 * bit) {
        struct mpi_place run = {BUFFER_RECEIVE, first * call->size},
                         at = {packed.buffer, packed.offset + bytes};
        int64_t size = MIN(bit, call->ranks - first) * call->size;
        mpi_schedule_copy(schedule, unpack ? at : run, unpack ? run : at, size);
        bytes += size;
    }
    return bytes;
}

// Each step moves the blocks whose distance to their rank has this bit by as much. Arrivals are
// unpacked by a copy, which the library leaves to its datatypes (MPICH2 and Open MPI for short
// messages).
void mpi_alltoall_bruck(struct mpi_schedule *schedule, const struct mpi_collective_call *call)
{
    int rank = call->rank, ranks = call->ranks;
    struct mpi_place packed = {BUFFER_TEMPORARY, 0},
                     arrived = {BUFFER_TEMPORARY, ranks * call->size};
    bruck_rotate(schedule, call, rank, BUFFER_SEND, BUFFER_RECEIVE);
    for (int bit = 1; bit < ranks; bit <<= 1) {
        int64_t bytes = pack_bit(schedule, call, bit, packed, false);
        mpi_sendrecv(schedule, (rank + bit) % ranks, packed, bytes, (rank - bit + ranks) % ranks,
                     arrived, bytes);
        pack_bit(schedule, call, bit, arrived, true);
    }
    // Block i came from the rank i below: turned round so that the last rank's is first.
    bruck_rotate(schedule, call, (rank + 1) % ranks, BUFFER_RECEIVE, BUFFER_TEMPORARY);
    for (int i = 0; i < ranks; i++)
        mpi_schedule_copy(schedule, mpi_place(BUFFER_TEMPORARY, i * call->size),
                          mpi_place(BUFFER_RECEIVE, (ranks - 1 - i) * call->size), call->size);
    mpi_schedule_end_round(schedule);
}
