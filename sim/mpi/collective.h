// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives: the library's choice of algorithm, and one process's schedule in it.
#ifndef NETSIM_MPI_COLLECTIVE_H
#define NETSIM_MPI_COLLECTIVE_H

#include "sim/mpi/schedule.h"

enum mpi_collective {
    COLLECTIVE_BARRIER,
    COLLECTIVE_BCAST,
    COLLECTIVE_REDUCE,
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_ALLTOALL,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_SCAN,
    COLLECTIVE_EXSCAN,
    COLLECTIVE_GATHERV,
    COLLECTIVE_SCATTERV,
    COLLECTIVE_ALLGATHERV,
    COLLECTIVE_ALLTOALLV,
    COLLECTIVES
};

// How much a collective moves. blocks: bytes per rank of the group, in the order of its ranks, for
// collectives whose blocks may differ; NULL: all have `size` bytes. The arrays must outlive the
// call only.
//   reduce_scatter: block i is rank i's part of the result; the operands have all of them.
//   gatherv, scatterv: block i is that of rank i. Only the root uses those of others.
//   allgatherv: block i is that of rank i, the same numbers at all ranks.
//   alltoallv: block i goes to rank i, receive_blocks[i] comes from it and must have the size that
//   rank i sends.
// In buffers of several blocks they follow one another in the order of ranks, without gaps.
struct mpi_collective_sizes {
    int64_t size;                  // as in mpi_collective_build
    const int64_t *blocks;         // NULL: `size` each
    const int64_t *receive_blocks; // of alltoallv; NULL: `size` each
};

// Writes the schedule of a collective for this process, by the rule of its library (no library: the
// first rule of each list). group: its processes call the collective, this one included; NULL: all
// of the job. Must outlive the schedule. root: of bcast, reduce, gather(v) and scatter(v), a rank
// of the group; ignored by the others. size: bytes of the message (bcast, reduce, allreduce, scan,
// exscan) or of one rank's block (the others). Buffers: bcast works in the send buffer of every
// rank; gather, allgather and alltoall (and their v forms) receive, and scatter, alltoall (and
// theirs) and reduce_scatter send, one block for each rank, in the order of the group's ranks.
void mpi_collective_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                          const struct mpi_group *group, enum mpi_collective collective, int root,
                          int64_t size);

// Like mpi_collective_build, with blocks that may differ.
void mpi_collective_build_sized(struct mpi_schedule *schedule, const struct mpi_process *process,
                                const struct mpi_group *group, enum mpi_collective collective,
                                int root, const struct mpi_collective_sizes *sizes);

// Whether the blocks of a collective may differ: `blocks` is used.
bool mpi_collective_has_blocks(enum mpi_collective collective);

// Bytes of the send and the receive buffer of a collective of `ranks` ranks.
int64_t mpi_collective_send_bytes(enum mpi_collective collective, int ranks, int64_t size);
int64_t mpi_collective_receive_bytes(enum mpi_collective collective, int ranks, int64_t size);

// Like these two, with blocks that may differ, of this rank of the group. The root's buffer of a
// gatherv or scatterv has all blocks, that of the others none but their own.
int64_t mpi_collective_send_bytes_sized(enum mpi_collective collective, int rank, int ranks,
                                        int root, const struct mpi_collective_sizes *sizes);
int64_t mpi_collective_receive_bytes_sized(enum mpi_collective collective, int rank, int ranks,
                                           int root, const struct mpi_collective_sizes *sizes);

#endif
