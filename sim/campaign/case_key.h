// SPDX-License-Identifier: GPL-3.0-or-later
// What makes two runs the same piece of work: the resolved case without the places and names it
// came from, the seed, and the source of the simulator.
#ifndef NETSIM_CAMPAIGN_CASE_KEY_H
#define NETSIM_CAMPAIGN_CASE_KEY_H

#include "sim/scenario/case.h"

#include <stdint.h>

#define CASE_KEY_LENGTH 64

// Takes the sections out of a case that its stack and card do not read, so that a parameter of
// another stack makes no new piece of work of it. A stack that reads a section that it does not
// name (stack_schema.sections) will abort when the case is run: nothing can slip in unseen.
void case_reduce(struct scenario_case *test_case, const struct scenario_schema *schema);

// The case as compact JSON with sorted keys: stack, card, topology, workload and the value of every
// parameter that it still has, but no name of a series or file, no origin, no source. The caller
// frees it (g_free).
char *case_definition(const struct scenario_case *test_case);

// SHA-256 of definition, seed and source, as CASE_KEY_LENGTH hexadecimal digits. The caller frees
// it.
char *case_key(const char *definition, uint64_t seed, const char *source_id);

#endif
