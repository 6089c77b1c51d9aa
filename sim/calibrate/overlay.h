// SPDX-License-Identifier: GPL-3.0-or-later
// A fit as a file that a testbed includes: each value with "fitted: …" as its source, below a
// comment with the command that made it.
#ifndef NETSIM_CALIBRATE_OVERLAY_H
#define NETSIM_CALIBRATE_OVERLAY_H

#include "sim/calibrate/fit.h"

// The file's text; `command` is the user's command line in shell syntax. The caller frees it.
char *overlay_text(const struct fit *fit, const struct evaluation *evaluation, const char *command);

// Appends a text in YAML's quotes.
void overlay_append_quoted(GString *out, const char *text);

// Compares the values of a file with those of a fit. Returns lines on the differences (char *),
// none if there are none; NULL with diags if the file can't be read. Free with g_ptr_array_unref.
GPtrArray *overlay_differences(const char *file, const struct fit *fit,
                               const struct evaluation *evaluation, struct diag_list *diags);

#endif
