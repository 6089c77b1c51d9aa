// SPDX-License-Identifier: GPL-3.0-or-later
// Reading what is compared.
#include "sim/compare/compare.h"

#include "sim/core/intern.h"
#include "sim/output/json.h"
#include "sim/output/json_check.h"

#include <math.h>
#include <string.h>

GQuark compare_error_quark(void)
{
    return g_quark_from_static_string("netsim-compare-error");
}

static void free_series(gpointer data)
{
    struct compared_series *series = data;
    g_free(series->name);
    g_free(series->status);
    g_free(series->fingerprint);
    g_free(series->reason);
    g_free(series);
}

static void free_curve(gpointer data)
{
    struct compared_curve *curve = data;
    g_free(curve->series);
    g_array_unref(curve->points);
    g_free(curve);
}

struct compared *compared_new(const char *place)
{
    struct compared *compared = g_new0(struct compared, 1);
    compared->name = g_strdup(place);
    compared->series = g_ptr_array_new_with_free_func(free_series);
    compared->curves = g_ptr_array_new_with_free_func(free_curve);
    return compared;
}

void compared_free(struct compared *compared)
{
    if (!compared)
        return;
    g_free(compared->name);
    g_free(compared->fingerprint);
    g_ptr_array_unref(compared->series);
    g_ptr_array_unref(compared->curves);
    g_free(compared);
}

static void replace(char **text, const char *by)
{
    if (!by)
        return;
    g_free(*text);
    *text = g_strdup(by);
}

void compared_set_fingerprint(struct compared *compared, const char *fingerprint)
{
    replace(&compared->fingerprint, fingerprint);
}

void compared_add_series(struct compared *compared, const char *name, const char *status,
                         const char *fingerprint, const char *reason)
{
    struct compared_series *series = NULL;
    for (guint i = 0; i < compared->series->len && !series; i++) {
        struct compared_series *one = g_ptr_array_index(compared->series, i);
        if (strcmp(one->name, name) == 0)
            series = one;
    }
    if (!series) {
        series = g_new0(struct compared_series, 1);
        series->name = g_strdup(name);
        g_ptr_array_add(compared->series, series);
    }
    replace(&series->status, status);
    replace(&series->fingerprint, fingerprint);
    replace(&series->reason, reason);
}

// The curve of the last value is nearly always that of the next.
static struct compared_curve *curve_of(struct compared *compared, const char *series,
                                       const char *metric, int rank)
{
    const char *interned = intern_text(metric);
    for (guint i = compared->curves->len; i-- > 0;) {
        struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
        if (curve->metric == interned && curve->rank == rank && strcmp(curve->series, series) == 0)
            return curve;
    }
    struct compared_curve *curve = g_new0(struct compared_curve, 1);
    curve->series = g_strdup(series);
    curve->metric = interned;
    curve->rank = rank;
    curve->points = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    g_ptr_array_add(compared->curves, curve);
    return curve;
}

void compared_add_value(struct compared *compared, const char *series, const char *metric, int rank,
                        int64_t size, double value)
{
    struct curve_point point = {size, value};
    g_array_append_val(curve_of(compared, series, metric, rank)->points, point);
}

// ---- Documents ----

// A number; JSON has no infinity, so null means no number.
static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void compared_add_point(struct compared *compared, const char *name, json_t *point)
{
    int64_t size = json_integer_value(json_object_get(point, "size_bytes"));
    const char *metric;
    json_t *value;
    json_object_foreach(point, metric, value)
    {
        if (strcmp(metric, "size_bytes") != 0)
            compared_add_value(compared, name, metric, -1, size, number_or_nan(value));
    }
}

void compared_add_document(struct compared *compared, const char *name, json_t *series)
{
    size_t index;
    json_t *one;
    series_judge_json(series);
    json_t *reason = json_object_get(series, "reason");
    compared_add_series(compared, name, json_string_value(json_object_get(series, "status")),
                        json_string_value(json_object_get(series, "fingerprint")),
                        json_string_value(json_object_get(reason, "kind")));
    json_array_foreach(json_object_get(series, "points"), index, one)
    {
        compared_add_point(compared, name, one);
    }
    json_array_foreach(json_object_get(series, "values"), index, one)
    {
        const json_t *rank = json_object_get(one, "rank"),
                     *size = json_object_get(one, "size_bytes");
        const char *metric = json_string_value(json_object_get(one, "metric"));
        if (metric)
            compared_add_value(compared, name, metric,
                               json_is_integer(rank) ? (int)json_integer_value(rank) : -1,
                               json_is_integer(size) ? json_integer_value(size) : -1,
                               number_or_nan(json_object_get(one, "value")));
    }
}

// ---- Means ----

// The sum of the values that all results have at a place of the first; NAN if one has none.
static double compared_sum(const GPtrArray *all, const struct compared_curve *of, int64_t size)
{
    double sum = 0.0;
    for (guint i = 0; i < all->len; i++) {
        const struct compared *one = g_ptr_array_index(all, i);
        double value = NAN;
        for (guint k = 0; k < one->curves->len; k++) {
            const struct compared_curve *curve = g_ptr_array_index(one->curves, k);
            if (curve->metric != of->metric || curve->rank != of->rank ||
                strcmp(curve->series, of->series) != 0)
                continue;
            for (guint at = 0; at < curve->points->len; at++)
                if (g_array_index(curve->points, struct curve_point, at).size == size)
                    value = g_array_index(curve->points, struct curve_point, at).value;
        }
        sum += value;
    }
    return sum;
}

// Adds the series of a result. One that has completed before, and not here, has the end that it has
// here.
static void compared_add_ends(struct compared *mean, const struct compared *one)
{
    for (guint i = 0; i < one->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(one->series, i);
        const struct compared_series *known = NULL;
        for (guint k = 0; k < mean->series->len && !known; k++) {
            const struct compared_series *other = g_ptr_array_index(mean->series, k);
            known = strcmp(other->name, series->name) == 0 ? other : NULL;
        }
        if (!known || g_strcmp0(known->status, "completed") == 0)
            compared_add_series(mean, series->name, series->status, NULL, series->reason);
    }
}

struct compared *compared_mean(const char *place, const GPtrArray *all)
{
    struct compared *mean = compared_new(place);
    const struct compared *first = g_ptr_array_index(all, 0);
    for (guint i = 0; i < all->len; i++)
        compared_add_ends(mean, g_ptr_array_index(all, i));
    for (guint i = 0; i < first->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(first->curves, i);
        for (guint k = 0; k < curve->points->len; k++) {
            int64_t size = g_array_index(curve->points, struct curve_point, k).size;
            double sum = compared_sum(all, curve, size);
            if (!isnan(sum))
                compared_add_value(mean, curve->series, curve->metric, curve->rank, size,
                                   sum / all->len);
        }
    }
    return mean;
}
