// SPDX-License-Identifier: GPL-3.0-or-later
// A table that is laid out when it is complete: columns are as wide as their widest cell.
#ifndef NETSIM_OUTCOME_GRID_H
#define NETSIM_OUTCOME_GRID_H

#include <glib.h>

struct grid {
    GPtrArray *cells; // char *, row by row
    guint columns;
    unsigned right; // bit i: column i is set flush right
};

struct grid grid_new(guint columns, unsigned right);

// Adds a cell: a copy of the text, or the text itself.
void grid_add(struct grid *grid, const char *text);
void grid_take(struct grid *grid, char *text);

// Appends the table and frees it.
void grid_print(struct grid *grid, GString *out);

#endif
