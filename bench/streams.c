// SPDX-License-Identifier: GPL-3.0-or-later
// Transports at full rate: one connection that sends all the time from one host to another over
// gigabit Ethernet and a switch, with cards, buses, interrupts and kernels. Where ns-3 is
// installed, the same of its TCP, whose hosts take no time (bench/ns3_tcp.cc).
#include "bench/outside.h"

#include "sim/run/run.h"

#include <string.h>

static const struct transport {
    const char *name, *stack, *benchmark, *set;
    const char *packets; // counter of packets that hosts have received
    int paths;
} transports[] = {
    {"TCP", "tcp", "iperf.tcp", "", "tcp segments received", 1},
    {"SCTP", "sctp", "iperf.sctp", "sctp: {profile: s2007}\n", "sctp packets received", 1},
    {"SCTP, CMT over 2 paths", "sctp", "iperf.sctp", "sctp: {profile: s2007, cmt: true}\n",
     "sctp packets received", 2},
};

static struct scenario *stream_scenario(const struct bench_options *options,
                                        const struct transport *transport)
{
    GString *text =
        g_string_new("schema: 1\nname: streams\nlink: {rate: 1 Gb/s}\n"
                     "switch: {latency: 4 us}\n"
                     "host: {processor: {clock: 3.2 GHz}, bus: {clock: 133 MHz, width: 8 B}}\n");
    const char *two = transport->paths > 1 ? ", {name: em1, nic: em82547gi}" : "";
    g_string_append_printf(
        text, "hosts: [{name: node, count: 2, nics: [{name: em0, nic: em82547gi}%s]}]\n", two);
    g_string_append(text, transport->paths > 1
                              ? "switches: [{name: a}, {name: b}]\n"
                                "links: [{from: node.em0, to: a}, {from: node.em1, to: b}]\n"
                              : "switches: [{name: a}]\nlinks: [{from: node.em0, to: a}]\n");
    g_string_append_printf(text, "%sstack: %s\nworkload: {benchmark: %s, duration: %d s}\n",
                           transport->set, transport->stack, transport->benchmark,
                           options->quick ? 1 : 4);
    struct scenario *scenario = bench_scenario(options, text->str);
    g_string_free(text, TRUE);
    return scenario;
}

static double stream_packets(const struct series_result *series, void *owner)
{
    const struct transport *transport = owner;
    return json_number_value(json_object_get(series->counters, transport->packets));
}

static json_t *stream_row(const struct bench_options *options, const struct transport *transport,
                          const struct bench_outside *ns3)
{
    double best = 0.0, ns3_best = 0.0;
    struct scenario *scenario = stream_scenario(options, transport);
    for (int round = 0; scenario && round < (options->quick ? 1 : 3); round++) {
        best = MAX(best, bench_case_rate(options, scenario, stream_packets, (void *)transport));
        if (ns3)
            ns3_best = MAX(ns3_best, bench_ns3_packets_per_s(ns3, options->quick ? 0.25 : 1.0));
    }
    if (scenario)
        scenario_free(scenario);
    return json_pack("{s:s, s:o, s:o, s:o}", "transport", transport->name, "packets_per_s",
                     bench_number(best), "ns3_tcp_packets_per_s", bench_number(ns3_best), "ratio",
                     bench_ratio(best, ns3_best));
}

json_t *bench_streams(const struct bench_options *options)
{
    json_t *results = json_array();
    struct bench_outside *ns3 = options->peers ? bench_outside_new(options, BENCH_NS3_TCP) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(transports); i++) {
        if (!registry_stack(options->registry, transports[i].stack))
            continue;
        bench_say(options, "stream over %s%s", transports[i].name, ns3 ? ", and TCP in ns-3" : "");
        json_array_append_new(results, stream_row(options, &transports[i], ns3));
    }
    bench_outside_free(ns3);
    return results;
}
