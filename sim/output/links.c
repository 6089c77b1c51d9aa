// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/links.h"

#include "sim/core/shown.h"
#include "sim/output/csv_field.h"
#include "sim/output/text.h"

#include <string.h>

#define MOST_LINKS_SHOWN 20

static const struct link_load *links_at(const GPtrArray *links, guint index)
{
    return g_ptr_array_index(links, index);
}

static bool links_is_time(const struct link_count_kind *kind)
{
    return strcmp(kind->unit, "ps") == 0;
}

static double links_utilisation(const struct link_load *link, sim_time time)
{
    return time > 0 ? (double)link->counts[LINK_BUSY] / (double)time : 0;
}

static int64_t links_dropped_at_ends(const struct link_load *link)
{
    int64_t sum = 0;
    for (guint i = 0; link->drops && i < link->drops->len; i++)
        sum += g_array_index(link->drops, struct link_drop, i).packets;
    return sum;
}

// ---- CSV ----

static void links_append_header(GString *out, bool sizes, bool pauses)
{
    g_string_append_printf(out,
                           "scenario,series,%slink,from,from_port,to,to_port,rate_b_per_s,"
                           "utilisation",
                           sizes ? "size," : "");
    for (int i = 0; i < LINK_COUNTS; i++)
        if (pauses || !link_count_kinds[i].pause)
            g_string_append_printf(out, ",%s%s", link_count_kinds[i].name,
                                   links_is_time(&link_count_kinds[i]) ? "_us" : "");
    g_string_append(out, ",dropped_by_hosts\n");
}

static void links_append_end(GString *out, const char *name, int port)
{
    g_string_append_c(out, ',');
    csv_append_field(out, name);
    g_string_append_c(out, ',');
    if (port >= 0)
        g_string_append_printf(out, "%d", port);
}

static void links_append_link(GString *out, const struct link_load *link, sim_time time,
                              bool pauses)
{
    char *share = text_exact(links_utilisation(link, time));
    csv_append_field(out, link->name);
    links_append_end(out, link->from, link->from_port);
    links_append_end(out, link->to, link->to_port);
    g_string_append_printf(out, ",%" G_GINT64_FORMAT ",%s", link->rate, share);
    for (int i = 0; i < LINK_COUNTS; i++) {
        if (!pauses && link_count_kinds[i].pause)
            continue;
        g_string_append_c(out, ',');
        if (links_is_time(&link_count_kinds[i]))
            text_append_us(out, link->counts[i]);
        else
            g_string_append_printf(out, "%" G_GINT64_FORMAT, link->counts[i]);
    }
    g_string_append_printf(out, ",%" G_GINT64_FORMAT "\n", links_dropped_at_ends(link));
    g_free(share);
}

static void links_append_key(GString *out, const struct result *result,
                             const struct series_result *series)
{
    csv_append_field(out, result->scenario);
    g_string_append_c(out, ',');
    csv_append_field(out, series->name);
    g_string_append_c(out, ',');
}

// Columns of PAUSE frames are left out where no link may carry any.
static bool links_pause(const struct result *result)
{
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        for (guint j = 0; series->links && j < series->links->len; j++)
            if (links_at(series->links, j)->pauses)
                return true;
    }
    return false;
}

GString *links_csv(const struct result *result)
{
    GString *out = NULL;
    bool pauses = links_pause(result);
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        if (!series->links)
            continue;
        if (!out)
            links_append_header(out = g_string_new(NULL), false, pauses);
        for (guint j = 0; j < series->links->len; j++) {
            links_append_key(out, result, series);
            links_append_link(out, links_at(series->links, j), series->simulated, pauses);
        }
    }
    return out;
}

static void links_append_size(GString *out, const struct result *result,
                              const struct series_result *series, const struct link_size *of,
                              bool pauses)
{
    for (guint i = 0; i < of->links->len; i++) {
        links_append_key(out, result, series);
        if (of->size >= 0)
            g_string_append_printf(out, "%" G_GINT64_FORMAT, of->size);
        g_string_append_c(out, ',');
        links_append_link(out, links_at(of->links, i), of->time, pauses);
    }
}

GString *links_csv_by_size(const struct result *result)
{
    GString *out = NULL;
    bool pauses = links_pause(result);
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        if (!series->link_sizes)
            continue;
        if (!out)
            links_append_header(out = g_string_new(NULL), true, pauses);
        for (guint j = 0; j < series->link_sizes->len; j++)
            links_append_size(out, result, series, g_ptr_array_index(series->link_sizes, j),
                              pauses);
    }
    return out;
}

// ---- JSON ----

static json_t *links_name_json(const char *name)
{
    char *valid = g_utf8_make_valid(name, -1);
    json_t *string = json_string(valid);
    g_free(valid);
    return string;
}

static json_t *links_one_json(const struct link_load *link, sim_time time)
{
    json_t *json = json_object();
    json_object_set_new(json, "link", links_name_json(link->name));
    json_object_set_new(json, "from", links_name_json(link->from));
    if (link->from_port >= 0)
        json_object_set_new(json, "from_port", json_integer(link->from_port));
    json_object_set_new(json, "to", links_name_json(link->to));
    if (link->to_port >= 0)
        json_object_set_new(json, "to_port", json_integer(link->to_port));
    json_object_set_new(json, "rate_b_per_s", json_integer(link->rate));
    json_object_set_new(json, "utilisation", json_real(links_utilisation(link, time)));
    for (int i = 0; i < LINK_COUNTS; i++) {
        const struct link_count_kind *kind = &link_count_kinds[i];
        if (kind->pause && !link->pauses)
            continue;
        char *name = g_strconcat(kind->name, links_is_time(kind) ? "_us" : NULL, NULL);
        json_object_set_new(json, name,
                            links_is_time(kind) ? json_real((double)link->counts[i] / 1e6)
                                                : json_integer(link->counts[i]));
        g_free(name);
    }
    json_t *drops = json_object();
    for (guint i = 0; link->drops && i < link->drops->len; i++) {
        const struct link_drop *drop = &g_array_index(link->drops, struct link_drop, i);
        json_object_set_new(drops, drop->reason, json_integer(drop->packets));
    }
    json_object_set_new(json, "dropped_by_hosts", drops);
    return json;
}

static json_t *links_list_json(const GPtrArray *links, sim_time time)
{
    json_t *list = json_array();
    for (guint i = 0; i < links->len; i++)
        json_array_append_new(list, links_one_json(links_at(links, i), time));
    return list;
}

json_t *links_json(const struct series_result *series)
{
    return series->links ? links_list_json(series->links, series->simulated) : NULL;
}

json_t *links_json_by_size(const struct series_result *series)
{
    json_t *sizes = series->link_sizes ? json_array() : NULL;
    for (guint i = 0; sizes && i < series->link_sizes->len; i++) {
        const struct link_size *of = g_ptr_array_index(series->link_sizes, i);
        json_t *size = of->size < 0 ? json_null() : json_integer(of->size);
        json_array_append_new(sizes, json_pack("{s:o, s:f, s:o}", "size", size, "time_us",
                                               (double)of->time / 1e6, "links",
                                               links_list_json(of->links, of->time)));
    }
    return sizes;
}

// ---- The table ----

static gint links_compare_busy(gconstpointer a, gconstpointer b)
{
    const struct link_load *left = *(struct link_load *const *)a,
                           *right = *(struct link_load *const *)b;
    if (left->counts[LINK_BUSY] != right->counts[LINK_BUSY])
        return left->counts[LINK_BUSY] > right->counts[LINK_BUSY] ? -1 : 1;
    return strcmp(left->name, right->name);
}

static void links_add_clause(GString *clauses, int64_t count, const char *text)
{
    if (count)
        g_string_append_printf(clauses, "%s%" G_GINT64_FORMAT " %s", clauses->len ? ", " : "",
                               count, text);
}

static void links_add_time(GString *clauses, sim_time time, const char *text)
{
    if (time)
        g_string_append_printf(clauses, "%s%.2f us %s", clauses->len ? ", " : "",
                               (double)time / 1e6, text);
}

// A line on the queue and the unusual events of a link: "longest queue 3 with 4398 B at 17.20 us, 2
// lost".
static void links_append_clauses(GString *out, const struct link_load *link)
{
    static const struct {
        enum link_count count;
        const char *text;
    } rows[] = {
        {LINK_FULL, "dropped, queue full"},
        {LINK_LOST, "lost"},
        {LINK_DOWN, "lost, link down"},
        {LINK_CHECK, "dropped, check failed"},
        {LINK_UNWANTED, "dropped, no receiver"},
        {LINK_CORRUPT, "corrupt"},
        {LINK_REPEATED, "repeated"},
        {LINK_DUPLICATED, "duplicated"},
        {LINK_STOPS, "STOP"},
        {LINK_PAUSES, "PAUSE"},
    };
    const int64_t *counts = link->counts;
    GString *clauses = g_string_new(NULL);
    if (counts[LINK_QUEUE])
        g_string_append_printf(
            clauses, "longest queue %" G_GINT64_FORMAT " with %" G_GINT64_FORMAT " B at %.2f us",
            counts[LINK_QUEUE], counts[LINK_QUEUE_BYTES], (double)counts[LINK_QUEUE_WHEN] / 1e6);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        links_add_clause(clauses, counts[rows[i].count], rows[i].text);
    for (guint i = 0; link->drops && i < link->drops->len; i++) {
        const struct link_drop *drop = &g_array_index(link->drops, struct link_drop, i);
        links_add_clause(clauses, drop->packets, drop->reason);
    }
    links_add_time(clauses, counts[LINK_HELD_TIME], "held back");
    links_add_time(clauses, counts[LINK_NO_CREDIT], "without credit");
    links_add_time(clauses, counts[LINK_PAUSED], "paused");
    if (clauses->len > 0)
        g_string_append_printf(out, "    %s\n", clauses->str);
    g_string_free(clauses, TRUE);
}

static void links_append_row_of_link(GString *out, const struct series_result *series,
                                     const struct link_load *link, int width)
{
    const int64_t *counts = link->counts;
    char *packets = text_grouped((uint64_t)counts[LINK_PACKETS]);
    char *bytes = text_grouped((uint64_t)counts[LINK_BYTES]);
    g_string_append(out, "  ");
    text_append_left(out, link->name, width);
    g_string_append_printf(out, " %11s %15s %13.2f %6.1f %%\n", packets, bytes,
                           (double)counts[LINK_BUSY] / 1e6,
                           100 * links_utilisation(link, series->simulated));
    links_append_clauses(out, link);
    g_free(packets);
    g_free(bytes);
}

static void links_append_series(GString *out, const struct series_result *series, bool all)
{
    GPtrArray *sorted = g_ptr_array_new();
    int width = 4;
    for (guint i = 0; i < series->links->len; i++)
        g_ptr_array_add(sorted, g_ptr_array_index(series->links, i));
    g_ptr_array_sort(sorted, links_compare_busy);
    guint shown = all ? sorted->len : MIN(sorted->len, MOST_LINKS_SHOWN);
    for (guint i = 0; i < shown; i++)
        width = MAX(width, text_width(links_at(sorted, i)->name));
    g_string_append(out, "links of ");
    shown_append(out, series->name, SHOWN_LINE);
    g_string_append_printf(out, ", in all of %.6f s\n  ", time_to_s(series->simulated));
    text_append_left(out, "link", width);
    g_string_append_printf(out, " %11s %15s %13s %8s\n", "packets", "bytes", "busy us", "busy");
    for (guint i = 0; i < shown; i++)
        links_append_row_of_link(out, series, links_at(sorted, i), width);
    if (shown < sorted->len)
        g_string_append_printf(out, "  and %u that are less busy (--links=all, links.csv)\n",
                               sorted->len - shown);
    g_ptr_array_unref(sorted);
}

void links_append_table(GString *out, const struct result *result, bool all)
{
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        if (out->len > 0)
            g_string_append_c(out, '\n');
        if (series->links) {
            links_append_series(out, series, all);
        } else {
            g_string_append(out, "links of ");
            shown_append(out, series->name, SHOWN_LINE);
            g_string_append(out, ": none are counted on flows, which have no packets\n");
        }
    }
}
