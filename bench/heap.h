// SPDX-License-Identifier: GPL-3.0-or-later
// A bare 4-ary heap with the engine's key (time, sequence), and nothing else of an engine: the
// yardstick for its cost.
#ifndef NETSIM_BENCH_HEAP_H
#define NETSIM_BENCH_HEAP_H

#include "sim/core/time.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct heap_item {
    sim_time when;
    uint64_t sequence;
    void *owner;
};

struct heap {
    struct heap_item *items;
    size_t count, capacity;
};

static inline bool heap_before(const struct heap_item *a, const struct heap_item *b)
{
    return a->when < b->when || (a->when == b->when && a->sequence < b->sequence);
}

static inline void heap_push(struct heap *heap, struct heap_item item)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 64;
        heap->items = g_renew(struct heap_item, heap->items, heap->capacity);
    }
    size_t slot = heap->count++;
    while (slot > 0 && heap_before(&item, &heap->items[(slot - 1) / 4])) {
        heap->items[slot] = heap->items[(slot - 1) / 4];
        slot = (slot - 1) / 4;
    }
    heap->items[slot] = item;
}

// The least item; the heap must not be empty.
static inline struct heap_item heap_pop(struct heap *heap)
{
    struct heap_item top = heap->items[0];
    struct heap_item last = heap->items[--heap->count];
    size_t slot = 0, count = heap->count;
    for (size_t child = 1; child < count; child = 4 * slot + 1) {
        size_t end = child + 4 < count ? child + 4 : count, least = child;
        for (size_t other = child + 1; other < end; other++)
            if (heap_before(&heap->items[other], &heap->items[least]))
                least = other;
        if (!heap_before(&heap->items[least], &last))
            break;
        heap->items[slot] = heap->items[least];
        slot = least;
    }
    if (count > 0)
        heap->items[slot] = last;
    return top;
}

#endif
