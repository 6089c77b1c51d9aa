// SPDX-License-Identifier: GPL-3.0-or-later
// What the calibrations that ship are fitted to, as their files of targets say
// (references/calibration/, sim/calibrate/target.h): the claims that targets name, and the values
// that those targets fix.
#ifndef NETSIM_VALIDATE_FITS_H
#define NETSIM_VALIDATE_FITS_H

#include "sim/validate/claim.h"
#include "sim/validate/runs.h"

struct fits;

// Reads data_dir/references/calibration/, if it is there; NULL after complaints. Free with
// fits_free.
struct fits *fits_load(const char *data_dir, const struct claim_list *list,
                       struct diag_list *diags);

// None; and those of one file's tree more. False after complaints.
struct fits *fits_new(void);
bool fits_read(struct fits *fits, const struct node *tree, const struct claim_list *list,
               struct diag_list *diags);
void fits_free(struct fits *fits);

// The file, by its name without .yaml, that fits a claim: because a target names it, or because
// its checks look at nothing but values that targets fix: a point's value, a gain's quotient.
// NULL if none does. Borrowed.
const char *fits_claim(const struct fits *fits, const struct claim *claim, const struct runs *runs);

#endif
