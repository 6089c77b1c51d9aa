// SPDX-License-Identifier: GPL-3.0-or-later
// Programs and benchmarks unfolded: by every algorithm that libraries have, for any number of
// ranks, each rank's calls in a run are exactly those of its unfolded program; and the unfolded
// program's times and copies. Random programs of all stacks are compared where they are run
// (trial.h).
#include "sim/flatten/flatten.h"
#include "sim/model/model.h"
#include "sim/mpi/library.h"
#include "sim/run/flatten_case.h"
#include "tests/support/flat_reference.h"
#include "tests/support/suite.h"

#include <string.h>

// Calls by their collective. SIZE stands for a size; blocks that may differ do, and some are empty.
static const struct {
    const char *collective, *call;
} calls[] = {
    {"barrier", "{barrier}"},
    {"bcast", "{bcast: {root: ranks - 1, size: SIZE}}"},
    {"reduce", "{reduce: {root: 0, size: SIZE}}"},
    {"allreduce", "{allreduce: SIZE}"},
    {"gather", "{gather: {root: floor(ranks / 2), size: SIZE}}"},
    {"scatter", "{scatter: {root: ranks - 1, size: SIZE}}"},
    {"allgather", "{allgather: SIZE}"},
    {"alltoall", "{alltoall: SIZE}"},
    {"reduce_scatter", "{reduce_scatter: SIZE}"},
    {"scan", "{scan: SIZE}"},
    {"exscan", "{exscan: SIZE}"},
    {"reduce_scatter", "{reduce_scatter: 90 B * peer}"},
    {"gatherv", "{gatherv: {root: ranks - 1, sizes: 900 B * (peer % 3)}}"},
    {"scatterv", "{scatterv: {root: 0, sizes: 700 B * peer}}"},
    {"allgatherv", "{allgatherv: 9 B * ((peer + 1) % 2)}"},
    {"alltoallv", "{alltoallv: SIZE * ((rank + 2 * peer) % 4)}"},
    {"alltoallv", "{alltoallv: SIZE}"},
};

// Runs the program and compares.
static void expect_same(const struct test_program *program, const char *what)
{
    struct call_log *log = call_log_new();
    struct program_run *run = program_run_observed(program, 1, &log->observer);
    GString *complaints = g_string_new(NULL);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    int64_t compared = flat_reference_check(program, log, true, complaints);
    CU_ASSERT(compared > 0 || program->ranks == 1);
    if (complaints->len > 0)
        fprintf(stderr, "%s, %d ranks:\n", what, program->ranks);
    SUITE_SAME_TEXT(complaints->str, "");
    g_string_free(complaints, TRUE);
    program_run_free(run);
    call_log_free(log);
}

// Whether one of the collective's rules is made of others, and of this one.
static bool has_part(const struct flat_collective *collective, const char *part)
{
    for (const char *const *rule = collective->rules; *rule; rule++) {
        const char *const *parts = mpi_rule_parts(collective->name, *rule);
        if (parts && g_strv_contains(parts, part))
            return true;
    }
    return false;
}

// The calls of the collective and of those that may be made of it, and then a barrier: of 0 B, some
// call nothing.
static char *calls_of(const char *collective, const char *size)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        const struct flat_collective *of = flat_collectives;
        while (strcmp(of->name, calls[i].collective) != 0)
            of++;
        if (strcmp(of->name, collective) == 0 || has_part(of, collective))
            g_string_append_printf(text, "%s, ", calls[i].call);
    }
    g_string_append(text, "{barrier}");
    g_string_replace(text, "SIZE", size, 0);
    return g_string_free(text, FALSE);
}

static void expect_rule(const char *collective, const char *rule, const char *size)
{
    char *set = g_strdup_printf("lam.%s=%s", collective, rule), *all = calls_of(collective, size);
    int most = strcmp(size, "0 B") == 0 ? 4 : TEST_MOST_RANKS;
    for (int ranks = 1; ranks <= most; ranks++) {
        struct test_program program = {
            .ranks = ranks, .stack = "lam_tcp", .sets = {set}, .all = all};
        expect_same(&program, set);
    }
    g_free(all);
    g_free(set);
}

static void test_rules(void)
{
    for (size_t i = 0; flat_collectives[i].name; i++)
        for (int rule = 0; flat_collectives[i].rules[rule]; rule++) {
            expect_rule(flat_collectives[i].name, flat_collectives[i].rules[rule], "0 B");
            expect_rule(flat_collectives[i].name, flat_collectives[i].rules[rule], "20 KiB");
        }
}

// Local work of ranks, requests that are named and waited for, and loops.
static void test_calls(void)
{
    struct test_program program = {
        .ranks = 2,
        .all = "{loop: {count: 2, as: i, do: [{isend: {to: 1 - rank, size: 1 B * i, request: a}}, "
               "{irecv: {from: any, size: 5 B, request: b}}, {compute: 1 ns * (i + 1)}, {copy: 7 B "
               "}, {waitall: [b, a]}]}}, {wait: a}, {sendrecv: {to: 1 - rank, from: 1 - rank, "
               "size: 3 B}}, {iprobe: {from: any}}, barrier, {waitall: all}"};
    expect_same(&program, "calls");
    char *text = flat_reference_text(&program, 1);
    SUITE_SAME_TEXT(text, "isend 0 0 B, irecv 5 B, compute 1000 ps, copy 7 B, wait 2 1, "
                          "isend 0 1 B, irecv 5 B, compute 2000 ps, copy 7 B, wait 4 3, "
                          "irecv 0 3 B, isend 0 3 B, wait 5 6, iprobe 0 B, "
                          "isend 0 0 B, wait 8, irecv 0 0 B, wait 9, ");
    g_free(text);
}

// To one rank and from another at once; sends that wait for their receive.
static void test_ring(void)
{
    struct test_program program = {
        .ranks = 3,
        .ops = {"{ssend: {to: 1, size: 9 B}}",
                "{recv: {from: 0, size: 9 B}}, {issend: {to: 2, size: 1 B, request: a}}, {wait: a}",
                "{probe: {from: 1}}, {recv: {from: 1, size: 1 B}}"},
        .all = "{sendrecv: {to: (rank + 1) % ranks, from: (rank + 2) % ranks, size: 3 B}}"};
    expect_same(&program, "ring");
    char *text = flat_reference_text(&program, 2);
    SUITE_SAME_TEXT(text, "probe 1 0 B, wait 1, irecv 1 1 B, wait 2, "
                          "irecv 1 3 B, isend 0 3 B, wait 3 4, ");
    g_free(text);
}

// Groups of ranks, in an order of their own.
static void test_communicators(void)
{
    struct test_program program = {
        .ranks = 6,
        .sets = {"workload.communicators={pair: [5, 0], rows: {split: rank % 2}}"},
        .ops =
            {"{recv: {from: any, size: 9 B, comm: pair}}, {recv: {from: any, size: 99 B}}", NULL,
             NULL, NULL, NULL,
             ("{send: {to: 0, size: 99 B}}, {isend: {to: 1, size: 9 B, comm: pair, request: a}}, "
              "{waitall: all}")},
        .all = "{allreduce: {size: 3 KiB, comm: rows}}, {bcast: {root: 2, size: 1 B, comm: rows}}, "
               "{alltoall: {size: 10 B, comm: rows}}, {sendrecv: {to: (rows_rank + 1) % 3, from: "
               "(rows_rank + 2) % 3, size: 5 B, comm: rows}}, barrier"};
    expect_same(&program, "communicators");
}

// The four steps of a rank in recursive doubling, and the sums between them.
static void test_allreduce(void)
{
    struct test_program program = {.ranks = 4,
                                   .stack = "lam_tcp",
                                   .sets = {"lam.allreduce=recursive_doubling"},
                                   .all = "{allreduce: 8 B}"};
    char *text = flat_reference_text(&program, 2);
    SUITE_SAME_TEXT(text, "copy 8 B, irecv 3 8 B, isend 3 8 B, wait 1 2, reduce 8 B, "
                          "irecv 0 8 B, isend 0 8 B, wait 3 4, reduce 8 B, ");
    g_free(text);
}

static void test_wrong(void)
{
    struct test_program program = {.ranks = 2,
                                   .ops = {"{compute: 1 us}, {send: {to: rank - 1, size: 1 B}}"},
                                   .all = "barrier"};
    char *text = flat_reference_text(&program, 0);
    SUITE_SAME_TEXT(text, "compute 1000000 ps, there is no rank -1 (ranks: 0..1)");
    g_free(text);
}

// ---- Benchmarks, and operations other than messages between two ranks that both call ----

static void expect_benchmark(const char *stack, const char *name)
{
    char *text = g_strdup_printf("schema: 1\nname: t\nstack: %s\n"
                                 "hosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
                                 "links: [{from: node, to: switch}]\n"
                                 "workload: {benchmark: %s, sizes: [64 B], repetitions: 3}\n",
                                 stack, name);
    struct compiled compiled = compiled_new(text, NULL);
    struct flatten *flatten = flatten_case(&model_registry, compiled.test_case, NULL);
    struct flat_op op;
    int messages = 0, clocks = 0, others = 0;
    while (flatten_next(flatten, 0, &op) == SOURCE_CALL) {
        messages += op.kind == FLAT_SEND && op.context == CONTEXT_POINT_TO_POINT;
        clocks += op.kind == FLAT_MEASURE;
        others += op.kind == FLAT_OTHER;
    }
    SUITE_SAME_INTEGER(clocks, 2);
    CU_ASSERT(messages + others >= 3);
    flatten_free(flatten);
    compiled_free(&compiled);
    g_free(text);
}

static void test_benchmarks(void)
{
    expect_benchmark("grim\nnic: lanai9\nwhat_if: card_rate", "grim.latency");
    expect_benchmark("lam_tcp\nnic: eepro100", "pmb.exchange");
}

static void expect_text(const char *ops, int rank, const char *expected)
{
    struct test_program program = {.ranks = 2, .stack = "lam_tcp", .all = ops};
    char *text = flat_reference_text(&program, rank);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// Requests that are started again and again, sends from the attached buffer, and tests.
static void test_requests(void)
{
    expect_text("{send_init: {to: 1 - rank, size: 8 B, request: a}}, {recv_init: {from: 1 - rank, "
                "size: 9 B, request: b}}, {loop: {count: 2, do: [{startall: all}, {testall: "
                "{requests: [b, a], every: 1 us}}]}}, {request_free: a}, {start: b}, {test: b}, "
                "{waitany: [a, b]}",
                0,
                "isend 1 8 B, irecv 1 9 B, wait 2 1, isend 1 8 B, irecv 1 9 B, wait 4 3, irecv 1 9 "
                "B, wait 5, ");
    expect_text(
        "{buffer_attach: 1 kB}, {bsend: {to: 1 - rank, size: 8 B}}, {ibsend: {to: 1 - "
        "rank, size: 0 B, request: a}}, {wait: a}, {recv: {from: any, size: 8 B}}, "
        "buffer_detach, {sendrecv_replace: {to: 1 - rank, from: any, size: 3 B}}",
        1,
        "copy 8 B, isend 0 8 B, isend 0 0 B, irecv 8 B, wait 3, wait 1 2, irecv 3 B, copy 3 "
        "B, isend 0 3 B, wait 4 5, ");
    expect_text("{irecv: {from: any, size: 3 B, request: a}}, {isend: {to: 0, size: 3 B, request: "
                "b}}, {waitsome: [a, b]}",
                0,
                "irecv 3 B, isend 0 3 B, which of several requests is done first, only a run "
                "says");
    expect_text("{isend: {to: 0, size: 3 B, request: b}}, {testany: {requests: all, every: 1 us}}, "
                "{testsome: {requests: all, every: 1 us}}",
                0, "isend 0 3 B, wait 1, ");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every algorithm", test_rules},
        {"calls", test_calls},
        {"a ring", test_ring},
        {"communicators", test_communicators},
        {"an allreduce", test_allreduce},
        {"what is wrong", test_wrong},
        {"benchmarks", test_benchmarks},
        {"requests with names", test_requests},
        {0},
    };
    return suite_run("workload: programs unfolded", cases);
}
