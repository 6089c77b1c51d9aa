// SPDX-License-Identifier: GPL-3.0-or-later
// The report of a sweep for people, made of the JSON alone.
#include "sim/outcome/outcome_report.h"

#include "sim/config/quantity.h"
#include "sim/core/summary.h"
#include "sim/output/text.h"

#include <string.h>

#define MOST_IN_LINE 16 // values of an axis
#define MOST_ROWS 40    // values of an axis, or sizes, each with a row
#define MOST_RANKS 8    // each with a row

// A table that is laid out when it is complete: columns are as wide as their widest cell.
struct grid {
    GPtrArray *cells; // char *, row by row
    guint columns;
    unsigned right; // bit i: column i is set flush right
};

static struct grid grid_new(guint columns, unsigned right)
{
    return (struct grid){g_ptr_array_new_with_free_func(g_free), columns, right};
}

static void grid_add(struct grid *grid, const char *text)
{
    g_ptr_array_add(grid->cells, g_strdup(text));
}

static void grid_take(struct grid *grid, char *text)
{
    g_ptr_array_add(grid->cells, text);
}

// Appends the table and frees it.
static void grid_print(struct grid *grid, GString *out)
{
    int *widths = g_new0(int, grid->columns);
    for (guint i = 0; i < grid->cells->len; i++) {
        int width = text_width(g_ptr_array_index(grid->cells, i));
        widths[i % grid->columns] = MAX(widths[i % grid->columns], width);
    }
    for (guint i = 0; i < grid->cells->len; i++) {
        guint column = i % grid->columns;
        const char *text = g_ptr_array_index(grid->cells, i);
        g_string_append(out, "  ");
        if (grid->right & (1u << column))
            text_append_right(out, text, widths[column]);
        else if (column + 1 < grid->columns)
            text_append_left(out, text, widths[column]);
        else
            g_string_append(out, text);
        if (column + 1 < grid->columns)
            continue;
        while (out->len && out->str[out->len - 1] == ' ')
            g_string_truncate(out, out->len - 1);
        g_string_append_c(out, '\n');
    }
    g_free(widths);
    g_ptr_array_unref(grid->cells);
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int number(const json_t *object, const char *name)
{
    return (int)json_integer_value(json_object_get(object, name));
}

// How many of the parameters of an axis, with commas between them, have this end.
static int parts_with(const char *names, const char *end)
{
    char **parts = g_strsplit(names, ", ", -1);
    int count = 0;
    for (char **part = parts; *part; part++)
        count += g_str_has_suffix(*part, end);
    g_strfreev(parts);
    return count;
}

// "tiny" for "lam_via.tiny", if no other parameter that varies ends so.
static char *short_name(const json_t *axes, const char *name)
{
    const char *dot = strrchr(name, '.');
    int same = 0;
    const json_t *axis;
    size_t i;
    if (!dot)
        return g_strdup(name);
    json_array_foreach(axes, i, axis)
    {
        same += parts_with(member(axis, "name"), dot);
    }
    return g_strdup(same > 1 ? name : dot + 1);
}

// "ranks, count" for "workload.ranks, hosts[0].count": parameters that vary together.
static char *short_names(const json_t *axes, const char *names)
{
    char **parts = g_strsplit(names, ", ", -1);
    for (char **part = parts; *part; part++) {
        char *word = short_name(axes, *part);
        g_free(*part);
        *part = word;
    }
    char *words = g_strjoinv(", ", parts);
    g_strfreev(parts);
    return words;
}

// All values, or of more than a line can hold the first ones and the last.
static char *joined(const json_t *texts)
{
    GString *all = g_string_new(NULL);
    const json_t *text;
    size_t i, count = json_array_size(texts);
    json_array_foreach(texts, i, text)
    {
        if (count <= MOST_IN_LINE || i < 3 || i + 1 == count) {
            g_string_append(all, i ? ", " : "");
            if (json_is_integer(text))
                g_string_append_printf(all, "%" JSON_INTEGER_FORMAT, json_integer_value(text));
            else
                g_string_append(all, json_string_value(text));
        } else if (i == 3) {
            g_string_append(all, ", ...");
        }
    }
    if (count > MOST_IN_LINE)
        g_string_append_printf(all, " (%zu values)", count);
    return g_string_free(all, FALSE);
}

// ---- What gives the same results ----

static const json_t *axis_named(const json_t *report, const char *name)
{
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        if (strcmp(member(axis, "name"), name) == 0)
            return axis;
    }
    return NULL;
}

// Whether all values of an axis give the same results, at every point.
static bool is_idle(const json_t *axis)
{
    const json_t *group = json_array_get(json_object_get(axis, "equal_values"), 0);
    return json_is_true(json_object_get(axis, "changed_nothing")) &&
           json_array_size(group) == json_array_size(json_object_get(axis, "values"));
}

// Whether an earlier value of the axis gives the same results.
static bool repeats_value(const json_t *axis, const char *value)
{
    const json_t *group;
    size_t i, k;
    json_array_foreach(json_object_get(axis, "equal_values"), i, group)
    {
        for (k = 1; k < json_array_size(group); k++)
            if (g_strcmp0(json_string_value(json_array_get(group, k)), value) == 0)
                return true;
    }
    return false;
}

// Whether a point's results are those of another one, at earlier values.
static bool repeats_point(const json_t *report, const json_t *point)
{
    const json_t *value;
    const char *name;
    json_object_foreach((json_t *)json_object_get(point, "values"), name, value)
    {
        if (repeats_value(axis_named(report, name), json_string_value(value)))
            return true;
    }
    return false;
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
            char *values = is_idle(axis) ? NULL : joined(group);
            if (values)
                g_string_append_printf(out, "  %s: %s give the same results\n",
                                       member(axis, "name"), values);
            g_free(values);
        }
    }
}

// "tiny=1 KiB seed=2": the axes that have more than one value and, unless `all`, change something.
static char *point_text(const json_t *report, const json_t *point, bool all)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    GString *text = g_string_new(NULL);
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        const char *name = member(axis, "name");
        if (json_array_size(json_object_get(axis, "values")) < 2 || (!all && is_idle(axis)))
            continue;
        char *words = short_names(axes, name);
        g_string_append_printf(text, "%s%s=%s", text->len ? "  " : "", words,
                               member(json_object_get(point, "values"), name));
        g_free(words);
    }
    if (json_object_get(point, "seed"))
        g_string_append_printf(text, "%sseed=%d", text->len ? "  " : "", number(point, "seed"));
    return g_string_free(text, FALSE);
}

// How many seeds each point has; 0: there are none to take means over.
static int seeds_of(const json_t *report)
{
    return (int)json_array_size(json_object_get(report, "seeds"));
}

// Whether an axis has too many values to give each a row.
static bool has_many(const json_t *report, const char *name)
{
    const json_t *axes = json_object_get(report, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (strcmp(member(axis, "name"), name) == 0)
            return json_array_size(json_object_get(axis, "values")) > MOST_ROWS;
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
        if (has_many(report, member(axis, "name")))
            g_string_append_printf(out,
                                   "  %s has too many values for rows: --format json has them\n",
                                   member(axis, "name"));
    }
}

static void print_axes(const json_t *report, GString *out)
{
    struct grid grid = grid_new(2, 0);
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        grid_add(&grid, member(axis, "name"));
        grid_take(&grid, joined(json_object_get(axis, "values")));
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
        char *point = point_text(report, json_object_get(failure, "first_point"), true);
        g_string_append_printf(out, "  %s: %s, %d time%s, first at %s\n    ",
                               member(failure, "series"), member(failure, "kind"),
                               number(failure, "count"), number(failure, "count") == 1 ? "" : "s",
                               point);
        text_append_wrapped(out, member(failure, "text"), 92, 4);
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
        if (has_many(report, member(row, "axis")))
            continue;
        GString *kinds = g_string_new(NULL);
        json_object_foreach(json_object_get(row, "kinds"), kind, count)
        {
            g_string_append_printf(kinds, "%s%d %s", kinds->len ? ", " : "",
                                   (int)json_integer_value(count), kind);
        }
        grid_add(&grid, member(row, "series"));
        grid_add(&grid, member(row, "axis"));
        grid_add(&grid, member(row, "value"));
        grid_take(&grid, g_strdup_printf("%d of %d", number(row, "completed"),
                                         number(row, "completed") + number(row, "other")));
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
        if (strcmp(member(axis, "name"), name) == 0)
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
    if (!good || !bad || json_array_size(columns) > MOST_IN_LINE ||
        json_array_size(rows) > MOST_ROWS)
        return;
    g_string_append_printf(out, "\n%s: where it fails, %s downwards, %s to the right\n",
                           member(pair, "series"), down, right);
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

static char *row_name(const json_t *report, const json_t *row)
{
    const json_t *size = json_object_get(row, "size_bytes"), *rank = json_object_get(row, "rank");
    if (json_is_null(size))
        return g_strdup("all together");
    GString *name = g_string_new(NULL);
    if (json_is_integer(rank))
        g_string_append_printf(name, "rank %d ", (int)json_integer_value(rank));
    if (json_integer_value(size) >= 0) {
        const char *counts = json_string_value(json_object_get(report, "counts"));
        char *text = quantity_format(counts ? QUANTITY_COUNT : QUANTITY_SIZE,
                                     (struct quantity){.integer = json_integer_value(size)});
        g_string_append_printf(name, "%s%s%s", text, counts ? " " : "", counts ? counts : "");
        g_free(text);
    }
    return g_strchomp(g_string_free(name, FALSE));
}

static bool is_flat(const json_t *row)
{
    return json_equal(json_object_get(row, "best"), json_object_get(row, "worst"));
}

// How many points differ on axes alone that change nothing.
static int idle_points(const json_t *report)
{
    const json_t *axis;
    size_t i;
    int points = 1;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        points *= is_idle(axis) ? (int)json_array_size(json_object_get(axis, "values")) : 1;
    }
    return points;
}

static char *ties_text(const json_t *report, const json_t *row, const char *best)
{
    int ties = number(row, "ties"), alike = idle_points(report);
    if ((ties + 1) % alike == 0) // those that differ on idle axes alone are one
        ties = (ties + 1) / alike - 1;
    if (ties == 0)
        return g_strdup(best);
    return g_strdup_printf("%s  (and %d more%s)", best, ties,
                           seeds_of(report) ? ", not told apart" : "");
}

static void add_row(struct grid *grid, const json_t *report, const json_t *row)
{
    char *best = point_text(report, json_object_get(row, "best_point"), false);
    char *worst = point_text(report, json_object_get(row, "worst_point"), false);
    bool apart = !json_is_false(json_object_get(row, "told_apart"));
    grid_take(grid, row_name(report, row));
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
    static const size_t most[] = {[false] = MOST_ROWS, [true] = MOST_RANKS};
    size_t i, shown[] = {0, 0}, left = 0;
    const json_t *row;
    struct grid grid = grid_new(5, 1u << 1 | 1u << 3);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(rows, i, row)
    {
        bool of_rank = json_is_integer(json_object_get(row, "rank"));
        if (is_flat(row))
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
    if (json_array_size(means) > MOST_ROWS) {
        g_string_append(out, "  too many means for rows: --format json has them\n");
        return;
    }
    struct grid grid = grid_new(G_N_ELEMENTS(head), ~3u);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(means, i, mean)
    {
        int n = number(mean, "n"), seeds = seeds_of(report);
        if (repeats_point(report, json_object_get(mean, "at")))
            continue;
        grid_take(&grid, row_name(report, mean));
        grid_take(&grid, point_text(report, json_object_get(mean, "at"), false));
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
    bool single = number(report, "points") < 2;
    const json_t *rows = json_object_get(metric, "rows"), *row;
    size_t i, flat = 0;
    json_array_foreach(rows, i, row)
    {
        flat += is_flat(row);
    }
    g_string_append_printf(out, "\n%s: %s (%s is better)%s\n", member(metric, "series"),
                           member(metric, "metric"), lower ? "less" : "more",
                           json_array_size(rows) == 0 ? ": no run has a result"
                           : flat == json_array_size(rows) && !seeds_of(report)
                               ? ": the same everywhere"
                           : flat == json_array_size(rows) && !single ? ": the same mean everywhere"
                                                                      : "");
    print_means(report, metric, out);
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
    const json_t *axis = axis_named(report, member(effect, "axis"));
    return is_idle(axis) || repeats_value(axis, member(effect, "value"));
}

static bool all_idle(const json_t *report)
{
    const json_t *axis;
    size_t i;
    json_array_foreach(json_object_get(report, "axes"), i, axis)
    {
        if (json_array_size(json_object_get(axis, "values")) > 1 && !is_idle(axis))
            return false;
    }
    return true;
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
        grid_add(&grid, member(metric, "series"));
    }
    grid_add(&grid, "axis");
    grid_add(&grid, "value");
    json_array_foreach(metrics, k, metric)
    {
        grid_add(&grid, member(metric, "metric"));
    }
    json_array_foreach(first, i, effect)
    {
        if (has_many(report, member(effect, "axis")) || repeats_effect(report, effect))
            continue;
        grid_add(&grid, member(effect, "axis"));
        grid_add(&grid, member(effect, "value"));
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
    char *seeds = joined(json_object_get(report, "seeds"));
    g_string_append_printf(out,
                           "Each point with the seeds %s: values are means \u00b1 their %g %% "
                           "confidence interval\n",
                           seeds, 100 * SUMMARY_CONFIDENCE);
    g_free(seeds);
}

// Explains the marks of effects and best points with 0 in the interval of their difference.
static void print_chance(const json_t *report, GString *out)
{
    if (seeds_of(report) && number(report, "points") > 1)
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
    g_string_append_printf(out, "%s: %d point%s\n", member(report, "scenario"),
                           number(report, "points"), number(report, "points") == 1 ? "" : "s");
    print_axes(report, out);
    print_seeds(report, out);
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
    json_array_foreach(json_object_get(report, "warnings"), i, warning)
    {
        g_string_append_printf(out, "%swarning: %s\n", i ? "" : "\n", json_string_value(warning));
    }
    json_decref(report);
    return g_string_free(out, FALSE);
}
