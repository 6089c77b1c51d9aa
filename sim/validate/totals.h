// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the rows of a scorecard (validate.h says what rows and totals look like).
#ifndef NETSIM_VALIDATE_TOTALS_H
#define NETSIM_VALIDATE_TOTALS_H

#include "sim/validate/claim.h"

#include <jansson.h>

enum verdict { HOLDS, MISSES, KNOWN_MISS, NOT_RUN, NOT_CHECKABLE, SAME_AS, VERDICTS };

// "known_miss"
const char *verdict_name(enum verdict verdict);

// The totals of some rows, by verdict, by kind and by standing; new reference.
json_t *totals_of(json_t *rows);

// How many claims there are with each verdict; new reference.
json_t *totals_by_verdict(json_t *rows);

// A rank as the rows see it, all of whose claims are among them; new reference.
json_t *totals_of_rank(json_t *rows, const struct claim_rank *rank);

// All ranks (as totals_of_rank has them; taken over), and how many hold; new reference.
json_t *totals_of_ranks(json_t *ranks);

#endif
