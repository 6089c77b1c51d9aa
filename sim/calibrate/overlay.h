// SPDX-License-Identifier: GPL-3.0-or-later
// A fit as a file that a testbed includes: each value with "fitted: …" as its source, below a
// comment with the command that made it.
#ifndef NETSIM_CALIBRATE_OVERLAY_H
#define NETSIM_CALIBRATE_OVERLAY_H

#include "sim/calibrate/fit.h"

// The file's text; `command` is what the user typed, as a shell would take it. The caller frees it.
char *overlay_text(const struct fit *fit, const struct evaluation *evaluation, const char *command);

// Compares the values of a file with those of a fit. Lines on what differs (char *), none if
// nothing does; NULL and diags if the file can't be read. g_ptr_array_unref.
GPtrArray *overlay_differences(const char *file, const struct fit *fit,
                               const struct evaluation *evaluation, struct diag_list *diags);

#endif
