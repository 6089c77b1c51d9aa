// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/points.h"

#include "sim/campaign/source_id.h"
#include "sim/campaign/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// ---- Compiling ----

// The findings about each value of each axis.
struct survey {
    const struct sweep *sweep;
    bool **possible;     // [axis][value]: in one point at least
    GHashTable *origins; // "--set path=value" -> struct sweep_value *
    GPtrArray *found;    // of each point: struct diag_list *, or NULL
};

static char *setting(const struct sweep_axis *axis, const struct sweep_value *value)
{
    return g_strdup_printf("%s=%s", axis->path, value->text);
}

static void free_diags(void *data)
{
    if (data)
        diag_list_free(data);
}

static void survey_open(struct survey *survey, const struct sweep *sweep)
{
    survey->sweep = sweep;
    survey->possible = g_new0(bool *, sweep->axes->len + 1);
    survey->origins = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    survey->found = g_ptr_array_new_with_free_func(free_diags);
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(sweep, (int)i);
        survey->possible[i] = g_new0(bool, axis->values->len + 1);
        for (guint k = 0; k < axis->values->len; k++) {
            const struct sweep_value *value = sweep_value_at(axis, (int)k);
            char *text = setting(axis, value);
            g_hash_table_insert(survey->origins, g_strdup_printf("--set %s", text),
                                (gpointer)value);
            g_free(text);
        }
    }
}

static void survey_close(struct survey *survey)
{
    for (guint i = 0; i < survey->sweep->axes->len; i++)
        g_free(survey->possible[i]);
    g_free(survey->possible);
    g_hash_table_unref(survey->origins);
    g_ptr_array_unref(survey->found);
}

// Adds a diagnostic, at the place of the value where the compiler only knows a setting; each once.
static void pass_on(const struct survey *survey, const struct diag *diag, struct diag_list *diags)
{
    struct source_mark mark = diag->mark;
    const struct sweep_value *value =
        mark.file ? g_hash_table_lookup(survey->origins, mark.file) : NULL;
    if (value)
        mark = value->mark;
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *old = g_ptr_array_index(diags->items, i);
        if (old->mark.line == mark.line && old->mark.column == mark.column &&
            g_strcmp0(old->mark.file, mark.file) == 0 && g_strcmp0(old->path, diag->path) == 0 &&
            strcmp(old->message, diag->message) == 0)
            return;
    }
    diag_add(diags, mark, diag->path, diag->hint, "%s", diag->message);
}

// All values that no point could have with the reasons that its points give. Returns true if there
// is one. A draw is no value that was given: one that is refused at each point is impossible there.
static bool complain(const struct survey *survey, const struct points *points,
                     struct diag_list *diags)
{
    bool wrong = points->impossible == points->count;
    bool *to_blame = g_new0(bool, points->count);
    for (guint axis = 0; axis < survey->sweep->axes->len; axis++)
        for (int point = 0; point < points->count; point++)
            to_blame[point] |=
                !survey->possible[axis][sweep_point_value(survey->sweep, point, (int)axis)];
    for (int point = 0; point < points->count; point++) {
        const struct diag_list *found = g_ptr_array_index(survey->found, point);
        wrong |= to_blame[point];
        for (guint i = 0; (to_blame[point] || points->impossible == points->count) && found &&
                          i < found->items->len && !diags->overflow;
             i++)
            pass_on(survey, g_ptr_array_index(found->items, i), diags);
    }
    g_free(to_blame);
    return wrong;
}

// Settings of all points that none reads.
static bool complain_unused(const struct survey *survey, const struct campaign *campaign,
                            struct diag_list *diags)
{
    struct diag_list *found = diag_list_new();
    campaign_unused(campaign, found);
    bool wrong = diag_any(found);
    for (guint i = 0; i < found->items->len; i++)
        pass_on(survey, g_ptr_array_index(found->items, i), diags);
    diag_list_free(found);
    return wrong;
}

static void compile_point(struct points *points, struct survey *survey, struct campaign *campaign,
                          const char *file, int point)
{
    const struct sweep *sweep = points->sweep;
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(sweep, (int)i);
        int value = sweep_point_value(sweep, point, (int)i);
        g_ptr_array_add(sets, setting(axis, sweep_value_at(axis, value)));
    }
    if (sweep->draws)
        g_ptr_array_add(
            sets, g_strdup_printf(SWEEP_DRAW "=%" G_GINT64_FORMAT, sweep_point_draw(sweep, point)));
    g_ptr_array_add(sets, NULL);
    struct diag_list *found = diag_list_new();
    points->runs[point] = campaign_add(campaign, file, (const char *const *)sets->pdata,
                                       sweep_point_seed(sweep, point), found);
    g_ptr_array_unref(sets);
    if (points->runs[point] < 0) {
        const struct diag *first = g_ptr_array_index(found->items, 0);
        points->problems[point] = g_strdup_printf("%s%s%s", first->path ? first->path : "",
                                                  first->path ? ": " : "", first->message);
        points->impossible++;
        g_ptr_array_add(survey->found, found);
        return;
    }
    g_ptr_array_add(survey->found, NULL);
    diag_list_free(found);
    for (guint i = 0; i < sweep->axes->len; i++)
        survey->possible[i][sweep_point_value(sweep, point, (int)i)] = true;
}

struct points *points_new(struct campaign *campaign, const char *file, const char *name,
                          const struct sweep *sweep, bool allow_unused,
                          const struct points_watcher *watcher, struct diag_list *diags)
{
    struct points *points = g_new0(struct points, 1);
    struct survey survey = {0};
    points->sweep = sweep;
    points->name = g_strdup(name);
    points->count = sweep_points(sweep);
    points->runs = g_new0(int, points->count);
    points->problems = g_new0(char *, points->count);
    survey_open(&survey, sweep);
    for (int point = 0; point < points->count; point++) {
        compile_point(points, &survey, campaign, file, point);
        if (watcher)
            watcher->progress(watcher->owner, point + 1, points->count, "reading the points");
    }
    bool wrong = complain(&survey, points, diags) ||
                 (!allow_unused && complain_unused(&survey, campaign, diags));
    survey_close(&survey);
    if (!wrong)
        return points;
    points_free(points);
    return NULL;
}

void points_free(struct points *points)
{
    if (!points)
        return;
    for (int i = 0; i < points->count; i++)
        g_free(points->problems[i]);
    g_free(points->problems);
    g_free(points->runs);
    g_free(points->name);
    g_free(points->description);
    g_free(points);
}

char *points_describe(const struct points *points, int point)
{
    GString *text = g_string_new(NULL);
    uint64_t seed = sweep_point_seed(points->sweep, point);
    int64_t draw = sweep_point_draw(points->sweep, point);
    for (guint i = 0; i < points->sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(points->sweep, (int)i);
        char *one =
            setting(axis, sweep_value_at(axis, sweep_point_value(points->sweep, point, (int)i)));
        g_string_append_printf(text, "%s%s", i ? ", " : "", one);
        g_free(one);
    }
    if (draw)
        g_string_append_printf(text, "%s" SWEEP_DRAW "=%" G_GINT64_FORMAT, text->len ? ", " : "",
                               draw);
    if (seed)
        g_string_append_printf(text, "%sseed=%" G_GUINT64_FORMAT, text->len ? ", " : "", seed);
    return g_string_free(text, FALSE);
}

// ---- Keeping ----

// {"mode", "seeds", "axes": [{"path", "values"}]} as text, with "draws" if there are any.
static char *definition_of(const struct sweep *sweep, const char *description)
{
    json_t *axes = json_array();
    for (guint i = 0; i < sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(sweep, (int)i);
        json_t *values = json_array();
        for (guint k = 0; k < axis->values->len; k++)
            json_array_append_new(values, json_string(sweep_value_at(axis, (int)k)->text));
        json_array_append_new(axes, json_pack("{s:s, s:o}", "path", axis->path, "values", values));
    }
    json_t *json =
        json_pack("{s:s, s:I, s:o}", "mode", sweep->mode == SWEEP_ZIP ? "zip" : "product", "seeds",
                  (json_int_t)sweep->seeds, "axes", axes);
    if (sweep->draws)
        json_object_set_new(json, "draws", json_integer((json_int_t)sweep->draws));
    if (description)
        json_object_set_new(json, "description", json_string(description));
    char *text = json_dumps(json, JSON_COMPACT), *copy = g_strdup(text);
    json_decref(json);
    free(text);
    return copy;
}

char *points_digest(const struct points *points, const struct campaign *campaign)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *definition = definition_of(points->sweep, NULL);
    const char *parts[] = {campaign_source_id, points->name, definition};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        g_checksum_update(sum, (const guchar *)parts[i], (gssize)strlen(parts[i]) + 1);
    for (int point = 0; point < points->count; point++) {
        int run = points->runs[point], series = run < 0 ? 0 : campaign_series_count(campaign, run);
        for (int i = 0; i < series; i++)
            g_checksum_update(sum, (const guchar *)campaign_series_key(campaign, run, i), -1);
        g_checksum_update(sum, (const guchar *)"\n", 1);
    }
    char *digest = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    g_free(definition);
    return digest;
}

// The values of a point as JSON text: {"lam_via.tiny": "1 KiB"}, with its draw as "draw".
static char *axes_of(const struct points *points, int point)
{
    json_t *json = json_object();
    for (guint i = 0; i < points->sweep->axes->len; i++) {
        const struct sweep_axis *axis = sweep_axis_at(points->sweep, (int)i);
        int value = sweep_point_value(points->sweep, point, (int)i);
        json_object_set_new(json, axis->path, json_string(sweep_value_at(axis, value)->text));
    }
    if (points->sweep->draws)
        json_object_set_new(
            json, SWEEP_DRAW,
            json_sprintf("%" G_GINT64_FORMAT, sweep_point_draw(points->sweep, point)));
    char *text = json_dumps(json, JSON_COMPACT), *copy = g_strdup(text);
    json_decref(json);
    free(text);
    return copy;
}

static bool points_done(struct store *store, sqlite3_stmt *statement, GError **error)
{
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code == SQLITE_DONE || store_fail(store, "the sweep could not be written", error);
}

static sqlite3_stmt *prepared_points(struct store *store, const char *sql, GError **error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store_connection(store), sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(store, "the sweep could not be written", error);
    return statement;
}

static bool keep_series(const struct points *points, const struct campaign *campaign,
                        const char *id, int point, sqlite3_stmt *statement, GError **error)
{
    bool good = true;
    int run = points->runs[point], series = run < 0 ? 0 : campaign_series_count(campaign, run);
    for (int i = 0; good && i < series; i++) {
        store_bind_text(statement, 1, id);
        sqlite3_bind_int(statement, 2, point);
        sqlite3_bind_int(statement, 3, i);
        store_bind_text(statement, 4, campaign_series_name(campaign, run, i));
        store_bind_text(statement, 5, campaign_series_key(campaign, run, i));
        good = points_done(campaign_store(campaign), statement, error);
    }
    return good;
}

static bool keep_points(const struct points *points, const struct campaign *campaign,
                        const char *id, GError **error)
{
    struct store *store = campaign_store(campaign);
    sqlite3_stmt *put =
        prepared_points(store, "INSERT OR IGNORE INTO points VALUES (?1, ?2, ?3, ?4, ?5)", error);
    sqlite3_stmt *series =
        put ? prepared_points(store, "INSERT OR IGNORE INTO series VALUES (?1, ?2, ?3, ?4, ?5)",
                              error)
            : NULL;
    bool good = put && series;
    for (int point = 0; good && point < points->count; point++) {
        char *axes = axes_of(points, point);
        store_bind_text(put, 1, id);
        sqlite3_bind_int(put, 2, point);
        if (points->runs[point] >= 0)
            sqlite3_bind_int64(put, 3, (sqlite3_int64)campaign_seed(campaign, points->runs[point]));
        store_bind_text(put, 4, axes);
        if (points->problems[point])
            store_bind_text(put, 5, points->problems[point]);
        g_free(axes);
        good = points_done(store, put, error) &&
               keep_series(points, campaign, id, point, series, error);
    }
    sqlite3_finalize(put);
    sqlite3_finalize(series);
    return good;
}

// The row of the sweep itself; its number makes it the newest.
static bool keep_head(const struct points *points, const struct campaign *campaign, const char *id,
                      GError **error)
{
    static const char sql[] =
        "INSERT INTO campaigns VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM campaigns),"
        " ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET number = excluded.number"
        " WHERE number < excluded.number - 1";
    struct store *store = campaign_store(campaign);
    sqlite3_stmt *statement = prepared_points(store, sql, error);
    if (!statement)
        return false;
    char *definition = definition_of(points->sweep, points->description);
    store_bind_text(statement, 1, id);
    store_bind_text(statement, 2, points->name);
    store_bind_text(statement, 3, campaign_source_id);
    store_bind_text(statement, 4, definition);
    bool good = points_done(store, statement, error);
    sqlite3_finalize(statement);
    g_free(definition);
    return good;
}

bool points_keep(const struct points *points, const struct campaign *campaign, GError **error)
{
    struct store *store = campaign_store(campaign);
    char *id = points_digest(points, campaign);
    bool good = store_begin(store, error) && keep_head(points, campaign, id, error) &&
                keep_points(points, campaign, id, error) && store_commit(store, error);
    g_free(id);
    return good;
}

// ---- Merging ----

// Copies the rows of a table that are new.
static bool copy_rows(struct store *into, struct store *from, const char *select,
                      const char *insert, GError **error)
{
    sqlite3_stmt *rows = prepared_points(from, select, error);
    sqlite3_stmt *put = rows ? prepared_points(into, insert, error) : NULL;
    bool good = put;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            sqlite3_bind_value(put, i + 1, sqlite3_column_value(rows, i));
        good = points_done(into, put, error);
    }
    if (good && code != SQLITE_DONE)
        good = store_fail(from, "cannot be read", error);
    sqlite3_finalize(rows);
    sqlite3_finalize(put);
    return good;
}

bool points_merge(struct store *into, struct store *from, GError **error)
{
    return copy_rows(into, from,
                     "SELECT id, scenario, source, definition FROM campaigns"
                     " ORDER BY number, id",
                     "INSERT OR IGNORE INTO campaigns VALUES (?1,"
                     " (SELECT coalesce(max(number), 0) + 1 FROM campaigns), ?2, ?3, ?4)",
                     error) &&
           copy_rows(into, from, "SELECT * FROM points",
                     "INSERT OR IGNORE INTO points VALUES (?1, ?2, ?3, ?4, ?5)", error) &&
           copy_rows(into, from, "SELECT * FROM series",
                     "INSERT OR IGNORE INTO series VALUES (?1, ?2, ?3, ?4, ?5)", error);
}
