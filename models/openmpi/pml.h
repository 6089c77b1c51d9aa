// SPDX-License-Identifier: GPL-3.0-or-later
// The PML ob1: requests and their fragments.
#ifndef NETSIM_MODELS_OPENMPI_PML_H
#define NETSIM_MODELS_OPENMPI_PML_H

#include "models/openmpi/bml.h"
#include "sim/mpi/arrival.h"

enum openmpi_state {
    OPENMPI_START,
    OPENMPI_SEND_EAGER,
    OPENMPI_SEND_RTS,
    OPENMPI_WAIT_ACK,
    OPENMPI_SEND_FRAGMENTS,
    OPENMPI_WAIT_REQUESTS, // to PUT
    OPENMPI_SEND_PUT,
    OPENMPI_POSTED,
    OPENMPI_WAIT_FRAGMENTS,
    OPENMPI_WAIT_PUT,
    OPENMPI_WAIT_SELF,
    OPENMPI_DONE,
};

struct openmpi_request {
    struct bml_peer *peer; // NULL: oneself, or any source before the match
    int64_t rdma_offset;   // from here on PUTs
    int depth;             // of a send: fragments under way; of a receive: PUTs
    // A send.
    bool rts_written, acknowledged;
    int64_t written;     // bytes of data, by fragments and PUTs
    int64_t send_offset; // of the next fragment
    int puts;            // under way
    // A receive.
    bool ack_sent;
    int64_t received;  // bytes, by fragments and PUTs
    int64_t fragments; // bytes: of `received`, those of RTS and fragments
    int64_t requested; // end of what PUTs were asked for
    int registered;    // rails that hold the whole buffer registered; 0: none
    int first, turn;   // the rail of the first PUT, and how many have been asked for
};

static inline struct openmpi_request *openmpi_request_of(const struct mpi_request *request)
{
    return (struct openmpi_request *)(void *)(uintptr_t)request->device;
}

extern const struct mpi_device_ops openmpi_ops;
extern const struct btl_user openmpi_btl_user;
extern const struct machine_kind openmpi_request_machine; // by enum openmpi_state

// A message that arrived ahead of those that precede it (frags_cant_match).
struct pml_early {
    struct pml_early *next;
    struct pml_header header;
};

// Numbers of the messages between two processes in one communicator.
struct pml_flow {
    struct pml_flow *next;
    int group;
    uint32_t sent, expected;
    struct pml_early *early; // by sequence
};

struct pml_flow *pml_flow_of(struct bml_peer *peer, int context);
void pml_flows_free(struct bml_peer *peer);

// The request of this process for the message, or NULL.
struct mpi_request *pml_find(const struct mpi_process *process, enum mpi_request_kind kind,
                             struct message_ref message);

// Traces what a request has sent: `what`, and how much of it on which card.
void pml_trace(const struct cpu_context *context, struct mpi_request *request, const char *what,
               int64_t bytes, int64_t offset, const struct btl_endpoint *endpoint);

// Moves the request to `state` unless it is there.
void pml_enter(struct cpu_context *context, struct mpi_request *request, unsigned state);

// ---- pml_send.c ----

void pml_send(struct cpu_context *context, struct mpi_request *request);
// A fragment has been written.
void pml_sent(struct cpu_context *context, struct btl_endpoint *endpoint,
              const struct btl_fragment *fragment);
// Of a send: an ACK, and a request to PUT, have arrived.
void pml_acknowledged(struct cpu_context *context, struct mpi_request *request,
                      const struct pml_header *header);
void pml_put_requested(struct cpu_context *context, struct mpi_request *request,
                       struct btl_endpoint *endpoint, const struct pml_header *header);

// ---- pml_receive.c ----

// A fragment has arrived, with its data in a buffer of the BTL (PML_PUT: in their place).
void pml_arrived(struct cpu_context *context, struct btl_endpoint *endpoint,
                 const struct pml_header *header);
void pml_claim(struct cpu_context *context, struct mpi_request *request,
               struct mpi_unexpected *message);

#endif
