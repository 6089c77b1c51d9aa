// SPDX-License-Identifier: GPL-3.0-or-later
// The registration cache of the VIA RPI (thesis 000, 4.6.3): memory areas stay registered after use
// and are found again by interval; when no more may be pinned, the least recently used area that
// nobody needs goes.
//
// The tree is a balanced (AVL) one ordered by the thesis's three-way comparison, under which areas
// that overlap are equal; as an overlapped area is always removed before the new one enters, the
// areas in the tree are disjoint. The structures that the thesis weighed against it are variants: a
// hash table of start addresses, and that in front of the tree. Each search is charged by what it
// looks at. Not modelled: what inserting and removing costs in them, caches that a large structure
// does not fit into.
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
    PIN_HASH,   // finds what starts at the same address; anything else by walking through all areas
    PIN_HYBRID, // the table, and if it has nothing, the tree
};

// The cache's structure and what searching costs.
struct pin_search {
    int structure;       // enum pin_structure
    struct cost lookup;  // of a search, whatever it looks at
    struct cost compare; // of two areas: a node of the tree, an area of the list
    struct cost hash;    // of an address
    struct cost probe;   // of an entry in a chain of the table
    int64_t buckets;     // of the table
};

// -1, 0, 1: a lies below, overlaps, lies above b.
int pin_area_compare(const struct pin_area *a, const struct pin_area *b);

// Free with pin_cache_free.
struct pin_cache *pin_cache_new(struct vip_nic *nic, uint32_t ptag, const struct pin_search *search,
                                const char *where);
void pin_cache_free(struct pin_cache *cache);

// The area that holds [address, address + bytes), registered now if it is not yet, with one more
// reference. NULL: it can't be pinned now, because an overlapped area is in use, or all pinnable
// memory is.
struct pin_area *pin_cache_acquire(struct cpu_context *context, struct pin_cache *cache,
                                   int64_t address, int64_t bytes);

// Takes a reference back. The area stays registered (lazy deregistration).
void pin_cache_release(struct cpu_context *context, struct pin_cache *cache, struct pin_area *area);

// Deregisters the least recently used area that nobody needs; false if there is none. For others
// who need pinned memory.
bool pin_cache_evict(struct cpu_context *context, struct pin_cache *cache);

struct pin_cache_stats pin_cache_stats(const struct pin_cache *cache);
int pin_cache_areas(const struct pin_cache *cache);

#endif
