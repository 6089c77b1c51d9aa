// SPDX-License-Identifier: GPL-3.0-or-later
// Defines when two runs are the same piece of work: same resolved case without source locations and
// names, same seed, same simulator source.
#ifndef NETSIM_CAMPAIGN_CASE_KEY_H
#define NETSIM_CAMPAIGN_CASE_KEY_H

#include "sim/scenario/case.h"

#include <stdint.h>

#define CASE_KEY_LENGTH 64

// Removes from a case the sections that its stack and card do not read, so that a changed parameter
// of another stack makes no new piece of work. A stack that reads a section that it does not
// declare (stack_schema.sections) aborts when the case is run, so an undeclared dependency can't go
// unnoticed.
void case_reduce(struct scenario_case *test_case, const struct scenario_schema *schema);

// The case as compact JSON with sorted keys: stack, card, topology, workload and the value of each
// remaining parameter, but no series name, file name, origin or source. The caller frees it
// (g_free).
char *case_definition(const struct scenario_case *test_case);

// SHA-256 of definition, seed and source, as CASE_KEY_LENGTH hexadecimal digits. The caller frees
// it.
char *case_key(const char *definition, uint64_t seed, const char *source_id);

#endif
