// SPDX-License-Identifier: GPL-3.0-or-later
// A program as a source of calls: ranks may be asked in any order, memory does not grow with ranks
// times operations, and none is asked for once the loops were entered.
//
// Under AddressSanitizer, which has a malloc of its own, memory is not counted.
#include "sim/source/program_source.h"
#include "tests/support/allocations.h"
#include "tests/support/fake_operations.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static struct program *program_of(const char *parts, int ranks)
{
    struct diag_list *diags = diag_list_new();
    struct node *list = node_parse(parts, strlen(parts), "t.yaml", NULL, diags);
    struct program *program =
        list ? program_read(list, NULL, ranks, &fake_library, "p", diags) : NULL;
    CU_ASSERT_FALSE(diag_any(diags));
    node_free(list);
    diag_list_free(diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    return program;
}

// Appends the rank's next call; false after its last.
static bool append_call(GString *text, struct op_source *source, int rank)
{
    struct op_call call;
    enum source_next next = source->next(source, rank, &call);
    if (next == SOURCE_WRONG)
        g_string_append_printf(text, "line %d: %s: %s", call.mark->line, call.kind->name,
                               call.wrong);
    if (next != SOURCE_CALL)
        return false;
    if (op_call_is(&call, OP_LOOP))
        return true;
    g_string_append_printf(text, "%s", call.kind->name);
    const struct operation_arguments *arguments = call.arguments;
    if (arguments->peer >= 0)
        g_string_append_printf(text, " %d", arguments->peer);
    if (arguments->size)
        g_string_append_printf(text, " %" G_GINT64_FORMAT " B", arguments->size);
    if (op_call_is(&call, OP_COMPUTE))
        g_string_append_printf(text, " %" G_GINT64_FORMAT " ps",
                               ((const struct compute_arguments *)call.arguments)->time);
    if (call.request_name)
        g_string_append_printf(text, " %s=%d", call.request_name, call.request);
    for (int i = 0; i < call.awaited_count; i++)
        g_string_append_printf(text, " %d", call.awaited[i]);
    g_string_append(text, "; ");
    return true;
}

static char *all_calls(const struct program *program, int rank, int ranks)
{
    struct op_source *source = program_source_new(program, ranks);
    GString *text = g_string_new(NULL);
    while (append_call(text, source, rank))
        ;
    op_source_free(source);
    return g_string_free(text, FALSE);
}

static const char mixed[] =
    "[{ranks: 0..3, do: [{loop: {count: rank, as: i, do: [{loop: {count: 2, as: k, do: "
    "[{isend: {to: (rank + i + k) % ranks, size: 1 B * (i + 10 * k), request: a}}, "
    "{wait: a}]}}, {compute: 1 ns * rank + 2 ns * i}]}}]}, "
    "{ranks: all, do: [barrier]}, "
    "{ranks: [1, 3], do: [{irecv: {from: any, size: 5 B, request: b}}, {isend: {to: rank, size: "
    "5 B, request: a}}, {waitall: [a, b]}]}]";

static void test_flat(void)
{
    struct program *program = program_of(mixed, 5);
    static const char *const expected[] = {
        "barrier; ",
        "isend 1 a=0; wait 0; isend 2 10 B a=0; wait 0; compute 1000 ps; barrier; irecv 5 B b=1; "
        "isend 1 5 B a=0; waitall 0 1; ",
        "isend 2 a=0; wait 0; isend 3 10 B a=0; wait 0; compute 2000 ps; isend 3 1 B a=0; wait 0; "
        "isend 4 11 B a=0; wait 0; compute 4000 ps; barrier; ",
        NULL,
        "barrier; ",
    };
    for (int rank = 0; rank < 5; rank++) {
        char *text = all_calls(program, rank, 5);
        if (expected[rank])
            SUITE_SAME_TEXT(text, expected[rank]);
        g_free(text);
    }
    program_free(program);
}

// A source that is asked for all ranks in a random order returns to each the calls that it gets
// alone.
static void test_any_order(void)
{
    struct program *program = program_of(mixed, 5);
    GRand *random = g_rand_new_with_seed(7);
    for (int round = 0; round < 20; round++) {
        struct op_source *source = program_source_new(program, 5);
        GString *texts[5];
        int left = 5;
        bool over[5] = {false};
        for (int rank = 0; rank < 5; rank++)
            texts[rank] = g_string_new(NULL);
        while (left > 0) {
            int rank = g_rand_int_range(random, 0, 5);
            if (over[rank] || append_call(texts[rank], source, rank))
                continue;
            over[rank] = true;
            left--;
        }
        for (int rank = 0; rank < 5; rank++) {
            char *alone = all_calls(program, rank, 5);
            SUITE_SAME_TEXT(texts[rank]->str, alone);
            g_free(alone);
            g_string_free(texts[rank], TRUE);
        }
        op_source_free(source);
    }
    g_rand_free(random);
    program_free(program);
}

static void test_wrong(void)
{
    static const struct {
        const char *parts, *said;
    } samples[] = {
        {"[{ranks: 0, do: [barrier,\n{send: {to: rank - 1, size: 1 B}}]}]",
         "barrier; line 2: send: there is no rank -1 (ranks: 0..2)"},
        {"[{ranks: 0, do: [{compute: 1 ns / rank}]}]",
         "line 1: compute: \"1 ns / rank\" divides by zero or is too large"},
        {"[{ranks: 0, do: [{loop: {count: 1 / rank, do: [barrier]}}]}]",
         "line 1: loop: \"1 / rank\" divides by zero or is too large"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct program *program = program_of(samples[i].parts, 3);
        char *text = all_calls(program, 0, 3);
        SUITE_SAME_TEXT(text, samples[i].said);
        g_free(text);
        program_free(program);
    }
}

// ---- Memory ----

// Bytes that are asked for while all ranks do a program of 300 operations.
static uint64_t bytes_of(int ranks)
{
    GString *parts = g_string_new("[{ranks: all, do: [");
    for (int i = 0; i < 300; i++)
        g_string_append(parts, "{sendrecv: {to: (rank + 1) % ranks, from: any, size: 1 B}}, ");
    g_string_append(parts, "barrier]}]");
    struct program *program = program_of(parts->str, ranks);
    struct op_call call;
    uint64_t before = allocations.bytes;
    struct op_source *source = program_source_new(program, ranks);
    for (int rank = 0; rank < ranks; rank++)
        while (source->next(source, rank, &call) != SOURCE_END)
            ;
    op_source_free(source);
    program_free(program);
    g_string_free(parts, TRUE);
    return allocations.bytes - before;
}

static void test_memory(void)
{
    uint64_t one = bytes_of(1), many = bytes_of(1001);
    CU_ASSERT(many - one <= 1000 * 512);
}

static void test_warm(void)
{
    struct program *program = program_of(
        "[{ranks: all, do: [{loop: {count: 1000, as: i, do: [{loop: {count: 3, as: k, do: [{send: "
        "{to: (rank + k) % ranks, size: 1 B * i}}, {compute: 1 ns * k}]}}, {put: {to: 0, segments: "
        "[{bytes: 8 B, count: i + 1}]}}]}}]}]",
        4);
    struct op_source *source = program_source_new(program, 4);
    struct op_call call;
    for (int i = 0; i < 4 * 20; i++)
        CU_ASSERT_EQUAL(source->next(source, i % 4, &call), SOURCE_CALL);
    uint64_t before = allocations.bytes;
    for (int i = 0; i < 4 * 5000; i++)
        source->next(source, i % 4, &call);
    CU_ASSERT_EQUAL(allocations.bytes, before);
    op_source_free(source);
    program_free(program);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"calls are flat and evaluated", test_flat},
        {"ranks in any order", test_any_order},
        {"what is wrong", test_wrong},
        {"memory does not grow with ranks times operations", test_memory},
        {"nothing is allocated once warm", test_warm},
        {0},
    };
    return suite_run("workload: programs as sources", cases);
}
