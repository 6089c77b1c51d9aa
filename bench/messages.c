// SPDX-License-Identifier: GPL-3.0-or-later
// Short messages: ping-pongs of 4 B between two hosts over every MPI library, packet by packet,
// with cards, buses, interrupts and kernels. Beside it SMPI, which computes a message's time from a
// few constants (smpi_pingpong.cc), without simulating the computation between the calls.
#include "bench/outside.h"

#include <string.h>

#define QUICK_PINGPONGS 2000
#define PINGPONGS 20000
#define MOST_LIBRARIES 32

#define USUAL_TESTBED "testbeds/cluster1.yaml"

// Testbeds of the libraries that drive no Ethernet card.
static const struct {
    const char *stack, *testbed;
} other_testbeds[] = {{"armci", "testbeds/config1.yaml"}};

static const char *testbed_of(const char *stack)
{
    for (size_t i = 0; i < G_N_ELEMENTS(other_testbeds); i++)
        if (g_str_equal(other_testbeds[i].stack, stack))
            return other_testbeds[i].testbed;
    return USUAL_TESTBED;
}

static struct scenario *pingpong_scenario(const struct bench_options *options, const char *stack,
                                          int pingpongs)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: messages\ntestbed: %s\nstack: %s\n"
        "workload:\n  ranks: 2\n  program:\n"
        "    - {ranks: 0, do: [{loop: {count: %d, do: [{send: {to: 1, size: 4 B}}, "
        "{recv: {from: 1, size: 4 B}}]}}]}\n"
        "    - {ranks: 1, do: [{loop: {count: %d, do: [{recv: {from: 0, size: 4 B}}, "
        "{send: {to: 0, size: 4 B}}]}}]}\n",
        testbed_of(stack), stack, pingpongs, pingpongs);
    struct scenario *scenario = bench_scenario(options, text);
    g_free(text);
    return scenario;
}

struct library {
    const char *stack;
    struct scenario *scenario;
    double best;
};

// Every MPI library with its scenario; returns their number.
static int libraries_of(const struct bench_options *options, struct library *libraries,
                        int pingpongs)
{
    int count = 0;
    for (const struct stack_schema *schema = options->schema->stacks; schema->name; schema++) {
        if (!registry_stack(options->registry, schema->name)->library_section ||
            count == MOST_LIBRARIES)
            continue;
        struct scenario *scenario = pingpong_scenario(options, schema->name, pingpongs);
        if (scenario)
            libraries[count++] = (struct library){.stack = schema->name, .scenario = scenario};
    }
    return count;
}

static void round_of_messages(const struct bench_options *options, struct library *libraries,
                              int count)
{
    for (int i = 0; i < count; i++) {
        double rate = bench_case_rate(options, libraries[i].scenario, bench_messages_of, NULL);
        libraries[i].best = MAX(libraries[i].best, rate);
    }
}

json_t *bench_messages(const struct bench_options *options)
{
    struct library libraries[MOST_LIBRARIES];
    int pingpongs = options->quick ? QUICK_PINGPONGS : PINGPONGS;
    int count = libraries_of(options, libraries, pingpongs), rounds = options->quick ? 2 : 5;
    struct bench_outside *smpi =
        options->peers ? bench_outside_new(options, BENCH_SMPI_PINGPONG) : NULL;
    double smpi_best = 0.0;
    bench_say(options, "messages of %d MPI libraries%s", count, smpi ? ", and of SMPI" : "");
    for (int round = 0; round < rounds; round++) {
        round_of_messages(options, libraries, count);
        if (smpi)
            smpi_best = MAX(smpi_best, bench_smpi_messages_per_s(smpi, 10 * pingpongs / rounds));
    }
    bench_outside_free(smpi);
    json_t *rows = json_array();
    for (int i = 0; i < count; i++) {
        double best = libraries[i].best;
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:o}", "stack", libraries[i].stack,
                                              "messages_per_s", bench_number(best),
                                              "smpi_messages_per_s", bench_number(smpi_best),
                                              "ratio", bench_ratio(best, smpi_best)));
        scenario_free(libraries[i].scenario);
    }
    return rows;
}
