// SPDX-License-Identifier: GPL-3.0-or-later
// Inside the remote memory units: shared by memory_remote.c and memory_translate.c.
#ifndef NETSIM_MODELS_GRIM_MEMORY_MEMORY_INTERNAL_H
#define NETSIM_MODELS_GRIM_MEMORY_MEMORY_INTERNAL_H

#include "models/grim/memory/memory_remote.h"
#include "sim/core/machine.h"
#include "sim/core/pool.h"

#include <glib.h>

// The stages of a missing translation, for which a message waits.
enum grim_translating {
    GRIM_TRANSLATED, // nothing
    GRIM_ASKING,     // the request is under way into the kernel's memory
    GRIM_ASKED,      // the interrupt is raised
    GRIM_ANSWERING,  // the answer is under way to the card
};

// From one endpoint to another: messages of a path are in order, so that only one can be waiting.
struct grim_way {
    struct grim_unit *unit;
    uint16_t source, destination;
    struct machine machine; // enum grim_translating
    // The waiting message; all others of the path are refused meanwhile.
    struct grim_arrival *held;
    // The kernel's answers for it, which the cache may have displaced before all have come; empty
    // when nothing waits.
    GArray *granted;       // struct grim_translation
    int64_t address;       // asked for
    const char *operation; // static: the operation that asks, for reports
    struct lanai_transfer request;
    struct grim_translation answer;
    struct grim_post post;
    struct grim_way *next;    // in the kernel's queue
    struct grim_entry *reply; // of a read: its place in the channel's queue, between accept and
                              // deliver
};

struct grim_unit { // of one card
    struct grim_remote *remote;
    struct grim_ni *ni;
    struct host *host;
    struct grim_memory *memory;
    struct grim_cache *cache;
    int64_t static_used;
    GHashTable *ways;                    // source and destination -> struct grim_way *
    struct cpu_task service;             // the driver's interrupt service routine
    struct grim_way *asked, *asked_last; // requests in the kernel's memory
    int held;                            // messages that wait for translations
    struct pool pieces, posts;
};

struct grim_remote {
    const struct grim_memory_config *config;
    struct grim_fabric *fabric;
    struct sim *sim;
    int hosts;
    struct grim_unit *units; // by host
    grim_notified_fn *notified;
    void *owner;
    int64_t *misses, *hits, *interrupts, *evictions, *peripheral; // counters
};

// The progress of a message of remote memory; kept in its arrival's notes.
enum grim_remote_state {
    GRIM_REMOTE_TAKEN,
    GRIM_REMOTE_TRANSLATING, // lacks a translation
    GRIM_REMOTE_FETCHING,    // a read
    GRIM_REMOTE_REPLIED,
    GRIM_REMOTE_STORING, // a write, or the reply to a read
    GRIM_REMOTE_DONE,
};

extern const struct machine_kind grim_translation_machine; // by enum grim_translating
extern const struct machine_kind grim_remote_machine;      // by enum grim_remote_state

// The reply to a read.
void grim_pack_reply(struct grim_message *reply, const struct grim_message *read);

struct grim_unit *grim_unit_of(const struct grim_remote *remote,
                               const struct grim_channel *channel);
struct grim_way *grim_way_of(struct grim_unit *unit, uint16_t source, uint16_t destination);

// memory_translate.c

void grim_translate_init(struct grim_unit *unit);

// The translation of an address of the path's destination, from the granted ranges or from the
// cache; charges the entries that are checked. Returns NULL if it is missing.
const struct grim_translation *grim_translate(struct cpu_context *context, struct grim_way *way,
                                              int64_t address);

// Resumes the waiting message, in a handler of the firmware: memory_remote.c.
void grim_way_resume(struct cpu_context *context, struct grim_way *way);

// Whether all of [address, address + bytes) can be translated; if not, asks for the first missing
// part. `operation` (static) names the message.
bool grim_translates(struct cpu_context *context, struct grim_way *way, int64_t address,
                     int64_t bytes, const char *operation);

#endif
