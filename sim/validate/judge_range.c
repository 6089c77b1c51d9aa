// SPDX-License-Identifier: GPL-3.0-or-later
// Judges of a range of sizes as a whole, such as the seconds of a benchmark over time: the mean of
// its values, and where the first of them is inside bounds.
#include "sim/validate/judge_internal.h"

#include <math.h>

static void expect_mean(struct judging *judging, const char *unit)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *out = g_string_new("mean of ");
    g_string_append(out, label);
    if (check->has_expected) {
        g_string_append_c(out, ' ');
        judge_append_number(out, check->expected, unit);
        g_string_append(out, " within ");
        judge_append_number(out, check->relative ? 100.0 * check->tolerance : check->tolerance,
                            check->relative ? "%" : unit);
    } else {
        judge_append_bounds(out, check, unit);
    }
    judge_append_sizes(out, check);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(label);
}

static double mean_value(const GArray *points)
{
    double sum = 0.0;
    for (guint i = 0; i < points->len; i++)
        sum += judge_points_at(points, i)->value;
    return sum / points->len;
}

// Decides the sign of a difference's mean, as a part of the mean of what is subtracted, or of a
// quotient's; or whether any other mean is inside the bounds.
static void decide_bounded_mean(struct judging *judging, double mean)
{
    const struct check *check = judging->check;
    const struct curve *curve = judging_curve(judging);
    double off = mean - 1.0;
    if (check->level > 0.0 && curve->relation == CURVE_MINUS) {
        GArray *others = judging_points(judging, curve->other);
        if (!others)
            return;
        off = mean / fabs(mean_value(others));
        g_array_unref(others);
    }
    bool level = fabs(off) < check->level;
    judging_decide_sizes(judging, 1, !level && !judge_bounds_hold(check, mean), level, 1.0);
}

void judge_mean(struct judging *judging)
{
    const struct check *check = judging->check;
    const char *unit = curve_unit(judging_curve(judging));
    expect_mean(judging, unit);
    GArray *points = judging_points(judging, judging_curve(judging));
    if (!points)
        return;
    double mean = mean_value(points), bound;
    double tolerance =
        check->relative ? fabs(check->expected) * check->tolerance : check->tolerance;
    double off =
        check->has_expected ? mean - check->expected : judge_bounds_excess(check, mean, &bound);
    double from = check->has_expected ? check->expected : bound;
    GString *out = g_string_new(NULL);
    judge_append_number(out, mean, unit);
    g_string_append_printf(out, " over %u value%s", points->len, points->len == 1 ? "" : "s");
    judging->result->simulated = g_string_free(out, FALSE);
    g_array_unref(points);
    if (from != 0.0)
        judging->result->deviation = off / fabs(from);
    if (!check->has_expected) {
        decide_bounded_mean(judging, mean);
        return;
    }
    if (from != 0.0)
        judging_note_off(judging, off / fabs(from), tolerance / fabs(from), false);
    judging_decide(judging, fabs(off) <= tolerance);
}

static void expect_first(struct judging *judging, const char *unit)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *out = g_string_new(label);
    judge_append_bounds(out, check, unit);
    judge_append_ranges(out, check, " for the first time in ", check->range);
    judge_append_ranges(out, check, ", of ", check->sizes);
    judge_append_ranges(out, check, " but ", check->except);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(label);
}

void judge_first(struct judging *judging)
{
    const struct check *check = judging->check;
    const char *unit = curve_unit(judging_curve(judging));
    expect_first(judging, unit);
    GArray *points = judging_points(judging, judging_curve(judging));
    if (!points)
        return;
    const struct curve_point *first = NULL;
    for (guint i = 0; i < points->len && !first; i++)
        if (judge_bounds_hold(check, judge_points_at(points, i)->value))
            first = judge_points_at(points, i);
    GString *out = g_string_new(first ? NULL : "never");
    if (first) {
        judge_append_number(out, first->value, unit);
        g_string_append(out, " at ");
        judge_append_size(out, check, first->size);
    }
    judging->result->simulated = g_string_free(out, FALSE);
    judging_decide(judging, first && size_in(check->range, first->size));
    g_array_unref(points);
}
