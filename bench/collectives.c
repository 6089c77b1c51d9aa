// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of collectives per second, as LogGOPSim counts its speed, but packet by packet: what a
// message costs must not grow with the ranks. A run includes its start, where the libraries of TCP
// connect every rank to every other one.
#include "bench/bench.h"

#include <string.h>

static const struct collective_bench {
    const char *stack, *operation; // as in a program
    int ranks;
} collective_benches[] = {
    {"lam_tcp", "alltoall: {size: 4 KiB}", 16},   {"lam_tcp", "alltoall: {size: 4 KiB}", 64},
    {"lam_tcp", "alltoall: {size: 4 KiB}", 256},  {"mpich_p4", "alltoall: {size: 4 KiB}", 16},
    {"mpich_p4", "alltoall: {size: 4 KiB}", 64},  {"mpich_p4", "alltoall: {size: 4 KiB}", 256},
    {"ch3_sock", "alltoall: {size: 4 KiB}", 16},  {"ch3_sock", "alltoall: {size: 4 KiB}", 64},
    {"ch3_sock", "alltoall: {size: 4 KiB}", 256},
};

#define QUICK_RANKS 64 // at most

static struct scenario *collective_scenario(const struct bench_options *options,
                                            const struct collective_bench *bench)
{
    // Few ranks repeat it: a run of 16 ranks alone would be over too soon.
    int count = MAX(1, 256 / bench->ranks);
    char *text = g_strdup_printf(
        "schema: 1\nname: collectives\nlink: {rate: 1 Gb/s}\nswitch: {ports: 0, queue: 0}\n"
        "host: {processor: {clock: 3.2 GHz}, bus: {clock: 133 MHz, width: 8 B}}\n"
        "hosts: [{name: node, count: %d, nics: [{name: em0, nic: em82547gi}]}]\n"
        "switches: [{name: a}]\nlinks: [{from: node.em0, to: a}]\nstack: %s\n"
        "workload: {ranks: %d, program: [{ranks: all, do: [{loop: {count: %d, do: [%s]}}]}]}\n",
        bench->ranks, bench->stack, bench->ranks, count, bench->operation);
    struct scenario *scenario = bench_scenario(options, text);
    g_free(text);
    return scenario;
}

static double collective_rate(const struct bench_options *options,
                              const struct collective_bench *bench)
{
    struct scenario *scenario = collective_scenario(options, bench);
    double best = 0.0;
    int rounds = options->quick || bench->ranks > QUICK_RANKS ? 1 : 3;
    for (int round = 0; scenario && round < rounds; round++)
        best = MAX(best, bench_case_rate(options, scenario, bench_messages_of, NULL));
    if (scenario)
        scenario_free(scenario);
    return best;
}

json_t *bench_collectives(const struct bench_options *options)
{
    json_t *rows = json_array();
    double first = 0.0;
    for (size_t i = 0; i < G_N_ELEMENTS(collective_benches); i++) {
        const struct collective_bench *bench = &collective_benches[i];
        if (!registry_stack(options->registry, bench->stack) ||
            (options->quick && bench->ranks > QUICK_RANKS))
            continue;
        bench_say(options, "%d ranks over %s", bench->ranks, bench->stack);
        double rate = collective_rate(options, bench);
        if (i == 0 || !g_str_equal(collective_benches[i - 1].stack, bench->stack))
            first = rate;
        json_array_append_new(rows,
                              json_pack("{s:s, s:i, s:o, s:o}", "stack", bench->stack, "ranks",
                                        bench->ranks, "messages_per_s", bench_number(rate), "cost",
                                        bench_ratio(first, rate)));
    }
    return rows;
}
