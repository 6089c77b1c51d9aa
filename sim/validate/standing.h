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

// The standing of a claim. *by, which the caller frees, names the parameters it was chosen by or
// the files it was fitted by, or is NULL.
enum standing standing_of(const struct claim *claim, const struct fits *fits,
                          const struct runs *runs, char **by);

#endif
