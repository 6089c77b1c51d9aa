// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a case: its run, and the transitions of it that a block of the case lists.
#ifndef NETSIM_TESTS_CASES_CASE_OUTCOME_H
#define NETSIM_TESTS_CASES_CASE_OUTCOME_H

#include "tests/cases/case_file.h"

struct case_outcome {
    struct program_run *run; // NULL: refused. Its lines are in the order of their times
    char *complaints;        // the compiler's
};

// Runs the variant that was read. The caller frees the outcome with case_outcome_free.
struct case_outcome case_outcome_of(const struct case_file *file);
void case_outcome_free(struct case_outcome *outcome);

// Returns the next transition, from *at on, that the block lists: one of its place and of a machine
// of "show"; NULL if there is none.
const struct program_line *case_next_line(const struct case_file *file,
                                          const struct case_block *block,
                                          const struct program_run *run, guint *at);

#endif
