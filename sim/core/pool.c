// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/pool.h"

#include <glib.h>
#include <stdalign.h>

#define FIRST_BLOCK 16
#define LARGEST_BLOCK 4096
#define CACHE_LINE 64

struct pool_block {
    struct pool_block *next;
    alignas(CACHE_LINE) char objects[];
};

struct free_object {
    struct free_object *next;
};

void pool_init(struct pool *pool, size_t object_size)
{
    size_t align = _Alignof(max_align_t);
    g_assert(object_size >= sizeof(struct free_object));
    *pool = (struct pool){
        .object_size = (object_size + align - 1) / align * align,
        .block_objects = FIRST_BLOCK,
    };
}

void pool_clear(struct pool *pool)
{
    struct pool_block *block = pool->blocks;
    while (block) {
        struct pool_block *next = block->next;
        g_aligned_free(block);
        block = next;
    }
    pool->blocks = NULL;
    pool->free_list = NULL;
    pool->in_use = pool->peak = pool->allocated = 0;
}

static void pool_grow(struct pool *pool)
{
    size_t count = pool->block_objects;
    struct pool_block *block =
        g_aligned_alloc(1, sizeof *block + count * pool->object_size, alignof(struct pool_block));
    block->next = pool->blocks;
    pool->blocks = block;
    pool->allocated += count;
    if (pool->block_objects < LARGEST_BLOCK)
        pool->block_objects *= 2;
    char *base = block->objects;
    size_t left = count;
    do {
        struct free_object *object = (void *)(base + --left * pool->object_size);
        object->next = pool->free_list;
        pool->free_list = object;
    } while (left > 0);
}

void *pool_take(struct pool *pool)
{
    if (!pool->free_list)
        pool_grow(pool);
    struct free_object *object = pool->free_list;
    pool->free_list = object->next;
    if (++pool->in_use > pool->peak)
        pool->peak = pool->in_use;
    return object;
}

void pool_give(struct pool *pool, void *object)
{
    if (!object)
        return;
    struct free_object *freed = object;
    freed->next = pool->free_list;
    pool->free_list = freed;
    pool->in_use--;
}
