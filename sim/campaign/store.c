// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/store.h"

#include "sim/campaign/store_check.h"
#include "sim/core/shown.h"
#include "sim/output/json.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION_ID 0x6e74736d // "ntsm"
#define BUSY_TIMEOUT_MS 20000     // another campaign may hold the file for a transaction

struct store {
    sqlite3 *connection;
    char *name; // for messages
    gint64 began;
    sqlite3_stmt *has, *result, *put_case, *put_result, *drop_values, *put_value;
};

// values: those of one size and of all ranks together have rank NULL; those of no size, size NULL.
static const char layout[] =
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

// Views, for people: this program reads tables and documents. SQLite may have been built without a
// square root, so Newton's method stands for it, and Student's t for 95 % and d degrees of freedom
// is a list, from 11 on with the expansion of M. Abramowitz and I. A. Stegun, Handbook of
// Mathematical Functions, 26.7.5, which is right to 5 digits there.
static const char views[] =
    "CREATE VIEW counters AS SELECT results.key AS key, counter.key AS counter,"
    "  counter.value AS value FROM results, json_each(results.document, '$.counters') AS counter;"
    "CREATE VIEW curves AS SELECT points.campaign AS campaign, points.point AS point,"
    "  json_remove(points.axes, '$.seed') AS axes, points.seed AS seed, series.name AS series,"
    "  results.status AS status, rank, size, metric, value"
    "  FROM points JOIN series USING (campaign, point) JOIN results USING (key)"
    "  JOIN measurements USING (key);"
    "CREATE VIEW means AS WITH"
    "  known AS (SELECT *, avg(value) OVER (PARTITION BY campaign, axes, series, rank, size, "
    "metric)"
    "    AS mean FROM curves WHERE status = 'completed' AND value IS NOT NULL),"
    "  spread AS (SELECT campaign, min(point) AS point, axes, series, rank, size, metric,"
    "    count(*) AS n, max(mean) AS mean, min(value) AS min, max(value) AS max,"
    "    sum((value - mean) * (value - mean)) / (count(*) - 1) AS variance, count(*) - 1.0 AS d"
    "    FROM known GROUP BY campaign, axes, series, rank, size, metric),"
    "  known_sd AS (SELECT *, (WITH RECURSIVE root(step, x) AS (SELECT 0, variance"
    "    UNION ALL SELECT step + 1, (x + variance / x) / 2 FROM root WHERE step < 200 AND x > 0)"
    "    SELECT x FROM root ORDER BY step DESC LIMIT 1) AS sd,"
    "    (WITH RECURSIVE root(step, x) AS (SELECT 0, n * 1.0"
    "    UNION ALL SELECT step + 1, (x + n / x) / 2 FROM root WHERE step < 50)"
    "    SELECT x FROM root ORDER BY step DESC LIMIT 1) AS root_n FROM spread)"
    "  SELECT campaign, point, axes, series, rank, size, metric, n, mean, CASE d"
    "    WHEN 1 THEN 12.706205 WHEN 2 THEN 4.302653 WHEN 3 THEN 3.182446 WHEN 4 THEN 2.776445"
    "    WHEN 5 THEN 2.570582 WHEN 6 THEN 2.446912 WHEN 7 THEN 2.364624 WHEN 8 THEN 2.306004"
    "    WHEN 9 THEN 2.262157 WHEN 10 THEN 2.228139 ELSE 1.959964 + 2.372271 / d"
    "    + 2.822499 / (d * d) + 2.555850 / (d * d * d) + 1.589534 / (d * d * d * d) END"
    "    * sd / root_n AS half_width, sd, min, max FROM known_sd;";

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

bool store_is_sound(struct store *store, GError **error)
{
    return store_check(store, layout, error);
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

// ---- Opening ----

static int64_t single_number(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -1;
    if (sqlite3_prepare_v2(store->connection, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

// Whether the file is ours. An empty one is, and gets its tables.
static bool check_layout(struct store *store, bool may_make, GError **error)
{
    int64_t id = single_number(store, "PRAGMA application_id");
    int64_t version = single_number(store, "PRAGMA user_version");
    int64_t tables = single_number(store, "SELECT count(*) FROM sqlite_master");
    if (id < 0 || version < 0 || tables < 0)
        return store_fail(store,
                          sqlite3_errcode(store->connection) == SQLITE_NOTADB
                              ? "this is no database"
                              : "cannot be read",
                          error);
    if (id == 0 && tables == 0 && may_make) {
        char *sql = g_strdup_printf("%s%sPRAGMA application_id = %d; PRAGMA user_version = %d;",
                                    layout, views, APPLICATION_ID, STORE_VERSION);
        bool made = store_execute(store, sql, error);
        g_free(sql);
        return made;
    }
    if (id != APPLICATION_ID) {
        g_set_error(error, STORE_ERROR, 0, "%s: this is no database of netsim", store->name);
        return false;
    }
    if (version != STORE_VERSION) {
        g_set_error(error, STORE_ERROR, 0,
                    "%s: the database has layout %d, and this program knows %d; choose another "
                    "file, or remove this one",
                    store->name, (int)version, STORE_VERSION);
        return false;
    }
    return true;
}

static bool prepare(struct store *store, const char *sql, sqlite3_stmt **statement, GError **error)
{
    return sqlite3_prepare_v3(store->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, statement,
                              NULL) == SQLITE_OK ||
           store_fail(store, "this is not the database it says", error);
}

static bool prepare_all(struct store *store, GError **error)
{
    return prepare(store, "SELECT 1 FROM results WHERE key = ?1 AND status <> '" STORE_CRASHED "'",
                   &store->has, error) &&
           prepare(store, "SELECT document FROM results WHERE key = ?1", &store->result, error) &&
           prepare(store, "INSERT INTO cases VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
                   &store->put_case, error) &&
           prepare(store, "INSERT OR REPLACE INTO results VALUES (?1, ?2, ?3, ?4)",
                   &store->put_result, error) &&
           prepare(store, "DELETE FROM measurements WHERE key = ?1", &store->drop_values, error) &&
           prepare(store, "INSERT INTO measurements VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                   &store->put_value, error);
}

// What is in a database may come from anywhere: nothing in it is run, and all of it is looked at,
// as it is at one moment.
static bool check_content(struct store *store, GError **error)
{
    sqlite3_db_config(store->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(store->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    // Only a lock for reading: another program may be at work in the file, and the look takes a
    // while.
    return store_execute(store, "BEGIN", error) && store_is_sound(store, error) &&
           store_execute(store, "COMMIT", error);
}

static struct store *open_with(const char *path, int flags, bool may_make, GError **error)
{
    struct store *store = g_new0(struct store, 1);
    store->name = g_filename_display_name(path);
    if (sqlite3_open_v2(path, &store->connection, flags, NULL) != SQLITE_OK) {
        store_fail(store, "cannot be opened", error);
        store_close(store);
        return NULL;
    }
    sqlite3_busy_timeout(store->connection, BUSY_TIMEOUT_MS);
    bool good = true;
    // Two programs may make the same file at once: the second waits, and then finds it made.
    if (may_make)
        good = store_begin(store, error);
    good = good && check_layout(store, may_make, error);
    if (may_make && good)
        good = store_commit(store, error);
    if (good && check_content(store, error) && prepare_all(store, error))
        return store;
    store_close(store);
    return NULL;
}

struct store *store_open(const char *path, GError **error)
{
    // SQLite would open a device, too, and leave its journal next to it.
    if (path && g_file_test(path, G_FILE_TEST_EXISTS) &&
        !g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_set_error(error, STORE_ERROR, 0, "%s: this is no regular file, so no database", path);
        return NULL;
    }
    return open_with(path ? path : ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, true,
                     error);
}

struct store *store_open_existing(const char *path, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_set_error(error, STORE_ERROR, 0, "%s: there is no such database", path);
        return NULL;
    }
    // Not READONLY: after a kill in the middle of a commit, the next to open the file has to roll
    // it back. A file that may not be written is opened for reading all the same.
    struct store *store = open_with(path, SQLITE_OPEN_READWRITE, false, error);
    if (store && !store_execute(store, "PRAGMA query_only = 1", error)) {
        store_close(store);
        return NULL;
    }
    return store;
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

// Whether the results of a case, if both are there, are the same; *take: it is to be copied.
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
