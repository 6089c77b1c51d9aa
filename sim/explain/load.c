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
        sim_time *time = g_hash_table_lookup(times, piece->stage->name);
        if (!time)
            g_hash_table_insert(times, (char *)piece->stage->name, time = g_new0(sim_time, 1));
        *time += overlap(piece->from, piece->to, from, to);
        if (*time > most) {
            most = *time;
            largest = piece->stage->name;
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
        load->works = true;
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
        struct resource_load load = {.group = lane->group,
                                     .name = lane->name,
                                     .link = lane->link,
                                     .ends = {lane->ends[0], lane->ends[1]}};
        if (lane->kind == TRACE_QUEUE)
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
    if (load->link)
        return g_strdup_printf("link %s", load->link);
    return g_strdup_printf("%s %s", load->group, load->name);
}
