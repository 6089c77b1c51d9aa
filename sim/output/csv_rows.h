// SPDX-License-Identifier: GPL-3.0-or-later
// Reading CSV (RFC 4180), row by row.
#ifndef NETSIM_OUTPUT_CSV_ROWS_H
#define NETSIM_OUTPUT_CSV_ROWS_H

#include <glib.h>
#include <stddef.h>

// What is left of a text, and where that is: lines and columns (of bytes) count from 1.
struct csv_rows {
    const char *at;    // the text, then what is left of it
    const char *start; // of the line
    int line;
};

// The line in which a text stops to be UTF-8 or has a NUL; 0: nowhere.
int csv_rows_bad_line(const char *text, size_t length);

// A text that is right in this respect, from its beginning.
struct csv_rows csv_rows_of(const char *text);

// Takes a row's fields (char *) off the text, and puts the column at which each begins into
// `columns` (int; may be NULL). The line is that of the row until csv_rows_next. *problem: what is
// wrong with it, static; it stays as it is if nothing is. The caller frees the fields.
GPtrArray *csv_rows_take(struct csv_rows *rows, GArray *columns, const char **problem);

// Goes on to the line after a row.
void csv_rows_next(struct csv_rows *rows);

#endif
