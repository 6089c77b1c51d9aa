// SPDX-License-Identifier: GPL-3.0-or-later
// The claims and values that the shipped calibrations are fitted to, according to their files of
// targets (references/calibration/, sim/calibrate/target.h).
#ifndef NETSIM_VALIDATE_FITS_H
#define NETSIM_VALIDATE_FITS_H

#include "sim/validate/claim.h"
#include "sim/validate/runs.h"

struct fits;

// Reads data_dir/references/calibration/, if it exists. Returns NULL after complaints. Free with
// fits_free.
struct fits *fits_load(const char *data_dir, const struct claim_list *list,
                       struct diag_list *diags);

// An empty set; adds the fits of one file's tree, returning false after complaints.
struct fits *fits_new(void);
bool fits_read(struct fits *fits, const struct node *tree, const struct claim_list *list,
               struct diag_list *diags);
void fits_free(struct fits *fits);

// The file, by its name without .yaml, that fits a claim: because a target names it, or because its
// checks use only values that targets fix: a point's value, a gain's quotient, and what lies
// between two of them. NULL if none does. Borrowed.
const char *fits_claim(const struct fits *fits, const struct claim *claim, const struct runs *runs);

#endif
