// SPDX-License-Identifier: GPL-3.0-or-later
// A whole parallel program: NAS LU, class A, on 16 hosts over gigabit Ethernet, at the level of
// packets, with cards, buses, interrupts, kernels and MPI libraries. Its messages are short and
// many, and each waits for others: no other NAS program has as many for its time. Some of its
// iterations are run, and the time of all is reported.
#include "bench/bench.h"

#include "sim/run/run.h"

#include <string.h>

#define ITERATIONS 40
#define QUICK_ITERATIONS 4
#define CLASS_A_ITERATIONS 250
#define START_UPS 1 // iterations that every run does besides

static const char *const stacks[] = {"lam_tcp", "ch3_sock", "ch3_sctp"};

static struct scenario *lu_scenario(const struct bench_options *options, const char *stack,
                                    int iterations)
{
    char *text =
        g_strdup_printf("schema: 1\nname: nas\nlink: {rate: 1 Gb/s}\nswitch: {latency: 4 us}\n"
                        "host: {processor: {clock: 3.2 GHz}, bus: {clock: 133 MHz, width: 8 B}}\n"
                        "hosts: [{name: node, count: 16, nics: [{name: em0, nic: em82547gi}]}]\n"
                        "switches: [{name: a}]\nlinks: [{from: node.em0, to: a}]\nstack: %s\n"
                        "workload: {benchmark: nas.lu, class: A, ranks: 16, repetitions: %d}\n",
                        stack, iterations);
    struct scenario *scenario = bench_scenario(options, text);
    g_free(text);
    return scenario;
}

// One run, whose messages go to `owner`.
static double lu_runs(const struct series_result *series, void *owner)
{
    *(double *)owner = (double)series->ledger.messages;
    return 1.0;
}

static json_t *lu_row(const struct bench_options *options, const char *stack)
{
    int iterations = options->quick ? QUICK_ITERATIONS : ITERATIONS;
    double rate = 0.0, runs_per_s = 0.0;
    struct scenario *scenario = lu_scenario(options, stack, iterations);
    for (int round = 0; scenario && round < (options->quick ? 1 : 2); round++) {
        double messages = 0.0;
        double per_s = bench_case_rate(options, scenario, lu_runs, &messages);
        runs_per_s = MAX(runs_per_s, per_s);
        rate = MAX(rate, messages * per_s);
    }
    if (scenario)
        scenario_free(scenario);
    double part = (double)(CLASS_A_ITERATIONS + START_UPS) / (iterations + START_UPS);
    return json_pack("{s:s, s:o, s:o}", "stack", stack, "messages_per_s", bench_number(rate),
                     "class_a_s", bench_ratio(part, runs_per_s));
}

json_t *bench_nas(const struct bench_options *options)
{
    json_t *results = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
        if (!registry_stack(options->registry, stacks[i]))
            continue;
        bench_say(options, "NAS LU on 16 hosts over %s", stacks[i]);
        json_array_append_new(results, lu_row(options, stacks[i]));
    }
    return results;
}
