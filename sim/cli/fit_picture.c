// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/fit_picture.h"

#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define RESIDUAL_HEIGHT 0.6 // of the panel above it

struct fit_drawing {
    const struct scenario *scenario;
    const struct target_list *targets;
    const json_t *fitted, *posterior;
};

static const struct target *drawn_target(const struct fit_drawing *drawing, guint index)
{
    return g_ptr_array_index(drawing->targets->targets, index);
}

static bool is_drawn(const struct target *target, const char *metric, const char *series)
{
    return target->kind == TARGET_POINT && strcmp(target->metric, metric) == 0 &&
           (!series || strcmp(g_ptr_array_index(target->series, 0), series) == 0);
}

static int64_t drawn_size(const struct target *target)
{
    return g_array_index(target->sizes, int64_t, 0);
}

static const char *stack_of_drawn(const struct fit_drawing *drawing, const char *series)
{
    for (guint i = 0; i < drawing->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(drawing->scenario->cases, i);
        if (strcmp(test_case->name, series) == 0)
            return test_case->stack->name;
    }
    return series;
}

static json_t *drawn_series(const struct fit_drawing *drawing, const char *series, const char *kind,
                            bool alone)
{
    char *name = alone ? g_strdup(kind) : g_strdup_printf("%s, %s", series, kind);
    json_t *json = json_pack("{s:s,s:s,s:n,s:[],s:n}", "name", name, "stack",
                             stack_of_drawn(drawing, series), "scenario", "points", "failure");
    g_free(name);
    return json;
}

static int compare_points(const void *a, const void *b)
{
    double one = json_number_value(json_array_get(*(json_t *const *)a, 0));
    double other = json_number_value(json_array_get(*(json_t *const *)b, 0));
    return one < other ? -1 : one > other;
}

// Sorts points or intervals along x, each x once.
static json_t *along_x(json_t *list)
{
    GPtrArray *all = g_ptr_array_new();
    json_t *sorted = json_array(), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        g_ptr_array_add(all, one);
    }
    g_ptr_array_sort(all, compare_points);
    for (guint k = 0; k < all->len; k++)
        if (k == 0 || compare_points(&all->pdata[k - 1], &all->pdata[k]) != 0)
            json_array_append(sorted, all->pdata[k]);
    g_ptr_array_unref(all);
    json_decref(list);
    return sorted;
}

// The fitted curve in the band of the draws; with `residuals` as residuals are, so that the curve
// is at 0.
static json_t *fitted_series(const struct fit_drawing *drawing, const char *metric,
                             const char *series, bool alone, bool residuals)
{
    json_t *json = drawn_series(drawing, series, "fitted", alone);
    json_t *points = json_array(), *intervals = json_array();
    const json_t *bands = json_object_get(drawing->posterior, "targets");
    for (guint i = 0; i < drawing->targets->targets->len; i++) {
        const struct target *target = drawn_target(drawing, i);
        if (!is_drawn(target, metric, series))
            continue;
        double x = (double)drawn_size(target), fitted = target_simulated(target, drawing->fitted);
        double from = residuals ? fitted : 0.0, unit = residuals ? target->tolerance : 1.0;
        const json_t *band = json_object_get(json_array_get(bands, i), "posterior");
        json_array_append_new(points, json_pack("[f,f]", x, (fitted - from) / unit));
        if (band)
            json_array_append_new(
                intervals,
                json_pack("[f,f,f,O]", x,
                          (json_number_value(json_object_get(band, "low")) - from) / unit,
                          (json_number_value(json_object_get(band, "high")) - from) / unit,
                          json_object_get(drawing->posterior, "draws")));
    }
    json_object_set_new(json, "points", along_x(points));
    intervals = along_x(intervals);
    if (json_array_size(intervals) > 0) {
        json_object_set(json, "intervals", intervals);
        json_object_set_new(json, "band", json_true());
    }
    json_decref(intervals);
    return json;
}

// The measured points, or how many errors they are above the fitted curve.
static json_t *points_series(const struct fit_drawing *drawing, const char *metric,
                             const char *series, bool alone, bool residuals)
{
    json_t *json = drawn_series(drawing, series, "measured", alone);
    json_t *points = json_object_get(json, "points"), *intervals = json_array();
    for (guint i = 0; i < drawing->targets->targets->len; i++) {
        const struct target *target = drawn_target(drawing, i);
        if (!is_drawn(target, metric, series))
            continue;
        double x = (double)drawn_size(target), y = target->value, error = target->tolerance;
        if (residuals) {
            y = (y - target_simulated(target, drawing->fitted)) / error;
            error = 1.0;
        }
        json_array_append_new(points, json_pack("[f,f]", x, y));
        json_array_append_new(intervals, json_pack("[f,f,f,i]", x, y - error, y + error, 1));
    }
    json_object_set_new(json, "intervals", intervals);
    json_object_set_new(json, "measured", json_true());
    return json;
}

static json_t *panel_new(const char *label, const char *unit, bool log, bool counts)
{
    return json_pack("{s:s,s:{s:s,s:s,s:s},s:{s:s,s:s,s:s},s:[]}", "kind", "lines", "x", "label",
                     counts ? "size" : "message size", "unit", counts ? "" : "B", "scale", "log",
                     "y", "label", label, "unit", unit, "scale", log ? "log" : "linear", "series");
}

// Two panels of a metric: the curves, and the residuals below them.
static void add_metric(const struct fit_drawing *drawing, const char *metric, json_t *panels)
{
    GPtrArray *names = target_list_series(drawing->targets);
    const char *unit = metric_unit(metric);
    bool counts = false, alone = names->len == 2; // it ends with NULL
    for (guint i = 0; i < drawing->targets->targets->len; i++)
        counts |= drawn_target(drawing, i)->counts;
    char *label = text_metric_label(metric);
    json_t *curves = panel_new(label, unit, strcmp(unit, "us") == 0, counts);
    json_t *below = panel_new("residual", "errors", false, counts);
    json_object_set_new(below, "height", json_real(RESIDUAL_HEIGHT));
    json_object_set_new(json_object_get(below, "y"), "line", json_real(0.0));
    for (guint i = 0; i + 1 < names->len; i++) {
        const char *series = g_ptr_array_index(names, i);
        bool any = false;
        for (guint k = 0; k < drawing->targets->targets->len; k++)
            any |= is_drawn(drawn_target(drawing, k), metric, series);
        if (!any)
            continue;
        json_array_append_new(json_object_get(curves, "series"),
                              fitted_series(drawing, metric, series, alone, false));
        json_array_append_new(json_object_get(curves, "series"),
                              points_series(drawing, metric, series, alone, false));
        json_array_append_new(json_object_get(below, "series"),
                              fitted_series(drawing, metric, series, alone, true));
        json_array_append_new(json_object_get(below, "series"),
                              points_series(drawing, metric, series, alone, true));
    }
    json_array_append_new(panels, curves);
    json_array_append_new(panels, below);
    g_free(label);
    g_ptr_array_unref(names);
}

json_t *fit_picture(const char *name, const char *title, const struct scenario *scenario,
                    const struct target_list *targets, const json_t *fitted,
                    const json_t *posterior)
{
    const struct fit_drawing drawing = {scenario, targets, fitted, posterior};
    GPtrArray *metrics = g_ptr_array_new();
    json_t *panels = json_array(), *notes = json_array();
    for (guint i = 0; i < targets->targets->len; i++) {
        const struct target *target = drawn_target(&drawing, i);
        if (target->kind == TARGET_POINT &&
            !g_ptr_array_find(metrics, target->metric, NULL)) // interned
            g_ptr_array_add(metrics, (gpointer)target->metric);
    }
    for (guint i = 0; i < metrics->len; i++)
        add_metric(&drawing, g_ptr_array_index(metrics, i), panels);
    if (posterior) {
        char *text = g_strdup_printf("bands: the central 90 %% of %" JSON_INTEGER_FORMAT
                                     " draws of the uncertain constants "
                                     "that the points were held against",
                                     json_integer_value(json_object_get(posterior, "draws")));
        json_array_append_new(notes, json_string(text));
        g_free(text);
    }
    g_ptr_array_unref(metrics);
    return json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:i,s:o,s:o}", "figure", 1, "id", name, "number",
                     "file", name, "title", title, "source", "columns", 1, "notes", notes, "panels",
                     panels);
}
