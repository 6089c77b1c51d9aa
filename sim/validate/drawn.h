// SPDX-License-Identifier: GPL-3.0-or-later
// Claims in draws of the uncertain constants (sim/scenario/draw.h): in each draw the runs of a
// claim's checks are made again, and judged by the same checks.
//
// Draws are run in blocks of DRAW_BLOCK, and judged one after the other, so that memory holds one
// block's cases and one draw's results; files are read once for all blocks. How many draws a claim
// is run in depends on what all its runs cost in a draw, by the estimate of their events
// (sim/run/estimate.h):
//
//   more than DRAWN_DEAREST_EVENTS   the first block
//   more than DRAWN_DEAR_EVENTS      blocks until its share is decided (share_is_decided)
//   less                             all draws
//
// Of a scenario only those series are run that checks of such claims read. Its sizes all are:
// checks read nearly all of them. Dear runs begin first, so that no worker waits long for the last.
#ifndef NETSIM_VALIDATE_DRAWN_H
#define NETSIM_VALIDATE_DRAWN_H

#include "sim/campaign/campaign.h"
#include "sim/validate/claim.h"
#include "sim/validate/drawn_options.h"
#include "sim/validate/judge.h"
#include "sim/validate/leave_one_out.h"

#define DRAWN_DEAREST_EVENTS 5e7
#define DRAWN_DEAR_EVENTS 1e7

enum drawn_depth {
    DRAWN_IN_ALL,
    DRAWN_UNTIL_DECIDED, // dear
    DRAWN_IN_FIRST,      // dearest
};

struct drawn_claim {
    const struct claim *claim;
    bool constant; // its runs read no uncertain constant: judged once, the same in all draws
    enum drawn_depth depth;
    guint last;           // the last draw that it is run in, as far as is known
    enum drawn set;       // its checks of settings and state logs, which are judged once
    struct drawn_fact in; // by draw - 1; both arrays are the claim's
    char *why;            // of the first draw that failed; NULL: none did
};

struct drawn_claims {
    guint draws;
    GPtrArray *list; // struct drawn_claim *, in the order of the claims
};

// Whether draws are asked about a claim, which needs a check against results, beyond what is set.
// Comparisons of simulations (agreements), which no source states, and behaviours, which tests
// judge, are the caller's choice.
bool drawn_asks(const struct claim *claim);

// Judges the claims that draws are asked about in draws 1 .. `draws`. `medians`: the runs without
// draws, whose scenarios can be read. Returns NULL and sets *error if the campaign can't be
// finished. Free with drawn_claims_free.
struct drawn_claims *drawn_claims_run(const struct registry *registry,
                                      const struct campaign_options *options,
                                      const GPtrArray *claims, const struct judge_context *medians,
                                      const struct drawn_options *how, GError **error);
void drawn_claims_free(struct drawn_claims *claims);

// NULL: draws were not asked about it.
const struct drawn_claim *drawn_claims_find(const struct drawn_claims *claims, const char *id);

// A claim in one draw, or without draws: the worst of its checks of results, and their likelihood
// (leave_one_out.h). If that is DRAWN_FAILED, *why (NULL before) is set, which the caller frees.
enum drawn drawn_judge(const struct judge_context *context, const struct claim *claim,
                       double *likelihood, char **why);

#endif
