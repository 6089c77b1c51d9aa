// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as values over time, for `plot`: all and a choice of them.
#include "sim/figures/over_time.h"
#include "sim/output/values.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = g_strndup((const char *)data, size); // ends with a NUL, as what is read from files
    memcpy(text, data, size);
    static char *series[] = {"a", NULL}, *metrics[] = {"cwnd", NULL};
    const struct choice_words choices[] = {{0}, {.series = series, .metrics = metrics}};
    (void)values_has_columns(text);
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++) {
        GError *error = NULL;
        struct choice *choice = choice_new(&choices[i], NULL);
        json_t *document = over_time_document("v.csv", text, size, "v", choice, &error);
        fuzz_end_error(error, document != NULL);
        if (document)
            fuzz_json(document);
        choice_free(choice);
    }
    g_free(text);
    return 0;
}
