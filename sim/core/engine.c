// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/engine.h"

#include <assert.h>
#include <glib.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The events of one time, as the heap knows them: by the first of their chain. Of two chains of the
// same time (the table below forgot the older one) that with the older first event goes first.
struct heap_entry {
    sim_time when;
    struct event *first;
};

// Values of event.slot for an event that does not lead a chain in the heap.
#define SLOT_CHAINED 0xfffffffeu // after another event of its time
#define SLOT_CURRENT 0xfffffffdu // in the list of the current time
#define SLOT_HEAP_LIMIT 0xfffffff0u

#define HEAP_ARITY 4u
#define ENGINE_CACHE_LINE 64u
// Children are at 4n+1 .. 4n+4: with this many unused entries in front they fill one cache line.
#define HEAP_PADDING (ENGINE_CACHE_LINE / sizeof(struct heap_entry) - 1)

#define RECENT_BITS 8
#define RECENT_NONE (-1)

struct engine {
    sim_time now;           // first: engine_now
    uint64_t next_sequence; // the number of schedulings
    uint64_t events_run, events_cancelled;
    uint64_t background; // pending events of the background
    uint64_t fingerprint;
    uint64_t last_event; // engine_run returns when so many have run
    bool stopped;

    struct heap_entry *heap; // into heap_memory
    void *heap_memory;
    uint32_t heap_count, heap_capacity;

    // Chains by a hash of their time. A chain in the heap may be missing here.
    struct heap_entry recent[1 << RECENT_BITS];

    struct event current; // only its links: the circle of events for `now`
};

static_assert(offsetof(struct engine, now) == 0, "engine_now reads the first member");

static void heap_allocate(struct engine *engine, uint32_t capacity)
{
    void *memory = NULL;
    if (posix_memalign(&memory, ENGINE_CACHE_LINE,
                       (capacity + HEAP_PADDING) * sizeof(struct heap_entry)) != 0)
        g_error("out of memory for %u pending times", capacity);
    struct heap_entry *heap = (struct heap_entry *)memory + HEAP_PADDING;
    if (engine->heap_count > 0)
        memcpy(heap, engine->heap, engine->heap_count * sizeof *heap);
    free(engine->heap_memory);
    engine->heap_memory = memory;
    engine->heap = heap;
    engine->heap_capacity = capacity;
}

struct engine *engine_new(void)
{
    struct engine *engine = g_new0(struct engine, 1);
    heap_allocate(engine, 64);
    for (size_t i = 0; i < G_N_ELEMENTS(engine->recent); i++)
        engine->recent[i].when = RECENT_NONE;
    engine->current.next = engine->current.prev = &engine->current;
    engine->fingerprint = 0x9e3779b97f4a7c15u;
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    free(engine->heap_memory);
    g_free(engine);
}

uint64_t engine_events(const struct engine *engine)
{
    return engine->events_run;
}

size_t engine_pending(const struct engine *engine)
{
    // The hot path keeps no count of pending events.
    return engine->next_sequence - engine->events_run - engine->events_cancelled -
           engine->background;
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

// ---- Circles of events ----

static inline void circle_insert_before(struct event *place, struct event *event)
{
    event->prev = place->prev;
    event->next = place;
    place->prev->next = event;
    place->prev = event;
}

static inline void circle_remove(struct event *event)
{
    event->prev->next = event->next;
    event->next->prev = event->prev;
}

// ---- The heap ----

static inline bool entry_before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->when < b->when ||
           (G_UNLIKELY(a->when == b->when) && a->first->sequence < b->first->sequence);
}

static inline void heap_put(struct engine *engine, uint32_t slot, struct heap_entry entry)
{
    engine->heap[slot] = entry;
    entry.first->slot = slot;
}

static inline void heap_sift_up(struct engine *engine, uint32_t slot, struct heap_entry entry)
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

// The least of heap[child .. last), by comparing one after another.
static uint32_t heap_least_of(const struct heap_entry *heap, uint32_t child, uint32_t last)
{
    uint32_t least = child;
    for (uint32_t other = child + 1; other < last; other++)
        if (entry_before(&heap[other], &heap[least]))
            least = other;
    return least;
}

// The least of four children, without a branch that depends on the result: the processor would
// mispredict it half of the time. Equal times are rare in the heap and take the plain path.
static inline uint32_t heap_least_of_four(const struct heap_entry *heap, uint32_t child)
{
    sim_time a = heap[child].when, b = heap[child + 1].when;
    sim_time c = heap[child + 2].when, d = heap[child + 3].when;
    uint32_t left = child + (b < a), right = child + 2 + (d < c);
    sim_time left_when = b < a ? b : a, right_when = d < c ? d : c;
    if (G_UNLIKELY((a == b) | (c == d) | (left_when == right_when)))
        return heap_least_of(heap, child, child + HEAP_ARITY);
    return right_when < left_when ? right : left;
}

// Prefetches the sixteen grandchildren while the children are compared: a large heap is not in the
// cache.
static inline void heap_prefetch(const struct engine *engine, uint32_t grandchild)
{
    if (grandchild >= engine->heap_count)
        return;
    for (uint32_t i = 0; i < HEAP_ARITY; i++)
        __builtin_prefetch(&engine->heap[grandchild + i * HEAP_ARITY], 1);
}

static inline void heap_sift_down(struct engine *engine, uint32_t slot, struct heap_entry entry)
{
    const struct heap_entry *heap = engine->heap;
    uint32_t count = engine->heap_count;
    for (;;) {
        uint32_t child = slot * HEAP_ARITY + 1;
        if (child >= count)
            break;
        heap_prefetch(engine, child * HEAP_ARITY + 1);
        uint32_t least = child + HEAP_ARITY <= count ? heap_least_of_four(heap, child)
                                                     : heap_least_of(heap, child, count);
        if (!entry_before(&heap[least], &entry))
            break;
        heap_put(engine, slot, heap[least]);
        slot = least;
    }
    heap_put(engine, slot, entry);
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

// ---- Scheduling ----

static inline struct heap_entry *engine_recent(struct engine *engine, sim_time when)
{
    uint64_t hash = (uint64_t)when * 0x9e3779b97f4a7c15u;
    return &engine->recent[hash >> (64 - RECENT_BITS)];
}

static inline void heap_schedule(struct engine *engine, struct event *event)
{
    struct heap_entry *recent = engine_recent(engine, event->when);
    if (recent->when == event->when) {
        event->slot = SLOT_CHAINED;
        circle_insert_before(recent->first, event);
        return;
    }
    if (engine->heap_count == engine->heap_capacity) {
        g_assert(engine->heap_capacity < SLOT_HEAP_LIMIT / 2);
        heap_allocate(engine, 2 * engine->heap_capacity);
    }
    event->next = event->prev = event;
    *recent = (struct heap_entry){event->when, event};
    heap_sift_up(engine, engine->heap_count++, *recent);
}

void engine_schedule(struct engine *engine, struct event *event, sim_time when)
{
    assert(!event_pending(event));
    if (G_UNLIKELY(when < engine->now))
        g_error("event scheduled %" G_GINT64_FORMAT " ps in the past", engine->now - when);
    event->when = when;
    event->sequence = engine->next_sequence++;
    if (G_UNLIKELY(event->background))
        engine->background++;
    if (when == engine->now) {
        event->slot = SLOT_CURRENT;
        circle_insert_before(&engine->current, event);
    } else {
        heap_schedule(engine, event);
    }
}

// Takes the first event of a chain out of the heap. The next one, if any, becomes the leader.
static void heap_cancel(struct engine *engine, struct event *event)
{
    struct heap_entry *recent = engine_recent(engine, event->when);
    struct event *next = event->next;
    if (next == event) {
        if (recent->first == event)
            *recent = (struct heap_entry){RECENT_NONE, NULL};
        heap_remove(engine, event->slot);
        return;
    }
    circle_remove(event);
    if (recent->first == event)
        recent->first = next;
    heap_put(engine, event->slot, (struct heap_entry){event->when, next});
}

void engine_cancel(struct engine *engine, struct event *event)
{
    if (!event_pending(event))
        return;
    if (event->slot == SLOT_CHAINED || event->slot == SLOT_CURRENT)
        circle_remove(event);
    else
        heap_cancel(engine, event);
    event->slot = EVENT_IDLE;
    engine->events_cancelled++;
    if (event->background)
        engine->background--;
}

void engine_reschedule(struct engine *engine, struct event *event, sim_time when)
{
    engine_cancel(engine, event);
    engine_schedule(engine, event, when);
}

// ---- Running ----

// Moves a whole chain to the end of the current time's list.
static void current_take(struct engine *engine, struct event *first)
{
    struct event *event = first, *last = first->prev, *end = engine->current.prev;
    do {
        event->slot = SLOT_CURRENT;
        event = event->next;
    } while (event != first);
    end->next = first;
    first->prev = end;
    last->next = &engine->current;
    engine->current.prev = last;
}

// Removes the first event from the list of the current time.
static inline struct event *current_pop(struct engine *engine)
{
    struct event *event = engine->current.next;
    circle_remove(event);
    return event;
}

// Moves the clock to the next event and returns it.
static inline struct event *engine_pop(struct engine *engine, sim_time until)
{
    if (engine->current.next != &engine->current)
        return current_pop(engine);
    if (engine->heap_count == 0 || engine->heap[0].when > until)
        return NULL;
    if (G_UNLIKELY(engine->background > 0) && engine_pending(engine) == 0)
        return NULL;
    struct event *first = engine->heap[0].first;
    struct heap_entry *recent = engine_recent(engine, first->when);
    engine->now = first->when;
    if (recent->when == engine->now)
        *recent = (struct heap_entry){RECENT_NONE, NULL};
    heap_remove(engine, 0);
    __builtin_prefetch(engine->heap[0].first, 1); // most likely the next to run
    bool alone = first->next == first;
    bool last = engine->heap_count == 0 || engine->heap[0].when > engine->now;
    if (alone && last)
        return first;
    current_take(engine, first);
    while (engine->heap_count > 0 && engine->heap[0].when == engine->now) {
        first = engine->heap[0].first;
        heap_remove(engine, 0);
        current_take(engine, first);
    }
    return current_pop(engine);
}

void engine_run(struct engine *engine, sim_time until)
{
    engine_run_some(engine, until, UINT64_MAX - engine->events_run);
}

void engine_run_some(struct engine *engine, sim_time until, uint64_t events)
{
    engine->stopped = false;
    engine->last_event = engine->events_run + events;
    while (engine->events_run < engine->last_event) {
        struct event *event = engine_pop(engine, until);
        if (!event)
            return;
        event->slot = EVENT_IDLE;
        if (G_UNLIKELY(event->background))
            engine->background--;
        engine->events_run++;
        engine_fingerprint_add(engine, (uint64_t)event->when);
        event->run(engine, event);
    }
}

void engine_stop(struct engine *engine)
{
    engine->stopped = true;
    engine->last_event = 0;
}

bool engine_stopped(const struct engine *engine)
{
    return engine->stopped;
}
