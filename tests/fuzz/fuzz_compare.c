// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an input of `compare`: by the first character a CSV file or a JSON document. An
// accepted input compares with itself without a difference, and with another prints.
#include "sim/compare/compare.h"
#include "tests/fuzz/fuzz.h"

enum { CSV, JSON, KINDS };

static const char other[] = "series,rank,size,metric,value\na,all,1,latency_us,3\n";

static json_t *compared(const struct compared *a, const struct compared *b)
{
    static const char *const texts[] = {"1%", "0.1 us worse", NULL};
    GPtrArray *metrics = compared_metrics(a, b);
    GError *error = NULL;
    char *hint;
    struct tolerances *tolerances = tolerances_read(texts, metrics, &error, &hint);
    const struct compare_options options = {.tolerances = tolerances};
    json_t *comparison = compare(a, b, &options);
    compare_print(comparison, fuzz_sink());
    g_free(compare_junit(comparison));
    tolerances_free(tolerances);
    g_ptr_array_unref(metrics);
    g_clear_error(&error);
    g_free(hint);
    return comparison;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *path = fuzz_path(fuzz_kind(&data, &size, KINDS) == CSV ? "a.csv" : "a.json");
    fuzz_write(path, data, size);
    GError *error = NULL;
    struct compared *one = compared_load(path, &error);
    fuzz_end_error(error, one != NULL);
    if (!one)
        return 0;
    struct compared *another = compared_new("other");
    g_assert(compared_read_csv(another, other, sizeof other - 1, NULL));
    json_t *same = compared(one, one);
    g_assert(json_is_true(json_object_get(same, "same")));
    fuzz_json(same);
    fuzz_json(compared(one, another));
    fuzz_json(compared(another, one));
    compared_free(another);
    compared_free(one);
    return 0;
}
