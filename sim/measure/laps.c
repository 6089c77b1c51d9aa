// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/laps.h"

#include <glib.h>

static void reserve(struct laps *laps, int64_t count)
{
    if (count <= laps->capacity)
        return;
    laps->ends = g_renew(sim_time, laps->ends, 2 * (gsize)count);
    laps->capacity = count;
}

void laps_begin(struct laps *laps, sim_time now)
{
    laps->start = now;
    laps->count = 0;
}

void laps_add(struct laps *laps, int64_t of, sim_time now, sim_time reported)
{
    if (G_LIKELY(!laps->kept))
        return;
    if (laps->count == 0)
        reserve(laps, of);
    laps->ends[2 * laps->count] = now;
    laps->ends[2 * laps->count + 1] = reported;
    laps->count++;
}

const sim_time *laps_end(struct laps *laps, int64_t count, bool reported, sim_time elapsed)
{
    if (!laps->kept)
        return NULL;
    if (laps->count == 0 && count == 1) {
        reserve(laps, 1);
        laps->ends[0] = elapsed;
        return laps->ends;
    }
    if (laps->count != count)
        return NULL;
    // In place: the time of a lap is written where none is still to be read.
    sim_time before = reported ? 0 : laps->start;
    for (int64_t lap = 0; lap < count; lap++) {
        sim_time end = laps->ends[2 * lap + reported];
        laps->ends[lap] = end - before;
        before = end;
    }
    return laps->ends;
}

void laps_clear(struct laps *laps)
{
    g_free(laps->ends);
    *laps = (struct laps){0};
}
