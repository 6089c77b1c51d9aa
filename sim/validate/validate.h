// SPDX-License-Identifier: GPL-3.0-or-later
// Validation: what the sources state (references/claims/), held against what the simulator finds.
//
// claim.h reads the claims and their checks, runs.h runs what the checks look at, judge.h decides,
// scorecard.h prints. This is the way in for whoever wants the whole.
#ifndef NETSIM_VALIDATE_VALIDATE_H
#define NETSIM_VALIDATE_VALIDATE_H

#include "sim/campaign/campaign.h"
#include "sim/core/diag.h"
#include "sim/workload/model.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct validate_options {
    const char *data_dir; // holds references/ and scenarios/
    // Which claims: a system ("via"), the start of an id ("via.pingpong"), an id, or a glob
    // ("via.*.c2.*"). NULL-terminated; NULL or empty: all.
    const char *const *patterns;
    bool behaviours;   // also list the behaviours, which the tests cover
    bool top40;        // only what references/top40.yaml names
    const char *tests; // a file of results of tests (test_results.h); NULL: none
    struct campaign_options campaign;
};

// The scorecard, new reference:
//
//   {"claims": [{"id", "kind", "standing", "standing_by", "expected", "simulated", "deviation",
//                "verdict", "why"}],
//    "totals": {"claims", "holds", "misses", "known_miss", "not_run", "not_checkable",
//               "same_as",
//               "predicted": {"claims", "hold"}, "by_kind": {KIND: {"claims", …}},
//               "by_standing": {STANDING: {"claims", …}}, "listed_but_hold",
//               "behaviours": {"claims", "holds", …, "lack"},
//               "top40": {"ranks", "hold", "predicted": {"ranks", "hold"},
//                         "list": [{"rank", "title", "standing", "verdict", "ids"}]}}}
//
// in the order of the files. What is not listed is in no total but those of behaviours, and of
// ranks that stand on it. standing.h says what a standing is; it is null for what is not checked,
// and standing_by says which parameters a claim was chosen by, or which calibration fits it.
// `predicted` counts what is predicted and can be checked. A behaviour holds if its tests passed
// for this build and its checks hold; if one of its tests was not run, its checks decide alone, and
// without such it is not_run. `lack` says why there are no results, or is null. A behaviour that
// misses is always listed.
//
// expected, simulated and why are text or null. deviation is a number or
// null: for an expected value how far the simulated one lies from it, relative to it; for a shape
// how far the worst point lies beyond what was expected (below 0: so much was left). Where a claim
// has several checks, expected and simulated number them, verdict and deviation are those of the
// worst. `why` of a claim that holds is null, unless it is listed as a known miss: that list must
// not outlive its reasons, and listed_but_hold counts such claims. top40 has the ranks all of whose
// claims were asked for. What only says again what other claims say has the verdict "same_as" and
// names them in `why`; it is not among the claims that are counted.
//
// NULL if a file of claims is wrong or a pattern matches nothing (diags say where), or if the
// campaign could not be run (*error). A scenario that can't be read, or a series that is not there,
// makes the claims that need it "not_checkable".
json_t *validate_scorecard(const struct registry *registry, const struct validate_options *options,
                           struct diag_list *diags, GError **error);

// Whether a claim misses that is not known to, or holds though it is listed as a known miss.
bool validate_failed(const json_t *scorecard);

// Whether a test was not run that covers one of the behaviours that were asked for.
bool validate_not_run(const json_t *scorecard);

#endif
