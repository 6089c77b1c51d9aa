// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/draws_metrics.h"

#include "sim/outcome/outcome_point.h"
#include "sim/outcome/replicated.h"

#include <math.h>
#include <stdlib.h>

json_t *draws_band_json(const struct band *band)
{
    json_t *json = json_pack("{s:i}", "n", (int)band->n);
    if (band->n == 0)
        return json;
    json_object_set_new(json, "median", json_real(band->median));
    json_object_set_new(json, "low", json_real(band->low));
    json_object_set_new(json, "high", json_real(band->high));
    return json;
}

// ---- The best ----

struct best_count {
    int point;
    size_t draws; // in which it is the best
};

static int compare_best_counts(const void *a, const void *b)
{
    const struct best_count *one = a, *other = b;
    if (one->draws != other->draws)
        return one->draws > other->draws ? -1 : 1;
    return one->point < other->point ? -1 : one->point > other->point;
}

// Counts those points that are the best in a draw. Returns false if none has a value.
static bool count_best(const struct outcome *outcome, const struct outcome_curve *curve, int draw,
                       struct best_count *counts)
{
    double best = NAN;
    bool lower = outcome_lower_is_better(curve->metric);
    for (int point = 0; point < outcome->points; point++) {
        double value = outcome_replicate(outcome, curve, point, draw);
        best = isnan(best) ? value : lower ? fmin(best, value) : fmax(best, value);
    }
    for (int point = 0; point < outcome->points; point++)
        counts[point].draws += outcome_replicate(outcome, curve, point, draw) == best;
    return !isnan(best);
}

json_t *draws_best_json(const struct outcome *outcome, const struct outcome_curve *curve, int best)
{
    struct best_count *counts = g_new0(struct best_count, outcome->points);
    size_t draws = 0;
    json_t *list = json_array();
    for (int point = 0; point < outcome->points; point++)
        counts[point].point = point;
    for (int draw = 0; draw < outcome_replications(outcome); draw++)
        draws += count_best(outcome, curve, draw, counts);
    qsort(counts, (size_t)outcome->points, sizeof *counts, compare_best_counts);
    for (int i = 0; i < outcome->points && counts[i].draws > 0; i++) {
        struct share share = share_of(counts[i].draws, draws);
        bool same = outcome_same_in_draws(outcome, curve, best, counts[i].point);
        json_array_append_new(list,
                              json_pack("{s:o, s:i, s:f, s:f, s:f, s:b}", "at",
                                        outcome_point_json(outcome, counts[i].point), "n",
                                        (int)draws, "share", share.value, "share_low", share.low,
                                        "share_high", share.high, "same_as_best", same));
    }
    g_free(counts);
    return list;
}

// ---- Bands ----

json_t *draws_bands_json(const struct outcome *outcome, const GPtrArray *curves)
{
    json_t *bands = json_array();
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        for (int point = 0; point < outcome->points; point++) {
            if (curve->bands[point].n == 0)
                continue;
            int seeds = MAX(outcome->seed_count, 1);
            int runs = outcome_end_at(outcome, point, curve->series)->runs;
            json_t *band = draws_band_json(&curve->bands[point]);
            json_object_set_new(band, "size_bytes", outcome_size_json(curve));
            json_object_set_new(band, "rank", outcome_rank_json(curve));
            json_object_set_new(band, "at", outcome_point_json(outcome, point));
            json_object_set_new(band, "draws", json_integer((runs + seeds - 1) / seeds));
            json_array_append_new(bands, band);
        }
    }
    return bands;
}

// ---- Effects ----

// Adds the change of each draw from one point of a curve to another.
static void add_changes(const struct outcome *outcome, const struct outcome_curve *curve, int from,
                        int to, double *sums, int *counts)
{
    for (int i = 0; i < outcome_replications(outcome); i++) {
        double change =
            outcome_replicate(outcome, curve, to, i) / outcome_replicate(outcome, curve, from, i) -
            1.0;
        sums[i] += isfinite(change) ? change : 0.0;
        counts[i] += isfinite(change);
    }
}

static struct paired drawn_effect(const struct outcome *outcome, const GPtrArray *curves, int axis,
                                  int reference, int value)
{
    int draws = outcome_replications(outcome), most = 0;
    int distance = (value - reference) * outcome_stride(outcome, axis);
    double *sums = g_new0(double, draws);
    int *counts = g_new0(int, draws);
    for (guint i = 0; reference >= 0 && i < curves->len; i++)
        for (int point = 0; point < outcome->points; point++)
            if (outcome_value_of(outcome, point, axis) == value)
                add_changes(outcome, g_ptr_array_index(curves, i), point - distance, point, sums,
                            counts);
    for (int i = 0; i < draws; i++)
        most = MAX(most, counts[i]);
    for (int i = 0; i < draws; i++)
        sums[i] = counts[i] > 0 && counts[i] == most ? sums[i] / most : NAN;
    struct paired change = paired_of(sums, (size_t)draws);
    g_free(counts);
    g_free(sums);
    return change;
}

json_t *draws_effect_json(const struct outcome *outcome, const GPtrArray *curves, int axis,
                          int reference, int value)
{
    const struct outcome_axis *of = outcome_axis_at(outcome, axis);
    struct paired change = drawn_effect(outcome, curves, axis, reference, value);
    json_t *json = paired_json(&change);
    json_object_set_new(json, "axis", json_string(of->name));
    json_object_set_new(json, "value", json_string(g_ptr_array_index(of->values, (guint)value)));
    json_object_set_new(json, "is_reference", json_boolean(value == reference));
    return json;
}

// ---- Series ----

static void add_differences(json_t *list, const struct outcome *outcome,
                            const struct outcome_curve *from, const struct outcome_curve *to)
{
    for (int point = 0; point < outcome->points; point++) {
        struct paired change = outcome_change(outcome, from, point, to, point);
        if (change.change.n == 0)
            continue;
        json_t *json = paired_json(&change);
        json_object_set_new(json, "metric", json_string(to->metric));
        json_object_set_new(json, "size_bytes", outcome_size_json(to));
        json_object_set_new(json, "rank", outcome_rank_json(to));
        json_object_set_new(json, "at", outcome_point_json(outcome, point));
        json_object_set_new(json, "series", json_string(outcome_series_name(outcome, to->series)));
        json_object_set_new(json, "against",
                            json_string(outcome_series_name(outcome, from->series)));
        json_array_append_new(list, json);
    }
}

json_t *draws_differences_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *from = outcome_curve_at(outcome, (int)i);
        for (guint k = i + 1; k < outcome->curves->len; k++) {
            const struct outcome_curve *to = outcome_curve_at(outcome, (int)k);
            if (to->series != from->series && to->metric == from->metric &&
                to->size == from->size && to->rank == from->rank)
                add_differences(list, outcome, from, to);
        }
    }
    return list;
}
