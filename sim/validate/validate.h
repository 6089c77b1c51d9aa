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

// Returns the scorecard as a new reference:
json_t *validate_scorecard(const struct registry *registry, const struct validate_options *options,
                           struct diag_list *diags, GError **error);

// Whether a claim misses that is no known miss, or holds although it is listed as a known miss.
bool validate_failed(const json_t *scorecard);

// Whether a test that covers one of the selected behaviours was not run.
bool validate_not_run(const json_t *scorecard);

#endif
