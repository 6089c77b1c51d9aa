// SPDX-License-Identifier: GPL-3.0-or-later
// MVICH: MPICH's device for the Virtual Interface Architecture, by Lawrence Berkeley National
// Laboratory, on M-VIA. What is known of it: its design page (ftg.lbl.gov/MVICH), and the device of
// MVAPICH, which grew out of it and kept its names; states, packets and settings are called here as
// they are there.
//
//   mvich.c          the device's ops: MPID_DeviceCheck, how it waits; reports
//   mvich_config.c   parameters
//   mvich_startup.c  NIC, vbufs, a VI to every peer
//   mvich_vbuf.c     vbufs and their pool; posting, credits, backlog, NOOP
//   mvich_send.c     EAGER, RENDEZVOUS_START, and the pushing of R3 and RPUT
//   mvich_receive.c  incoming packets
//   mvich_request.c  start and end of requests; unexpected messages found at start; self
//   mvich_dreg.c     the registration cache
//
// Not modelled: RGET (M-VIA has no RDMA read), cancelling of sends, the small number of vbufs that
// the descendant posts before a connection's first packet, several processes on one host.
#ifndef NETSIM_MODELS_VIA_MVICH_MVICH_H
#define NETSIM_MODELS_VIA_MVICH_MVICH_H

#include "models/via/vip/vip.h"
#include "sim/core/fifo.h"
#include "sim/mpi/arrival.h"
#include "sim/mpi/startup.h"
#include "sim/workload/stack.h"

// ---- Parameters ----

enum mvich_wait { MVICH_POLL, MVICH_SPIN_WAIT };
enum mvich_protocol { MVICH_EAGER, MVICH_R3, MVICH_RPUT, MVICH_SELF };

struct mvich_config {
    int64_t rendezvous_threshold; // bytes: from here on, messages go by rendezvous
    int64_t r3_threshold;         // bytes: rendezvous of less goes by R3
    int rendezvous_protocol;      // enum mvich_protocol less MVICH_R3: R3 or RPUT above that
    int64_t vbuf;                 // bytes of one vbuf, with header
    int64_t vbuf_pool;            // vbufs at the start
    int64_t vbuf_secondary_pool;  // vbufs that are added when all are in use
    int64_t vbuf_most;            // vbufs in all; 0: no limit
    int64_t prepost_depth;        // vbufs posted as receives on each VI
    int64_t prepost_rendezvous_extra;
    int64_t prepost_noop_extra;
    int64_t credit_preserve;          // credits that data packets leave to control packets
    int64_t credit_notify_threshold;  // credits that a NOOP returns to a peer that is short
    int64_t dynamic_credit_threshold; // ... and to any other
    int64_t header, envelope;         // bytes of the packet header, of the envelope
    int64_t dreg_entries;             // areas that stay registered at most
    int64_t dreg_limit;               // bytes of them; 0: as many as can be pinned
    int64_t dreg_buckets;
    int wait;               // enum mvich_wait
    int64_t spin;           // turns before it waits
    bool completion_queue;  // of all VIs
    struct cost check;      // entering MPID_DeviceCheck
    struct cost start;      // of a send or receive: choice of the protocol
    struct cost packet;     // getting a vbuf, filling in a header
    struct cost receive;    // header, credits, dispatch
    struct cost sent;       // a completed send: request, vbuf
    struct cost dreg_hash;  // hashing an address
    struct cost dreg_probe; // looking at one entry of a chain
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

// Header, and what follows it in packets of one type or another. What it takes on the wire is
// mvich_packet_header_bytes.
struct mvich_packet {
    uint8_t type;           // enum mvich_packet_type
    uint8_t protocol;       // enum mvich_protocol, of START and REPLY
    uint16_t vbuf_credit;   // credits returned with this packet
    uint16_t remote_credit; // credits that its sender has left
    uint16_t id;            // counts the packets of a connection, but NOOPs
    int32_t tag, context, length;
    uint32_t sequence;
    int32_t bytes; // of the message in this packet
    struct vip_mem_handle handle;
    struct mpi_request *sreq, *rreq; // known to sender and receiver
    int64_t address;                 // of the receiver's buffer
};

int64_t mvich_packet_header_bytes(const struct mvich_config *config, enum mvich_packet_type type);

// Bytes of a message in one vbuf of this type.
int64_t mvich_vbuf_room(const struct mvich_config *config, enum mvich_packet_type type);

// Vbufs that a message takes.
int64_t mvich_vbufs_needed(const struct mvich_config *config, int64_t length,
                           enum mvich_protocol protocol);

// ---- Vbufs ----

struct mvich_vbuf {
    struct vip_descriptor descriptor;
    struct mvich_vbuf *next; // free, in a backlog, or held by an unexpected message
    int64_t address;
    struct vip_mem_handle handle;
    struct mvich_packet packet;    // to be sent
    struct mpi_request *completes; // the request whose last vbuf this is; or NULL
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
    int64_t page, pages; // first page's number, how many
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

// The entry whose pages hold [address, address + bytes) and that begins on the same page,
// registered now if there is none, with one more reference. NULL: it can't be pinned now.
struct mvich_dreg_entry *mvich_dreg_register(struct cpu_context *context, struct mvich_dreg *dreg,
                                             int64_t address, int64_t bytes);

// Takes a reference back; the pages stay registered (lazy deregistration).
void mvich_dreg_release(struct cpu_context *context, struct mvich_dreg *dreg,
                        struct mvich_dreg_entry *entry);

// Deregisters the entry that has been unused longest; false if there is none.
bool mvich_dreg_evict(struct cpu_context *context, struct mvich_dreg *dreg);

// ---- Requests ----

enum mvich_state {
    MVICH_START,
    MVICH_EAGER_SENT,    // the last vbuf is posted, or waits for a credit; not complete
    MVICH_WAIT_REPLY,    // RENDEZVOUS_START is sent
    MVICH_PUSH,          // replied to; data leave when no packets are left to handle
    MVICH_DATA_SENT,     // all are posted, the last (or FINISH) is not complete
    MVICH_POSTED,        // a receive without a message
    MVICH_RECEIVE_EAGER, // some vbufs are still to come
    MVICH_RECEIVE_R3,    // replied
    MVICH_RECEIVE_RPUT,  // replied, FINISH will come
    MVICH_WAIT_SELF,     // a send to self that no receive has met
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

// What an unexpected message's `extra` points to.
struct mvich_unexpected {
    enum mvich_protocol protocol;
    struct mvich_connection *connection;
    struct mpi_request *sreq;    // of a rendezvous
    struct mvich_vbuf_list held; // of an eager message
    int64_t bytes;               // of it that have come
};

// ---- Connections and process ----

struct mvich_connection {
    struct mvich_process *owner;
    int rank;
    struct vip_vi *vi;
    // Credits. Of the vbufs posted here, all but prepost_noop_extra stand for a credit that the
    // peer has, or that is on its way to it or waits here.
    int64_t remote_credit; // that are left here for sending to the peer
    int64_t local_credit;  // to be returned to the peer
    int64_t remote_short;  // credits that the peer had left when it last sent (remote_cc)
    int64_t preposts;      // vbufs posted on the VI whose packets have not been handled
    int64_t r3_expected;   // R3 packets to come
    uint16_t next_to_send, next_expected; // packets' ids
    struct mvich_vbuf_list backlog;
    struct mpi_queue push;          // sends that were replied to, in that order (shandle_head)
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
    struct mvich_connection *connections; // by rank; the own one is unused
    // MPID_DeviceCheck
    bool checking; // inside one
    int next;      // connection to be looked at next
    bool polled;   // woken while it polled: empty queues have been looked at already
    bool spun;     // it has polled long enough to wait
    struct event spin_over;
    // Vbufs. Of a large job most are never used: the simulator makes one when it is.
    struct mvich_vbuf *free_vbufs; // of those that were made
    int64_t vbufs, vbufs_free;
    struct pool vbuf_pool;
    GArray *vbuf_regions; // struct mvich_vbuf_region
    guint making_region;  // in which the next is made,
    int64_t making;       // behind so many
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

// mvich_startup.c
extern const struct mpi_startup_step mvich_startup[]; // by enum mvich_startup

// mvich_vbuf.c
struct mvich_vbuf *mvich_vbuf_take(struct cpu_context *context, struct mvich_process *mvich);
void mvich_vbuf_give(struct mvich_process *mvich, struct mvich_vbuf *vbuf);
bool mvich_vbufs_grow(struct cpu_context *context, struct mvich_process *mvich, int64_t count);
void mvich_prepost(struct cpu_context *context, struct mvich_connection *connection);
// The same before anything has come or gone: the vbuf is made when a packet takes it.
void mvich_prepost_unmade(struct cpu_context *context, struct mvich_connection *connection);
// A vbuf with a packet of this type in it, ready but for what its type carries.
struct mvich_vbuf *mvich_packet_new(struct cpu_context *context,
                                    struct mvich_connection *connection,
                                    enum mvich_packet_type type, struct message_ref message);
// Sends it, or puts it behind others that wait for credits. `data` bytes from `offset` of the
// message follow the header.
void mvich_packet_send(struct cpu_context *context, struct mvich_connection *connection,
                       struct mvich_vbuf *vbuf, int64_t offset, int64_t data);
void mvich_backlog_send(struct cpu_context *context, struct mvich_connection *connection);
void mvich_noop_if_needed(struct cpu_context *context, struct mvich_connection *connection);
void mvich_post_failed(const struct mvich_connection *connection);
void mvich_flow_trace(const struct cpu_context *context, const struct mvich_connection *connection,
                      const char *event);

// mvich_send.c
void mvich_send_start(struct cpu_context *context, struct mpi_request *request);
void mvich_replied(struct cpu_context *context, const struct mvich_packet *packet);
// Sends what can be sent of the oldest replied send; false if nothing could.
bool mvich_push(struct cpu_context *context, struct mvich_connection *connection);
void mvich_sent(struct cpu_context *context, struct mvich_process *mvich, struct mvich_vbuf *vbuf);

// mvich_receive.c
void mvich_received(struct cpu_context *context, struct mvich_connection *connection,
                    struct mvich_vbuf *vbuf);
// The request has met a RENDEZVOUS_START.
void mvich_reply(struct cpu_context *context, struct mpi_request *request,
                 struct mvich_connection *connection, enum mvich_protocol protocol,
                 struct mpi_request *sreq);
// The request takes what is there of an eager message.
void mvich_eager_pull(struct cpu_context *context, struct mpi_request *request,
                      struct mvich_unexpected *early);

// mvich_request.c
void mvich_start(struct cpu_context *context, struct mpi_request *request);
void mvich_destroy(struct cpu_context *context, struct mpi_request *request);
void mvich_finish(struct cpu_context *context, struct mpi_request *request);
extern const struct stage mvich_stage;        // the library on a processor
extern const struct mpi_state mvich_states[]; // by enum mvich_state
const char *mvich_protocol_name(enum mvich_protocol protocol);
extern const struct mpi_arrival_ops mvich_arrival;

extern const struct stack mvich_stack;

#endif
