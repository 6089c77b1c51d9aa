// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a scenario of a made-up world, which is compiled much faster than the real one
// (fuzz_scenario.c). The bytes before the first NUL byte are a --set, if there is one.
#include "tests/fuzz/fuzz.h"

// The library has no made-up world, and a fuzz target is one source.
#include "tests/support/fake_operations.c" // NOLINT(bugprone-suspicious-include)
#include "tests/support/fake_schema.c"     // NOLINT(bugprone-suspicious-include)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = memchr(data, '\0', size);
    size_t length = nul ? (size_t)(nul - data) : 0;
    char *set = nul ? g_strndup((const char *)data, length) : NULL;
    const char *const sets[] = {set, NULL};
    struct scenario_options options = {.sets = sets};
    const char *text = nul ? (const char *)nul + 1 : (const char *)data;
    size_t rest = nul ? size - length - 1 : size;

    struct diag_list *diags = diag_list_new();
    struct scenario *scenario =
        scenario_parse(text, rest, "fuzz", NULL, &fake_schema, &options, diags);
    for (guint i = 0; scenario && i < scenario->cases->len; i++)
        fuzz_json(scenario_case_json(g_ptr_array_index(scenario->cases, i)));
    fuzz_end(diags, scenario != NULL);
    scenario_free(scenario);
    g_free(set);
    return 0;
}
