// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/load.h"

#include <string.h>

static sim_time overlap(sim_time from, sim_time to, sim_time first, sim_time last)
{
    return MAX(0, MIN(to, last) - MAX(from, first));
}

// Busy time by stage of a processor, to find the largest.
static const char *largest_stage(const struct lane_record *lane, sim_time from, sim_time to)
{
    GHashTable *times = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    const char *largest = NULL;
    sim_time most = 0;
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind != PIECE_WORK)
            continue;
        sim_time *time = g_hash_table_lookup(times, piece->name);
        if (!time)
            g_hash_table_insert(times, (char *)piece->name, time = g_new0(sim_time, 1));
        *time += overlap(piece->from, piece->to, from, to);
        if (*time > most) {
            most = *time;
            largest = piece->name;
        }
    }
    g_hash_table_destroy(times);
    return largest;
}

static void add_work(struct resource_load *load, const struct lane_record *lane, sim_time from,
                     sim_time to)
{
    sim_time busy = 0, by_class[RECORD_CLASSES] = {0};
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind == PIECE_DELAY)
            continue;
        sim_time part = overlap(piece->from, piece->to, from, to);
        load->works = true;
        busy += part;
        if (piece->slice)
            by_class[g_array_index(lane->slices, struct slice_span, piece->slice - 1).class] +=
                part;
    }
    for (guint i = 0; i < lane->loads->len; i++) {
        const struct load *more = &g_array_index(lane->loads, struct load, i);
        busy += overlap(more->from, more->to, from, to);
    }
    load->busy_time = busy;
    load->busy = (double)busy / (double)(to - from);
    for (int class = 0; class < RECORD_CLASSES; class ++)
        load->by_class[class] = (double)by_class[class] / (double)(to - from);
}

static void add_queue(struct resource_load *load, const struct lane_record *lane, sim_time from,
                      sim_time to)
{
    int length = 0;
    double area = 0.0;
    sim_time since = from;
    for (guint i = 0; i < lane->steps->len; i++) {
        const struct queue_step *step = &g_array_index(lane->steps, struct queue_step, i);
        if (step->when >= to)
            break;
        if (step->when > since) {
            area += (double)length * (double)(step->when - since);
            // A queue that is left at once has not been one.
            load->longest_queue = MAX(load->longest_queue, length);
            since = step->when;
        }
        length += step->change;
    }
    area += (double)length * (double)(to - since);
    load->longest_queue = MAX(load->longest_queue, length);
    load->queues = lane->steps->len > 0;
    load->mean_queue = area / (double)(to - from);
}

static int compare_loads(const void *a, const void *b)
{
    const struct resource_load *left = a, *right = b;
    if (left->busy != right->busy)
        return left->busy > right->busy ? -1 : 1;
    int order = strcmp(left->group, right->group);
    return order ? order : strcmp(left->name, right->name);
}

GArray *load_measure(const struct record *record, sim_time from, sim_time to, const sim_time *way)
{
    GArray *loads = g_array_new(FALSE, FALSE, sizeof(struct resource_load));
    for (guint i = 0; i < record->lanes->len; i++) {
        const struct lane_record *lane = record_lane(record, i);
        struct resource_load load = {.group = lane->group, .name = lane->name};
        if (g_str_has_prefix(lane->name, "port "))
            continue; // the queue of a port is the queue of its link
        load.processor = lane->slices->len > 0;
        add_work(&load, lane, from, to);
        add_queue(&load, lane, from, to);
        load.way = way ? (double)way[i] / (double)(to - from) : 0.0;
        if (load.processor)
            load.largest = largest_stage(lane, from, to);
        if (load.busy > 0 || load.mean_queue > 0)
            g_array_append_val(loads, load);
    }
    g_array_sort(loads, compare_loads);
    return loads;
}

char *load_name(const struct resource_load *load)
{
    if (g_str_has_prefix(load->name, "wire "))
        return g_strdup_printf("link %s", load->name + strlen("wire "));
    return g_strdup_printf("%s %s", load->group, load->name);
}

// ---- What bounds a run ----

enum resource_kind {
    RESOURCE_LINK,
    RESOURCE_PROCESSOR,
    RESOURCE_CARD, // a processor on a card
    RESOURCE_BUS,
    RESOURCE_OTHER
};

static enum resource_kind kind_of(const struct resource_load *load)
{
    if (g_str_has_prefix(load->name, "wire "))
        return RESOURCE_LINK;
    if (load->processor)
        return g_str_has_prefix(load->name, "cpu ") ? RESOURCE_PROCESSOR : RESOURCE_CARD;
    return strcmp(load->name, "bus") == 0 ? RESOURCE_BUS : RESOURCE_OTHER;
}

// What can help; its parts are not weighed against one another.
static char *advice(const struct resource_load *load)
{
    const char *work = load->largest ? load->largest : "?";
    switch (kind_of(load)) {
    case RESOURCE_LINK:
        return g_strdup("what can help: a faster link (links[].rate), a second one beside it, "
                        "fewer bytes on it");
    case RESOURCE_PROCESSOR:
        return g_strdup_printf("most of its time goes to \"%s\"; what can help: a faster processor "
                               "(host.processor.clock), another core, less of that work",
                               work);
    case RESOURCE_CARD:
        return g_strdup_printf("most of its time goes to \"%s\"; what can help: a faster clock of "
                               "the card, less of that work",
                               work);
    case RESOURCE_BUS:
        return g_strdup("what can help: a wider bus (host.bus.rate), longer bursts "
                        "(host.bus.read_burst, write_burst)");
    case RESOURCE_OTHER:
        return g_strdup("what can help: a faster one");
    }
    return NULL;
}

// Resources of one kind that take turns: of them the one that is most on the way speaks for all.
static char *bound_by_kind(const GArray *loads)
{
    static const char *const names[] = {
        [RESOURCE_LINK] = "the wire",
        [RESOURCE_PROCESSOR] = "the processor",
        [RESOURCE_CARD] = "the card's processor",
        [RESOURCE_BUS] = "the bus",
        [RESOURCE_OTHER] = "",
    };
    double ways[RESOURCE_OTHER + 1] = {0}, busiest[RESOURCE_OTHER + 1] = {0};
    const struct resource_load *most[RESOURCE_OTHER + 1] = {NULL};
    for (guint i = 0; i < loads->len; i++) {
        const struct resource_load *load = &g_array_index(loads, struct resource_load, i);
        enum resource_kind kind = kind_of(load);
        ways[kind] += load->way;
        busiest[kind] = MAX(busiest[kind], load->busy);
        if (!most[kind] || load->way > most[kind]->way)
            most[kind] = load;
    }
    for (enum resource_kind kind = RESOURCE_LINK; kind < RESOURCE_OTHER; kind++) {
        if (!most[kind] || ways[kind] < LOAD_BOUND)
            continue;
        char *more = advice(most[kind]);
        char *text = g_strdup_printf("bound by %s, on which the way is for %.1f %% of the time, "
                                     "though none is busy for more "
                                     "than %.1f %%: %s, fewer steps that wait for one another",
                                     names[kind], 100 * ways[kind], 100 * busiest[kind], more);
        g_free(more);
        return text;
    }
    return NULL;
}

char *load_bound_text(const GArray *loads)
{
    if (loads->len == 0)
        return NULL;
    const struct resource_load *first = &g_array_index(loads, struct resource_load, 0);
    if (first->busy < LOAD_BOUND)
        return bound_by_kind(loads);
    char *name = load_name(first), *more = advice(first);
    char *text =
        g_strdup_printf("bound by %s, busy %.1f %% of the time: %s", name, 100 * first->busy, more);
    g_free(name);
    g_free(more);
    return text;
}
