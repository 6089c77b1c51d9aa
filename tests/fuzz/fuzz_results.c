// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as the directory of a run, for `plot` and `compare`: the manifest, a NUL byte, the CSV.
#include "sim/compare/compare.h"
#include "sim/figures/document.h"
#include "sim/figures/results.h"
#include "tests/fuzz/fuzz.h"

static void plot(const char *directory)
{
    GError *error = NULL;
    json_t *result = results_read(directory, &error);
    fuzz_end_error(error, result != NULL);
    if (!result)
        return;
    struct choice *choice = choice_new(&(struct choice_words){0}, NULL);
    json_t *figure = figure_of_result(result, choice);
    choice_free(choice);
    int failed;
    int series = figure_count_series(figure, &failed);
    g_assert(failed <= series);
    g_assert(json_is_string(json_object_get(figure, "file")));
    fuzz_json(figure);
    fuzz_json(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = memchr(data, '\0', size);
    size_t length = nul ? (size_t)(nul - data) : size;
    char *directory = g_strdup(fuzz_path("run"));
    g_mkdir_with_parents(directory, 0700);
    fuzz_write(fuzz_path("run/manifest.json"), data, length);
    fuzz_write(fuzz_path("run/results.csv"), nul ? nul + 1 : data, nul ? size - length - 1 : 0);
    plot(directory);
    GError *error = NULL;
    struct compared *compared = compared_load(directory, &error);
    fuzz_end_error(error, compared != NULL);
    compared_free(compared);
    g_free(directory);
    return 0;
}
