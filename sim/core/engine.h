// SPDX-License-Identifier: GPL-3.0-or-later
// The event engine: a clock and the queue of pending events.
//
// An event is embedded in the object that it belongs to; the engine never allocates one. Events run
// in the order of (time, sequence of scheduling), so a run depends on its input alone.
//
// The queue has two levels. Most events wait in a calendar (engine_calendar.h), those of the
// calendar's present day in a small heap (engine_heap.h), and those for the current time in a list.
//
// Cost: schedule, cancel and reschedule O(1), and O(log n) in the number of pending times of one
// day. A day follows the time between events, so that n is small; where no day suits all of them,
// it is at most that of all pending. The calendar and the heap grow by doubling and never shrink:
// no allocation once warm.
#ifndef NETSIM_CORE_ENGINE_H
#define NETSIM_CORE_ENGINE_H

#include "sim/core/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct event;

typedef void event_fn(struct engine *engine, struct event *event);

// Embed it, set it up with event_init, find the owner again with container_of.
struct event {
    event_fn *run;
    uint64_t sequence;  // of the last scheduling
    sim_time when;      // meaningful while pending
    struct event *next; // the engine's: events of the same time, in a circle
    struct event *prev;
    uint32_t slot; // index in the heap, or a mark for another place; EVENT_IDLE when not pending
    uint32_t background; // 1: it does not keep a run alive
};

#define EVENT_IDLE UINT32_MAX

#define container_of(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static inline void event_init(struct event *event, event_fn *run)
{
    event->run = run;
    event->slot = EVENT_IDLE;
    event->background = 0;
}

// An event that does not keep a run alive, such as a timer that is armed again and again: it runs
// in its turn as long as others are pending, but the clock does not move on for it alone, so
// engine_run ends when none but such events are left.
static inline void event_init_background(struct event *event, event_fn *run)
{
    event_init(event, run);
    event->background = 1;
}

static inline bool event_pending(const struct event *event)
{
    return event->slot != EVENT_IDLE;
}

// Never returns NULL; aborts on out-of-memory. The caller frees it with engine_free.
struct engine *engine_new(void);
void engine_free(struct engine *engine);

// The clock is the engine's first member: every component reads it.
static inline sim_time engine_now(const struct engine *engine)
{
    return *(const sim_time *)(const void *)engine;
}

// Schedules an idle event at `when`, which must not lie in the past.
void engine_schedule(struct engine *engine, struct event *event, sim_time when);

// Moves a pending event to `when`, or schedules an idle one. It runs after the events that are
// already scheduled for that time.
void engine_reschedule(struct engine *engine, struct event *event, sim_time when);

// Cancels a pending event; does nothing if the event is idle.
void engine_cancel(struct engine *engine, struct event *event);

// Runs events until none is left but those of the background, `until` is passed (events at `until`
// still run), or engine_stop was called.
void engine_run(struct engine *engine, sim_time until);

// Like engine_run, but runs at most `events` events.
void engine_run_some(struct engine *engine, sim_time until, uint64_t events);

// Makes engine_run return after the running event.
void engine_stop(struct engine *engine);

// True if engine_stop ended the last engine_run.
bool engine_stopped(const struct engine *engine);

// Events run so far, and events pending now but for those of the background.
uint64_t engine_events(const struct engine *engine);
size_t engine_pending(const struct engine *engine);

// A hash over time and order of everything that ran; equal for equal runs.
uint64_t engine_fingerprint(const struct engine *engine);

// Mixes a value of the simulated system into the fingerprint, for state that the order of events
// does not show.
void engine_fingerprint_add(struct engine *engine, uint64_t value);

#endif
