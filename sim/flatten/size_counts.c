// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/size_counts.h"

#include <math.h>

G_STATIC_ASSERT(sizeof(gpointer) >= sizeof(uint64_t));

void size_counts_init(struct size_counts *counts)
{
    counts->calls = g_hash_table_new(NULL, NULL);
    counts->sorted = g_array_new(FALSE, FALSE, sizeof(struct size_count));
}

void size_counts_clear(struct size_counts *counts)
{
    g_hash_table_unref(counts->calls);
    g_array_unref(counts->sorted);
}

void size_counts_add(struct size_counts *counts, int64_t size, uint64_t calls)
{
    gpointer key = GSIZE_TO_POINTER((gsize)size);
    gsize before = GPOINTER_TO_SIZE(g_hash_table_lookup(counts->calls, key));
    g_hash_table_insert(counts->calls, key, GSIZE_TO_POINTER(before + calls));
}

static int by_size(gconstpointer a, gconstpointer b)
{
    const struct size_count *one = a, *other = b;
    return (one->size > other->size) - (one->size < other->size);
}

void size_counts_sort(struct size_counts *counts)
{
    GHashTableIter iter;
    gpointer size, calls;
    g_array_set_size(counts->sorted, 0);
    g_hash_table_iter_init(&iter, counts->calls);
    while (g_hash_table_iter_next(&iter, &size, &calls)) {
        const struct size_count one = {(int64_t)GPOINTER_TO_SIZE(size), GPOINTER_TO_SIZE(calls)};
        g_array_append_val(counts->sorted, one);
    }
    g_array_sort(counts->sorted, by_size);
}

static const struct size_count *count_at(const struct size_counts *counts, guint i)
{
    return &g_array_index(counts->sorted, struct size_count, i);
}

int64_t size_counts_quantile(const struct size_counts *counts, double share)
{
    uint64_t all = 0, below = 0;
    for (guint i = 0; i < counts->sorted->len; i++)
        all += count_at(counts, i)->calls;
    double wanted = share * (double)all;
    for (guint i = 0; i < counts->sorted->len; i++) {
        below += count_at(counts, i)->calls;
        if ((double)below >= wanted)
            return count_at(counts, i)->size;
    }
    g_assert_not_reached();
}

int size_class(int64_t size)
{
    return size <= 1 ? (int)size : 65 - __builtin_clzll((uint64_t)size - 1);
}

int64_t size_class_most(int class)
{
    return class == 0 ? 0 : INT64_C(1) << (class - 1);
}

void size_counts_classes(const struct size_counts *counts, uint64_t *classes)
{
    for (guint i = 0; i < counts->sorted->len; i++)
        classes[MIN(size_class(count_at(counts, i)->size), SIZE_CLASSES - 1)] +=
            count_at(counts, i)->calls;
}
