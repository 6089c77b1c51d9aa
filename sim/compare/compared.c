// SPDX-License-Identifier: GPL-3.0-or-later
// Reading what is compared.
#include "sim/compare/compare.h"

#include "sim/core/intern.h"
#include "sim/output/json.h"
#include "sim/output/json_check.h"
#include "sim/output/manifest.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

GQuark compare_error_quark(void)
{
    return g_quark_from_static_string("netsim-compare-error");
}

static void free_series(gpointer data)
{
    struct compared_series *series = data;
    g_free(series->name);
    g_free(series->status);
    g_free(series->fingerprint);
    g_free(series->reason);
    g_free(series);
}

static void free_curve(gpointer data)
{
    struct compared_curve *curve = data;
    g_free(curve->series);
    g_array_unref(curve->points);
    g_free(curve);
}

struct compared *compared_new(const char *place)
{
    struct compared *compared = g_new0(struct compared, 1);
    compared->name = g_strdup(place);
    compared->series = g_ptr_array_new_with_free_func(free_series);
    compared->curves = g_ptr_array_new_with_free_func(free_curve);
    return compared;
}

void compared_free(struct compared *compared)
{
    if (!compared)
        return;
    g_free(compared->name);
    g_free(compared->fingerprint);
    g_ptr_array_unref(compared->series);
    g_ptr_array_unref(compared->curves);
    g_free(compared);
}

static void replace(char **text, const char *by)
{
    if (!by)
        return;
    g_free(*text);
    *text = g_strdup(by);
}

void compared_add_series(struct compared *compared, const char *name, const char *status,
                         const char *fingerprint, const char *reason)
{
    struct compared_series *series = NULL;
    for (guint i = 0; i < compared->series->len && !series; i++) {
        struct compared_series *one = g_ptr_array_index(compared->series, i);
        if (strcmp(one->name, name) == 0)
            series = one;
    }
    if (!series) {
        series = g_new0(struct compared_series, 1);
        series->name = g_strdup(name);
        g_ptr_array_add(compared->series, series);
    }
    replace(&series->status, status);
    replace(&series->fingerprint, fingerprint);
    replace(&series->reason, reason);
}

// The curve of the last value is nearly always that of the next.
static struct compared_curve *curve_of(struct compared *compared, const char *series,
                                       const char *metric, int rank)
{
    const char *interned = intern_text(metric);
    for (guint i = compared->curves->len; i-- > 0;) {
        struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
        if (curve->metric == interned && curve->rank == rank && strcmp(curve->series, series) == 0)
            return curve;
    }
    struct compared_curve *curve = g_new0(struct compared_curve, 1);
    curve->series = g_strdup(series);
    curve->metric = interned;
    curve->rank = rank;
    curve->points = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    g_ptr_array_add(compared->curves, curve);
    return curve;
}

void compared_add_value(struct compared *compared, const char *series, const char *metric, int rank,
                        int64_t size, double value)
{
    struct curve_point point = {size, value};
    g_array_append_val(curve_of(compared, series, metric, rank)->points, point);
}

// ---- Documents ----

// A number; JSON has no infinity, so null means no number.
static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void compared_add_point(struct compared *compared, const char *name, json_t *point)
{
    int64_t size = json_integer_value(json_object_get(point, "size_bytes"));
    const char *metric;
    json_t *value;
    json_object_foreach(point, metric, value)
    {
        if (strcmp(metric, "size_bytes") != 0)
            compared_add_value(compared, name, metric, -1, size, number_or_nan(value));
    }
}

void compared_add_document(struct compared *compared, const char *name, json_t *series)
{
    size_t index;
    json_t *one;
    series_judge_json(series);
    json_t *reason = json_object_get(series, "reason");
    compared_add_series(compared, name, json_string_value(json_object_get(series, "status")),
                        json_string_value(json_object_get(series, "fingerprint")),
                        json_string_value(json_object_get(reason, "kind")));
    json_array_foreach(json_object_get(series, "points"), index, one)
    {
        compared_add_point(compared, name, one);
    }
    json_array_foreach(json_object_get(series, "values"), index, one)
    {
        const json_t *rank = json_object_get(one, "rank"),
                     *size = json_object_get(one, "size_bytes");
        const char *metric = json_string_value(json_object_get(one, "metric"));
        if (metric)
            compared_add_value(compared, name, metric,
                               json_is_integer(rank) ? (int)json_integer_value(rank) : -1,
                               json_is_integer(size) ? json_integer_value(size) : -1,
                               number_or_nan(json_object_get(one, "value")));
    }
}

static json_t *load_json(const char *path, GError **error)
{
    json_error_t problem;
    json_t *document = json_load_file(path, 0, &problem);
    char *unread = document ? NULL : json_unread_problem(path, &problem);
    if (unread)
        g_set_error_literal(error, compare_error_quark(), 0, unread);
    g_free(unread);
    char *what = document ? json_document_problem(document) : NULL;
    if (what)
        g_set_error(error, compare_error_quark(), 0, "%s: %s", path, what);
    if (what)
        g_clear_pointer(&document, json_decref);
    g_free(what);
    return document;
}

// A result document, or a manifest, which has series but no values. Takes the document (NULL: there
// is none, which has been reported).
static bool take_document(struct compared *compared, json_t *document)
{
    if (!document)
        return false;
    json_t *series, *run = json_object_get(document, "run");
    size_t index;
    json_array_foreach(json_object_get(document, "series"), index, series)
    {
        compared_add_document(compared, json_string_value(json_object_get(series, "name")), series);
    }
    replace(&compared->fingerprint,
            json_string_value(json_object_get(run ? run : document, "fingerprint")));
    json_decref(document);
    return true;
}

static bool read_document(struct compared *compared, const char *path, GError **error)
{
    return take_document(compared, load_json(path, error));
}

static bool take_csv(struct compared *compared, const char *text, gsize length, const char *path,
                     GError **error)
{
    bool good = compared_read_csv(compared, text, length, error);
    if (!good)
        g_prefix_error(error, "%s:", path);
    return good;
}

static bool read_csv_file(struct compared *compared, const char *path, GError **error)
{
    char *text;
    gsize length;
    if (!g_file_get_contents(path, &text, &length, error))
        return false;
    bool good = take_csv(compared, text, length, path, error);
    g_free(text);
    return good;
}

// Results with the manifest next to them, which must be of the same run.
static bool read_pair(struct compared *compared, const char *directory, const char *csv,
                      const char *manifest, GError **error)
{
    char *text = NULL;
    gsize length;
    json_t *document = load_json(manifest, error);
    bool good = document && g_file_get_contents(csv, &text, &length, error) &&
                manifest_is_of(document, directory, text, error) &&
                take_csv(compared, text, length, csv, error) &&
                take_document(compared, json_incref(document));
    g_free(text);
    json_decref(document);
    return good;
}

static bool read_directory(struct compared *compared, const char *path, GError **error)
{
    char *csv = g_build_filename(path, "results.csv", NULL);
    char *manifest = g_build_filename(path, "manifest.json", NULL);
    char *sweep = g_build_filename(path, "sweep.sqlite", NULL);
    bool swept = !g_file_test(csv, G_FILE_TEST_EXISTS) && g_file_test(sweep, G_FILE_TEST_EXISTS);
    bool good;
    if (swept)
        good = compared_read_database(compared, sweep, NULL, error);
    else if (g_file_test(manifest, G_FILE_TEST_EXISTS))
        good = read_pair(compared, path, csv, manifest, error);
    else
        good = read_csv_file(compared, csv, error);
    g_free(sweep);
    g_free(manifest);
    g_free(csv);
    return good;
}

// ---- The place ----

static bool is_database(const char *path)
{
    char magic[16] = "";
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file)
        fclose(file);
    return length == sizeof magic && memcmp(magic, "SQLite format 3", sizeof magic) == 0;
}

static bool read_place(struct compared *compared, const char *place, GError **error)
{
    const char *hash = strrchr(place, '#');
    char *before = g_strndup(place, hash ? (gsize)(hash - place) : strlen(place));
    bool good;
    if (hash && !g_file_test(place, G_FILE_TEST_EXISTS) && is_database(before))
        good = compared_read_database(compared, before, hash + 1, error);
    else if (is_database(place))
        good = compared_read_database(compared, place, NULL, error);
    else if (g_file_test(place, G_FILE_TEST_IS_DIR))
        good = read_directory(compared, place, error);
    else if (g_str_has_suffix(place, ".csv"))
        good = read_csv_file(compared, place, error);
    else
        good = read_document(compared, place, error);
    g_free(before);
    return good;
}

static gint by_point(gconstpointer a, gconstpointer b)
{
    const struct curve_point *p = a, *q = b;
    return (p->size > q->size) - (p->size < q->size);
}

struct compared *compared_load(const char *place, GError **error)
{
    struct compared *compared = compared_new(place);
    if (!read_place(compared, place, error)) {
        compared_free(compared);
        return NULL;
    }
    for (guint i = 0; i < compared->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
        g_array_sort(curve->points, by_point);
    }
    return compared;
}
