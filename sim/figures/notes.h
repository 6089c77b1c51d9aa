// SPDX-License-Identifier: GPL-3.0-or-later
// The notes of a picture's document: sentences below it.
#ifndef NETSIM_FIGURES_NOTES_H
#define NETSIM_FIGURES_NOTES_H

#include <glib.h>
#include <jansson.h>

// Appends a note to the list unless it has it already.
void notes_add(json_t *notes, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
