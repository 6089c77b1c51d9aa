// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/store_internal.h"

#include "sim/core/shown.h"
#include "sim/output/json.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// values: those of one size and of all ranks together have rank NULL; those of no size, size NULL.
const char store_layout[] =
    "CREATE TABLE cases (key TEXT PRIMARY KEY, source TEXT NOT NULL, seed INTEGER NOT NULL,"
    "  stack TEXT NOT NULL, definition TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE results (key TEXT PRIMARY KEY REFERENCES cases, status TEXT NOT NULL,"
    "  kind TEXT, document TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE measurements (key TEXT NOT NULL REFERENCES cases, number INTEGER NOT NULL,"
    "  rank INTEGER, size INTEGER, metric TEXT NOT NULL, value REAL,"
    "  PRIMARY KEY (key, number)) WITHOUT ROWID;"
    "CREATE TABLE campaigns (id TEXT PRIMARY KEY, number INTEGER NOT NULL,"
    "  scenario TEXT NOT NULL, source TEXT NOT NULL, definition TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE points (campaign TEXT NOT NULL REFERENCES campaigns, point INTEGER NOT NULL,"
    "  seed INTEGER, axes TEXT NOT NULL, problem TEXT,"
    "  PRIMARY KEY (campaign, point)) WITHOUT ROWID;"
    "CREATE TABLE series (campaign TEXT NOT NULL, point INTEGER NOT NULL,"
    "  series INTEGER NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,"
    "  PRIMARY KEY (campaign, point, series)) WITHOUT ROWID;";

GQuark store_error_quark(void)
{
    return g_quark_from_static_string("netsim-store-error");
}

bool store_fail(struct store *store, const char *what, GError **error)
{
    int code = sqlite3_errcode(store->connection);
    // SQLite quotes the file's bytes, and they need not be text.
    GString *problem = g_string_new(NULL);
    shown_append(problem, sqlite3_errmsg(store->connection), SHOWN_LINE);
    g_set_error(error, STORE_ERROR, 0, "%s: %s: %s%s", store->name, what, problem->str,
                code == SQLITE_BUSY ? ", by another program that has held it for long" : "");
    g_string_free(problem, TRUE);
    return false;
}

bool store_execute(struct store *store, const char *sql, GError **error)
{
    return sqlite3_exec(store->connection, sql, NULL, NULL, NULL) == SQLITE_OK ||
           store_fail(store, "the database refuses", error);
}

sqlite3 *store_connection(struct store *store)
{
    return store->connection;
}

const char *store_name(const struct store *store)
{
    return store->name;
}

bool store_begin(struct store *store, GError **error)
{
    if (!sqlite3_get_autocommit(store->connection))
        return true;
    store->began = g_get_monotonic_time();
    return store_execute(store, "BEGIN IMMEDIATE", error);
}

bool store_commit(struct store *store, GError **error)
{
    store->began = 0;
    return sqlite3_get_autocommit(store->connection) || store_execute(store, "COMMIT", error);
}

gint64 store_began(const struct store *store)
{
    return store->began;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_stmt *const statements[] = {store->has,        store->result,      store->put_case,
                                        store->put_result, store->drop_values, store->put_value};
    for (size_t i = 0; i < G_N_ELEMENTS(statements); i++)
        sqlite3_finalize(statements[i]);
    sqlite3_close(store->connection);
    g_free(store->name);
    g_free(store);
}

// ---- Cases and results ----

void store_bind_text(sqlite3_stmt *statement, int parameter, const char *text)
{
    sqlite3_bind_text(statement, parameter, text, -1, SQLITE_TRANSIENT);
}

bool store_has(struct store *store, const char *key)
{
    store_bind_text(store->has, 1, key);
    bool has = sqlite3_step(store->has) == SQLITE_ROW;
    sqlite3_reset(store->has);
    return has;
}

// New reference; NULL if it is no JSON.
static json_t *read_document(const char *text)
{
    json_t *result = json_loads(text, 0, NULL);
    if (result)
        series_judge_json(result);
    return result;
}

json_t *store_result(struct store *store, const char *key)
{
    json_t *result = NULL;
    store_bind_text(store->result, 1, key);
    if (sqlite3_step(store->result) == SQLITE_ROW)
        result = read_document((const char *)sqlite3_column_text(store->result, 0));
    sqlite3_reset(store->result);
    return result;
}

static bool step_done(sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code == SQLITE_DONE;
}

static void bind_integer_or_null(sqlite3_stmt *statement, int column, const json_t *value)
{
    if (json_is_integer(value))
        sqlite3_bind_int64(statement, column, json_integer_value(value));
}

static bool put_value(struct store *store, const char *key, int *number, const json_t *rank,
                      const json_t *size, const char *metric, const json_t *value)
{
    sqlite3_stmt *statement = store->put_value;
    store_bind_text(statement, 1, key);
    sqlite3_bind_int(statement, 2, (*number)++);
    bind_integer_or_null(statement, 3, rank);
    bind_integer_or_null(statement, 4, size);
    store_bind_text(statement, 5, metric);
    if (json_is_number(value))
        sqlite3_bind_double(statement, 6, json_number_value(value));
    return step_done(statement);
}

// A row for each value of a result, in its order.
static bool put_values(struct store *store, const char *key, const json_t *result)
{
    const json_t *point, *value;
    const char *metric;
    size_t i;
    int number = 0;
    bool good = true;
    json_array_foreach(json_object_get(result, "points"), i, point)
    {
        const json_t *size = json_object_get(point, "size_bytes");
        json_object_foreach((json_t *)point, metric, value)
        {
            if (strcmp(metric, "size_bytes") != 0)
                good = good && put_value(store, key, &number, NULL, size, metric, value);
        }
    }
    json_array_foreach(json_object_get(result, "values"), i, value)
    {
        metric = json_string_value(json_object_get(value, "metric"));
        good = good && put_value(store, key, &number, json_object_get(value, "rank"),
                                 json_object_get(value, "size_bytes"), metric,
                                 json_object_get(value, "value"));
    }
    return good;
}

static bool put_case(struct store *store, const struct store_case *of)
{
    sqlite3_stmt *statement = store->put_case;
    store_bind_text(statement, 1, of->key);
    store_bind_text(statement, 2, of->source);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)of->seed);
    store_bind_text(statement, 4, of->stack);
    store_bind_text(statement, 5, of->definition);
    return step_done(statement);
}

static bool put_result(struct store *store, const char *key, const json_t *result)
{
    char *document = json_dumps(result, JSON_COMPACT);
    const json_t *reason = json_object_get(result, "reason");
    const char *kind = json_string_value(json_object_get(reason, "kind"));
    sqlite3_stmt *statement = store->put_result;
    store_bind_text(statement, 1, key);
    store_bind_text(statement, 2, json_string_value(json_object_get(result, "status")));
    if (kind)
        store_bind_text(statement, 3, kind);
    store_bind_text(statement, 4, document);
    free(document);
    return step_done(statement);
}

bool store_put(struct store *store, const struct store_case *of, const json_t *result,
               GError **error)
{
    if (!store_begin(store, error))
        return false;
    store_bind_text(store->drop_values, 1, of->key);
    return (step_done(store->drop_values) && put_case(store, of) &&
            put_result(store, of->key, result) && put_values(store, of->key, result)) ||
           store_fail(store, "a result could not be written", error);
}

// ---- Merging ----

// Whether the results of a case, if both are there, are the same; *take: whether it is to be
// copied.
static bool agree(struct store *store, const char *key, const char *document, bool *take,
                  GError **error)
{
    json_t *ours = store_result(store, key), *theirs = read_document(document);
    bool we_crashed = false, they_crashed = false, same = true;
    if (ours && theirs) {
        we_crashed = !g_strcmp0(json_string_value(json_object_get(ours, "status")), STORE_CRASHED);
        they_crashed =
            !g_strcmp0(json_string_value(json_object_get(theirs, "status")), STORE_CRASHED);
        same = we_crashed || they_crashed || json_equal(ours, theirs);
    }
    *take = !ours || (we_crashed && !they_crashed);
    if (!theirs)
        g_set_error(error, STORE_ERROR, 0, "case %.16s: its result cannot be read", key);
    else if (!same)
        g_set_error(error, STORE_ERROR, 0,
                    "case %.16s has two different results: of one case, seed and program there can "
                    "be only one, so one of the databases is damaged",
                    key);
    json_decref(ours);
    json_decref(theirs);
    return theirs && same;
}

static bool merge_row(struct store *store, sqlite3_stmt *row, GError **error)
{
    const char *document = (const char *)sqlite3_column_text(row, 5);
    struct store_case of = {
        .key = (const char *)sqlite3_column_text(row, 0),
        .source = (const char *)sqlite3_column_text(row, 1),
        .seed = (uint64_t)sqlite3_column_int64(row, 2),
        .stack = (const char *)sqlite3_column_text(row, 3),
        .definition = (const char *)sqlite3_column_text(row, 4),
    };
    bool take = false;
    if (!agree(store, of.key, document, &take, error))
        return false;
    if (!take)
        return true;
    json_t *result = read_document(document);
    bool put = store_put(store, &of, result, error);
    json_decref(result);
    return put;
}

bool store_merge(struct store *store, struct store *from, GError **error)
{
    static const char all[] = "SELECT key, source, seed, stack, definition, document"
                              " FROM cases JOIN results USING (key) ORDER BY key";
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(from->connection, all, -1, &rows, NULL) != SQLITE_OK)
        return store_fail(from, "cannot be read", error);
    bool good = true;
    int code;
    while (good && (code = sqlite3_step(rows)) == SQLITE_ROW)
        good = merge_row(store, rows, error);
    if (good && code != SQLITE_DONE)
        good = store_fail(from, "cannot be read", error);
    sqlite3_finalize(rows);
    return good;
}
