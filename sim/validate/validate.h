// SPDX-License-Identifier: GPL-3.0-or-later
// Validation: compares the sources' statements (references/claims/) with simulated results.
//
// claim.h reads the claims and their checks, runs.h runs the scenarios of the checks, judge.h
// decides, scorecard.h prints. This header is the entry to the whole.
#ifndef NETSIM_VALIDATE_VALIDATE_H
#define NETSIM_VALIDATE_VALIDATE_H

#include "sim/campaign/campaign.h"
#include "sim/core/diag.h"
#include "sim/model/model.h"
#include "sim/validate/drawn_options.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct validate_options {
    const char *data_dir; // holds references/ and scenarios/
    // Which claims: a system ("via"), the start of an id ("via.pingpong"), an id, or a glob
    // ("via.*.c2.*"). NULL-terminated; NULL or empty: all.
    const char *const *patterns;
    // Files of claims in the place of those of data_dir, NULL-terminated; NULL: none.
    const char *const *claims;
    bool behaviours;            // also list the behaviours, which the tests cover
    bool top40;                 // only what references/top40.yaml names
    struct drawn_options draws; // also judge the claims in draws; 0 draws: not
    const char *tests;          // a file of results of tests (test_results.h); NULL: none
    struct campaign_options campaign;
};

// Returns the scorecard as a new reference: `claims`, a row for each, and `totals`. A row has the
// claim's id, kind, standing (standing.h), `standing_by`, `source`, `fact`, `known_miss` and
// `cause`; what its checks expect and what was simulated, in words; the `verdict` (totals.h), and
// `why` it is not as the checks decide; and
//
//   deviation: of the check that decides: off what is expected, as a part of it, or in points of a
//     percentage; off the bound that is nearest, negative inside it; of two curves, off one another
//   printed: [{off, points}], how far simulated values are off what the source prints, each as a
//     part of it or in points; none if the claim is inferred
//
//   draws: only with draws; null for a claim that they are not asked about. {run, holds, level,
//     misses, failed}, numbers of draws; `constant`, whether it reads no uncertain constant; the
//     `share` of the judged draws in which it holds or is level, its interval `low` .. `high`; the
//     `class`: robust, by_chance, undecided, robustly_missed, not_judged; the claim's `by_chance`;
//     why it was `stopped` before the last draw (decided, long); and `why` a draw failed
//
// The totals are by verdict, kind and standing, of the predicted, the compared, the behaviours and
// the ranks (totals.h), and the facts, theses, figures and causes (theses.h). With draws, facts and
// theses have `draws`, too, and predicted ones what leaving one out makes of them (`left_out`:
// drawn_facts.h).
json_t *validate_scorecard(const struct registry *registry, const struct validate_options *options,
                           struct diag_list *diags, GError **error);

// Returns the rows of the claims whose checks read one scenario alone, without settings, judged
// by a given result of it (a document of sim/output/json.h). Runs nothing. Returns NULL after
// complaints, or with *error set.
json_t *validate_result(const struct registry *registry, const char *data_dir, const char *scenario,
                        json_t *result, struct diag_list *diags, GError **error);

// Whether a claim misses that is no known miss, or one holds or is level that is listed as such.
bool validate_failed(const json_t *scorecard);

// Whether a claim has a check that could not be judged, as its scenario is missing or can't be run.
bool validate_unjudged(const json_t *scorecard);

// Whether a test that covers one of the selected behaviours was not run.
bool validate_not_run(const json_t *scorecard);

#endif
