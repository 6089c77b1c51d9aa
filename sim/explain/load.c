// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/load.h"

#include <string.h>

// ---- Measured time ----

GArray *load_time_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct measured_time));
}

static const struct measured_time *time_at(const GArray *times, guint index)
{
    return &g_array_index(times, struct measured_time, index);
}

sim_time load_time_sum(const GArray *times)
{
    if (times->len == 0)
        return 0;
    const struct measured_time *last = time_at(times, times->len - 1);
    return last->before + last->to - last->from;
}

void load_time_add(GArray *times, sim_time from, sim_time to)
{
    struct measured_time time = {from, to, load_time_sum(times)};
    g_array_append_val(times, time);
}

// The measured time before `when`.
static sim_time measured_before(const GArray *times, sim_time when)
{
    guint low = 0, high = times->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (time_at(times, middle)->from < when)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct measured_time *last = time_at(times, low - 1);
    return last->before + MIN(when, last->to) - last->from;
}

sim_time load_time_within(const GArray *times, sim_time from, sim_time to)
{
    return measured_before(times, to) - measured_before(times, from);
}

// ---- Loads ----

// Busy time by stage of a processor, to find the largest.
static const char *largest_stage(const struct lane_record *lane, const GArray *measured)
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
        *time += load_time_within(measured, piece->from, piece->to);
        if (*time > most) {
            most = *time;
            largest = piece->stage->name;
        }
    }
    g_hash_table_destroy(times);
    return largest;
}

static void add_work(struct resource_load *load, const struct lane_record *lane,
                     const GArray *times)
{
    sim_time busy = 0, by_class[RECORD_CLASSES] = {0}, whole = load_time_sum(times);
    for (guint i = 0; i < lane->pieces->len; i++) {
        const struct piece *piece = &g_array_index(lane->pieces, struct piece, i);
        if (piece->kind == PIECE_DELAY)
            continue;
        sim_time part = load_time_within(times, piece->from, piece->to);
        load->works = true;
        busy += part;
        if (piece->slice)
            by_class[g_array_index(lane->slices, struct slice_span, piece->slice - 1).class] +=
                part;
    }
    for (guint i = 0; i < lane->loads->len; i++) {
        const struct load *more = &g_array_index(lane->loads, struct load, i);
        load->works = true;
        busy += load_time_within(times, more->from, more->to);
    }
    load->busy_time = busy;
    load->busy = (double)busy / (double)whole;
    for (int class = 0; class < RECORD_CLASSES; class ++)
        load->by_class[class] = (double)by_class[class] / (double)whole;
}

static void add_queue(struct resource_load *load, const struct lane_record *lane,
                      const GArray *times)
{
    int length = 0;
    double area = 0.0;
    sim_time since = time_at(times, 0)->from, end = time_at(times, times->len - 1)->to;
    for (guint i = 0; i <= lane->steps->len; i++) {
        const struct queue_step last = {end, 0};
        const struct queue_step *step =
            i < lane->steps->len ? &g_array_index(lane->steps, struct queue_step, i) : &last;
        sim_time when = MIN(step->when, end);
        if (when > since) {
            sim_time time = load_time_within(times, since, when);
            area += (double)length * (double)time;
            // A queue that is left at once has not been one.
            load->longest_queue = MAX(load->longest_queue, time > 0 ? length : 0);
            since = when;
        }
        if (step->when >= end)
            break;
        length += step->change;
    }
    load->queues = lane->steps->len > 0;
    load->mean_queue = area / (double)load_time_sum(times);
}

static int compare_loads(const void *a, const void *b)
{
    const struct resource_load *left = a, *right = b;
    if (left->busy != right->busy)
        return left->busy > right->busy ? -1 : 1;
    int order = strcmp(left->group, right->group);
    return order ? order : strcmp(left->name, right->name);
}

GArray *load_measure(const struct record *record, const GArray *times, const sim_time *way)
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
        add_work(&load, lane, times);
        add_queue(&load, lane, times);
        load.way = way ? (double)way[i] / (double)load_time_sum(times) : 0.0;
        if (load.processor)
            load.largest = largest_stage(lane, times);
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
