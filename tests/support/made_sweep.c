// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/made_sweep.h"

#include "sim/campaign/store.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static void insert(struct store *store, const char *format, ...)
{
    va_list arguments;
    GError *error = NULL;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!store_execute(store, sql, &error))
        g_error("%s: %s", sql, error->message);
    sqlite3_free(sql);
}

static char *dumped(json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT), *copy = g_strdup(text);
    free(text);
    json_decref(json);
    return copy;
}

// "p=1|2": the path, and the values in *values.
static char *axis_of(const char *text, char ***values)
{
    const char *sign = strchr(text, '=');
    *values = g_strsplit(sign + 1, "|", -1);
    return g_strndup(text, (gsize)(sign - text));
}

static int value_count(const char *axis)
{
    int count = 1;
    for (; *axis; axis++)
        count += *axis == '|';
    return count;
}

static int point_count(const struct made_sweep *sweep)
{
    int count = MAX(sweep->draws, 1) * MAX(sweep->seeds, 1);
    for (int i = 0; sweep->axes[i] && (i == 0 || !sweep->zip); i++)
        count *= value_count(sweep->axes[i]);
    return count;
}

static void insert_campaign(struct store *store, const struct made_sweep *sweep)
{
    json_t *axes = json_array();
    for (int i = 0; sweep->axes[i]; i++) {
        char **values, *path = axis_of(sweep->axes[i], &values);
        json_t *list = json_array();
        for (char **value = values; *value; value++)
            json_array_append_new(list, json_string(*value));
        json_array_append_new(axes, json_pack("{s:s, s:o}", "path", path, "values", list));
        g_strfreev(values);
        g_free(path);
    }
    json_t *json = json_pack("{s:s, s:i, s:o}", "mode", sweep->zip ? "zip" : "product", "seeds",
                             sweep->seeds, "axes", axes);
    if (sweep->draws)
        json_object_set_new(json, "draws", json_integer(sweep->draws));
    char *definition = dumped(json);
    insert(store, "INSERT INTO campaigns VALUES ('c', 1, 'made', 'by hand', %Q)", definition);
    g_free(definition);
}

// The last axis is the fastest, the draw faster than that, and the seed the fastest.
static void insert_point(struct store *store, const struct made_sweep *sweep, int point,
                         const char *problem)
{
    json_t *json = json_object();
    int draw = point / MAX(sweep->seeds, 1), last = 0;
    int rest = draw / MAX(sweep->draws, 1);
    while (sweep->axes[last])
        last++;
    for (int i = last - 1; i >= 0; i--) {
        char **values, *path = axis_of(sweep->axes[i], &values);
        int count = value_count(sweep->axes[i]);
        json_object_set_new(json, path, json_string(values[rest % count]));
        rest = sweep->zip ? rest : rest / count;
        g_strfreev(values);
        g_free(path);
    }
    if (sweep->draws)
        json_object_set_new(json, "draw", json_sprintf("%d", draw % sweep->draws + 1));
    char *axes = dumped(json), *seed = g_strdup_printf("%d", point % MAX(sweep->seeds, 1) + 1);
    insert(store, "INSERT INTO points VALUES ('c', %d, %s, %Q, %Q)", point, problem ? "NULL" : seed,
           axes, problem);
    g_free(seed);
    g_free(axes);
}

// "t_us@2:4=1.5"
static void insert_value(struct store *store, const char *key, int number, const char *text)
{
    const char *sign = strchr(text, '='), *at = strchr(text, '@'), *colon = strchr(text, ':');
    char *metric = g_strndup(text, strcspn(text, "@:="));
    char *rank = at ? g_strndup(at + 1, strcspn(at + 1, ":=")) : g_strdup("NULL");
    char *size = colon ? g_strndup(colon + 1, (gsize)(sign - colon - 1)) : g_strdup("NULL");
    insert(store, "INSERT INTO measurements VALUES (%Q, %d, %s, %s, %Q, CAST(%s AS REAL))", key,
           number, rank, size, metric, sign + 1);
    g_free(metric);
    g_free(rank);
    g_free(size);
}

static void insert_result(struct store *store, const struct made_sweep *sweep, const char *key,
                          char **head)
{
    bool unbalanced = strcmp(head[0], "unbalanced") == 0;
    const char *status = unbalanced ? "completed" : head[0];
    const char *kind = !unbalanced && head[1] ? head[1] : NULL;
    json_t *json = json_pack("{s:s, s:s*}", "status", status, "counts", sweep->counts);
    if (kind)
        json_object_set_new(json, "reason",
                            json_pack("{s:s, s:s*}", "kind", kind, "text", head[2]));
    if (unbalanced) {
        json_object_set_new(json, "ledger", json_pack("{s:b}", "balanced", 0));
        json_object_set_new(json, "unaccounted", json_pack("[s]", head[1]));
    }
    char *document = dumped(json);
    insert(store, "INSERT INTO results VALUES (%Q, %Q, %Q, %Q)", key, status, kind, document);
    g_free(document);
}

static void insert_series(struct store *store, const struct made_sweep *sweep, int point,
                          int series, const char *text)
{
    char *key = g_strdup_printf("%02x%02x", point, series);
    char **halves = g_strsplit(text, ";", 2), **head = g_strsplit(halves[0], "|", 3);
    insert(store, "INSERT INTO series VALUES ('c', %d, %d, %Q, %Q)", point, series,
           sweep->series[series], key);
    insert(store, "INSERT INTO cases VALUES (%Q, 's', 1, 'lam_via', '{}')", key);
    if (strcmp(head[0], "missing") != 0)
        insert_result(store, sweep, key, head);
    char **values = g_strsplit(halves[1] ? g_strstrip(halves[1]) : "", " ", -1);
    for (int i = 0; values[i] && *values[i]; i++)
        insert_value(store, key, i, values[i]);
    g_strfreev(values);
    g_strfreev(head);
    g_strfreev(halves);
    g_free(key);
}

char *made_sweep(const struct made_sweep *sweep, const char *directory)
{
    GError *error = NULL;
    char *path = g_build_filename(directory, "made.sqlite", NULL);
    struct store *store = store_open(path, &error);
    if (!store)
        g_error("%s", error->message);
    store_begin(store, NULL);
    insert_campaign(store, sweep);
    for (int point = 0; point < point_count(sweep); point++)
        for (int series = 0; sweep->series[series]; series++) {
            char *text = sweep->result(point, series);
            const char *problem =
                text && g_str_has_prefix(text, "impossible|") ? strchr(text, '|') + 1 : NULL;
            if (series == 0)
                insert_point(store, sweep, point, problem);
            if (text && !problem)
                insert_series(store, sweep, point, series, text);
            bool rest = !problem;
            g_free(text);
            if (!rest)
                break;
        }
    store_commit(store, NULL);
    store_close(store);
    return path;
}

struct outcome *made_outcome(const struct made_sweep *sweep)
{
    GError *error = NULL;
    char *directory = temporary_directory(), *path = made_sweep(sweep, directory);
    struct store *store = store_open_existing(path, &error);
    SUITE_SAME_TEXT(error ? error->message : NULL, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(store);
    struct outcome *outcome = outcome_read(store, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(outcome);
    store_close(store);
    g_free(path);
    temporary_remove(directory);
    return outcome;
}
