// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/engine_calendar.h"

#include "sim/core/engine_list.h"
#include "sim/core/huge.h"

#include <glib.h>
#include <string.h>

#define DIGIT_BITS 4
#define WORD_BITS 64
#define MONTHS_SHIFT 3 // eight months a year
#define FIRST_DAYS 512
#define NO_DAY UINT64_MAX

// A calendar of more days is not in the cache: events are fetched so many days ahead.
#define AHEAD_FROM 2048
#define AHEAD_DAYS 24

void calendar_clear(struct calendar *calendar)
{
    huge_free(calendar->days);
    g_free(calendar->marks);
    g_free(calendar->mixed);
    g_free(calendar->outlines);
}

static void calendar_allocate(struct calendar *calendar, uint64_t days)
{
    calendar_clear(calendar);
    calendar->days = huge_alloc0(days * sizeof(void *));
    calendar->marks = g_new0(uint64_t, days / WORD_BITS);
    calendar->mixed = g_new0(uint64_t, days / WORD_BITS);
    calendar->outlines = g_new0(uint64_t, days / WORD_BITS / WORD_BITS + 1);
    calendar->capacity = days;
}

void calendar_set(struct calendar *calendar, int shift, uint64_t days, sim_time now)
{
    if (days > calendar->capacity)
        calendar_allocate(calendar, days);
    calendar->shift = shift;
    calendar->mask = days - 1;
    calendar->month_shift = __builtin_ctzll(days) - MONTHS_SHIFT;
    calendar->today = calendar->ahead = calendar_day_of(calendar, now);
    calendar->month = (calendar->today + 1 + days) >> calendar->month_shift;
    calendar->year_end = calendar->month << calendar->month_shift;
}

void calendar_init(struct calendar *calendar)
{
    calendar_set(calendar, 10, FIRST_DAYS, 0);
}

// ---- Days with events ----

static inline void day_mark(struct calendar *calendar, uint64_t at)
{
    calendar->marks[at / WORD_BITS] |= (uint64_t)1 << at % WORD_BITS;
    calendar->outlines[at / WORD_BITS / WORD_BITS] |= (uint64_t)1 << at / WORD_BITS % WORD_BITS;
}

static inline void day_unmark(struct calendar *calendar, uint64_t at)
{
    uint64_t *word = &calendar->marks[at / WORD_BITS], bit = (uint64_t)1 << at % WORD_BITS;
    calendar->mixed[at / WORD_BITS] &= ~bit;
    *word &= ~bit;
    if (*word == 0)
        calendar->outlines[at / WORD_BITS / WORD_BITS] &=
            ~((uint64_t)1 << at / WORD_BITS % WORD_BITS);
}

// Returns the first word of marks from `from` on that is not zero, or NO_DAY.
static uint64_t words_next(const struct calendar *calendar, uint64_t from)
{
    uint64_t words = (calendar->mask + 1) / WORD_BITS;
    uint64_t outline = from / WORD_BITS;
    if (from >= words)
        return NO_DAY;
    uint64_t bits = calendar->outlines[outline] & (~(uint64_t)0 << from % WORD_BITS);
    while (bits == 0) {
        if (++outline * WORD_BITS >= words)
            return NO_DAY;
        bits = calendar->outlines[outline];
    }
    return outline * WORD_BITS + (uint64_t)__builtin_ctzll(bits);
}

// Returns the first day from `day` on that has events, or NO_DAY.
static inline uint64_t day_next(const struct calendar *calendar, uint64_t day)
{
    uint64_t at = day & calendar->mask, word = at / WORD_BITS;
    uint64_t bits = calendar->marks[word] >> at % WORD_BITS;
    if (G_LIKELY(bits != 0))
        return day + (uint64_t)__builtin_ctzll(bits);
    word = words_next(calendar, word + 1);
    if (word == NO_DAY)
        word = words_next(calendar, 0); // the year ends before the array's first day
    if (word == NO_DAY)
        return NO_DAY;
    uint64_t found = word * WORD_BITS + (uint64_t)__builtin_ctzll(calendar->marks[word]);
    return day + ((found - at) & calendar->mask);
}

// An event may be in two lines of the cache.
static inline void event_fetch(const struct event *event)
{
    __builtin_prefetch(event, 1);
    __builtin_prefetch((const char *)(event + 1) - 1, 1);
}

// Fetches the events of days to come into the cache.
static inline void days_fetch(struct calendar *calendar)
{
    uint64_t last = calendar->today + AHEAD_DAYS;
    uint64_t day = MAX(calendar->ahead, calendar->today);
    while (day < last && (day = day_next(calendar, day + 1)) <= last)
        event_fetch(calendar->days[day & calendar->mask]);
    calendar->ahead = last;
}

// ---- Later years ----

// The list of a month from the calendar's on.
static inline void later_place(const struct calendar *calendar, uint64_t month, int *level,
                               int *digit)
{
    uint64_t differs = month ^ calendar->month;
    *level = differs ? (WORD_BITS - 1 - __builtin_clzll(differs)) / DIGIT_BITS : 0;
    *digit = (int)(month >> (DIGIT_BITS * *level)) & (CALENDAR_DIGITS - 1);
}

static void later_put(struct calendar *calendar, struct event *event, uint64_t day)
{
    int level, digit;
    later_place(calendar, day >> calendar->month_shift, &level, &digit);
    list_append(&calendar->later[level][digit], event);
    calendar->later_digits[level] |= (uint16_t)(1u << digit);
    calendar->later_levels |= 1u << level;
}

static void later_unmark(struct calendar *calendar, int level, int digit)
{
    calendar->later_digits[level] &= (uint16_t) ~(1u << digit);
    if (calendar->later_digits[level] == 0)
        calendar->later_levels &= ~(1u << level);
}

static void later_cancel(struct calendar *calendar, struct event *event, uint64_t day)
{
    int level, digit;
    later_place(calendar, day >> calendar->month_shift, &level, &digit);
    list_remove(&calendar->later[level][digit], event);
    if (!calendar->later[level][digit])
        later_unmark(calendar, level, digit);
}

static struct event *later_take(struct calendar *calendar, int level, int digit)
{
    struct event *events = calendar->later[level][digit];
    calendar->later[level][digit] = NULL;
    later_unmark(calendar, level, digit);
    return events;
}

static void calendar_deal(struct calendar *calendar, struct event *first)
{
    struct event *event = first, *next;
    do {
        next = event->next;
        calendar_put(calendar, event);
        event = next;
    } while (event != first);
}

// Moves the end of the year on to a month, and deals out the lists that this changes.
static void year_extend(struct calendar *calendar, uint64_t month)
{
    int top, last;
    later_place(calendar, month, &top, &last);
    calendar->month = month;
    calendar->year_end = month << calendar->month_shift;
    uint32_t levels = calendar->later_levels & ((2u << top) - 1);
    for (; levels; levels &= levels - 1) {
        int level = __builtin_ctz(levels);
        uint32_t digits = calendar->later_digits[level];
        if (level == top)
            digits &= (2u << last) - 1;
        for (; digits; digits &= digits - 1)
            calendar_deal(calendar, later_take(calendar, level, __builtin_ctz(digits)));
    }
}

// A year from today on, in whole months.
static void year_follow(struct calendar *calendar)
{
    uint64_t month = (calendar->today + calendar->mask + 2) >> calendar->month_shift;
    if (month != calendar->month)
        year_extend(calendar, month);
}

// Moves an empty year on to where the first later events are. Returns false if there are none, or
// none at `until` or before.
static bool year_leap(struct calendar *calendar, sim_time until)
{
    if (calendar->later_levels == 0)
        return false;
    int level = __builtin_ctz(calendar->later_levels);
    uint64_t digit = (uint64_t)__builtin_ctz(calendar->later_digits[level]);
    int below = DIGIT_BITS * level, above = below + DIGIT_BITS;
    uint64_t month = above < WORD_BITS ? calendar->month >> above << above : 0;
    month |= digit << below;
    uint64_t day = month << calendar->month_shift;
    if (day > calendar_day_of(calendar, until))
        return false;
    calendar->today = day - 1;
    year_follow(calendar);
    return true;
}

// ---- The calendar ----

void calendar_put(struct calendar *calendar, struct event *event)
{
    uint64_t day = calendar_day_of(calendar, event->when);
    if (day >= calendar->year_end) {
        later_put(calendar, event, day);
        return;
    }
    uint64_t at = day & calendar->mask;
    struct event **first = &calendar->days[at];
    if (*first) {
        if ((*first)->when != event->when)
            calendar->mixed[at / WORD_BITS] |= (uint64_t)1 << at % WORD_BITS;
        circle_insert_before(*first, event);
        return;
    }
    event->next = event->prev = event;
    *first = event;
    day_mark(calendar, at);
}

void calendar_cancel(struct calendar *calendar, struct event *event)
{
    uint64_t day = calendar_day_of(calendar, event->when);
    if (day >= calendar->year_end) {
        later_cancel(calendar, event, day);
        return;
    }
    uint64_t at = day & calendar->mask;
    list_remove(&calendar->days[at], event);
    if (!calendar->days[at])
        day_unmark(calendar, at);
}

struct event *calendar_open(struct calendar *calendar, sim_time until, bool *mixed)
{
    uint64_t day = day_next(calendar, calendar->today + 1);
    while (G_UNLIKELY(day == NO_DAY)) {
        if (!year_leap(calendar, until))
            return NULL;
        day = day_next(calendar, calendar->today + 1);
    }
    uint64_t at = day & calendar->mask;
    struct event *first = calendar->days[at];
    *mixed = calendar->mixed[at / WORD_BITS] >> at % WORD_BITS & 1;
    if ((*mixed ? (sim_time)(day << calendar->shift) : first->when) > until)
        return NULL;
    calendar->days[at] = NULL;
    day_unmark(calendar, at);
    calendar->today = day;
    if (calendar->mask >= AHEAD_FROM)
        days_fetch(calendar);
    if (G_UNLIKELY((day + calendar->mask + 2 - calendar->year_end) >> calendar->month_shift))
        year_follow(calendar);
    return first;
}

struct event *calendar_empty(struct calendar *calendar)
{
    struct event *all = NULL;
    for (uint64_t day = day_next(calendar, 0); day != NO_DAY; day = day_next(calendar, 0)) {
        list_join(&all, &calendar->days[day]);
        day_unmark(calendar, day);
    }
    for (int level = 0; level < CALENDAR_LEVELS; level++) {
        for (int digit = 0; digit < CALENDAR_DIGITS; digit++)
            list_join(&all, &calendar->later[level][digit]);
        calendar->later_digits[level] = 0;
    }
    calendar->later_levels = 0;
    return all;
}
