// SPDX-License-Identifier: GPL-3.0-or-later
// The values of a sweep as CSV.
#include "sim/outcome/outcome.h"

#include "sim/measure/result.h"
#include "sim/outcome/replicated.h"
#include "sim/output/csv_field.h"
#include "sim/output/text.h"

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

// "all,16384,latency_us,us": what a curve is of.
static void append_curve(GString *out, const struct outcome_curve *curve)
{
    if (curve->rank < 0)
        g_string_append(out, "all,");
    else
        g_string_append_printf(out, "%d,", curve->rank);
    if (curve->size >= 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, curve->size);
    g_string_append_c(out, ',');
    csv_append_field(out, curve->metric);
    g_string_append_printf(out, ",%s", metric_unit(curve->metric));
}

// ",1.5", or an empty column for what is no number.
static void append_number(GString *out, double value)
{
    char *digits = isnan(value) ? g_strdup("") : text_exact(value);
    g_string_append_printf(out, ",%s", digits);
    g_free(digits);
}

// The columns of a point, then the name of a series.
static GString *series_columns(const struct outcome *outcome, int series, const char *columns)
{
    GString *head = g_string_new(columns);
    csv_append_field(head, outcome_series_name(outcome, series));
    return head;
}

static void append_value(GString *out, const struct outcome_curve *curve, double value)
{
    append_curve(out, curve);
    append_number(out, value);
    g_string_append_c(out, '\n');
}

static void append_series(GString *out, const struct outcome *outcome, int point, int series,
                          const char *columns)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    bool any = false;
    if (!end->status) // this point has no such series
        return;
    GString *head = series_columns(outcome, series, columns);
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

// ---- Means ----

// A summary or, in draws, a band.
static void append_statistics(GString *out, const struct outcome_curve *curve, int point)
{
    const struct summary *summary = &curve->summaries[point];
    const struct band *band = curve->bands ? &curve->bands[point] : NULL;
    const double means[] = {summary->mean, summary->half_width, summary->sd, summary->least,
                            summary->most};
    const double quantiles[] = {band ? band->median : NAN, band ? band->low : NAN,
                                band ? band->high : NAN};
    const double *numbers = band ? quantiles : means;
    for (size_t k = 0; k < (band ? G_N_ELEMENTS(quantiles) : G_N_ELEMENTS(means)); k++)
        append_number(out, numbers[k]);
}

static void append_means(GString *out, const struct outcome *outcome, int point, int series,
                         const char *columns)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    bool any = false;
    if (!end->status) // this point has no such series
        return;
    GString *head = series_columns(outcome, series, columns);
    g_string_append_printf(head, ",%d,%d,", end->runs, end->completed);
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        const struct summary *summary = &curve->summaries[point];
        if (curve->series != series || summary->n == 0)
            continue;
        g_string_append(out, head->str);
        append_curve(out, curve);
        g_string_append_printf(out, ",%d", summary->n);
        append_statistics(out, curve, point);
        g_string_append_c(out, '\n');
        any = true;
    }
    if (!any)
        g_string_append_printf(out, "%s,,,,0%s\n", head->str,
                               outcome_in_draws(outcome) ? ",,," : ",,,,,");
    g_string_free(head, TRUE);
}

GString *outcome_means_csv(const struct outcome *outcome)
{
    struct outcome *means = outcome_replicated(outcome);
    GString *out = g_string_new("point");
    for (guint i = 0; i < means->parameters->len; i++) {
        g_string_append_c(out, ',');
        csv_append_field(out, g_ptr_array_index(means->parameters, i));
    }
    g_string_append_printf(out, ",series,runs,completed,rank,size,metric,unit,n,%s\n",
                           outcome_in_draws(means) ? "median,low,high"
                                                   : "mean,half_width,sd,min,max");
    for (int point = 0; point < means->points; point++) {
        GString *columns = g_string_new(NULL);
        g_string_append_printf(columns, "%d,", means->numbers[point]);
        for (guint i = 0; i < means->parameters->len; i++) {
            const char *text = means->texts[(guint)point * means->parameters->len + i];
            csv_append_field(columns, text ? text : "");
            g_string_append_c(columns, ',');
        }
        for (int series = 0; series < (int)means->series->len; series++)
            append_means(out, means, point, series, columns->str);
        g_string_free(columns, TRUE);
    }
    outcome_free(means);
    return out;
}
