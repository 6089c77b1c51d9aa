// SPDX-License-Identifier: GPL-3.0-or-later
// The database: it returns the results that were stored, drops those that were not committed,
// refuses foreign files, and merges every result once.
#include "sim/campaign/store.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <sqlite3.h>
#include <string.h>

static struct store *open_good(const char *path)
{
    GError *error = NULL;
    struct store *store = store_open(path, &error);
    if (!store)
        g_error("%s", error->message);
    return store;
}

static const char done[] =
    "{\"status\": \"completed\", \"points\": [{\"size_bytes\": 4, \"latency_us\": 2.5},"
    " {\"size_bytes\": 8, \"latency_us\": null}],"
    " \"values\": [{\"metric\": \"program_us\", \"rank\": 1, \"size_bytes\": null, \"value\": 7}]}";
static const char crashed[] =
    "{\"status\": \"crashed\", \"reason\": {\"kind\": \"crashed\", \"text\": \"signal 9\"}}";
static const char failed[] =
    "{\"status\": \"failed\", \"reason\": {\"kind\": \"area_overrun\", \"text\": \"too long\"}}";

static void put(struct store *store, const char *key, const char *text)
{
    const struct store_case of = {
        .key = key, .source = "s", .stack = "lam_via", .definition = "{}", .seed = UINT64_MAX};
    json_t *result = json_loads(text, 0, NULL);
    CU_ASSERT_TRUE(store_put(store, &of, result, NULL));
    json_decref(result);
}

static void commit(struct store *store)
{
    CU_ASSERT_TRUE(store_commit(store, NULL));
}

static char *single(struct store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL(sqlite3_prepare_v2(store_connection(store), sql, -1, &statement, NULL), 0);
    if (sqlite3_step(statement) == SQLITE_ROW)
        text = g_strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

static void check_single(struct store *store, const char *sql, const char *expected)
{
    char *text = single(store, sql);
    SUITE_SAME_TEXT(text ? text : "(nothing)", expected);
    g_free(text);
}

static void what_is_put_comes_out(void)
{
    struct store *store = open_good(NULL);
    CU_ASSERT_FALSE(store_has(store, "a"));
    CU_ASSERT_PTR_NULL(store_result(store, "a"));
    put(store, "a", done);
    CU_ASSERT_TRUE(store_has(store, "a"));
    json_t *result = store_result(store, "a"), *expected = json_loads(done, 0, NULL);
    CU_ASSERT_TRUE(json_equal(result, expected));
    json_decref(result);
    json_decref(expected);
    check_single(store,
                 "SELECT group_concat(number || metric || coalesce(size, '-') ||"
                 " coalesce(rank, '-') || coalesce(value, '-'), ' ') FROM measurements",
                 "0latency_us4-2.5 1latency_us8-- 2program_us-17.0");
    check_single(store, "SELECT seed FROM cases", "-1"); // the bits of a seed; SQLite has no
                                                         // sign-less
    store_close(store);
}

static void a_second_result_replaces_the_first(void)
{
    struct store *store = open_good(NULL);
    put(store, "a", done);
    put(store, "a", failed);
    check_single(store, "SELECT count(*) FROM cases", "1");
    check_single(store, "SELECT status || ' ' || kind FROM results", "failed area_overrun");
    check_single(store, "SELECT count(*) FROM measurements", "0");
    CU_ASSERT_TRUE(store_has(store, "a")); // a failure stands
    put(store, "a", crashed);
    CU_ASSERT_FALSE(store_has(store, "a"));    // a crash does not
    json_t *result = store_result(store, "a"); // but its result can be read
    CU_ASSERT_PTR_NOT_NULL(result);
    json_decref(result);
    store_close(store);
}

static void only_what_is_committed_stays(void)
{
    char *directory = temporary_directory();
    char *path = g_build_filename(directory, "s.sqlite", NULL);
    struct store *store = open_good(path);
    CU_ASSERT_EQUAL(store_began(store), 0);
    put(store, "a", done);
    CU_ASSERT_NOT_EQUAL(store_began(store), 0);
    commit(store);
    CU_ASSERT_EQUAL(store_began(store), 0);
    commit(store); // nothing
    put(store, "b", done);
    store_close(store);
    store = store_open_existing(path, NULL);
    CU_ASSERT_TRUE(store_has(store, "a"));
    CU_ASSERT_FALSE(store_has(store, "b"));
    // For reading only.
    GError *error = NULL;
    CU_ASSERT_FALSE(store_execute(store, "DELETE FROM cases", &error));
    SUITE_CONTAINS(error->message, path);
    g_error_free(error);
    store_close(store);
    g_free(path);
    temporary_remove(directory);
}

static void check_refused(const char *path, bool existing, const char *part)
{
    GError *error = NULL;
    struct store *store = existing ? store_open_existing(path, &error) : store_open(path, &error);
    CU_ASSERT_PTR_NULL(store);
    CU_ASSERT_TRUE(g_error_matches(error, STORE_ERROR, 0));
    if (error) {
        SUITE_CONTAINS(error->message, path);
        SUITE_CONTAINS(error->message, part);
        g_error_free(error);
    }
    store_close(store);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *connection = NULL;
    CU_ASSERT_EQUAL(sqlite3_open(path, &connection), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(connection, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(connection);
}

static void what_is_not_ours_is_refused(void)
{
    char *directory = temporary_directory();
    char *text = temporary_file(directory, "text",
                                "this is a text, and longer than a header of "
                                "SQLite, which has 100 bytes and a magic word "
                                "in front of all the others\n");
    char *empty = temporary_file(directory, "empty", "");
    char *ours = g_build_filename(directory, "ours", NULL);
    char *other = g_build_filename(directory, "other", NULL);
    char *nowhere = g_build_filename(directory, "no/where", NULL);
    check_refused(text, false, "not a database");
    check_refused(text, true, "no database");
    check_refused(directory, true, "no such database");
    check_refused(nowhere, true, "no such database");
    check_refused(nowhere, false, "cannot be opened");
    check_refused(empty, true, "no database of netsim");
    store_close(open_good(empty)); // an empty file becomes one
    store_close(store_open_existing(empty, NULL));
    change(other, "CREATE TABLE t (x)");
    check_refused(other, false, "no database of netsim");
    check_refused(other, true, "no database of netsim");
    store_close(open_good(ours));
    change(ours, "PRAGMA user_version = 7");
    check_refused(ours, false, "layout 7");
    check_refused(ours, true, "layout 7");
    change(ours, "PRAGMA user_version = 1; DROP TABLE measurements");
    check_refused(ours, false, "its table measurements is missing");
    char *all[] = {text, empty, ours, other, nowhere};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        g_free(all[i]);
    temporary_remove(directory);
}

// The layout is a promise (docs/scenarios.md, "The database"): a change of it raises STORE_VERSION.
static void the_layout_is_what_is_documented(void)
{
    struct store *store = open_good(NULL);
    check_single(store,
                 "SELECT group_concat(text, '; ') FROM (SELECT m.name || ': ' ||"
                 " group_concat(p.name, ' ') AS text FROM sqlite_master AS m,"
                 " pragma_table_info(m.name) AS p WHERE m.type = 'table'"
                 " GROUP BY m.name ORDER BY m.name)",
                 "campaigns: id number scenario source definition; "
                 "cases: key source seed stack definition; "
                 "measurements: key number rank size metric value; "
                 "points: campaign point seed axes problem; "
                 "results: key status kind document; "
                 "series: campaign point series name key");
    check_single(store, "PRAGMA user_version", "1");
    SUITE_SAME_INTEGER(STORE_VERSION, 1);
    store_close(store);
}

static bool merge(struct store *into, struct store *from, const char *part)
{
    GError *error = NULL;
    bool good = store_begin(into, NULL) && store_merge(into, from, &error);
    CU_ASSERT_EQUAL(good, part == NULL);
    if (error) {
        SUITE_CONTAINS(error->message, part ? part : "no error");
        g_error_free(error);
    }
    return good;
}

static void merging_takes_everything_once(void)
{
    struct store *into = open_good(NULL), *from = open_good(NULL);
    put(into, "a", done);
    put(into, "b", crashed);
    put(into, "c", done);
    put(from, "a", done);
    put(from, "b", failed);  // stands over a crash
    put(from, "c", crashed); // does not stand over a result
    put(from, "d", done);
    merge(into, from, NULL);
    check_single(into, "SELECT group_concat(key || ' ' || status, ', ') FROM results",
                 "a completed, b failed, c completed, d completed");
    check_single(into, "SELECT count(*) FROM measurements", "9");
    merge(into, from, NULL);
    check_single(into, "SELECT count(*) FROM measurements", "9");
    put(from, "a", failed);
    merge(into, from, "two different results");
    store_close(into);
    store_close(from);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what is put comes out", what_is_put_comes_out},
        {"a second result replaces the first", a_second_result_replaces_the_first},
        {"only what is committed stays", only_what_is_committed_stays},
        {"what is not ours is refused", what_is_not_ours_is_refused},
        {"the layout is what is documented", the_layout_is_what_is_documented},
        {"merging takes everything once", merging_takes_everything_once},
        {0},
    };
    return suite_run("campaign: store", cases);
}
