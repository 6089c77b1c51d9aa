// SPDX-License-Identifier: GPL-3.0-or-later
// Draws in a scorecard's rows, facts and theses (validate.h has their form).
#ifndef NETSIM_VALIDATE_DRAWN_FACTS_H
#define NETSIM_VALIDATE_DRAWN_FACTS_H

#include "sim/validate/drawn.h"

#include <jansson.h>

// The `draws` of a claim's row as a new reference; null if draws were not asked about it. A claim
// that holds or is level in more than 5 % and less than 95 % of the draws is undecided: constants
// that the priors allow decide. If the source shows one throw of chance (by_chance), such a share
// is what it should be, and the class is by_chance.
json_t *drawn_row(const struct drawn_claim *claim, guint draws);

// Adds `draws` to each fact that claims in draws decide, by the rule of verdicts (theses.h): a draw
// in which a claim of it was not run is none of the fact's, and one failed in which none of its
// claims could be judged. Adds `left_out` to each predicted fact that was judged, by all predicted,
// chosen and fitted facts of its thesis. Adds the sums of both to the theses' summaries.
void drawn_facts_add(json_t *rows, json_t *facts, json_t *theses,
                     const struct drawn_claims *claims);

// The claims by what draws make of them.
json_t *drawn_totals(json_t *rows, const struct drawn_claims *claims);

#endif
