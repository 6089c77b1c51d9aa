// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as points that a user has measured, for `plot`: alone and in a picture, all and a
// choice of them.
#include "sim/figures/measured.h"
#include "sim/figures/overlay.h"
#include "tests/fuzz/fuzz.h"

static const char picture[] =
    "{\"title\": \"p\", \"notes\": [], \"panels\": ["
    "{\"kind\": \"lines\", \"x\": {\"label\": \"message size\", \"unit\": \"B\"},"
    " \"y\": {\"label\": \"latency\", \"unit\": \"us\"}, \"series\": [{\"name\": \"a\"}]},"
    "{\"kind\": \"lines\", \"x\": {\"label\": \"rate\", \"unit\": \"Mb/s\"},"
    " \"y\": {\"label\": \"latency\", \"unit\": \"us\"}, \"series\": []}]}";

static void plot(const char *text, size_t size, json_t *with, const struct choice_words *words)
{
    GError *error = NULL;
    struct choice *choice = choice_new(words, NULL);
    json_t *document = measured_document("m.csv", text, size, "m", json_object_get(with, "panels"),
                                         choice, &error);
    fuzz_end_error(error, document != NULL);
    if (document && with) {
        const struct overlay_part parts[] = {{"with", with}, {"m", document}};
        fuzz_json(overlay_document(parts, 2));
    }
    if (document)
        fuzz_json(document);
    choice_free(choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = g_strndup((const char *)data, size); // ends with a NUL, as what is read from files
    json_t *with = json_loads(picture, 0, NULL);
    memcpy(text, data, size);
    static char *series[] = {"a", NULL}, *metrics[] = {"bandwidth", NULL}, *sizes[] = {"1", NULL};
    const struct choice_words choices[] = {
        {0}, {.series = series, .sizes = sizes}, {.metrics = metrics}};
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++) {
        plot(text, size, NULL, &choices[i]);
        plot(text, size, with, &choices[i]);
    }
    json_decref(with);
    g_free(text);
    return 0;
}
