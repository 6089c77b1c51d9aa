// SPDX-License-Identifier: GPL-3.0-or-later
// The VIA RPI of LAM/MPI (thesis 000, chapter 4): the device of an MPI process on M-VIA. Names of
// structs, fields and states follow the thesis (figures 4.10 to 4.15), so that the two can be read
// side by side.
//
//   rpi.c          parameters, the device's ops, lsra_advance
//   rpi_startup.c  query, init, addprocs: NIC, tag, CQ; for each peer VI, area, descriptors
//   rpi_machine.c  states of a request, and its end
//   rpi_request.c  build and start, destroy; unexpected messages found at start
//   rpi_send.c     send advance functions, send callbacks, the queue of waiting sends
//   rpi_receive.c  receive events: envelopes, bodies, ACKs, unexpected messages
//   rpi_memory.c   envelope buffers, the RDMA area and its pointers
//   pin_cache.c    registration of user buffers
#ifndef NETSIM_MODELS_VIA_LAM_VIA_RPI_H
#define NETSIM_MODELS_VIA_LAM_VIA_RPI_H

#include "models/via/lam_via/pin_cache.h"
#include "models/via/vip/vip.h"
#include "sim/model/stack.h"
#include "sim/mpi/arrival.h"
#include "sim/mpi/startup.h"

// ---- Parameters (thesis 5.2) ----

// How many pieces of a long message's body are posted at a time.
enum rpi_pieces {
    RPI_PIECES_AS_DESCRIPTORS_GO, // one per free send descriptor
    RPI_PIECES_ONE_BY_ONE,        // the next when the previous one has left
};

struct rpi_config {
    const char *device;
    int64_t tiny;        // bytes
    int64_t short_limit; // bytes ("short")
    int64_t area;        // bytes
    int64_t rdescs;
    int64_t sdescs;
    int pieces;       // enum rpi_pieces
    int64_t envelope; // bytes
    struct cost advance;
    struct cost reenter;
    struct cost start; // choosing the class, making the envelope
    struct cost send;  // filling in a descriptor
    struct cost callback;
    struct cost receive; // reading the immediate data, finding the request
    struct pin_search pins;
    sim_time daemon_exchange;
};

extern const struct param_table rpi_table;

// ---- On the wire ----

// Immediate data (figure 4.1): src_node and dest_node 15 bits each, env and restart 1 bit each. The
// widths are assumed.
struct rpi_immediate {
    int src_node, dest_node;
    bool env;     // an envelope or tiny message; else a body
    bool restart; // the writer has restarted at the top of the RDMA area
};
#define RPI_LARGEST_NODE 0x7fff

uint32_t rpi_immediate_pack(struct rpi_immediate immediate);
struct rpi_immediate rpi_immediate_unpack(uint32_t word);

// ce_flags
#define RPI_C2CACK 0x1   // an acknowledgement
#define RPI_C2CSSEND 0x2 // of a synchronous send
#define RPI_C2CTINY 0x4
#define RPI_C2CSHORT 0x8
#define RPI_C2CLONG 0x10 // SYN, if not an ACK

// lam_ssi_rpi_via_envl (figure 4.13), with ve_env flattened.
struct rpi_envelope {
    int32_t ce_len, ce_tag, ce_flags, ce_rank, ce_cid, ce_seq;
    int64_t ve_target_buf;
    struct vip_mem_handle ve_target_buf_hand;
    struct mpi_request *ve_src_request; // of the process that began the exchange
    struct message_ref message;         // for the ledger
};

// ---- Requests ----

enum rpi_class { RPI_TINY, RPI_SHORT, RPI_LONG, RPI_SELF };

// The next step of a request. The advance functions of the thesis are entered by these states.
enum rpi_state {
    RPI_START,
    RPI_WAIT_PIN,        // the user buffer can't be pinned now
    RPI_WAIT_DESCRIPTOR, // in the send queue
    RPI_ENVELOPE_SENT,   // tiny, short: posted, not complete
    RPI_BODY_SENT,
    RPI_SYN_SENT,
    RPI_WAIT_ACK,  // long: for the target address; synchronous: for the receipt
    RPI_WAIT_TURN, // long: the bodies of earlier ones leave first
    RPI_POSTED,    // a receive not yet matched
    RPI_WAIT_BODY,
    RPI_ACK_SENT, // a receive's ACK is posted, not complete
    RPI_DONE,
};

struct rpi_request;
typedef void rpi_send_advance_fn(struct cpu_context *context, struct mpi_request *request);
typedef void rpi_receive_advance_fn(struct cpu_context *context, struct mpi_request *request,
                                    const struct rpi_envelope *envelope);
typedef void rpi_callback_fn(struct cpu_context *context, struct mpi_request *request);

struct rpi_buffer;

// lam_ssi_rpi_req (figure 4.12). Its cq_state is the request's own `state`, an enum rpi_state.
struct rpi_request {
    enum rpi_class class;
    struct rpi_process_peer *cq_peer; // NULL: self, or any source before the match
    struct rpi_buffer *cq_envbuf;
    int64_t cq_packbuf;  // offset of the first byte not yet sent
    int64_t cq_packsize; // bytes still to be sent
    int pieces_out;      // of a body: posted, not complete
    struct pin_area *cq_packbufhand;
    bool isadv;   // cq_isadv: in the progression engine
    bool queued;  // in the send queue
    bool yields;  // a body: leaves descriptors to sends that wait longer, and continues after them
    bool ordered; // its next step sends the message's envelope, which must not overtake an earlier
                  // one
    bool acknowledge;              // a receive that owes its sender an ACK
    struct mpi_request *send_next; // in the send queue
    int descriptors;               // that the next send step needs
    rpi_send_advance_fn *cq_send_advance_fn;
    rpi_receive_advance_fn *cq_recv_advance_fn;
    rpi_callback_fn *cq_callback_fn;
    struct mpi_request *source_request; // of the matched envelope
    int64_t target_address;             // long send: from the ACK
    struct vip_mem_handle target_handle;
};

static inline struct rpi_request *rpi_of(struct mpi_request *request)
{
    return (struct rpi_request *)(void *)request->device;
}

// ---- Peers ----

// An unread message in the RDMA area. Only the simulator keeps this list, to notice when a message
// is overwritten.
struct rpi_extent {
    int64_t from, to;
    struct message_ref message;
};

// lam_ssi_rpi_proc (figure 4.11): a process's state for one peer.
struct rpi_process_peer {
    struct rpi_process *owner;
    int node;                              // number of the peer's node
    int rank;                              // of the process on that node; -1: none
    bool prpi_init, prpi_connect;          // LAM_PRPIINIT, LAM_PRPICONNECT
    struct mpi_unexpected *cp_bmsg;        // takes the next body, if not NULL
    struct mpi_request **cp_pending_sends; // ring: requests whose descriptors will complete, in
                                           // order; NULL before the first send
    guint pending_head, pending_tail;
    struct mpi_queue cp_current_recv_req;
    struct vip_vi *cp_vi_hand;
    struct vip_descriptor *cp_send_desc; // sdescs of them; NULL before the first send
    struct vip_descriptor *cp_recv_desc; // rdescs of them; NULL before the first message
    int cp_first_free_send_desc, cp_free_send_desc_cnt;
    int64_t cp_rdma_area; // address here that the peer writes to
    struct vip_mem_handle cp_rdma_area_hand;
    int64_t cp_remote_rdma_area;
    struct vip_mem_handle cp_remote_rdma_area_hand;
    int64_t cp_read_pointer;         // offset in the local area
    int64_t cp_remote_write_pointer; // offset in the peer's area
    struct mpi_queue bodies;         // long sends whose ACK has arrived; the first sends its body
    int waiting_sends;               // ordered ones to this peer in the send queue
    int waiting_acks;                // ACKs to this peer in the send queue
    bool held_up;                    // during a scan of the send queue: one of its sends stays
    bool descriptors_due;            // during the scan: one of its sends stays for lack of them
    GArray *extents;                 // struct rpi_extent, oldest first; NULL before the first
};

// ---- The process ----

enum rpi_startup {
    RPI_QUERY,    // VipOpenNic, error handler
    RPI_INIT,     // protection tag, completion queue, memory management
    RPI_ADDPROCS, // one peer per step: VI, area, descriptors
    RPI_EXCHANGE, // addresses and handles through the LAM daemons
    RPI_REQUEST,  // VipConnectPeerRequest, one peer per step
    RPI_CONNECT,  // VipConnectPeerWait, one peer per step
    RPI_UP,
};

// Linked by send_next.
struct rpi_send_queue {
    struct mpi_request *head, *tail;
};

struct rpi_process {
    struct mpi_process *process;
    const struct rpi_config *config;
    struct vip_nic *nic;
    uint32_t ptag;
    struct vip_cq *cq;
    struct pin_cache *pins;
    int node, nodes;                // number of its own node; nodes of the job
    struct rpi_process_peer *procs; // by node number; its own entry is unused
    struct event exchange;
    bool exchanged; // it has the others' lam_ssi_rpi_via_proc_infos
    bool inside;    // lsra_advance
    bool waiting;   // in VipCQWait
    int done;       // lam_ssi_rpi_via_done: requests that have ended since lsra_advance was entered
    struct rpi_send_queue send_queue; // ~send_queue: sends without descriptor or pinned buffer
    bool looking;                     // the send queue is being scanned
    struct rpi_send_queue again; // during the scan: bodies that have posted pieces and have more
    bool retry; // a descriptor or pinned memory became free: scan the send queue and the owed ACKs
    int owed_acks; // long receives whose buffer could not be pinned yet
    // Envelope buffers (4.6.2): pinned slots of envelope plus largest tiny message.
    struct rpi_buffer *free_buffers;
    GPtrArray *buffer_pages;
};

struct rpi_buffer {
    struct rpi_buffer *next;
    int64_t address;
    struct vip_mem_handle handle;
};

static inline struct rpi_process *rpi_process_of(const struct mpi_process *process)
{
    return process->device;
}

// Returns a process's state for the peer of that rank (gps); `procs` is indexed by the peer's node.
static inline struct rpi_process_peer *rpi_peer_of(const struct rpi_process *rpi, int rank)
{
    return &rpi->procs[rpi->process->peers[rank]->host->index];
}

// ---- Between the files ----

extern const struct mpi_device_ops rpi_ops;

// rpi_startup.c
extern const struct mpi_startup_step rpi_startup[]; // by enum rpi_startup
extern const struct machine_kind rpi_startup_machine;
void rpi_exchange_event(struct engine *engine, struct event *event);

// rpi_machine.c
extern const struct stage rpi_stage;                  // the library on a processor
extern const struct machine_kind rpi_request_machine; // by enum rpi_state
void rpi_finish(struct cpu_context *context, struct mpi_request *request);

// rpi_request.c
void rpi_start(struct cpu_context *context, struct mpi_request *request);
void rpi_destroy(struct cpu_context *context, struct mpi_request *request);

// rpi_send.c
void rpi_send_start(struct cpu_context *context, struct mpi_request *request);
// Runs the request's send advance function now, or queues the request after others if descriptors
// are missing.
void rpi_send_try(struct cpu_context *context, struct mpi_request *request);
bool rpi_send_queue_run(struct cpu_context *context, struct rpi_process *rpi);
void rpi_send_event(struct cpu_context *context, struct rpi_process *rpi, struct vip_vi *vi);
void rpi_send_ack(struct cpu_context *context, struct mpi_request *request);
rpi_receive_advance_fn rpi_long_acknowledged, rpi_synchronous_acknowledged;

// rpi_receive.c
// Called when the receive's data are in place: the receive then owes the ACK of a synchronous send,
// or is done.
void rpi_receive_complete(struct cpu_context *context, struct mpi_request *request);
void rpi_receive_event(struct cpu_context *context, struct rpi_process *rpi, struct vip_vi *vi);
// Sends the owed ACKs of long receives, in the order of their SYNs, as far as their buffers can be
// pinned now.
void rpi_send_owed_acks(struct cpu_context *context, struct rpi_process_peer *peer);
// Called when the request has matched the SYN of a long message.
void rpi_receive_syn(struct cpu_context *context, struct mpi_request *request,
                     struct rpi_process_peer *peer);
// Called when the request has matched a short envelope whose body is still to come.
void rpi_expect_body(struct cpu_context *context, struct mpi_request *request,
                     struct rpi_process_peer *peer);

// rpi_memory.c
struct rpi_buffer *rpi_buffer_take(struct cpu_context *context, struct rpi_process *rpi);
void rpi_buffer_give(struct rpi_process *rpi, struct rpi_buffer *buffer);
void rpi_buffers_free(struct rpi_process *rpi);
// Returns the offset of the next `bytes` in the peer's area; sets *restart if they start at its top
// again.
int64_t rpi_area_write(struct rpi_process_peer *peer, int64_t bytes, bool *restart);
// Moves the read pointer past a handled message of `bytes`.
void rpi_area_read(struct rpi_process_peer *peer, int64_t bytes, bool restart);
// Whether an arrived message of `bytes` lies at the read pointer. It does not once an earlier one
// was lost.
bool rpi_area_in_step(const struct rpi_process_peer *peer, int64_t bytes, bool restart,
                      struct message_ref message);
vip_watch_fn rpi_area_watch;
extern const struct mpi_arrival_ops rpi_arrival;

extern const struct stack lam_via_stack;

#endif
