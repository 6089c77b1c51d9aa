// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs (tests/support/trial.h) over MVICH must leave nothing in use, and keep the
// credits conserved.
#include "tests/support/mvich_books.h"
#include "tests/support/suite.h"
#include "tests/support/trial_stacks.h"

#define LOOKS 40 // at the books of a run

// The books are right during the run and at its end.
static bool repeats(const struct test_program *program, const struct program_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    for (int look = 1; look <= LOOKS; look++) {
        rpi_bench_run(bench, 1.7 * look);
        mvich_bench_expect_credits(bench);
    }
    rpi_bench_run(bench, 0);
    mvich_bench_expect_quiet(bench);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
    rpi_bench_free(bench);
    return same && CU_get_number_of_failures() == failures;
}

static void test_programs(void)
{
    struct trial_stack stack = trial_mvich;
    stack.inspect = repeats;
    stack.programs = 150;
    trial_run(&stack, false);
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("mvich: random programs", cases);
}
