// SPDX-License-Identifier: GPL-3.0-or-later
// The algorithms of collectives, inside sim/mpi: each writes the schedule of one rank.
#ifndef NETSIM_MPI_ALGORITHM_H
#define NETSIM_MPI_ALGORITHM_H

#include "sim/mpi/collective.h"

struct mpi_collective_call {
    const struct mpi_library_config *library;
    int rank, ranks, root;                  // of the group
    int64_t size;                           // as in collective.h
    int64_t segment;                        // bytes of one, of algorithms that cut; 0: uncut
    enum mpi_buffer buffer;                 // that a broadcast works in
    struct mpi_place from;                  // first block of a scatterv's root
    struct mpi_place to;                    // result of a reduction at its root
    const int64_t *blocks, *receive_blocks; // as in collective.h; NULL: `size` each
};

typedef void mpi_algorithm_fn(struct mpi_schedule *schedule,
                              const struct mpi_collective_call *call);

// The algorithm, or the choice between some, that is the library's rule of a collective
// (collective_rules.c).
mpi_algorithm_fn *mpi_rule_of(const struct mpi_library_config *library,
                              enum mpi_collective collective);

// collective_barrier.c
mpi_algorithm_fn mpi_barrier_linear, mpi_barrier_binomial, mpi_barrier_recursive_doubling,
    mpi_barrier_dissemination;

// collective_rooted.c
mpi_algorithm_fn mpi_bcast_linear, mpi_bcast_binomial;
mpi_algorithm_fn mpi_reduce_linear, mpi_reduce_binomial;
mpi_algorithm_fn mpi_gather_linear, mpi_gather_linear_sync, mpi_gather_binomial;
mpi_algorithm_fn mpi_scatter_linear, mpi_scatter_linear_at_once, mpi_scatter_binomial;

// collective_exchange.c
mpi_algorithm_fn mpi_bcast_scatter_allgather, mpi_bcast_scatter_ring;
mpi_algorithm_fn mpi_allreduce_recursive_doubling, mpi_allreduce_folded_doubling,
    mpi_allreduce_ring;
mpi_algorithm_fn mpi_allgather_ring, mpi_allgather_recursive_doubling, mpi_allgather_neighbours;
mpi_algorithm_fn mpi_alltoall_linear, mpi_alltoall_pairwise, mpi_alltoall_pairs,
    mpi_alltoall_recursive_doubling, mpi_alltoall_scattered, mpi_alltoall_scattered_batches;

// collective_bruck.c
mpi_algorithm_fn mpi_allgather_bruck, mpi_allgatherv_bruck, mpi_alltoall_bruck;

// collective_reduce_scatter.c
mpi_algorithm_fn mpi_reduce_scatter_pairwise, mpi_reduce_scatter_recursive_halving,
    mpi_reduce_scatter_recursive_doubling, mpi_reduce_scatter_ring, mpi_reduce_scatter_butterfly;
mpi_algorithm_fn mpi_reduce_rabenseifner, mpi_allreduce_rabenseifner;
mpi_algorithm_fn mpi_reduce_rabenseifner_halves, mpi_allreduce_rabenseifner_halves;

// collective_scan.c
mpi_algorithm_fn mpi_scan_linear, mpi_scan_recursive_doubling;
mpi_algorithm_fn mpi_exscan_linear, mpi_exscan_recursive_doubling;

// collective_segmented.c
mpi_algorithm_fn mpi_bcast_pipeline, mpi_bcast_split_binary, mpi_bcast_segmented;
mpi_algorithm_fn mpi_bcast_binary, mpi_bcast_binomial_near, mpi_bcast_knomial;
mpi_algorithm_fn mpi_reduce_pipeline, mpi_reduce_binary, mpi_reduce_segmented;
mpi_algorithm_fn mpi_reduce_binomial_in_segments, mpi_reduce_in_order_binary;

// collective_vector.c
mpi_algorithm_fn mpi_gatherv_linear, mpi_scatterv_linear;
mpi_algorithm_fn mpi_allgatherv_ring, mpi_allgatherv_recursive_doubling, mpi_allgatherv_neighbours;
mpi_algorithm_fn mpi_alltoallv_linear, mpi_alltoallv_in_order, mpi_alltoallv_pairwise,
    mpi_alltoallv_scattered_batches;

// collective_rules.c: made of two, but for allreduce_linear each by the library's own rule
mpi_algorithm_fn mpi_allreduce_linear, mpi_allreduce_reduce_bcast, mpi_allgatherv_gatherv_bcast,
    mpi_reduce_scatter_reduce_scatterv;

// collective_measured.c: by points of processes and bytes at which the fastest algorithm changes
mpi_algorithm_fn mpi_barrier_measured, mpi_bcast_measured, mpi_reduce_measured,
    mpi_allreduce_measured, mpi_gather_measured, mpi_scatter_measured, mpi_allgather_measured,
    mpi_alltoall_measured, mpi_reduce_scatter_measured, mpi_allgatherv_measured,
    mpi_alltoallv_measured;

// The number of the algorithm that the rule `measured` of a collective takes, as Open MPI counts
// them (coll_tuned_NAME_algorithm); 0: the collective has no such rule. bytes: of a message or
// block, of all blocks of a reduce_scatter, of the mean block of an allgatherv.
int mpi_measured_number(enum mpi_collective collective, int ranks, int64_t bytes);

// Blocks of a buffer, in the order of ranks: they begin at starts[0 .. count], or have `unit` bytes
// each, of `total` bytes together, so that the last ones may be short or empty. Blocks beyond the
// last are empty.
struct mpi_blocks {
    enum mpi_buffer buffer;
    int64_t unit, total;
    const int64_t *starts; // NULL: by unit and total
    int count;             // of `starts`
};

// All blocks of a collective, of blocks[i] bytes each or of call->size (blocks NULL). In the
// schedule's scratch memory number `scratch`, 0 or 1, valid until it is taken again.
struct mpi_blocks mpi_blocks_of(struct mpi_schedule *schedule,
                                const struct mpi_collective_call *call, const int64_t *blocks,
                                enum mpi_buffer buffer, int scratch);

static inline int64_t mpi_block_start(const struct mpi_blocks *blocks, int64_t first)
{
    return blocks->starts ? blocks->starts[MIN(first, blocks->count)]
                          : MIN(first * blocks->unit, blocks->total);
}

// Bytes of blocks first .. first + count - 1.
static inline int64_t mpi_block_bytes(const struct mpi_blocks *blocks, int first, int count)
{
    return mpi_block_start(blocks, (int64_t)first + count) - mpi_block_start(blocks, first);
}

static inline struct mpi_place mpi_block_place(const struct mpi_blocks *blocks, int first)
{
    return (struct mpi_place){blocks->buffer, mpi_block_start(blocks, first)};
}

// Bytes of the block of `rank`.
static inline int64_t mpi_block_of(const struct mpi_collective_call *call, const int64_t *blocks,
                                   int rank)
{
    return blocks ? blocks[rank] : call->size;
}

// Bytes of all blocks.
static inline int64_t mpi_total(const struct mpi_collective_call *call, const int64_t *blocks)
{
    int64_t total = blocks ? 0 : call->size * call->ranks;
    for (int i = 0; blocks && i < call->ranks; i++)
        total += blocks[i];
    return total;
}

// The largest power of two of ranks, of which the first ones act for a neighbour as well.
struct mpi_fold {
    int power, surplus; // surplus: pairs of ranks, 0 and 1, 2 and 3, ...
    int keeps;          // which of a pair acts: 0 or 1
    int place;          // of this rank, 0 .. power - 1; -1: its neighbour acts for it
};

static inline struct mpi_fold mpi_fold_of(const struct mpi_collective_call *call, int keeps)
{
    int power = 1, rank = call->rank;
    while (2 * power <= call->ranks)
        power *= 2;
    int surplus = call->ranks - power;
    int place = rank >= 2 * surplus ? rank - surplus : rank % 2 == keeps ? rank / 2 : -1;
    return (struct mpi_fold){power, surplus, keeps, place};
}

// The rank that acts at this place.
static inline int mpi_fold_rank(const struct mpi_fold *fold, int place)
{
    return place < fold->surplus ? 2 * place + fold->keeps : place + fold->surplus;
}

// Whether the rank and its neighbour are a pair.
static inline bool mpi_fold_paired(const struct mpi_fold *fold, int rank)
{
    return rank < 2 * fold->surplus;
}

// Of a pair, the rank that does not act sends its operand to the one that does, where it is added
// to the sum; and gets the sum at the end.
void mpi_fold_in(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                 const struct mpi_fold *fold, struct mpi_place sum, struct mpi_place operand,
                 int64_t size);
void mpi_fold_out(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                  const struct mpi_fold *fold, struct mpi_place sum, int64_t size);

// Each relative rank has its own block in place, and gets all others: by recursive doubling for any
// number of ranks, or round a ring.
void mpi_allgather_doubling(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                            const struct mpi_blocks *blocks);
void mpi_allgather_round(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                         const struct mpi_blocks *blocks);

// Like these, with both neighbours in turn, two blocks a step after the first; an even number of
// ranks, counted from 0.
void mpi_allgather_both_sides(struct mpi_schedule *schedule, const struct mpi_collective_call *call,
                              const struct mpi_blocks *blocks);

// A part of recursive doubling for any number of ranks: the first ranks of a group pass the data of
// step `bit` on to those without a partner.
void mpi_spread(struct mpi_schedule *schedule, const struct mpi_collective_call *call, int bit,
                struct mpi_place data, int64_t size);

// Whether a message has fewer elements than there are ranks to cut it for. A library without the
// parameter `element` counts bytes.
static inline bool mpi_fewer_elements(const struct mpi_collective_call *call, int ranks)
{
    return call->size / MAX(1, call->library->element) < ranks;
}

// Requests of a kind that an exchange of all with all starts at a time.
static inline int mpi_batch(const struct mpi_collective_call *call)
{
    int64_t batch = call->library->alltoall_batch;
    return batch > 0 ? (int)MIN(batch, call->ranks) : call->ranks;
}

static inline bool mpi_power_of_two(int ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

// A receive and a send that are started together, as MPI_Sendrecv does.
static inline void mpi_sendrecv(struct mpi_schedule *schedule, int to, struct mpi_place from,
                                int64_t sent, int source, struct mpi_place into, int64_t received)
{
    mpi_schedule_recv(schedule, source, into, received);
    mpi_schedule_send(schedule, to, from, sent);
    mpi_schedule_end_round(schedule);
}

static inline struct mpi_place mpi_place(enum mpi_buffer buffer, int64_t offset)
{
    return (struct mpi_place){buffer, offset};
}

// Ranks counted from the root, and back.
static inline int mpi_relative(const struct mpi_collective_call *call)
{
    return (call->rank - call->root + call->ranks) % call->ranks;
}

static inline int mpi_absolute(const struct mpi_collective_call *call, int relative)
{
    return (relative + call->root) % call->ranks;
}

// In a binomial tree of `ranks`, whose children are a rank with one more bit set below its own
// lowest: that lowest bit, or for rank 0 the smallest power of two that is not below `ranks`.
static inline int mpi_lowest_bit(int relative, int ranks)
{
    int bit = 1;
    while (bit < ranks && !(relative & bit))
        bit <<= 1;
    return bit;
}

#endif
