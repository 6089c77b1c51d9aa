// SPDX-License-Identifier: GPL-3.0-or-later
// Code that all judges share: the verdict, numbers for people, the bounds of a check.
#include "sim/validate/judge_internal.h"

#include "sim/config/quantity.h"

#include <math.h>

void judging_give_up(struct judging *judging, char *why)
{
    judging->result->judged = JUDGED_NOT_CHECKABLE;
    judging->result->why = why;
}

void judging_decide(struct judging *judging, bool holds)
{
    judging->result->judged = holds ? JUDGED_HOLDS : JUDGED_MISSES;
}

void judging_decide_sizes(struct judging *judging, guint sizes, guint wrong, guint level,
                          double share)
{
    guint decided = sizes - level;
    if (decided > 0 && (double)(decided - wrong) / (double)decided < share)
        judging->result->judged = JUDGED_MISSES;
    else
        judging->result->judged = 2 * decided < sizes ? JUDGED_LEVEL : JUDGED_HOLDS;
}

void judging_note_off(struct judging *judging, double off, double tolerance, bool points)
{
    struct judgement *result = judging->result;
    if (!result->off)
        result->off = g_array_new(FALSE, FALSE, sizeof(struct drawn_number));
    result->points = points;
    struct drawn_number number = {off, tolerance};
    g_array_append_val(result->off, number);
}

char *judge_number_text(double value, const char *unit)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, fabs(value) >= 1e4 ? "%.0f" : "%.4g", value);
    return g_strconcat(digits, *unit ? " " : "", unit, NULL);
}

char *judge_size_text(const struct check *check, int64_t size)
{
    return quantity_format(check->sizes_are == SIZES_COUNTED ? QUANTITY_COUNT : QUANTITY_SIZE,
                           (struct quantity){.integer = size});
}

static void append_bound(GString *out, const struct check_bound *bound, const char *plain,
                         const char *strict, const char *unit)
{
    if (!bound->given)
        return;
    char *text = judge_number_text(bound->value, unit);
    g_string_append_printf(out, " %s %s", bound->strict ? strict : plain, text);
    g_free(text);
}

void judge_append_bounds(GString *out, const struct check *check, const char *unit)
{
    append_bound(out, &check->low, "at least", "above", unit);
    if (check->low.given && check->high.given)
        g_string_append(out, " and");
    append_bound(out, &check->high, "at most", "below", unit);
}

double judge_bounds_excess(const struct check *check, double value, double *bound)
{
    double low = check->low.given ? check->low.value - value : -INFINITY;
    double high = check->high.given ? value - check->high.value : -INFINITY;
    *bound = low >= high ? check->low.value : check->high.value;
    return fmax(low, high);
}

bool judge_bounds_hold(const struct check *check, double value)
{
    if (check->low.given &&
        !(check->low.strict ? value > check->low.value : value >= check->low.value))
        return false;
    return !check->high.given ||
           (check->high.strict ? value < check->high.value : value <= check->high.value);
}
