// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory of a host, and the cache of translations that its card keeps (thesis 003, 4.5.1
// and 4.5.2).
//
// A block is contiguous in physical memory: regions that the kernel's manager of pinned memory
// keeps and a driver of its own gives to any process. Or it is the process's own memory, pinned
// page by page by a system call. The card reaches the first with one DMA, the second page by page.
//
// Not modelled: what the operating system does to get contiguous regions when it starts, protection
// between the processes of a host, the coherence of caches with DMA.
#ifndef NETSIM_MODELS_GRIM_MEMORY_MEMORY_H
#define NETSIM_MODELS_GRIM_MEMORY_MEMORY_H

#include "sim/config/param.h"
#include "sim/host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum grim_registration { GRIM_CONTIGUOUS, GRIM_PAGED };

struct grim_memory_config {
    int64_t arena;    // bytes of each kind that every endpoint has registered at the start
    int registration; // enum grim_registration: of what programs register
    int64_t region;   // bytes that the kernel's manager has in one piece
    int64_t regions;  // of a host
    struct cost map;  // giving one region to a process
    int order;        // enum grim_order
    // The card's cache of translations.
    int64_t static_entries, dynamic_entries;
    int64_t entry_ranges;        // physical ranges that one entry can hold
    struct cost look;            // at one entry; LANai
    struct cost start;           // of a remote memory message at the card; LANai
    struct cost piece;           // setting up the DMA of one physical range; LANai
    struct cost word;            // setting up a notification; LANai
    struct cost ask;             // building a request to the kernel, raising the interrupt; LANai
    struct cost enter;           // entering what the kernel has answered; LANai
    int64_t request;             // bytes that a request puts into the kernel's memory
    struct cost translate;       // of the interrupt service routine: finding the block
    struct cost translate_range; // one physical range of it
};

enum grim_order {
    GRIM_RELAXED, // the card executes remote memory messages as they come
    GRIM_STRICT,  // not before the endpoint has no active messages waiting
};

extern const struct param_table grim_memory_table;

// ---- Blocks ----

struct grim_block {
    int endpoint;
    enum grim_registration kind;
    int64_t address, bytes; // virtual; both whole pages
    int64_t piece;          // bytes that are contiguous in physical memory: a page, or a region
    int64_t physical;       // of the first piece
    int64_t stride;         // from one piece to the next, physical
};

// The registered memory of a host.
struct grim_memory;

// Both configurations must outlive it. Free with grim_memory_free.
struct grim_memory *grim_memory_new(const struct memory_config *host,
                                    const struct grim_memory_config *config);
void grim_memory_free(struct grim_memory *memory);

enum grim_memory_result {
    GRIM_REGISTERED,
    GRIM_NO_REGION, // the kernel's manager has no region left
    GRIM_PIN_LIMIT, // the process may not pin that much
    GRIM_OVERLAP,   // a part of it is registered already
};

// Registers the pages of [address, address + bytes), bytes > 0, for an endpoint. *block stays the
// memory's; it is valid until something is registered or deregistered.
enum grim_memory_result grim_memory_register(struct grim_memory *memory, int endpoint,
                                             enum grim_registration kind, int64_t address,
                                             int64_t bytes, const struct grim_block **block);

// What registering (deregistering) the block costs the caller: the call, and the pinning of each
// page or the mapping of each region.
sim_time grim_memory_register_cost(const struct host *host, const struct grim_memory_config *config,
                                   const struct grim_block *block);
sim_time grim_memory_deregister_cost(const struct host *host, const struct grim_block *block);

// Takes the block that begins at `address` out; *block is what it was. False: there is none.
bool grim_memory_deregister(struct grim_memory *memory, int endpoint, int64_t address,
                            struct grim_block *block);

// The endpoint's block with this address, or NULL.
const struct grim_block *grim_memory_find(const struct grim_memory *memory, int endpoint,
                                          int64_t address);

// Whether [physical, physical + bytes) is one range of registered memory, whoever's.
bool grim_memory_has(const struct grim_memory *memory, int64_t physical, int64_t bytes);

// The physical address of a byte of the block, and how many bytes from there on are contiguous.
int64_t grim_block_physical(const struct grim_block *block, int64_t address, int64_t *contiguous);

// Pieces of the block.
int64_t grim_block_pieces(const struct grim_block *block);

// ---- Translations ----

// A row of the card's cache: a window of a block and its physical ranges, `piece` bytes each.
struct grim_translation {
    int endpoint;
    int64_t address, bytes; // of the window
    int64_t piece;
};

// What the kernel answers for an address of the block: at most `ranges` physical ranges.
struct grim_translation grim_block_translation(const struct grim_block *block, int64_t address,
                                               int64_t ranges);

// Bytes from `address` on that lie in one physical range.
int64_t grim_translation_run(const struct grim_translation *translation, int64_t address);

struct grim_cache;

struct grim_cache *grim_cache_new(int64_t static_entries, int64_t dynamic_entries);
void grim_cache_free(struct grim_cache *cache);

// A static entry, which stays until it is removed; false if there is no room for one.
bool grim_cache_add_static(struct grim_cache *cache, const struct grim_translation *translation);

// A dynamic one; if there is no room it takes the place of the one used longest ago, and *evicted
// is that (endpoint -1: none was).
void grim_cache_add_dynamic(struct grim_cache *cache, const struct grim_translation *translation,
                            struct grim_translation *evicted);

// The entry with this address, which counts as a use; NULL if there is none. *looked: entries that
// were looked at, static ones first.
const struct grim_translation *grim_cache_find(struct grim_cache *cache, int endpoint,
                                               int64_t address, int64_t *looked);

// Removes all entries that overlap [address, address + bytes) of the endpoint. Returns how many of
// them were static.
int64_t grim_cache_remove(struct grim_cache *cache, int endpoint, int64_t address, int64_t bytes);

#endif
