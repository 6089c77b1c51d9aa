// SPDX-License-Identifier: GPL-3.0-or-later
// Files read for a comparison, down to the last field, and the comparison's text, to the letter.
#include "sim/campaign/store.h"
#include "sim/compare/compare.h"
#include "sim/compare/tolerances.h"
#include "sim/output/json_check.h"
#include "tests/support/made_sweep.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static const char *or_none(const char *text)
{
    return text ? text : "-";
}

// All that was read: "run FINGERPRINT", "series NAME: STATUS FINGERPRINT REASON", and
// "SERIES METRIC RANK: SIZE=VALUE ...".
static char *text_of(const struct compared *compared)
{
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "run %s\n", or_none(compared->fingerprint));
    for (guint i = 0; i < compared->series->len; i++) {
        const struct compared_series *series = g_ptr_array_index(compared->series, i);
        g_string_append_printf(out, "series %s: %s %s %s\n", series->name, or_none(series->status),
                               or_none(series->fingerprint), or_none(series->reason));
    }
    for (guint i = 0; i < compared->curves->len; i++) {
        const struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
        g_string_append_printf(out, "%s %s %d:", curve->series, curve->metric, curve->rank);
        for (guint k = 0; k < curve->points->len; k++) {
            const struct curve_point *point = &g_array_index(curve->points, struct curve_point, k);
            g_string_append_printf(out, " %" G_GINT64_FORMAT "=%g", point->size, point->value);
        }
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

static void expect_text(char *text, const char *expected)
{
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static struct compared *loaded(const char *name, const char *text)
{
    GError *error = NULL;
    char *directory = temporary_directory(), *path = temporary_file(directory, name, text);
    struct compared *compared = compared_load(path, &error);
    SUITE_SAME_TEXT(error ? error->message : NULL, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(compared);
    SUITE_SAME_TEXT(compared->name, path);
    g_clear_error(&error);
    g_free(path);
    temporary_remove(directory);
    return compared;
}

static void expect_read(const char *name, const char *text, const char *expected)
{
    struct compared *compared = loaded(name, text);
    expect_text(text_of(compared), expected);
    compared_free(compared);
}

// ---- Reading ----

#define DOCUMENT                                                                                   \
    "{\"run\": {\"fingerprint\": \"f00d\"}, \"fingerprint\": \"0bad\", \"series\": ["              \
    "{\"name\": \"A\", \"status\": \"completed\", \"fingerprint\": \"12\", \"points\": ["          \
    "  {\"size_bytes\": 8, \"t_us\": 2.5, \"b_MB_per_s\": 3}, {\"size_bytes\": 0, \"t_us\": null}" \
    "], \"values\": ["                                                                             \
    "  {\"metric\": \"t_us\", \"rank\": 3, \"size_bytes\": 4, \"value\": 7},"                      \
    "  {\"metric\": \"t_us\", \"rank\": null, \"size_bytes\": 2, \"value\": 9},"                   \
    "  {\"metric\": \"drops\", \"rank\": 0, \"size_bytes\": null, \"value\": null}]},"             \
    "{\"name\": \"B\", \"status\": \"failed\", \"reason\": {\"kind\": \"overrun\"}},"              \
    "{\"name\": \"C\", \"status\": \"completed\", \"ledger\": {\"balanced\": false}},"             \
    "{\"name\": \"D\", \"status\": \"deadlock\", \"reason\": {\"kind\": null}}]}"

static void test_document(void)
{
    expect_read("d.json", DOCUMENT,
                "run f00d\n"
                "series A: completed 12 -\n"
                "series B: failed - overrun\n"
                "series C: lost - messages_lost\n"
                "series D: deadlock - -\n"
                "A t_us -1: 0=nan 2=9 8=2.5\n"
                "A b_MB_per_s -1: 8=3\n"
                "A t_us 3: 4=7\n"
                "A drops 0: -1=nan\n");
    expect_read("d.json", "{\"fingerprint\": \"0bad\", \"series\": []}", "run 0bad\n");
}

#define HEAD "series,rank,size,metric,value\n"

static void test_table(void)
{
    static const struct {
        const char *text, *read;
    } samples[] = {
        {HEAD, "run -\n"},
        // Columns in any order, others between them, no rank, the end of the file in a row.
        {"value,x,metric,size,series\n1,?,m,2,A\n3,?,m,,A",
         "run -\nseries A: - - -\nA m -1: -1=3 2=1\n"},
        {HEAD "A,0,1,m,5\nA,all,1,m,6\nA,2147483647,9223372036854775807,m,7\n",
         "run -\nseries A: - - -\nA m 0: 1=5\nA m -1: 1=6\n"
         "A m 2147483647: 9223372036854775807=7\n"},
        // Quotes, with a comma, a quote and a line's end in them; lines that end as in DOS.
        {"\"series\",rank,size,metric,value\r\n\"A, \"\"a\"\"\n\",,1,\"m\",\"5\"\r\nB,,1,m,6\r\n",
         "run -\nseries A, \"a\"\n: - - -\nseries B: - - -\nA, \"a\"\n m -1: 1=5\nB m -1: 1=6\n"},
        // The apostrophe that keeps a spreadsheet from computing.
        {HEAD "'=A,,1,m,5\n'A,,1,m,6\n",
         "run -\nseries =A: - - -\nseries 'A: - - -\n=A m -1: 1=5\n'A m -1: 1=6\n"},
        // Comments: the last of a kind counts; an incomplete one is none.
        {"#\n# fingerprint\n# fingerprint 1\n# fingerprint 2 3\n# series A:\n# series B: lost\n"
         "# series C: failed 3 no memory\n# series D\n# other E: lost 3\n" HEAD,
         "run 2 3\nseries A: - - -\nseries B: lost - -\nseries C: failed 3 no memory\n"},
        // A comment between rows.
        {HEAD "A,,1,m,5\n# series A: lost 4 some\nA,,2,m,5\n",
         "run -\nseries A: lost 4 some\nA m -1: 1=5 2=5\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        expect_read("t.csv", samples[i].text, samples[i].read);
}

// Lines are counted through comments, rows and quoted text.
static void test_lines(void)
{
    static const struct {
        const char *text, *message;
    } samples[] = {
        {"# a\n# b\nseries,size,metric\n", "3: the columns series, size, metric and value are"},
        {"# a\n# b", "3: the columns series, size, metric and value are expected here"},
        {HEAD "# a\n\"A\n\n\",,1,m,5\nA,,1\n", "6: this row has no value: it has too few fields"},
        {HEAD "A,,1,m,5\n\n", "3: this row has no value: it has too few fields"},
        {HEAD "A,2147483648,1,m,5\n", "2: the rank of this row is no number, and not all"},
        {HEAD "A,1,all,m,5\n", "2: the size of this row is no whole number"},
        {HEAD "A,1,9223372036854775808,m,5\n", "2: the size of this row is no whole number"},
        {HEAD "A,1,1,m,\n", "2: this row has no value"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        GError *error = NULL;
        struct compared *compared = compared_new("test");
        CU_ASSERT_FALSE(
            compared_read_csv(compared, samples[i].text, strlen(samples[i].text), &error));
        CU_ASSERT_TRUE(error && g_str_has_prefix(error->message, samples[i].message));
        g_clear_error(&error);
        compared_free(compared);
    }
}

// ---- Databases ----

static char *made_result(int point, int series)
{
    static const char *const first[] = {"completed; t_us:4=1 t_us@2=7",
                                        "unbalanced|gone; t_us:4=2",
                                        "failed|overrun|it broke; t_us:4=3",
                                        "missing",
                                        "impossible|no",
                                        "completed; t_us:4=6"};
    return g_strdup(series == 0 ? first[point] : point == 5 ? NULL : "completed");
}

static void expect_from(const char *path, const char *which, const char *expected,
                        const char *refused)
{
    GError *error = NULL;
    char *place = g_strconcat(path, which, NULL);
    struct compared *compared = compared_load(place, &error);
    char *message = error ? g_strdup(error->message) : NULL;
    if (compared)
        expect_text(text_of(compared), expected);
    CU_ASSERT_EQUAL(compared != NULL, refused == NULL);
    if (refused) {
        char *whole = g_strdup_printf("%s: %s", path, refused);
        SUITE_SAME_TEXT(message, whole);
        g_free(whole);
    }
    g_free(message);
    g_clear_error(&error);
    compared_free(compared);
    g_free(place);
}

// All points of a sweep, some of them, one case by its key; and missing ones.
static void test_database(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=1|2|3", NULL}, .seeds = 2, .series = {"A", "B", NULL}, .result = made_result};
    char *directory = temporary_directory(), *path = made_sweep(&sweep, directory);
    expect_from(path, "",
                "run -\n"
                "series A, m.a=1, seed=1: completed - -\n"
                "series B, m.a=1, seed=1: completed - -\n"
                "series A, m.a=1, seed=2: lost - -\n"
                "series B, m.a=1, seed=2: completed - -\n"
                "series A, m.a=2, seed=1: failed - overrun\n"
                "series B, m.a=2, seed=1: completed - -\n"
                "series A, m.a=2, seed=2: missing - -\n"
                "series B, m.a=2, seed=2: completed - -\n"
                "series A, m.a=3, seed=1: impossible - -\n"
                "series B, m.a=3, seed=1: impossible - -\n"
                "series A, m.a=3, seed=2: completed - -\n"
                "series B, m.a=3, seed=2: - - -\n"
                "A, m.a=1, seed=1 t_us -1: 4=1\n"
                "A, m.a=1, seed=1 t_us 2: -1=7\n"
                "A, m.a=1, seed=2 t_us -1: 4=2\n"
                "A, m.a=2, seed=1 t_us -1: 4=3\n"
                "A, m.a=3, seed=2 t_us -1: 4=6\n",
                NULL);
    expect_from(path, "#m.a=2",
                "run -\n"
                "series A, seed=1: failed - overrun\n"
                "series B, seed=1: completed - -\n"
                "series A, seed=2: missing - -\n"
                "series B, seed=2: completed - -\n"
                "A, seed=1 t_us -1: 4=3\n",
                NULL);
    expect_from(path, "#0000", "run -\nseries lam_via: completed - -\n", NULL);
    expect_from(path, "#0200", "run -\nseries lam_via: failed - overrun\n", NULL);
    expect_from(path, "#0100", "run -\nseries lam_via: lost - messages_lost\n", NULL);
    expect_from(path, "#00", NULL, "several cases have a key that starts with 00");
    expect_from(path, "#ff", NULL, "no case has a key that starts with ff");
    expect_from(path, "#0300", NULL, "the case 0300 has no result");
    expect_from(path, "#m.a=4", NULL, "no point of the sweep has m.a=4");
    expect_from(path, "#m.a=1,m.b=2", NULL, "m.b=2: the sweep does not vary that");
    expect_from(path, "#m.a", NULL, "m.a: the sweep does not vary that");
    expect_from(path, "#m.a1=1", NULL, "m.a1=1: the sweep does not vary that");
    g_free(path);
    temporary_remove(directory);
}

// A database without a sweep has nothing to compare; one in the directory of a sweep has its name.
static void test_other_databases(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=1|2", NULL}, .series = {"A", NULL}, .result = made_result};
    char *directory = temporary_directory(), *path = g_build_filename(directory, "n.sqlite", NULL);
    store_close(store_open(path, NULL));
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(compared_load(path, &error));
    SUITE_CONTAINS(error ? error->message : NULL, "there is no sweep in the database");
    g_clear_error(&error);
    g_free(path);
    char *made = made_sweep(&sweep, directory);
    path = g_build_filename(directory, "sweep.sqlite", NULL);
    CU_ASSERT_EQUAL(g_rename(made, path), 0);
    struct compared *compared = compared_load(directory, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(compared);
    expect_text(text_of(compared), "run -\n"
                                   "series A, m.a=1: completed - -\n"
                                   "series A, m.a=2: lost - -\n"
                                   "A, m.a=1 t_us -1: 4=1\n"
                                   "A, m.a=1 t_us 2: -1=7\n"
                                   "A, m.a=2 t_us -1: 4=2\n");
    compared_free(compared);
    g_free(made);
    g_free(path);
    temporary_remove(directory);
}

// ---- What members of a document may be ----

static char *problem_of(const char *text)
{
    json_error_t error;
    json_t *series = json_loads(text, 0, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(series);
    char *problem = series_problem_json(series);
    json_decref(series);
    return problem;
}

#define COUNT_TEXT "a whole number from 0 on is expected"

static void test_members(void)
{
    static const struct {
        const char *member, *good[4], *bad[4], *problem;
    } samples[] = {
        {"\"name\": %s", {"\"\""}, {"null", "1"}, "name: a text is expected"},
        {"\"stack\": %s", {"\"a\""}, {"null", "[]"}, "stack: a text is expected"},
        {"\"counts\": %s", {"\"a\""}, {"null"}, "counts: a text is expected"},
        {"\"fingerprint\": %s", {"\"a\""}, {"12"}, "fingerprint: a text is expected"},
        {"\"reason\": %s",
         {"null", "{}"},
         {"\"a\"", "[]"},
         "reason: an object or null is expected"},
        {"\"reason\": {\"kind\": %s}",
         {"null", "\"a\""},
         {"1"},
         "reason.kind: a text or null is expected"},
        {"\"reason\": {\"text\": %s}",
         {"null", "\"a\""},
         {"{}"},
         "reason.text: a text or null is expected"},
        {"\"events\": %s",
         {"0", "18014398509481984"},
         {"-1", "18014398509481985", "1.5", "null"},
         "events: " COUNT_TEXT},
        {"\"simulated_s\": %s",
         {"0", "1.5", "-1", "null"},
         {"\"1\"", "true"},
         "simulated_s: a number or null is expected"},
        {"\"ledger\": %s", {"{}"}, {"null", "[]"}, "ledger: an object is expected"},
        {"\"ledger\": {\"messages\": %s}", {"0"}, {"-1", "null"}, "ledger.messages: " COUNT_TEXT},
        {"\"ledger\": {\"bytes\": %s}", {"1"}, {"-1"}, "ledger.bytes: " COUNT_TEXT},
        {"\"ledger\": {\"delivered\": %s}", {"1"}, {"-1"}, "ledger.delivered: " COUNT_TEXT},
        {"\"ledger\": {\"lost\": %s}", {"1"}, {"\"\""}, "ledger.lost: " COUNT_TEXT},
        {"\"ledger\": {\"duplicated\": %s}", {"1"}, {"[]"}, "ledger.duplicated: " COUNT_TEXT},
        {"\"ledger\": {\"misordered\": %s}", {"1"}, {"{}"}, "ledger.misordered: " COUNT_TEXT},
        {"\"points\": %s",
         {"[]", "[{\"size_bytes\": 0}]"},
         {"null", "{}"},
         "points: a list is expected"},
        {"\"points\": %s", {"[]"}, {"[1]"}, "points[0]: an object is expected"},
        {"\"points\": %s",
         {"[]"},
         {"[{\"size_bytes\": 0}, {}]", "[{\"size_bytes\": 0}, {\"a\": {}}]"},
         "points[1].size_bytes: " COUNT_TEXT},
        {"\"points\": [{\"size_bytes\": 1, \"m\": %s}]",
         {"null", "1"},
         {"\"\"", "[]"},
         "points[0].m: a number or null is expected"},
        {"\"values\": %s",
         {"[]", "[{\"metric\": \"m\"}]"},
         {"null", "{}"},
         "values: a list is expected"},
        {"\"values\": %s",
         {"[]"},
         {"[{\"metric\": \"m\"}, 1]"},
         "values[1]: an object is expected"},
        {"\"values\": [%s]",
         {"{\"metric\": \"\"}"},
         {"{}", "{\"metric\": null}"},
         "values[0].metric: a text is expected"},
        {"\"values\": [{\"metric\": \"m\", \"rank\": %s}]",
         {"null", "0", "2147483647"},
         {"-1", "2147483648", "1.5"},
         "values[0].rank: a rank or null is expected"},
        {"\"values\": [{\"metric\": \"m\", \"size_bytes\": %s}]",
         {"null", "0"},
         {"-1", "1.5"},
         "values[0].size_bytes: a whole number from 0 on, or null, is expected"},
        {"\"values\": [{\"metric\": \"m\", \"value\": %s}]",
         {"null", "0", "-1.5"},
         {"\"1\""},
         "values[0].value: a number or null is expected"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        for (size_t k = 0; k < 8; k++) {
            bool good = k < 4;
            const char *value = good ? samples[i].good[k] : samples[i].bad[k - 4];
            if (!value)
                continue;
            char **parts = g_strsplit(samples[i].member, "%s", 2);
            char *text =
                g_strdup_printf("{\"status\": \"lost\", %s%s%s}", parts[0], value, parts[1]);
            expect_text(problem_of(text), good ? NULL : samples[i].problem);
            g_free(text);
            g_strfreev(parts);
        }
    expect_text(problem_of("{}"), "status: a text is expected");
    expect_text(problem_of("[]"), "an object is expected");
}

// ---- The comparison's text ----

// `tolerance` as --tolerance takes it; NULL: none.
static char *said(const char *first, const char *second, const char *tolerance,
                  const char *const *metrics, char **document)
{
    struct compared *a = loaded("a.csv", first), *b = loaded("b.csv", second);
    const char *texts[] = {tolerance, NULL};
    GPtrArray *known = compared_metrics(a, b);
    char *hint = NULL;
    struct tolerances *tolerances = tolerances_read(texts, known, NULL, &hint);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tolerances);
    struct compare_options options = {.tolerances = tolerances, .metrics = metrics};
    json_t *comparison = compare(a, b, &options);
    tolerances_free(tolerances);
    g_ptr_array_unref(known);
    char *text = NULL, *json = json_dumps(comparison, JSON_REAL_PRECISION(6));
    size_t length;
    FILE *file = open_memstream(&text, &length);
    compare_print(comparison, file);
    fclose(file);
    char *copy = g_strdup(text);
    if (document)
        *document = g_strdup(json);
    free(text);
    free(json);
    json_decref(comparison);
    compared_free(a);
    compared_free(b);
    return copy;
}

#define FIRST                                                                                      \
    "# fingerprint 1\n# series A: completed 1\n# series B: failed 1 overrun\n" HEAD                \
    "A,,1,t,10\nA,,2,t,20\nA,,4,t,40\nA,0,,u,5\nA,1,,u,0\nA,,1,v,7\nB,,1,t,nan\nB,,1,w,1\n"
#define SECOND                                                                                     \
    "# fingerprint 2\n# series A: completed 1\n# series B: completed 1\n" HEAD                     \
    "A,,1,t,10.5\nA,,2,t,25\nA,,8,t,1\nA,,9,t,1\nA,0,,u,5.1\nA,1,,u,3\nA,,1,v,7\nB,,1,t,3\n"       \
    "C,,1,x,2\n"

static void test_said(void)
{
    char *document;
    expect_text(said(FIRST, SECOND, "10 %", NULL, &document),
                "differs  B: failed (overrun) against completed\n"
                "differs  C: missing against unknown\n"
                "differs  A, t: 2 points, missing: 2 points in a, 1 point in b, 1 outside, worst "
                "+25 % at 2 B: 20 against 25\n"
                "near     A, u, rank 0: 1 point, worst +2 %: 5 against 5.1\n"
                "differs  A, u, rank 1: 1 point, 1 outside, worst without bound: 0 against 3\n"
                "same     A, v: 1 point\n"
                "differs  B, t: 1 point, 1 outside, worst without bound at 1 B: no number against "
                "3\n"
                "differs  B, w: 0 points, missing: the curve in b\n"
                "differs  C, x: 0 points, missing: the curve in a\n"
                "fingerprints differ: 1 against 2\n"
                "7 differences beyond 10 %\n");
    SUITE_CONTAINS(document, "{\"same\": false, \"differences\": 7, \"compared\": 6, "
                             "\"tolerances\": [\"10 %\"], \"fingerprints\": {\"a\": \"1\", \"b\": "
                             "\"2\", \"agree\": false}, "
                             "\"series\": [{\"series\": \"B\", \"a\": \"failed (overrun)\", "
                             "\"b\": \"completed\"}, {\"series\": \"C\", \"a\": \"missing\", "
                             "\"b\": \"unknown\"}]");
    SUITE_CONTAINS(document, "{\"series\": \"A\", \"metric\": \"t\", \"rank\": null, "
                             "\"verdict\": \"differs\", \"points\": 2, "
                             "\"missing\": \"2 points in a, 1 point in b\", \"outside\": 1, "
                             "\"worst\": {\"size_bytes\": 2, \"a\": 20.0, \"b\": 25.0, "
                             "\"deviation\": 0.25}}");
    SUITE_CONTAINS(document, "{\"series\": \"A\", \"metric\": \"u\", \"rank\": 1, "
                             "\"verdict\": \"differs\", \"points\": 1, "
                             "\"missing\": null, \"outside\": 1, \"worst\": {\"size_bytes\": null, "
                             "\"a\": 0.0, \"b\": 3.0, \"deviation\": null}}");
    SUITE_CONTAINS(document, "\"points\": 0, \"missing\": \"the curve in b\", \"outside\": 0, "
                             "\"worst\": null}");
    g_free(document);
}

static void test_said_of_equals(void)
{
    static const char *const one[] = {"v", "w", NULL}, *const none[] = {NULL};
    expect_text(said(HEAD "A,,1,v,7\n", HEAD "A,,1,v,7\n", NULL, none, NULL),
                "same     A, v: 1 point\nfingerprints: not known of both\nno differences\n");
    expect_text(said("# fingerprint 7\n" HEAD, "# fingerprint 7\n" HEAD, "0.001 %", NULL, NULL),
                "fingerprints agree: 7\nno differences beyond 0.001 %\n");
    expect_text(said("# fingerprint 7\n" HEAD, HEAD, NULL, NULL, NULL),
                "fingerprints: not known of both\nno differences\n");
    expect_text(said(FIRST, FIRST, NULL, one, NULL),
                "same     A, v: 1 point\nsame     B, w: 1 point\n"
                "fingerprints agree: 1\nno differences\n");
    expect_text(said(HEAD "A,,1,v,7\n", HEAD "A,,2,v,7\n", NULL, NULL, NULL),
                "differs  A, v: 0 points, missing: 1 point in a, 1 point in b\n"
                "fingerprints: not known of both\n1 difference\n");
    // The worst is the first of those that are as far.
    expect_text(
        said(HEAD "A,,1,v,10\nA,,2,v,20\n", HEAD "A,,1,v,5\nA,,2,v,10\n", "50 %", NULL, NULL),
        "near     A, v: 2 points, worst -50 % at 1 B: 10 against 5\n"
        "fingerprints: not known of both\nno differences beyond 50 %\n");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a document", test_document},
        {"tables", test_table},
        {"lines of tables", test_lines},
        {"databases", test_database},
        {"other databases", test_other_databases},
        {"members of documents", test_members},
        {"what is said of two", test_said},
        {"what is said of equals", test_said_of_equals},
        {0},
    };
    return suite_run("validate: what is compared", cases);
}
