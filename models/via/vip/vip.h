// SPDX-License-Identifier: GPL-3.0-or-later
// The VI provider: M-VIA's user library and kernel agent (thesis 000, chapter 3). The functions are
// those of the VI Provider Library (VIPL); each charges the calling processor for the library's
// part and, where it enters the kernel, for the trap and the agent's.
//
// Modelled: VIs connected point to point, send and receive queues, descriptors, doorbells by fast
// trap, completion queues with Done and Wait, notify functions, memory registration with protection
// tags and a limit, send/receive, RDMA write with and without immediate data, largest transfer,
// fragmentation into Ethernet frames, gather without a copy on send, a copy in the interrupt
// handler on receive, in-order processing, asynchronous errors.
//
// Not modelled: reliable delivery (a lost frame loses its message, silently), RDMA read (M-VIA has
// none), several data segments of one descriptor beyond their total length, client-server
// connections, name service.
#ifndef NETSIM_MODELS_VIA_VIP_VIP_H
#define NETSIM_MODELS_VIA_VIP_VIP_H

#include "models/ethernet/nic.h"
#include "models/via/vip/mvia.h"
#include "sim/cluster/cluster.h"
#include "sim/core/pool.h"

#include <stdbool.h>
#include <stdint.h>

// ---- Memory ----

struct vip_mem_handle {
    uint32_t index; // of the region, from 1; 0: none
};

// Tells the watcher of a region that a frame's bytes have been placed in it. `first` and `last`
// mark the first and last frame of a transfer of `total` bytes that began at `start`.
struct vip_placement {
    int64_t start, total;   // of the whole transfer
    int64_t offset, length; // of this frame in it
    bool first, last;
    struct message_ref message;
};
typedef void vip_watch_fn(void *owner, const struct vip_placement *placement);

// ---- Descriptors ----

enum vip_operation { VIP_RECEIVE, VIP_SEND, VIP_RDMA_WRITE };

enum vip_status {
    VIP_STATUS_FREE, // the consumer's
    VIP_STATUS_POSTED,
    VIP_STATUS_DONE,
    VIP_STATUS_ERROR, // protection, length or format
};

// The first bytes of a transfer, as far as the protocol on top must read them at the other end. No
// other payload is stored.
#define VIP_CONTENT_BYTES 64
struct vip_content {
    alignas(8) unsigned char bytes[VIP_CONTENT_BYTES];
};

struct vip_token {
    struct vip_descriptor *descriptor;
    bool last; // of its frames
};

struct vip_descriptor {
    struct event event;          // the doorbell, later the completion, in transit
    struct vip_descriptor *next; // in a queue of its VI
    struct vip_vi *vi;
    enum vip_operation operation;
    enum vip_status status;
    // Control segment.
    bool immediate_flag;
    uint32_t immediate;
    int64_t length; // bytes to send; on a completed receive: bytes received
    // Data segment and, for RDMA, address segment.
    int64_t address;
    struct vip_mem_handle handle;
    int64_t remote_address;
    struct vip_mem_handle remote_handle;
    // Contents of the transfer.
    struct vip_content content;
    struct message_ref message;
    int64_t lead;           // bytes of the transfer before the message's data (an envelope)
    int64_t message_offset; // of the transfer's data in the message
    int64_t message_length; // bytes of it here; for a transfer that is all lead: those lost with it
    bool final; // the target is the message's final destination: arriving bytes go to the ledger
    // The agent's.
    int64_t framed; // bytes put into frames so far
    struct vip_token last_token, more_token;
};

struct vip_descriptor_queue {
    struct vip_descriptor *head, *tail;
    int count;
};

// ---- Virtual interfaces and completion queues ----

enum vip_vi_state { VIP_IDLE, VIP_CONNECT_PENDING, VIP_CONNECTED, VIP_ERROR, VIP_DISCONNECTED };

struct vip_nic;
struct vip_agent;
struct vip_cq;

typedef void vip_notify_fn(struct cpu_context *context, void *owner,
                           struct vip_descriptor *descriptor);

// Makes a receive descriptor that its consumer has posted with vip_post_recv_unmade. The provider
// calls it when a transfer takes the descriptor; it charges nothing.
typedef struct vip_descriptor *vip_make_fn(struct vip_vi *vi);

// One of the two work queues.
struct vip_work_queue {
    struct vip_descriptor_queue posted, done;
    struct vip_cq *cq;     // NULL: none
    vip_notify_fn *notify; // for one completion; NULL: none requested
    bool notifying;        // it has its descriptor and is about to be called
    void *notify_owner;
};

// A transfer that is arriving.
struct vip_arriving {
    bool active, broken;               // broken: a frame is missing, and the rest is discarded
    struct vip_descriptor *descriptor; // of a receive; NULL for RDMA
    struct vip_content *content;       // NULL before the first transfer
};

struct vip_vi {
    struct vip_nic *nic;
    uint32_t number; // on its host
    uint32_t ptag;
    struct machine machine; // enum vip_vi_state
    uint64_t discriminator;
    void *owner; // the consumer's
    struct vip_work_queue send, receive;
    int unmade; // receive descriptors posted before all others, to be made by `make`
    vip_make_fn *make;
    // Connection.
    const struct route *route;
    int remote_station;
    uint32_t remote_number;
    bool peer_asked;   // its request has arrived
    sim_time asked_at; // when the first request went out
    int64_t requests;  // sent so far
    struct event retry;
    // Order and reassembly.
    uint32_t sent_frames, expected_frame;
    struct vip_arriving arriving;
    struct cpu_task *connect_waiter;
};

// An asynchronous error (VipErrorCallback): the VI, and what happened.
enum vip_error { VIP_ERROR_RECEIVE_QUEUE_EMPTY, VIP_ERROR_PROTECTION, VIP_ERROR_LENGTH };
typedef void vip_error_fn(void *owner, struct vip_vi *vi, enum vip_error error,
                          struct message_ref message);

// ---- The library, as opened by one process ----

// VipOpenNic. `station` is the network's; `task` is the process. Free with vip_close_nic.
struct vip_nic *vip_open_nic(struct vip_agent *agent, const struct mvia_config *config,
                             const char *name, struct cpu_task *task);
void vip_close_nic(struct vip_nic *nic);

void vip_error_callback(struct vip_nic *nic, vip_error_fn *callback, void *owner);

// VipCreatePtag: a VI can only use regions that have its own tag.
uint32_t vip_create_ptag(struct vip_nic *nic);

// VipRegisterMem: pins [address, address + length) and charges call and pages. Returns false if the
// limit of pinnable memory is reached.
bool vip_register_mem(struct cpu_context *context, struct vip_nic *nic, int64_t address,
                      int64_t length, uint32_t ptag, struct vip_mem_handle *handle);

// VipDeregisterMem. Pages that another region shares with this one are unpinned with it: transfers
// on them fail from then on (thesis 000, 4.6.3).
void vip_deregister_mem(struct cpu_context *context, struct vip_nic *nic,
                        struct vip_mem_handle handle);

// Whether a transfer of [address, address + length) through the handle would pass the protection
// check on a VI of the region's tag.
bool vip_mem_valid(const struct vip_nic *nic, struct vip_mem_handle handle, int64_t address,
                   int64_t length);

void vip_mem_watch(struct vip_nic *nic, struct vip_mem_handle handle, vip_watch_fn *watch,
                   void *owner);

int64_t vip_pinned_bytes(const struct vip_nic *nic);
int64_t vip_pin_limit(const struct vip_nic *nic);

// VipCreateCQ. Owned by the nic.
struct vip_cq *vip_create_cq(struct vip_nic *nic);

// VipCreateVi; either CQ may be NULL. Owned by the nic.
struct vip_vi *vip_create_vi(struct cpu_context *context, struct vip_nic *nic, uint32_t ptag,
                             struct vip_cq *send_cq, struct vip_cq *receive_cq);

// VipConnectPeerRequest: asks the process at `remote_station` that makes a request with the same
// discriminator.
void vip_connect_peer_request(struct cpu_context *context, struct vip_vi *vi, int remote_station,
                              uint64_t discriminator);

// VipConnectPeerWait: returns true once the VI is connected; otherwise the nic's task is woken when
// it is.
bool vip_connect_peer_wait(struct cpu_context *context, struct vip_vi *vi);

// VipDisconnect.
void vip_disconnect(struct cpu_context *context, struct vip_vi *vi);

void vip_descriptor_init(struct vip_descriptor *descriptor);

// VipPostSend: operation VIP_SEND or VIP_RDMA_WRITE. Returns false if the operation is another one
// (M-VIA has no RDMA read), the VI is not connected, the descriptor is longer than allowed, or its
// data are not in registered memory.
bool vip_post_send(struct cpu_context *context, struct vip_vi *vi,
                   struct vip_descriptor *descriptor);

// VipPostRecv.
void vip_post_recv(struct cpu_context *context, struct vip_vi *vi,
                   struct vip_descriptor *descriptor);

// VipPostRecv of a descriptor that takes memory of the simulator only once a transfer needs it:
// vi->make, which the caller has set, makes it then. The caller must not have posted any other on
// the VI before.
void vip_post_recv_unmade(struct cpu_context *context, struct vip_vi *vi);

// VipSendDone, VipRecvDone: take the oldest completed descriptor off the queue; return NULL if
// there is none.
struct vip_descriptor *vip_send_done(struct cpu_context *context, struct vip_vi *vi);
struct vip_descriptor *vip_recv_done(struct cpu_context *context, struct vip_vi *vi);

// The waiting half of VipRecvWait and VipSendWait, for VIs without a completion queue, after the
// Done function found nothing: the process goes to sleep (the caller returns CPU_SLEEP) and is
// woken by the next completion of this VI; if `polling`, it polls again at the first turn of its
// loop after that completion.
void vip_wait(struct cpu_context *context, struct vip_vi *vi, bool polling);

// For a process that polls the Done functions of all its VIs, one round per `turn` (> 0), and has
// found nothing: it sleeps until the first turn of its loop after the next completion of any VI.
void vip_poll_all(struct vip_nic *nic, sim_time turn);

// VipRecvNotify, VipSendNotify: `notify` is called once, in a thread of the library, with the
// oldest completed descriptor still on the queue, or with the next one. For queues without a
// completion queue.
void vip_recv_notify(struct cpu_context *context, struct vip_vi *vi, vip_notify_fn *notify,
                     void *owner);
void vip_send_notify(struct cpu_context *context, struct vip_vi *vi, vip_notify_fn *notify,
                     void *owner);

// A completion queue's entry names the VI and its work queue; the descriptor stays on that queue.
struct vip_cq_entry {
    struct vip_vi *vi;
    bool receive;
};

// VipCQDone: returns false if there is no entry.
bool vip_cq_done(struct cpu_context *context, struct vip_cq *cq, struct vip_cq_entry *entry);

// VipCQWait: like VipCQDone, but if there is no entry, the process goes to sleep (the caller
// returns CPU_SLEEP) and is woken by the interrupt that brings the next entry.
bool vip_cq_wait(struct cpu_context *context, struct vip_cq *cq, struct vip_cq_entry *entry);

// Bytes of the simulator's memory that a VI takes, with its places in the connection manager's
// tables; and a descriptor, with its entry of a completion queue.
int64_t vip_vi_footprint(void);
int64_t vip_descriptor_footprint(void);

// ---- The kernel agent of one network card ----

// Takes the card for VIA's EtherType. Free with vip_agent_free.
struct vip_agent *vip_agent_new(struct cluster *cluster, struct nic *nic,
                                const struct mvia_config *config);
void vip_agent_free(struct vip_agent *agent);

extern const struct machine_kind vip_vi_machine; // by enum vip_vi_state
const char *vip_vi_state_name(const struct vip_vi *vi);
const struct mvia_config *vip_config(const struct vip_nic *nic);
struct vip_agent *vip_nic_agent(const struct vip_nic *nic);
int vip_agent_station(const struct vip_agent *agent);

#endif
