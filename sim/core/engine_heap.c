// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/engine_heap.h"

#include "sim/core/engine_list.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_ARITY 4u
#define HEAP_LINE 64u // of the cache
// Children are at 4n+1 .. 4n+4: with this many unused entries in front they fill one cache line.
#define HEAP_PADDING (HEAP_LINE / sizeof(struct heap_entry) - 1)

#define RECENT_NONE (-1)

static void heap_allocate(struct event_heap *heap, uint32_t capacity)
{
    void *memory = NULL;
    if (posix_memalign(&memory, HEAP_LINE, (capacity + HEAP_PADDING) * sizeof(struct heap_entry)) !=
        0)
        g_error("out of memory for %u pending times", capacity);
    struct heap_entry *entries = (struct heap_entry *)memory + HEAP_PADDING;
    if (heap->count > 0)
        memcpy(entries, heap->entries, heap->count * sizeof *entries);
    free(heap->memory);
    heap->memory = memory;
    heap->entries = entries;
    heap->capacity = capacity;
}

void event_heap_init(struct event_heap *heap)
{
    heap_allocate(heap, 64);
    for (size_t i = 0; i < G_N_ELEMENTS(heap->recent); i++)
        heap->recent[i].when = RECENT_NONE;
}

void event_heap_clear(struct event_heap *heap)
{
    free(heap->memory);
}

// ---- Order ----

static inline bool entry_before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->when < b->when ||
           (G_UNLIKELY(a->when == b->when) && a->first->sequence < b->first->sequence);
}

static inline void heap_put(struct event_heap *heap, uint32_t slot, struct heap_entry entry)
{
    heap->entries[slot] = entry;
    entry.first->slot = slot;
}

static inline void heap_sift_up(struct event_heap *heap, uint32_t slot, struct heap_entry entry)
{
    while (slot > 0) {
        uint32_t parent = (slot - 1) / HEAP_ARITY;
        if (!entry_before(&entry, &heap->entries[parent]))
            break;
        heap_put(heap, slot, heap->entries[parent]);
        slot = parent;
    }
    heap_put(heap, slot, entry);
}

// The least of entries[child .. last), by comparing one after another.
static uint32_t heap_least_of(const struct heap_entry *entries, uint32_t child, uint32_t last)
{
    uint32_t least = child;
    for (uint32_t other = child + 1; other < last; other++)
        if (entry_before(&entries[other], &entries[least]))
            least = other;
    return least;
}

// The least of four children, without a branch that depends on the result: the processor would
// mispredict it half of the time. Equal times are rare in the heap and take the plain path.
static inline uint32_t heap_least_of_four(const struct heap_entry *entries, uint32_t child)
{
    sim_time a = entries[child].when, b = entries[child + 1].when;
    sim_time c = entries[child + 2].when, d = entries[child + 3].when;
    uint32_t left = child + (b < a), right = child + 2 + (d < c);
    sim_time left_when = b < a ? b : a, right_when = d < c ? d : c;
    if (G_UNLIKELY((a == b) | (c == d) | (left_when == right_when)))
        return heap_least_of(entries, child, child + HEAP_ARITY);
    return right_when < left_when ? right : left;
}

static inline void heap_sift_down(struct event_heap *heap, uint32_t slot, struct heap_entry entry)
{
    const struct heap_entry *entries = heap->entries;
    uint32_t count = heap->count;
    for (;;) {
        uint32_t child = slot * HEAP_ARITY + 1;
        if (child >= count)
            break;
        uint32_t least = child + HEAP_ARITY <= count ? heap_least_of_four(entries, child)
                                                     : heap_least_of(entries, child, count);
        if (!entry_before(&entries[least], &entry))
            break;
        heap_put(heap, slot, entries[least]);
        slot = least;
    }
    heap_put(heap, slot, entry);
}

static void heap_remove(struct event_heap *heap, uint32_t slot)
{
    struct heap_entry last = heap->entries[--heap->count];
    if (slot == heap->count)
        return;
    if (slot > 0 && entry_before(&last, &heap->entries[(slot - 1) / HEAP_ARITY]))
        heap_sift_up(heap, slot, last);
    else
        heap_sift_down(heap, slot, last);
}

// ---- Chains ----

static inline struct heap_entry *heap_recent(struct event_heap *heap, sim_time when)
{
    uint64_t hash = (uint64_t)when * 0x9e3779b97f4a7c15u;
    return &heap->recent[hash >> (64 - RECENT_BITS)];
}

void event_heap_put(struct event_heap *heap, struct event *event)
{
    struct heap_entry *recent = heap_recent(heap, event->when);
    if (recent->when == event->when) {
        event->slot = SLOT_CHAINED;
        circle_insert_before(recent->first, event);
        return;
    }
    if (heap->count == heap->capacity) {
        g_assert(heap->capacity < SLOT_HEAP_LIMIT / 2);
        heap_allocate(heap, 2 * heap->capacity);
    }
    event->next = event->prev = event;
    *recent = (struct heap_entry){event->when, event};
    heap_sift_up(heap, heap->count++, *recent);
}

void event_heap_cancel(struct event_heap *heap, struct event *event)
{
    struct heap_entry *recent = heap_recent(heap, event->when);
    struct event *next = event->next;
    if (next == event) {
        if (recent->first == event)
            *recent = (struct heap_entry){RECENT_NONE, NULL};
        heap_remove(heap, event->slot);
        return;
    }
    circle_remove(event);
    if (recent->first == event)
        recent->first = next;
    heap_put(heap, event->slot, (struct heap_entry){event->when, next});
}

struct event *event_heap_take(struct event_heap *heap)
{
    struct event *first = heap->entries[0].first;
    sim_time when = first->when;
    struct heap_entry *recent = heap_recent(heap, when);
    if (recent->when == when)
        *recent = (struct heap_entry){RECENT_NONE, NULL};
    heap_remove(heap, 0);
    first->slot = SLOT_LISTED;
    while (heap->count > 0 && G_UNLIKELY(heap->entries[0].when == when)) {
        struct event *other = heap->entries[0].first;
        heap_remove(heap, 0);
        other->slot = SLOT_LISTED;
        circle_join_before(first, other);
    }
    return first;
}
