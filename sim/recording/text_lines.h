// SPDX-License-Identifier: GPL-3.0-or-later
// A text that is read line by line, from a regular file: a device or a pipe may never end. Neither
// a long line nor a file that grows meanwhile is read without bound.
#ifndef NETSIM_RECORDING_TEXT_LINES_H
#define NETSIM_RECORDING_TEXT_LINES_H

#include "sim/core/diag.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Characters of a line. An alltoallv of all ranks that a program may have needs half of it.
#define TEXT_LINES_LONGEST (4 << 20)

struct text_lines {
    FILE *stream;
    const char *name; // interned
    int64_t size;     // bytes of the file as it was opened; no more are read
    int64_t left;     // of these
    int line;         // number of the last line that was taken, from 1
    GString *text;    // that line, without its end
};

// Opens a regular file to be read from its beginning, without waiting for anything, and sets *size
// to its bytes. Returns NULL and *why (g_free) if it cannot be read.
FILE *text_lines_stream(const char *path, int64_t *size, char **why);

// Opens the trace at `path`; false: it cannot be read, and an error was added at `where`.
bool text_lines_open(struct text_lines *lines, const char *path, struct source_mark where,
                     struct diag_list *diags);
void text_lines_rewind(struct text_lines *lines);
void text_lines_close(struct text_lines *lines);

// Takes the next line. Returns false if there is none, or with *bad and an error added if something
// is wrong with it.
bool text_lines_next(struct text_lines *lines, struct diag_list *diags, bool *bad);

#endif
