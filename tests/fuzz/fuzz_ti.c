// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a recording: 0, a trace of all ranks; 1, the traces of two ranks, the second after
// the first form feed; 2, the list of files.
#include "sim/recording/recording.h"
#include "tests/fuzz/fuzz.h"

#define LISTED "a\nb\n"
#define GOOD "0 init\n0 finalize\n"

// Puts the input into files, and returns the one to be read. g_free.
static char *put(unsigned kind, const uint8_t *data, size_t size)
{
    const uint8_t *cut = size > 0 ? memchr(data, '\f', size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size;
    char *path = g_strdup(fuzz_path("t"));
    if (kind == 1) {
        fuzz_write(fuzz_path("a"), data, first);
        fuzz_write(fuzz_path("b"), cut ? cut + 1 : data, cut ? size - first - 1 : 0);
        fuzz_write(path, LISTED, strlen(LISTED));
    } else {
        fuzz_write(fuzz_path("a"), GOOD, strlen(GOOD));
        fuzz_write(path, data, size);
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned kind = fuzz_kind(&data, &size, 3);
    char *path = put(kind, data, size);
    struct diag_list *diags = diag_list_new();
    struct recording *recording =
        recording_read(path, (struct source_mark){"fuzz.yaml", 1, 1}, diags);
    fuzz_end_recording(recording, diags);
    g_free(path);
    return 0;
}
