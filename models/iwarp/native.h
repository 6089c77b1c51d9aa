// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on the bare verbs: a QP to each other rank, made at start-up over a connection of its
// own, and one CQ for all. A `send` is posted to the send queue, a `recv` is a posted receive and
// takes its peer's next message, `rdma_write` and `rdma_read` move registered memory. A message
// that finds no posted receive ends its connection, and the run.
//
// A buffer that no registered memory holds is registered when it is first used. The memory of the
// peer that is written or read must be registered by a program's own `register`; which steering tag
// it has is known to all (the exchange is not modelled). Writes and reads reach a process while it
// waits within the library, as what arrives is read only then. At the end all processes wait for
// one another.
#ifndef NETSIM_MODELS_IWARP_NATIVE_H
#define NETSIM_MODELS_IWARP_NATIVE_H

#include "models/iwarp/verbs.h"
#include "sim/model/stack.h"
#include "sim/mpi/startup.h"
#include "sim/program/operation_kind.h"

enum native_iwarp_transport { NATIVE_IWARP_SCTP, NATIVE_IWARP_TCP };

struct native_iwarp_config {
    enum native_iwarp_transport transport;
    sim_time exchange; // ps
};

struct native_iwarp_transfer {
    struct operation_arguments common;
    int64_t peer_buffer; // 0: the same address as the caller's
};

// The connection with one peer.
struct native_iwarp_link {
    struct iwarp_qp *qp;
    struct iwarp_listener listener; // for this peer, of a higher rank
    bool port_known;                // the peer, of a lower rank, listens
};

struct native_iwarp_process {
    struct mpi_process *process;
    const struct native_iwarp_config *config;
    const struct iwarp_config *verbs;
    const struct cluster *cluster;
    struct sctp_host *sctp; // its own; one of the two is set
    struct tcp_host *tcp;
    struct iwarp_rnic *rnic;
    struct iwarp_cq *cq;
    uint32_t domain;
    struct native_iwarp_link *links; // by rank
    struct event exchange;           // the higher ranks know the port
    struct mpi_queue waiting;        // requests that found a queue full, in order
    bool quiet;                      // its program has ended, and nothing of it is left to be sent
    int closing;                     // rank whose QP is disconnected, or destroyed, next
    bool disconnected;               // from all
    bool destroying;                 // the QPs
};

static inline struct native_iwarp_process *native_iwarp_of(const struct mpi_process *process)
{
    return process->device;
}

// The written or read memory of the peer has this address.
int64_t native_iwarp_peer_address(const struct mpi_request *request);

extern const struct mpi_startup_step native_iwarp_startup[];
extern const struct machine_kind native_iwarp_startup_machine;
enum mpi_progress native_iwarp_finalize(struct cpu_context *context, struct mpi_process *process);

extern const struct mpi_device_ops native_iwarp_ops;
extern const struct stack native_iwarp_stack;
extern const struct scenario_section native_iwarp_sections[];
enum native_iwarp_code { NATIVE_RDMA_WRITE, NATIVE_RDMA_READ, NATIVE_CODES };

// By enum native_iwarp_code; ends with a NULL name.
extern const struct operation_kind native_iwarp_operations[NATIVE_CODES + 1];

#endif
