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

// The document after a way through text.
static json_t *read_back(json_t *document)
{
    char *text = json_document_text(document);
    json_t *read = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    CU_ASSERT_PTR_NOT_NULL(read);
    g_free(text);
    return read;
}

static void test_document(void)
{
    struct result *result = sample_result();
    json_t *document = read_back(json_result(result));
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

static void test_series(void)
{
    struct result *result = sample_result();
    json_t *document = read_back(json_result(result));
    json_t *series = json_array_get(json_object_get(document, "series"), 0);
    SUITE_SAME_TEXT(text_at(series, "name"), "VIA RPI");
    SUITE_SAME_TEXT(text_at(series, "status"), "completed");
    CU_ASSERT(json_is_null(json_object_get(series, "reason")));
    same_keys(json_object_get(series, "counters"), "copies interrupts");
    json_t *points = json_object_get(series, "points");
    SUITE_SAME_INTEGER((long long)json_array_size(points), 3);
    json_t *point = json_array_get(points, 1);
    same_keys(point, "size_bytes latency_us bandwidth_MB_per_s");
    SUITE_SAME_INTEGER(integer_at(point, "size_bytes"), 1);
    CU_ASSERT_EQUAL(json_real_value(json_object_get(point, "latency_us")), 74.01);
    json_decref(document);
    result_free(result);
}

// Values of one rank or of no size stand beside the points; what JSON can't say is null.
static void test_values(void)
{
    struct result *result = result_new("values", 1);
    struct series_result *series = series_result_new("bad \xff name", "s");
    series_result_add(series, 2, 64, "time_us", 1.5);
    series_result_add(series, -1, -1, "rate_MB_per_s", INFINITY);
    g_ptr_array_add(result->series, series);
    json_t *document = read_back(json_result(result));
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

static json_t *manifest_of(const struct result *result, gint64 started)
{
    struct scenario scenario = {.name = result->scenario, .seed = 7, .cases = g_ptr_array_new()};
    char *arguments[] = {(char[]){"run"}, (char[]){"sample.yaml"}, NULL};
    struct manifest_execution execution = {"1.2.3", started, 2, arguments};
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
    char *left = json_document_text(a), *right = json_document_text(b);
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
        {"points and counters of a series", test_series},
        {"values that are no point", test_values},
        {"the manifest", test_manifest},
        {"two manifests differ in nothing but execution", test_manifest_is_deterministic},
        {0},
    };
    return suite_run("output: json", cases);
}
