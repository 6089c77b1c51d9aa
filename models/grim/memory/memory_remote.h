// SPDX-License-Identifier: GPL-3.0-or-later
// Remote memory at the card (thesis 003, 4.5): what the firmware does with RM-V and RM-P writes,
// RM-RV reads and their replies, as interfaces of the card (ni.h).
//
// A message names virtual addresses (RM-P: a physical one), which the card translates by its cache.
// If a translation is missing, the card writes a request into the kernel's memory and interrupts;
// the driver's service routine translates and writes the answer to the card. The message waits for
// that in its buffer. The thesis does not say what becomes of others meanwhile. Here what comes
// behind it from the same endpoint is refused like what finds no room, and comes again, so that it
// keeps its order; messages of other endpoints go on.
//
// All DMAs of a message are started before the next message is looked at. The card's host engine
// moves one thing after the other: hence memory changes in the order in which messages were taken,
// and a word of notification is written behind the data.
//
// A reply goes through the message queue of the channel that is read from; a read that finds no
// room for it there is refused. Hence endpoints that read from each other while their queues are
// full, or their windows of messages on the way, can wait for each other for ever, which the card's
// report names; the thesis does not speak of that. More grim_ni.queue or grim.part avoids it.
//
// Not modelled: protection (who knows a physical address may write there, as in GRIM), atomicity
// beyond a word, a set-up of one DMA that waits for the end of the one before.
#ifndef NETSIM_MODELS_GRIM_MEMORY_MEMORY_REMOTE_H
#define NETSIM_MODELS_GRIM_MEMORY_MEMORY_REMOTE_H

#include "models/grim/memory/memory.h"
#include "models/grim/ni/ni.h"

// ---- Arguments of the messages ----

// A write: where to, which word to write behind the data (0: none) and what into it.
struct grim_write_arguments {
    uint32_t address, word, value;
    bool last; // of the messages that carry the transfer
};

// A read: from where, to where at the requester, how much, which word to set to zero behind it.
struct grim_read_arguments {
    uint32_t address, local, length, word;
    bool last;
};

void grim_pack_write(struct grim_message *message, const struct grim_write_arguments *arguments);
struct grim_write_arguments grim_write_of(const struct grim_message *message);
void grim_pack_read(struct grim_message *message, const struct grim_read_arguments *arguments);
struct grim_read_arguments grim_read_of(const struct grim_message *message);

// ---- The units ----

struct grim_remote; // the remote memory units of all cards

// A word of notification has been written into the memory of `endpoint`, in the event in which that
// is so. content: of the message; of a read's reply the read's.
typedef void grim_notified_fn(void *owner, uint16_t endpoint, const void *content);

// Sets the interfaces of the fabric. The configuration must outlive it. Free with grim_remote_free,
// before the fabric.
struct grim_remote *grim_remote_new(struct cluster *cluster, struct grim_fabric *fabric,
                                    const struct grim_memory_config *config,
                                    grim_notified_fn *notified, void *owner);
void grim_remote_free(struct grim_remote *remote);

// The registered memory of a host.
struct grim_memory *grim_remote_memory(const struct grim_remote *remote, int host);

// The library programs the static entries for a contiguous block of the channel's endpoint, as far
// as there is room for them: words written to the card.
void grim_remote_program(struct cpu_context *context, struct grim_remote *remote,
                         const struct grim_channel *channel, const struct grim_block *block);

// Takes what the card knows of a block out of its cache.
void grim_remote_forget(struct cpu_context *context, struct grim_remote *remote,
                        const struct grim_channel *channel, const struct grim_block *block);

#endif
