// SPDX-License-Identifier: GPL-3.0-or-later
// The channel ch3:hybrid (thesis 004, 3.4): MPI-1's messages go through ch3:sctp, MPI-2's put and
// get through user-level iWARP. Each VC has a queue pair besides its association of ch3:sctp, over
// an association of a second one-to-many socket, from which it is peeled off.
//
//   config.c   parameters (section `ch3_hybrid`)
//   connect.c  the second socket, requests and their answers, static and dynamic connections
//   post.c     work requests of a VC: queue, posting
//   rma.c      windows; put and get as work requests, and their envelopes
//   stage.c    the stage in the progress engine; completions; the end
//   stack.c    stack `ch3_hybrid`
//
// Put: an RDMA write, and once the transport has it the envelope, as an untagged message. Get by
// write: an envelope that asks, the target's write, and an envelope that answers. Get by read: an
// RDMA read, and an envelope for the target. Accumulate takes packets, as in ch3:sctp (the
// thesis is silent), and so do then all operations of its epoch to that target: nothing orders
// packets and RDMA, and one mark ends the epoch.
//
// An envelope's stream differs from that of the data before it (iwarp.stream_map), and SCTP serves
// streams in turn: it overtakes the rest of a long transfer that waits in the sender's socket. Such
// envelopes are counted, and by default held until their data arrive; else a fence ends too soon,
// and a window may be freed before its data arrive.
//
// Not modelled: two queue pairs per VC, derived datatypes in one-sided operations.
#ifndef NETSIM_MODELS_MPICH2_HYBRID_HYBRID_H
#define NETSIM_MODELS_MPICH2_HYBRID_HYBRID_H

#include "models/iwarp/verbs.h"
#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/sctp/channel.h"

enum ch3_hybrid_connections { CH3_HYBRID_STATIC, CH3_HYBRID_DYNAMIC };
enum ch3_hybrid_get { CH3_HYBRID_BY_WRITE, CH3_HYBRID_BY_READ };

struct ch3_hybrid_config {
    int connections; // enum ch3_hybrid_connections
    int get;         // enum ch3_hybrid_get
    bool hold;       // envelopes wait for their data
    bool blocking;   // a call blocks in its read while no window is open
    int64_t buffer;  // bytes of a VC's memory for untagged messages
    int64_t receives;
    int64_t connect; // bytes of a request to connect, and of its answer
};

extern const struct param_table ch3_hybrid_table;

#define CH3_HYBRID_ENVELOPE_BYTES 40 // of the longest untagged message

// The content of an untagged message: an envelope, and with a question the address for the answer.
struct ch3_hybrid_envelope {
    struct ch3_pkt pkt;
    int64_t address;
};
_Static_assert(sizeof(struct ch3_hybrid_envelope) <= IWARP_CONTENT_BYTES, "is kept whole");
_Static_assert(sizeof(struct ch3_hybrid_envelope) == CH3_HYBRID_ENVELOPE_BYTES, "for the rules");

enum ch3_hybrid_vc_state {
    CH3_HYBRID_NONE,
    CH3_HYBRID_REQ_SENT,
    CH3_HYBRID_ACCEPTING, // has accepted; its answer is under way
    CH3_HYBRID_UP,
};

// A transfer between its issue and its end.
struct ch3_hybrid_op {
    struct ch3_hybrid_op *next; // in its VC's queue
    struct ch3_hybrid_vc *vc;
    enum iwarp_operation operation; // IWARP_WRITE, IWARP_READ; IWARP_SEND: an envelope
    struct ch3_pkt pkt;             // of the envelope
    int64_t asked;                  // with a question: the address for the answer
    uint32_t own_stag, peer_stag;
    int64_t own_address, peer_address;
    bool temporary; // own_stag was registered for this one
    bool arrived;   // a get by write: its data are here
    bool built;     // its envelope is
    bool served;    // it answers a peer's question
};

// The peer's operations on a window here, in the epoch that ends. They may end in another order
// than they were issued; the last one to be issued has their number.
struct ch3_hybrid_epoch {
    int window;
    uint32_t ended, total; // total 0: not known yet
};

// The connection with a peer.
struct ch3_hybrid_vc {
    struct ch3_hybrid_process *hybrid;
    int peer;
    struct machine machine; // enum ch3_hybrid_vc_state
    struct iwarp_qp *qp;
    struct sctp_socket *socket; // peeled off
    int64_t buffer;             // address of the memory for untagged messages
    uint32_t stag;              // of it
    uint32_t association;       // of the second socket, until it is peeled off; 0: none
    struct ch3_hybrid_op *head, *tail;
    bool packets;   // the epoch that is issued takes packets
    GArray *landed; // struct message_ref: writes of the peer whose envelopes have not arrived
    GArray *held;   // struct ch3_pkt: envelopes that arrived ahead of their data
    GArray *epochs; // struct ch3_hybrid_epoch
};

struct ch3_hybrid_process {
    struct ch3_sctp_process sctp;
    const struct ch3_hybrid_config *config;
    const struct iwarp_config *verbs;
    struct sctp_socket *socket; // one-to-many, for requests to connect
    struct iwarp_rnic *rnic;
    struct iwarp_cq *cq; // of all QPs
    uint32_t domain;
    struct ch3_hybrid_vc *vcs; // by rank
    struct pool ops;
    GPtrArray *asked; // struct ch3_hybrid_op *: gets by write, by the number in their envelope
    int ops_open;     // that have not ended
    int windows;      // that are open
    int held;         // envelopes
    int requests;     // VCs in CH3_HYBRID_REQ_SENT or _ACCEPTING
    // Static connections: a phase per initiator.
    int phase, next;
    int at_barrier; // rank 0: so many have come
    int barriers;   // that have opened
    bool waits;     // at the barrier
    struct event barrier;
    // The end.
    bool quiet, disconnected;
    int closing;
    struct {
        int64_t *early, *envelopes, *descriptors;
    } count;
};

static inline struct ch3_hybrid_process *ch3_hybrid_of(const struct mpi_process *process)
{
    return process->device;
}

static inline struct mpi_process *ch3_hybrid_mpi(const struct ch3_hybrid_process *hybrid)
{
    return hybrid->sctp.process;
}

// connect.c
extern const struct mpi_startup_step ch3_hybrid_startup[];
extern const struct machine_kind ch3_hybrid_vc_machine; // by enum ch3_hybrid_vc_state
extern const struct machine_kind ch3_hybrid_startup_machine;
// Begins to connect to the VC's peer.
void ch3_hybrid_connect(struct cpu_context *context, struct ch3_hybrid_vc *vc);
// Takes one message of the second socket. Returns false if there is none.
bool ch3_hybrid_listen(struct cpu_context *context, struct ch3_hybrid_process *hybrid);
// Goes on with accepted connections whose answer has arrived. Returns true if one is up now.
bool ch3_hybrid_accepted(struct cpu_context *context, struct ch3_hybrid_process *hybrid);

// post.c
void ch3_hybrid_post_receive(struct cpu_context *context, struct ch3_hybrid_vc *vc, int slot);
struct ch3_hybrid_op *ch3_hybrid_op_new(struct ch3_hybrid_vc *vc, const struct ch3_pkt *pkt);
// Ends the operation and frees it.
void ch3_hybrid_op_over(struct cpu_context *context, struct ch3_hybrid_op *op);
// Queues the operation, and posts it once the VC is up and its queues have room.
void ch3_hybrid_queue(struct cpu_context *context, struct ch3_hybrid_op *op);
// Queues the envelope of a finished transfer, after other such envelopes, before all else.
void ch3_hybrid_queue_first(struct cpu_context *context, struct ch3_hybrid_op *op);
// Posts those operations that waited for the VC to be up, or for room in its queues.
void ch3_hybrid_pump(struct cpu_context *context, struct ch3_hybrid_vc *vc);

// rma.c
extern const struct ch3_rma_ops ch3_hybrid_rma;
// Takes one envelope whose data have come. Returns false if there is none.
bool ch3_hybrid_release(struct cpu_context *context, struct ch3_hybrid_process *hybrid);
void ch3_hybrid_complete(struct cpu_context *context, const struct iwarp_completion *completion);

// stage.c
extern const struct ch3_sctp_stage ch3_hybrid_stage;
enum mpi_progress ch3_hybrid_finalize(struct cpu_context *context, struct mpi_process *process);

extern const struct ch3_channel ch3_hybrid_channel;
extern const struct stack ch3_hybrid_stack;

#endif
