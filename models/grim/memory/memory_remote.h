// SPDX-License-Identifier: GPL-3.0-or-later
// Remote memory at the card (thesis 003, 4.5): the firmware's handling of RM-V and RM-P writes,
// RM-RV reads and their replies, as interfaces of the card (ni.h).
//
// A message names virtual addresses (RM-P: a physical one), which the card translates by its cache.
// If a translation is missing, the card writes a request into the kernel's memory and interrupts;
// the driver's service routine translates and writes the answer to the card. The message waits for
// that in its buffer. The thesis does not say what happens to others meanwhile. Here later messages
// from the same endpoint are refused, as if there were no room for them, and sent again, so that
// their order is kept; messages of other endpoints proceed.
//
// All DMAs of a message are started before the next message is handled. The card's host engine
// executes them one after the other: hence memory changes in the order in which messages were
// taken, and a word of notification is written after the data.
//
// A reply goes through the message queue of the channel that is read from; a read is refused if
// that queue has no room for its reply. Hence endpoints that read from each other while their
// queues, or their windows of messages under way, are full can deadlock; the card reports it, the
// thesis does not mention it. A larger grim_ni.queue or grim.part avoids it.
//
// Not modelled: protection (a process that knows a physical address may write there, as in GRIM),
// atomicity beyond a word, a DMA set-up that waits for the end of the previous DMA.
#ifndef NETSIM_MODELS_GRIM_MEMORY_MEMORY_REMOTE_H
#define NETSIM_MODELS_GRIM_MEMORY_MEMORY_REMOTE_H

#include "models/grim/memory/memory.h"
#include "models/grim/ni/ni.h"

// ---- Arguments of the messages ----

// A write: its destination, the word to write after the data (0: none) and its value.
struct grim_write_arguments {
    uint32_t address, word, value;
    bool last; // of the messages that carry the transfer
};

// A read: its source, its destination at the requester, its length, and the word to set to zero
// after it.
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

// A word of notification has just been written into the memory of `endpoint` (called in that
// event). content: the message's; for a read's reply that of the read.
typedef void grim_notified_fn(void *owner, uint16_t endpoint, const void *content);

// Registers the interfaces with the fabric. The configuration must outlive the result. Free with
// grim_remote_free, before the fabric.
struct grim_remote *grim_remote_new(struct cluster *cluster, struct grim_fabric *fabric,
                                    const struct grim_memory_config *config,
                                    grim_notified_fn *notified, void *owner);
void grim_remote_free(struct grim_remote *remote);

// The registered memory of a host.
struct grim_memory *grim_remote_memory(const struct grim_remote *remote, int host);

// The library writes the static entries for a contiguous block of the channel's endpoint, as far as
// there is room for them, as words written to the card.
void grim_remote_program(struct cpu_context *context, struct grim_remote *remote,
                         const struct grim_channel *channel, const struct grim_block *block);

// Removes all entries of a block from the card's cache.
void grim_remote_forget(struct cpu_context *context, struct grim_remote *remote,
                        const struct grim_channel *channel, const struct grim_block *block);

#endif
