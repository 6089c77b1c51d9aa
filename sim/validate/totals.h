// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the rows of a scorecard (validate.h describes rows and totals).
#ifndef NETSIM_VALIDATE_TOTALS_H
#define NETSIM_VALIDATE_TOTALS_H

#include "sim/validate/claim.h"

#include <jansson.h>

enum verdict {
    HOLDS,
    LEVEL, // too near to decide (judge.h)
    MISSES,
    KNOWN_MISS,
    NOT_RUN,
    NOT_CHECKABLE,
    REFUTED, // a guess that does not hold
    OPEN,    // one that is not checked
    SAME_AS,
    VERDICTS
};

// "known_miss"
const char *verdict_name(enum verdict verdict);

// The totals of some rows, by verdict, by kind and by standing. Returns a new reference.
json_t *totals_of(json_t *rows);

// The number of claims with each verdict. Returns a new reference.
json_t *totals_by_verdict(json_t *rows);

// A rank judged by the rows, which must include all of its claims. Returns a new reference.
json_t *totals_of_rank(json_t *rows, const struct claim_rank *rank);

// All ranks (from totals_of_rank; takes ownership), and how many hold. Returns a new reference.
json_t *totals_of_ranks(json_t *ranks);

#endif
