// SPDX-License-Identifier: GPL-3.0-or-later
// A whole stack on a large machine: every node puts 64 KiB to a random peer, again and again, over
// four planes that are networks of their own. Portals over Intercept, whose cards send each message
// in packets of half a kilobyte over all planes. The peers of a turn are those at one random
// distance, so that each node gets one message per turn.
#include "bench/bench.h"

#include "sim/cluster/cluster.h"
#include "sim/run/run.h"

#include <string.h>

#define ALLPAIRS_STACK "portals"
#define PACKETS "Intercept packets sent" // the counter
#define PLANES 4

// One switch per plane, or as many leaves as spines. The turns make runs of about equally many
// hops.
static const struct allpairs_size {
    int hosts, turns;
    int leaves; // per plane; 0: one switch
} allpairs_sizes[] = {{16, 1000, 0}, {1024, 10, 32}};

static char *topology_text(const struct allpairs_size *size)
{
    GString *switches = g_string_new("switches: ["), *links = g_string_new("links: [");
    for (int plane = 0; plane < PLANES; plane++) {
        const char *comma = plane > 0 ? ", " : "";
        if (size->leaves == 0) {
            g_string_append_printf(switches, "%s{name: plane%c}", comma, 'a' + plane);
            g_string_append_printf(links, "%s{from: node, to: plane%c}", comma, 'a' + plane);
            continue;
        }
        g_string_append_printf(switches, "%s{name: leaf%c, count: %d}, {name: spine%c, count: %d}",
                               comma, 'a' + plane, size->leaves, 'a' + plane, size->leaves);
        g_string_append_printf(links,
                               "%s{from: node, to: leaf%c, split: %d}, {from: leaf%c, to: spine%c}",
                               comma, 'a' + plane, size->leaves, 'a' + plane, 'a' + plane);
    }
    char *text = g_strdup_printf("hosts: [{name: node, count: %d}]\n%s]\n%s]\n", size->hosts,
                                 switches->str, links->str);
    g_string_free(switches, TRUE);
    g_string_free(links, TRUE);
    return text;
}

static struct scenario *allpairs_scenario(const struct bench_options *options,
                                          const struct allpairs_size *size)
{
    char *topology = topology_text(size);
    char *text = g_strdup_printf(
        "schema: 1\nname: allpairs\nstack: " ALLPAIRS_STACK "\nnic: intercept\n"
        "link: {rate: 2 Gb/s, propagation: 50 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"
        "switch: {discipline: cut_through, ports: 64, latency: 300 ns, slack: 4 KiB, "
        "route_bytes: 0 B}\n"
        "%sworkload:\n  ranks: %d\n  program:\n    - ranks: all\n      do:\n"
        "        - attach: {size: 64 KiB, manage_remote: true}\n"
        "        - compute: 1 ms\n"
        "        - loop:\n            count: %d\n            as: i\n            do:\n"
        "              - put: {to: \"(rank + 1 + random(ranks - 1, i)) %% ranks\", size: 64 KiB}\n"
        "              - event: {kind: put_end}\n",
        topology, size->hosts, options->quick ? MAX(size->turns / 10, 2) : size->turns);
    struct scenario *scenario = bench_scenario(options, text);
    g_free(text);
    g_free(topology);
    return scenario;
}

struct allpairs {
    int64_t bytes; // in use
    uint64_t hops;
};

static void on_end(void *owner, const struct cluster *cluster)
{
    struct allpairs *found = owner;
    found->bytes = bench_bytes_in_use();
    found->hops = network_hops(cluster->network);
}

static json_t *allpairs_row(const struct bench_options *options, const struct allpairs_size *size)
{
    json_t *row = json_pack("{s:i, s:n, s:n, s:n}", "hosts", size->hosts, "packets_per_s",
                            "packet_hops_per_s", "bytes_per_host");
    int64_t before = bench_bytes_in_use();
    struct scenario *scenario = allpairs_scenario(options, size);
    if (!scenario)
        return row;
    struct allpairs found = {0};
    const struct run_options run_options = {.ended = on_end, .ended_owner = &found};
    double start = bench_seconds();
    struct series_result *result = run_case(
        options->registry, g_ptr_array_index(scenario->cases, 0), 0, scenario->seed, &run_options);
    double seconds = bench_seconds() - start;
    json_int_t packets = json_integer_value(json_object_get(result->counters, PACKETS));
    if (result->status == SIM_COMPLETED && seconds > 0.0) {
        json_object_set_new(row, "packets_per_s", json_real((double)packets / seconds));
        json_object_set_new(row, "packet_hops_per_s", json_real((double)found.hops / seconds));
        json_object_set_new(row, "bytes_per_host",
                            json_integer((found.bytes - before) / size->hosts));
    } else {
        bench_say(options, "%d hosts: %s", size->hosts, sim_status_name(result->status));
    }
    series_result_free(result);
    scenario_free(scenario);
    return row;
}

json_t *bench_allpairs(const struct bench_options *options)
{
    json_t *results = json_array();
    double first = 0.0;
    for (size_t i = 0;
         i < G_N_ELEMENTS(allpairs_sizes) && registry_stack(options->registry, ALLPAIRS_STACK);
         i++) {
        bench_say(options, "random peers, %d hosts", allpairs_sizes[i].hosts);
        json_t *row = allpairs_row(options, &allpairs_sizes[i]);
        double rate = json_number_value(json_object_get(row, "packet_hops_per_s"));
        first = i == 0 ? rate : first;
        json_object_set_new(row, "cost", bench_ratio(first, rate));
        json_array_append_new(results, row);
    }
    return results;
}
