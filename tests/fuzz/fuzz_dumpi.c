// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a DUMPI trace in text: form feeds part the files of the ranks, of which there are at
// most four.
#include "sim/recording/readers.h"
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#define MOST_RANKS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *at = data, *end = data + size;
    for (int rank = 0; rank < MOST_RANKS; rank++) {
        char name[] = {'t', (char)('0' + rank), '\0'};
        const uint8_t *cut = at && at < end ? memchr(at, '\f', (size_t)(end - at)) : NULL;
        if (at)
            fuzz_write(fuzz_path(name), at, (size_t)((cut ? cut : end) - at));
        else
            unlink(fuzz_path(name));
        at = cut ? cut + 1 : NULL;
    }
    struct diag_list *diags = diag_list_new();
    struct recording *recording =
        dumpi_read(fuzz_path("t0"), (struct source_mark){"fuzz.yaml", 1, 1}, diags);
    fuzz_end_recording(recording, diags);
    return 0;
}
