// SPDX-License-Identifier: GPL-3.0-or-later
// A stream that compresses with gzip what is written to it.
#ifndef NETSIM_OUTPUT_GZIP_H
#define NETSIM_OUTPUT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

// Whether a file of this name is to be compressed: it ends in .gz.
bool gzip_wanted(const char *path);

// A stream whose bytes arrive compressed in `out`; fclose completes them and leaves `out` open. The
// same bytes always give the same file, without a time or a name. A failed write is an
// error of `out`.
FILE *gzip_stream(FILE *out);

#endif
