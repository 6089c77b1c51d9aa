// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the printers of scorecards; for scorecard*.c only.
#ifndef NETSIM_VALIDATE_SCORECARD_INTERNAL_H
#define NETSIM_VALIDATE_SCORECARD_INTERNAL_H

#include <glib.h>
#include <jansson.h>

#define SCORECARD_WIDTH 100

// "" for what is missing.
const char *scorecard_text_of(const json_t *object, const char *key);
int scorecard_count_of(const json_t *object, const char *key);

// Appends the known misses by cause, the figures, and the facts by thesis.
void scorecard_append_theses(GString *out, const json_t *totals);

#endif
