// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/outcome_metrics.h"

#include "sim/measure/result.h"
#include "sim/outcome/draws_metrics.h"
#include "sim/outcome/outcome_point.h"
#include "sim/outcome/replicated.h"

#include <math.h>

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// {"n", "half_width", "sd", "min", "max"}, and more may be set. New reference.
static json_t *summary_json(const struct summary *summary)
{
    return json_pack("{s:i, s:o, s:o, s:o, s:o}", "n", summary->n, "half_width",
                     real_or_null(summary->half_width), "sd", real_or_null(summary->sd), "min",
                     real_or_null(summary->least), "max", real_or_null(summary->most));
}

// ---- Best and worst ----

struct extremes {
    double best, worst;
    int best_point, worst_point;
};

static struct extremes extremes_of(const struct outcome *outcome, const double *values, bool lower)
{
    struct extremes found = {NAN, NAN, -1, -1};
    for (int point = 0; point < outcome->points; point++) {
        double value = values[point];
        if (isnan(value))
            continue;
        if (isnan(found.best) || (lower ? value < found.best : value > found.best)) {
            found.best = value;
            found.best_point = point;
        }
        if (isnan(found.worst) || (lower ? value > found.worst : value < found.worst)) {
            found.worst = value;
            found.worst_point = point;
        }
    }
    return found;
}

// How many more points are as good as the best: the same, or of several seeds, not told apart.
static int count_ties(const struct outcome *outcome, const struct outcome_curve *curve, int best)
{
    int ties = 0;
    for (int point = 0; point < outcome->points; point++)
        ties += point != best && !isnan(curve->values[point]) &&
                !outcome_differs(outcome, curve, point, best);
    return ties;
}

static void append_row(json_t *rows, const struct outcome *outcome, json_t *size, json_t *rank,
                       const struct outcome_curve *curve)
{
    struct extremes found =
        extremes_of(outcome, curve->values, outcome_lower_is_better(curve->metric));
    int best = found.best_point, worst = found.worst_point;
    if (best < 0) {
        json_decref(size);
        json_decref(rank);
        return;
    }
    json_t *row = json_pack("{s:o, s:o, s:f, s:o, s:i, s:f, s:o}", "size_bytes", size, "rank", rank,
                            "best", found.best, "best_point", outcome_point_json(outcome, best),
                            "ties", count_ties(outcome, curve, best), "worst", found.worst,
                            "worst_point", outcome_point_json(outcome, worst));
    json_array_append_new(rows, row);
    if (curve->bands) {
        bool same = true;
        for (int point = 0; point < outcome->points; point++)
            same &= outcome_same_in_draws(outcome, curve, best, point);
        json_object_set_new(row, "same_in_draws", json_boolean(same));
        json_object_set_new(row, "best_band", draws_band_json(&curve->bands[best]));
        json_object_set_new(row, "worst_band", draws_band_json(&curve->bands[worst]));
        json_object_set_new(row, "best_in", draws_best_json(outcome, curve, best));
        json_object_set_new(row, "told_apart",
                            json_boolean(outcome_differs(outcome, curve, best, worst)));
        return;
    }
    if (outcome_replications(outcome) == 1)
        return;
    json_object_set_new(row, "best_summary", summary_json(&curve->summaries[best]));
    json_object_set_new(row, "worst_summary", summary_json(&curve->summaries[worst]));
    json_object_set_new(row, "told_apart",
                        json_boolean(outcome_differs(outcome, curve, best, worst)));
}

static bool is_positive(const struct outcome *outcome, const struct outcome_curve *curve)
{
    bool positive = true;
    for (int i = 0; i < outcome->points * outcome_replications(outcome); i++)
        positive &= !(curve->replicates[i] <= 0.0);
    return positive;
}

// Of each run the geometric mean over curves; it has none if one of them has no value there. A
// curve that is 0 somewhere (bandwidth of empty messages) does not count.
static void append_together(json_t *rows, const struct outcome *outcome, const GPtrArray *curves)
{
    int runs = outcome->points * outcome_replications(outcome), counted = 0;
    struct outcome_curve together = *(const struct outcome_curve *)g_ptr_array_index(curves, 0);
    together.replicates = g_new0(double, runs + 1);
    together.values = g_new(double, outcome->points + 1);
    together.summaries = g_new(struct summary, outcome->points + 1);
    together.bands = outcome_in_draws(outcome) ? g_new(struct band, outcome->points + 1) : NULL;
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        bool counts = is_positive(outcome, curve);
        counted += counts;
        for (int run = 0; counts && run < runs; run++)
            together.replicates[run] += log(curve->replicates[run]);
    }
    for (int run = 0; run < runs; run++)
        together.replicates[run] = counted ? exp(together.replicates[run] / counted) : NAN;
    outcome_summarise(outcome, &together);
    append_row(rows, outcome, json_null(), json_null(), &together);
    g_free(together.bands);
    g_free(together.replicates);
    g_free(together.values);
    g_free(together.summaries);
}

static json_t *rows_json(const struct outcome *outcome, const GPtrArray *curves)
{
    json_t *rows = json_array();
    if (curves->len > 1)
        append_together(rows, outcome, curves);
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        append_row(rows, outcome, outcome_size_json(curve), outcome_rank_json(curve), curve);
    }
    return rows;
}

// ---- Effects ----

// The first value of an axis that has results to compare others with; -1: none has.
static int reference_of(const struct outcome *outcome, const GPtrArray *curves, int axis)
{
    int reference = -1;
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        for (int point = 0; point < outcome->points; point++) {
            int value = outcome_value_of(outcome, point, axis);
            if (!isnan(curve->values[point]) && (reference < 0 || value < reference))
                reference = value;
        }
    }
    return reference;
}

// Adds to the residual of each replication that of the ratio of two points' means, which shows how
// well the ratio is known (the ratio estimator of W. G. Cochran, Sampling Techniques, 3rd ed.,
// 1977, section 6.3). Both points have a seed's value in common, so what they share cancels out.
static void add_residuals(const struct outcome *outcome, const struct outcome_curve *curve,
                          int point, int reference, double *residuals)
{
    double base = curve->values[reference], ratio = curve->values[point] / base;
    for (int i = 0; i < outcome_replications(outcome); i++)
        residuals[i] += (outcome_replicate(outcome, curve, point, i) -
                         ratio * outcome_replicate(outcome, curve, reference, i)) /
                        base;
}

// The mean change from one value of an axis to another, the other axes held; NAN: there are no two
// points to compare. Over several seeds a change is that of the means, and has an interval.
static struct summary effect(const struct outcome *outcome, const GPtrArray *curves, int axis,
                             int reference, int value)
{
    double sum = 0.0, *residuals = g_new0(double, outcome_replications(outcome));
    int compared = 0, distance = (value - reference) * outcome_stride(outcome, axis);
    for (guint i = 0; reference >= 0 && i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        for (int point = 0; point < outcome->points; point++) {
            if (outcome_value_of(outcome, point, axis) != value)
                continue;
            double change = curve->values[point] / curve->values[point - distance] - 1.0;
            if (!isfinite(change))
                continue;
            sum += change;
            add_residuals(outcome, curve, point, point - distance, residuals);
            compared++;
        }
    }
    struct summary change = summary_of(residuals, outcome_replications(outcome));
    change.mean = compared ? sum / compared : NAN;
    change.half_width = compared ? change.half_width / compared : NAN;
    g_free(residuals);
    return change;
}

static json_t *effect_json(const struct outcome *outcome, const GPtrArray *curves, int axis,
                           int reference, int value)
{
    const struct outcome_axis *of = outcome_axis_at(outcome, axis);
    if (outcome_in_draws(outcome))
        return draws_effect_json(outcome, curves, axis, reference, value);
    struct summary change = effect(outcome, curves, axis, reference, value);
    json_t *json = json_pack("{s:s, s:s, s:o, s:b}", "axis", of->name, "value",
                             (const char *)g_ptr_array_index(of->values, (guint)value), "change",
                             real_or_null(change.mean), "is_reference", value == reference);
    if (outcome_replications(outcome) == 1 || value == reference || !isfinite(change.mean))
        return json;
    json_object_set_new(json, "n", json_integer(change.n));
    json_object_set_new(json, "half_width", real_or_null(change.half_width));
    json_object_set_new(json, "told_apart", json_boolean(summary_is_not_zero(&change)));
    return json;
}

static json_t *effects_json(const struct outcome *outcome, const GPtrArray *curves)
{
    json_t *effects = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        int values = outcome_value_count(outcome, axis);
        int reference = reference_of(outcome, curves, axis);
        for (int value = 0; values > 1 && value < values; value++)
            json_array_append_new(effects, effect_json(outcome, curves, axis, reference, value));
    }
    return effects;
}

// ---- Means ----

static json_t *means_json(const struct outcome *outcome, const GPtrArray *curves)
{
    json_t *means = json_array();
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        for (int point = 0; point < outcome->points; point++) {
            const struct summary *summary = &curve->summaries[point];
            json_t *mean = summary_json(summary);
            json_object_set_new(mean, "size_bytes", outcome_size_json(curve));
            json_object_set_new(mean, "rank", outcome_rank_json(curve));
            json_object_set_new(mean, "at", outcome_point_json(outcome, point));
            json_object_set_new(mean, "runs",
                                json_integer(outcome_end_at(outcome, point, curve->series)->runs));
            json_object_set_new(mean, "mean", real_or_null(summary->mean));
            if (summary->n > 0)
                json_array_append(means, mean);
            json_decref(mean);
        }
    }
    return means;
}

// ---- All of it ----

static json_t *metric_json(const struct outcome *outcome, const GPtrArray *curves)
{
    const struct outcome_curve *first = g_ptr_array_index(curves, 0);
    json_t *metric = json_pack(
        "{s:s, s:s, s:s, s:b, s:o, s:o}", "series", outcome_series_name(outcome, first->series),
        "metric", first->metric, "unit", metric_unit(first->metric), "lower_is_better",
        outcome_lower_is_better(first->metric), "rows", rows_json(outcome, curves), "effects",
        effects_json(outcome, curves));
    if (outcome_in_draws(outcome))
        json_object_set_new(metric, "bands", draws_bands_json(outcome, curves));
    else if (outcome_replications(outcome) > 1)
        json_object_set_new(metric, "means", means_json(outcome, curves));
    return metric;
}

// Curves lie sorted by series and metric: each run of equals is one entry.
json_t *outcome_metrics_json(const struct outcome *outcome)
{
    json_t *metrics = json_array();
    GPtrArray *curves = g_ptr_array_new();
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i), *next = NULL;
        g_ptr_array_add(curves, (gpointer)curve);
        if (i + 1 < outcome->curves->len)
            next = outcome_curve_at(outcome, (int)i + 1);
        if (next && next->series == curve->series && next->metric == curve->metric)
            continue;
        json_array_append_new(metrics, metric_json(outcome, curves));
        g_ptr_array_set_size(curves, 0);
    }
    g_ptr_array_unref(curves);
    return metrics;
}
