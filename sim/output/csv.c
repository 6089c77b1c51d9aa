// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/csv.h"
#include "sim/output/csv_field.h"

#include "sim/output/json.h"
#include "sim/output/text.h"

#include <stdbool.h>
#include <string.h>

static void csv_append_row(GString *out, const char *scenario, const char *series,
                           const struct result_value *value)
{
    csv_append_field(out, scenario);
    g_string_append_c(out, ',');
    csv_append_field(out, series);
    if (value->rank < 0)
        g_string_append(out, ",all,");
    else
        g_string_append_printf(out, ",%d,", value->rank);
    if (value->size >= 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, value->size);
    g_string_append_c(out, ',');
    csv_append_field(out, value->metric);
    g_string_append_c(out, ',');
    csv_append_field(out, metric_unit(value->metric));
    char *digits = text_exact(value->value);
    g_string_append_printf(out, ",%s\n", digits);
    g_free(digits);
}

static void append_counters(GString *out, const char *scenario, const struct series_result *series)
{
    const char *name;
    json_t *counters = counters_json(series->counters), *value;
    json_object_foreach(counters, name, value)
    {
        csv_append_field(out, scenario);
        g_string_append_c(out, ',');
        csv_append_field(out, series->name);
        g_string_append(out, ",all,,");
        csv_append_field(out, name);
        g_string_append_printf(out, "," CSV_COUNT ",%" JSON_INTEGER_FORMAT "\n",
                               json_integer_value(value));
    }
    json_decref(counters);
}

GString *csv_text(const struct result *result, const char *const *metrics)
{
    GString *out = g_string_new("scenario,series,rank,size,metric,unit,value\n");
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        for (guint j = 0; j < series->values->len; j++) {
            const struct result_value *value =
                &g_array_index(series->values, struct result_value, j);
            if (!metrics || text_metric_is_among(value->metric, metrics))
                csv_append_row(out, result->scenario, series->name, value);
        }
        if (!metrics)
            append_counters(out, result->scenario, series);
    }
    return out;
}

static void append_samples(GString *out, const char *scenario, const struct series_result *series)
{
    GString *head = g_string_new(NULL);
    csv_append_field(head, scenario);
    g_string_append_c(head, ',');
    csv_append_field(head, series->name);
    int repetition = 0;
    const struct result_sample *before = NULL;
    for (guint i = 0; i < series->samples->len; i++) {
        const struct result_sample *sample =
            &g_array_index(series->samples, struct result_sample, i);
        bool goes_on = before && before->rank == sample->rank && before->size == sample->size;
        repetition = goes_on ? repetition + 1 : 1;
        before = sample;
        char *digits = text_exact(sample->us);
        g_string_append_printf(out, "%s,%d,%" G_GINT64_FORMAT ",%d,%s\n", head->str, sample->rank,
                               sample->size, repetition, digits);
        g_free(digits);
    }
    g_string_free(head, TRUE);
}

GString *csv_samples(const struct result *result)
{
    GString *out = NULL;
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        if (!series->samples)
            continue;
        if (!out)
            out = g_string_new("scenario,series,rank,size,repetition,time_us\n");
        append_samples(out, result->scenario, series);
    }
    return out;
}
