// SPDX-License-Identifier: GPL-3.0-or-later
// Judges of values over message sizes: one value, bounds, orders, crossovers.
#include "sim/validate/judge_internal.h"

#include <math.h>

#define MOST_SIZES_LISTED 6

// ---- One value, and bounds ----

void judge_value(struct judging *judging)
{
    const struct check *check = judging->check;
    const char *unit = curve_unit(judging_curve(judging));
    double tolerance =
        check->relative ? fabs(check->expected) * check->tolerance : check->tolerance;
    GString *expected = g_string_new(NULL);
    judge_append_number(expected, check->expected, unit);
    g_string_append(expected, " within ");
    judge_append_number(expected, check->relative ? 100.0 * check->tolerance : tolerance,
                        check->relative ? "%" : unit);
    judging->result->expected = g_string_free(expected, FALSE);
    GArray *points = judging_all_points(judging, judging_curve(judging));
    if (!points)
        return;
    const struct curve_point *point = curve_at(points, check->size);
    if (point) {
        double off = point->value - check->expected;
        judging->result->simulated = judge_number_text(point->value, unit);
        judging->result->deviation = check->expected != 0.0 ? off / fabs(check->expected) : NAN;
        if (check->expected != 0.0)
            judging_note_off(judging, off / fabs(check->expected),
                             tolerance / fabs(check->expected), false);
        judging_decide(judging, fabs(off) <= tolerance);
    } else {
        char *size =
            check->size < 0 ? g_strdup("all sizes together") : judge_size_text(check, check->size);
        judging_give_up(judging, g_strdup_printf("there is no value at %s", size));
        g_free(size);
    }
    g_array_unref(points);
}

// The worst of the points judged so far. One that is level counts only as long as all are.
struct worst {
    double excess, bound;
    const struct curve *curve;
    struct curve_point point;
    guint looked_at, outside, level;
};

// Whether a value is too near to the one that a sign changes at: the quotient to 1, the difference
// to 0 as a part of what is subtracted (`others`, NULL for quotients).
static bool is_level(const struct check *check, const struct curve_point *point,
                     const GArray *others)
{
    if (check->level <= 0.0)
        return false;
    const struct curve_point *other = others ? curve_at(others, point->size) : NULL;
    return other ? fabs(point->value) < check->level * fabs(other->value)
                 : fabs(point->value - 1.0) < check->level;
}

static void worst_of(struct worst *worst, const struct check *check, const struct curve *curve,
                     const GArray *points, const GArray *others)
{
    for (guint i = 0; i < points->len; i++) {
        const struct curve_point *point = judge_points_at(points, i);
        double bound, excess = judge_bounds_excess(check, point->value, &bound);
        bool level = is_level(check, point, others);
        bool only_level = worst->level == worst->looked_at;
        bool worse = level == only_level ? excess > worst->excess : only_level;
        worst->outside += !level && !judge_bounds_hold(check, point->value);
        worst->level += level;
        if (worst->looked_at++ > 0 && !worse)
            continue;
        worst->excess = excess;
        worst->bound = bound;
        worst->curve = curve;
        worst->point = *point;
    }
}

static void say_worst(struct judging *judging, const struct worst *worst)
{
    g_assert(worst->curve); // a check has a curve, and a curve has points
    GString *out = g_string_new(NULL);
    judge_append_number(out, worst->point.value, curve_unit(worst->curve));
    if (worst->point.size >= 0) {
        g_string_append(out, " at ");
        judge_append_size(out, judging->check, worst->point.size);
    }
    if (judging->check->curves->len > 1)
        g_string_append_printf(out, " (%s)", worst->curve->series);
    if (worst->outside > 0)
        g_string_append_printf(out, "; %u of %u values outside", worst->outside, worst->looked_at);
    if (worst->level > 0)
        g_string_append_printf(out, "; %u of %u level", worst->level, worst->looked_at);
    judging->result->simulated = g_string_free(out, FALSE);
    if (worst->bound != 0.0)
        judging->result->deviation = worst->excess / fabs(worst->bound);
}

// Looks at all points of one of the check's curves. False if there are none.
static bool look_at_curve(struct judging *judging, struct worst *worst, const struct curve *curve)
{
    GArray *points = judging_points(judging, curve);
    if (!points)
        return false;
    GArray *others = curve->relation == CURVE_MINUS && judging->check->level > 0.0
                         ? judging_all_points(judging, curve->other)
                         : NULL;
    worst_of(worst, judging->check, curve, points, others);
    if (others)
        g_array_unref(others);
    g_array_unref(points);
    return true;
}

void judge_inside(struct judging *judging)
{
    const struct check *check = judging->check;
    char *label = judging_labels(check, check->curves);
    GString *expected = g_string_new(label);
    g_free(label);
    judge_append_bounds(expected, check, curve_unit(judging_curve(judging)));
    judge_append_sizes(expected, check);
    judging->result->expected = g_string_free(expected, FALSE);
    struct worst worst = {0};
    for (guint i = 0; i < check->curves->len; i++)
        if (!look_at_curve(judging, &worst, g_ptr_array_index(check->curves, i)))
            return;
    say_worst(judging, &worst);
    judging_decide_sizes(judging, worst.looked_at, worst.outside, worst.level, 1.0);
}

// ---- Order ----

// "3 of 24 sizes (2 KiB, 4 KiB, …)"
static void append_failures(GString *out, const struct check *check, const GArray *failed,
                            guint count)
{
    g_string_append_printf(out, "%u of %u sizes (", failed->len, count);
    for (guint i = 0; i < failed->len && i < MOST_SIZES_LISTED; i++) {
        g_string_append(out, i ? ", " : "");
        judge_append_size(out, check, g_array_index(failed, int64_t, i));
    }
    g_string_append(out, failed->len > MOST_SIZES_LISTED ? ", ...)" : ")");
}

struct order {
    GArray *failed;   // int64_t: sizes at which the order is reversed
    guint level;      // sizes at which both are level
    bool once;        // lower at least once
    bool somewhere;   // once is enough
    double least_gap; // less is level, relative to the higher one
    double gap;       // (lower - higher) / higher: the worst, or, if once is enough, the best
    int64_t size;     // where
    double low, high;
};

// Compares at one size: the highest of the lower curves with the lowest of the higher ones.
static void order_at(struct order *order, const GPtrArray *sets, guint lower, guint index)
{
    double low = -INFINITY, high = INFINITY;
    for (guint i = 0; i < sets->len; i++) {
        double value = judge_points_at(g_ptr_array_index(sets, i), index)->value;
        if (i < lower)
            low = fmax(low, value);
        else
            high = fmin(high, value);
    }
    int64_t size = judge_points_at(g_ptr_array_index(sets, 0), index)->size;
    double gap = high != 0.0 ? (low - high) / fabs(high) : (low > high) - (low < high);
    bool level = fabs(gap) < order->least_gap;
    if (!level && (order->somewhere ? low > high : low >= high))
        g_array_append_val(order->failed, size);
    order->level += level;
    order->once |= !level && low < high;
    bool best_is_shown = order->somewhere && order->failed->len == 0;
    if (index > 0 && (best_is_shown ? gap >= order->gap : gap <= order->gap))
        return;
    order->gap = gap;
    order->size = size;
    order->low = low;
    order->high = high;
}

static void append_order(GString *out, const struct judging *judging, const struct order *order,
                         guint count)
{
    guint right = count - order->level - order->failed->len;
    if (order->failed->len > 0) {
        g_string_append(out, "not at ");
        append_failures(out, judging->check, order->failed, count);
        g_string_append(out, ", worst at ");
    } else if (order->somewhere) {
        g_string_append(out,
                        order->once ? "never above; lowest at " : "never above nor below, at ");
    } else if (count == 1 || right == count) {
        g_string_append_printf(out, count > 1 ? "at all %u sizes, nearest at " : "at ", count);
    } else {
        g_string_append_printf(out, "at %u of %u sizes, nearest at ", right, count);
    }
}

static void say_order(struct judging *judging, const struct order *order, guint count)
{
    const char *unit = curve_unit(judging_curve(judging));
    GString *out = g_string_new(NULL);
    append_order(out, judging, order, count);
    judge_append_size(out, judging->check, order->size);
    g_string_append(out, ": ");
    judge_append_number(out, order->low, "");
    g_string_append(out, " against ");
    judge_append_number(out, order->high, unit);
    if (order->level > 0)
        g_string_append_printf(out, "; %u of %u level", order->level, count);
    judging->result->simulated = g_string_free(out, FALSE);
    judging->result->deviation = order->gap;
}

static void expect_order(struct judging *judging)
{
    const struct check *check = judging->check;
    char *lower = judging_labels(check, check->curves),
         *higher = judging_labels(check, check->others);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s below %s", lower, higher);
    judge_append_sizes(out, check);
    if (check->somewhere)
        g_string_append(out, ", never above and once below");
    if (check->share < 1.0)
        g_string_append_printf(out, ", at %.4g %% of the sizes", 100.0 * check->share);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(lower);
    g_free(higher);
}

// Once is enough: the other sizes only must not be above.
static void decide_once(struct judging *judging, const struct order *order)
{
    judging->result->judged = order->once        ? JUDGED_HOLDS
                              : order->level > 0 ? JUDGED_LEVEL
                                                 : JUDGED_MISSES;
}

void judge_order(struct judging *judging)
{
    const struct check *check = judging->check;
    expect_order(judging);
    GPtrArray *sets = judging_curves(judging, check->curves, NULL);
    if (sets)
        sets = judging_curves(judging, check->others, sets);
    if (!sets)
        return;
    guint count = ((const GArray *)g_ptr_array_index(sets, 0))->len;
    struct order order = {.failed = g_array_new(FALSE, FALSE, sizeof(int64_t)),
                          .somewhere = check->somewhere,
                          .least_gap = check->level};
    for (guint i = 0; i < count; i++)
        order_at(&order, sets, check->curves->len, i);
    say_order(judging, &order, count);
    judging_decide_sizes(judging, count, order.failed->len, order.level, check->share);
    if (check->somewhere && judging->result->judged != JUDGED_MISSES)
        decide_once(judging, &order);
    g_array_unref(order.failed);
    g_ptr_array_unref(sets);
}

// ---- Crossover ----

struct crossings {
    int count;    // changes of sign
    bool upwards; // the first is from below to above
    double at;    // bytes, on the line between the two sizes around the first
};

static struct crossings find_crossings(const GArray *before, const GArray *after)
{
    struct crossings found = {0};
    double last = 0.0;
    int64_t last_size = 0;
    for (guint i = 0; i < before->len; i++) {
        double gap = judge_points_at(before, i)->value - judge_points_at(after, i)->value;
        int64_t size = judge_points_at(before, i)->size;
        if (gap == 0.0)
            continue;
        if (last != 0.0 && (gap > 0.0) != (last > 0.0) && found.count++ == 0) {
            found.upwards = gap > 0.0;
            found.at = (double)last_size + (double)(size - last_size) * last / (last - gap);
        }
        last = gap;
        last_size = size;
    }
    return found;
}

static void expect_crossover(struct judging *judging)
{
    const struct check *check = judging->check;
    char *before = judging_labels(check, check->curves),
         *after = judging_labels(check, check->others);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s lower, then %s; they cross once", before, after);
    judge_append_ranges(out, check, " in ", check->range);
    if (check->has_expected)
        g_string_append_printf(out, ", at about %.0f%s", check->expected,
                               check->sizes_are == SIZES_COUNTED ? "" : " B");
    judging->result->expected = g_string_free(out, FALSE);
    g_free(before);
    g_free(after);
}

static void say_crossover(struct judging *judging, const struct crossings *found,
                          const GPtrArray *sets)
{
    const struct check *check = judging->check;
    const struct curve *before = g_ptr_array_index(check->curves, 0);
    const struct curve *after = g_ptr_array_index(check->others, 0);
    const struct curve_point *first = judge_points_at(g_ptr_array_index(sets, 0), 0);
    const struct curve_point *other = judge_points_at(g_ptr_array_index(sets, 1), 0);
    char *low = curve_label(first->value <= other->value ? before : after);
    const char *unit = check->sizes_are == SIZES_COUNTED ? "" : " B";
    if (found->count == 0)
        judging->result->simulated = g_strdup_printf("no crossing: %s is lower throughout", low);
    else if (found->count > 1)
        judging->result->simulated =
            g_strdup_printf("%s lower first; %d crossings, the first at %.0f%s", low, found->count,
                            found->at, unit);
    else
        judging->result->simulated = g_strdup_printf("%s lower up to %.0f%s", low, found->at, unit);
    g_free(low);
    if (found->count == 0 || !check->has_expected)
        return;
    judging->result->deviation = (found->at - check->expected) / check->expected;
    judging_note_off(judging, judging->result->deviation, NAN, false);
}

void judge_crossover(struct judging *judging)
{
    const struct check *check = judging->check;
    const struct size_range *range = &g_array_index(check->range, struct size_range, 0);
    expect_crossover(judging);
    GPtrArray *sets = judging_curves(judging, check->curves, NULL);
    if (sets)
        sets = judging_curves(judging, check->others, sets);
    if (!sets)
        return;
    struct crossings found = find_crossings(g_ptr_array_index(sets, 0), g_ptr_array_index(sets, 1));
    say_crossover(judging, &found, sets);
    judging_decide(judging, found.count == 1 && found.upwards && found.at >= (double)range->from &&
                                found.at <= (double)range->to);
    g_ptr_array_unref(sets);
}
