// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/result_text.h"

#include "sim/core/intern.h"

#include <stdlib.h>

// With all its digits, and as infinity or NaN, which JSON's numbers can't be.
static json_t *real(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return json_string(g_ascii_dtostr(text, sizeof text, value));
}

static double real_of(const json_t *json)
{
    const char *text = json_string_value(json);
    return text ? g_ascii_strtod(text, NULL) : 0.0;
}

// ---- The members that are whole numbers, in one order for writing and reading ----

#define WHOLES 13

struct wholes {
    uint64_t *members[WHOLES];
};

static struct wholes wholes_of(struct series_result *series)
{
    struct ledger_totals *ledger = &series->ledger;
    return (struct wholes){{&ledger->messages, &ledger->bytes, &ledger->delivered, &ledger->lost,
                            &ledger->open, &ledger->duplicated, &ledger->misordered,
                            &ledger->delivered_bytes, &ledger->dropped_parts, &ledger->declined,
                            &ledger->declined_bytes, &series->events, &series->fingerprint}};
}

static json_t *wholes_json(const struct series_result *series)
{
    struct series_result copy = *series;
    struct wholes wholes = wholes_of(&copy);
    json_t *list = json_array();
    for (int i = 0; i < WHOLES; i++)
        json_array_append_new(list, json_integer((json_int_t)*wholes.members[i]));
    return list;
}

static void wholes_read(struct series_result *series, const json_t *list)
{
    struct wholes wholes = wholes_of(series);
    for (size_t i = 0; i < WHOLES; i++)
        *wholes.members[i] = (uint64_t)json_integer_value(json_array_get(list, i));
}

// ---- Lists ----

static json_t *values_json(const GArray *values)
{
    json_t *list = json_array();
    for (guint i = 0; i < values->len; i++) {
        const struct result_value *value = &g_array_index(values, struct result_value, i);
        json_array_append_new(list, json_pack("[i, I, s, o]", value->rank, (json_int_t)value->size,
                                              value->metric, real(value->value)));
    }
    return list;
}

static void values_read(struct series_result *series, const json_t *list)
{
    const json_t *value;
    size_t i;
    json_array_foreach(list, i, value)
    {
        series_result_add(series, (int)json_integer_value(json_array_get(value, 0)),
                          json_integer_value(json_array_get(value, 1)),
                          json_string_value(json_array_get(value, 2)),
                          real_of(json_array_get(value, 3)));
    }
}

static json_t *samples_json(const GArray *samples)
{
    json_t *list = json_array();
    for (guint i = 0; i < samples->len; i++) {
        const struct result_sample *sample = &g_array_index(samples, struct result_sample, i);
        json_array_append_new(
            list, json_pack("[i, I, o]", sample->rank, (json_int_t)sample->size, real(sample->us)));
    }
    return list;
}

static GArray *samples_read(const json_t *list)
{
    guint count = (guint)json_array_size(list);
    GArray *samples = g_array_sized_new(FALSE, FALSE, sizeof(struct result_sample), count);
    const json_t *sample;
    size_t i;
    json_array_foreach(list, i, sample)
    {
        struct result_sample read = {(int)json_integer_value(json_array_get(sample, 0)),
                                     json_integer_value(json_array_get(sample, 1)),
                                     real_of(json_array_get(sample, 2))};
        g_array_append_val(samples, read);
    }
    return samples;
}

static json_t *losses_json(const GArray *losses)
{
    json_t *list = json_array();
    for (guint i = 0; i < losses->len; i++) {
        const struct result_loss *loss = &g_array_index(losses, struct result_loss, i);
        json_array_append_new(list, json_pack("[s, i, I, I]", loss->name, (int)loss->kind,
                                              (json_int_t)loss->count, (json_int_t)loss->before));
    }
    return list;
}

static void losses_read(struct series_result *series, const json_t *list)
{
    const json_t *loss;
    size_t i;
    json_array_foreach(list, i, loss)
    {
        struct result_loss read = {
            .name = intern_text(json_string_value(json_array_get(loss, 0))),
            .kind = (enum sim_loss)json_integer_value(json_array_get(loss, 1)),
            .count = json_integer_value(json_array_get(loss, 2)),
            .before = json_integer_value(json_array_get(loss, 3)),
        };
        g_array_append_val(series->losses, read);
    }
}

static json_t *link_drops_json(const GArray *drops)
{
    json_t *list = json_object();
    for (guint i = 0; drops && i < drops->len; i++) {
        const struct link_drop *drop = &g_array_index(drops, struct link_drop, i);
        json_object_set_new(list, drop->reason, json_integer(drop->packets));
    }
    return list;
}

static json_t *links_text_json(const GPtrArray *links)
{
    json_t *list = json_array();
    for (guint i = 0; i < links->len; i++) {
        const struct link_load *link = g_ptr_array_index(links, i);
        json_t *counts = json_array();
        for (int count = 0; count < LINK_COUNTS; count++)
            json_array_append_new(counts, json_integer(link->counts[count]));
        json_array_append_new(list, json_pack("[s, s, i, s, i, I, o, o, b]", link->name, link->from,
                                              link->from_port, link->to, link->to_port,
                                              (json_int_t)link->rate, counts,
                                              link_drops_json(link->drops), (int)link->pauses));
    }
    return list;
}

// [size, time, links] of each.
static json_t *link_sizes_json(const GPtrArray *sizes)
{
    json_t *list = json_array();
    for (guint i = 0; i < sizes->len; i++) {
        const struct link_size *one = g_ptr_array_index(sizes, i);
        json_array_append_new(list, json_pack("[I, I, o]", (json_int_t)one->size,
                                              (json_int_t)one->time, links_text_json(one->links)));
    }
    return list;
}

static json_t *standouts_json(const GArray *standouts)
{
    json_t *list = json_array();
    for (guint i = 0; i < standouts->len; i++) {
        const struct result_standout *one = &g_array_index(standouts, struct result_standout, i);
        json_array_append_new(list,
                              json_pack("[i, i, I, I, I, o, o, s?, o]", (int)one->kind, one->rank,
                                        (json_int_t)one->size, (json_int_t)one->repetition,
                                        (json_int_t)one->repetitions, real(one->us),
                                        real(one->usual_us), one->wait, real(one->wait_us)));
    }
    return list;
}

static struct link_load *link_load_read(const json_t *json)
{
    struct link_load *link = link_load_new(json_string_value(json_array_get(json, 0)),
                                           json_string_value(json_array_get(json, 1)),
                                           json_string_value(json_array_get(json, 3)));
    link->from_port = (int)json_integer_value(json_array_get(json, 2));
    link->to_port = (int)json_integer_value(json_array_get(json, 4));
    link->rate = json_integer_value(json_array_get(json, 5));
    link->pauses = json_is_true(json_array_get(json, 8));
    for (size_t count = 0; count < LINK_COUNTS; count++)
        link->counts[count] = json_integer_value(json_array_get(json_array_get(json, 6), count));
    const char *reason;
    json_t *packets;
    json_object_foreach(json_array_get(json, 7), reason, packets)
    {
        link_load_add_drop(&link->drops, intern_text(reason), json_integer_value(packets));
    }
    return link;
}

static GPtrArray *link_loads_read(const json_t *list)
{
    GPtrArray *links = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    const json_t *link;
    size_t i;
    json_array_foreach(list, i, link)
    {
        g_ptr_array_add(links, link_load_read(link));
    }
    return links;
}

static GPtrArray *link_sizes_read(const json_t *list)
{
    GPtrArray *sizes = g_ptr_array_new_with_free_func((GDestroyNotify)link_size_free);
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        struct link_size *read = link_size_new(json_integer_value(json_array_get(one, 0)));
        read->time = json_integer_value(json_array_get(one, 1));
        g_ptr_array_unref(read->links);
        read->links = link_loads_read(json_array_get(one, 2));
        g_ptr_array_add(sizes, read);
    }
    return sizes;
}

static void standouts_read(struct series_result *series, const json_t *list)
{
    const json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        struct result_standout read = {
            .kind = (enum standout_kind)json_integer_value(json_array_get(one, 0)),
            .rank = (int)json_integer_value(json_array_get(one, 1)),
            .size = json_integer_value(json_array_get(one, 2)),
            .repetition = json_integer_value(json_array_get(one, 3)),
            .repetitions = json_integer_value(json_array_get(one, 4)),
            .us = real_of(json_array_get(one, 5)),
            .usual_us = real_of(json_array_get(one, 6)),
            .wait = intern_text(json_string_value(json_array_get(one, 7))),
            .wait_us = real_of(json_array_get(one, 8)),
        };
        g_array_append_val(series->standouts, read);
    }
}

static json_t *report_json(const GPtrArray *report)
{
    json_t *list = report ? json_array() : json_null();
    for (guint i = 0; report && i < report->len; i++)
        json_array_append_new(list, json_string(g_ptr_array_index(report, i)));
    return list;
}

static GPtrArray *report_read(const json_t *list)
{
    GPtrArray *report = json_is_array(list) ? g_ptr_array_new_with_free_func(g_free) : NULL;
    const json_t *line;
    size_t i;
    json_array_foreach(list, i, line)
    {
        g_ptr_array_add(report, g_strdup(json_string_value(line)));
    }
    return report;
}

// ---- The whole ----

char *result_text_of(const struct series_result *series)
{
    json_t *json = json_object();
    if (series->counts)
        json_object_set_new(json, "counts", json_string(series->counts));
    if (series->fidelity)
        json_object_set_new(json, "fidelity", json_string(series->fidelity));
    if (series->note)
        json_object_set_new(json, "note", json_string(series->note));
    if (series->basis)
        json_object_set_new(json, "basis", json_string(series->basis));
    json_object_set_new(json, "status", json_integer(series->status));
    json_object_set(json, "reason", series->reason);
    json_object_set(json, "counters", series->counters);
    json_object_set_new(json, "balanced", json_boolean(series->ledger_balanced));
    json_object_set_new(json, "faults", json_boolean(series->faults));
    json_object_set_new(json, "wholes", wholes_json(series));
    json_object_set_new(json, "simulated", json_integer(series->simulated));
    json_object_set_new(json, "wall", real(series->wall_s));
    json_object_set_new(json, "values", values_json(series->values));
    if (series->samples)
        json_object_set_new(json, "samples", samples_json(series->samples));
    json_object_set_new(json, "losses", losses_json(series->losses));
    if (series->links)
        json_object_set_new(json, "links", links_text_json(series->links));
    if (series->link_sizes)
        json_object_set_new(json, "link_sizes", link_sizes_json(series->link_sizes));
    json_object_set_new(json, "standouts", standouts_json(series->standouts));
    json_object_set_new(json, "report", report_json(series->ledger_report));
    if (series->declined)
        json_object_set_new(json, "declined", report_json(series->declined));
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    if (!text)
        g_error("a result could not be written");
    char *own = g_strdup(text);
    free(text);
    return own;
}

struct series_result *result_text_read(const char *text, const char *name, const char *stack)
{
    json_t *json = json_loads(text, 0, NULL);
    if (!json_is_object(json)) {
        json_decref(json);
        return NULL;
    }
    struct series_result *series = series_result_new(name, stack);
    series->counts = intern_text(json_string_value(json_object_get(json, "counts")));
    series->fidelity = intern_text(json_string_value(json_object_get(json, "fidelity")));
    series->note = intern_text(json_string_value(json_object_get(json, "note")));
    series->basis = intern_text(json_string_value(json_object_get(json, "basis")));
    series->status = (enum sim_status)json_integer_value(json_object_get(json, "status"));
    series->reason = json_incref(json_object_get(json, "reason"));
    series->counters = json_incref(json_object_get(json, "counters"));
    series->ledger_balanced = json_is_true(json_object_get(json, "balanced"));
    series->faults = json_is_true(json_object_get(json, "faults"));
    wholes_read(series, json_object_get(json, "wholes"));
    series->simulated = json_integer_value(json_object_get(json, "simulated"));
    series->wall_s = real_of(json_object_get(json, "wall"));
    values_read(series, json_object_get(json, "values"));
    if (json_object_get(json, "samples"))
        series->samples = samples_read(json_object_get(json, "samples"));
    losses_read(series, json_object_get(json, "losses"));
    if (json_object_get(json, "links"))
        series->links = link_loads_read(json_object_get(json, "links"));
    if (json_object_get(json, "link_sizes"))
        series->link_sizes = link_sizes_read(json_object_get(json, "link_sizes"));
    standouts_read(series, json_object_get(json, "standouts"));
    series->ledger_report = report_read(json_object_get(json, "report"));
    series->declined = report_read(json_object_get(json, "declined"));
    json_decref(json);
    return series;
}
