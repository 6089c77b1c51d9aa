// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the VI provider's library (library.c), memory manager (registration.c), connection
// manager (connection.c) and device part (device.c). Consumers include vip.h only.
#ifndef NETSIM_MODELS_VIA_VIP_PROVIDER_H
#define NETSIM_MODELS_VIA_VIP_PROVIDER_H

#include "models/via/vip/frame.h"
#include "models/via/vip/vip.h"
#include "sim/core/fifo.h"

#include <glib.h>

struct vip_hole {
    int64_t from, to;
};

struct vip_region {
    bool registered;
    int64_t address, length;
    uint32_t ptag;
    GArray *holes; // struct vip_hole: pages that were unpinned with another region; NULL: none
    vip_watch_fn *watch;
    void *watch_owner;
};

struct vip_cq {
    struct vip_nic *nic;
    struct vip_cq_entry *entries; // a ring; grows by doubling
    guint head, tail, capacity;
    bool waiting; // the process sleeps on it
};

// The doorbell, in transit, of a receive descriptor that does not exist yet.
struct vip_posting {
    struct event event;
    struct vip_vi *vi;
};

struct vip_nic {
    struct vip_agent *agent;
    struct sim *sim;
    struct host *host;
    const struct mvia_config *config;
    const char *name; // of the process
    struct cpu_task *task;
    GArray *regions;      // struct vip_region, by handle - 1
    GArray *free_regions; // uint32_t
    int64_t pinned;       // bytes, counted in pages
    uint32_t last_ptag;
    GPtrArray *cqs; // struct vip_cq *
    vip_error_fn *error;
    void *error_owner;
    bool slept;                // the process was put to sleep and pays for waking up
    struct vip_vi *waiting_vi; // the process sleeps on this VI's queues
    bool waiting_polls;
    bool polls_all;       // it polls the queues of all its VIs instead
    sim_time poll_turn;   // of its loop
    struct pool postings; // struct vip_posting
    // The library's thread for notify functions.
    struct cpu_task notify_task;
    struct vip_descriptor_queue notified;
};

struct vip_agent {
    struct sim *sim;
    struct host *host;
    struct cluster *cluster;
    struct nic *nic;
    const struct mvia_config *config;
    GPtrArray *vis;        // struct vip_vi *, by number - 1
    struct pool contents;  // struct vip_content, of VIs that have received something
    GHashTable *asked;     // discriminators of VIs whose connection is under way or made
    GHashTable *unmatched; // discriminator -> source VI number: requests for which no VI here waits
                           // yet
    struct vip_descriptor_queue sending; // in the order of their doorbells
    struct vip_token room_token;         // of no descriptor: the card's ring has room again
    int64_t *frames_sent, *frames_received, *messages_broken;
};

static inline void descriptor_queue_push(struct vip_descriptor_queue *queue,
                                         struct vip_descriptor *descriptor)
{
    FIFO_APPEND(queue->head, queue->tail, descriptor, next);
    queue->count++;
}

static inline struct vip_descriptor *descriptor_queue_pop(struct vip_descriptor_queue *queue)
{
    struct vip_descriptor *descriptor = queue->head;
    if (descriptor) {
        queue->head = descriptor->next;
        queue->count--;
    }
    return descriptor;
}

// Charges a call from the library into the agent.
void vip_charge_trap(struct cpu_context *context, const struct vip_nic *nic);

extern const struct stage vip_agent_stage;    // the provider in the kernel
extern const struct stage vip_provider_stage; // its library

// library.c: completes a descriptor at the context's now; called from the interrupt handler.
void vip_complete(struct cpu_context *context, struct vip_descriptor *descriptor,
                  enum vip_status status);

// library.c: takes the next posted receive descriptor off its queue; returns NULL if none is
// posted.
struct vip_descriptor *vip_take_posted(struct vip_vi *vi);

// device.c: called when the doorbell of a send descriptor has reached the agent.
void vip_device_doorbell(struct vip_agent *agent, struct vip_descriptor *descriptor);

// device.c: sends a frame without payload now.
void vip_device_control(struct vip_agent *agent, int remote_station, const struct via_frame *frame);

// connection.c: initializes its part of a new VI.
void vip_connection_init(struct vip_vi *vi);

// connection.c: handles an incoming connection frame, in the interrupt handler.
void vip_connection_frame(struct cpu_context *context, struct vip_agent *agent,
                          const struct packet *packet, const struct via_frame *frame);

// registration.c
struct vip_region *vip_region(const struct vip_nic *nic, struct vip_mem_handle handle);

// The protection check for a transfer on this VI: vip_mem_valid holds, and VI and region have the
// same tag.
bool vip_vi_mem_valid(const struct vip_vi *vi, struct vip_mem_handle handle, int64_t address,
                      int64_t length);

// Puts the VI into its error state and notifies the consumer.
void vip_raise_error(struct vip_vi *vi, enum vip_error error, struct message_ref message);

// connection.c: the only change of a VI's state.
void vip_enter(struct vip_vi *vi, enum vip_vi_state state, sim_time when, const char *event);

#endif
