// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of objects of equal size. It takes memory from the system in blocks and hands objects out
// from a free list, so that nothing is allocated per packet or request once the pool has grown to
// its peak. Under AddressSanitizer, free objects are poisoned and reused late.
#ifndef NETSIM_CORE_POOL_H
#define NETSIM_CORE_POOL_H

#include <stddef.h>

struct pool {
    size_t object_size; // including padding and guard
    void *free_list;
    void *blocks;
    size_t block_objects; // objects in the next block
    size_t in_use, peak, allocated;
};

// object_size >= sizeof(void *). Objects are aligned to 16 bytes, and those of a multiple of 64
// bytes to 64.
void pool_init(struct pool *pool, size_t object_size);

// Frees all blocks, including objects still in use.
void pool_clear(struct pool *pool);

// Returns an object with undefined content.
void *pool_take(struct pool *pool);

// Calls `visit` for each object in use, block by block, in an order that is the same in each run.
// It must not take or free any. Costs time and memory in proportion to the objects allocated, but
// none if no object is in use.
void pool_each(const struct pool *pool, void (*visit)(void *object, void *data), void *data);

// Frees an object of this pool. NULL is ignored.
void pool_give(struct pool *pool, void *object);

#endif
