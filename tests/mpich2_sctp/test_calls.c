// SPDX-License-Identifier: GPL-3.0-or-later
// Calls and copies of a message over ch3:sctp, and the cuts of its parts (thesis 004,
// 3.2.6). One cost at a time is made so large that half a round trip counts how often it is paid.
#include "sim/run/run.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <math.h>

// Half a round trip, in us.
static double latency(int64_t size, const char *cost, const char *set)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch}]\nnic: eepro100\nstack: ch3_sctp\n"
        "host: {processor: {cores: 2}}\n"
        "workload: {benchmark: pmb.pingpong, sizes: [%" G_GINT64_FORMAT " B], repetitions: 20}\n",
        size);
    struct compiled compiled = compiled_new(text, (const char *const[]){cost, set, NULL});
    struct series_result *result = run_case(&model_registry, compiled.test_case, 0, 1, NULL);
    SUITE_SAME_TEXT(sim_status_name(result->status), "completed");
    CU_ASSERT(result->ledger_balanced);
    double value = g_array_index(result->values, struct result_value, 0).value;
    series_result_free(result);
    compiled_free(&compiled);
    g_free(text);
    return value;
}

struct expectation {
    int64_t size;
    const char *set;
    int count; // how often it is paid
};

// `cost` at 20 ms against 10 ms: both hide the wire's time meanwhile.
static void expect_calls(const char *cost, const struct expectation *expected)
{
    char *dear = g_strdup_printf("%s=20 ms", cost), *cheap = g_strdup_printf("%s=10 ms", cost);
    for (; expected->count; expected++) {
        double calls = (latency(expected->size, dear, expected->set) -
                        latency(expected->size, cheap, expected->set)) /
                       10000;
        if (fabs(calls - expected->count) > 0.1) {
            char *got = g_strdup_printf("%s, %d B: %.2f", cost, (int)expected->size, calls),
                 *want = g_strdup_printf("%d", expected->count);
            SUITE_SAME_TEXT(got, want);
            g_free(got);
            g_free(want);
        }
    }
    g_free(dear);
    g_free(cheap);
}

// sctp.ch3.short_single_send: envelope (32 B) and data are one send if together up to 64 KB.
// sctp.ch3.iov_one_by_one: else the elements go one by one, the envelope first, and
// sctp.ch3.fragmentation: data of more than 64 KB in several sends of up to that. A long message
// has a request and its answer before.
static void test_sends(void)
{
    static const struct expectation expected[] = {
        {0, NULL, 1},
        {1000, NULL, 1},
        {65504, NULL, 1},
        {65505, NULL, 2},
        {65536, NULL, 4},
        {65537, NULL, 5},
        {131072, NULL, 5},
        {131073, NULL, 6},
        {1000, "ch3_sctp.message=1032 B", 1},
        {1000, "ch3_sctp.message=1031 B", 2},
        {1000, "ch3_sctp.message=128 B", 9},
        {0},
    };
    expect_calls("sctp.send_call", expected);
}

// Each user message is a read, which blocks: no read finds nothing.
static void test_reads(void)
{
    static const struct expectation expected[] = {
        {0, NULL, 1}, {1000, NULL, 1}, {65505, NULL, 2}, {65537, NULL, 5}, {0},
    };
    expect_calls("sctp.receive_call", expected);
}

// sctp.ch3.global_buffer_copy: besides the sender's copy into the kernel and that out of it into
// the global buffer, one more brings data to their place, whether or not the receive was posted; an
// envelope alone has none.
static void test_copies(void)
{
    static const struct expectation expected[] = {
        {0, NULL, 2},
        {1000, NULL, 3},
        {65504, NULL, 3},
        {0},
    };
    expect_calls("host.memory.copy_setup", expected);
}

static struct program_run *run(const char *first, const char *second, const char *set)
{
    struct test_program program = {
        .ranks = 2, .stack = "ch3_sctp", .sets = {set}, .ops = {first, second}};
    return program_run_good(&program);
}

// sctp.ch3.poll_socket: the socket is read without a check, so that each unsuccessful probe is a
// read of nothing, and so is each turn with something still to be written; a call that waits and
// has nothing to write blocks in its read.
static void test_empty_reads(void)
{
    static const char empty[] = "ch3:sctp reads that found nothing";
    struct program_run *waiting = run("{send: {to: 1, size: 10 B}}",
                                      "{recv: {from: 0, size: 10 B}}", NULL),
                       *probing = run("{compute: 100 ms}, {send: {to: 1, size: 10 B}}",
                                      "{loop: {count: 25, do: [{iprobe: {from: 0}}]}}, "
                                      "{recv: {from: 0, size: 10 B}}",
                                      NULL),
                       *spinning = run("{send: {to: 1, size: 500 KiB}}",
                                       "{recv: {from: 0, size: 500 KiB}}", "ch3.eager=1 MiB");
    SUITE_SAME_INTEGER(program_counter(waiting, empty), 0);
    SUITE_SAME_INTEGER(program_counter(probing, empty), 25);
    CU_ASSERT(program_counter(spinning, empty) > 100);
    program_run_free(waiting);
    program_run_free(probing);
    program_run_free(spinning);
}

// Queues in the report of a rank that hangs.
static long long queue_bytes(int ranks, const char *streams)
{
    char *set = g_strdup_printf("ch3_sctp.streams=%s", streams);
    struct test_program program = {.ranks = ranks,
                                   .stack = "ch3_sctp",
                                   .sets = {set},
                                   .ops = {"{recv: {from: 1, size: 1 B}}", "{compute: 1 ms}"}};
    struct program_run *hanging = program_run(&program, 1);
    SUITE_SAME_TEXT(sim_status_name(hanging->result->status), "deadlock");
    const json_t *told = json_array_get(json_object_get(hanging->result->reason, "ranks"), 0);
    long long bytes = json_integer_value(json_object_get(told, "queues_bytes"));
    program_run_free(hanging);
    g_free(set);
    return bytes;
}

// sctp.ch3.static_queues: each stream of each VC has a queue, though none was used.
static void test_static_queues(void)
{
    long long one = queue_bytes(2, "1");
    CU_ASSERT(one > 0);
    SUITE_SAME_INTEGER(queue_bytes(2, "12"), 12 * one);
    SUITE_SAME_INTEGER(queue_bytes(4, "12"), 24 * one);
}

static const struct suite_case cases[] = {
    {"sends", test_sends},
    {"reads", test_reads},
    {"copies", test_copies},
    {"reads of nothing", test_empty_reads},
    {"static queues", test_static_queues},
    {0},
};

int main(void)
{
    return suite_run("mpich2_sctp: calls", cases);
}
