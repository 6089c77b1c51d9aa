// SPDX-License-Identifier: GPL-3.0-or-later
// `netsim describe` of the rules by which libraries make progress (sim/mpi/progress.h).
#ifndef NETSIM_CLI_DESCRIBE_PROGRESS_H
#define NETSIM_CLI_DESCRIBE_PROGRESS_H

#include "sim/scenario/scenario.h"

#include <glib.h>

// Appends the rule of the library of a stack; nothing if the name is no stack's, or the stack has
// no rule.
void describe_progress_text(GString *out, const struct scenario_schema *schema, const char *stack);

// Appends a table of the rules of all libraries.
void describe_progress_markdown(GString *out, const struct scenario_schema *schema);

#endif
