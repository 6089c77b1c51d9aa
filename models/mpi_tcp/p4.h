// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH 1.2.5 over its device ch_p4: the ADI-2 protocols, and p4's messages over sockets.
//
//   p4.c           parameters, the device's ops, reports
//   p4_transport.c p4's messages: written in the order of the calls, each to its end; read one at a
//                  time after a select over all sockets; the queue of those read early
//   p4_protocol.c  ADI-2: short, eager, rendezvous
//
// Short: one p4 message, a packet with the data in it. Eager: a packet, then the data as a second
// p4 message. Rendezvous (longer, or synchronous): request to send, ok to send, data. p4 reads the
// header of a message, allocates, reads the rest into that buffer, and MPICH copies it to where it
// belongs: every byte is copied once more than in LAM, a short message's twice.
//
// A send is written to its end before the call goes on. When the socket is full, p4 waits in select
// until it can write or a message arrives: the lower rank of the two reads and queues it, the
// higher one writes and selects again until it can write. Data of a rendezvous that another call
// reads stay in p4's queue until their receive is waited for or tested.
//
// Not modelled: connections made when first used (here: all at startup), conversion between byte
// orders, and flow control, which is a build option.
#ifndef NETSIM_MODELS_MPI_TCP_P4_H
#define NETSIM_MODELS_MPI_TCP_P4_H

#include "models/mpi_tcp/mesh.h"
#include "sim/mpi/arrival.h"

struct p4_config {
    int64_t short_limit;   // bytes ("short")
    int64_t eager;         // bytes
    int64_t socket_buffer; // bytes
    bool no_delay;
    bool writev;
    int64_t header; // bytes
    int64_t packet; // bytes
    struct cost send;
    struct cost receive;
    struct cost check;
    struct cost message;
    sim_time exchange; // ps
};

extern const struct param_table p4_table;

enum p4_kind { P4_SHORT, P4_LONG, P4_REQUEST_TO_SEND, P4_OK_TO_SEND, P4_DATA };

// The content of a p4 message's header and, unless it is data, of the packet after it.
struct p4_envelope {
    int32_t length; // of the MPI message
    int32_t tag;
    uint8_t kind;
    uint16_t context;
    uint32_t sequence;
    int32_t payload; // bytes of this p4 message after its header
    struct message_ref message;
};
#define P4_HEADER_BYTES 32
_Static_assert(sizeof(struct p4_envelope) <= P4_HEADER_BYTES, "fits into p4's header");

// A p4 message that has been read.
struct p4_message {
    struct p4_message *next;
    struct mesh_link *link;
    struct p4_envelope envelope;
};

enum p4_state {
    P4_START,
    P4_SEND_SHORT,
    P4_SEND_EAGER,
    P4_SEND_REQUEST, // request to send
    P4_WAIT_OK,
    P4_SEND_DATA,
    P4_POSTED,
    P4_SEND_OK,
    P4_WAIT_DATA,
    P4_WAIT_SELF,
    P4_DONE,
};

// The next step of a call that waits for the data of a rendezvous.
enum p4_look {
    P4_ASK,   // is there a message with them?
    P4_WAIT,  // for any message
    P4_CHECK, // MPID_DeviceCheck without waiting: is there a control packet?
};

struct p4_request {
    struct mesh_link *link; // NULL: oneself, or any source before the match
};

static inline struct p4_request *p4_of(const struct mpi_request *request)
{
    return (struct p4_request *)(void *)(uintptr_t)request->device;
}

struct p4_process {
    struct mesh mesh;
    struct mpi_process *process;
    const struct p4_config *config;
    // Sending: the items in the order of the calls.
    struct mesh_item *out_head, *out_tail;
    struct mesh_item *writing; // under way, in its link's queue
    bool full;                 // its socket was
    bool waits_to_write;       // asleep in select until it is not
    sim_time tried;            // when it was last written
    // Receiving.
    struct mesh_link *reading;  // the message of this link is being read
    struct p4_message *current; // its header is here
    bool empty;                 // its socket was
    struct p4_message *queue_head, *queue_tail;
    bool selecting;    // asleep in select
    enum p4_look look; // of a receive by rendezvous
    struct pool messages;
    // The eager message whose data are asked for: nothing else is handled before them.
    struct mesh_link *awaited;
    struct mpi_request *awaited_request; // it goes to its buffer; or
    struct mpi_unexpected *awaited_unexpected;
};

static inline struct p4_process *p4_process_of(const struct mpi_process *process)
{
    return process->device;
}

extern const struct mpi_device_ops p4_ops;

// p4_transport.c Sends a p4 message: `data` bytes of the request's message after its packet, or
// alone for kind P4_DATA.
void p4_send(struct cpu_context *context, struct mesh_link *link, struct mpi_request *request,
             const struct p4_envelope *envelope, int64_t data);
enum mpi_progress p4_go_on(struct cpu_context *context, struct mpi_process *process);
enum mpi_progress p4_advance(struct cpu_context *context, struct mpi_process *process,
                             bool blocking);

// p4_protocol.c
void p4_start(struct cpu_context *context, struct mpi_request *request);
extern const struct machine_kind p4_request_machine; // by enum p4_state
// The last item of a p4 message has been written.
void p4_written(struct cpu_context *context, struct mpi_request *request, enum p4_kind kind);
// The message whose data are awaited (p4_process.awaited).
struct message_ref p4_awaited_message(const struct p4_process *p4);
// The request that a packet names, which is in `state`.
struct mpi_request *p4_request_of(const struct p4_process *p4, const struct p4_envelope *envelope,
                                  enum p4_state state);
// MPICH handles a message that p4 passes to it.
void p4_dispatch(struct cpu_context *context, struct p4_process *p4,
                 const struct p4_message *message);

extern const struct mpi_arrival_ops p4_arrival;

#endif
