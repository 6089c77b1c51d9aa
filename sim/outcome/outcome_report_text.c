// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a sweep for people, made of the JSON alone.
#include "sim/outcome/outcome_report.h"

#include "sim/config/quantity.h"
#include "sim/core/summary.h"
#include "sim/outcome/draws_text.h"
#include "sim/outcome/grid.h"
#include "sim/outcome/report_words.h"
#include "sim/output/text.h"

#include <string.h>

#define MOST_RANKS 8 // each with a row

// How many seeds each point has; 0: there are none to take means over, or draws to take them in.
static int seeds_of(const json_t *report)
{
    return draws_are_in(report) ? 0 : (int)json_array_size(json_object_get(report, "seeds"));
}

// Whether an axis has too many values to give each a row.
static bool has_many(const json_t *report, const char *name)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (strcmp(report_member(axis, "name"), name) == 0)
            return json_array_size(json_object_get(axis, "values")) > REPORT_MOST_ROWS;
    }
    return false;
}

// Says which axes have no rows for that reason.
static void print_left_out(const json_t *report, GString *out)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (has_many(report, report_member(axis, "name")))
            g_string_append_printf(out,
                                   "  %s has too many values for rows: --format json has them\n",
                                   report_member(axis, "name"));
    }
}

static void print_axes(const json_t *report, GString *out)
{
    struct grid grid = grid_new(2, 0);
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        grid_add(&grid, report_member(axis, "name"));
        grid_take(&grid, report_joined(json_object_get(axis, "values")));
    }
    grid_print(&grid, out);
}

// ---- Ends ----

static void print_ends(const json_t *report, GString *out)
{
    const json_t *ends = json_object_get(report, "ends"), *count, *failure;
    const char *name, *before = "";
    size_t i;
    g_string_append(out, "\nEnds: ");
    json_object_foreach((json_t *)ends, name, count)
    {
        if (json_integer_value(count) == 0)
            continue;
        g_string_append_printf(out, "%s%d %s", before, (int)json_integer_value(count), name);
        before = ", ";
    }
    g_string_append_c(out, '\n');
    json_array_foreach(json_object_get(report, "failures"), i, failure)
    {
        char *point = report_point_text(report, json_object_get(failure, "first_point"), true);
        g_string_append_printf(out, "  %s: %s, %d time%s, first at %s\n    ",
                               report_member(failure, "series"), report_member(failure, "kind"),
                               report_number(failure, "count"),
                               report_number(failure, "count") == 1 ? "" : "s", point);
        text_append_wrapped(out, report_member(failure, "text"), 76, 4);
        g_string_append_c(out, '\n');
        g_free(point);
    }
}

// Where failures lie: for each value of each axis how many completed. Only if there are any.
static void print_ends_by_value(const json_t *report, GString *out)
{
    struct grid grid = grid_new(5, 1u << 3);
    static const char *const head[] = {"series", "axis", "value", "completed", "others"};
    const json_t *row, *count;
    const char *kind;
    size_t i;
    if (json_array_size(json_object_get(report, "failures")) == 0) {
        g_ptr_array_unref(grid.cells);
        return;
    }
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(json_object_get(report, "ends_by_value"), i, row)
    {
        if (has_many(report, report_member(row, "axis")))
            continue;
        GString *kinds = g_string_new(NULL);
        json_object_foreach(json_object_get(row, "kinds"), kind, count)
        {
            g_string_append_printf(kinds, "%s%d %s", kinds->len ? ", " : "",
                                   (int)json_integer_value(count), kind);
        }
        grid_add(&grid, report_member(row, "series"));
        grid_add(&grid, report_member(row, "axis"));
        grid_add(&grid, report_member(row, "value"));
        grid_take(&grid,
                  g_strdup_printf("%d of %d", report_number(row, "completed"),
                                  report_number(row, "completed") + report_number(row, "other")));
        grid_take(&grid, g_string_free(kinds, FALSE));
    }
    g_string_append_c(out, '\n');
    grid_print(&grid, out);
    print_left_out(report, out);
}

static const json_t *values_of(const json_t *report, const char *name)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (strcmp(report_member(axis, "name"), name) == 0)
            return json_object_get(axis, "values");
    }
    return NULL;
}

static int count_at(const json_t *pair, const char *of, size_t row, size_t column)
{
    const json_t *rows = json_object_get(pair, of);
    return (int)json_integer_value(json_array_get(json_array_get(rows, row), column));
}

// "ok", "fails", or "2 of 3" of the points that two values have in common.
static char *pair_cell(const json_t *pair, size_t row, size_t column)
{
    int good = count_at(pair, "completed", row, column),
        bad = count_at(pair, "failed", row, column);
    if (good + bad == 0)
        return g_strdup("-");
    return good && bad ? g_strdup_printf("%d of %d", good, good + bad)
                       : g_strdup(bad ? "fails" : "ok");
}

// The first axis downwards, the second one to the right. Only for series of which some points
// failed and some did not, if there is room for it.
static void print_pair(const json_t *report, const json_t *pair, GString *out)
{
    const char *down = json_string_value(json_array_get(json_object_get(pair, "axes"), 0));
    const char *right = json_string_value(json_array_get(json_object_get(pair, "axes"), 1));
    const json_t *rows = values_of(report, down), *columns = values_of(report, right);
    size_t i, k, good = 0, bad = 0;
    for (i = 0; i < json_array_size(rows); i++)
        for (k = 0; k < json_array_size(columns); k++) {
            good += (size_t)count_at(pair, "completed", i, k);
            bad += (size_t)count_at(pair, "failed", i, k);
        }
    if (!good || !bad || json_array_size(columns) > REPORT_MOST_IN_LINE ||
        json_array_size(rows) > REPORT_MOST_ROWS)
        return;
    g_string_append_printf(out, "\n%s: where it fails, %s downwards, %s to the right\n",
                           report_member(pair, "series"), down, right);
    struct grid grid = grid_new((guint)json_array_size(columns) + 1, ~0u);
    grid_add(&grid, "");
    for (k = 0; k < json_array_size(columns); k++)
        grid_add(&grid, json_string_value(json_array_get(columns, k)));
    for (i = 0; i < json_array_size(rows); i++) {
        grid_add(&grid, json_string_value(json_array_get(rows, i)));
        for (k = 0; k < json_array_size(columns); k++)
            grid_take(&grid, pair_cell(pair, i, k));
    }
    grid_print(&grid, out);
}

// ---- Metrics ----

static char *value_text(const json_t *value)
{
    return g_strdup_printf("%.5g", json_number_value(value));
}

// "10.5 ± 6.4" of a mean with its summary, "10.5" without an interval.
static char *mean_text(const json_t *value, const json_t *summary)
{
    const json_t *half_width = json_object_get(summary, "half_width");
    if (!json_is_number(half_width))
        return value_text(value);
    char *half = summary_half_width_text(json_number_value(half_width));
    char *text = g_strdup_printf("%.5g \u00b1 %s", json_number_value(value), half);
    g_free(half);
    return text;
}

// How many points differ on axes alone that change nothing.
static int idle_points(const json_t *report)
{
    const json_t *axis;
    size_t i;
    int points = 1;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        points *= report_is_idle(axis) ? (int)json_array_size(json_object_get(axis, "values")) : 1;
    }
    return points;
}

static char *ties_text(const json_t *report, const json_t *row, const char *best)
{
    int ties = report_number(row, "ties"), alike = idle_points(report);
    if ((ties + 1) % alike == 0) // those that differ on idle axes alone are one
        ties = (ties + 1) / alike - 1;
    if (ties == 0)
        return g_strdup(best);
    return g_strdup_printf("%s  (and %d more%s)", best, ties,
                           seeds_of(report) ? ", not told apart" : "");
}

static void add_row(struct grid *grid, const json_t *report, const json_t *row)
{
    char *best = report_point_text(report, json_object_get(row, "best_point"), false);
    char *worst = report_point_text(report, json_object_get(row, "worst_point"), false);
    bool apart = !json_is_false(json_object_get(row, "told_apart"));
    grid_take(grid, report_row_name(report, row));
    grid_take(grid, mean_text(json_object_get(row, "best"), json_object_get(row, "best_summary")));
    grid_take(grid, ties_text(report, row, best));
    grid_take(grid,
              mean_text(json_object_get(row, "worst"), json_object_get(row, "worst_summary")));
    grid_take(grid, apart ? g_strdup(worst) : g_strdup_printf("%s  (not told apart)", worst));
    g_free(best);
    g_free(worst);
}

// Only what differs between points is worth a row, and of ranks, which mostly do the same, few are.
static void print_rows(const json_t *report, const json_t *rows, size_t flat, GString *out)
{
    static const char *const head[] = {"", "best", "at", "worst", "at"};
    static const size_t most[] = {[false] = REPORT_MOST_ROWS, [true] = MOST_RANKS};
    size_t i, shown[] = {0, 0}, left = 0;
    const json_t *row;
    struct grid grid = grid_new(5, 1u << 1 | 1u << 3);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(rows, i, row)
    {
        bool of_rank = json_is_integer(json_object_get(row, "rank"));
        if (report_is_flat(row))
            continue;
        if (shown[of_rank] == most[of_rank]) {
            left++;
            continue;
        }
        shown[of_rank]++;
        add_row(&grid, report, row);
    }
    grid_print(&grid, out);
    if (left)
        g_string_append_printf(out, "  and %zu more row%s: --format json has them\n", left,
                               left == 1 ? "" : "s");
    if (flat)
        g_string_append_printf(out, "  and %zu more row%s, in which every point has the same\n",
                               flat, flat == 1 ? "" : "s");
}

// Of points with several seeds the means, each with its spread.
static void print_means(const json_t *report, const json_t *metric, GString *out)
{
    static const char *const head[] = {"", "", "n", "mean", "sd", "min", "max"};
    static const char *const numbers[] = {"sd", "min", "max"};
    const json_t *means = json_object_get(metric, "means"), *mean;
    size_t i;
    if (json_array_size(means) == 0)
        return;
    if (json_array_size(means) > REPORT_MOST_ROWS) {
        g_string_append(out, "  too many means for rows: --format json has them\n");
        return;
    }
    struct grid grid = grid_new(G_N_ELEMENTS(head), ~3u);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(means, i, mean)
    {
        int n = report_number(mean, "n"), seeds = seeds_of(report);
        if (report_repeats_point(report, json_object_get(mean, "at")))
            continue;
        grid_take(&grid, report_row_name(report, mean));
        grid_take(&grid, report_point_text(report, json_object_get(mean, "at"), false));
        grid_take(&grid,
                  n < seeds ? g_strdup_printf("%d of %d", n, seeds) : g_strdup_printf("%d", n));
        grid_take(&grid, mean_text(json_object_get(mean, "mean"), mean));
        for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++) {
            const json_t *value = json_object_get(mean, numbers[k]);
            grid_take(&grid, json_is_number(value) ? value_text(value) : g_strdup("-"));
        }
    }
    grid_print(&grid, out);
}

static void print_metric(const json_t *report, const json_t *metric, GString *out)
{
    bool lower = json_is_true(json_object_get(metric, "lower_is_better"));
    bool single = report_number(report, "points") < 2;
    const json_t *rows = json_object_get(metric, "rows"), *row;
    size_t i, flat = 0;
    json_array_foreach(rows, i, row)
    {
        flat += report_is_flat(row);
    }
    g_string_append_printf(out, "\n%s: %s (%s is better)%s\n", report_member(metric, "series"),
                           report_member(metric, "metric"), lower ? "less" : "more",
                           json_array_size(rows) == 0 ? ": no run has a result"
                           : flat == json_array_size(rows) && !seeds_of(report) &&
                                   !(draws_are_in(report) && single)
                               ? ": the same everywhere"
                           : flat == json_array_size(rows) && !single ? ": the same mean everywhere"
                                                                      : "");
    print_means(report, metric, out);
    draws_print_metric(report, metric, out);
    if (draws_are_in(report))
        return;
    if (flat == json_array_size(rows))
        return;
    if (seeds_of(report))
        g_string_append_c(out, '\n');
    print_rows(report, rows, flat, out);
}

static char *change_text(const json_t *effect)
{
    const json_t *change = json_object_get(effect, "change");
    if (json_is_true(json_object_get(effect, "is_reference")))
        return g_strdup("0 %");
    if (!json_is_number(change))
        return g_strdup("-");
    if (json_object_get(effect, "sign_share"))
        return draws_change_text(effect);
    const json_t *half_width = json_object_get(effect, "half_width");
    char *half = json_is_number(half_width)
                     ? summary_half_width_text(100.0 * json_number_value(half_width))
                     : NULL;
    char *text = g_strdup_printf("%+.2f%s%s %%", 100.0 * json_number_value(change),
                                 half ? " \u00b1 " : "", half ? half : "");
    g_free(half);
    if (!json_is_false(json_object_get(effect, "told_apart")))
        return text;
    char *bracketed = g_strdup_printf("(%s)", text);
    g_free(text);
    return bracketed;
}

// Of an axis that changes nothing, or of a value with the results of an earlier one.
static bool repeats_effect(const json_t *report, const json_t *effect)
{
    const json_t *axis = report_axis_named(report, report_member(effect, "axis"));
    return report_is_idle(axis) || report_repeats_value(axis, report_member(effect, "value"));
}

static bool all_idle(const json_t *report)
{
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        if (json_array_size(json_object_get(axis, "values")) > 1 && !report_is_idle(axis))
            return false;
    }
    return true;
}

// "nic.ring: 16, 32, 64 give the same results", of axes that do change something.
static void print_equal_values(const json_t *report, GString *out)
{
    const json_t *axis, *group;
    size_t i, k;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        json_array_foreach(json_object_get(axis, "equal_values"), k, group)
        {
            char *values = report_is_idle(axis) ? NULL : report_joined(group);
            if (values)
                g_string_append_printf(out, "  %s: %s give the same results\n",
                                       report_member(axis, "name"), values);
            g_free(values);
        }
    }
}

// All metrics have the same effects to show, in the same order.
static void print_effects(const json_t *report, GString *out)
{
    const json_t *metrics = json_object_get(report, "metrics"), *metric, *effect;
    const json_t *first = json_object_get(json_array_get(metrics, 0), "effects");
    size_t i, k, count = json_array_size(metrics);
    if (json_array_size(first) == 0 || count > 24 || all_idle(report))
        return;
    g_string_append(
        out, "\nEffect of each axis: mean change from its first value with results, the others "
             "held\n");
    struct grid grid = grid_new((guint)count + 2, ~3u);
    grid_add(&grid, "");
    grid_add(&grid, "");
    json_array_foreach(metrics, k, metric)
    {
        grid_add(&grid, report_member(metric, "series"));
    }
    grid_add(&grid, "axis");
    grid_add(&grid, "value");
    json_array_foreach(metrics, k, metric)
    {
        grid_add(&grid, report_member(metric, "metric"));
    }
    json_array_foreach(first, i, effect)
    {
        if (has_many(report, report_member(effect, "axis")) || repeats_effect(report, effect))
            continue;
        grid_add(&grid, report_member(effect, "axis"));
        grid_add(&grid, report_member(effect, "value"));
        json_array_foreach(metrics, k, metric)
        {
            grid_take(&grid, change_text(json_array_get(json_object_get(metric, "effects"), i)));
        }
    }
    grid_print(&grid, out);
    print_left_out(report, out);
    print_equal_values(report, out);
}

static void print_seeds(const json_t *report, GString *out)
{
    if (!seeds_of(report))
        return;
    char *seeds = report_joined(json_object_get(report, "seeds"));
    g_string_append_printf(out,
                           "Each point with the seeds %s: values are means \u00b1 their %g %% "
                           "confidence interval\n",
                           seeds, 100 * SUMMARY_CONFIDENCE);
    g_free(seeds);
}

// Explains the marks of effects and best points with 0 in the interval of their difference.
static void print_chance(const json_t *report, GString *out)
{
    if (seeds_of(report) && report_number(report, "points") > 1)
        g_string_append_printf(out,
                               "\n(in brackets, or \"not told apart\": a difference that cannot be "
                               "told from chance at n=%d seeds)\n",
                               seeds_of(report));
}

char *outcome_report_text(const struct outcome *outcome)
{
    json_t *report = outcome_report_json(outcome);
    const json_t *metric, *pair, *warning;
    size_t i;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s: %d point%s\n", report_member(report, "scenario"),
                           report_number(report, "points"),
                           report_number(report, "points") == 1 ? "" : "s");
    print_axes(report, out);
    print_seeds(report, out);
    draws_print_head(report, out);
    print_ends(report, out);
    print_ends_by_value(report, out);
    json_array_foreach(json_object_get(report, "ends_by_pair"), i, pair)
    {
        print_pair(report, pair, out);
    }
    json_array_foreach(json_object_get(report, "metrics"), i, metric)
    {
        print_metric(report, metric, out);
    }
    print_effects(report, out);
    print_chance(report, out);
    draws_print_differences(report, out);
    json_array_foreach(json_object_get(report, "warnings"), i, warning)
    {
        g_string_append_printf(out, "%swarning: %s\n", i ? "" : "\n", json_string_value(warning));
    }
    json_decref(report);
    return g_string_free(out, FALSE);
}
