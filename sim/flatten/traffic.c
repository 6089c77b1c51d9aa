// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/traffic.h"

#include <stdlib.h>

void traffic_init(struct traffic *traffic, int ranks)
{
    traffic->ranks = ranks;
    traffic->rows = g_new0(GArray *, ranks);
    traffic->line = g_new0(struct traffic_cell, ranks);
    traffic->touched = g_array_new(FALSE, FALSE, sizeof(int));
}

void traffic_clear(struct traffic *traffic)
{
    for (int rank = 0; rank < traffic->ranks; rank++)
        if (traffic->rows[rank])
            g_array_unref(traffic->rows[rank]);
    g_free(traffic->rows);
    g_free(traffic->line);
    g_array_unref(traffic->touched);
}

int64_t traffic_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void traffic_add(struct traffic *traffic, int peer, int64_t bytes)
{
    struct traffic_cell *cell = &traffic->line[peer];
    if (cell->messages == 0)
        g_array_append_val(traffic->touched, peer);
    cell->peer = peer;
    cell->messages++;
    cell->bytes = traffic_sum(cell->bytes, bytes);
}

static int by_number(gconstpointer a, gconstpointer b)
{
    return *(const int *)a - *(const int *)b;
}

void traffic_end_row(struct traffic *traffic, int rank)
{
    GArray *row =
        g_array_sized_new(FALSE, FALSE, sizeof(struct traffic_cell), traffic->touched->len);
    g_array_sort(traffic->touched, by_number);
    for (guint i = 0; i < traffic->touched->len; i++) {
        struct traffic_cell *cell = &traffic->line[g_array_index(traffic->touched, int, i)];
        g_array_append_val(row, *cell);
        *cell = (struct traffic_cell){0};
    }
    g_array_set_size(traffic->touched, 0);
    traffic->rows[rank] = row;
}

static int by_peer(const void *a, const void *b)
{
    return *(const int *)a - ((const struct traffic_cell *)b)->peer;
}

const struct traffic_cell *traffic_find(const struct traffic *traffic, int rank, int peer)
{
    const GArray *row = traffic->rows[rank];
    return row->len == 0
               ? NULL
               : bsearch(&peer, row->data, row->len, sizeof(struct traffic_cell), by_peer);
}
