// SPDX-License-Identifier: GPL-3.0-or-later
// Standings: what it is worth as evidence for the model that a claim holds.
//
//   predicted  nothing that decides it was fitted to it or chosen for it
//   chosen     a value was picked with the claim in view: it names the claim in `chosen_for`, in a
//              parameter table or in a file of YAML (sim/config/param.h), and a series that the
//              claim's checks look at runs with it
//   fitted     it is a target of a calibration that ships (`claim` in references/calibration/), or
//              its checks look at nothing but values which such targets fix
//   test       a behaviour, or a sequence of states (`transitions`): a mechanism was built as the
//              source describes it, and does what it should
//   drawn      a figure can be drawn
//   setting    a parameter has the value that the claim says, or the claim is one of configuration
//              (`kind: config`), however it is looked at: what is put in comes out
//
// THE RULE, for a claim with several checks and for a rank of several claims: what compares results
// with the source decides, and the weakest of that counts (fitted, then chosen, then predicted). A
// test, a figure or a setting beside it says what else must be so, and does not decide; of those by
// themselves the one that can fail most easily counts (test, then drawn, then setting). How a run
// ends decides, but not beside a sequence of states, where it is the sequence's end. A claim that
// is not checked has no standing.
#ifndef NETSIM_VALIDATE_STANDING_H
#define NETSIM_VALIDATE_STANDING_H

#include "sim/validate/claim.h"
#include "sim/validate/fits.h"
#include "sim/validate/runs.h"

// In the order of the rule: of two, the greater one counts.
enum standing {
    STANDING_NONE,
    STANDING_SETTING,
    STANDING_DRAWN,
    STANDING_TEST,
    STANDING_PREDICTED,
    STANDING_CHOSEN,
    STANDING_FITTED,
    STANDINGS,
};

// "predicted"; NULL for none.
const char *standing_name(enum standing standing);

// The standing of a claim. *by, which the caller frees, is what it was chosen by (parameters) or
// fitted by (files), or NULL.
enum standing standing_of(const struct claim *claim, const struct fits *fits,
                          const struct runs *runs, char **by);

#endif
