// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives of programs whose blocks differ: the value of an expression with `peer` for each
// rank, calls that are refused, and that many such calls need no memory.
#include "sim/model/model.h"
#include "sim/run/flatten_case.h"
#include "tests/support/allocations.h"
#include "tests/support/flat_reference.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

static void expect_text(const struct test_program *program, int rank, const char *wanted)
{
    char *text = flat_reference_text(program, rank);
    SUITE_SAME_TEXT(text, wanted);
    g_free(text);
}

// The block from a peer has the size of the peer's expression, in the same turn of a loop.
static void test_alltoallv(void)
{
    const struct test_program program = {
        .ranks = 3,
        .stack = "lam_tcp",
        .all = "{loop: {count: 2, as: i, do: [{alltoallv: 1 B * (10 * rank + peer + 100 * i)}]}}"};
    expect_text(&program, 1,
                "copy 11 B, irecv 0 1 B, irecv 2 21 B, isend 0 10 B, isend 2 12 B, wait 1 2 3 4, "
                "copy 111 B, irecv 0 101 B, irecv 2 121 B, isend 0 110 B, isend 2 112 B, "
                "wait 5 6 7 8, ");
}

// In a communicator, peer is a rank of it, and variables have the values that they have for the
// peer.
static void test_communicator(void)
{
    const struct test_program program = {
        .ranks = 4,
        .stack = "lam_tcp",
        .sets = {"workload.communicators={rows: {split: rank % 2}}"},
        .all = "{alltoallv: {sizes: 1 B * (10 * rows_rank + peer + 100 * rank), comm: rows}}, "
               "{send: {to: rank, size: 1 B}}"};
    char *text = flat_reference_text(&program, 3);
    SUITE_CONTAINS(text, "copy 311 B, irecv 1 101 B, isend 1 310 B, wait 1 2, isend 3 1 B");
    g_free(text);
}

static void test_one_root(void)
{
    const struct test_program program = {
        .ranks = 3,
        .stack = "lam_tcp",
        .all = "{gatherv: {root: 1, sizes: 8 B * peer}}, {scatterv: {root: 2, sizes: 5 B + 1 B * "
               "peer}}, {reduce_scatter: 4 B * (peer + 1)}"};
    char *text = flat_reference_text(&program, 1);
    SUITE_CONTAINS(text,
                   "irecv 0 0 B, wait 1, copy 8 B, irecv 2 16 B, wait 2, irecv 2 6 B, wait 3");
    g_free(text);
    text = flat_reference_text(&program, 2);
    SUITE_CONTAINS(text,
                   "isend 1 16 B, wait 1, isend 0 5 B, wait 2, isend 1 6 B, wait 3, copy 7 B");
    // Reduced at rank 0, 4 + 8 + 12 bytes, of which 12 return.
    SUITE_CONTAINS(text, "isend 0 24 B, wait 4, irecv 0 12 B, wait 5");
    g_free(text);
}

// A list is equivalent to an expression of peer with the same values.
static void test_lists(void)
{
    static const char *const all[][2] = {
        {"{alltoallv: {sizes: [1 KiB, \"10 B * rank + 1\", 3 B]}}",
         "{alltoallv: {sizes: \"peer == 0 ? 1024 : peer == 1 ? 10 * rank + 1 : 3\"}}"},
        {"{gatherv: {root: 1, sizes: [1 B, 0 B, \"rank == 0 ? 9 : 3\"]}}",
         "{gatherv: {root: 1, sizes: \"peer == 0 ? 1 : peer == 1 ? 0 : rank == 0 ? 9 : 3\"}}"},
        {"{reduce_scatter: [8 B, 0 B, 4 B]}, {allgatherv: [4 B, 2 B, 0 B]}",
         "{reduce_scatter: 8 B - 8 * (peer == 1) - 4 * (peer == 2)}, {allgatherv: 4 - 2 * peer}"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        for (int rank = 0; rank < 3; rank++) {
            struct test_program list = {.ranks = 3, .stack = "lam_tcp", .all = all[i][0]},
                                expression = {.ranks = 3, .stack = "lam_tcp", .all = all[i][1]};
            char *wanted = flat_reference_text(&expression, rank);
            CU_ASSERT(strlen(wanted) > 10);
            expect_text(&list, rank, wanted);
            g_free(wanted);
        }
}

static void test_wrong_lists(void)
{
    static const struct {
        const char *all, *said;
    } refused[] = {
        {"{allgatherv: []}", "0 sizes, for 1 to 3 ranks"},
        {"{allgatherv: [1 B, 1 B, 1 B, 1 B]}", "4 sizes, for 1 to 3 ranks"},
        {"{allgatherv: [1 B, 1 us, 1 B]}", "allgatherv[1]: \"1 us\""},
        {"{allgatherv: {sizes: [1 B, peer, 1 B]}}", "allgatherv.sizes[1]: \"peer\""},
        {"{allreduce: [1 B, 2 B, 3 B]}", "is expected here, not a list"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        struct test_program program = {.ranks = 3, .stack = "lam_tcp", .all = refused[i].all};
        char *text = program_complaints(&program);
        SUITE_CONTAINS(text, refused[i].said);
        g_free(text);
    }
    // A rank without a size.
    struct test_program few = {.ranks = 3, .stack = "lam_tcp", .all = "{allgatherv: [1 B, 2 B]}"};
    char *text = flat_reference_text(&few, 0);
    SUITE_CONTAINS(text, "is no size");
    g_free(text);
}

static void test_wrong(void)
{
    const struct test_program negative = {.ranks = 2,
                                          .all = "{allgatherv: 1 B * (peer - 1)}, barrier"},
                              counter = {.ranks = 2,
                                         .all = "{loop: {count: 2, as: peer, do: [{alltoallv: 1 B "
                                                "* peer}]}}"};
    char *text = flat_reference_text(&negative, 0);
    SUITE_CONTAINS(text, "is no size");
    g_free(text);
    struct diag_list *diags = diag_list_new();
    char *scenario = g_strdup_printf("schema: 1\nname: t\nstack: lam_tcp\nnic: eepro100\n"
                                     "hosts: [{name: node, count: 2}]\nswitches: [{name: s}]\n"
                                     "links: [{from: node, to: s}]\n"
                                     "workload: {ranks: 2, program: [{ranks: all, do: [%s]}]}\n",
                                     counter.all);
    struct compiled compiled = compiled_try(scenario, NULL, diags);
    CU_ASSERT_PTR_NULL(compiled.scenario);
    CU_ASSERT(diag_any(diags));
    compiled_free(&compiled);
    diag_list_free(diags);
    g_free(scenario);
}

// Of 64 ranks: from its second call on a rank allocates no more memory.
static void test_memory(void)
{
    static const char scenario[] =
        "schema: 1\nname: t\nstack: lam_tcp\nnic: eepro100\n"
        "hosts: [{name: node, count: 64}]\nswitches: [{name: s}]\n"
        "links: [{from: node, to: s}]\n"
        "workload: {ranks: 64, program: [{ranks: all, do: [{loop: {count: 10, as: i, do: "
        "[{alltoallv: 100 B * ((rank + peer + i) % 7)}]}}]}]}\n";
    struct compiled compiled = compiled_new(scenario, NULL);
    struct flatten *flatten = flatten_case(&model_registry, compiled.test_case, NULL);
    int64_t waits = 0;
    for (int rank = 0; rank < 64; rank++) {
        struct flat_op op;
        uint64_t warm = 0;
        int turns = 0;
        while (flatten_next(flatten, rank, &op) == SOURCE_CALL)
            if (op.kind == FLAT_WAIT && ++turns == 2)
                warm = allocations.count;
        SUITE_SAME_INTEGER(allocations.count, warm);
        waits += turns;
    }
    SUITE_SAME_INTEGER(waits, 64 * 10);
    flatten_free(flatten);
    compiled_free(&compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"alltoallv", test_alltoallv},        {"in a communicator", test_communicator},
        {"of one root", test_one_root},       {"what is wrong", test_wrong},
        {"no memory once warm", test_memory}, {"lists", test_lists},
        {"wrong lists", test_wrong_lists},    {0},
    };
    return suite_run("workload: blocks that differ", cases);
}
