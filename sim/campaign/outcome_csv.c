// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a sweep as CSV.
#include "sim/campaign/outcome.h"

#include "sim/output/csv.h"
#include "sim/output/text.h"
#include "sim/workload/result.h"

#include <math.h>
#include <string.h>

static void append_head(GString *out, const struct outcome *outcome)
{
    g_string_append(out, "point");
    for (guint i = 0; i < outcome->parameters->len; i++) {
        g_string_append_c(out, ',');
        csv_append_field(out, g_ptr_array_index(outcome->parameters, i));
    }
    g_string_append(
        out, g_ptr_array_find_with_equal_func(outcome->parameters, OUTCOME_SEED, g_str_equal, NULL)
                 ? ""
                 : ",seed");
    g_string_append(out, ",series,status,reason,rank,size,metric,unit,value\n");
}

// The columns that all rows of a point have.
static char *point_columns(const struct outcome *outcome, int point)
{
    GString *out = g_string_new(NULL);
    bool has_seed = false;
    g_string_append_printf(out, "%d,", point);
    for (guint i = 0; i < outcome->parameters->len; i++) {
        const char *text = outcome->texts[point * (int)outcome->parameters->len + (int)i];
        csv_append_field(out, text ? text : "");
        g_string_append_c(out, ',');
        has_seed |= strcmp(g_ptr_array_index(outcome->parameters, i), OUTCOME_SEED) == 0;
    }
    if (!has_seed && !outcome->problems[point])
        g_string_append_printf(out, "%" G_GINT64_FORMAT, outcome->seeds[point]);
    if (!has_seed)
        g_string_append_c(out, ',');
    return g_string_free(out, FALSE);
}

static void append_value(GString *out, const struct outcome_curve *curve, double value)
{
    char *digits = text_exact(value);
    if (curve->rank < 0)
        g_string_append(out, "all,");
    else
        g_string_append_printf(out, "%d,", curve->rank);
    if (curve->size >= 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, curve->size);
    g_string_append_c(out, ',');
    csv_append_field(out, curve->metric);
    g_string_append_printf(out, ",%s,%s\n", metric_unit(curve->metric), digits);
    g_free(digits);
}

static void append_series(GString *out, const struct outcome *outcome, int point, int series,
                          const char *columns)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    bool any = false;
    if (!end->status) // this point has no such series
        return;
    GString *head = g_string_new(columns);
    csv_append_field(head, outcome_series_name(outcome, series));
    g_string_append_printf(head, ",%s,%s,", end->status, end->kind ? end->kind : "");
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        double value = isnan(curve->values[point]) ? curve->lost[point] : curve->values[point];
        if (curve->series != series || isnan(value))
            continue;
        g_string_append(out, head->str);
        append_value(out, curve, value);
        any = true;
    }
    if (!any)
        g_string_append_printf(out, "%s,,,,\n", head->str);
    g_string_free(head, TRUE);
}

GString *outcome_csv(const struct outcome *outcome)
{
    GString *out = g_string_new(NULL);
    append_head(out, outcome);
    for (int point = 0; point < outcome->points; point++) {
        char *columns = point_columns(outcome, point);
        for (int series = 0; series < (int)outcome->series->len; series++)
            append_series(out, outcome, point, series, columns);
        if (outcome->problems[point]) {
            g_string_append_printf(out, "%s,impossible,", columns);
            csv_append_field(out, outcome->problems[point]);
            g_string_append(out, ",,,,,\n");
        }
        g_free(columns);
    }
    return out;
}
