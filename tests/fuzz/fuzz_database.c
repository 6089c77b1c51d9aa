// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as the database of a sweep: by the first character the file itself, or SQL statements
// that are done to a sound one. A database that opens is sound as a whole: all readers of databases
// can read it, and it can be joined with another.
#include "sim/campaign/points.h"
#include "sim/campaign/store.h"
#include "sim/compare/compare.h"
#include "sim/figures/swept.h"
#include "sim/outcome/outcome_report.h"
#include "tests/fuzz/fuzz.h"

#include <sqlite3.h>
#include <unistd.h>

enum { BYTES, STATEMENTS, KINDS };

#define MOST_STEPS 100000 // of SQLite's machine, for all statements together

// ---- The file ----

static const char sound[] =
    "INSERT INTO cases VALUES ('a1', 's', 1, 'lam_via', '{}'), ('b2', 's', 1, 'lam_via', '{}');"
    "INSERT INTO results VALUES ('a1', 'completed', NULL, '{\"status\":\"completed\",\"reason\":"
    "null,\"points\":[{\"size_bytes\":4,\"latency_us\":2.5}],\"values\":[]}'), ('b2', 'failed',"
    " 'broken', '{\"status\":\"failed\",\"reason\":{\"kind\":\"broken\",\"text\":\"it broke\"},"
    "\"points\":[],\"values\":[{\"metric\":\"program_us\",\"rank\":0,\"size_bytes\":null,\"value\":"
    "7.0}]}');"
    "INSERT INTO measurements VALUES ('a1', 0, NULL, 4, 'latency_us', 2.5),"
    " ('b2', 0, 0, NULL, 'program_us', 7.0);"
    "INSERT INTO campaigns VALUES ('c', 1, 'flood', 's', '{\"mode\":\"product\",\"seeds\":0,"
    "\"axes\":[{\"path\":\"lam_via.tiny\",\"values\":[\"1 KiB\",\"2 KiB\",\"9 GiB\"]}]}');"
    "INSERT INTO points VALUES ('c', 0, 1, '{\"lam_via.tiny\":\"1 KiB\"}', NULL),"
    " ('c', 1, 1, '{\"lam_via.tiny\":\"2 KiB\"}', NULL),"
    " ('c', 2, NULL, '{\"lam_via.tiny\":\"9 GiB\"}', 'too large');"
    "INSERT INTO series VALUES ('c', 0, 0, 'A', 'a1'), ('c', 1, 0, 'A', 'b2');";

static int refuse_other_files(void *nothing, int action, const char *a, const char *b,
                              const char *c, const char *d)
{
    (void)nothing, (void)a, (void)b, (void)c, (void)d;
    return action == SQLITE_ATTACH || action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int stop(void *nothing)
{
    (void)nothing;
    return 1;
}

// Writes the sound database to `path` and does `statements` to it, as far as they can be done.
static void write_sound(const char *path, const char *statements)
{
    static char *image;
    static gsize length;
    if (!image) {
        unlink(path);
        struct store *store = store_open(path, NULL);
        g_assert(store && store_execute(store, sound, NULL));
        store_close(store);
        g_assert(g_file_get_contents(path, &image, &length, NULL));
    }
    fuzz_write(path, image, length);
    sqlite3 *connection;
    g_assert(sqlite3_open(path, &connection) == SQLITE_OK);
    sqlite3_exec(connection, "PRAGMA synchronous = off", NULL, NULL, NULL);
    sqlite3_set_authorizer(connection, refuse_other_files, NULL);
    sqlite3_progress_handler(connection, MOST_STEPS, stop, NULL);
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_exec(connection, statements, NULL, NULL, NULL);
    sqlite3_close(connection);
}

// ---- Who reads it ----

static bool report(struct store *store)
{
    GError *error = NULL;
    struct outcome *outcome = outcome_read(store, &error);
    // Sound as it is, there may be no sweep in it.
    g_assert(outcome || strstr(error->message, "there is no sweep"));
    fuzz_end_error(error, outcome != NULL);
    if (!outcome)
        return false;
    fuzz_json(outcome_report_json(outcome));
    g_free(outcome_report_text(outcome));
    g_string_free(outcome_csv(outcome), TRUE);
    outcome_free(outcome);
    return true;
}

static void plot_and_compare(const char *path)
{
    GError *error = NULL;
    struct choice *choice = choice_new(&(struct choice_words){0}, NULL);
    json_t *document = swept_document(path, choice, false, &error);
    choice_free(choice);
    fuzz_end_error(error, document != NULL);
    if (document)
        fuzz_json(document);
    char *one = g_strdup_printf("%s#a1", path);
    const char *const places[] = {path, one};
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        error = NULL;
        struct compared *compared = compared_load(places[i], &error);
        fuzz_end_error(error, compared != NULL);
        compared_free(compared);
    }
    g_free(one);
}

static void merge(struct store *from, bool has_sweep)
{
    GError *error = NULL;
    struct store *into = store_open(NULL, NULL);
    bool good = store_begin(into, NULL) && store_merge(into, from, &error) &&
                points_merge(into, from, &error) && store_commit(into, &error);
    fuzz_end_error(error, good);
    // Nothing was there before that it could be at odds with.
    g_assert(good && report(into) == has_sweep);
    store_close(into);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *path = g_strdup(fuzz_path("sweep.sqlite"));
    unlink(fuzz_path("sweep.sqlite-journal"));
    if (fuzz_kind(&data, &size, KINDS) == STATEMENTS) {
        char *text = fuzz_text(data, size);
        write_sound(path, text);
        g_free(text);
    } else {
        fuzz_write(path, data, size);
    }
    GError *error = NULL;
    struct store *store = store_open_existing(path, &error);
    fuzz_end_error(error, store != NULL);
    if (store) {
        bool has_sweep = report(store);
        merge(store, has_sweep);
        store_close(store);
        plot_and_compare(path);
    }
    g_free(path);
    return 0;
}
