// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps as lines: over one axis, or over message sizes.
#include "sim/figures/swept_internal.h"

#include "sim/config/quantity.h"
#include "sim/figures/notes.h"
#include "sim/measure/result.h"
#include "sim/outcome/replicated.h"

#include <math.h>
#include <string.h>

// The most lines in a picture that can still be read; a note lists those left out.
#define MOST_LINES 12
#define MOST_RANKS 8
#define MOST_SWEPT_PANELS 8
#define MOST_COLOURS 8
// Times that span more than this are put on a logarithmic axis.
#define LINES_LOG_SPAN 50.0

// The number of the k-th of `shown` evenly chosen ones among `all`, first and last included.
static guint chosen(guint k, guint shown, guint all)
{
    return shown < 2 ? 0 : (guint)((double)k * (all - 1) / (shown - 1) + 0.5);
}

// Takes the list.
static void set_intervals(const struct swept_picture *picture, json_t *line, json_t *intervals)
{
    if (json_array_size(intervals) > 0)
        json_object_set(line, "intervals", intervals);
    if (json_array_size(intervals) > 0 && outcome_in_draws(picture->outcome))
        json_object_set_new(line, "band", json_true());
    json_decref(intervals);
}

// ---- Over the axis ----

static json_t *swept_line_json(const struct swept_picture *picture,
                               const struct outcome_curve *curve, int combination, bool with_size)
{
    const struct drawn_axis *axis = &picture->x;
    json_t *points = json_array(), *failed_at = json_array(), *intervals = json_array();
    for (int x = 0; x < (int)axis->axis->values->len; x++) {
        struct swept_value value = swept_value_at(picture, curve, combination, x, -1);
        json_array_append_new(points,
                              json_pack("[o,o]", swept_place(axis, x),
                                        isnan(value.mean) ? json_null() : json_real(value.mean)));
        swept_add_interval(intervals, swept_place(axis, x), &value);
        if (value.failed < 0)
            continue;
        char *why = swept_why(picture->outcome, value.failed, curve->series);
        char *text = g_strdup_printf("%s=%s: %s", axis->axis->name,
                                     (char *)g_ptr_array_index(axis->axis->values, (guint)x), why);
        json_array_append_new(failed_at,
                              json_pack("[o,s,s]", swept_place(axis, x), text, value.state));
        g_free(text);
        g_free(why);
    }
    char *name = swept_name(picture, curve, combination, with_size);
    json_t *line = json_pack("{s:s,s:s,s:o,s:n,s:o}", "name", name, "stack",
                             outcome_series_name(picture->outcome, curve->series), "points", points,
                             "failure", "failed_at", failed_at);
    g_free(name);
    set_intervals(picture, line, intervals);
    return line;
}

// The scale on which the values of lines can be distinguished.
static const char *scale_of(const char *metric, const json_t *lines)
{
    double low = INFINITY, high = 0.0;
    size_t i, k;
    const json_t *line, *point;
    json_array_foreach(lines, i, line)
    {
        json_array_foreach(json_object_get(line, "points"), k, point)
        {
            const json_t *value = json_array_get(point, 1);
            if (json_is_number(value)) {
                low = fmin(low, json_number_value(value));
                high = fmax(high, json_number_value(value));
            }
        }
    }
    return swept_is_duration(metric) && low > 0.0 && high / low > LINES_LOG_SPAN ? "log" : "linear";
}

// ---- Which lines ----

// Removes the combinations that differ from the middle value of an axis there, and notes it.
static void swept_hold_axis(const struct swept_picture *picture, GArray *combinations, int axis,
                            GString *held)
{
    const struct outcome_axis *of = outcome_axis_at(picture->outcome, axis);
    int middle = (int)of->values->len / 2;
    for (guint i = combinations->len; i > 0; i--)
        if (swept_index(picture, g_array_index(combinations, int, i - 1), axis) != middle)
            g_array_remove_index(combinations, i - 1);
    char *name = swept_axis_name(picture, of);
    g_string_append_printf(held, "%s%s=%s", held->len > 0 ? ", " : "", name,
                           (char *)g_ptr_array_index(of->values, (guint)middle));
    g_free(name);
}

static bool swept_is_complete(const struct swept_picture *picture)
{
    int points = 1;
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++)
        points *= (int)outcome_axis_at(picture->outcome, axis)->values->len;
    return points == picture->outcome->points;
}

static int swept_count_free(const struct swept_picture *picture)
{
    int count = 0;
    for (int axis = 0; axis < (int)picture->outcome->axes->len; axis++)
        count += swept_is_free(picture, axis) &&
                 outcome_axis_at(picture->outcome, axis)->values->len > 1;
    return count;
}

// Keeps so many combinations of the free axes that with `each` lines for one they can be read: from
// the last axis on, all but the first are held at their middle value. A picture then varies few
// axes wholly instead of a part of all. Appends the held values to `held`.
static void swept_hold_axes(const struct swept_picture *picture, GArray *combinations, guint each,
                            GString *held)
{
    if (!swept_is_complete(picture)) // the middle values need not occur together
        return;
    int left = swept_count_free(picture);
    for (int axis = (int)picture->outcome->axes->len - 1; axis >= 0 && left > 1; axis--) {
        if (combinations->len * each <= MOST_LINES || !swept_is_free(picture, axis) ||
            outcome_axis_at(picture->outcome, axis)->values->len < 2)
            continue;
        swept_hold_axis(picture, combinations, axis, held);
        left--;
    }
}

static bool swept_of_one_line(const GPtrArray *curves)
{
    const struct outcome_curve *first = g_ptr_array_index(curves, 0);
    for (guint i = 1; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        if (curve->series != first->series || curve->rank != first->rank)
            return false;
    }
    return true;
}

// Keeps the curves of the middle one of their sizes. Appends it to `held`.
static void swept_hold_size(const struct swept_picture *picture, GPtrArray *curves, GString *held)
{
    GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < curves->len; i++) {
        int64_t size = ((const struct outcome_curve *)g_ptr_array_index(curves, i))->size;
        guint at = 0;
        while (at < sizes->len && g_array_index(sizes, int64_t, at) < size)
            at++;
        if (at == sizes->len || g_array_index(sizes, int64_t, at) != size)
            g_array_insert_val(sizes, at, size);
    }
    int64_t middle = g_array_index(sizes, int64_t, sizes->len / 2);
    g_array_unref(sizes);
    for (guint i = curves->len; i > 0; i--)
        if (((const struct outcome_curve *)g_ptr_array_index(curves, i - 1))->size != middle)
            g_ptr_array_remove_index(curves, i - 1);
    bool counts = picture->outcome->counts != NULL;
    char *text = quantity_format(counts ? QUANTITY_COUNT : QUANTITY_SIZE,
                                 (struct quantity){.integer = middle});
    g_string_append_printf(held, "%s%s=%s", held->len > 0 ? ", " : "",
                           counts ? picture->outcome->counts : "size", text);
    g_free(text);
}

// Notes that `shown` of `all` lines are drawn, and why those. Frees `held`.
static void swept_note_choice(const struct swept_picture *picture, guint shown, guint all,
                              GString *held)
{
    if (shown < all && held->len > 0)
        notes_add(picture->notes, "%u of %u lines are drawn, those with %s", shown, all, held->str);
    else if (shown < all)
        notes_add(picture->notes, "%u of %u lines are drawn, evenly chosen", shown, all);
    g_string_free(held, TRUE);
}

static json_t *lines_panel(const struct swept_picture *picture, const char *metric)
{
    GPtrArray *curves = swept_curves(picture, metric, MOST_RANKS);
    GArray *rest = swept_combinations(picture);
    GString *held = g_string_new(NULL);
    json_t *series = json_array();
    guint all = curves->len * rest->len;
    if (all > MOST_LINES && swept_has_many_sizes(curves) &&
        (rest->len > 1 || !swept_of_one_line(curves)))
        swept_hold_size(picture, curves, held);
    bool many_sizes = swept_has_many_sizes(curves);
    swept_hold_axes(picture, rest, curves->len, held);
    guint left = curves->len * rest->len, shown = MIN(left, MOST_LINES);
    for (guint k = 0; k < shown; k++) {
        guint line = chosen(k, shown, left);
        json_array_append_new(
            series, swept_line_json(picture, g_ptr_array_index(curves, line / rest->len),
                                    g_array_index(rest, int, line % rest->len), many_sizes));
    }
    swept_note_choice(picture, shown, all, held);
    g_array_unref(rest);
    g_ptr_array_unref(curves);
    json_t *x = swept_axis_json(picture, &picture->x);
    json_object_set_new(x, "swept", json_true());
    bool numeric = picture->x.numeric;
    return json_pack("{s:s,s:o,s:o,s:o}", "kind", numeric ? "lines" : "bars", "x", x, "y",
                     swept_metric_json(metric, numeric ? scale_of(metric, series) : "linear"),
                     "series", series);
}

void swept_add_lines(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels)
{
    for (guint i = 0; i < metrics->len; i++)
        json_array_append_new(panels, lines_panel(picture, g_ptr_array_index(metrics, i)));
}

// ---- Over message sizes ----

// A failure of the points of a combination, as a document has it.
static json_t *failure_at(const struct swept_picture *picture, int series, int failed,
                          const char *state)
{
    if (failed < 0)
        return json_null();
    char *why = swept_why(picture->outcome, failed, series);
    json_t *failure = json_pack("{s:s,s:s}", "status", state, "text", why);
    g_free(why);
    return failure;
}

// A line to be: one of the series in one combination.
struct swept_line {
    const struct outcome_curve *curve; // the first of its curves, one for each size
    int combination;
};

static char *line_name(const struct swept_picture *picture, const struct swept_line *line)
{
    char *setting = swept_setting(picture, line->combination);
    if (*setting && !picture->together)
        return setting; // the panel names the series
    g_free(setting);
    return swept_name(picture, line->curve, line->combination, false);
}

static json_t *line_over_sizes(const struct swept_picture *picture, const GPtrArray *curves,
                               const struct swept_line *line, bool few)
{
    json_t *points = json_array(), *intervals = json_array();
    struct swept_value value = {.failed = -1};
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        if (curve->series != line->curve->series || curve->rank != line->curve->rank ||
            curve->size < 0)
            continue;
        value = swept_value_at(picture, curve, line->combination, -1, -1);
        if (!isnan(value.mean))
            json_array_append_new(points, json_pack("[I,f]", (json_int_t)curve->size, value.mean));
        swept_add_interval(intervals, json_integer(curve->size), &value);
    }
    char *name = line_name(picture, line);
    const char *stack = few ? name : "";
    json_t *made =
        json_pack("{s:s,s:s,s:o,s:o}", "name", name, "stack", stack, "points", points, "failure",
                  failure_at(picture, line->curve->series, value.failed, value.state));
    g_free(name);
    set_intervals(picture, made, intervals);
    return made;
}

// The lines of one of the series, or of all of them (series < 0).
static GArray *lines_over_sizes(const GPtrArray *curves, const GArray *combinations, int series)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct swept_line));
    for (guint i = 0; i < curves->len; i++) {
        const struct outcome_curve *curve = g_ptr_array_index(curves, i);
        const struct outcome_curve *before = i ? g_ptr_array_index(curves, i - 1) : NULL;
        bool first = !before || before->series != curve->series || before->rank != curve->rank;
        for (guint k = 0; first && k < combinations->len; k++) {
            struct swept_line line = {curve, g_array_index(combinations, int, k)};
            if (series < 0 || curve->series == series)
                g_array_append_val(lines, line);
        }
    }
    return lines;
}

static json_t *sizes_panel(const struct swept_picture *picture, const char *metric, int series)
{
    GPtrArray *curves = swept_curves(picture, metric, MOST_RANKS);
    GArray *combinations = swept_combinations(picture);
    GArray *all = lines_over_sizes(curves, combinations, series);
    GString *held = g_string_new(NULL);
    guint wanted = all->len;
    if (wanted > MOST_LINES) {
        swept_hold_axes(picture, combinations, wanted / combinations->len, held);
        g_array_unref(all);
        all = lines_over_sizes(curves, combinations, series);
    }
    g_array_unref(combinations);
    json_t *lines = json_array();
    guint shown = MIN(all->len, MOST_LINES);
    for (guint k = 0; k < shown; k++) {
        const struct swept_line *line =
            &g_array_index(all, struct swept_line, chosen(k, shown, all->len));
        // Few are distinguished best by colours of their own, many by colours in their order.
        json_array_append_new(lines,
                              line_over_sizes(picture, curves, line, all->len <= MOST_COLOURS));
    }
    swept_note_choice(picture, shown, wanted, held);
    g_array_unref(all);
    g_ptr_array_unref(curves);
    struct size_axis sizes = size_axis_of(picture->outcome->counts);
    json_t *panel = json_pack(
        "{s:s,s:{s:s,s:s,s:s},s:o,s:o}", "kind", "lines", "x", "label", sizes.label, "unit",
        sizes.unit, "scale", sizes.linear ? "linear" : "log", "y",
        swept_metric_json(metric, swept_is_duration(metric) ? "log" : "linear"), "series", lines);
    if (series >= 0)
        json_object_set_new(panel, "title",
                            json_string(outcome_series_name(picture->outcome, series)));
    return panel;
}

// Of many series one metric is enough: bandwidth is latency turned round.
void swept_add_sizes(const struct swept_picture *picture, const GPtrArray *metrics, json_t *panels)
{
    guint series = picture->together ? 1 : picture->outcome->series->len;
    guint all = series * metrics->len;
    guint wanted = all <= MOST_SWEPT_PANELS ? all : series, shown = MIN(wanted, MOST_SWEPT_PANELS);
    for (guint k = 0; k < shown; k++)
        json_array_append_new(panels, sizes_panel(picture, g_ptr_array_index(metrics, k / series),
                                                  picture->together ? -1 : (int)(k % series)));
    if (shown < all)
        notes_add(picture->notes, "%u of %u panels are drawn", shown, all);
}
