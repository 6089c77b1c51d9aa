// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe: the operations of programs, from their tables.
#ifndef NETSIM_CLI_DESCRIBE_OPERATIONS_H
#define NETSIM_CLI_DESCRIBE_OPERATIONS_H

#include "sim/scenario/schema.h"

#include <glib.h>

// Whether `wanted` names an operation, or all of them ("operations").
bool describe_has_operations(const struct scenario_schema *schema, const char *wanted);

// Appends the operations that `wanted` names: an operation, a stack whose model has operations, or
// all for NULL and "operations".
void describe_operations_text(GString *out, const struct scenario_schema *schema,
                              const char *wanted);
void describe_operations_markdown(GString *out, const struct scenario_schema *schema,
                                  const char *wanted);

// Appends the names of all operations to a list, which does not own the strings.
void describe_operation_names(const struct scenario_schema *schema, GPtrArray *names);

#endif
