// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged databases: each damage is reported with its table and row when the file is opened, so
// that no reader of databases meets it.
#include "sim/campaign/store.h"
#include "sim/outcome/outcome.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <sqlite3.h>
#include <string.h>

// Two cases, and a sweep of three points of which the last is not possible.
static const char sound[] =
    "INSERT INTO cases VALUES ('a1', 's', 1, 'lam_via', '{}'), ('b2', 's', -1, 'lam_via', '{}');"
    "INSERT INTO results VALUES"
    " ('a1', 'completed', NULL, '{\"status\":\"completed\",\"points\":[],\"values\":[]}'),"
    " ('b2', 'failed', 'broken', '{\"status\":\"failed\",\"reason\":{\"kind\":\"broken\"}}');"
    "INSERT INTO measurements VALUES ('a1', 0, NULL, 4, 'latency_us', 2.5),"
    " ('b2', 0, 0, NULL, 'program_us', 7.0);"
    "INSERT INTO campaigns VALUES ('c', 1, 'flood', 's', '{\"mode\":\"product\",\"seeds\":0,"
    "\"axes\":[{\"path\":\"p\",\"values\":[\"1\",\"2\",\"3\"]}]}');"
    "INSERT INTO points VALUES ('c', 0, 1, '{\"p\":\"1\"}', NULL), ('c', 1, 1, '{\"p\":\"2\"}',"
    " NULL), ('c', 2, NULL, '{\"p\":\"3\"}', 'too large');"
    "INSERT INTO series VALUES ('c', 0, 0, 'A', 'a1'), ('c', 1, 0, 'A', 'b2');";

// A database in `directory` with `damage` done to the sound one; the caller frees its path.
static char *damaged(const char *directory, const char *damage)
{
    char *path = g_build_filename(directory, "x.sqlite", NULL);
    sqlite3 *connection;
    remove(path);
    struct store *store = store_open(path, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(store);
    CU_ASSERT_TRUE(store_execute(store, sound, NULL));
    store_close(store);
    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &connection), SQLITE_OK);
    CU_ASSERT_EQUAL(sqlite3_exec(connection, damage, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(connection);
    return path;
}

static void expect_refused(const char *directory, const char *damage, const char *part)
{
    char *path = damaged(directory, damage);
    struct store *(*const open[])(const char *, GError **) = {store_open, store_open_existing};
    for (size_t i = 0; i < G_N_ELEMENTS(open); i++) {
        GError *error = NULL;
        CU_ASSERT_PTR_NULL(open[i](path, &error));
        SUITE_CONTAINS(error ? error->message : NULL, "x.sqlite: the database is damaged: ");
        SUITE_CONTAINS(error ? error->message : NULL, part);
        g_clear_error(&error);
    }
    g_free(path);
}

static void expect_all(const char *const (*damages)[2], size_t count)
{
    char *directory = temporary_directory();
    for (size_t i = 0; i < count; i++)
        expect_refused(directory, damages[i][0], damages[i][1]);
    temporary_remove(directory);
}

static void test_sound(void)
{
    char *directory = temporary_directory(), *path = damaged(directory, "");
    struct store *store = store_open_existing(path, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(store);
    struct outcome *outcome = outcome_read(store, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(outcome);
    SUITE_SAME_INTEGER(outcome->points, 3);
    outcome_free(outcome);
    store_close(store);
    g_free(path);
    temporary_remove(directory);
}

static void test_cells(void)
{
    // Any text may be the name of one of the series, also none.
    char *directory = temporary_directory();
    char *path = damaged(directory, "UPDATE series SET name = ''");
    struct store *store = store_open_existing(path, NULL);
    CU_ASSERT_PTR_NOT_NULL(store);
    store_close(store);
    g_free(path);
    temporary_remove(directory);
    static const char *const damages[][2] = {
        {"UPDATE campaigns SET scenario = CAST(x'ff' AS TEXT)",
         "table campaigns, id c: scenario: text in UTF-8 that is not empty is expected"},
        {"UPDATE campaigns SET source = x'61'", "table campaigns, id c: source: text in UTF-8"},
        {"UPDATE series SET name = CAST(x'6100' AS TEXT) WHERE point = 1",
         "table series, campaign c, point 1: name: text"},
        {"UPDATE series SET point = -5 WHERE point = 1", "point -5: point: a number that counts"},
        {"UPDATE points SET point = 4294967296 WHERE point = 1", "point: a number that counts"},
        {"UPDATE points SET seed = 'x' WHERE point = 0",
         "table points, campaign c, point 0: seed: a seed or nothing is expected"},
        {"UPDATE measurements SET rank = -3 WHERE key = 'b2'",
         "table measurements, key b2, number 0: rank: a number that counts from 0"},
        {"UPDATE measurements SET size = 2.5 WHERE key = 'a1'", "key a1, number 0: size: a whole"},
        {"UPDATE measurements SET value = 'fast' WHERE key = 'a1'", "value: a number or nothing"},
        {"UPDATE cases SET key = CAST(x'ff' AS TEXT) WHERE key = 'a1'",
         "table cases, key \uFFFD: "},
    };
    expect_all(damages, G_N_ELEMENTS(damages));
}

static void test_documents(void)
{
    static const char *const damages[][2] = {
        {"UPDATE results SET document = '{' WHERE key = 'a1'",
         "table results, key a1: document: it is no JSON: "},
        {"UPDATE results SET document = '5' WHERE key = 'a1'", "document: "},
        {"UPDATE results SET status = 'failed' WHERE key = 'a1'",
         "document: its status is not that of the row"},
        {"UPDATE results SET kind = 'other' WHERE key = 'b2'", "the kind of its reason is not"},
        {"UPDATE results SET document = json_set(document, '$.points[0]', json('{\"m_us\":1}'))"
         " WHERE key = 'a1'",
         "document: points[0].size_bytes: a whole number from 0 on is expected"},
        {"UPDATE cases SET definition = 'x' WHERE key = 'a1'", "definition: it is no JSON"},
        {"UPDATE points SET axes = '[]' WHERE point = 0", "axes: an object is expected"},
        {"UPDATE points SET axes = '{\"p\":1}' WHERE point = 0", "axes: its values are no texts"},
        {"UPDATE points SET problem = 'why' WHERE point = 0",
         "point 0: just one of seed and problem is expected"},
    };
    expect_all(damages, G_N_ELEMENTS(damages));
}

#define AXES(axes)                                                                                 \
    "UPDATE campaigns SET definition = '{\"mode\":\"product\",\"seeds\":0,\"axes\":" axes "}'"

static void test_sweeps(void)
{
    static const char *const damages[][2] = {
        {AXES("[5]"), "table campaigns, id c: definition: axes[0]: a path and a list of texts"},
        {AXES("[{\"path\":\"p\",\"values\":[]}]"), "definition: axes[0]: a path and a list"},
        {AXES("[{\"path\":\"p\",\"values\":[1]}]"), "definition: axes[0]: a path and a list"},
        {AXES("[]"), "definition: the sweep varies nothing"},
        {AXES("[{\"path\":\"p\",\"values\":[\"1\"]},{\"path\":\"p\",\"values\":[\"1\"]}]"),
         "definition: axes[1]: its path is that of another axis"},
        {AXES("[{\"path\":\"p\",\"values\":[\"1\",\"2\"]}]"),
         "the sweep has 2 points, and the table points has 3 of them"},
        {"UPDATE campaigns SET definition = '{\"mode\":\"zip\",\"seeds\":3,\"axes\":[{\"path\":"
         "\"p\",\"values\":[\"1\"]},{\"path\":\"q\",\"values\":[\"1\",\"2\"]}]}'",
         "definition: axes[1]: 2 values go with 1"},
        {"UPDATE campaigns SET definition = '{\"mode\":\"product\",\"seeds\":1e9,\"axes\":[]}'",
         "definition: seeds: a whole number is expected"},
        {"DELETE FROM points", "the sweep has 3 points, and the table points has 0 of them"},
        {"UPDATE points SET point = 7 WHERE point = 1", "point 7: the sweep has no such point"},
    };
    expect_all(damages, G_N_ELEMENTS(damages));
}

static void test_strays(void)
{
    static const char *const damages[][2] = {
        {"DELETE FROM cases WHERE key = 'a1'", "table results, key a1: there is no such case"},
        {"DELETE FROM cases WHERE key = 'a1'; DELETE FROM results WHERE key = 'a1'",
         "table measurements, key a1, number 0: there is no such case"},
        {"DELETE FROM campaigns", "table points, campaign c, point 0: there is no such sweep"},
        {"INSERT INTO series VALUES ('c', 9, 0, 'A', 'a1')",
         "table series, campaign c, point 9: there is no such point, or it is not possible"},
        {"INSERT INTO series VALUES ('c', 2, 0, 'A', 'a1')", "point 2: there is no such point"},
        {"INSERT INTO series VALUES ('c', 0, 1, 'A', 'b2')", "two of the series have one name"},
        {"DROP TABLE points", "its table points is missing"},
        {"DROP TABLE series; CREATE VIEW series AS SELECT 'c' AS campaign, 0 AS point, 0 AS series,"
         " 'A' AS name, 'a1' AS key",
         "its table series is missing"},
        {"DROP TABLE points; CREATE TABLE points (campaign, point, seed, axes, problem)",
         "its table points is another than ours"},
    };
    expect_all(damages, G_N_ELEMENTS(damages));
}

// The pages of a file, not its rows.
static void test_pages(void)
{
    char *directory = temporary_directory(), *path = damaged(directory, ""), *bytes;
    gsize length;
    CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &bytes, &length, NULL));
    memset(bytes + 4096, 0x5a, length - 4096);
    CU_ASSERT_TRUE(g_file_set_contents(path, bytes, (gssize)length, NULL));
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(store_open_existing(path, &error));
    SUITE_CONTAINS(error ? error->message : NULL, "x.sqlite: the database is damaged: ");
    g_clear_error(&error);
    g_free(bytes);
    g_free(path);
    temporary_remove(directory);
}

// The layout in the file is not valid UTF-8: the message that quotes it is valid all the same.
static void test_layout_in_bytes(void)
{
    char *directory = temporary_directory();
    char *path = damaged(directory, "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql ="
                                    " CAST(x'435245415445e9' AS TEXT) WHERE name = 'points'");
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(store_open_existing(path, &error));
    SUITE_CONTAINS(error ? error->message : NULL, "\\xe9");
    CU_ASSERT_TRUE(error && g_utf8_validate(error->message, -1, NULL));
    g_clear_error(&error);
    g_free(path);
    temporary_remove(directory);
}

int main(void)
{
    static const struct suite_case cases[] = {{"a sound database", test_sound},
                                              {"cells", test_cells},
                                              {"documents", test_documents},
                                              {"sweeps", test_sweeps},
                                              {"rows that belong nowhere", test_strays},
                                              {"pages", test_pages},
                                              {"a layout in bytes", test_layout_in_bytes},
                                              {0}};
    return suite_run("campaign: damaged databases", cases);
}
