// SPDX-License-Identifier: GPL-3.0-or-later
// Under AddressSanitizer a free object is poisoned as a whole and reused late, so that a read after
// pool_give is reported. Its link to other objects is then in a guard after the object, which also
// exposes writes past its end.
#include "sim/core/pool.h"

#include "sim/core/huge.h"
#include "sim/core/poison.h"

#include <glib.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define FIRST_BLOCK 16
#define LARGEST_BLOCK 4096            // objects of one block; but of a large pool a quarter, up to
#define LARGE_BLOCK ((size_t)4 << 20) // bytes
#define POOL_CACHE_LINE 64

struct pool_block {
    struct pool_block *next;
    size_t count; // of objects
    size_t first; // pool_each: objects in the blocks before this one
    alignas(POOL_CACHE_LINE) char objects[];
};

struct free_object {
    struct free_object *next;
};

// ---- The list of free objects ----

#if POISONS

#include <string.h>

// After each object; at most as large as its alignment.
#define GUARD POOL_CACHE_LINE

// An object is not handed out again before this many others have been freed.
#define QUARANTINE 128

// Fills an object that is handed out: neither a valid pointer nor a small number.
#define UNSET 0xd7

static void *object_bytes(const struct pool *pool, struct free_object *link)
{
    return (char *)link + GUARD - pool->object_size;
}

static struct free_object *object_link(const struct pool *pool, void *object)
{
    return (void *)((char *)object + pool->object_size - GUARD);
}

// The list is a ring, and pool->free_list its last; so it is first in, first out.
static void free_push(struct pool *pool, void *object)
{
    struct free_object *link = object_link(pool, object), *last = pool->free_list;
    unpoison(link, sizeof *link);
    link->next = link;
    if (last) {
        unpoison(last, sizeof *last);
        link->next = last->next;
        last->next = link;
        poison(last, sizeof *last);
    }
    pool->free_list = link;
    poison(object, pool->object_size);
}

static void *free_pop(struct pool *pool)
{
    struct free_object *last = pool->free_list;
    unpoison(last, sizeof *last);
    struct free_object *first = last->next;
    unpoison(first, sizeof *first);
    pool->free_list = first == last ? NULL : last;
    last->next = first->next;
    poison(last, sizeof *last);
    poison(first, sizeof *first);
    void *object = object_bytes(pool, first);
    unpoison(object, pool->object_size - GUARD);
    memset(object, UNSET, pool->object_size - GUARD);
    return object;
}

// Returns the next free object after `link`, or the first if it is NULL; NULL after the last.
static struct free_object *free_next(const struct pool *pool, struct free_object *link)
{
    struct free_object *from = link ? link : pool->free_list;
    if (!from || (link && link == pool->free_list))
        return NULL;
    unpoison(from, sizeof *from);
    struct free_object *next = from->next;
    poison(from, sizeof *from);
    return next;
}

static bool free_short(const struct pool *pool)
{
    return pool->allocated - pool->in_use <= QUARANTINE;
}

// AddressSanitizer reports here an object that was freed twice.
static void object_touch(void *object)
{
    (void)*(volatile char *)object;
}

#else

#define GUARD 0

static void *object_bytes(const struct pool *pool, struct free_object *link)
{
    (void)pool;
    return link;
}

static void free_push(struct pool *pool, void *object)
{
    struct free_object *freed = object;
    freed->next = pool->free_list;
    pool->free_list = freed;
}

static void *free_pop(struct pool *pool)
{
    struct free_object *object = pool->free_list;
    pool->free_list = object->next;
    return object;
}

static struct free_object *free_next(const struct pool *pool, struct free_object *link)
{
    return link ? link->next : pool->free_list;
}

static bool free_short(const struct pool *pool)
{
    return !pool->free_list;
}

static void object_touch(void *object)
{
    (void)object;
}

#endif

// ---- The pool ----

void pool_init(struct pool *pool, size_t object_size)
{
    size_t align = _Alignof(max_align_t);
    g_assert(object_size >= sizeof(struct free_object));
    *pool = (struct pool){
        .object_size = (object_size + align - 1) / align * align + GUARD,
        .block_objects = FIRST_BLOCK,
    };
}

void pool_clear(struct pool *pool)
{
    struct pool_block *block = pool->blocks;
    while (block) {
        struct pool_block *next = block->next;
        huge_free(block);
        block = next;
    }
    pool->blocks = NULL;
    pool->free_list = NULL;
    pool->in_use = pool->peak = pool->allocated = 0;
}

static void pool_grow(struct pool *pool)
{
    size_t count = pool->block_objects;
    struct pool_block *block = huge_alloc(sizeof *block + count * pool->object_size);
    block->next = pool->blocks;
    block->count = count;
    pool->blocks = block;
    pool->allocated += count;
    bool small = count < LARGEST_BLOCK, many = count * 4 <= pool->allocated;
    if (small || (many && count * pool->object_size < LARGE_BLOCK))
        pool->block_objects *= 2;
    char *base = block->objects;
    size_t left = count;
    do
        free_push(pool, base + --left * pool->object_size);
    while (left > 0);
}

void *pool_take(struct pool *pool)
{
    while (free_short(pool))
        pool_grow(pool);
    void *object = free_pop(pool);
    if (++pool->in_use > pool->peak)
        pool->peak = pool->in_use;
    return object;
}

void pool_give(struct pool *pool, void *object)
{
    if (!object)
        return;
    object_touch(object);
    free_push(pool, object);
    pool->in_use--;
}

// ---- Objects in use ----

static int compare_blocks(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (struct pool_block *const *)a;
    uintptr_t right = (uintptr_t) * (struct pool_block *const *)b;
    return left < right ? -1 : left > right;
}

// The pool's blocks by address, numbered through. The caller frees the result with
// g_ptr_array_unref.
static GPtrArray *blocks_sorted(const struct pool *pool)
{
    GPtrArray *blocks = g_ptr_array_new();
    for (struct pool_block *block = pool->blocks; block; block = block->next)
        g_ptr_array_add(blocks, block);
    g_ptr_array_sort(blocks, compare_blocks);
    size_t first = 0;
    for (guint i = 0; i < blocks->len; i++) {
        struct pool_block *block = g_ptr_array_index(blocks, i);
        block->first = first;
        first += block->count;
    }
    return blocks;
}

// Returns the number of an object, counted through the sorted blocks.
static size_t object_number(const struct pool *pool, const GPtrArray *blocks, const char *object)
{
    guint low = 0, high = blocks->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        const struct pool_block *block = g_ptr_array_index(blocks, middle);
        if (block->objects <= object)
            low = middle;
        else
            high = middle;
    }
    const struct pool_block *block = g_ptr_array_index(blocks, low);
    return block->first + (size_t)(object - block->objects) / pool->object_size;
}

void pool_each(const struct pool *pool, void (*visit)(void *object, void *data), void *data)
{
    if (pool->in_use == 0)
        return;
    GPtrArray *blocks = blocks_sorted(pool);
    bool *is_free = g_new0(bool, pool->allocated);
    for (struct free_object *link = free_next(pool, NULL); link; link = free_next(pool, link))
        is_free[object_number(pool, blocks, object_bytes(pool, link))] = true;
    // In the list's order, which depends on the run alone, not on addresses.
    for (struct pool_block *block = pool->blocks; block; block = block->next)
        for (size_t nth = 0; nth < block->count; nth++)
            if (!is_free[block->first + nth])
                visit(block->objects + nth * pool->object_size, data);
    g_free(is_free);
    g_ptr_array_unref(blocks);
}
