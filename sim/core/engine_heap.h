// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to the engine: the near end of its queue. Events of one time are chained, and a 4-ary
// heap orders the chains; a small table finds the chain of a recently used time.
#ifndef NETSIM_CORE_ENGINE_HEAP_H
#define NETSIM_CORE_ENGINE_HEAP_H

#include "sim/core/engine.h"

// The events of one time, as the heap knows them: by the first of their chain. Of two chains of the
// same time (the table below forgot the older one) that with the older first event goes first.
struct heap_entry {
    sim_time when;
    struct event *first;
};

#define RECENT_BITS 8

struct event_heap {
    struct heap_entry *entries; // into memory
    void *memory;
    uint32_t count, capacity;
    // Chains by a hash of their time. A chain in the heap may be missing here.
    struct heap_entry recent[1 << RECENT_BITS];
};

void event_heap_init(struct event_heap *heap);
void event_heap_clear(struct event_heap *heap);

// Inserts an event, whose time and sequence are set.
void event_heap_put(struct event_heap *heap, struct event *event);

// Removes an event that leads a chain (event.slot).
void event_heap_cancel(struct event_heap *heap, struct event *event);

// Removes all events of the least time from a heap that is not empty. Returns the first of their
// circle, in the order of their sequence.
struct event *event_heap_take(struct event_heap *heap);

#endif
