// SPDX-License-Identifier: GPL-3.0-or-later
// The input and output that `netsim calibrate` and `netsim fit` have in common.
#ifndef NETSIM_CLI_CALIBRATE_INPUT_H
#define NETSIM_CLI_CALIBRATE_INPUT_H

#include "sim/calibrate/parameter.h"
#include "sim/calibrate/target.h"
#include "sim/cli/cli.h"

// The parameters of all of --fit (struct fit_parameter *). NULL after an error that has been
// reported. Free with g_ptr_array_unref.
GPtrArray *calibrate_parameters(char **fits, const struct scenario *scenario);

// The targets of a file of YAML or of measured points. NULL after errors that have been reported.
struct target_list *calibrate_targets(const struct scenario *scenario, const char *file);

// Appends " OPTION WORD" in shell syntax; without an option (""), the word.
void calibrate_append_word(GString *text, const char *option, const char *word);

// Puts a text into a file, whose directory is made if it is missing.
enum cli_exit calibrate_write(const char *path, const char *text);

#endif
