// SPDX-License-Identifier: GPL-3.0-or-later
// Registered memory of a host, and its card's cache of translations (thesis 003, 4.5.1 and 4.5.2).
//
// A block is either contiguous in physical memory, in regions that the kernel's manager of pinned
// memory keeps and a separate driver gives to any process; or it is the process's own memory,
// pinned page by page by a system call. The card reaches the first kind with one DMA, the second
// page by page.
//
// Not modelled: how the operating system gets contiguous regions when it boots, protection between
// the processes of a host, the coherence of caches with DMA.
#ifndef NETSIM_MODELS_GRIM_MEMORY_MEMORY_H
#define NETSIM_MODELS_GRIM_MEMORY_MEMORY_H

#include "sim/config/param.h"
#include "sim/host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum grim_registration { GRIM_CONTIGUOUS, GRIM_PAGED };

struct grim_memory_config {
    int64_t arena;    // bytes
    int registration; // enum grim_registration: of what programs register
    int64_t region;   // bytes
    int64_t regions;  // per host
    struct cost map;
    int order; // enum grim_order
    // The card's cache of translations.
    int64_t static_entries, dynamic_entries;
    int64_t entry_ranges;
    struct cost look;  // LANai
    struct cost start; // LANai
    struct cost piece; // LANai
    struct cost word;  // LANai
    struct cost ask;   // LANai
    struct cost enter; // LANai
    int64_t request;   // bytes
    struct cost translate;
    struct cost translate_range;
};

enum grim_order {
    GRIM_RELAXED, // the card executes remote memory messages as they come
    GRIM_STRICT,  // only after the endpoint has handled its waiting active messages
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
    GRIM_OVERLAP,   // a part of it is already registered
};

// Registers the pages of [address, address + bytes), bytes > 0, for an endpoint. The memory owns
// *block, which is valid until the next registration or deregistration.
enum grim_memory_result grim_memory_register(struct grim_memory *memory, int endpoint,
                                             enum grim_registration kind, int64_t address,
                                             int64_t bytes, const struct grim_block **block);

// The caller's cost of registering (deregistering) the block: the call, and the pinning of each
// page or the mapping of each region.
sim_time grim_memory_register_cost(const struct host *host, const struct grim_memory_config *config,
                                   const struct grim_block *block);
sim_time grim_memory_deregister_cost(const struct host *host, const struct grim_block *block);

// Removes the block that begins at `address` and stores it in *block. Returns false if there is
// none.
bool grim_memory_deregister(struct grim_memory *memory, int endpoint, int64_t address,
                            struct grim_block *block);

// The endpoint's block that contains this address, or NULL.
const struct grim_block *grim_memory_find(const struct grim_memory *memory, int endpoint,
                                          int64_t address);

// Whether [physical, physical + bytes) is one range of memory registered by any endpoint.
bool grim_memory_has(const struct grim_memory *memory, int64_t physical, int64_t bytes);

// The physical address of a byte of the block; stores how many bytes from there are contiguous.
int64_t grim_block_physical(const struct grim_block *block, int64_t address, int64_t *contiguous);

// The number of pieces of the block.
int64_t grim_block_pieces(const struct grim_block *block);

// ---- Translations ----

// A row of the card's cache: a window of a block and its physical ranges, `piece` bytes each.
struct grim_translation {
    int endpoint;
    int64_t address, bytes; // of the window
    int64_t piece;
};

// The kernel's answer for an address of the block: at most `ranges` physical ranges.
struct grim_translation grim_block_translation(const struct grim_block *block, int64_t address,
                                               int64_t ranges);

// Bytes from `address` on within one physical range.
int64_t grim_translation_run(const struct grim_translation *translation, int64_t address);

struct grim_cache;

struct grim_cache *grim_cache_new(int64_t static_entries, int64_t dynamic_entries);
void grim_cache_free(struct grim_cache *cache);

// Adds a static entry, which stays until it is removed. Returns false if there is no room for one.
bool grim_cache_add_static(struct grim_cache *cache, const struct grim_translation *translation);

// Adds a dynamic entry. If there is no room, it replaces the least recently used one, which is
// stored in *evicted (endpoint -1: none).
void grim_cache_add_dynamic(struct grim_cache *cache, const struct grim_translation *translation,
                            struct grim_translation *evicted);

// Returns the entry that contains this address, which counts as a use, or NULL if there is none.
// *looked: how many entries were checked, static ones first.
const struct grim_translation *grim_cache_find(struct grim_cache *cache, int endpoint,
                                               int64_t address, int64_t *looked);

// Removes all entries that overlap [address, address + bytes) of the endpoint. Returns how many of
// them were static.
int64_t grim_cache_remove(struct grim_cache *cache, int endpoint, int64_t address, int64_t bytes);

#endif
