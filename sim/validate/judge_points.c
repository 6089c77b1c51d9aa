// SPDX-License-Identifier: GPL-3.0-or-later
// The points that judges use, and their names.
#include "sim/validate/judge_internal.h"

// ---- Points ----

// Whether a curve has a value at both ends of every range that is asked for.
static bool ends_are_there(const struct judging *judging, const GArray *points, const char *label)
{
    const struct check *check = judging->check;
    for (guint i = 0; i < check->sizes->len; i++) {
        const struct size_range *range = &g_array_index(check->sizes, struct size_range, i);
        const int64_t ends[] = {range->from, range->to};
        for (size_t k = 0; k < G_N_ELEMENTS(ends); k++) {
            if (curve_at(points, ends[k]) || size_in(check->except, ends[k]))
                continue;
            char *size = judge_size_text(check, ends[k]);
            judging->result->why = g_strdup_printf("%s has no value at %s", label, size);
            g_free(size);
            return false;
        }
    }
    return true;
}

// Whether the sizes of the curve's series mean what the check's do; if not, it can't be judged.
static bool sizes_agree(struct judging *judging, const struct curve *curve)
{
    char *why = NULL;
    json_t *series = runs_series(judging->context->runs, curve, &why);
    const char *counts = json_string_value(json_object_get(series, "counts"));
    enum check_sizes are = judging->check->sizes_are;
    g_free(why);
    if (are == SIZES_UNKNOWN || (are == SIZES_COUNTED) == (counts != NULL))
        return true;
    judging_give_up(judging, g_strdup_printf("the sizes of %s are %s, so they %s", curve->series,
                                             counts ? counts : "bytes",
                                             counts ? "have no unit" : "need a unit"));
    return false;
}

// Returns all points of a curve; NULL if they are not there, and then the check is decided: it
// misses if the series has failed, and else can't be checked.
GArray *judging_all_points(struct judging *judging, const struct curve *curve)
{
    bool failed;
    char *why = NULL;
    GArray *points = runs_points(judging->context->runs, curve, &failed, &why);
    if (!points) {
        judging_give_up(judging, why);
        if (failed) {
            judging->result->simulated = g_strdup("the run failed");
            judging->result->failed = true;
            judging_decide(judging, false);
        }
        return NULL;
    }
    char *label = curve_label(curve);
    if (!sizes_agree(judging, curve) || !ends_are_there(judging, points, label)) {
        g_array_unref(points);
        points = NULL;
    }
    g_free(label);
    return points;
}

// The points of a curve at the sizes that are asked for; NULL as above.
GArray *judging_points(struct judging *judging, const struct curve *curve)
{
    GArray *points = judging_all_points(judging, curve);
    if (!points)
        return NULL;
    for (guint i = points->len; i-- > 0;)
        if (!check_wants(judging->check, g_array_index(points, struct curve_point, i).size))
            g_array_remove_index(points, i);
    if (points->len > 0)
        return points;
    char *label = curve_label(curve);
    judging_give_up(judging, g_strdup_printf("%s has no value at these sizes", label));
    g_free(label);
    g_array_unref(points);
    return NULL;
}

// The curves of a list as arrays of points at the same sizes; NULL as above. Free with
// g_ptr_array_unref.
GPtrArray *judging_curves(struct judging *judging, const GPtrArray *curves, GPtrArray *sets)
{
    if (!sets)
        sets = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < curves->len; i++) {
        GArray *points = judging_points(judging, g_ptr_array_index(curves, i));
        if (points)
            g_ptr_array_add(sets, points);
        const GArray *first = points ? g_ptr_array_index(sets, 0) : NULL;
        bool same = points && points->len == first->len;
        for (guint k = 0; same && k < points->len; k++)
            same = g_array_index(points, struct curve_point, k).size ==
                   g_array_index(first, struct curve_point, k).size;
        if (same)
            continue;
        if (points)
            judging_give_up(judging, g_strdup("the series were measured at different sizes"));
        g_ptr_array_unref(sets);
        return NULL;
    }
    return sets;
}

const struct curve_point *judge_points_at(const GArray *points, guint index)
{
    return &g_array_index(points, struct curve_point, index);
}

const struct curve *judging_curve(const struct judging *judging)
{
    return g_ptr_array_index(judging->check->curves, 0);
}

// Whether all curves of a check are of one scenario, so that it needs no name.
static bool one_scenario(const struct check *check)
{
    const struct curve *first = g_ptr_array_index(check->curves, 0);
    bool same = true;
    for (guint i = 0; i < check->curves->len; i++)
        same &= ((const struct curve *)g_ptr_array_index(check->curves, i))->scenario ==
                first->scenario;
    for (guint i = 0; i < check->others->len; i++)
        same &= ((const struct curve *)g_ptr_array_index(check->others, i))->scenario ==
                first->scenario;
    return same;
}

// The names of some of a check's curves.
char *judging_labels(const struct check *check, const GPtrArray *curves)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < curves->len; i++) {
        const struct curve *curve = g_ptr_array_index(curves, i);
        char *label = curve_label(curve);
        g_string_append_printf(out, "%s%s", i ? ", " : "", label);
        if (!one_scenario(check))
            g_string_append_printf(out, " of %s", curve->scenario);
        g_free(label);
    }
    return g_string_free(out, FALSE);
}

void judge_append_size(GString *out, const struct check *check, int64_t size)
{
    char *text = judge_size_text(check, size);
    g_string_append(out, text);
    g_free(text);
}

// " at 1 B .. 512 B, 1 MiB" for the check's sizes, without `except`.
void judge_append_ranges(GString *out, const struct check *check, const char *before,
                         const GArray *ranges)
{
    for (guint i = 0; i < ranges->len; i++) {
        const struct size_range *range = &g_array_index(ranges, struct size_range, i);
        g_string_append(out, i ? ", " : before);
        judge_append_size(out, check, range->from);
        if (range->to != range->from) {
            g_string_append(out, " .. ");
            judge_append_size(out, check, range->to);
        }
    }
}

void judge_append_sizes(GString *out, const struct check *check)
{
    judge_append_ranges(out, check, " at ", check->sizes);
    judge_append_ranges(out, check, " but ", check->except);
}

void judge_append_number(GString *out, double value, const char *unit)
{
    char *text = judge_number_text(value, unit);
    g_string_append(out, text);
    g_free(text);
}
