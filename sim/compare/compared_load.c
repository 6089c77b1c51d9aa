// SPDX-License-Identifier: GPL-3.0-or-later
// Which form a result to be compared has, and where its parts lie.
#include "sim/compare/compare.h"

#include "sim/output/json.h"
#include "sim/output/json_check.h"
#include "sim/output/manifest.h"

#include <string.h>

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
    compared_set_fingerprint(
        compared, json_string_value(json_object_get(run ? run : document, "fingerprint")));
    json_decref(document);
    return true;
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
        good = take_document(compared, load_json(place, error));
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
