// SPDX-License-Identifier: GPL-3.0-or-later
// The VI provider of the tests' world (world.h): its NIC is opened on each host, with a process
// that a test controls, and without any library on top.
//
// The functions that end in `_done` and via_connect run the simulation; the others only add jobs.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_VIA_H
#define NETSIM_TESTS_SUPPORT_WORLD_VIA_H

#include "models/via/vip/vip.h"
#include "tests/support/world.h"

// An asynchronous error as the consumer saw it.
struct via_error {
    struct vip_vi *vi;
    enum vip_error error;
    struct message_ref message;
};

// A placement in the node's memory, and when its interrupt handler began.
struct via_placement {
    struct vip_placement what;
    sim_time when;
};

struct via_node {
    struct world_process process;
    struct host *host;
    struct vip_agent *agent;
    struct vip_nic *nic;
    GArray *errors;     // struct via_error
    GArray *placements; // struct via_placement: of RDMA writes into its memory
    // Once set up:
    uint32_t ptag;
    struct vip_mem_handle memory; // VIA_BYTES at VIA_ADDRESS
    struct vip_cq *cq;            // of both queues of the VI, if asked for
    struct vip_vi *vi;
};

// A descriptor, and what came of posting it.
struct via_transfer {
    struct vip_descriptor descriptor;
    struct via_node *node;
    struct vip_vi *vi;
    bool posted;         // vip_post_send's answer
    sim_time begun, end; // of the posting
};

#define VIA_ADDRESS INT64_C(0x10000000)
#define VIA_BYTES (INT64_C(256) << 10)
#define VIA_DISCRIMINATOR 77

struct via_node *via_node(const struct world *world, int number);

// Nodes 0 and 1 register their memory, create a VI each and connect. With `queue` their VIs have a
// completion queue.
void via_connect(struct world *world, bool queue);

// Only memory and VI.
void via_set_up(struct via_node *node, bool queue);

// Jobs: via_request_job asks node `argument` (a struct via_node *) for a connection of the two VIs,
// via_wait_job waits for it.
bool via_request_job(struct cpu_context *context, void *process, void *argument);
bool via_wait_job(struct cpu_context *context, void *process, void *argument);
bool via_disconnect_job(struct cpu_context *context, void *process, void *argument);

// A transfer to be posted with via_post, for changing it before: a receive of up to `length` bytes
// at `offset` of the node's memory, a send, or an RDMA write to `remote` in the other's memory. The
// last two carry a message of `length` bytes.
struct via_transfer *via_new_receive(struct via_node *node, int64_t offset, int64_t length);
struct via_transfer *via_new_send(struct via_node *node, int64_t offset, int64_t length);
struct via_transfer *via_new_write(struct via_node *node, int64_t offset, int64_t length,
                                   int64_t remote);
void via_post(struct via_transfer *transfer);

// Both at once.
struct via_transfer *via_receive(struct via_node *node, int64_t offset, int64_t length);
struct via_transfer *via_send(struct via_node *node, int64_t offset, int64_t length);
struct via_transfer *via_write(struct via_node *node, int64_t offset, int64_t length,
                               int64_t remote);

// VipRecvDone and VipSendDone of the node's VI, after all that is under way has happened. A
// received message is closed in the ledger.
struct vip_descriptor *via_receive_done(struct via_node *node);
struct vip_descriptor *via_send_done(struct via_node *node);

#endif
