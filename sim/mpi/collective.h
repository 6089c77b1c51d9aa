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
};

// Writes the schedule of a collective for this process, by the rule of its library (no library: the
// first rule of each list). group: its processes call the collective, this one included; NULL: all
// of the job. Must outlive the schedule. root: of bcast, reduce, gather and scatter, a rank of the
// group; ignored by the others. size: bytes of the message (bcast, reduce, allreduce) or of one
// rank's block (the others). Buffers: bcast works in the send buffer of every rank; gather,
// allgather and alltoall receive, and scatter and alltoall send, one block for each rank, in the
// order of the group's ranks.
void mpi_collective_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                          const struct mpi_group *group, enum mpi_collective collective, int root,
                          int64_t size);

// Bytes of the send and the receive buffer of a collective of `ranks` ranks.
int64_t mpi_collective_send_bytes(enum mpi_collective collective, int ranks, int64_t size);
int64_t mpi_collective_receive_bytes(enum mpi_collective collective, int ranks, int64_t size);

#endif
