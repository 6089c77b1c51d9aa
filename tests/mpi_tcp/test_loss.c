// SPDX-License-Identifier: GPL-3.0-or-later
// Lost frames: TCP makes them good, so that every program ends with balanced books, whichever frame
// is lost. A loss only takes time.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#define MOST_FRAMES 400

// Drops each frame in turn until there are no more; the transitions of all requests stay the same
// (of one rank at a time: the program leaves no choice). Returns how many there were.
static int drop_each(const struct test_program *program)
{
    struct program_run *whole = program_run(program, 1);
    SUITE_SAME_TEXT(sim_status_name(whole->result->status), "completed");
    int nth = 0;
    bool beyond = false;
    while (!beyond && ++nth < MOST_FRAMES) {
        struct program_run *run = program_run_lossy(program, nth);
        SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
        CU_ASSERT(run->result->ledger_balanced);
        SUITE_SAME_INTEGER((long long)run->result->ledger.duplicated, 0);
        for (int rank = 0; rank < program->ranks; rank++) {
            char *text = program_run_text(run, rank, "send recv"),
                 *expected = program_run_text(whole, rank, "send recv");
            SUITE_SAME_TEXT(text, expected);
            g_free(text);
            g_free(expected);
        }
        beyond = run->result->fingerprint == whole->result->fingerprint;
        program_run_free(run);
    }
    program_run_free(whole);
    return nth - 1;
}

#define OPS                                                                                        \
    {                                                                                              \
        "{send: {to: 1, size: 10 B}}, {ssend: {to: 1, size: 3 KiB}}, "                             \
        "{send: {to: 1, size: 40 KiB}}, {recv: {from: 1, size: 100 B}}",                           \
            "{recv: {from: 0, size: 10 B}}, {recv: {from: 0, size: 3 KiB}}, "                      \
            "{recv: {from: 0, size: 40 KiB}}, {send: {to: 0, size: 100 B}}"                        \
    }

static void test_lam(void)
{
    static const char *const limits[] = {"lam_tcp.short=64 KiB", "lam_tcp.short=1 KiB"};
    for (int i = 0; i < 2; i++) {
        struct test_program program = {
            .ranks = 2, .stack = "lam_tcp", .sets = {limits[i]}, .ops = OPS};
        CU_ASSERT(drop_each(&program) > 30);
    }
}

// A reply lets the receiver post its next receive before that message is sent: ch_p4 and
// ch3:sock read whatever comes.
#define ANSWERED_OPS                                                                               \
    {                                                                                              \
        "{send: {to: 1, size: 10 B}}, {recv: {from: 1, size: 0 B}}, "                              \
        "{irecv: {from: 1, size: 0 B, request: r}}, {ssend: {to: 1, size: 3 KiB}}, {wait: r}, "    \
        "{send: {to: 1, size: 40 KiB}}, {recv: {from: 1, size: 100 B}}",                           \
            "{recv: {from: 0, size: 10 B}}, {send: {to: 0, size: 0 B}}, "                          \
            "{recv: {from: 0, size: 3 KiB}}, {send: {to: 0, size: 0 B}}, "                         \
            "{recv: {from: 0, size: 40 KiB}}, {send: {to: 0, size: 100 B}}"                        \
    }

static void test_p4(void)
{
    static const char *const limits[] = {"mpich_p4.eager=128000 B", "mpich_p4.eager=16384 B"};
    for (int i = 0; i < 2; i++) {
        struct test_program program = {
            .ranks = 2, .stack = "mpich_p4", .sets = {limits[i]}, .ops = ANSWERED_OPS};
        CU_ASSERT(drop_each(&program) > 30);
    }
}

static void test_ch3_sock(void)
{
    static const char *const limits[] = {"ch3.eager=64 KiB", "ch3.eager=1 KiB"};
    for (int i = 0; i < 2; i++) {
        struct test_program program = {
            .ranks = 2, .stack = "ch3_sock", .sets = {limits[i]}, .ops = ANSWERED_OPS};
        CU_ASSERT(drop_each(&program) > 30);
    }
}

// A network that loses everything: TCP gives up or waits, and the run does not complete.
static void test_cut(void)
{
    static const char *const stacks[] = {"lam_tcp", "mpich_p4", "ch3_sock"};
    for (int i = 0; i < 3; i++) {
        struct test_program program = {
            .ranks = 2,
            .stack = stacks[i],
            .sets = {"link.drop_probability=1"},
            .ops = {"{send: {to: 1, size: 10 B}}", "{recv: {from: 0, size: 10 B}}"},
        };
        struct program_run *run = program_run(&program, 1);
        CU_ASSERT(run->result->status != SIM_COMPLETED);
        program_run_free(run);
    }
}

// A rank that waits for a message when all others have ended waits for ever: a deadlock.
static void test_others_ended(void)
{
    static const char *const stacks[] = {"lam_tcp", "mpich_p4", "ch3_sock"};
    for (int i = 0; i < 3; i++) {
        struct test_program program = {
            .ranks = 3,
            .stack = stacks[i],
            .ops = {"{recv: {from: any, size: 10 B}}, {recv: {from: any, size: 10 B}}",
                    "{send: {to: 0, size: 10 B}}"},
        };
        struct program_run *run = program_run(&program, 1);
        SUITE_SAME_TEXT(sim_status_name(run->result->status), "deadlock");
        SUITE_SAME_INTEGER((long long)run->result->ledger.delivered, 1);
        program_run_free(run);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM: each frame in turn", test_lam},         {"MPICH: each frame in turn", test_p4},
        {"MPICH2: each frame in turn", test_ch3_sock}, {"nothing gets through", test_cut},
        {"all others have ended", test_others_ended},  {0},
    };
    return suite_run("mpi_tcp: lost frames", cases);
}
