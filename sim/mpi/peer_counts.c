// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/peer_counts.h"

#include <glib.h>

#define FIRST_PLACES 4

void peer_counts_clear(struct peer_counts *counts)
{
    g_free(counts->places);
    *counts = (struct peer_counts){0};
}

// The place of a key, or the free one where it belongs.
static struct peer_count *place_of(const struct peer_counts *counts, uint32_t key)
{
    uint32_t at = key * UINT32_C(0x9e3779b1);
    for (at ^= at >> 16;; at++) {
        struct peer_count *place = &counts->places[at & (counts->size - 1)];
        if (place->key == key || place->key == 0)
            return place;
    }
}

static void counts_grow(struct peer_counts *counts)
{
    struct peer_counts before = *counts;
    counts->size = before.size > 0 ? 2 * before.size : FIRST_PLACES;
    counts->places = g_new0(struct peer_count, counts->size);
    for (uint32_t i = 0; i < before.size; i++)
        if (before.places[i].key != 0)
            *place_of(counts, before.places[i].key) = before.places[i];
    g_free(before.places);
}

uint32_t *peer_counts_at(struct peer_counts *counts, int peer)
{
    uint32_t key = (uint32_t)peer + 1;
    struct peer_count *place = counts->size > 0 ? place_of(counts, key) : NULL;
    if (place && place->key == key)
        return &place->count;
    if (4 * (counts->used + 1) > 3 * counts->size) {
        counts_grow(counts);
        place = place_of(counts, key);
    }
    g_assert(place);
    counts->used++;
    place->key = key;
    return &place->count;
}
