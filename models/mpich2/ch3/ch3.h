// SPDX-License-Identifier: GPL-3.0-or-later
// MPICH2 1.0.5's device CH3: what a request does next, whatever carries its packets. Below it is a
// channel (ch3:sock, ch3:sctp, ch3:hybrid), which connects processes, sends packets with their data
// in order, and makes progress.
//
//   pkt.h, packets.c  packets
//   vc.c              virtual connections (VC): states, sending a packet
//   handles.c         names of requests in packets
//   protocol.c        requests: eager, rendezvous, synchronous; the table of handlers by packet
//   close.c           the end of VCs in MPI_Finalize
//   device.c          a process; from the channel to the handlers; reports
//   rma.h             windows and one-sided operations between fences
//   config.c          parameters (section `ch3`), states
//
// Down: the device gives the channel sends (struct ch3_channel.send). Up: the channel reports
// that a send has been written (ch3_sent), that a packet has arrived (ch3_packet_arrived) and that
// all of its data have (ch3_data_arrived).
//
// Eager (the packet of 20 B and the data together up to ch3.eager): packet and data. Synchronous:
// the same, and the receiver answers the match with EAGER_SYNC_ACK. Ready sends are eager whatever
// their size. Longer: RNDV_REQ_TO_SEND, then RNDV_CLR_TO_SEND at the match, then RNDV_SEND with the
// data. The data of an eager message that nothing was posted for go to allocated memory and are
// copied again at the match. A message to oneself is not buffered: its send waits for the receive.
//
// Not modelled: cancelling, dynamic processes (MPI_Comm_spawn takes the path of a first
// message, thesis 004, 3.2), conversion between byte orders, threads.
#ifndef NETSIM_MODELS_MPICH2_CH3_CH3_H
#define NETSIM_MODELS_MPICH2_CH3_CH3_H

#include "models/mpich2/ch3/pkt.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"
#include "sim/model/stack.h"
#include "sim/mpi/arrival.h"

struct ch3_config {
    int64_t eager;         // bytes: a message that is longer with its packet takes the rendezvous
    int64_t packet;        // bytes of a packet on the wire
    struct cost send;      // building a packet and giving it to the channel
    struct cost receive;   // handling a packet
    struct cost allocate;  // memory for an unexpected message
    struct cost one_sided; // queueing a one-sided operation; issuing it costs the same
};

extern const struct param_table ch3_table, mpich4_ch3_table;

#define CH3_EAGER_PACKET 20 // bytes that the limit counts: MPIDI_CH3_Pkt_eager_send_t on IA-32

// True if a message of `bytes` bytes goes with its packet.
bool ch3_is_eager(const struct ch3_config *config, int64_t bytes);

struct ch3_process;

// A packet to be sent, with the data after it. The device makes it, the channel owns it from `send`
// to ch3_sent.
struct ch3_send {
    struct ch3_send *next; // in a queue of the channel
    int peer;
    struct ch3_pkt pkt;
    int64_t bytes;               // of data after the packet; 0: none
    struct mpi_request *request; // that waits for it; NULL: none
    int64_t written;             // the channel's: bytes given to the transport, the packet included
};

// The place of the data after a packet that has arrived. The channel keeps it, at one address,
// from ch3_packet_arrived to ch3_data_arrived: a receive may claim an unexpected message meanwhile.
struct ch3_receive {
    int64_t bytes; // 0: none
    struct message_ref message;
    // Their place: the buffer of a request, or memory that was allocated for an unexpected message;
    // neither: a window.
    struct mpi_request *request;
    struct mpi_unexpected *unexpected;
    bool buffered; // they go to allocated memory, from which the device copies them to the request
    struct ch3_pkt pkt;
};

// A channel. All functions run in the process's own task.
struct ch3_channel {
    const char *name; // "ch3:sctp"
    // Sends now what the transport takes and keeps the rest, which advance goes on with. May call
    // ch3_sent before it returns.
    void (*send)(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send);
    // The VC to `peer` has ended by the close protocol: the channel lets its connection go once
    // everything has been written. NULL: nothing to do.
    void (*disconnect)(struct cpu_context *context, struct ch3_process *ch3, int peer);
    // For reports: members on the path to a peer, which replace those of the same name, or NULL; a
    // new reference. NULL: none.
    json_t *(*describe)(const struct ch3_process *ch3, const struct mpi_request *request, int peer);
    // Like describe, on the process. NULL: none.
    json_t *(*describe_process)(const struct ch3_process *ch3);
    // One-sided operations that are not packets (rma.h); NULL: none.
    const struct ch3_rma_ops *rma;
};

struct ch3_rma_ops;

// A VC's state, as MPIDI_VC_STATE_*.
enum ch3_vc_state {
    CH3_VC_INACTIVE, // no packet has been sent or received; or ended
    CH3_VC_ACTIVE,
    CH3_VC_LOCAL_CLOSE,  // has sent CLOSE
    CH3_VC_REMOTE_CLOSE, // has received CLOSE
    CH3_VC_CLOSE_ACKED,  // both
};

struct ch3_vc {
    struct machine machine; // enum ch3_vc_state
};

extern const struct machine_kind ch3_vc_machine;

// The requests that packets name, by handle: a row each, reused once the handle is free.
struct ch3_handle {
    struct mpi_request *request; // NULL: free
    uint32_t next_free;
};

// The device of a process. The channel's process state begins with it (mpi_process.device).
struct ch3_process {
    struct mpi_process *process;
    const struct ch3_config *config;
    const struct ch3_channel *channel;
    struct pool sends;   // struct ch3_send
    struct sparse vcs;   // struct ch3_vc, by rank
    int closing;         // rank of the VC that MPI_Finalize closes next
    int closes;          // VCs whose end MPI_Finalize waits for
    GArray *handles;     // struct ch3_handle; row 0 is none
    uint32_t free_head;  // handle that is free; 0: none
    struct ch3_rma *rma; // NULL before the first window
};

static inline struct ch3_process *ch3_of(const struct mpi_process *process)
{
    return process->device;
}

void ch3_init(struct ch3_process *ch3, struct mpi_process *process, const struct ch3_config *config,
              const struct ch3_channel *channel);
void ch3_clear(struct ch3_process *ch3);

// Bytes of the simulator's memory per peer with which a process communicates.
int64_t ch3_peer_footprint(void);

enum ch3_state {
    CH3_START,
    CH3_SEND_EAGER, // the packet and the data are being written
    CH3_WAIT_SYNC_ACK,
    CH3_SEND_RTS,
    CH3_WAIT_CTS,
    CH3_SEND_DATA,
    CH3_POSTED,
    CH3_READ_DATA, // matched: its data arrive
    CH3_SEND_CTS,
    CH3_WAIT_DATA, // of the rendezvous
    CH3_WAIT_SELF,
    CH3_FENCE, // a fence: until its operations and those of its peers are done
    CH3_DONE,
};

struct ch3_request {
    uint32_t handle;   // 0: none
    bool written;      // a synchronous send: all of it
    bool acknowledged; // a synchronous send
};

static inline struct ch3_request *ch3_request_of(const struct mpi_request *request)
{
    return (struct ch3_request *)(void *)(uintptr_t)request->device;
}

extern const struct stack_eager ch3_eager; // of every channel's stack
extern const struct stack_eager mpich4_ch3_eager;
extern const struct machine_kind ch3_request_machine; // by enum ch3_state
extern const struct mpi_arrival_ops ch3_arrival;
extern const struct stage ch3_stage; // the device on a processor

// CH3's section follows the network's and the library's in the list of a stack.
const struct ch3_config *ch3_config_of(const struct scenario_case *test_case);

// Members of a channel's struct mpi_device_ops. The channel adds `startup`, `finalize` (which calls
// ch3_finalize) and `advance`.
#define CH3_DEVICE                                                                                 \
    .longest = MPI_LONGEST_COUNT, .arrival = &ch3_arrival, .machine = &ch3_request_machine,        \
    .request_size = sizeof(struct ch3_request), .start = ch3_start, .opens = ch3_rma_opens,        \
    .way = ch3_rma_way, .progress = &ch3_progress, .describe_request = ch3_describe_request,       \
    .describe_process = ch3_describe_process

extern const struct mpi_progress_rule ch3_progress;
void ch3_start(struct cpu_context *context, struct mpi_request *request);
// Whether a fence has operations to count (mpi_device_ops.opens).
bool ch3_rma_opens(const struct mpi_process *process, const struct operation_kind *kind,
                   const void *arguments);
// Operations keep their order within a window; those that the call itself moves go past the others
// (mpi_device_ops.way).
int ch3_rma_way(const struct mpi_request *request);
json_t *ch3_describe_request(const struct mpi_request *request);
json_t *ch3_describe_process(const struct mpi_process *process);

// ---- For the device's parts ----

// The handlers of a type of packets.
struct ch3_handler {
    // A packet has arrived. Fills in the place of its data in *receive. Returns false if the run
    // has failed.
    bool (*arrived)(struct cpu_context *context, struct ch3_process *ch3, int peer,
                    const struct ch3_pkt *pkt, struct ch3_receive *receive);
    // All of its data are in place; at once if there are none. NULL: nothing to do.
    void (*data)(struct cpu_context *context, struct ch3_process *ch3, int peer,
                 struct ch3_receive *receive);
    // One that a request has sent is written. NULL: nothing to do.
    void (*sent)(struct cpu_context *context, struct mpi_request *request);
    // One that no request waits for is written. NULL: nothing to do.
    void (*written)(struct cpu_context *context, struct ch3_process *ch3,
                    const struct ch3_pkt *pkt);
};

extern const struct ch3_handler ch3_handlers[]; // by enum ch3_pkt_type

// Sends a packet to a peer through the channel, with `bytes` of data (of pkt->message, from its
// start; 0: none). request: passed to the handler's `sent` once all of it has been written;
// NULL: none.
void ch3_send(struct cpu_context *context, struct ch3_process *ch3, int peer,
              const struct ch3_pkt *pkt, int64_t bytes, struct mpi_request *request);

// A name for the request in packets, for a time. O(1).
uint32_t ch3_handle_take(struct ch3_process *ch3, struct mpi_request *request);
// The request of a handle that a packet has returned; the handle is free again. O(1).
struct mpi_request *ch3_handle_give(struct ch3_process *ch3, uint32_t handle);

// vc.c
struct ch3_vc *ch3_vc_at(struct ch3_process *ch3, int peer);
// Untraced: the packets show the steps.
void ch3_vc_enter(struct ch3_process *ch3, int peer, enum ch3_vc_state state);
// A packet to or from the peer makes its VC active.
void ch3_vc_use(struct ch3_process *ch3, int peer);

// close.c: a handler.
bool ch3_close_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                       const struct ch3_pkt *pkt, struct ch3_receive *receive);

// ---- For channels ----

// The transport has all of it. Frees the send.
void ch3_sent(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send);

// A packet from `peer` has arrived. Fills *receive: its data, if any, follow. Returns false if the
// run has failed.
bool ch3_packet_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                        const struct ch3_pkt *pkt, struct ch3_receive *receive);

// All data of a receive (bytes > 0) are in their place; the channel has charged their copies.
void ch3_data_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                      struct ch3_receive *receive);

// MPI_Finalize of the device, for the channel's: sends CLOSE to all peers with which the process
// has communicated, one per slice, and then makes progress until each of those VCs has ended.
// PROGRESS_NOTHING: they have.
enum mpi_progress ch3_finalize(struct cpu_context *context, struct mpi_process *process);

#endif
