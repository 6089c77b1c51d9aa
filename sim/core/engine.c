// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/engine.h"

#include <assert.h>
#include <glib.h>

// The heap keeps time and sequence beside the pointer, so that sifting touches no event but to note
// its slot.
struct heap_entry {
    sim_time when;
    uint64_t sequence;
    struct event *event;
};

// Slots of the ring are told from slots of the heap by this bit.
#define RING_SLOT 0x80000000u
#define HEAP_ARITY 4u

struct engine {
    sim_time now;
    uint64_t next_sequence;
    uint64_t events_run;
    uint64_t fingerprint;
    bool stop;

    // The entry that ran last leaves a hole at the root until the next event is scheduled, which
    // then takes its place, or popped: one walk through the heap instead of two.
    struct heap_entry *heap;
    uint32_t heap_count, heap_capacity; // the hole counts
    bool hole;

    // Events for `now`, in order. A cancelled one leaves NULL. Indices run freely; capacity is a
    // power of two.
    struct event **ring;
    uint32_t ring_head, ring_tail, ring_capacity;
    uint32_t ring_cancelled;
};

struct engine *engine_new(void)
{
    struct engine *engine = g_new0(struct engine, 1);
    engine->heap_capacity = 64;
    engine->heap = g_new(struct heap_entry, engine->heap_capacity);
    engine->ring_capacity = 64;
    engine->ring = g_new(struct event *, engine->ring_capacity);
    engine->fingerprint = 0x9e3779b97f4a7c15u;
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    g_free(engine->heap);
    g_free(engine->ring);
    g_free(engine);
}

sim_time engine_now(const struct engine *engine)
{
    return engine->now;
}

uint64_t engine_events(const struct engine *engine)
{
    return engine->events_run;
}

size_t engine_pending(const struct engine *engine)
{
    return engine->heap_count - engine->hole + (engine->ring_tail - engine->ring_head) -
           engine->ring_cancelled;
}

uint64_t engine_fingerprint(const struct engine *engine)
{
    return engine->fingerprint;
}

void engine_fingerprint_add(struct engine *engine, uint64_t value)
{
    uint64_t mixed = (engine->fingerprint ^ value) * 0xff51afd7ed558ccdu;
    engine->fingerprint = mixed ^ (mixed >> 32);
}

static inline bool entry_before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->when < b->when || (a->when == b->when && a->sequence < b->sequence);
}

static inline void heap_put(struct engine *engine, uint32_t slot, struct heap_entry entry)
{
    engine->heap[slot] = entry;
    entry.event->slot = slot;
}

static void heap_sift_up(struct engine *engine, uint32_t slot, struct heap_entry entry)
{
    while (slot > 0) {
        uint32_t parent = (slot - 1) / HEAP_ARITY;
        if (!entry_before(&entry, &engine->heap[parent]))
            break;
        heap_put(engine, slot, engine->heap[parent]);
        slot = parent;
    }
    heap_put(engine, slot, entry);
}

static void heap_sift_down(struct engine *engine, uint32_t slot, struct heap_entry entry)
{
    const struct heap_entry *heap = engine->heap;
    uint32_t count = engine->heap_count;
    for (;;) {
        uint32_t child = slot * HEAP_ARITY + 1;
        if (child >= count)
            break;
        uint32_t last = child + HEAP_ARITY < count ? child + HEAP_ARITY : count;
        uint32_t least = child;
        for (uint32_t other = child + 1; other < last; other++)
            if (entry_before(&heap[other], &heap[least]))
                least = other;
        if (!entry_before(&heap[least], &entry))
            break;
        heap_put(engine, slot, heap[least]);
        slot = least;
    }
    heap_put(engine, slot, entry);
}

static void heap_insert(struct engine *engine, struct event *event)
{
    struct heap_entry entry = {event->when, event->sequence, event};
    if (engine->hole) {
        engine->hole = false;
        heap_sift_down(engine, 0, entry);
        return;
    }
    if (engine->heap_count == engine->heap_capacity) {
        engine->heap_capacity *= 2;
        engine->heap = g_renew(struct heap_entry, engine->heap, engine->heap_capacity);
    }
    heap_sift_up(engine, engine->heap_count++, entry);
}

static void heap_remove(struct engine *engine, uint32_t slot)
{
    struct heap_entry last = engine->heap[--engine->heap_count];
    if (slot == engine->heap_count)
        return;
    if (slot > 0 && entry_before(&last, &engine->heap[(slot - 1) / HEAP_ARITY]))
        heap_sift_up(engine, slot, last);
    else
        heap_sift_down(engine, slot, last);
}

static void heap_close_hole(struct engine *engine)
{
    if (!engine->hole)
        return;
    engine->hole = false;
    heap_remove(engine, 0);
}

static void ring_grow(struct engine *engine)
{
    uint32_t capacity = engine->ring_capacity, count = engine->ring_tail - engine->ring_head;
    struct event **grown = g_new(struct event *, 2 * (size_t)capacity);
    for (uint32_t i = 0; i < count; i++) {
        grown[i] = engine->ring[(engine->ring_head + i) & (capacity - 1)];
        if (grown[i])
            grown[i]->slot = RING_SLOT | i;
    }
    g_free(engine->ring);
    engine->ring = grown;
    engine->ring_capacity = 2 * capacity;
    engine->ring_head = 0;
    engine->ring_tail = count;
}

static void ring_append(struct engine *engine, struct event *event)
{
    if (engine->ring_tail - engine->ring_head == engine->ring_capacity)
        ring_grow(engine);
    uint32_t index = engine->ring_tail++ & (engine->ring_capacity - 1);
    engine->ring[index] = event;
    event->slot = RING_SLOT | index;
}

void engine_schedule(struct engine *engine, struct event *event, sim_time when)
{
    assert(!event_pending(event));
    if (when < engine->now)
        g_error("event scheduled %" G_GINT64_FORMAT " ps in the past", engine->now - when);
    event->when = when;
    event->sequence = engine->next_sequence++;
    if (when == engine->now)
        ring_append(engine, event);
    else
        heap_insert(engine, event);
}

void engine_cancel(struct engine *engine, struct event *event)
{
    if (!event_pending(event))
        return;
    if (event->slot & RING_SLOT) {
        engine->ring[event->slot & ~RING_SLOT] = NULL;
        engine->ring_cancelled++;
    } else {
        heap_close_hole(engine);
        heap_remove(engine, event->slot);
    }
    event->slot = EVENT_IDLE;
}

void engine_reschedule(struct engine *engine, struct event *event, sim_time when)
{
    engine_cancel(engine, event);
    engine_schedule(engine, event, when);
}

// The next event: what stands in the heap for the current time was scheduled before the ring's
// events.
static struct event *engine_pop(struct engine *engine, sim_time until)
{
    heap_close_hole(engine);
    for (;;) {
        if (engine->heap_count > 0 && engine->heap[0].when == engine->now)
            break;
        if (engine->ring_head == engine->ring_tail)
            break;
        struct event *event = engine->ring[engine->ring_head++ & (engine->ring_capacity - 1)];
        if (event)
            return event;
        engine->ring_cancelled--;
    }
    if (engine->heap_count == 0 || engine->heap[0].when > until)
        return NULL;
    struct event *event = engine->heap[0].event;
    engine->now = event->when;
    engine->hole = true;
    return event;
}

void engine_run(struct engine *engine, sim_time until)
{
    engine->stop = false;
    while (!engine->stop) {
        struct event *event = engine_pop(engine, until);
        if (!event)
            return;
        event->slot = EVENT_IDLE;
        engine->events_run++;
        engine_fingerprint_add(engine, (uint64_t)event->when);
        event->run(engine, event);
    }
}

void engine_stop(struct engine *engine)
{
    engine->stop = true;
}
