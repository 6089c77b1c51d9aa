// SPDX-License-Identifier: GPL-3.0-or-later
// The registration cache of the VIA RPI (thesis 000, 4.6.3): memory areas stay registered after use
// and are found again by interval; when no more may be pinned, the least recently used area without
// references is deregistered.
//
// The tree is a balanced (AVL) one ordered by the thesis's three-way comparison, under which areas
// that overlap are equal; as an overlapped area is always removed before the new one enters, the
// areas in the tree are disjoint. The structures that the thesis weighed against it are variants: a
// hash table of start addresses, and that table in front of the tree. Each search is charged per
// element that it visits. Not modelled: the costs of inserting and removing, and processor caches
// too small for a large structure.
#ifndef NETSIM_MODELS_VIA_LAM_VIA_PIN_CACHE_H
#define NETSIM_MODELS_VIA_LAM_VIA_PIN_CACHE_H

#include "models/via/vip/vip.h"

#include <glib.h>

// A registered area: the thesis's struct lrulist_entry with its struct key.
struct pin_area {
    int64_t address, end; // half open
    struct vip_mem_handle handle;
    int refcount;           // requests that use it
    bool lru_ok;            // may be removed by age
    GList lru;              // its link, data: the area
    struct pin_area *chain; // next in its bucket of the table
};

struct pin_cache;

struct pin_cache_stats {
    int64_t hits, registrations, evictions, replacements, refusals;
};

enum pin_structure {
    PIN_AVL,
    PIN_HASH,   // finds areas by their start address; all others by walking through the list
    PIN_HYBRID, // the table, then the tree if the table has no match
};

// The cache's structure and the costs of a search.
struct pin_search {
    int structure;       // enum pin_structure
    struct cost lookup;  // per search
    struct cost compare; // per area compared: a node of the tree, an area of the list
    struct cost hash;    // per address
    struct cost probe;   // per entry in a chain of the table
    int64_t buckets;     // of the table
};

// Returns -1, 0 or 1: a lies below, overlaps or lies above b.
int pin_area_compare(const struct pin_area *a, const struct pin_area *b);

// Free with pin_cache_free.
struct pin_cache *pin_cache_new(struct vip_nic *nic, uint32_t ptag, const struct pin_search *search,
                                const char *where);
void pin_cache_free(struct pin_cache *cache);

// Returns the area that holds [address, address + bytes) with one more reference, and registers it
// first if needed. Returns NULL if it cannot be pinned now, because an overlapped area or all
// pinnable memory is in use.
struct pin_area *pin_cache_acquire(struct cpu_context *context, struct pin_cache *cache,
                                   int64_t address, int64_t bytes);

// Drops a reference. The area stays registered (lazy deregistration).
void pin_cache_release(struct cpu_context *context, struct pin_cache *cache, struct pin_area *area);

// Deregisters the least recently used area without references; returns false if there is none. For
// other users of pinned memory.
bool pin_cache_evict(struct cpu_context *context, struct pin_cache *cache);

struct pin_cache_stats pin_cache_stats(const struct pin_cache *cache);
int pin_cache_areas(const struct pin_cache *cache);

#endif
