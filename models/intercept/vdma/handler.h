// SPDX-License-Identifier: GPL-3.0-or-later
// The VDMA handler (thesis 002, 2.2.2): one kernel thread per card. Processes hand it requests,
// which it makes into messages to the handlers of other cards and into slices of the card's VDMA
// engine. Handlers are connected pairwise, with credits for messages. Portals' extensions of it
// (5.2.2) are its alignment, and messages of a client's own.
#ifndef NETSIM_MODELS_INTERCEPT_HANDLER_H
#define NETSIM_MODELS_INTERCEPT_HANDLER_H

#include "models/intercept/nic/nic.h"
#include "sim/core/stage.h"

struct vdma_handler;
struct vdma_handler_config; // section "vdma_handler"

#define VDMA_CLIENT_BYTES 80 // of a client's own message, as the client keeps it

// A process's memory that is read or written over the network.
struct vdma_transfer {
    int peer;              // IUCA
    int64_t local, remote; // addresses
    int64_t bytes;
    struct message_ref message; // whose bytes are moved
    int64_t offset;             // of its first byte
    uint64_t key;               // the client's, passed back
};

// A client of the handler: a process over raw VDMA, or a NAL. All are called in the handler's
// thread.
struct vdma_client {
    // All slices of a read, and the reply with its unaligned ends, are in place.
    void (*read_done)(struct cpu_context *context, void *owner,
                      const struct vdma_transfer *transfer);
    // The DONE of a write has come.
    void (*write_done)(struct cpu_context *context, void *owner, uint64_t key);
    // A client's message (vdma_post_message) of another card has come.
    void (*message)(struct cpu_context *context, void *owner, int from, const void *body);
};

// The handler of a host's card; it opens VNIC 15 and the VDMA engine.
struct vdma_handler *vdma_handler_new(struct cluster *cluster, int host,
                                      const struct vdma_handler_config *config);
void vdma_handler_free(struct vdma_handler *handler);
void vdma_handler_set_client(struct vdma_handler *handler, const struct vdma_client *client,
                             void *owner);

// Appends a request and wakes the thread (ioctl). The caller charges its system call.
void vdma_post_connect(struct cpu_context *context, struct vdma_handler *handler, int peer);
void vdma_post_read(struct cpu_context *context, struct vdma_handler *handler,
                    const struct vdma_transfer *transfer);
void vdma_post_write(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_transfer *transfer);
// A message of the client's own of `bytes` on the wire; `body` has VDMA_CLIENT_BYTES.
void vdma_post_message(struct cpu_context *context, struct vdma_handler *handler, int peer,
                       int64_t bytes, const void *body);

bool vdma_connected(const struct vdma_handler *handler, int peer);

#endif
