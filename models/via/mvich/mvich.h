// SPDX-License-Identifier: GPL-3.0-or-later
// MVICH: MPICH's device for the Virtual Interface Architecture, by Lawrence Berkeley National
// Laboratory, on M-VIA. Sources: its design page (ftg.lbl.gov/MVICH), and the device of MVAPICH,
// which descends from it and kept its names; states, packets and settings have the same names here.
//
//   mvich.c          the device's ops: MPID_DeviceCheck, how it waits; reports
//   mvich_config.c   parameters
//   mvich_startup.c  NIC, vbufs, a VI to every peer
//   mvich_vbuf.c     vbufs and their pool; posting, credits, backlog, NOOP
//   mvich_send.c     EAGER, RENDEZVOUS_START, and pushing R3 and RPUT data
//   mvich_receive.c  incoming packets
//   mvich_machine.c  states of a request, and its end
//   mvich_request.c  start of requests; unexpected messages found at start; self
//   mvich_dreg.c     the registration cache
//
// Not modelled: RGET (M-VIA has no RDMA read), cancelling of sends, the small number of vbufs that
// the descendant posts before a connection's first packet, several processes on one host.
#ifndef NETSIM_MODELS_VIA_MVICH_MVICH_H
#define NETSIM_MODELS_VIA_MVICH_MVICH_H

#include "models/via/vip/vip.h"
#include "sim/core/fifo.h"
#include "sim/model/stack.h"
#include "sim/mpi/arrival.h"
#include "sim/mpi/startup.h"

// ---- Parameters ----

enum mvich_wait { MVICH_POLL, MVICH_SPIN_WAIT };
enum mvich_protocol { MVICH_EAGER, MVICH_R3, MVICH_RPUT, MVICH_SELF };

struct mvich_config {
    int64_t rendezvous_threshold; // bytes
    int64_t r3_threshold;         // bytes
    int rendezvous_protocol;      // enum mvich_protocol less MVICH_R3
    int64_t vbuf;                 // bytes
    int64_t vbuf_pool;
    int64_t vbuf_secondary_pool;
    int64_t vbuf_most;
    int64_t prepost_depth;
    int64_t prepost_rendezvous_extra;
    int64_t prepost_noop_extra;
    int64_t credit_preserve;
    int64_t credit_notify_threshold;
    int64_t dynamic_credit_threshold;
    int64_t header, envelope; // bytes
    int64_t dreg_entries;
    int64_t dreg_limit; // bytes
    int64_t dreg_buckets;
    int wait; // enum mvich_wait
    int64_t spin;
    bool completion_queue;
    struct cost check;
    struct cost start;
    struct cost packet;
    struct cost receive;
    struct cost sent; // request and vbuf
    struct cost dreg_hash;
    struct cost dreg_probe;
};

extern const struct param_table mvich_table;

// ---- On the wire ----

enum mvich_packet_type {
    MVICH_EAGER_START,
    MVICH_EAGER_NEXT,
    MVICH_RENDEZVOUS_START,
    MVICH_RENDEZVOUS_REPLY,
    MVICH_R3_DATA,
    MVICH_RPUT_FINISH,
    MVICH_NOOP,
};

// A packet's header and the fields that follow it, depending on the packet's type. Its length on
// the wire is mvich_packet_header_bytes.
struct mvich_packet {
    uint8_t type;           // enum mvich_packet_type
    uint8_t protocol;       // enum mvich_protocol, of START and REPLY
    uint16_t vbuf_credit;   // credits returned with this packet
    uint16_t remote_credit; // credits that its sender still has
    uint16_t id;            // counts the packets of a connection, except NOOPs
    int32_t tag, context, length;
    uint32_t sequence;
    int32_t bytes; // of the message in this packet
    struct vip_mem_handle handle;
    struct mpi_request *sreq, *rreq; // known to sender and receiver
    int64_t address;                 // of the receiver's buffer
};

int64_t mvich_packet_header_bytes(const struct mvich_config *config, enum mvich_packet_type type);

// Bytes of a message that fit into one vbuf of this type.
int64_t mvich_vbuf_room(const struct mvich_config *config, enum mvich_packet_type type);

// Number of vbufs that a message takes.
int64_t mvich_vbufs_needed(const struct mvich_config *config, int64_t length,
                           enum mvich_protocol protocol);

// ---- Vbufs ----

struct mvich_vbuf {
    struct vip_descriptor descriptor;
    struct mvich_vbuf *next; // free, in a backlog, or held by an unexpected message
    int64_t address;
    struct vip_mem_handle handle;
    struct mvich_packet packet;    // to be sent
    struct mpi_request *completes; // the request whose last vbuf this is, or NULL
};

// Pinned memory for vbufs.
struct mvich_vbuf_region {
    int64_t address, count;
    struct vip_mem_handle handle;
};

struct mvich_vbuf_list {
    struct mvich_vbuf *head, *tail;
};

static inline void mvich_vbuf_append(struct mvich_vbuf_list *list, struct mvich_vbuf *vbuf)
{
    FIFO_APPEND(list->head, list->tail, vbuf, next);
}

static inline struct mvich_vbuf *mvich_vbuf_pop(struct mvich_vbuf_list *list)
{
    struct mvich_vbuf *vbuf = list->head;
    if (vbuf)
        list->head = vbuf->next;
    return vbuf;
}

// ---- Registration cache ----

struct mvich_dreg_entry {
    int64_t page, pages; // number of the first page, count
    struct vip_mem_handle handle;
    int references;
    struct mvich_dreg_entry *next;                  // in its bucket
    struct mvich_dreg_entry *lru_newer, *lru_older; // of those without references
    struct mvich_dreg_entry *all_next, *all_previous;
};

struct mvich_dreg;

// Free with mvich_dreg_free.
struct mvich_dreg *mvich_dreg_new(struct vip_nic *nic, uint32_t ptag,
                                  const struct mvich_config *config, int64_t page,
                                  const char *where);
void mvich_dreg_free(struct mvich_dreg *dreg);

// Returns the entry whose pages hold [address, address + bytes) and that begins on the same page,
// with one more reference; registers one if needed. Returns NULL if the memory cannot be pinned
// now.
struct mvich_dreg_entry *mvich_dreg_register(struct cpu_context *context, struct mvich_dreg *dreg,
                                             int64_t address, int64_t bytes);

// Drops a reference; the pages stay registered (lazy deregistration).
void mvich_dreg_release(struct cpu_context *context, struct mvich_dreg *dreg,
                        struct mvich_dreg_entry *entry);

// Deregisters the entry that has been unused longest; returns false if there is none.
bool mvich_dreg_evict(struct cpu_context *context, struct mvich_dreg *dreg);

// ---- Requests ----

enum mvich_state {
    MVICH_START,
    MVICH_EAGER_SENT,    // the last vbuf is posted, or waits for a credit; not complete
    MVICH_WAIT_REPLY,    // RENDEZVOUS_START is sent
    MVICH_PUSH,          // replied to; data are sent when no packets are left to handle
    MVICH_DATA_SENT,     // all are posted, the last (or FINISH) is not complete
    MVICH_POSTED,        // a receive without a message
    MVICH_RECEIVE_EAGER, // some vbufs are still to come
    MVICH_RECEIVE_R3,    // replied
    MVICH_RECEIVE_RPUT,  // replied; FINISH is still to come
    MVICH_WAIT_SELF,     // a send to self, not yet matched
    MVICH_DONE,
};

struct mvich_request {
    enum mvich_protocol protocol;
    struct mvich_connection *connection;
    struct mvich_dreg_entry *dreg;
    int64_t bytes;                // of the message sent or received so far
    struct mpi_request *receiver; // the peer's, from its REPLY
    int64_t remote_address;
    struct vip_mem_handle remote_handle;
};

static inline struct mvich_request *mvich_of(struct mpi_request *request)
{
    return (struct mvich_request *)(void *)request->device;
}

// `extra` of an unexpected message points to this.
struct mvich_unexpected {
    enum mvich_protocol protocol;
    struct mvich_connection *connection;
    struct mpi_request *sreq;    // of a rendezvous
    struct mvich_vbuf_list held; // of an eager message
    int64_t bytes;               // of it that have arrived
};

// ---- Connections and process ----

struct mvich_connection {
    struct mvich_process *owner;
    int rank;
    struct vip_vi *vi;
    // Credits. Each vbuf posted here, except prepost_noop_extra of them, corresponds to a credit
    // that the peer has, that is in transit to the peer, or that waits here.
    int64_t remote_credit; // left here for sending to the peer
    int64_t local_credit;  // to be returned to the peer
    int64_t remote_short;  // credits left at the peer when it last sent (remote_cc)
    trace_values values;   // of the credits; 0: not announced
    int64_t preposts;      // vbufs posted on the VI whose packets have not been handled
    int64_t r3_expected;   // R3 packets to come
    uint16_t next_to_send, next_expected; // packets' ids
    struct mvich_vbuf_list backlog;
    struct mpi_queue push; // sends that were replied to, in the order of the replies (shandle_head)
    struct mpi_request *eager;      // receive that takes the next EAGER_NEXT; or
    struct mvich_unexpected *early; // unexpected message that does
};

enum mvich_startup { MVICH_OPEN, MVICH_VBUFS, MVICH_VIS, MVICH_REQUEST, MVICH_CONNECT, MVICH_UP };

struct mvich_process {
    struct mpi_process *process;
    const struct mvich_config *config;
    struct vip_nic *nic;
    uint32_t ptag;
    struct vip_cq *cq;                    // NULL: none
    struct mvich_connection *connections; // by rank; its own entry is unused
    // MPID_DeviceCheck
    bool checking; // inside a call
    int next;      // the next connection to poll
    bool polled;   // woken while it polled: the empty queues have already been checked
    bool spun;     // it has polled long enough to wait
    struct event spin_over;
    // Vbufs. In a large job most are never used: the simulator makes each when it is first used.
    struct mvich_vbuf *free_vbufs; // of those already made
    int64_t vbufs, vbufs_free;
    struct pool vbuf_pool;
    GArray *vbuf_regions; // struct mvich_vbuf_region
    guint making_region;  // the next is made in this region,
    int64_t making;       // after this many
    struct mvich_dreg *dreg;
    struct pool unexpected;
};

static inline struct mvich_process *mvich_process_of(const struct mpi_process *process)
{
    return process->device;
}

// ---- Between the files ----

extern const struct mpi_device_ops mvich_ops;

// mvich.c
void mvich_spin_over(struct engine *engine, struct event *event);

// mvich_machine.c
extern const struct stage mvich_stage;                  // the library on a processor
extern const struct machine_kind mvich_request_machine; // by enum mvich_state
const char *mvich_protocol_name(enum mvich_protocol protocol);
void mvich_finish(struct cpu_context *context, struct mpi_request *request);

// mvich_startup.c
extern const struct mpi_startup_step mvich_startup[]; // by enum mvich_startup
extern const struct machine_kind mvich_startup_machine;

// mvich_vbuf.c
struct mvich_vbuf *mvich_vbuf_take(struct cpu_context *context, struct mvich_process *mvich);
void mvich_vbuf_give(struct mvich_process *mvich, struct mvich_vbuf *vbuf);
bool mvich_vbufs_grow(struct cpu_context *context, struct mvich_process *mvich, int64_t count);
void mvich_prepost(struct cpu_context *context, struct mvich_connection *connection);
// The same before any packet is sent or received: each vbuf is made when a packet takes it.
void mvich_prepost_unmade(struct cpu_context *context, struct mvich_connection *connection);
// Returns a vbuf with a packet of this type, complete except for the fields specific to its type.
struct mvich_vbuf *mvich_packet_new(struct cpu_context *context,
                                    struct mvich_connection *connection,
                                    enum mvich_packet_type type, struct message_ref message);
// Sends the packet, or queues it after others that wait for credits. `data` bytes from `offset` of
// the message follow the header.
void mvich_packet_send(struct cpu_context *context, struct mvich_connection *connection,
                       struct mvich_vbuf *vbuf, int64_t offset, int64_t data);
void mvich_backlog_send(struct cpu_context *context, struct mvich_connection *connection);
void mvich_noop_if_needed(struct cpu_context *context, struct mvich_connection *connection);
void mvich_post_failed(const struct mvich_connection *connection);
// Traces the credits of the connection.
void mvich_credits_tell(const struct cpu_context *context, struct mvich_connection *connection);
void mvich_flow_trace(const struct cpu_context *context, const struct mvich_connection *connection,
                      const char *event);

// mvich_send.c
void mvich_send_start(struct cpu_context *context, struct mpi_request *request);
void mvich_replied(struct cpu_context *context, const struct mvich_packet *packet);
// Sends as much as possible of the oldest replied send; returns false if nothing could be sent.
bool mvich_push(struct cpu_context *context, struct mvich_connection *connection);
void mvich_sent(struct cpu_context *context, struct mvich_process *mvich, struct mvich_vbuf *vbuf);

// mvich_receive.c
void mvich_received(struct cpu_context *context, struct mvich_connection *connection,
                    struct mvich_vbuf *vbuf);
// Called when the request has matched a RENDEZVOUS_START.
void mvich_reply(struct cpu_context *context, struct mpi_request *request,
                 struct mvich_connection *connection, enum mvich_protocol protocol,
                 struct mpi_request *sreq);
// The request takes the part of an eager message that has arrived.
void mvich_eager_pull(struct cpu_context *context, struct mpi_request *request,
                      struct mvich_unexpected *early);

// mvich_request.c
void mvich_start(struct cpu_context *context, struct mpi_request *request);
void mvich_destroy(struct cpu_context *context, struct mpi_request *request);
extern const struct mpi_arrival_ops mvich_arrival;

extern const struct stack mvich_stack;

#endif
