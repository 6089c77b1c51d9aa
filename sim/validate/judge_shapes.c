// SPDX-License-Identifier: GPL-3.0-or-later
// Judges of the shape of curves.
#include "sim/validate/judge_internal.h"

#include <math.h>

// ---- Shape of one curve ----

// The worst deviation from size to size, and its place.
struct shape {
    double worst;
    int64_t size;
    bool any;
};

static void shape_add(struct shape *shape, double value, int64_t size)
{
    if (shape->any && value <= shape->worst)
        return;
    *shape = (struct shape){value, size, true};
}

static void say_shape(struct judging *judging, const struct shape *shape, const char *before,
                      double most)
{
    if (!shape->any) {
        judging_give_up(judging, g_strdup("there are too few sizes"));
        return;
    }
    GString *out = g_string_new(before);
    judge_append_number(out, 100.0 * shape->worst, "%");
    g_string_append(out, " at ");
    judge_append_size(out, judging->check, shape->size);
    judging->result->simulated = g_string_free(out, FALSE);
    judging->result->deviation = shape->worst - most;
    judging_decide(judging, shape->worst <= most);
}

static void expect_shape(struct judging *judging, const char *what)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *out = g_string_new(label);
    g_string_append_printf(out, " %s", what);
    if (check->high.given)
        judge_append_number(out, 100.0 * check->high.value, "%");
    judge_append_sizes(out, check);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(label);
}

void judge_monotone(struct judging *judging)
{
    bool falling = judging->check->falling;
    expect_shape(judging, falling ? "never rises" : "never falls");
    GArray *points = judging_points(judging, judging_curve(judging));
    if (!points)
        return;
    struct shape shape = {0};
    for (guint i = 1; i < points->len; i++) {
        double from = judge_points_at(points, i - 1)->value, to = judge_points_at(points, i)->value;
        double wrong = falling ? to - from : from - to;
        shape_add(&shape, from != 0.0 ? wrong / fabs(from) : wrong,
                  judge_points_at(points, i)->size);
    }
    say_shape(judging, &shape, shape.worst > 0.0 ? "the wrong way by " : "nearest to it ", 0.0);
    g_array_unref(points);
}

// How far a point is off the straight line between its neighbours, relative to itself. A curve
// a + b * size is never off; a step of height h between two sizes that double is off by 2/3 h.
static double off_line(const struct curve_point *before, const struct curve_point *at,
                       const struct curve_point *after)
{
    double share = (double)(at->size - before->size) / (double)(after->size - before->size);
    double line = before->value + share * (after->value - before->value);
    return at->value != 0.0 ? fabs(at->value - line) / fabs(at->value) : 0.0;
}

void judge_no_step(struct judging *judging)
{
    expect_shape(judging, "is off its neighbours' line by at most ");
    GArray *points = judging_all_points(judging, judging_curve(judging));
    if (!points)
        return;
    struct shape shape = {0};
    for (guint i = 1; i + 1 < points->len; i++)
        if (check_wants(judging->check, judge_points_at(points, i)->size))
            shape_add(&shape,
                      off_line(judge_points_at(points, i - 1), judge_points_at(points, i),
                               judge_points_at(points, i + 1)),
                      judge_points_at(points, i)->size);
    say_shape(judging, &shape, "at most ", judging->check->high.value);
    g_array_unref(points);
}

// Parallel lines keep their distance: it may change, from size to size, by a part of the curve's
// own value.
void judge_parallel(struct judging *judging)
{
    const struct check *check = judging->check;
    char *to = judging_labels(check, check->others);
    char *what = g_strdup_printf("- %s changes from size to size by at most ", to);
    expect_shape(judging, what);
    g_free(what);
    g_free(to);
    GPtrArray *sets = judging_curves(judging, check->curves, NULL);
    if (sets)
        sets = judging_curves(judging, check->others, sets);
    if (!sets)
        return;
    const GArray *points = g_ptr_array_index(sets, 0), *others = g_ptr_array_index(sets, 1);
    struct shape shape = {0};
    for (guint i = 1; i < points->len; i++) {
        double rise = judge_points_at(points, i)->value - judge_points_at(points, i - 1)->value;
        double other = judge_points_at(others, i)->value - judge_points_at(others, i - 1)->value;
        shape_add(&shape, fabs(rise - other) / fabs(judge_points_at(points, i)->value),
                  judge_points_at(points, i)->size);
    }
    say_shape(judging, &shape, "at most ", check->high.value);
    g_ptr_array_unref(sets);
}

// ---- Several curves ----

void judge_widest(struct judging *judging)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *text = g_string_new("widest");
    judge_append_ranges(text, check, " in ", check->range);
    g_string_append_printf(text, ": %s", label);
    judging->result->expected = g_string_free(text, FALSE);
    g_free(label);
    GPtrArray *sets = judging_curves(judging, check->curves, NULL);
    if (!sets)
        return;
    struct curve_point inside = {-1, 0.0}, outside = {-1, 0.0};
    const GArray *first = g_ptr_array_index(sets, 0);
    for (guint i = 0; i < first->len; i++) {
        double low = INFINITY, high = 0.0;
        for (guint k = 0; k < sets->len; k++) {
            double value = judge_points_at(g_ptr_array_index(sets, k), i)->value;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        int64_t size = judge_points_at(first, i)->size;
        struct curve_point *best = size_in(check->range, size) ? &inside : &outside;
        if (high / low > best->value)
            *best = (struct curve_point){size, high / low};
    }
    const struct curve_point *widest = inside.value > outside.value ? &inside : &outside;
    char *at = judge_size_text(check, widest->size);
    judging->result->simulated =
        g_strdup_printf("widest at %s: highest / lowest %.3g", at, widest->value);
    g_free(at);
    if (inside.value > 0.0)
        judging->result->deviation = outside.value / inside.value - 1.0;
    judging_decide(judging, inside.value > outside.value);
    g_ptr_array_unref(sets);
}

// The geometric mean of the points with sizes in a range; 0 if there are none.
static double mean_of(const GArray *points, const GArray *ranges)
{
    double sum = 0.0;
    int count = 0;
    for (guint i = 0; i < points->len; i++)
        if (size_in(ranges, judge_points_at(points, i)->size)) {
            sum += log(judge_points_at(points, i)->value);
            count++;
        }
    return count > 0 ? exp(sum / count) : 0.0;
}

void judge_narrows(struct judging *judging)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *text = g_string_new(label);
    judge_append_ranges(text, check, " is nearer to 1 at ", check->range);
    judge_append_ranges(text, check, " than at ", check->sizes);
    judging->result->expected = g_string_free(text, FALSE);
    g_free(label);
    GArray *points = judging_all_points(judging, judging_curve(judging));
    if (!points)
        return;
    double first = mean_of(points, check->sizes), later = mean_of(points, check->range);
    g_array_unref(points);
    if (first <= 0.0 || later <= 0.0) {
        judging_give_up(judging, g_strdup("there are no values at these sizes"));
        return;
    }
    double farther = fabs(log(later)) - fabs(log(first));
    bool level = fabs(expm1(farther)) < check->level;
    judging->result->simulated =
        g_strdup_printf("mean %.3g, then %.3g%s", first, later, level ? "; level" : "");
    judging->result->deviation = farther;
    judging_decide_sizes(judging, 1, !level && farther >= 0.0, level, 1.0);
}

static void expect_slower(struct judging *judging)
{
    const struct check *check = judging->check;
    char *at = judge_size_text(check, check->size);
    GString *what = g_string_new("moves ");
    if (check->low.given)
        g_string_append_printf(what, "at least %.4g %% ", 100.0 * check->low.value);
    g_string_append_printf(what, "fewer bytes per time than at %s", at);
    expect_shape(judging, what->str);
    g_string_free(what, TRUE);
    g_free(at);
}

// Compares the bytes per time at the check's sizes with those at its size, which is `knee`.
static void judge_slower(struct judging *judging, const GArray *points,
                         const struct curve_point *knee)
{
    const struct check *check = judging->check;
    double least = check->low.given ? check->low.value : 0.0;
    struct shape shape = {0};
    guint count = 0, wrong = 0, levels = 0;
    for (guint i = 0; i < points->len; i++) {
        const struct curve_point *point = judge_points_at(points, i);
        if (!check_wants(check, point->size))
            continue;
        double part = (double)point->size / point->value / ((double)knee->size / knee->value);
        bool level = fabs(part - 1.0) < check->level;
        shape_add(&shape, part - 1.0, point->size);
        wrong += !level && (check->low.given ? part > 1.0 - least : part >= 1.0);
        levels += level;
        count++;
    }
    say_shape(judging, &shape, "nearest: ", -least);
    if (shape.any)
        judging_decide_sizes(judging, count, wrong, levels, 1.0);
}

void judge_slows_beyond(struct judging *judging)
{
    const struct check *check = judging->check;
    expect_slower(judging);
    GArray *points = judging_all_points(judging, judging_curve(judging));
    const struct curve_point *knee = points ? curve_at(points, check->size) : NULL;
    if (knee) {
        judge_slower(judging, points, knee);
    } else if (points) {
        char *at = judge_size_text(check, check->size);
        judging_give_up(judging, g_strdup_printf("there is no value at %s", at));
        g_free(at);
    }
    if (points)
        g_array_unref(points);
}
