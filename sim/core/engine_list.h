// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to the engine: lists of events, as circles that the list's first event leads.
#ifndef NETSIM_CORE_ENGINE_LIST_H
#define NETSIM_CORE_ENGINE_LIST_H

#include "sim/core/engine.h"

// Values of event.slot for an event that does not lead a chain in the heap.
#define SLOT_CHAINED 0xfffffffeu // in the heap, after another event of its time
#define SLOT_LISTED 0xfffffffdu  // in the calendar, or in the list of the current time
#define SLOT_HEAP_LIMIT 0xfffffff0u

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

// Inserts the whole circle of `first` before `place`.
static inline void circle_join_before(struct event *place, struct event *first)
{
    struct event *last = first->prev, *end = place->prev;
    end->next = first;
    first->prev = end;
    last->next = place;
    place->prev = last;
}

// Appends an event to the list that *first leads; NULL: the list is empty.
static inline void list_append(struct event **first, struct event *event)
{
    if (*first) {
        circle_insert_before(*first, event);
        return;
    }
    event->next = event->prev = event;
    *first = event;
}

static inline void list_remove(struct event **first, struct event *event)
{
    struct event *next = event->next;
    circle_remove(event);
    if (*first == event)
        *first = next == event ? NULL : next;
}

// Moves all events of a list to the end of another one.
static inline void list_join(struct event **into, struct event **from)
{
    if (*into && *from)
        circle_join_before(*into, *from);
    else if (*from)
        *into = *from;
    *from = NULL;
}

// Takes the first event out of a list, which must not be empty.
static inline struct event *list_take(struct event **first)
{
    struct event *event = *first;
    list_remove(first, event);
    return event;
}

#endif
