// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH over GM, as far as programs use it together with ARMCI: eager messages with matching,
// through the port whose send tokens ARMCI borrows. Messages within a node go through shared
// memory.
//
// Only this device takes events off the port, and with them the callbacks of ARMCI's sends: ARMCI
// gets its token and its acknowledgements back through MPI_Iprobe (thesis 001, 2.3.2).
//
// Not modelled: rendezvous. A longer message, or a synchronous send to another node, ends the run.
#ifndef NETSIM_MODELS_MPICH_GM_MPICH_H
#define NETSIM_MODELS_MPICH_GM_MPICH_H

#include "models/myrinet_gm/gm/gm.h"
#include "sim/core/pool.h"
#include "sim/mpi/arrival.h"

struct mpich_gm_config {
    int64_t eager;  // bytes
    int64_t header; // bytes
    int64_t send_buffers;
    int64_t receive_buffers;
    struct cost send, receive;
    struct cost check;
    struct cost iprobe;
};

extern const struct param_table mpich_gm_table;

// The header of a message.
struct mpich_header {
    struct mpich_header *self; // for a receiver that is handed the content of a message
    struct mpi_envelope envelope;
    struct message_ref message;
    struct mpich *to; // within the node
    struct event event;
    struct mpich_header *next;
};

// States of MPICH's requests; a library that shares its device (ARMCI) appends its own to the
// device's table, and names those that may follow MPICH_START.
enum mpich_state { MPICH_START, MPICH_WAIT_TOKEN, MPICH_POSTED, MPICH_DONE, MPICH_STATES };
#define MPICH_STATE_ROWS(after_start)                                                              \
    [MPICH_START] = {"start",                                                                      \
                     {"its start", WAIT_OTHER},                                                    \
                     HOLDER_UNKNOWN,                                                               \
                     MACHINE_TO(MPICH_WAIT_TOKEN, MPICH_POSTED, MPICH_DONE) | (after_start)},      \
    [MPICH_WAIT_TOKEN] = {"wait_token",                                                            \
                          {"a send token or a send buffer of MPICH's", WAIT_CREDIT},               \
                          HOLDER_UNKNOWN,                                                          \
                          MACHINE_TO(MPICH_DONE)},                                                 \
    [MPICH_POSTED] = {"posted",                                                                    \
                      {"a matching message", WAIT_OTHER},                                          \
                      HOLDER_UNKNOWN,                                                              \
                      MACHINE_TO(MPICH_DONE)},                                                     \
    [MPICH_DONE] = {"done", {"nothing", WAIT_OTHER}, .next = 0}

struct mpich_buffer { // registered memory from which a message is sent
    struct mpich *mpich;
    int64_t address;
    struct mpich_buffer *next; // a free one
};

// The state of a process; the first member of its device's state (mpi_process.device).
struct mpich {
    struct mpi_process *process;
    const struct mpich_gm_config *config;
    struct gm_port *port;
    struct pool *headers; // of all
    int64_t reserved;     // send tokens that MPICH leaves to others
    struct mpich_buffer *send_buffers, *free_buffers;
    struct mpi_queue waiting;                // sends that wait for a buffer or a token
    struct mpich_header *local, *local_tail; // arrived through shared memory
    bool checking;                           // a check goes on after a callback
    int64_t *iprobes;                        // counter
};

static inline struct mpich *mpich_of(const struct mpi_process *process)
{
    return process->device;
}

// The port is already open. Provides the receive buffers.
void mpich_init(struct mpich *mpich, struct mpi_process *process,
                const struct mpich_gm_config *config, struct gm_port *port, struct pool *headers,
                int64_t reserved);
void mpich_clear(struct mpich *mpich);

// Called once, from the process's own task, before anything else: gives the port its receive
// buffers.
void mpich_startup(struct cpu_context *context, struct mpich *mpich);

extern const struct mpi_arrival_ops mpich_gm_arrival;

// Starts a send, receive or probe.
void mpich_start(struct cpu_context *context, struct mpich *mpich, struct mpi_request *request);

// MPID_DeviceCheck, of which each call handles one event of the port or of shared memory.
// PROGRESS_PART: the check goes on with the next call, after the callback of a send; a `blocking`
// one, which may wait, ends with a callback. PROGRESS_NOTHING: there was none.
enum mpi_progress mpich_check(struct cpu_context *context, struct mpich *mpich, bool blocking);

// Like mpich_check that does not wait, but for a call of MPI_Iprobe by ARMCI.
enum mpi_progress mpich_iprobe(struct cpu_context *context, struct mpich *mpich);

// Time of a check that finds nothing, for mpich_check and for MPI_Iprobe; > 0.
sim_time mpich_check_turn(const struct mpich *mpich);
sim_time mpich_iprobe_turn(const struct mpich *mpich);

#endif
