// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to the engine: the far end of its queue, a calendar.
//
// Time is divided into days, some of which have events at all; a bit per day finds the next one. A
// year of days, which starts tomorrow, is an array. Events of later years are in lists by the
// number of their month, digit by digit: a list holds the months that agree with the first month
// after the year down to a digit, and has that digit itself. As time goes on, the lists are dealt
// out to lower digits, and at last to days. All lists are in the order of scheduling, and events of
// one time are always in the same list.
//
// The length of a day follows the time between events, the number of days that of the events
// pending, so that few days have more than one event. Source: Brown, "Calendar queues", CACM 31
// (1988), for days and years.
#ifndef NETSIM_CORE_ENGINE_CALENDAR_H
#define NETSIM_CORE_ENGINE_CALENDAR_H

#include "sim/core/engine.h"

#define CALENDAR_LEVELS 16 // digits of a month
#define CALENDAR_DIGITS 16

struct calendar {
    int shift;         // a day has 2^shift ps
    int month_shift;   // and a month 2^month_shift days
    uint64_t today;    // the calendar has events of later days only
    uint64_t year_end; // the first day after the array: the first day of `month`
    uint64_t month;
    uint64_t mask;       // days in the array, less 1
    struct event **days; // by day of the year: the first of its events
    uint64_t *marks;     // a bit for each day that has events
    uint64_t *mixed;     // a bit for each day whose events differ in time, or did
    uint64_t *outlines;  // a bit for each word of marks that is not zero
    uint64_t ahead;      // the last day whose events were fetched into the cache
    uint64_t capacity;   // days allocated
    uint32_t later_levels;
    uint16_t later_digits[CALENDAR_LEVELS];
    struct event *later[CALENDAR_LEVELS][CALENDAR_DIGITS];
};

void calendar_init(struct calendar *calendar);
void calendar_clear(struct calendar *calendar);

// The day of a time. It must be in the calendar's future for what follows.
static inline uint64_t calendar_day_of(const struct calendar *calendar, sim_time when)
{
    return (uint64_t)when >> calendar->shift;
}

// Inserts or removes an event, whose time is set.
void calendar_put(struct calendar *calendar, struct event *event);
void calendar_cancel(struct calendar *calendar, struct event *event);

// Makes the next day with events today, and returns the list of its events. *mixed: their times may
// differ. Returns NULL, and leaves today as it is or sets it to a day without events, if there
// is no event or none of that day is at `until` or before.
struct event *calendar_open(struct calendar *calendar, sim_time until, bool *mixed);

// Removes all events and returns them as a list, those of one time in order.
struct event *calendar_empty(struct calendar *calendar);

// Sets the length of a day and the number of days (a power of two, at least 64) of an empty
// calendar, and today.
void calendar_set(struct calendar *calendar, int shift, uint64_t days, sim_time now);

#endif
