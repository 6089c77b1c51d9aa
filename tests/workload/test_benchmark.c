// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks as programs: what they repeat and how often, where roots and buffers go, and which
// ranks do what.
#include "sim/workload/benchmark.h"

#include "sim/workload/code.h"
#include "tests/support/suite.h"

#include <string.h>

#define RANKS 5

static const struct benchmark *named(const char *name)
{
    const struct benchmark *benchmark = mpi_benchmarks;
    while (strcmp(benchmark->schema.name, name) != 0)
        benchmark++;
    return benchmark;
}

static struct program *program_of(const char *name, int ranks, int64_t size, int64_t repetitions)
{
    struct workload workload = {
        .benchmark = &named(name)->schema,
        .ranks = ranks,
        .sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .repetitions = repetitions,
    };
    g_array_append_val(workload.sizes, size);
    struct program *program = benchmark_program(named(name), &workload);
    g_array_free(workload.sizes, TRUE);
    return program;
}

static const struct code_op *op_at(const GPtrArray *body, guint index)
{
    CU_ASSERT_FATAL(index < body->len);
    return g_ptr_array_index(body, index);
}

static int64_t value_of(const struct code_value *value)
{
    char *error = NULL;
    if (!value->expression)
        return value->constant;
    int64_t result = expression_value(value->expression, &error);
    CU_ASSERT_PTR_NULL(error);
    return result;
}

static struct code *code_of(const struct program *program, int rank, int ranks)
{
    char *error;
    struct code *code = code_new(program, rank, ranks, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(code);
    return code;
}

// Two to warm up, two barriers, then the clock around all repetitions.
static void expect_frame(const char *name, int64_t size, int64_t repetitions, int64_t expected)
{
    static const enum op_kind frame[] = {OP_LOOP,          OP_BARRIER, OP_BARRIER,
                                         OP_MEASURE_START, OP_LOOP,    OP_MEASURE_STOP};
    struct program *program = program_of(name, RANKS, size, repetitions);
    for (int rank = 0; rank < RANKS; rank++) {
        struct code *code = code_of(program, rank, RANKS);
        SUITE_SAME_INTEGER(code->body->len, G_N_ELEMENTS(frame));
        for (guint i = 0; i < G_N_ELEMENTS(frame); i++)
            CU_ASSERT_EQUAL(op_at(code->body, i)->source->kind, frame[i]);
        SUITE_SAME_INTEGER(value_of(&op_at(code->body, 0)->count), 2);
        SUITE_SAME_INTEGER(value_of(&op_at(code->body, 4)->count), expected);
        SUITE_SAME_INTEGER(value_of(&op_at(code->body, 5)->count), expected);
        SUITE_SAME_INTEGER(value_of(&op_at(code->body, 5)->size), size);
        SUITE_SAME_INTEGER(op_at(code->body, 5)->source->parts, 1);
        code_free(code);
    }
    program_free(program);
}

static void test_frames(void)
{
    static const char *const names[] = {"pmb.sendrecv", "pmb.exchange",  "pmb.bcast",
                                        "pmb.reduce",   "pmb.allreduce", "pmb.allgather",
                                        "pmb.alltoall", "pmb.barrier"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        expect_frame(names[i], 0, 0, 1000);
        expect_frame(names[i], 40960, 7, 7);
        expect_frame(names[i], 1 << 20, 0, 40);
        expect_frame(names[i], INT64_C(41) << 20, 0, 1);
    }
}

// The root goes round with the repetitions; it sends from one buffer, and all others receive into
// the other one.
static void test_bcast_root(void)
{
    struct program *program = program_of("pmb.bcast", RANKS, 8, 20);
    int64_t send = 0, receive = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        struct code *code = code_of(program, rank, RANKS);
        const struct code_op *loop = op_at(code->body, 4), *bcast = op_at(loop->body, 0);
        SUITE_SAME_INTEGER(loop->body->len, 1);
        CU_ASSERT_EQUAL(bcast->source->kind, OP_BCAST);
        for (int turn = 0; turn < 20; turn++) {
            code->variables.values[loop->variable] = turn;
            SUITE_SAME_INTEGER(value_of(&bcast->root), turn % RANKS);
            int64_t *buffer = turn % RANKS == rank ? &send : &receive;
            *buffer = *buffer ? *buffer : value_of(&bcast->buffer);
            CU_ASSERT_EQUAL(value_of(&bcast->buffer), *buffer);
        }
        code_free(code);
    }
    CU_ASSERT(send != receive);
    program_free(program);
}

static void test_ring(void)
{
    struct program *program = program_of("pmb.sendrecv", RANKS, 8, 1);
    for (int rank = 0; rank < RANKS; rank++) {
        struct code *code = code_of(program, rank, RANKS);
        const struct code_op *op = op_at(op_at(code->body, 4)->body, 0);
        SUITE_SAME_INTEGER(value_of(&op->peer), (rank + 1) % RANKS);
        SUITE_SAME_INTEGER(value_of(&op->source_rank), (rank + RANKS - 1) % RANKS);
        code_free(code);
    }
    program_free(program);
}

// Exchange: sends to both neighbours are started, then both receives block, then the sends are
// waited for.
static void test_exchange(void)
{
    static const enum op_kind order[] = {OP_ISEND, OP_ISEND, OP_RECV, OP_RECV, OP_WAITALL};
    struct program *program = program_of("pmb.exchange", RANKS, 8, 1);
    struct code *code = code_of(program, 0, RANKS);
    const GPtrArray *body = op_at(code->body, 4)->body;
    static const int peers[] = {1, RANKS - 1, RANKS - 1, 1};
    SUITE_SAME_INTEGER(body->len, G_N_ELEMENTS(order));
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        CU_ASSERT_EQUAL(op_at(body, i)->source->kind, order[i]);
    for (guint i = 0; i < G_N_ELEMENTS(peers); i++)
        SUITE_SAME_INTEGER(value_of(&op_at(body, i)->peer), peers[i]);
    CU_ASSERT(op_at(body, 0)->request != op_at(body, 1)->request);
    CU_ASSERT_PTR_NULL(op_at(body, 4)->requests);
    code_free(code);
    program_free(program);
}

// PingPong: rank 0 measures alone, half the round trip; bare providers have no barrier.
static void test_pingpong(void)
{
    struct program *program = program_of("pmb.pingpong", 2, 8, 9);
    struct code *first = code_of(program, 0, 2), *second = code_of(program, 1, 2);
    SUITE_SAME_INTEGER(first->body->len, 6);
    SUITE_SAME_INTEGER(second->body->len, 4);
    SUITE_SAME_INTEGER(op_at(first->body, 5)->source->parts, 2);
    code_free(first);
    code_free(second);
    program_free(program);
    program = program_of("native.pingpong", 2, 8, 9);
    first = code_of(program, 0, 2);
    SUITE_SAME_INTEGER(first->body->len, 4);
    code_free(first);
    program_free(program);
}

// What is registered is taken back outside the clock, and 0 B cannot be registered.
static void test_registration(void)
{
    static const enum op_kind order[] = {OP_MEASURE_START, OP_REGISTER, OP_MEASURE_STOP,
                                         OP_DEREGISTER};
    struct program *program = program_of("native.register", 1, 4096, 0);
    struct code *code = code_of(program, 0, 1);
    SUITE_SAME_INTEGER(code->body->len, G_N_ELEMENTS(order));
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        CU_ASSERT_EQUAL(op_at(code->body, i)->source->kind, order[i]);
    CU_ASSERT_EQUAL(value_of(&op_at(code->body, 1)->buffer),
                    value_of(&op_at(code->body, 3)->buffer));
    code_free(code);
    program_free(program);
    program = program_of("native.register", 1, 0, 0);
    code = code_of(program, 0, 1);
    SUITE_SAME_INTEGER(code->body->len, 0);
    code_free(code);
    program_free(program);
}

// Every benchmark says what is reported of it, in step with the metrics that it names.
static void test_reports(void)
{
    for (const struct benchmark *one = mpi_benchmarks; one->schema.name; one++) {
        const struct benchmark_schema *schema = &one->schema;
        CU_ASSERT_EQUAL(one->report.all_ranks, strstr(schema->metrics, "latency_avg_us") != NULL);
        CU_ASSERT_EQUAL(one->report.messages > 0, strstr(schema->metrics, "bandwidth") != NULL);
        CU_ASSERT_EQUAL(schema->sizeless, strcmp(schema->name, "pmb.barrier") == 0);
        CU_ASSERT(!schema->counts && !schema->parameters && !one->report.time_metric);
    }
    SUITE_SAME_INTEGER(named("pmb.sendrecv")->report.messages, 2);
    SUITE_SAME_INTEGER(named("pmb.exchange")->report.messages, 4);
}

static void test_repetitions(void)
{
    SUITE_SAME_INTEGER(pallas_repetitions(0), 1000);
    SUITE_SAME_INTEGER(pallas_repetitions(1), 1000);
    SUITE_SAME_INTEGER(pallas_repetitions(32768), 1000);
    SUITE_SAME_INTEGER(pallas_repetitions(65536), 640);
    SUITE_SAME_INTEGER(pallas_repetitions(4 << 20), 10);
    SUITE_SAME_INTEGER(pallas_repetitions(INT64_C(1) << 40), 1);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"warm-ups, barriers, repetitions", test_frames},
        {"the root of Bcast goes round", test_bcast_root},
        {"Sendrecv is a ring", test_ring},
        {"Exchange", test_exchange},
        {"PingPong", test_pingpong},
        {"registration", test_registration},
        {"what is reported", test_reports},
        {"repetitions by size", test_repetitions},
        {NULL, NULL},
    };
    return suite_run("workload: benchmarks", cases);
}
