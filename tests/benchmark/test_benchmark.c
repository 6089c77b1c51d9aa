// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks as programs: their repetitions, their roots and buffers, and the ranks of each
// operation.
#include "sim/benchmark/benchmark.h"

#include "sim/source/program_source.h"
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

static void call_clear(void *data)
{
    g_free((void *)(uintptr_t)((struct op_call *)data)->arguments);
}

// All calls of a rank with arguments of their own, laps among them as OP_LOOP without a place. Free
// with g_array_unref.
static GArray *calls_of(const struct program *program, int rank, int ranks)
{
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(struct op_call));
    struct op_source *source = program_source_new(program, ranks);
    struct op_call call;
    g_array_set_clear_func(calls, call_clear);
    enum source_next next;
    while ((next = source->next(source, rank, &call)) != SOURCE_END) {
        CU_ASSERT_FATAL(next != SOURCE_WRONG);
        if (next == SOURCE_LAP)
            call = (struct op_call){.kind = &operation_table[OP_LOOP], .turns = call.turns};
        if (call.arguments)
            call.arguments = g_memdup2(call.arguments, operation_arguments_size(call.kind));
        g_array_append_val(calls, call);
    }
    op_source_free(source);
    return calls;
}

static const struct op_call *call_at(const GArray *calls, guint index)
{
    CU_ASSERT_FATAL(index < calls->len);
    return &g_array_index(calls, struct op_call, index);
}

static bool is_lap(const struct op_call *call)
{
    return op_call_is(call, OP_LOOP) && !call->mark;
}

static void expect_call(const GArray *calls, guint *index, enum op_code code, int64_t count)
{
    const struct op_call *call = call_at(calls, (*index)++);
    CU_ASSERT_TRUE(op_call_is(call, code));
    CU_ASSERT_FALSE(is_lap(call));
    if (count)
        SUITE_SAME_INTEGER(code == OP_LOOP
                               ? ((const struct loop_arguments *)call->arguments)->count
                               : ((const struct measure_arguments *)call->arguments)->count,
                           count);
}

// Skips `turns` turns of a loop with `body` calls each, and with a lap at the end of each.
static void expect_turns(const GArray *calls, guint *index, int64_t turns, guint body, bool lapped)
{
    for (int64_t turn = 0; turn < turns; turn++) {
        *index += body;
        if (!lapped)
            continue;
        CU_ASSERT_TRUE(is_lap(call_at(calls, *index)));
        SUITE_SAME_INTEGER(call_at(calls, (*index)++)->turns, turns);
    }
}

// Two to warm up, two barriers, then the clock around all repetitions, which are laps.
static void expect_frame(const char *name, int64_t size, int64_t repetitions, int64_t expected)
{
    guint body = strcmp(name, "pmb.exchange") == 0 ? 5 : 1;
    struct program *program = program_of(name, RANKS, size, repetitions);
    for (int rank = 0; rank < RANKS; rank++) {
        GArray *calls = calls_of(program, rank, RANKS);
        guint at = 0;
        expect_call(calls, &at, OP_LOOP, 2);
        expect_turns(calls, &at, 2, body, false);
        expect_call(calls, &at, OP_BARRIER, 0);
        expect_call(calls, &at, OP_BARRIER, 0);
        expect_call(calls, &at, OP_MEASURE_START, 0);
        expect_call(calls, &at, OP_LOOP, expected);
        expect_turns(calls, &at, expected, body, true);
        const struct measure_arguments *stop = call_at(calls, at)->arguments;
        SUITE_SAME_INTEGER(stop->common.size, size);
        SUITE_SAME_INTEGER(stop->parts, 1);
        expect_call(calls, &at, OP_MEASURE_STOP, expected);
        SUITE_SAME_INTEGER(calls->len, at);
        g_array_unref(calls);
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
        GArray *calls = calls_of(program, rank, RANKS);
        for (int turn = 0; turn < 20; turn++) {
            const struct op_call *bcast = call_at(calls, 7 + 2 * (guint)turn);
            const struct collective_arguments *arguments = bcast->arguments;
            CU_ASSERT_TRUE(op_call_is(bcast, OP_BCAST));
            SUITE_SAME_INTEGER(arguments->root, turn % RANKS);
            int64_t *buffer = turn % RANKS == rank ? &send : &receive;
            *buffer = *buffer ? *buffer : arguments->common.buffer;
            CU_ASSERT_EQUAL(arguments->common.buffer, *buffer);
        }
        g_array_unref(calls);
    }
    CU_ASSERT(send != receive);
    program_free(program);
}

static void test_ring(void)
{
    struct program *program = program_of("pmb.sendrecv", RANKS, 8, 1);
    for (int rank = 0; rank < RANKS; rank++) {
        GArray *calls = calls_of(program, rank, RANKS);
        const struct sendrecv_arguments *arguments = call_at(calls, 7)->arguments;
        SUITE_SAME_INTEGER(arguments->send.common.peer, (rank + 1) % RANKS);
        SUITE_SAME_INTEGER(arguments->source, (rank + RANKS - 1) % RANKS);
        g_array_unref(calls);
    }
    program_free(program);
}

// Exchange: sends to both neighbours are started, then both receives block, then the sends are
// waited for.
static void test_exchange(void)
{
    static const enum op_code order[] = {OP_ISEND, OP_ISEND, OP_RECV, OP_RECV, OP_WAITALL};
    struct program *program = program_of("pmb.exchange", RANKS, 8, 1);
    GArray *calls = calls_of(program, 0, RANKS);
    static const int peers[] = {1, RANKS - 1, RANKS - 1, 1};
    const guint first = 15;
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        CU_ASSERT_TRUE(op_call_is(call_at(calls, first + i), order[i]));
    for (guint i = 0; i < G_N_ELEMENTS(peers); i++)
        SUITE_SAME_INTEGER(op_call_common(call_at(calls, first + i))->peer, peers[i]);
    CU_ASSERT(call_at(calls, first)->request != call_at(calls, first + 1)->request);
    CU_ASSERT_TRUE(call_at(calls, first + 4)->awaits_all);
    g_array_unref(calls);
    program_free(program);
}

static guint without_laps(const GArray *calls)
{
    guint count = 0;
    for (guint i = 0; i < calls->len; i++)
        count += !is_lap(call_at(calls, i));
    return count;
}

// PingPong: rank 0 measures alone, half the round trip; bare providers have no barrier.
static void test_pingpong(void)
{
    struct program *program = program_of("pmb.pingpong", 2, 8, 9);
    GArray *first = calls_of(program, 0, 2), *second = calls_of(program, 1, 2);
    guint exchanges = 2 * (2 + 9);
    SUITE_SAME_INTEGER(without_laps(first), 6 + exchanges);
    SUITE_SAME_INTEGER(first->len, 6 + exchanges + 9);
    SUITE_SAME_INTEGER(second->len, 4 + exchanges);
    SUITE_SAME_INTEGER(
        ((const struct measure_arguments *)call_at(first, first->len - 1)->arguments)->parts, 2);
    g_array_unref(first);
    g_array_unref(second);
    program_free(program);
    program = program_of("native.pingpong", 2, 8, 9);
    first = calls_of(program, 0, 2);
    SUITE_SAME_INTEGER(without_laps(first), 4 + exchanges);
    g_array_unref(first);
    program_free(program);
}

// Registered memory is deregistered outside the clock, and 0 B cannot be registered.
static void test_registration(void)
{
    static const enum op_code order[] = {OP_MEASURE_START, OP_REGISTER, OP_MEASURE_STOP,
                                         OP_DEREGISTER};
    struct program *program = program_of("native.register", 1, 4096, 0);
    GArray *calls = calls_of(program, 0, 1);
    SUITE_SAME_INTEGER(calls->len, G_N_ELEMENTS(order));
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        CU_ASSERT_TRUE(op_call_is(call_at(calls, i), order[i]));
    CU_ASSERT_EQUAL(op_call_common(call_at(calls, 1))->buffer,
                    op_call_common(call_at(calls, 3))->buffer);
    g_array_unref(calls);
    program_free(program);
    program = program_of("native.register", 1, 0, 0);
    calls = calls_of(program, 0, 1);
    SUITE_SAME_INTEGER(calls->len, 0);
    g_array_unref(calls);
    program_free(program);
}

// The values that each benchmark reports match the metrics that it names.
static void test_reports(void)
{
    for (const struct benchmark *one = mpi_benchmarks; one->schema.name; one++) {
        const struct benchmark_schema *schema = &one->schema;
        CU_ASSERT_EQUAL(one->report.all_ranks, strstr(schema->metrics, "latency_avg_us") != NULL);
        CU_ASSERT_EQUAL(one->report.messages > 0, strstr(schema->metrics, "bandwidth") != NULL);
        CU_ASSERT_EQUAL(schema->over_time, strcmp(schema->name, "native.stream") == 0);
        CU_ASSERT_EQUAL(schema->sizeless,
                        schema->over_time || strcmp(schema->name, "pmb.barrier") == 0);
        CU_ASSERT_EQUAL(schema->counts != NULL, schema->over_time);
        bool windows = one->report.bits, osu = strncmp(schema->name, "osu.", 4) == 0;
        CU_ASSERT_EQUAL(schema->parameters != NULL, schema->over_time || osu);
        CU_ASSERT_EQUAL(one->report.time_metric != NULL, windows);
        CU_ASSERT_EQUAL(strstr(schema->metrics, "message_us") != NULL, windows);
        CU_ASSERT_TRUE(!windows || (osu && schema->overlapping));
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
