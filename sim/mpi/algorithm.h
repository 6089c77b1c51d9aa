// SPDX-License-Identifier: GPL-3.0-or-later
// The algorithms of collectives, inside sim/mpi: each writes the schedule of one rank.
#ifndef NETSIM_MPI_ALGORITHM_H
#define NETSIM_MPI_ALGORITHM_H

#include "sim/mpi/schedule.h"

struct mpi_collective_call {
    const struct mpi_library_config *library;
    int rank, ranks, root;  // of the group
    int64_t size;           // as in collective.h
    enum mpi_buffer buffer; // that a broadcast works in
};

typedef void mpi_algorithm_fn(struct mpi_schedule *schedule,
                              const struct mpi_collective_call *call);

// collective_barrier.c
mpi_algorithm_fn mpi_barrier_linear, mpi_barrier_binomial, mpi_barrier_recursive_doubling;

// collective_rooted.c
mpi_algorithm_fn mpi_bcast_linear, mpi_bcast_binomial;
mpi_algorithm_fn mpi_reduce_linear, mpi_reduce_binomial;
mpi_algorithm_fn mpi_gather_linear, mpi_gather_binomial;
mpi_algorithm_fn mpi_scatter_linear, mpi_scatter_binomial;

// collective_exchange.c
mpi_algorithm_fn mpi_bcast_scatter_allgather;
mpi_algorithm_fn mpi_allreduce_recursive_doubling;
mpi_algorithm_fn mpi_allgather_ring, mpi_allgather_recursive_doubling;
mpi_algorithm_fn mpi_alltoall_linear, mpi_alltoall_pairwise, mpi_alltoall_recursive_doubling;

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
