// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of a message in system calls and copies. One cost at a time is made so large that half a
// round trip counts how often it is paid on the path of a message (via.cfg.comparators).
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#define MOST_SETS 10

// Half a round trip, in us.
static double latency(const char *stack, int64_t size, const char *const *sets, const char *more)
{
    const char *all[MOST_SETS + 2] = {more};
    int count = more != NULL;
    while (sets[0])
        all[count++] = *sets++;
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch}]\nnic: eepro100\nstack: %s\n"
        "host: {processor: {cores: 2}}\n"
        "workload: {benchmark: %s, sizes: [%" G_GINT64_FORMAT " B], repetitions: 50}\n",
        stack, strcmp(stack, "tcp") == 0 ? "native.pingpong" : "pmb.pingpong", size);
    struct compiled compiled = compiled_new(text, all);
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
    const char *stack;
    int64_t size;
    const char *sets[MOST_SETS];
    int count; // how often it is paid
};

// `cost` at 2 ms against 1 ms: both hide what the wire takes meanwhile.
static void expect_calls(const char *cost, const struct expectation *expected)
{
    char *dear = g_strdup_printf("%s=2 ms", cost), *cheap = g_strdup_printf("%s=1 ms", cost);
    for (; expected->stack; expected++) {
        double with = latency(expected->stack, expected->size, expected->sets, dear),
               without = latency(expected->stack, expected->size, expected->sets, cheap);
        double calls = (with - without) / 1000;
        if (fabs(calls - expected->count) > 0.1) {
            char *got = g_strdup_printf("%s, %s, %d B: %.2f", cost, expected->stack,
                                        (int)expected->size, calls),
                 *want = g_strdup_printf("%d", expected->count);
            SUITE_SAME_TEXT(got, want);
            g_free(got);
            g_free(want);
        }
    }
    g_free(dear);
    g_free(cheap);
}

#define LONG "lam_tcp.short=512 B", "lam_tcp.socket_buffer=64 KiB"
#define ROOM "mpich_p4.socket_buffer=64 KiB"

// LAM: one write for envelope and body; long ones have an envelope and an ACK before. ch_p4: one
// for each p4 message, of which an eager message is two, a rendezvous three; two without writev.
// ch3:sock: one for packet and data, three of a rendezvous.
static void test_writes(void)
{
    static const struct expectation expected[] = {
        {"tcp", 100, {0}, 1},
        {"lam_tcp", 0, {0}, 1},
        {"lam_tcp", 1000, {0}, 1},
        {"lam_tcp", 40000, {0}, 1},
        {"lam_tcp", 1000, {"lam_tcp.fast_calls=false"}, 1},
        {"lam_tcp", 1000, {LONG}, 3},
        {"mpich_p4", 0, {0}, 1},
        {"mpich_p4", 1000, {0}, 1},
        {"mpich_p4", 1000, {"mpich_p4.writev=false"}, 2},
        {"mpich_p4", 20000, {ROOM}, 2},
        {"mpich_p4", 20000, {ROOM, "mpich_p4.writev=false"}, 4},
        {"mpich_p4", 20000, {ROOM, "mpich_p4.eager=16384 B"}, 3},
        {"ch3_sock", 0, {0}, 1},
        {"ch3_sock", 1000, {0}, 1},
        {"ch3_sock", 40000, {0}, 1},
        {"ch3_sock", 40000, {"ch3.eager=16384 B"}, 3},
        {0},
    };
    expect_calls("tcp.send_call", expected);
}

// One read for the envelope, then one for the body, if there is one. ch_p4: header and rest of each
// p4 message. ch3:sock: packet, then data.
static void test_reads(void)
{
    static const struct expectation expected[] = {
        {"tcp", 100, {0}, 1},
        {"lam_tcp", 0, {0}, 1},
        {"lam_tcp", 1000, {0}, 2},
        {"lam_tcp", 1000, {LONG}, 4},
        {"mpich_p4", 0, {0}, 2},
        {"mpich_p4", 1000, {0}, 2},
        {"mpich_p4", 1000, {"mpich_p4.short=0 B"}, 4},
        {"mpich_p4", 1000, {"mpich_p4.short=0 B", "mpich_p4.eager=0 B"}, 6},
        {"ch3_sock", 0, {0}, 1},
        {"ch3_sock", 1000, {0}, 2},
        {"ch3_sock", 1000, {"ch3.eager=1000 B"}, 4},
        {0},
    };
    expect_calls("tcp.receive_call", expected);
}

// LAM asks no select while one socket alone is of interest. (ch_p4 always does; a part of it is in
// the shadow of the peer.)
static void test_selects(void)
{
    static const struct expectation none[] = {
        {"tcp", 100, {0}, 0}, {"lam_tcp", 1000, {0}, 0}, {"lam_tcp", 1000, {LONG}, 0}, {0}};
    static const char *const nothing[] = {NULL};
    // ch3:sock asks before it sleeps, which no message waits for, and when it is woken, and no
    // further: it does not spin, and leaves with what it has waited for.
    static const struct expectation one[] = {{"ch3_sock", 1000, {0}, 1}, {0}};
    expect_calls("tcp.select_call", none);
    expect_calls("tcp.select_call", one);
    CU_ASSERT(latency("mpich_p4", 1000, nothing, "tcp.select_call=1 ms") >
              latency("mpich_p4", 1000, nothing, "tcp.select_call=0 us") + 900);
}

// A fast call makes no request; another builds one before it writes, and destroys one after the
// read, which are the two that a message waits for.
static void test_requests(void)
{
    static const struct expectation expected[] = {
        {"lam_tcp", 1000, {0}, 0},
        {"lam_tcp", 1000, {"lam_tcp.fast_calls=false"}, 2},
        {0},
    };
    expect_calls("lam.request", expected);
}

// Copies of 1000 B at 1 MB/s take 1 ms each: into the kernel and out of it; with ch_p4 also into
// the packet, out of p4's buffer and out of the packet. Headers are copied too. ch3:sock has no
// more than LAM.
static void test_copies(void)
{
    static const char *const slow[] = {"host.memory.copy_cached=1 MB/s",
                                       "host.memory.copy_uncached=1 MB/s", NULL};
    static const char *const fast[] = {"host.memory.copy_cached=100 GB/s",
                                       "host.memory.copy_uncached=100 GB/s", NULL};
    double tcp = latency("tcp", 1000, slow, NULL) - latency("tcp", 1000, fast, NULL);
    double lam = latency("lam_tcp", 1000, slow, NULL) - latency("lam_tcp", 1000, fast, NULL);
    double p4 = latency("mpich_p4", 1000, slow, NULL) - latency("mpich_p4", 1000, fast, NULL);
    CU_ASSERT_DOUBLE_EQUAL(tcp, 2 * 1000, 30);
    CU_ASSERT_DOUBLE_EQUAL(lam, 2 * (1000 + 24), 30);
    double ch3 = latency("ch3_sock", 1000, slow, NULL) - latency("ch3_sock", 1000, fast, NULL);
    CU_ASSERT_DOUBLE_EQUAL(p4, 2 * (1000 + 72) + 1000 + 1040 + 1000, 60);
    CU_ASSERT_DOUBLE_EQUAL(ch3, 2 * (1000 + 32), 30);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"writes", test_writes},     {"reads", test_reads},   {"selects", test_selects},
        {"requests", test_requests}, {"copies", test_copies}, {0},
    };
    return suite_run("mpi_tcp: calls and copies", cases);
}
