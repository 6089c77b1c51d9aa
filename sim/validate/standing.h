// SPDX-License-Identifier: GPL-3.0-or-later
// Standings: the worth of a claim that holds as evidence for the model.
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
    STANDING_GUESS,      // of the source's authors
    STANDING_ARITHMETIC, // it can't fail
    STANDING_COMPARED,   // two simulations with one another: no source is asked
    STANDING_PREDICTED,
    STANDING_CHOSEN,
    STANDING_FITTED,
    STANDINGS,
};

// "predicted"; NULL for a claim without standing.
const char *standing_name(enum standing standing);

// The standing with a name; STANDING_NONE for NULL.
enum standing standing_named(const char *name);

// Everything that standings are found in; the caller keeps ownership.
struct standing_context {
    const struct claim_list *list;
    const struct fits *fits;
    const struct runs *runs;
};

// The standing of a claim that is held against results is by what these use, not by its name alone:
//
//   fitted: a target of a calibration names it; or targets fix all values that it uses, each at its
//     size or at sizes on both sides of it (fits.h); or it is one value of a series that runs with
//     a fitted value, and that was fitted to the value of another series of the same scenario,
//     metric and size: no more than their difference is predicted then.
//   chosen: the resolved case of one of its series has a value whose `chosen_for` names it, or a
//     claim of the same thesis that judges the same series and metric of the same run at a size
//     that it uses as well.
//   predicted: all else, also where a constant of the testbed was fitted or chosen to other
//   numbers.
//
// *by, which the caller frees, names the parameters it was chosen by or the file it was fitted by,
// or is NULL.
enum standing standing_of(const struct claim *claim, const struct standing_context *context,
                          char **by);

#endif
