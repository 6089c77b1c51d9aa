// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of a case's work and memory, their texts, and when they warn.
#include "sim/run/estimate.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

// Of a message 22 events, of each further packet of it 17 more, and 75 of each pair of ranks.
static double events_of(double messages, double packets, int ranks)
{
    return 22 * messages + 17 * (packets - messages) + 75.0 * ranks * (ranks - 1) / 2;
}

static void expect_work(const struct test_program *program, double operations, double messages,
                        double packets)
{
    struct compiled compiled = program_compiled(program);
    struct estimate estimate = estimate_of(compiled.test_case);
    CU_ASSERT_DOUBLE_EQUAL(estimate.operations, operations, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(estimate.events, events_of(messages, packets, program->ranks), 1e-6);
    CU_ASSERT(estimate.memory > 12.5e6 && estimate.memory < 30e6);
    compiled_free(&compiled);
}

// As operations a loop is one itself, a part of all ranks counts for each, and a count that is not
// constant is one turn. As messages all are counted that the ranks send, in collectives, too.
static void test_programs(void)
{
    struct test_program plain = {
        .ranks = 2, .ops = {"{send: {to: 1, size: 3000 B}}, {send: {to: 1, size: 1 B}}"}};
    struct test_program loops = {
        .ranks = 3,
        .ops = {"{loop: {count: 5, do: [{send: {to: 1, size: 292 B}}, {loop: {count: 10, do: "
                "[barrier]}}]}}",
                "{loop: {count: 2 + rank, do: [{send: {to: 0, size: 9 B * rank}}]}}"},
        .all = "barrier"};
    expect_work(&plain, 2, 2, 4);
    // Of a barrier rank 0 sends two messages, the others one each.
    double sent = 5 + 3 + 51 * 2 + 2;
    expect_work(&loops, 1 + 5 * (2 + 10) + 2 + 3, sent, sent);
}

// On flows a message is one event of SimGrid, and some of the device; connections make none.
static void test_flows(void)
{
    static const struct {
        const char *player;
        double events;
    } players[] = {{"flow=simgrid", 1}, {"flow=device", 17}};
    for (int i = 0; i < 2; i++) {
        struct test_program program = {
            .ranks = 8,
            .sets = {"fidelity=flow", players[i].player},
            .ops = {"{send: {to: 1, size: 3000 B}}", "{recv: {from: 0, size: 3000 B}}"},
            .all = "barrier"};
        struct compiled compiled = program_compiled(&program);
        // A barrier of eight ranks: seven messages up its tree, seven down.
        CU_ASSERT_DOUBLE_EQUAL(estimate_of(compiled.test_case).events, players[i].events * (1 + 14),
                               1e-9);
        compiled_free(&compiled);
    }
}

static double operations_of(const char *workload)
{
    char *text = g_strdup_printf("schema: 1\nname: t\nstack: lam_via\nnic: eepro100\n"
                                 "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
                                 "links: [{from: node, to: switch, rate: 100 Mb/s}]\n"
                                 "workload: {%s}\n",
                                 workload);
    struct compiled compiled = compiled_new(text, NULL);
    double operations = estimate_of(compiled.test_case).operations;
    compiled_free(&compiled);
    g_free(text);
    return operations;
}

// A benchmark that repeats by a rule of its own is counted operation by operation.
static void test_own_programs(void)
{
    // A broadcast, a barrier, the clock, a loop of computation and three sums, one more sum.
    double expected = 2 * (2 + 2 + 1 + 4 + 1);
    CU_ASSERT_DOUBLE_EQUAL(operations_of("benchmark: nas.ep, class: S, ranks: 2"), expected, 1e-9);
    // Windows of 64, waited for and answered, in loops of 10 and 100 turns; one rank has the clock.
    expected = 2 * (2 + 110 * 66) + 2;
    CU_ASSERT_DOUBLE_EQUAL(operations_of("benchmark: osu.bandwidth, sizes: 1 KiB"), expected, 1e-9);
}

static void test_benchmarks(void)
{
    static const char text[] = "schema: 1\nname: t\nstack: lam_via\nnic: eepro100\n"
                               "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
                               "links: [{from: node, to: switch, rate: 100 Mb/s}]\n"
                               "workload: {benchmark: pmb.pingpong, sizes: [0 B, 1460 B, 3000 B], "
                               "repetitions: 7}\n";
    struct compiled compiled = compiled_new(text, NULL);
    struct estimate estimate = estimate_of(compiled.test_case);
    // Each rank sends and receives in each repetition of each size.
    CU_ASSERT_DOUBLE_EQUAL(estimate.operations, 2 * 2 * 7 * 3, 1e-9);
    // Two exchanges before them, and two barriers of two messages for each size; 1460 B are two
    // packets, 3000 B three.
    double sent = 3 * (2 * 9 + 2 * 2);
    CU_ASSERT_DOUBLE_EQUAL(estimate.events, events_of(sent, sent + 2 * 9 * (1 + 2), 2), 1e-6);
    compiled_free(&compiled);
    // More of each: memory for their data.
    double memory[3];
    static const char *const sizes[] = {"workload.sizes=4 B", "workload.sizes=[4 B, 5 B]",
                                        "workload.sizes=[4 B, 5 B, 6 B]"};
    for (int i = 0; i < 3; i++) {
        compiled = compiled_new(text, (const char *const[]){sizes[i], NULL});
        memory[i] = estimate_of(compiled.test_case).memory;
        compiled_free(&compiled);
    }
    CU_ASSERT(memory[1] > memory[0] + 2 * 12 * 100 && memory[1] < memory[0] + 2 * 12 * 2000);
    CU_ASSERT_DOUBLE_EQUAL(memory[2] - memory[1], memory[1] - memory[0], 1e-6);
}

static void test_text(void)
{
    static const struct {
        struct estimate estimate;
        const char *text, *warning;
    } samples[] = {
        {{12.3e6, 0.4, 4567}, "about 12 MB of memory, 0 operations, 5000 events", NULL},
        {{999.4e6, 1, 94999}, "about 999 MB of memory, 1 operations, 90000 events", NULL},
        {{1e9, 10, 1e11}, "about 1.0 GB of memory, 10 operations, 1e+11 events", NULL},
        {{1.06e9, 15, 250}, "about 1.1 GB of memory, 20 operations, 300 events", "much memory"},
        {{1e6, 99999, 1.1e11},
         "about 1 MB of memory, 100000 operations, 1e+11 events",
         "it will run for very long"},
        {{2e9, 12345678, 2.6e12},
         "about 2.0 GB of memory, 1e+07 operations, 3e+12 events",
         "much memory, and it will run for very long"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *text = estimate_text(&samples[i].estimate);
        char *warning = estimate_warning(&samples[i].estimate);
        char *expected = samples[i].warning
                             ? g_strdup_printf("%s: %s", samples[i].text, samples[i].warning)
                             : NULL;
        SUITE_SAME_TEXT(text, samples[i].text);
        SUITE_SAME_TEXT(warning, expected);
        g_free(expected);
        g_free(warning);
        g_free(text);
    }
}

static void expect_checked(const struct test_program *program, const char *expected)
{
    char *complaints = program_complaints(program);
    SUITE_SAME_TEXT(complaints, expected);
    g_free(complaints);
}

// At the limit, and just above it; the largest loop is blamed.
static void test_limits(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"limits.operations=1113"},
        .ops = {"{loop: {count: 10, do: [barrier]}}, {loop: {count: 1000, do: [barrier]}}, {loop: "
                "{count: 99, do: [barrier]}}",
                "barrier"}};
    expect_checked(&program, "");
    program.sets[0] = "limits.operations=1112";
    expect_checked(&program, "workload.program: about 1.1e+03 operations are more than 1.1e+03: "
                             "the run will not end (limits.operations allows more)\n");
    program.sets[0] = "limits.memory=10 MB";
    expect_checked(&program, "workload.ranks: 2 ranks of lam_via need about 0.0 GB of memory, and "
                             "there are 0.0 GB (limits.memory=2 GB runs it all the same)\n");
    program.sets[0] = "limits.memory=100 MB";
    expect_checked(&program, "");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"programs", test_programs},
        {"on flows messages alone are events", test_flows},
        {"benchmarks", test_benchmarks},
        {"programs of benchmarks", test_own_programs},
        {"what is said", test_text},
        {"limits", test_limits},
        {0},
    };
    return suite_run("workload: estimates", cases);
}
