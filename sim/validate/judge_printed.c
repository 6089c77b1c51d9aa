// SPDX-License-Identifier: GPL-3.0-or-later
// Judges of what a source prints: a table of values, and the gain of one curve over another.
#include "sim/validate/judge_internal.h"

#include <math.h>

// ---- A table of values ----

static double tolerance_of(const struct check *check, double expected)
{
    return check->relative ? fabs(expected) * check->tolerance : check->tolerance;
}

static void expect_values(struct judging *judging, const char *unit)
{
    const struct check *check = judging->check;
    guint count = check->points->len;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%u value%s within ", count, count == 1 ? "" : "s");
    judge_append_number(out, check->relative ? 100.0 * check->tolerance : check->tolerance,
                        check->relative ? "%" : unit);
    if (check->share < 1.0)
        g_string_append_printf(out, ", at %.4g %% of the sizes", 100.0 * check->share);
    judging->result->expected = g_string_free(out, FALSE);
}

// The values found so far.
struct rows {
    guint outside;
    double excess; // of the worst: how far it is off, in tolerances
    const struct curve_point *expected;
    double value;
};

// False if there is no value at the size; then the check is given up.
static bool look_at_row(struct judging *judging, struct rows *rows, const GArray *points,
                        const struct curve_point *expected)
{
    const struct curve_point *found = curve_at(points, expected->size);
    if (!found) {
        char *size = judge_size_text(judging->check, expected->size);
        judging_give_up(judging, g_strdup_printf("there is no value at %s", size));
        g_free(size);
        return false;
    }
    double off = fabs(found->value - expected->value);
    double tolerance = tolerance_of(judging->check, expected->value);
    if (expected->value != 0.0)
        judging_note_off(judging, (found->value - expected->value) / fabs(expected->value),
                         tolerance / fabs(expected->value), false);
    double excess = tolerance > 0.0 ? off / tolerance : off > 0.0 ? INFINITY : 0.0;
    rows->outside += off > tolerance;
    if (rows->expected && excess <= rows->excess)
        return true;
    rows->excess = excess;
    rows->expected = expected;
    rows->value = found->value;
    return true;
}

static void say_rows(struct judging *judging, const struct rows *rows, const char *unit)
{
    g_assert(rows->expected); // a table has rows
    GString *out = g_string_new("furthest off: ");
    judge_append_number(out, rows->value, unit);
    g_string_append(out, " for ");
    judge_append_number(out, rows->expected->value, unit);
    g_string_append(out, " at ");
    judge_append_size(out, judging->check, rows->expected->size);
    if (rows->outside > 0)
        g_string_append_printf(out, "; %u of %u values outside", rows->outside,
                               judging->check->points->len);
    judging->result->simulated = g_string_free(out, FALSE);
    if (rows->expected->value != 0.0)
        judging->result->deviation =
            (rows->value - rows->expected->value) / fabs(rows->expected->value);
}

void judge_values(struct judging *judging)
{
    const struct check *check = judging->check;
    const char *unit = curve_unit(judging_curve(judging));
    expect_values(judging, unit);
    GArray *points = judging_all_points(judging, judging_curve(judging));
    if (!points)
        return;
    struct rows rows = {0};
    bool all = true;
    for (guint i = 0; all && i < check->points->len; i++)
        all = look_at_row(judging, &rows, points, judge_points_at(check->points, i));
    if (all) {
        guint count = check->points->len;
        say_rows(judging, &rows, unit);
        judging_decide(judging, (double)(count - rows.outside) / (double)count >= check->share);
    }
    g_array_unref(points);
}

// ---- Gain ----

static void append_percent(GString *out, double part)
{
    judge_append_number(out, 100.0 * part, "%");
}

static void expect_gain(struct judging *judging)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *out = g_string_new(check->mean ? "mean" : "greatest");
    g_string_append_printf(out, " gain of %s", label);
    if (check->has_expected) {
        g_string_append_c(out, ' ');
        append_percent(out, check->expected);
        g_string_append(out, " within ");
        append_percent(out, check->tolerance);
    } else {
        struct check percent = *check;
        percent.low.value *= 100.0;
        percent.high.value *= 100.0;
        judge_append_bounds(out, &percent, "%");
    }
    judge_append_sizes(out, check);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(label);
}

static void decide_gain(struct judging *judging, double gain)
{
    const struct check *check = judging->check;
    bool level = fabs(gain) < check->level;
    if (check->has_expected) {
        judging_note_off(judging, gain - check->expected, check->tolerance, true);
        judging_decide(judging, fabs(gain - check->expected) <= check->tolerance);
    } else {
        judging_decide_sizes(judging, 1, !level && !judge_bounds_hold(check, gain), level, 1.0);
    }
}

void judge_gain(struct judging *judging)
{
    const struct check *check = judging->check;
    expect_gain(judging);
    GArray *points = judging_points(judging, judging_curve(judging));
    if (!points)
        return;
    const struct curve_point *greatest = judge_points_at(points, 0);
    double sum = 0.0;
    for (guint i = 0; i < points->len; i++) {
        const struct curve_point *point = judge_points_at(points, i);
        sum += point->value - 1.0;
        if (point->value > greatest->value)
            greatest = point;
    }
    double gain = check->mean ? sum / points->len : greatest->value - 1.0, bound;
    GString *out = g_string_new(NULL);
    append_percent(out, gain);
    if (check->mean) {
        g_string_append_printf(out, " over %u sizes; the greatest is ", points->len);
        append_percent(out, greatest->value - 1.0);
    }
    g_string_append(out, " at ");
    judge_append_size(out, check, greatest->size);
    judging->result->simulated = g_string_free(out, FALSE);
    // Both are percentages already: their difference is in points of a percent.
    judging->result->deviation =
        check->has_expected ? gain - check->expected : judge_bounds_excess(check, gain, &bound);
    decide_gain(judging, gain);
    g_array_unref(points);
}
