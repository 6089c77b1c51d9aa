// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/engine.h"

#include "sim/core/engine_calendar.h"
#include "sim/core/engine_heap.h"
#include "sim/core/engine_list.h"

#include <assert.h>
#include <glib.h>
#include <stddef.h>
#include <stdlib.h>

// So many events run between two checks of the calendar's days.
#define CHECK_EVENTS 256

#define LEAST_DAYS ((uint64_t)512)
#define MOST_DAYS ((uint64_t)1 << 23)
#define DAYS_PER_EVENT 8

struct engine {
    sim_time now;           // first: engine_now
    uint64_t next_sequence; // the number of schedulings
    struct event *current;  // the list of events for `now`
    uint64_t events_run, events_cancelled;
    uint64_t background; // pending events of the background
    uint64_t fingerprint;
    uint64_t last_event; // engine_run returns when so many have run
    bool stopped;

    // Steps of the clock since the last check, and the sum of their logarithms (base 2): a pause
    // after a burst of events counts as one step, however long.
    uint64_t steps, step_bits;
    uint64_t next_check; // in events run
    uint64_t rebuilt, rebuilt_pending;

    struct calendar calendar; // events of later days than today
    struct event_heap heap;   // of today and before
};

static_assert(offsetof(struct engine, now) == 0, "engine_now reads the first member");
static_assert(sizeof(struct event) == 48, "every packet and timer has one");

struct engine *engine_new(void)
{
    struct engine *engine = g_new0(struct engine, 1);
    event_heap_init(&engine->heap);
    calendar_init(&engine->calendar);
    engine->next_check = CHECK_EVENTS;
    engine->fingerprint = 0x9e3779b97f4a7c15u;
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    event_heap_clear(&engine->heap);
    calendar_clear(&engine->calendar);
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

// ---- Scheduling ----

// Inserts an event of a later time than now into the heap or the calendar.
static inline void engine_put(struct engine *engine, struct event *event)
{
    if (calendar_day_of(&engine->calendar, event->when) <= engine->calendar.today) {
        event_heap_put(&engine->heap, event);
    } else {
        event->slot = SLOT_LISTED;
        calendar_put(&engine->calendar, event);
    }
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
        event->slot = SLOT_LISTED;
        list_append(&engine->current, event);
    } else {
        engine_put(engine, event);
    }
}

void engine_cancel(struct engine *engine, struct event *event)
{
    if (!event_pending(event))
        return;
    if (event->when == engine->now)
        list_remove(&engine->current, event);
    else if (event->slot == SLOT_LISTED)
        calendar_cancel(&engine->calendar, event);
    else if (event->slot == SLOT_CHAINED)
        circle_remove(event);
    else
        event_heap_cancel(&engine->heap, event);
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

// ---- Days of the calendar ----

static uint64_t days_wanted(uint64_t pending)
{
    uint64_t days = LEAST_DAYS;
    while (days < MOST_DAYS && days < DAYS_PER_EVENT * pending)
        days *= 2;
    return days;
}

// Inserts all events anew into days of another length or number.
static void engine_rebuild(struct engine *engine, int shift, uint64_t days, uint64_t pending)
{
    struct event *all = NULL;
    while (engine->heap.count > 0) {
        struct event *chain = event_heap_take(&engine->heap);
        list_join(&all, &chain);
    }
    struct event *later = calendar_empty(&engine->calendar);
    list_join(&all, &later);
    calendar_set(&engine->calendar, shift, days, engine->now);
    struct event *event = all, *next;
    if (event)
        do {
            next = event->next;
            engine_put(engine, event);
            event = next;
        } while (event != all);
    engine->rebuilt = engine->events_run;
    engine->rebuilt_pending = pending;
}

// Rebuilds the calendar if its days don't suit the events any more. That costs time in proportion
// to the events pending: so not before as many have run, or are there besides.
static void engine_check_days(struct engine *engine)
{
    const struct calendar *calendar = &engine->calendar;
    uint64_t pending = engine->next_sequence - engine->events_run - engine->events_cancelled;
    engine->next_check = engine->events_run + CHECK_EVENTS;
    if (engine->events_run - engine->rebuilt < pending && pending < 2 * engine->rebuilt_pending)
        return;
    // Half a step, or a little less.
    int shift = engine->steps ? (int)(engine->step_bits / engine->steps) - 1 : calendar->shift;
    shift = MAX(shift, 0);
    engine->steps = engine->step_bits = 0;
    uint64_t days = calendar->mask + 1, wanted = days_wanted(pending);
    if (abs(shift - calendar->shift) > 1 || wanted > days || 8 * wanted < days)
        engine_rebuild(engine, shift, wanted, pending);
}

// ---- Running ----

static inline void engine_step(struct engine *engine, sim_time when)
{
    engine->steps++;
    engine->step_bits += 63 - (uint64_t)__builtin_clzll((uint64_t)(when - engine->now));
    engine->now = when;
}

// Puts the events of a day that has several times into the heap.
static void engine_spread(struct engine *engine, struct event *first)
{
    struct event *event = first, *next;
    do {
        next = event->next;
        event_heap_put(&engine->heap, event);
        event = next;
    } while (event != first);
}

// Moves the clock on to the next event, if there is one until then, and returns it and those of the
// same time as a list.
static inline struct event *engine_next(struct engine *engine, sim_time until)
{
    struct event_heap *heap = &engine->heap;
    if (heap->count == 0) {
        bool mixed;
        struct event *first = calendar_open(&engine->calendar, until, &mixed);
        if (!first)
            return NULL;
        if (G_LIKELY(!mixed)) {
            engine_step(engine, first->when);
            return first;
        }
        engine_spread(engine, first);
    }
    if (heap->entries[0].when > until)
        return NULL;
    engine_step(engine, heap->entries[0].when);
    return event_heap_take(heap);
}

// Removes the next event from the queue and returns it.
static inline struct event *engine_pop(struct engine *engine, sim_time until)
{
    if (!engine->current) {
        if (G_UNLIKELY(engine->background > 0) && engine_pending(engine) == 0)
            return NULL;
        if (G_UNLIKELY(engine->events_run >= engine->next_check))
            engine_check_days(engine);
        struct event *first = engine_next(engine, until);
        if (!first)
            return NULL;
        if (first->next == first)
            return first;
        engine->current = first;
    }
    return list_take(&engine->current);
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
