// SPDX-License-Identifier: GPL-3.0-or-later
// The VDMA handler (thesis 002, 2.2.2): one kernel thread per card. Processes hand it requests,
// which it makes into messages to the handlers of other cards and into slices of the card's VDMA
// engine. Handlers are connected pairwise, with credits for messages. Portals' extensions of it
// (5.2.2) are transfers of any alignment and length, and messages of a client's own.
//
// The thesis leaves open, and is read as follows: two CONNECTs that cross are both accepted; a
// CONNECT carries its sender's credit; of four channels one is kept for sending (handler_read.c);
// nothing interrupts the handler when a slice has been sent, but it polls if something waits for a
// channel or a buffer; a slice is as long as both page tables reach, and leaves at least as much as
// the engine can move.
//
// Not modelled: the protection of a process's memory against others, and the bookkeeping of
// several processes per card.
#ifndef NETSIM_MODELS_INTERCEPT_HANDLER_H
#define NETSIM_MODELS_INTERCEPT_HANDLER_H

#include "models/intercept/nic/nic.h"
#include "sim/core/stage.h"

struct vdma_handler;

// ---- Parameters ----

enum vdma_unaligned {
    VDMA_UNALIGNED_AUTO,   // as the client asks for it (vdma_handler_new)
    VDMA_UNALIGNED_REFUSE, // refused, as by the unmodified handler (2.2.2)
    VDMA_UNALIGNED_SPLIT,  // split, or copied at the sender (5.2.2)
};

struct vdma_handler_config {
    int64_t credits, credit_update; // messages
    int64_t ahead;                  // slices
    int64_t copy_buffers;           // of 1 MiB each
    int unaligned;                  // enum vdma_unaligned
    bool self_connect;
    int64_t header, get_bytes, put_bytes; // B
    struct cost request, message, handle, slice, complete;
};

extern const struct param_table vdma_handler_table;
extern const struct scenario_section vdma_sections[]; // "vdma_handler"

// ---- Transfers and messages ----

#define VDMA_CLIENT_BYTES 88 // of a client's own message, as the client keeps it

// A process's memory that is read or written over the network.
struct vdma_transfer {
    int peer;              // IUCA
    int64_t local, remote; // addresses
    int64_t bytes;
    struct message_ref message; // whose bytes are moved
    int64_t offset;             // of its first byte
    uint64_t key;               // the client's, passed back
};

// A message of the client's own between handlers, in its own types and numbers.
struct vdma_client_message {
    uint8_t type;
    uint32_t number;
    int64_t bytes;              // on the wire, besides the handler's header
    struct message_ref message; // on whose behalf, or MESSAGE_NONE
    unsigned char body[VDMA_CLIENT_BYTES];
};

// A client of the handler: a process over raw VDMA, or a NAL. All are called in the handler's
// thread, and each may be NULL if it never happens to this client. They may post.
struct vdma_client {
    // A connection that the client has asked for is there, from now on or already.
    void (*connected)(struct cpu_context *context, void *owner, int peer);
    // Another's write begins here; `peer` is the writer, `local` the address written to.
    void (*begins)(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer);
    // All slices of a read, and the reply with its unaligned ends, are in place.
    void (*read_done)(struct cpu_context *context, void *owner,
                      const struct vdma_transfer *transfer);
    // The DONE of a write has come.
    void (*write_done)(struct cpu_context *context, void *owner,
                       const struct vdma_transfer *transfer);
    // All bytes of another's write are in place here. Called before DONE is sent.
    void (*written)(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer);
    // The handler refuses to read or write this (vdma_refusal). Nothing is sent.
    void (*refused)(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer,
                    const char *reason);
    // A client's message (vdma_post_message) of another card has come.
    void (*message)(struct cpu_context *context, void *owner, int from,
                    const struct vdma_client_message *message);
    // Name of such a message's type, for traces; static.
    const char *(*message_name)(uint8_t type);
};

// The handler of a host's card; it opens VNIC 15 and the VDMA engine. `extended`: with Portals'
// extensions, unless the parameters choose otherwise. The card reports the bytes of slices to the
// ledger, the handler those in EXT_REPLY messages. Must be freed with vdma_handler_free before the
// cluster.
struct vdma_handler *vdma_handler_new(struct cluster *cluster, int host,
                                      const struct vdma_handler_config *config, bool extended);
void vdma_handler_free(struct vdma_handler *handler);
void vdma_handler_set_client(struct vdma_handler *handler, const struct vdma_client *client,
                             void *owner);

// ---- Requests ----

// Appends a request and wakes the thread (ioctl). The caller charges its system call.
void vdma_post_connect(struct cpu_context *context, struct vdma_handler *handler, int peer);
void vdma_post_read(struct cpu_context *context, struct vdma_handler *handler,
                    const struct vdma_transfer *transfer);
void vdma_post_write(struct cpu_context *context, struct vdma_handler *handler,
                     const struct vdma_transfer *transfer);

void vdma_post_message(struct cpu_context *context, struct vdma_handler *handler, int peer,
                       const struct vdma_client_message *message);

// ---- State ----

bool vdma_connected(const struct vdma_handler *handler, int peer);

// Why an unmodified handler refuses such a transfer, as a static text; NULL: it does not.
const char *vdma_refusal(const struct vdma_transfer *transfer);

// Describes the wait of the client's transfer with that key: "the DONE of write 1 from node1". The
// caller frees it. NULL: the handler has not begun with it, or is done with it.
char *vdma_transfer_waits(const struct vdma_handler *handler, uint64_t key);

// Describes the handler's waits: "2047 of 2048 packets of slice 3 (channel 1) from node1". Several
// are separated by "; ". NULL: none. The caller frees it.
char *vdma_handler_waits(const struct vdma_handler *handler);

#endif
