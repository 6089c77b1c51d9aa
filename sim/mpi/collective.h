// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives, as every library does them in the end: rounds of point-to-point requests. An
// algorithm writes the schedule of one rank; the schedule is then run by starting a round's
// requests, in its order, and waiting for all of them.
#ifndef NETSIM_MPI_COLLECTIVE_H
#define NETSIM_MPI_COLLECTIVE_H

#include "sim/mpi/process.h"

#include <glib.h>
#include <stdbool.h>

enum mpi_collective { MPI_BARRIER, MPI_ALLTOALL };

struct mpi_step {
    enum mpi_request_kind kind; // MPI_SEND or MPI_RECV
    int peer;
    int64_t size;
    int64_t offset;  // in the send or receive buffer
    bool ends_round; // the last step of its round
};

// Kept by who runs collectives and used again: no allocation once warm.
struct mpi_schedule {
    GArray *steps;    // struct mpi_step
    guint next;       // first step not started
    GPtrArray *round; // requests of the round under way
    int64_t send_buffer, receive_buffer;
};

void mpi_schedule_init(struct mpi_schedule *schedule);
void mpi_schedule_clear(struct mpi_schedule *schedule);

// Writes the schedule of a collective for this process, by the algorithm that its library takes.
// size: bytes for each peer.
void mpi_schedule_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                        enum mpi_collective collective, int64_t size);

// Starts the next round once the last one is done. True: there is a round under way and the process
// has to make progress; false: the collective is over.
bool mpi_schedule_step(struct mpi_schedule *schedule, struct cpu_context *context,
                       struct mpi_process *process);

#endif
