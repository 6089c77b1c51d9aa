// SPDX-License-Identifier: GPL-3.0-or-later
// Reading CSV (RFC 4180), row by row.
#ifndef NETSIM_OUTPUT_CSV_ROWS_H
#define NETSIM_OUTPUT_CSV_ROWS_H

#include <glib.h>
#include <stddef.h>

// The rest of a text and its place: lines and columns (in bytes) count from 1.
struct csv_rows {
    const char *at;    // the text, then the rest of it
    const char *start; // of the line
    int line;
};

// The line of the first byte that is not UTF-8 or is NUL; 0: there is none.
int csv_rows_bad_line(const char *text, size_t length);

// Rows of a text that has passed csv_rows_bad_line, from its beginning.
struct csv_rows csv_rows_of(const char *text);

// Takes the next row's fields (char *) and stores the column at which each begins in `columns`
// (int; may be NULL). rows->line is the row's line until csv_rows_next. If the row is malformed,
// *problem is set to a static text; otherwise it is unchanged. The caller frees the fields.
GPtrArray *csv_rows_take(struct csv_rows *rows, GArray *columns, const char **problem);

// Advances to the line after a row.
void csv_rows_next(struct csv_rows *rows);

#endif
