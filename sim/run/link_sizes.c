// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/link_sizes.h"

#include "sim/cluster/cluster.h"
#include "sim/core/link_load.h"

#define NO_SIZE (-1)

void link_sizes_begin(struct link_sizes *of, struct network *network)
{
    *of = (struct link_sizes){.network = network};
    of->sizes = g_ptr_array_new_with_free_func((GDestroyNotify)link_size_free);
}

static struct link_size *link_sizes_of(struct link_sizes *of, int64_t size)
{
    for (guint i = 0; i < of->sizes->len; i++) {
        struct link_size *one = g_ptr_array_index(of->sizes, i);
        if (one->size == size)
            return one;
    }
    struct link_size *added = link_size_new(size);
    g_ptr_array_add(of->sizes, added);
    return added;
}

static void link_sizes_cut(struct link_sizes *of, int64_t size, sim_time now, bool ends)
{
    struct link_size *into = link_sizes_of(of, size);
    into->time += now - of->since;
    of->since = now;
    network_take_loads(of->network, into->links, ends);
}

void link_sizes_start(struct link_sizes *of, sim_time now)
{
    if (of->measuring++ == 0)
        link_sizes_cut(of, NO_SIZE, now, false);
}

void link_sizes_stop(struct link_sizes *of, int64_t size, bool last, sim_time now)
{
    of->measuring--;
    if (of->measuring == 0 || last)
        link_sizes_cut(of, size, now, false);
}

// Slots in which nothing has passed go.
static GPtrArray *link_sizes_packed(GPtrArray *slots)
{
    GPtrArray *packed = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    for (guint i = 0; i < slots->len; i++)
        if (slots->pdata[i])
            g_ptr_array_add(packed, slots->pdata[i]);
    g_ptr_array_set_free_func(slots, NULL);
    g_ptr_array_unref(slots);
    return packed;
}

GPtrArray *link_sizes_end(struct link_sizes *of, sim_time now, GPtrArray **parts)
{
    GPtrArray *sum = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    link_sizes_cut(of, NO_SIZE, now, true);
    struct link_size *none = link_sizes_of(of, NO_SIZE);
    for (guint i = 0; i < of->sizes->len; i++) {
        struct link_size *one = g_ptr_array_index(of->sizes, i);
        g_ptr_array_set_size(sum, (gint)MAX(sum->len, one->links->len));
        for (guint j = 0; j < one->links->len; j++) {
            const struct link_load *load = one->links->pdata[j];
            if (load && sum->pdata[j])
                link_load_add(sum->pdata[j], load);
            else if (load)
                sum->pdata[j] = link_load_copy(load);
        }
        one->links = link_sizes_packed(one->links);
    }
    *parts = of->sizes;
    g_ptr_array_set_free_func(*parts, NULL);
    g_ptr_array_remove(*parts, none);
    g_ptr_array_add(*parts, none);
    g_ptr_array_set_free_func(*parts, (GDestroyNotify)link_size_free);
    *of = (struct link_sizes){0};
    return link_sizes_packed(sum);
}
