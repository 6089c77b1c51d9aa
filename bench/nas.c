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
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario =
        scenario_parse(text, strlen(text), "bench", NULL, options->schema, NULL, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    g_free(text);
    return scenario;
}

static json_t *lu_row(const struct bench_options *options, const char *stack)
{
    int iterations = options->quick ? QUICK_ITERATIONS : ITERATIONS;
    double rate = 0.0, seconds = 0.0;
    struct scenario *scenario = lu_scenario(options, stack, iterations);
    if (scenario) {
        struct series_result *series = run_case(
            options->registry, g_ptr_array_index(scenario->cases, 0), 0, scenario->seed, NULL);
        if (series->status == SIM_COMPLETED && series->wall_s > 0.0) {
            rate = (double)series->ledger.messages / series->wall_s;
            seconds = series->wall_s * (CLASS_A_ITERATIONS + START_UPS) / (iterations + START_UPS);
        }
        series_result_free(series);
        scenario_free(scenario);
    }
    return json_pack("{s:s, s:o, s:o}", "stack", stack, "messages_per_s",
                     rate > 0.0 ? json_real(rate) : json_null(), "class_a_s",
                     seconds > 0.0 ? json_real(seconds) : json_null());
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
