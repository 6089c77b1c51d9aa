// SPDX-License-Identifier: GPL-3.0-or-later
// What ends a program on a real stack, or keeps it from being run: the sentence that says so.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

static void expect_failure(const struct test_program *program, const char *expected)
{
    struct program_run *run = program_run(program, 1);
    char *text = program_reason(run, "text");
    CU_ASSERT_NOT_EQUAL(run->result->status, SIM_COMPLETED);
    SUITE_CONTAINS(text, expected);
    g_free(text);
    program_run_free(run);
}

// A name stands for one request at a time, of whatever kind.
static void test_request_still_open(void)
{
    static const char *const kinds[] = {"isend: {to: 1", "issend: {to: 1", "irecv: {from: 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        char *ops = g_strdup_printf(
            "{loop: {count: 2, do: [{%s, size: 1 B, request: a}}]}}, {wait: a}", kinds[i]);
        struct test_program program = {.ranks = 2, .ops = {ops, "{compute: 1 ms}"}};
        expect_failure(&program, "rank 0: request a is still open");
        g_free(ops);
    }
}

static void test_registration(void)
{
    struct test_program program = {
        .ranks = 1,
        .ops = {"{register: {size: 1 B * rank, buffer: 0}}"},
    };
    expect_failure(&program, "register, rank 0: 0 B cannot be registered");
    program.ops[0] = "{register: {size: 1 B, buffer: 0}}";
    expect_failure(&program, "does not let programs register memory");
}

static void test_pin_limit(void)
{
    struct test_program program = {
        .ranks = 1,
        .sets = {"host.memory.ram=64 MiB", "host.memory.pin_limit=67108865 B"},
        .all = "barrier",
    };
    char *complaints = program_complaints(&program);
    SUITE_CONTAINS(complaints, "pin_limit: a process may pin 67108865 B of 67108864 B of RAM "
                               "(pinned memory is main memory)");
    g_free(complaints);
    program.sets[1] = "host.memory.pin_limit=64 MiB";
    complaints = program_complaints(&program);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a request that is still open", test_request_still_open},
        {"registration by a program", test_registration},
        {"more pinned than there is", test_pin_limit},
        {0},
    };
    return suite_run("workload: failures of programs", cases);
}
