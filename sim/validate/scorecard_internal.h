// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the printers of scorecards; for scorecard*.c only.
#ifndef NETSIM_VALIDATE_SCORECARD_INTERNAL_H
#define NETSIM_VALIDATE_SCORECARD_INTERNAL_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#define SCORECARD_WIDTH 80

// "" for what is missing.
const char *scorecard_text_of(const json_t *object, const char *key);
int scorecard_count_of(const json_t *object, const char *key);

// Appends the known misses by cause, the figures, and the facts by thesis.
void scorecard_append_theses(GString *out, const json_t *totals);

// "holds in 97 % of the draws (91 .. 99 %), n = 100: robust"; empty without draws. The caller frees
// it.
char *scorecard_draws_text(const json_t *row);

// "97 %", "same" if no draw moves it, "-" if it was judged in none. The caller frees it.
char *scorecard_draws_briefly(const json_t *row);

// Appends the claims and predicted facts by what draws make of them, and leave-one-out; nothing
// without draws. `brief`: without a line for each fact.
void scorecard_append_draws(GString *out, const json_t *scorecard, bool brief);

#endif
