// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/document.h"

#include "sim/core/intern.h"
#include "sim/core/sim.h"
#include "sim/figures/notes.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// ---- Needing ----

// Calls `visit` for each curve of a figure.
static void each_curve(const struct figure_spec *spec,
                       void (*visit)(void *owner, const struct curve *curve), void *owner)
{
    for (guint i = 0; i < spec->panels->len; i++) {
        const struct figure_panel *panel = g_ptr_array_index(spec->panels, i);
        for (guint j = 0; j < panel->series->len; j++) {
            const struct figure_series *series = g_ptr_array_index(panel->series, j);
            for (guint k = 0; k < series->curves->len; k++)
                visit(owner, g_ptr_array_index(series->curves, k));
        }
    }
}

static void need_curve(void *owner, const struct curve *curve)
{
    runs_need(owner, curve);
}

void figure_need(const struct figure_spec *spec, struct runs *runs)
{
    each_curve(spec, need_curve, runs);
}

struct given {
    struct runs *runs;
    json_t *result;
    const char *scenario; // interned: the one that the result represents
    bool used;
};

static void look_for_scenario(void *owner, const struct curve *curve)
{
    struct given *given = owner;
    for (; curve; curve = curve->other)
        given->used = given->used || curve->scenario == given->scenario;
}

static void give_curve(void *owner, const struct curve *curve)
{
    const struct given *given = owner;
    for (; curve; curve = curve->other) {
        char *why = NULL;
        if (curve->scenario == given->scenario && !*curve->sets &&
            !runs_result(given->runs, curve, &why))
            runs_add_result(given->runs, curve->scenario, curve->sets, given->result);
        g_free(why);
    }
}

// The scenario of a figure's first curve, which is what it is about.
static const char *main_scenario(const struct figure_spec *spec)
{
    for (guint i = 0; i < spec->panels->len; i++) {
        const struct figure_panel *panel = g_ptr_array_index(spec->panels, i);
        if (panel->series->len > 0) {
            const struct figure_series *series = g_ptr_array_index(panel->series, 0);
            return ((const struct curve *)g_ptr_array_index(series->curves, 0))->scenario;
        }
    }
    return NULL;
}

void figure_given(const struct figure_spec *spec, struct runs *runs, json_t *result)
{
    const char *name = json_string_value(json_object_get(result, "scenario"));
    struct given given = {runs, result, name ? intern_text(name) : NULL, false};
    each_curve(spec, look_for_scenario, &given);
    if (!given.used)
        given.scenario = main_scenario(spec);
    each_curve(spec, give_curve, &given);
}

// ---- Failures ----

static const char *document_text_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool is_lost(json_t *of)
{
    return g_strcmp0(document_text_of(of, "status"), sim_status_name(SIM_LOST)) == 0;
}

static bool is_completed(json_t *series)
{
    return g_strcmp0(document_text_of(series, "status"), sim_status_name(SIM_COMPLETED)) == 0;
}

// null, or how a series ended that did not come to its end.
static json_t *failure_of(json_t *series)
{
    if (is_completed(series))
        return json_null();
    const char *status = document_text_of(series, "status");
    const char *reason = document_text_of(json_object_get(series, "reason"), "text");
    char *text = g_strdup_printf("%s: %s", status ? status : "did not end",
                                 reason ? reason : "no reason was given");
    json_t *failure = json_pack("{s:s?,s:s}", "status", status, "text", text);
    g_free(text);
    return failure;
}

// ---- Points ----

// Returns a value in relation to that of the curve's reference at the same place, or NAN if the
// reference has no such point.
static double related(const struct curve *curve, double value, const struct curve_point *other)
{
    switch (curve->relation) {
    case CURVE_ALONE:
        return value;
    case CURVE_MINUS:
        return other ? value - other->value : NAN;
    case CURVE_OVER:
        return other ? value / other->value : NAN;
    }
    return NAN;
}

// A failure of either of the two that a curve is made of.
static json_t *failure_of_pair(json_t *series, json_t *other)
{
    if (!other || !is_completed(series))
        return failure_of(series);
    return failure_of(other);
}

// The origin of a curve: its series in the results, and the second one of its relation.
struct pair {
    json_t *series, *other; // borrowed
};

static bool find_pair(const struct curve *curve, const struct runs *runs, struct pair *pair,
                      char **why)
{
    *pair = (struct pair){0};
    pair->series = runs_series(runs, curve, why);
    if (pair->series && curve->other)
        pair->other = runs_series(runs, curve->other, why);
    return pair->series && (pair->other || !curve->other);
}

// The points of a curve over message sizes, low .. high, as [[size, value]].
static json_t *points_over_sizes(const struct figure_panel *panel, const struct curve *curve,
                                 const struct pair *pair)
{
    json_t *found = json_array();
    GArray *points = curve_points_of(pair->series, curve->metric);
    GArray *others = pair->other ? curve_points_of(pair->other, curve->other->metric) : NULL;
    for (guint i = 0; i < points->len; i++) {
        const struct curve_point *point = &g_array_index(points, struct curve_point, i);
        if (point->size < 0 || (double)point->size < panel->x.low ||
            (double)point->size > panel->x.high)
            continue;
        double value = related(curve, point->value, others ? curve_at(others, point->size) : NULL);
        if (isfinite(value))
            json_array_append_new(found, json_pack("[I,f]", (json_int_t)point->size, value));
    }
    g_array_unref(points);
    if (others)
        g_array_unref(others);
    return found;
}

// The one value of a curve at a size (-1: that without a size), for a setting along the axis.
static json_t *value_at(const struct curve *curve, const struct pair *pair, int64_t size)
{
    GArray *points = curve_points_of(pair->series, curve->metric);
    GArray *others = pair->other ? curve_points_of(pair->other, curve->other->metric) : NULL;
    const struct curve_point *point = curve_at(points, size);
    double value =
        point ? related(curve, point->value, others ? curve_at(others, size) : NULL) : NAN;
    g_array_unref(points);
    if (others)
        g_array_unref(others);
    return isfinite(value) ? json_real(value) : json_null();
}

// ---- Series ----

static json_t *series_frame(const struct figure_series *series)
{
    const struct curve *curve = g_ptr_array_index(series->curves, 0);
    json_t *frame = json_object();
    json_object_set_new(frame, "name", json_string(series->name));
    json_object_set_new(frame, "stack", series->stack ? json_string(series->stack) : json_null());
    json_object_set_new(frame, "scenario", json_string(curve->scenario));
    json_object_set_new(frame, "points", json_array());
    json_object_set_new(frame, "failure", json_null());
    return frame;
}

static void keep_stack(json_t *frame, json_t *series)
{
    if (json_is_null(json_object_get(frame, "stack")))
        json_object_set(frame, "stack", json_object_get(series, "stack"));
}

// NULL and a note if the series is not there.
static json_t *series_over_sizes(const struct figure_panel *panel,
                                 const struct figure_series *series, const struct runs *runs,
                                 json_t *notes)
{
    const struct curve *curve = g_ptr_array_index(series->curves, 0);
    struct pair pair;
    char *why = NULL;
    if (!find_pair(curve, runs, &pair, &why)) {
        notes_add(notes, "not drawn: %s (%s)", series->name, why ? why : "there is no result");
        g_free(why);
        return NULL;
    }
    json_t *frame = series_frame(series);
    json_t *points = points_over_sizes(panel, curve, &pair);
    if (json_array_size(points) == 0 && is_completed(pair.series))
        notes_add(notes, "not drawn: %s (it has no %s in this range)", series->name, curve->metric);
    json_object_set_new(frame, "points", points);
    json_object_set_new(frame, "failure", failure_of_pair(pair.series, pair.other));
    keep_stack(frame, pair.series);
    return frame;
}

// A point for each value of the setting; null where its run is not there or failed.
static json_t *series_over_values(const struct figure_panel *panel,
                                  const struct figure_series *series, const struct runs *runs,
                                  json_t *notes)
{
    json_t *frame = series_frame(series), *points = json_object_get(frame, "points");
    for (guint i = 0; i < series->curves->len; i++) {
        const struct curve *curve = g_ptr_array_index(series->curves, i);
        struct pair pair;
        char *why = NULL;
        json_t *value = json_null();
        if (find_pair(curve, runs, &pair, &why)) {
            json_t *failure = failure_of_pair(pair.series, pair.other);
            if (!is_lost(failure))
                value = value_at(curve, &pair, panel->x.at);
            keep_stack(frame, pair.series);
            if (json_is_object(failure) && !is_lost(json_object_get(frame, "failure")))
                json_object_set(frame, "failure", failure);
            json_decref(failure);
        } else {
            notes_add(notes, "not drawn: %s, %s (%s)", series->name,
                      strrchr(curve->sets, '\n') ? strrchr(curve->sets, '\n') + 1 : curve->sets,
                      why ? why : "there is no result");
            g_free(why);
        }
        json_array_append_new(points,
                              json_pack("[O,o]", json_array_get(panel->x.values, i), value));
    }
    return frame;
}

static json_t *panel_document(const struct figure_panel *panel, const struct runs *runs,
                              json_t *notes)
{
    json_t *document = json_copy(panel->frame), *all = json_array();
    for (guint i = 0; i < panel->series->len; i++) {
        const struct figure_series *series = g_ptr_array_index(panel->series, i);
        json_t *one = panel->x.values ? series_over_values(panel, series, runs, notes)
                                      : series_over_sizes(panel, series, runs, notes);
        if (one)
            json_array_append_new(all, one);
    }
    json_object_set_new(document, "series", all);
    return document;
}

static json_t *frame_of(const char *id, const char *number, const char *file, const char *title,
                        const char *source)
{
    return json_pack("{s:i,s:s,s:s?,s:s,s:s,s:s?,s:[],s:[]}", "figure", 1, "id", id, "number",
                     number, "file", file, "title", title, "source", source, "notes", "panels");
}

// Says in the document how many of its series lost data, if any did.
static void note_lost(json_t *document)
{
    size_t i, j;
    json_t *panel, *series;
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_array_foreach(json_object_get(panel, "series"), j, series)
        {
            if (is_lost(json_object_get(series, "failure")))
                g_hash_table_add(names, (gpointer)document_text_of(series, "name"));
        }
    }
    figure_set_lost(document, (int)g_hash_table_size(names));
    g_hash_table_unref(names);
}

void figure_set_lost(json_t *document, int lost)
{
    if (lost > 0)
        json_object_set_new(document, "lost", json_integer(lost));
}

int figure_lost(const json_t *document)
{
    return (int)json_integer_value(json_object_get(document, "lost"));
}

json_t *figure_document(const struct figure_spec *spec, const struct runs *runs)
{
    json_t *document = frame_of(spec->id, spec->number, spec->file, spec->title, spec->source);
    json_t *notes = json_object_get(document, "notes");
    if (spec->note)
        notes_add(notes, "%s", spec->note);
    for (guint i = 0; i < spec->panels->len; i++)
        json_array_append_new(json_object_get(document, "panels"),
                              panel_document(g_ptr_array_index(spec->panels, i), runs, notes));
    note_lost(document);
    return document;
}

void figure_drop_empty_panels(json_t *document)
{
    json_t *panels = json_object_get(document, "panels"), *kept = json_array(), *panel;
    size_t index;
    json_array_foreach(panels, index, panel)
    {
        if (json_array_size(json_object_get(panel, "series")) > 0)
            json_array_append(kept, panel);
    }
    if (json_array_size(kept) > 0)
        json_object_set(document, "panels", kept);
    json_decref(kept);
}

int figure_count_series(json_t *document, int *failed)
{
    GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTable *failures = g_hash_table_new(g_str_hash, g_str_equal);
    size_t i, j;
    json_t *panel, *series;
    json_array_foreach(json_object_get(document, "panels"), i, panel)
    {
        json_array_foreach(json_object_get(panel, "series"), j, series)
        {
            gpointer name = (gpointer)document_text_of(series, "name");
            g_hash_table_add(names, name);
            if (json_is_object(json_object_get(series, "failure")))
                g_hash_table_add(failures, name);
        }
    }
    int count = (int)g_hash_table_size(names);
    *failed = (int)g_hash_table_size(failures);
    g_hash_table_unref(names);
    g_hash_table_unref(failures);
    return count;
}

// ---- A result that no figure is made for ----

// Latencies span decades; rates and what else there may be are compared as they are.
static bool is_duration(const char *metric)
{
    const char *unit = metric_unit(metric);
    return strcmp(unit, "us") == 0 || strcmp(unit, "s") == 0;
}

static json_t *axis(const char *label, const char *unit, const char *scale)
{
    return json_pack("{s:s,s:s,s:s}", "label", label, "unit", unit, "scale", scale);
}

static json_t *metric_axis(const char *metric, const char *scale)
{
    char *label = text_metric_axis(metric);
    json_t *made = axis(label, metric_unit(metric), scale);
    g_free(label);
    return made;
}

static json_t *plain_series(json_t *result, json_t *series, json_t *points)
{
    return json_pack("{s:O,s:O?,s:O?,s:o,s:o}", "name", json_object_get(series, "name"), "stack",
                     json_object_get(series, "stack"), "scenario",
                     json_object_get(result, "scenario"), "points", points, "failure",
                     failure_of(series));
}

// The metrics of all points (sizes) or of the values without a size, in the order of the first.
static GPtrArray *document_metrics(json_t *result, bool sizes)
{
    GPtrArray *metrics = g_ptr_array_new();
    size_t i, j;
    json_t *series, *one, *value;
    const char *key;
    json_array_foreach(json_object_get(result, "series"), i, series)
    {
        json_array_foreach(json_object_get(series, sizes ? "points" : "values"), j, one)
        {
            if (!sizes && json_is_null(json_object_get(one, "size_bytes"))) {
                key = intern_text(document_text_of(one, "metric"));
                if (!g_ptr_array_find(metrics, key, NULL))
                    g_ptr_array_add(metrics, (gpointer)key);
                continue;
            }
            json_object_foreach(one, key, value)
            {
                const char *name = intern_text(key);
                if (sizes && strcmp(key, "size_bytes") != 0 &&
                    !g_ptr_array_find(metrics, name, NULL))
                    g_ptr_array_add(metrics, (gpointer)name);
            }
        }
    }
    return metrics;
}

static json_t *axis_of_sizes(const char *counts)
{
    struct size_axis shown = size_axis_of(counts);
    return axis(shown.label, shown.unit, shown.linear ? "linear" : "log");
}

// Message sizes, or what the series that have the metric count instead.
static json_t *sizes_axis(json_t *result, const char *metric)
{
    size_t i;
    json_t *series;
    json_array_foreach(json_object_get(result, "series"), i, series)
    {
        const char *counts = document_text_of(series, "counts");
        if (counts && json_object_get(json_array_get(json_object_get(series, "points"), 0), metric))
            return axis_of_sizes(counts);
    }
    return axis_of_sizes(NULL);
}

static json_t *panel_over_sizes(json_t *result, const char *metric)
{
    const struct figure_panel all = {.x = {.low = -INFINITY, .high = INFINITY}};
    const struct curve curve = {.metric = metric};
    json_t *list = json_array(), *series;
    size_t index;
    json_array_foreach(json_object_get(result, "series"), index, series)
    {
        json_t *points = points_over_sizes(&all, &curve, &(struct pair){.series = series});
        json_array_append_new(list, plain_series(result, series, points));
    }
    return json_pack("{s:s,s:o,s:o,s:o}", "kind", "lines", "x", sizes_axis(result, metric), "y",
                     metric_axis(metric, is_duration(metric) ? "log" : "linear"), "series", list);
}

// [["rank 0", value], …] or [["all", value]] of what has no size.
static json_t *points_without_size(json_t *series, const char *metric)
{
    json_t *points = json_array(), *one;
    size_t index;
    json_array_foreach(json_object_get(series, "values"), index, one)
    {
        if (strcmp(document_text_of(one, "metric"), metric) != 0 ||
            !json_is_null(json_object_get(one, "size_bytes")))
            continue;
        json_t *rank = json_object_get(one, "rank");
        char *place = json_is_integer(rank)
                          ? g_strdup_printf("rank %d", (int)json_integer_value(rank))
                          : g_strdup("all");
        json_array_append_new(points, json_pack("[s,O]", place, json_object_get(one, "value")));
        g_free(place);
    }
    return points;
}

static json_t *panel_without_size(json_t *result, const char *metric)
{
    json_t *list = json_array(), *series;
    size_t index;
    json_array_foreach(json_object_get(result, "series"), index, series)
    {
        json_array_append_new(list,
                              plain_series(result, series, points_without_size(series, metric)));
    }
    return json_pack("{s:s,s:o,s:o,s:o}", "kind", "bars", "x", axis("", "", "linear"), "y",
                     metric_axis(metric, "linear"), "series", list);
}

json_t *figure_of_result(json_t *all, struct choice *choice)
{
    json_t *result = choice_of_result(choice, all);
    const char *name = document_text_of(result, "scenario");
    json_t *document = frame_of(name ? name : "result", NULL, name ? name : "result",
                                name ? name : "result", NULL);
    json_t *panels = json_object_get(document, "panels");
    for (int sizes = 1; sizes >= 0; sizes--) {
        GPtrArray *metrics = document_metrics(result, sizes);
        choice_of_metrics(choice, metrics, json_object_get(document, "notes"));
        for (guint i = 0; i < metrics->len; i++) {
            const char *metric = g_ptr_array_index(metrics, i);
            json_array_append_new(panels, sizes ? panel_over_sizes(result, metric)
                                                : panel_without_size(result, metric));
        }
        g_ptr_array_unref(metrics);
    }
    // A run that failed before it measured anything still has a panel.
    if (json_array_size(panels) == 0)
        json_array_append_new(panels, panel_over_sizes(result, "latency_us"));
    note_lost(document);
    json_decref(result);
    return document;
}
