// SPDX-License-Identifier: GPL-3.0-or-later
// The document of --format json and the manifest: keys, values, what may differ between two runs.
#include "sim/output/json.h"
#include "sim/output/manifest.h"
#include "tests/output/sample.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

// The keys of an object, joined by blanks, in their order.
static void same_keys(json_t *object, const char *expected)
{
    GString *keys = g_string_new(NULL);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
        g_string_append_printf(keys, "%s%s", keys->len > 0 ? " " : "", key);
    SUITE_SAME_TEXT(keys->str, expected);
    g_string_free(keys, TRUE);
}

static const char *text_at(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static json_int_t integer_at(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// The document, written as text and read again.
static json_t *read_back(json_t *document)
{
    char *text = document_text(document);
    json_t *read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    CU_ASSERT_PTR_NOT_NULL(read);
    g_free(text);
    return read;
}

// Compares the text of a document, on one line and with single quotes, and frees it.
static void same_text(json_t *document, const char *expected)
{
    char *text = json_dumps(document, JSON_REAL_PRECISION(15)), *told = g_strdup(text);
    SUITE_SAME_TEXT(g_strdelimit(told, "\"", '\''), expected);
    g_free(told);
    free(text);
    json_decref(document);
}

static void test_document(void)
{
    struct result *result = sample_result();
    json_t *document = read_back(result_json(result));
    same_keys(document, "scenario status reason series run ledger");
    SUITE_SAME_TEXT(text_at(document, "scenario"), "sample");
    SUITE_SAME_TEXT(text_at(document, "status"), "deadlock");
    SUITE_SAME_TEXT(text_at(json_object_get(document, "reason"), "kind"), "deadlock");

    json_t *run = json_object_get(document, "run");
    same_keys(run, "events wall_s events_per_s simulated_s seed fingerprint");
    SUITE_SAME_INTEGER(integer_at(run, "events"), 1000500);
    SUITE_SAME_INTEGER(integer_at(run, "seed"), 7);
    CU_ASSERT_DOUBLE_EQUAL(json_real_value(json_object_get(run, "events_per_s")), 1334000.0, 1e-3);
    SUITE_SAME_INTEGER((long long)strlen(text_at(run, "fingerprint")), 16);

    json_t *ledger = json_object_get(document, "ledger");
    same_keys(ledger, "messages bytes delivered lost duplicated misordered");
    SUITE_SAME_INTEGER(integer_at(ledger, "messages"), 1202);
    json_decref(document);
    result_free(result);
}

// The sum over series has the declined messages, if any, and the series has the lines.
static void test_declined(void)
{
    struct result *result = sample_result();
    struct series_result *series = g_ptr_array_index(result->series, 0);
    series->ledger.declined = 2;
    series->ledger.declined_bytes = 100;
    series->declined = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(series->declined, g_strdup("message 1: bytes 0..99 declined: truncated"));
    json_t *document = read_back(result_json(result)), *list = json_object_get(document, "series");
    json_t *told = json_array_get(list, 0);
    SUITE_SAME_INTEGER(integer_at(json_object_get(told, "ledger"), "declined"), 2);
    SUITE_SAME_INTEGER(integer_at(json_object_get(told, "ledger"), "declined_bytes"), 100);
    SUITE_SAME_TEXT(json_string_value(json_array_get(json_object_get(told, "declined"), 0)),
                    "message 1: bytes 0..99 declined: truncated");
    CU_ASSERT_PTR_NULL(json_object_get(json_array_get(list, 1), "declined"));
    json_t *ledger = json_object_get(document, "ledger");
    same_keys(ledger,
              "messages bytes delivered declined declined_bytes lost duplicated misordered");
    SUITE_SAME_INTEGER(integer_at(ledger, "declined"), 2);
    json_decref(document);
    result_free(result);
}

static void test_series(void)
{
    struct result *result = sample_result();
    json_t *document = read_back(result_json(result));
    json_t *series = json_array_get(json_object_get(document, "series"), 0);
    SUITE_SAME_TEXT(text_at(series, "name"), "VIA RPI");
    SUITE_SAME_TEXT(text_at(series, "status"), "completed");
    CU_ASSERT(json_is_null(json_object_get(series, "reason")));
    same_keys(json_object_get(series, "counters"), "copies interrupts");
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(series, "losses")), 0);
    json_t *points = json_object_get(series, "points");
    SUITE_SAME_INTEGER((long long)json_array_size(points), 3);
    json_t *point = json_array_get(points, 1);
    same_keys(point, "size_bytes latency_us bandwidth_MB_per_s");
    SUITE_SAME_INTEGER(integer_at(point, "size_bytes"), 1);
    CU_ASSERT_EQUAL(json_real_value(json_object_get(point, "latency_us")), 74.01);
    json_decref(document);
    result_free(result);
}

// Values of one rank or of no size are kept apart from the points; a value that JSON can't hold is
// null.
static void test_values(void)
{
    struct result *result = result_new("values", 1);
    struct series_result *series = series_result_new("bad \xff name", "s");
    series_result_add(series, 2, 64, "time_us", 1.5);
    series_result_add(series, -1, -1, "rate_MB_per_s", INFINITY);
    g_ptr_array_add(result->series, series);
    json_t *document = read_back(result_json(result));
    json_t *only = json_array_get(json_object_get(document, "series"), 0);
    json_t *values = json_object_get(only, "values");
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(only, "points")), 0);
    SUITE_SAME_INTEGER((long long)json_array_size(values), 2);
    SUITE_SAME_INTEGER(integer_at(json_array_get(values, 0), "rank"), 2);
    SUITE_SAME_INTEGER(integer_at(json_array_get(values, 0), "size_bytes"), 64);
    CU_ASSERT(json_is_null(json_object_get(json_array_get(values, 1), "rank")));
    CU_ASSERT(json_is_null(json_object_get(json_array_get(values, 1), "value")));
    SUITE_SAME_TEXT(text_at(json_array_get(values, 1), "unit"), "MB/s");
    json_decref(document);
    result_free(result);
}

// To the letter. The worst series speaks for the run, the first of those that are as bad; the
// ledgers, events and times are summed.
static void test_text(void)
{
    struct result *result = sample_result();
    struct series_result *as_bad = series_result_new("third", "gm"), *lost;
    as_bad->status = SIM_DEADLOCK;
    as_bad->counts = "hosts";
    as_bad->ledger = (struct ledger_totals){1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0};
    as_bad->simulated = 1;
    g_ptr_array_add(result->series, as_bad);
    lost = series_result_new("fourth", "gm");
    lost->status = SIM_LOST;
    series_result_add(lost, 1, 8, "rate_MB_per_s", NAN);
    series_result_add(lost, 0, 0, "rate_MB_per_s", 0.5);
    g_ptr_array_add(result->series, lost);
    same_text(
        result_json(result),
        "{'scenario': 'sample', 'status': 'deadlock', 'reason': {'kind': 'deadlock', 'text': '1 of "
        "2 ranks waits for what will never happen', 'time_us': 12.5, 'ranks': [{'rank': 1, "
        "'pinned_bytes': 20971520, 'requests': [{'kind': 'send', 'peer': 0, 'bytes': 4194304, "
        "'waits_for': 'memory that can be pinned'}]}]}, 'series': [{'name': 'VIA RPI', 'stack': "
        "'lam_via', 'status': 'completed', 'reason': null, 'events': 1000000, 'fingerprint': "
        "'0000000000001234', 'simulated_s': 2.0, 'ledger': {'messages': 1200, 'bytes': 4096, "
        "'delivered': 1200, 'lost': 0, 'duplicated': 0, 'misordered': 0, 'open': 0, 'balanced': "
        "true}, 'unaccounted': [], 'counters': {'copies': 2, 'interrupts': 3}, 'losses': [], "
        "'standouts': [], "
        "'points': "
        "[{'size_bytes': 0, 'latency_us': 73.5, 'bandwidth_MB_per_s': 0.0}, {'size_bytes': 1, "
        "'latency_us': 74.01, 'bandwidth_MB_per_s': 0.012886}, {'size_bytes': 4194304, "
        "'latency_us': 365432.125, 'bandwidth_MB_per_s': 10.9458}], 'values': []}, {'name': "
        "'MVICH', 'stack': 'mvich', 'status': 'deadlock', 'reason': {'kind': 'deadlock', 'text': "
        "'1 of 2 ranks waits for what will never happen', 'time_us': 12.5, 'ranks': [{'rank': 1, "
        "'pinned_bytes': 20971520, 'requests': [{'kind': 'send', 'peer': 0, 'bytes': 4194304, "
        "'waits_for': 'memory that can be pinned'}]}]}, 'events': 500, 'fingerprint': "
        "'0000000000000099', 'simulated_s': 0.001, 'ledger': {'messages': 2, 'bytes': 10, "
        "'delivered': 1, 'lost': 0, 'duplicated': 0, 'misordered': 0, 'open': 1, 'balanced': "
        "false}, 'unaccounted': ['message 2, rank 1 to 0, 5 B: still open'], 'counters': {}, "
        "'losses': [], 'standouts': [], "
        "'points': [{'size_bytes': 0, 'latency_us': 80.25, 'bandwidth_MB_per_s': 0.0}], 'values': "
        "[]}, {'name': 'third', 'stack': 'gm', 'counts': 'hosts', 'status': 'deadlock', 'reason': "
        "null, 'events': 0, 'fingerprint': '0000000000000000', 'simulated_s': 1e-12, 'ledger': "
        "{'messages': 1, 'bytes': 2, 'delivered': 3, 'lost': 4, 'duplicated': 6, 'misordered': 7, "
        "'open': 5, 'balanced': true}, 'unaccounted': [], 'counters': {}, 'losses': [], "
        "'standouts': [], 'points': "
        "[], 'values': "
        "[]}, {'name': 'fourth', 'stack': 'gm', 'status': 'lost', 'reason': null, 'events': 0, "
        "'fingerprint': '0000000000000000', 'simulated_s': 0.0, 'ledger': {'messages': 0, 'bytes': "
        "0, 'delivered': 0, 'lost': 0, 'duplicated': 0, 'misordered': 0, 'open': 0, 'balanced': "
        "true}, 'unaccounted': [], 'counters': {}, 'losses': [], 'standouts': [], 'points': [], "
        "'values': "
        "[{'metric': "
        "'rate_MB_per_s', 'rank': 1, 'size_bytes': 8, 'unit': 'MB/s', 'value': null}, {'metric': "
        "'rate_MB_per_s', 'rank': 0, 'size_bytes': 0, 'unit': 'MB/s', 'value': 0.5}]}], 'run': "
        "{'events': 1000500, 'wall_s': 0.75, 'events_per_s': 1334000.0, 'simulated_s': "
        "2.001000000001, 'seed': 7, 'fingerprint': '5a4d5a4b3c961bb8'}, 'ledger': {'messages': "
        "1203, 'bytes': 4108, 'delivered': 1204, 'lost': 4, 'duplicated': 6, 'misordered': 7}}");
    result_free(result);
}

// Every kind of value, and every character below 128 with some above.
static void test_text_of_values(void)
{
    char all[140];
    int length = 0;
    for (int character = 1; character < 128; character++)
        all[length++] = (char)character;
    strcpy(all + length, "\303\274\342\202\254");
    json_t *document =
        json_pack("{s:s, s:{}, s:[], s:[n, b, b, i, I, f, f, f, f, f, [[]], {s:{s:s}}], s:s%}", all,
                  "text", "empty", "none", "values", 1, 0, -7, (json_int_t)INT64_MIN, 0.1, 1e20,
                  3.0, -1e-7, 0.0, "a", "b", "", "zero", "a\0b", (size_t)3);
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    char *plain = json_dumps(document, JSON_INDENT(2));
    char *expected = g_strconcat(plain, "\n", NULL), *text = document_text(document);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    g_free(expected);
    free(plain);
}

static void same_line(json_t *value, size_t digits)
{
    GString *line = g_string_new(NULL);
    json_t *document = json_pack("{s:s, s:[o, b]}", "a\n", "\"", "b", value, 1);
    char *plain = json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(digits));
    document_append_line(line, document, digits);
    SUITE_SAME_TEXT(line->str, plain);
    free(plain);
    g_string_free(line, TRUE);
    json_decref(document);
}

// As jansson writes it: integers and reals of all sizes, microseconds among them.
static void test_line(void)
{
    static const double reals[] = {
        0,   1,    -1,   0.5,       1e-4,    1e-6,  9.9e-5, 123456.789012, 999999999.999999,
        1e9, 1e15, 1e22, 0.1 + 0.2, 1.0 / 3, -5.25, 100,    99.9999999};
    static const json_int_t integers[] = {0, 7, -7, 10, INT64_MAX, INT64_MIN};
    GRand *random = g_rand_new_with_seed(7);
    for (size_t i = 0; i < G_N_ELEMENTS(integers); i++)
        same_line(json_integer(integers[i]), JSON_EXACT_DIGITS);
    for (size_t digits = 15; digits <= 17; digits += 2) {
        for (size_t i = 0; i < G_N_ELEMENTS(reals); i++)
            same_line(json_real(reals[i]), digits);
        for (int i = 0; i < 20000; i++) {
            double picoseconds = floor(pow(10, g_rand_double_range(random, 0, 16)));
            same_line(json_real(picoseconds / 1e6), digits);
            same_line(json_real(g_rand_double_range(random, 0, 1e4)), digits);
        }
    }
    g_rand_free(random);
}

// A result made of series that were read: no wall time, and no series is a completed run.
static void test_of_series(void)
{
    json_t *series = json_array();
    same_text(result_of_series_json("none", 3, series),
              "{'scenario': 'none', 'status': 'completed', 'reason': null, 'series': [], 'run': "
              "{'events': 0, 'simulated_s': 0.0, 'seed': 3, 'fingerprint': '0000000000000000'}, "
              "'ledger': {'messages': 0, 'bytes': 0, 'delivered': 0, 'lost': 0, 'duplicated': 0, "
              "'misordered': 0}}");
    json_array_append_new(series, json_pack("{s:s, s:i, s:f, s:s, s:{s:i}}", "status", "lost",
                                            "events", 5, "simulated_s", 1.5e-12, "fingerprint",
                                            "ff", "ledger", "messages", 2));
    json_array_append_new(series, json_pack("{s:s, s:i, s:f}", "status", "crashed", "events", 7,
                                            "simulated_s", 3e-12));
    json_array_append_new(series, json_pack("{s:s}", "status", "failed"));
    same_text(result_of_series_json("read", 4, series),
              "{'scenario': 'read', 'status': 'crashed', 'reason': null, 'series': [{'status': "
              "'lost', 'events': 5, 'simulated_s': 1.5e-12, 'fingerprint': 'ff', 'ledger': "
              "{'messages': 2}}, {'status': 'crashed', 'events': 7, 'simulated_s': 3e-12}, "
              "{'status': 'failed'}], 'run': {'events': 12, 'simulated_s': 5e-12, 'seed': 4, "
              "'fingerprint': '308bff6764179ce0'}, 'ledger': {'messages': 2, 'bytes': 0, "
              "'delivered': 0, 'lost': 0, 'duplicated': 0, 'misordered': 0}}");
    json_decref(series);
}

// Only what completed, with books that do not balance, is judged anew.
static void test_judged(void)
{
    static const struct {
        const char *series, *status, *text;
    } samples[] = {
        {"{'status': 'completed', 'ledger': {'balanced': false}}", "lost",
         "the ledger is not balanced"},
        {"{'status': 'completed', 'ledger': {'balanced': false}, 'unaccounted': ['one', 'two']}",
         "lost", "one"},
        {"{'status': 'completed', 'ledger': {'balanced': true}}", "completed", NULL},
        {"{'status': 'completed', 'ledger': {}}", "completed", NULL},
        {"{'status': 'completed'}", "completed", NULL},
        {"{'status': 'deadlock', 'ledger': {'balanced': false}}", "deadlock", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *text = g_strdelimit(g_strdup(samples[i].series), "'", '"');
        json_t *series = json_loads(text, 0, NULL);
        series_judge_json(series);
        json_t *reason = json_object_get(series, "reason");
        SUITE_SAME_TEXT(text_at(series, "status"), samples[i].status);
        SUITE_SAME_TEXT(text_at(reason, "text"), samples[i].text);
        SUITE_SAME_TEXT(text_at(reason, "kind"), samples[i].text ? "messages_lost" : NULL);
        json_decref(series);
        g_free(text);
    }
}

static json_t *manifest_of(const struct result *result, gint64 started)
{
    struct scenario scenario = {.name = result->scenario, .seed = 7, .cases = g_ptr_array_new()};
    char *arguments[] = {(char[]){"run"}, (char[]){"sample.yaml"}, NULL};
    struct manifest_execution execution = {"1.2.3", started, 2, arguments, NULL};
    json_t *manifest = read_back(manifest_json(&scenario, result, &execution, "scenario\n"));
    g_ptr_array_unref(scenario.cases);
    return manifest;
}

static void test_manifest(void)
{
    struct result *result = sample_result();
    json_t *manifest = manifest_of(result, 1000000);
    SUITE_SAME_TEXT(text_at(manifest, "program"), "netsim");
    SUITE_SAME_TEXT(text_at(manifest, "version"), "1.2.3");
    SUITE_SAME_TEXT(text_at(manifest, "status"), "deadlock");
    SUITE_SAME_INTEGER(integer_at(manifest, "seed"), 7);
    json_t *execution = json_object_get(manifest, "execution");
    same_keys(execution, "started wall_s series_wall_s command directory host");
    SUITE_SAME_TEXT(text_at(execution, "started"), "1970-01-01T00:00:01Z");
    CU_ASSERT(integer_at(json_object_get(execution, "host"), "cpus") >= 1);
    json_decref(manifest);
    result_free(result);
}

// All but the machine's values, to the letter.
static void test_manifest_text(void)
{
    struct result *result = result_new("s", 9);
    struct series_result *series = series_result_new("A", "gm");
    series->wall_s = 0.25;
    g_ptr_array_add(result->series, series);
    json_t *manifest = manifest_of(result, 1500000);
    json_t *execution = json_object_get(manifest, "execution");
    char *directory = g_get_current_dir();
    SUITE_SAME_TEXT(text_at(execution, "directory"), directory);
    SUITE_SAME_TEXT(text_at(execution, "started"), "1970-01-01T00:00:01.500000Z");
    json_object_del(execution, "directory");
    json_object_del(execution, "host");
    same_text(manifest,
              "{'manifest': 1, 'program': 'netsim', 'version': '1.2.3', 'scenario': 's', "
              "'description': null, 'file': null, 'seed': 9, 'status': 'completed', 'fingerprint': "
              "'e220a8397b1dcdaf', 'events': 0, 'ledger': {'messages': 0, 'bytes': 0, 'delivered': "
              "0, 'lost': 0, 'duplicated': 0, 'misordered': 0}, 'results': {'file': 'results.csv', "
              "'sha256': 'e39327dbc69e749b1eb6704c079c529ab27eca8ef4d502c7f3d665cf8af57251'}, "
              "'series': [{'name': 'A', 'stack': 'gm', 'status': 'completed', 'reason': null, "
              "'events': 0, 'fingerprint': '0000000000000000', 'simulated_s': 0.0, 'ledger': "
              "{'messages': 0, 'bytes': 0, 'delivered': 0, 'lost': 0, 'duplicated': 0, "
              "'misordered': 0, 'open': 0, 'balanced': true}, 'unaccounted': [], 'counters': {}, "
              "'losses': [], 'standouts': []}], "
              "'execution': {'started': '1970-01-01T00:00:01.500000Z', 'wall_s': 0.25, "
              "'series_wall_s': [0.25], 'command': ['run', 'sample.yaml']}}");
    g_free(directory);
    result_free(result);
}

// Results are of a manifest if it names their digest, or none.
static void test_results_of_manifest(void)
{
    static const struct {
        const char *manifest, *message;
    } samples[] = {
        {"{}", NULL},
        {"{'results': {'sha256': "
         "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'}}",
         NULL},
        {"{'results': {'sha256': '0123456789abcdef'}, 'fingerprint': 'f00d'}",
         "d: results.csv (SHA-256 ba7816bf8f01...) is not of the run of manifest.json (fingerprint "
         "f00d, results 0123456789ab...): one of them was changed, or a run was ended while it put "
         "them there; run it again, or name results.csv alone"},
        {"{'results': {'sha256': ''}}",
         "d: results.csv (SHA-256 ba7816bf8f01...) is not of the run of manifest.json (fingerprint "
         "unknown, results ...): one of them was changed, or a run was ended while it put them "
         "there; run it again, or name results.csv alone"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        GError *error = NULL;
        char *text = g_strdelimit(g_strdup(samples[i].manifest), "'", '"');
        json_t *manifest = json_loads(text, 0, NULL);
        CU_ASSERT_EQUAL(manifest_is_of(manifest, "d", "abc", &error), !samples[i].message);
        SUITE_SAME_TEXT(error ? error->message : NULL, samples[i].message);
        g_clear_error(&error);
        json_decref(manifest);
        g_free(text);
    }
}

// Two runs of one scenario and seed differ in time and wall clock: only "execution" may show it.
static void test_manifest_is_deterministic(void)
{
    struct result *first = sample_result(), *second = sample_result();
    struct series_result *series = g_ptr_array_index(second->series, 0);
    series->wall_s = 99.0;
    json_t *a = manifest_of(first, 1000000), *b = manifest_of(second, 2000000);
    CU_ASSERT_FALSE(json_equal(a, b));
    json_object_del(a, "execution");
    json_object_del(b, "execution");
    char *left = document_text(a), *right = document_text(b);
    SUITE_SAME_TEXT(left, right);
    g_free(left);
    g_free(right);
    result_free(first);
    result_free(second);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"keys and values of the document", test_document},
        {"what was declined", test_declined},
        {"points and counters of a series", test_series},
        {"values that are no point", test_values},
        {"the text of a document", test_text},
        {"the text of each kind of value", test_text_of_values},
        {"a document on one line", test_line},
        {"documents of series that were read", test_of_series},
        {"what completed and lost messages", test_judged},
        {"the manifest", test_manifest},
        {"the text of the manifest", test_manifest_text},
        {"results that are of a manifest", test_results_of_manifest},
        {"two manifests differ in nothing but execution", test_manifest_is_deterministic},
        {0},
    };
    return suite_run("output: json", cases);
}
