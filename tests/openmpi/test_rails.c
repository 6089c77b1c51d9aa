// SPDX-License-Identifier: GPL-3.0-or-later
// Times of whole runs with several cards, weights and calls.
#include "sim/run/run.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <math.h>

#define MOST_SETS 10

// Half a round trip, in us, of hosts with some cards at one switch.
static double latency(int cards, int64_t size, const char *const *sets, const char *more)
{
    const char *all[MOST_SETS + 2] = {more};
    int count = more != NULL;
    while (sets && sets[0])
        all[count++] = *sets++;
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 2}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch, count: %d}]\nnic: eepro100\nstack: openmpi_tcp\n"
        "host: {processor: {cores: 2}}\n"
        "workload: {benchmark: pmb.pingpong, sizes: [%" G_GINT64_FORMAT " B], repetitions: 10}\n",
        cards, size);
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

#define LONG (4 << 20)

// A long message is as fast as its cards are many, but for the additions of the processor and the
// rendezvous.
static void test_bandwidth(void)
{
    double one = latency(1, LONG, NULL, NULL), two = latency(2, LONG, NULL, NULL),
           four = latency(4, LONG, NULL, NULL);
    CU_ASSERT(one / two > 1.9 && one / two <= 2);
    // A quarter each of the remainder, and the last takes the rest: 27/64 of the message.
    CU_ASSERT(one / four > 2.2 && one / four <= 64.0 / 27);
    // Which of the cards take part makes no difference.
    static const char *const first[] = {"openmpi_tcp.cards=[0]", NULL}, *const last[] = {
                                                                            "openmpi_tcp.cards=[1]",
                                                                            NULL};
    CU_ASSERT(fabs(latency(2, LONG, first, NULL) / one - 1) < 0.01);
    CU_ASSERT(fabs(latency(2, LONG, last, NULL) / one - 1) < 0.01);
}

static void test_pipeline(void)
{
    static const char *const pipeline[] = {"openmpi_tcp.rendezvous=pipeline", NULL};
    double one = latency(1, LONG, pipeline, NULL), two = latency(2, LONG, pipeline, NULL);
    CU_ASSERT(one / two > 1.2 && one / two <= 2);
    // Halves of the remainder: 1/2 + 1/8 + ... on one card.
    CU_ASSERT(two > latency(2, LONG, NULL, NULL));
}

#define ODD "what_if=card_rate"
#define SLOW "links=[{from: node, to: switch}, {from: node, to: switch, rate: 25 Mb/s}]"

// A card with a quarter of the other's rate gets a fifth of a message if its weight is set so; else
// it gets a half, and decides.
static void test_weights(void)
{
    static const char *const equal[] = {SLOW, ODD, NULL},
                             *const right[] = {SLOW, ODD, "openmpi_tcp.bandwidth_0=400", NULL},
                             *const alone[] = {SLOW, ODD, "openmpi_tcp.cards=[0]", NULL};
    double fast = latency(2, LONG, alone, NULL);
    CU_ASSERT(fabs(latency(2, LONG, right, NULL) / (fast * 4 / 5) - 1) < 0.05);
    CU_ASSERT(fabs(latency(2, LONG, equal, NULL) / (fast * 2) - 1) < 0.05);
}

struct expectation {
    int64_t size;
    const char *sets[MOST_SETS];
    int count; // how often it is paid
};

// `cost` at 2 ms against 1 ms: both hide the wire's time meanwhile.
static void expect_calls(const char *cost, const struct expectation *expected)
{
    char *dear = g_strdup_printf("%s=2 ms", cost), *cheap = g_strdup_printf("%s=1 ms", cost);
    for (; expected->count > 0; expected++) {
        double calls = (latency(1, expected->size, expected->sets, dear) -
                        latency(1, expected->size, expected->sets, cheap)) /
                       1000;
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

#define ROOM "openmpi_tcp.send_buffer=1 MiB", "openmpi_tcp.receive_buffer=1 MiB"

// An eager message is one write. A long one: RTS, request to PUT, data; the FIN is written while
// the data go out.
static void test_writes(void)
{
    static const struct expectation expected[] = {
        {0, {ROOM}, 1}, {1000, {ROOM}, 1}, {60000, {ROOM}, 1}, {100000, {ROOM}, 3}, {0}};
    expect_calls("tcp.send_call", expected);
}

// One read gets header and data of one segment, as far as the cache goes.
static void test_reads(void)
{
    static const struct expectation expected[] = {
        {0, {ROOM}, 1},
        {1000, {ROOM}, 1},
        {1000, {ROOM, "openmpi_tcp.cache=200 B"}, 2},
        {0},
    };
    expect_calls("tcp.receive_call", expected);
}

// Header and data are copied into the socket and out of it, and the data from there to the user. A
// cache that holds less than the data is copied first, and so are data of a PUT that arrived with
// their header: 2 for the RTS, 2 for the request, 5 for the PUT, and 1 for reading the FIN, which
// is copied into the socket meanwhile.
static void test_copies(void)
{
    static const struct expectation expected[] = {
        {0, {ROOM}, 2},
        {1000, {ROOM}, 5},
        {1000, {ROOM, "openmpi_tcp.cache=200 B"}, 7},
        {1000, {ROOM, "openmpi_tcp.eager=512 B"}, 10},
        {0},
    };
    expect_calls("host.memory.copy_setup", expected);
}

static const struct suite_case cases[] = {
    {"bandwidth of several cards", test_bandwidth},
    {"the pipeline's parts", test_pipeline},
    {"weights", test_weights},
    {"writes", test_writes},
    {"reads", test_reads},
    {"copies", test_copies},
    {0},
};

int main(void)
{
    return suite_run("openmpi: rails", cases);
}
