// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that a run of a program allocates (allocations.h, which this includes). Include it in
// one file of the test.
#ifndef NETSIM_TESTS_SUPPORT_ALLOCATIONS_RUN_H
#define NETSIM_TESTS_SUPPORT_ALLOCATIONS_RUN_H

#include "sim/run/run.h"
#include "tests/support/allocations.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <stdio.h>

// Runs a program, which must complete with a balanced ledger. Returns how many allocations it took;
// *messages (may be NULL): the messages of its ledger.
static uint64_t allocations_of(const struct test_program *program, uint64_t *messages)
{
    uint64_t before = allocations.count;
    struct compiled compiled = program_compiled(program);
    struct series_result *result = run_case(&model_registry, compiled.test_case, 0, 1, NULL);
    uint64_t count = allocations.count - before;
    SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
    CU_ASSERT(result->ledger_balanced);
    if (messages)
        *messages = result->ledger.messages;
    series_result_free(result);
    compiled_free(&compiled);
    return count;
}

// Pools, rings and tables double: `slack` allocations more for twice as many rounds would be
// theirs, one per message is hundreds.
static void allocations_expect_even(uint64_t few, uint64_t many, uint64_t slack, const char *what)
{
    CU_ASSERT(many <= few + slack);
    if (many > few + slack)
        fprintf(stderr, "%s: %llu allocations, and %llu in twice as many rounds\n", what,
                (unsigned long long)few, (unsigned long long)many);
}

#endif
