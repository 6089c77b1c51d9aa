// SPDX-License-Identifier: GPL-3.0-or-later
// Compares an unfolded program (sim/flatten/flatten.h) with what its ranks did in a run, by its
// log: which requests each rank started, with peer, tag, size, context and number, in which order,
// and where it waited for which.
#ifndef NETSIM_TESTS_SUPPORT_FLAT_REFERENCE_H
#define NETSIM_TESTS_SUPPORT_FLAT_REFERENCE_H

#include "sim/flatten/flatten.h"
#include "tests/support/call_log.h"
#include "tests/support/program_run.h"

// Appends what is wrong to `complaints`. whole: the run has come to its end; else what a rank did
// is where it begins. Returns how many operations were compared.
int64_t flat_reference_check(const struct test_program *program, const struct call_log *log,
                             bool whole, GString *complaints);

// Like flat_reference_check, but for the calls of any ranks.
int64_t flat_reference_compare(struct flatten *flatten, int ranks, const struct call_log *log,
                               bool whole, GString *complaints);

// A rank's unfolded program as text: "isend 1 4 B, wait 1, copy 4 B, "; the caller frees it.
char *flat_reference_text(const struct test_program *program, int rank);

// Appends one operation of that: "isend 1 4 B, ".
void flat_reference_append(GString *text, const struct flat_op *op);

// The collectives that have algorithms to choose from, and their names; ends with a NULL name.
struct flat_collective {
    const char *name, *const *rules;
};
extern const struct flat_collective flat_collectives[];

#endif
