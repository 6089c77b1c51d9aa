// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule: one process's part in a collective, as rounds of point-to-point requests with copies
// and reductions between them. The steps of a round start in order; local steps are done at once.
// A round ends when all of its requests are done. A round of one request is a blocking call
// (MPI_Send, MPI_Recv), as at the leaves of the libraries' trees.
#ifndef NETSIM_MPI_SCHEDULE_H
#define NETSIM_MPI_SCHEDULE_H

#include "sim/mpi/group.h"
#include "sim/mpi/process.h"

#include <glib.h>
#include <stdbool.h>

enum mpi_step_kind { STEP_SEND, STEP_RECV, STEP_COPY, STEP_REDUCE };
enum mpi_buffer { BUFFER_SEND, BUFFER_RECEIVE, BUFFER_TEMPORARY, BUFFER_KINDS };

struct mpi_place {
    enum mpi_buffer buffer;
    int64_t offset; // bytes
};

struct mpi_step {
    enum mpi_step_kind kind;
    int peer; // of SEND and RECV: its rank in the job
    int64_t size;
    struct mpi_place from; // SEND, COPY and REDUCE read here
    struct mpi_place to;   // RECV and COPY write here, REDUCE combines into it
    bool ends_round;       // the last step of its round
};

// Kept and reused by its owner: no allocation once warm.
struct mpi_schedule {
    const struct mpi_group *group; // that runs it; NULL: all of the job
    GArray *steps;                 // struct mpi_step
    int64_t temporary;             // bytes that the steps use of BUFFER_TEMPORARY
    int64_t address[BUFFER_KINDS]; // addresses of the buffers, set before the first step is run
    GArray *scratch[2];            // int64_t, for the builder
};

void mpi_schedule_init(struct mpi_schedule *schedule);
void mpi_schedule_clear(struct mpi_schedule *schedule);

// Removes all steps. The next ones are for a process of `group`, which must outlive them.
void mpi_schedule_reset(struct mpi_schedule *schedule, const struct mpi_group *group);

// ---- Building. Peers are ranks of the group. Local steps of no bytes are left out. ----

void mpi_schedule_send(struct mpi_schedule *schedule, int peer, struct mpi_place from,
                       int64_t size);
void mpi_schedule_recv(struct mpi_schedule *schedule, int peer, struct mpi_place to, int64_t size);
void mpi_schedule_copy(struct mpi_schedule *schedule, struct mpi_place from, struct mpi_place to,
                       int64_t size);
void mpi_schedule_reduce(struct mpi_schedule *schedule, struct mpi_place from, struct mpi_place to,
                         int64_t size);

// The steps since the last call are one round.
void mpi_schedule_end_round(struct mpi_schedule *schedule);

// ---- Reading ----

// The request that a step of SEND or RECV starts.
struct mpi_transfer mpi_schedule_transfer(const struct mpi_schedule *schedule,
                                          const struct mpi_step *step);

#endif
