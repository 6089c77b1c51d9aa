// SPDX-License-Identifier: GPL-3.0-or-later
// Differences of two results of a sweep in draws, draw by draw: a draw is the same machine in both.
#ifndef NETSIM_OUTCOME_PAIRED_H
#define NETSIM_OUTCOME_PAIRED_H

#include "sim/statistics/band.h"
#include "sim/statistics/share.h"

#include <jansson.h>
#include <stdbool.h>

struct paired {
    struct band change; // relative: 0.05 is 5 % more; n counts the draws in which both have a value
    struct share signed_alike; // of those: the change has the sign of its median. 0 has none
};

// Changes by draw, NAN where there is none.
struct paired paired_of(const double *changes, size_t n);

// Whether nearly all draws agree on the sign (SHARE_ROBUST).
bool paired_is_robust(const struct paired *paired);

// {"n", "change", "change_low", "change_high", "sign_share", "told_apart"}, which the caller may
// add to. A new reference.
json_t *paired_json(const struct paired *paired);

// "-6.2 % (-8.1 .. -3.0)", and "all" or "97 %" of the draws. The caller frees them.
char *paired_change_text(const json_t *paired);
char *paired_share_text(const json_t *paired);

#endif
