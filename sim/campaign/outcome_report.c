// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/outcome_report.h"

#include "sim/workload/result.h"

#include <math.h>
#include <string.h>

static int value_count(const struct outcome *outcome, int axis)
{
    return (int)outcome_axis_at(outcome, axis)->values->len;
}

static int value_of(const struct outcome *outcome, int point, int axis)
{
    return outcome->indices[point * (int)outcome->axes->len + axis];
}

// By how much the number of a point grows from one value of an axis to the next.
static int stride_of(const struct outcome *outcome, int axis)
{
    int stride = 1;
    for (int i = (int)outcome->axes->len - 1; i > axis; i--)
        stride *= value_count(outcome, i);
    return stride;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// {"AXIS": "VALUE"} of a point.
static json_t *point_json(const struct outcome *outcome, int point)
{
    json_t *values = json_object();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        const char *text = g_ptr_array_index(of->values, value_of(outcome, point, axis));
        json_object_set_new(values, of->name, json_string(text));
    }
    return json_pack("{s:i, s:o}", "point", point, "values", values);
}

// ---- How points ended ----

// Adds 1 to a member of an object of counts.
static void count_up(json_t *counts, const char *name)
{
    json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

static json_t *ends_json(const struct outcome *outcome)
{
    json_t *ends =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "completed", 0, "lost", 0, "deadlock", 0,
                  "failed", 0, "crashed", 0, "missing", 0, "impossible", 0);
    for (int point = 0; point < outcome->points; point++) {
        if (outcome->problems[point])
            count_up(ends, "impossible");
        for (int series = 0; series < (int)outcome->series->len; series++)
            if (outcome_end_at(outcome, point, series)->status)
                count_up(ends, outcome_end_at(outcome, point, series)->status);
    }
    return ends;
}

// What a series' end at a point is called: a kind of failure, else its status; NULL: it has none.
static const char *end_name(const struct outcome *outcome, int point, int series)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    return end->kind ? end->kind : end->status;
}

static bool has_failed(const struct outcome_end *end)
{
    return end->status && strcmp(end->status, "completed") != 0 &&
           strcmp(end->status, "missing") != 0;
}

static json_t *find_failure(json_t *failures, const char *series, const char *kind)
{
    json_t *one;
    size_t i;
    json_array_foreach(failures, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "series")), series) == 0 &&
            strcmp(json_string_value(json_object_get(one, "kind")), kind) == 0)
            return one;
    }
    return NULL;
}

// Each kind of failure once, with the first point that shows it.
static json_t *failures_json(const struct outcome *outcome)
{
    json_t *failures = json_array();
    for (int point = 0; point < outcome->points; point++)
        for (int series = 0; series < (int)outcome->series->len; series++) {
            const struct outcome_end *end = outcome_end_at(outcome, point, series);
            if (!has_failed(end))
                continue;
            const char *name = outcome_series_name(outcome, series);
            const char *kind = end_name(outcome, point, series);
            json_t *one = find_failure(failures, name, kind);
            if (!one) {
                one = json_pack("{s:s, s:s, s:s, s:s, s:o}", "series", name, "kind", kind, "status",
                                end->status, "text", end->text ? end->text : "", "first_point",
                                point_json(outcome, point));
                json_array_append_new(failures, one);
            }
            count_up(one, "count");
        }
    return failures;
}

// How one of the series ended at the points that have a value of an axis.
static json_t *ends_of_value(const struct outcome *outcome, int axis, int value, int series)
{
    const struct outcome_axis *of = outcome_axis_at(outcome, axis);
    json_t *kinds = json_object();
    int completed = 0, other = 0;
    for (int point = 0; point < outcome->points; point++) {
        const struct outcome_end *end = outcome_end_at(outcome, point, series);
        if (value_of(outcome, point, axis) != value || !end->status)
            continue;
        bool good = strcmp(end->status, "completed") == 0;
        completed += good;
        other += !good;
        if (!good)
            count_up(kinds, end_name(outcome, point, series));
    }
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o}", "axis", of->name, "value",
                     (const char *)g_ptr_array_index(of->values, value), "series",
                     outcome_series_name(outcome, series), "completed", completed, "other", other,
                     "kinds", kinds);
}

static json_t *ends_by_value_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++)
        for (int series = 0; series < (int)outcome->series->len; series++)
            for (int value = 0; value < value_count(outcome, axis); value++)
                json_array_append_new(list, ends_of_value(outcome, axis, value, series));
    return list;
}

// How many of the points that have both values completed, and how many there are: a row for each
// value of the first axis, a column for each of the second.
static json_t *ends_of_pair(const struct outcome *outcome, int series, const int axes[2])
{
    json_t *completed = json_array(), *others = json_array();
    for (int i = 0; i < value_count(outcome, axes[0]); i++) {
        json_t *good_row = json_array(), *bad_row = json_array();
        for (int k = 0; k < value_count(outcome, axes[1]); k++) {
            int good = 0, bad = 0;
            for (int point = 0; point < outcome->points; point++) {
                const struct outcome_end *end = outcome_end_at(outcome, point, series);
                if (value_of(outcome, point, axes[0]) != i ||
                    value_of(outcome, point, axes[1]) != k || !end->status)
                    continue;
                good += strcmp(end->status, "completed") == 0;
                bad += has_failed(end);
            }
            json_array_append_new(good_row, json_integer(good));
            json_array_append_new(bad_row, json_integer(bad));
        }
        json_array_append_new(completed, good_row);
        json_array_append_new(others, bad_row);
    }
    return json_pack("{s:s, s:[s, s], s:o, s:o}", "series", outcome_series_name(outcome, series),
                     "axes", outcome_axis_at(outcome, axes[0])->name,
                     outcome_axis_at(outcome, axes[1])->name, "completed", completed, "failed",
                     others);
}

// For the first two axes that vary: where failures begin often depends on two at once.
static json_t *ends_by_pair_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    int axes[2], varying = 0;
    for (int axis = 0; axis < (int)outcome->axes->len && varying < 2; axis++)
        if (value_count(outcome, axis) > 1)
            axes[varying++] = axis;
    for (int series = 0; varying == 2 && series < (int)outcome->series->len; series++)
        json_array_append_new(list, ends_of_pair(outcome, series, axes));
    return list;
}

// ---- Best and worst ----

struct extremes {
    double best, worst;
    int best_point, worst_point;
    int ties; // more points that are as good as the best
};

static bool lower_is_better(const char *metric)
{
    return !g_str_has_suffix(metric, "_per_s");
}

static struct extremes extremes_of(const struct outcome *outcome, const double *values, bool lower)
{
    struct extremes found = {NAN, NAN, -1, -1, 0};
    for (int point = 0; point < outcome->points; point++) {
        double value = values[point];
        if (isnan(value))
            continue;
        found.ties += value == found.best;
        if (isnan(found.best) || (lower ? value < found.best : value > found.best)) {
            found.best = value;
            found.best_point = point;
            found.ties = 0;
        }
        if (isnan(found.worst) || (lower ? value > found.worst : value < found.worst)) {
            found.worst = value;
            found.worst_point = point;
        }
    }
    return found;
}

static void append_row(json_t *rows, const struct outcome *outcome, json_t *size, json_t *rank,
                       const double *values, bool lower)
{
    struct extremes found = extremes_of(outcome, values, lower);
    if (found.best_point < 0) {
        json_decref(size);
        json_decref(rank);
        return;
    }
    json_array_append_new(rows, json_pack("{s:o, s:o, s:f, s:o, s:i, s:f, s:o}", "size_bytes", size,
                                          "rank", rank, "best", found.best, "best_point",
                                          point_json(outcome, found.best_point), "ties", found.ties,
                                          "worst", found.worst, "worst_point",
                                          point_json(outcome, found.worst_point)));
}

// Of each point the geometric mean over curves; NAN if one of them has no value there. A curve that
// is 0 somewhere (bandwidth of empty messages) does not count.
static double *means_of(const struct outcome *outcome, const GPtrArray *curves)
{
    double *means = g_new0(double, outcome->points + 1);
    int counted = 0;
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        bool positive = true;
        for (int point = 0; point < outcome->points; point++)
            positive &= !(curve->values[point] <= 0.0);
        counted += positive;
        for (int point = 0; positive && point < outcome->points; point++)
            means[point] += log(curve->values[point]);
    }
    for (int point = 0; point < outcome->points; point++)
        means[point] = counted ? exp(means[point] / counted) : NAN;
    return means;
}

static json_t *rows_json(const struct outcome *outcome, const GPtrArray *curves, bool lower)
{
    json_t *rows = json_array();
    if (curves->len > 1) {
        double *means = means_of(outcome, curves);
        append_row(rows, outcome, json_null(), json_null(), means, lower);
        g_free(means);
    }
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        append_row(rows, outcome, json_integer(curve->size),
                   curve->rank < 0 ? json_null() : json_integer(curve->rank), curve->values, lower);
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
            int value = value_of(outcome, point, axis);
            if (!isnan(curve->values[point]) && (reference < 0 || value < reference))
                reference = value;
        }
    }
    return reference;
}

// The mean change from one value of an axis to another, the other axes held; NAN: there are no two
// points to compare.
static double effect(const struct outcome *outcome, const GPtrArray *curves, int axis,
                     int reference, int value)
{
    double sum = 0.0;
    int compared = 0, distance = (value - reference) * stride_of(outcome, axis);
    for (guint i = 0; reference >= 0 && i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        for (int point = 0; point < outcome->points; point++) {
            if (value_of(outcome, point, axis) != value)
                continue;
            double change = curve->values[point] / curve->values[point - distance] - 1.0;
            if (!isfinite(change))
                continue;
            sum += change;
            compared++;
        }
    }
    return compared ? sum / compared : NAN;
}

static json_t *effects_json(const struct outcome *outcome, const GPtrArray *curves)
{
    json_t *effects = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        int reference = reference_of(outcome, curves, axis);
        for (int value = 0; of->values->len > 1 && value < (int)of->values->len; value++) {
            const char *text = g_ptr_array_index(of->values, value);
            double change = effect(outcome, curves, axis, reference, value);
            json_array_append_new(effects, json_pack("{s:s, s:s, s:o, s:b}", "axis", of->name,
                                                     "value", text, "change", real_or_null(change),
                                                     "is_reference", value == reference));
        }
    }
    return effects;
}

static bool same_value(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Whether two points have ended in the same way with the same values; *known: both have been run.
static bool same_outcome(const struct outcome *outcome, int a, int b, bool *known)
{
    *known = !outcome->problems[a] && !outcome->problems[b];
    bool same = true;
    for (int series = 0; *known && series < (int)outcome->series->len; series++) {
        const char *one = end_name(outcome, a, series), *other = end_name(outcome, b, series);
        *known = g_strcmp0(one, "missing") != 0 && g_strcmp0(other, "missing") != 0;
        same &= g_strcmp0(one, other) == 0;
    }
    for (guint i = 0; *known && same && i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        same = same_value(curve->values[a], curve->values[b]);
    }
    return same;
}

// Each point is compared with the nearest one before it on the axis that has results, since those
// at the first value may be impossible or missing.
static bool changed_nothing(const struct outcome *outcome, int axis)
{
    bool compared = false;
    int stride = stride_of(outcome, axis);
    for (int point = 0; point < outcome->points; point++) {
        bool known = false;
        for (int back = 1; !known && back <= value_of(outcome, point, axis); back++)
            if (!same_outcome(outcome, point - back * stride, point, &known) && known)
                return false;
        compared |= known;
    }
    return compared;
}

// ---- All of it ----

static json_t *axes_json(const struct outcome *outcome)
{
    json_t *axes = json_array();
    for (int axis = 0; axis < (int)outcome->axes->len; axis++) {
        const struct outcome_axis *of = outcome_axis_at(outcome, axis);
        json_t *values = json_array();
        for (guint i = 0; i < of->values->len; i++)
            json_array_append_new(values, json_string(g_ptr_array_index(of->values, i)));
        json_array_append_new(axes, json_pack("{s:s, s:o, s:b}", "name", of->name, "values", values,
                                              "changed_nothing", changed_nothing(outcome, axis)));
    }
    return axes;
}

// Curves lie sorted by series and metric: each run of equals is one entry.
static json_t *metrics_json(const struct outcome *outcome)
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
        bool lower = lower_is_better(curve->metric);
        json_array_append_new(metrics, json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "series",
                                                 outcome_series_name(outcome, curve->series),
                                                 "metric", curve->metric, "unit",
                                                 metric_unit(curve->metric), "lower_is_better",
                                                 lower, "rows", rows_json(outcome, curves, lower),
                                                 "effects", effects_json(outcome, curves)));
        g_ptr_array_set_size(curves, 0);
    }
    g_ptr_array_unref(curves);
    return metrics;
}

static void warn(json_t *warnings, char *text)
{
    json_array_append_new(warnings, json_string(text));
    g_free(text);
}

static json_t *warnings_json(const struct outcome *outcome, const json_t *axes, const json_t *ends)
{
    json_t *warnings = json_array();
    const json_t *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (json_is_true(json_object_get(axis, "changed_nothing")))
            warn(warnings, g_strdup_printf("%s changed nothing: every result is the same at all of "
                                           "its values",
                                           json_string_value(json_object_get(axis, "name"))));
    }
    json_int_t impossible = json_integer_value(json_object_get(ends, "impossible"));
    for (int point = 0; impossible && point < outcome->points; point++) {
        if (!outcome->problems[point])
            continue;
        warn(warnings, g_strdup_printf("%d of %d points are not possible; the first because %s",
                                       (int)impossible, outcome->points, outcome->problems[point]));
        break;
    }
    json_int_t lost = json_integer_value(json_object_get(ends, "lost"));
    if (lost)
        warn(warnings, g_strdup_printf("%d runs lost data: their values count for nothing here, "
                                       "neither as best or worst nor in an effect",
                                       (int)lost));
    json_int_t missing = json_integer_value(json_object_get(ends, "missing"));
    if (missing)
        warn(warnings, g_strdup_printf("%d runs have not been made; the sweep goes on where it "
                                       "stopped when it is started again",
                                       (int)missing));
    return warnings;
}

json_t *outcome_report_json(const struct outcome *outcome)
{
    json_t *axes = axes_json(outcome), *ends = ends_json(outcome);
    json_t *warnings = warnings_json(outcome, axes, ends);
    return json_pack("{s:s, s:s, s:s*, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "scenario",
                     outcome->scenario, "source", outcome->source, "counts", outcome->counts,
                     "points", outcome->points, "axes", axes, "ends", ends, "failures",
                     failures_json(outcome), "ends_by_value", ends_by_value_json(outcome),
                     "ends_by_pair", ends_by_pair_json(outcome), "metrics", metrics_json(outcome),
                     "warnings", warnings);
}
