// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the fuzz targets. A target is one source, tests/fuzz/fuzz_NAME.c, with the
// function that libFuzzer calls; its seeds are in tests/fuzz/corpus/NAME. Each input must be
// accepted or diagnosed, never both and never neither, and what is accepted must print.
//
//   cmake --preset fuzz && ninja -C build-fuzz fuzz_sweep
//   build-fuzz/fuzz_sweep -max_total_time=60 -timeout=15 NEW tests/fuzz/corpus/sweep
//
// The ordinary suite runs every target over its seeds, without libFuzzer (tests/fuzz/driver.c).
#ifndef NETSIM_TESTS_FUZZ_FUZZ_H
#define NETSIM_TESTS_FUZZ_FUZZ_H

#include "sim/core/diag.h"
#include "sim/recording/recording.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The tree with scenarios/ and references/: $NETSIM_SOURCE_DIR, or the working directory.
const char *fuzz_tree(void);

// A stream that discards the printed text.
FILE *fuzz_sink(void);

// Ends a list of diagnostics: it prints, and is empty exactly if the input was accepted.
void fuzz_end(struct diag_list *diags, bool accepted);
// Like fuzz_end, but for an error, and for a text that is to become an error; both are freed.
// Diagnostics and errors must be UTF-8.
void fuzz_end_error(GError *error, bool accepted);
void fuzz_end_text(char *error, bool accepted);

// Like fuzz_end, for a reader of recordings; takes the recording over, which is NULL if it was
// refused. An accepted one is taken call by call, and a call that waits must wait for what is open.
void fuzz_end_recording(struct recording *recording, struct diag_list *diags);

// JSON that can be written, and read back to what it was; takes it over.
void fuzz_json(json_t *json);

// A path below a directory of this process, where the next input's file replaces this one's; stays
// until the next call. The directory goes when the process ends.
const char *fuzz_path(const char *name);
void fuzz_write(const char *path, const void *data, size_t size);

// The input as text up to its first NUL; the caller frees it.
char *fuzz_text(const uint8_t *data, size_t size);

// Which of `kinds` an input is for: its first character, which is taken off, counts from '0'.
unsigned fuzz_kind(const uint8_t **data, size_t *size, unsigned kinds);

#endif
