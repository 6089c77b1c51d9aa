// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/results.h"

#include "sim/compare/compare.h"
#include "sim/core/sim.h"
#include "sim/measure/result.h"
#include "sim/output/csv_rows.h"
#include "sim/output/json.h"
#include "sim/output/json_check.h"
#include "sim/output/manifest.h"

#include <stdbool.h>
#include <string.h>

static json_t *find_by(json_t *list, const char *key, json_t *value)
{
    size_t index;
    json_t *one;
    json_array_foreach(list, index, one)
    {
        if (json_equal(json_object_get(one, key), value))
            return one;
    }
    return NULL;
}

static json_t *find_series(json_t *list, const char *name)
{
    json_t *text = json_string(name);
    json_t *found = find_by(list, "name", text);
    json_decref(text);
    return found;
}

// Puts a value where the document of a run has it: those of all ranks at a size become points.
static void add_value(json_t *series, const struct compared_curve *curve,
                      const struct curve_point *point)
{
    json_t *size = point->size >= 0 ? json_integer(point->size) : json_null();
    if (curve->rank < 0 && point->size >= 0) {
        json_t *points = json_object_get(series, "points");
        json_t *at = find_by(points, "size_bytes", size);
        if (!at) {
            at = json_pack("{s:O}", "size_bytes", size);
            json_array_append_new(points, at);
        }
        json_object_set_new(at, curve->metric, json_real(point->value));
    } else {
        json_t *rank = curve->rank < 0 ? json_null() : json_integer(curve->rank);
        json_array_append_new(json_object_get(series, "values"),
                              json_pack("{s:s,s:o,s:O,s:s,s:f}", "metric", curve->metric, "rank",
                                        rank, "size_bytes", size, "unit",
                                        metric_unit(curve->metric), "value", point->value));
    }
    json_decref(size);
}

// Adds the values of a table to the series, which have their names; `all`: to new ones where they
// have not.
static bool add_values(json_t *series_list, const char *path, const char *text, size_t length,
                       bool all, GError **error)
{
    struct compared *values = compared_new(path);
    bool good = compared_read_csv(values, text, length, error);
    if (!good)
        g_prefix_error(error, "%s:", path);
    for (guint i = 0; good && i < values->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(values->curves, i);
        json_t *series = find_series(series_list, curve->series);
        if (!series && all) {
            series =
                json_pack("{s:s,s:n,s:s,s:n,s:[],s:[]}", "name", curve->series, "stack", "status",
                          sim_status_name(SIM_COMPLETED), "reason", "points", "values");
            json_array_append_new(series_list, series);
        } else if (!series) {
            g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                        "%s: the manifest beside it has no series \"%s\"", path, curve->series);
            good = false;
        }
        for (guint k = 0; good && k < curve->points->len; k++)
            add_value(series, curve, &g_array_index(curve->points, struct curve_point, k));
    }
    compared_free(values);
    return good;
}

// The series as the manifest has them, still without points.
static json_t *series_of_manifest(json_t *manifest)
{
    static const char *const kept[] = {"name", "stack", "counts", "status", "reason"};
    json_t *list = json_array(), *one;
    size_t index;
    json_array_foreach(json_object_get(manifest, "series"), index, one)
    {
        json_t *series = json_object();
        series_judge_json(one);
        for (size_t i = 0; i < G_N_ELEMENTS(kept); i++)
            if (json_object_get(one, kept[i]))
                json_object_set(series, kept[i], json_object_get(one, kept[i]));
        json_object_set_new(series, "points", json_array());
        json_object_set_new(series, "values", json_array());
        json_array_append_new(list, series);
    }
    return list;
}

static json_t *load_manifest(const char *path, GError **error)
{
    json_error_t problem;
    json_t *manifest = json_load_file(path, 0, &problem);
    char *unread = manifest ? NULL : json_unread_problem(path, &problem), *what = NULL;
    if (unread)
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, unread);
    else if (!json_is_string(json_object_get(manifest, "scenario")))
        what = g_strdup("this is no manifest of a run: it names no scenario");
    else
        what = json_document_problem(manifest);
    g_free(unread);
    if (what) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", path, what);
        g_clear_pointer(&manifest, json_decref);
    }
    g_free(what);
    return manifest;
}

json_t *results_read(const char *directory, GError **error)
{
    char *manifest_path = g_build_filename(directory, "manifest.json", NULL);
    char *csv_path = g_build_filename(directory, "results.csv", NULL);
    char *text = NULL;
    gsize length;
    json_t *result = NULL, *manifest = load_manifest(manifest_path, error);
    if (manifest && g_file_get_contents(csv_path, &text, &length, error) &&
        manifest_is_of(manifest, directory, text, error)) {
        json_t *series = series_of_manifest(manifest);
        if (add_values(series, csv_path, text, length, false, error))
            result = json_pack("{s:O,s:O}", "scenario", json_object_get(manifest, "scenario"),
                               "series", series);
        json_decref(series);
    }
    g_free(text);
    json_decref(manifest);
    g_free(csv_path);
    g_free(manifest_path);
    return result;
}

bool results_has_columns(const char *text)
{
    static const char *const names[] = {"series", "size", "metric", "value"};
    struct csv_rows rows = csv_rows_of(text);
    while (*rows.at == '#') {
        rows.at += strcspn(rows.at, "\n");
        rows.at += *rows.at == '\n';
    }
    const char *problem = NULL;
    GPtrArray *header = csv_rows_take(&rows, NULL, &problem);
    bool all = true;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        all = all && g_ptr_array_find_with_equal_func(header, names[i], g_str_equal, NULL);
    g_ptr_array_unref(header);
    return all;
}

json_t *results_of_csv(const char *path, const char *text, size_t length, const char *name,
                       GError **error)
{
    json_t *series = json_array(), *result = NULL;
    if (add_values(series, path, text, length, true, error))
        result = json_pack("{s:s,s:O}", "scenario", name, "series", series);
    json_decref(series);
    return result;
}
