// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a database: makes its tables and views, or checks those that are there.
#include "sim/campaign/store_internal.h"

#define APPLICATION_ID 0x6e74736d // "ntsm"
#define BUSY_TIMEOUT_MS 20000     // another campaign may hold the file for a transaction

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
    "    * sd / root_n AS half_width, sd, min, max FROM known_sd;"
    // Quantiles of type 7: linear between the values on either side of the place (n - 1) p.
    "CREATE VIEW bands AS WITH"
    "  drawn AS (SELECT *, json_remove(axes, '$.draw') AS setting FROM means"
    "    WHERE json_extract(axes, '$.draw') IS NOT NULL),"
    "  placed AS (SELECT *, row_number() OVER (PARTITION BY campaign, setting, series, rank, size,"
    "    metric ORDER BY mean) - 1 AS place, count(*) OVER (PARTITION BY campaign, setting, series,"
    "    rank, size, metric) - 1 AS last FROM drawn)"
    "  SELECT campaign, min(point) AS point, setting AS axes, series, rank, size, metric,"
    "    count(*) AS n, sum(mean * max(0.0, 1.0 - abs(place - 0.5 * last))) AS median,"
    "    sum(mean * max(0.0, 1.0 - abs(place - 0.05 * last))) AS low,"
    "    sum(mean * max(0.0, 1.0 - abs(place - 0.95 * last))) AS high"
    "  FROM placed GROUP BY campaign, setting, series, rank, size, metric;";

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
                                    store_layout, views, APPLICATION_ID, STORE_VERSION);
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

// The content of a database may come from anywhere: nothing in it is run, and all of it is checked,
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
