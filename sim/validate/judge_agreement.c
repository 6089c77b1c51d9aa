// SPDX-License-Identifier: GPL-3.0-or-later
// The judge of agreements: two simulations of the same program, such as one of packets and one of
// flows, size by size.
#include "sim/validate/judge_internal.h"

#include <math.h>

// The furthest that any pair of curves is apart.
struct furthest {
    const struct curve *curve; // that of `with`; NULL: nothing was compared yet
    int64_t size;
    double value, with;
    double apart; // (with - value) / value
    guint outside, compared;
};

static void expect_agreement(struct judging *judging)
{
    const struct check *check = judging->check;
    char *with = judging_labels(check, check->others),
         *label = judging_labels(check, check->curves);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s within ", with);
    judge_append_number(out, 100.0 * check->tolerance, "%");
    g_string_append_printf(out, " of %s", label);
    if (check->from >= 0) {
        g_string_append(out, " from ");
        judge_append_size(out, check, check->from);
    }
    judge_append_sizes(out, check);
    judging->result->expected = g_string_free(out, FALSE);
    g_free(with);
    g_free(label);
}

static void compare_point(struct furthest *furthest, const struct check *check,
                          const struct curve *curve, const struct curve_point *point, double with)
{
    double apart = (with - point->value) / fabs(point->value);
    if (point->value == 0.0)
        apart = with == 0.0 ? 0.0 : copysign(INFINITY, with);
    furthest->compared++;
    furthest->outside += fabs(apart) > check->tolerance;
    if (furthest->curve && fabs(apart) <= fabs(furthest->apart))
        return;
    furthest->curve = curve;
    furthest->size = point->size;
    furthest->value = point->value;
    furthest->with = with;
    furthest->apart = apart;
}

// Compares the curves at one place of both lists. Returns false if points are missing, which
// decides the check.
static bool compare_pair(struct judging *judging, guint place, struct furthest *furthest)
{
    const struct check *check = judging->check;
    const struct curve *curve = g_ptr_array_index(check->curves, place);
    const struct curve *other = g_ptr_array_index(check->others, place);
    GArray *points = judging_points(judging, curve);
    GArray *with = points ? judging_points(judging, other) : NULL;
    bool good = with != NULL;
    if (with && with->len != points->len) {
        judging_give_up(judging, g_strdup_printf("%s has %u values, %s has %u", curve->series,
                                                 points->len, other->series, with->len));
        good = false;
    }
    for (guint i = 0; good && i < points->len; i++) {
        const struct curve_point *one = judge_points_at(points, i), *two = judge_points_at(with, i);
        good = one->size == two->size;
        if (good)
            compare_point(furthest, check, other, one, two->value);
        else
            judging_give_up(judging, g_strdup_printf("%s and %s have values at different sizes",
                                                     curve->series, other->series));
    }
    if (points)
        g_array_unref(points);
    if (with)
        g_array_unref(with);
    return good;
}

static void say_furthest(struct judging *judging, const struct furthest *furthest)
{
    const char *unit = curve_unit(furthest->curve);
    GString *out = g_string_new("furthest apart: ");
    judge_append_number(out, furthest->with, unit);
    g_string_append(out, " for ");
    judge_append_number(out, furthest->value, unit);
    if (furthest->size >= 0) {
        g_string_append(out, " at ");
        judge_append_size(out, judging->check, furthest->size);
    }
    if (judging->check->others->len > 1)
        g_string_append_printf(out, " (%s)", furthest->curve->series);
    if (furthest->outside > 0)
        g_string_append_printf(out, "; %u of %u values outside", furthest->outside,
                               furthest->compared);
    judging->result->simulated = g_string_free(out, FALSE);
    judging->result->deviation = furthest->apart;
}

void judge_agreement(struct judging *judging)
{
    struct furthest furthest = {0};
    expect_agreement(judging);
    for (guint i = 0; i < judging->check->curves->len; i++)
        if (!compare_pair(judging, i, &furthest))
            return;
    g_assert(furthest.curve); // a check has curves, and a curve has points
    say_furthest(judging, &furthest);
    judging_decide(judging, furthest.outside == 0);
}
