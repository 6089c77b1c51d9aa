// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs (tests/support/trial.h) over the VIA RPI must leave nothing in use.
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"
#include "tests/support/trial_stacks.h"

#include <string.h>

// Each rank's requests and pins repeat themselves, and nothing is left.
static bool repeats(const struct test_program *program, const struct program_run *run)
{
    struct rpi_bench *bench = rpi_bench_new(program);
    unsigned failures = CU_get_number_of_failures();
    rpi_bench_run(bench, 0);
    bool same = run->result->fingerprint == engine_fingerprint(bench->sim->engine) &&
                run->result->events == engine_events(bench->sim->engine) &&
                run->lines->len == bench->lines->len;
    for (int rank = 0; rank < bench->ranks; rank++) {
        char *first = program_run_text(run, rank, RPI_REQUESTS_AND_PINS);
        char *second = program_run_text(&(struct program_run){.lines = bench->lines}, rank,
                                        RPI_REQUESTS_AND_PINS);
        same &= strcmp(first, second) == 0;
        rpi_bench_expect_quiet(bench, rank);
        g_free(first);
        g_free(second);
    }
    rpi_bench_free(bench);
    return same && CU_get_number_of_failures() == failures;
}

static void test_programs(void)
{
    // More frequent events are asked for where all stacks are tried.
    static const char *const wanted[] = {"pin evicted", "wait_turn", NULL};
    struct trial_stack stack = trial_lam_via;
    stack.inspect = repeats;
    stack.programs = 200;
    stack.wanted = wanted;
    trial_run(&stack, false);
}

int main(void)
{
    static const struct suite_case cases[] = {{"random programs", test_programs}, {0}};
    return suite_run("rpi: random programs", cases);
}
