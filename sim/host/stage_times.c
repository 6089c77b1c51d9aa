// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/stage_times.h"

#include <glib.h>
#include <string.h>

#define FIRST_SIZE 8u

// Every table has this until time is spent: many processors of a large cluster spend none. The slot
// stays free, as one slot is never half empty with a stage in it.
static struct stage_time nothing[1];

void stage_times_init(struct stage_times *times)
{
    *times = (struct stage_times){nothing, 0, 0};
}

void stage_times_clear(struct stage_times *times)
{
    if (times->slots != nothing)
        g_free(times->slots);
}

static uint32_t free_slot(const struct stage_times *times, const struct stage *stage)
{
    uint32_t slot = (uint32_t)((uintptr_t)stage >> 4) & times->mask;
    while (times->slots[slot].stage)
        slot = (slot + 1) & times->mask;
    return slot;
}

static void grow(struct stage_times *times)
{
    uint32_t size = MAX(FIRST_SIZE, 2 * (times->mask + 1));
    struct stage_times larger = {g_new0(struct stage_time, size), size - 1, times->used};
    for (uint32_t i = 0; i <= times->mask; i++)
        if (times->slots[i].stage)
            larger.slots[free_slot(&larger, times->slots[i].stage)] = times->slots[i];
    stage_times_clear(times);
    *times = larger;
}

void stage_times_insert(struct stage_times *times, const struct stage *stage, sim_time time)
{
    if (2 * (times->used + 1) > times->mask + 1)
        grow(times);
    times->slots[free_slot(times, stage)] = (struct stage_time){stage, time, times->used++};
}

static int compare_places(const void *a, const void *b)
{
    const struct stage_time *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

void stage_times_each(const struct stage_times *times,
                      void (*each)(void *owner, const char *name, sim_time time), void *owner)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct stage_time));
    for (uint32_t i = 0; i <= times->mask; i++)
        if (times->slots[i].stage)
            g_array_append_val(all, times->slots[i]);
    g_array_sort(all, compare_places);
    for (guint i = 0; i < all->len; i++) {
        struct stage_time *first = &g_array_index(all, struct stage_time, i);
        for (guint k = i + 1; first->stage && k < all->len; k++) {
            struct stage_time *other = &g_array_index(all, struct stage_time, k);
            if (!other->stage || strcmp(other->stage->name, first->stage->name) != 0)
                continue;
            first->time += other->time;
            other->stage = NULL;
        }
        if (first->stage)
            each(owner, first->stage->name, first->time);
    }
    g_array_unref(all);
}
