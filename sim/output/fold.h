// SPDX-License-Identifier: GPL-3.0-or-later
// Folds text for people at a width.
//
// A line of words continues below its last column of text, or two columns to the right of its
// beginning. A table whose last column starts far to the right is split between columns: the others
// follow below, next to the first one. A word that is too long by itself is not cut.
#ifndef NETSIM_OUTPUT_FOLD_H
#define NETSIM_OUTPUT_FOLD_H

#include <glib.h>

// Appends `text`, whose lines then have at most `width` columns (0: as many as they have). ANSI
// sequences count as nothing.
void fold_append(GString *out, const char *text, int width);

#endif
