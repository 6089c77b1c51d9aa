// SPDX-License-Identifier: GPL-3.0-or-later
// The memory per host: the case, hosts, NICs, links and one switch of a large cluster, and the
// packets that are under way when every host sends to its neighbour. The state that the protocol
// stacks above keep for each connection is not in it.
#include "bench/bench.h"

#include "sim/cluster/cluster.h"
#include "sim/scenario/scenario.h"

#include <malloc.h>
#include <string.h>
#include <unistd.h>

#define HOSTS 1024
#define FRAMES_PER_HOST 4
#define MEMORY_FRAME_BYTES 1460

int64_t bench_bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    if (info.uordblks + info.hblkhd > 0)
        return (int64_t)(info.uordblks + info.hblkhd);
    char *text = NULL;
    int64_t pages = 0;
    if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL)) {
        const char *resident = strchr(text, ' ');
        pages = resident ? g_ascii_strtoll(resident, NULL, 10) : 0;
    }
    g_free(text);
    return pages * sysconf(_SC_PAGESIZE);
}

// The first stack that runs free programs.
static const struct stack_schema *stack_for_programs(const struct scenario_schema *schema)
{
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (g_strv_contains(stack->benchmarks, "program"))
            return stack;
    return NULL;
}

static struct scenario *large_cluster(const struct bench_options *options)
{
    const struct stack_schema *stack = stack_for_programs(options->schema);
    if (!stack)
        return NULL;
    const char *const *nics = stack->nics ? stack->nics : options->schema->nics;
    char *text = g_strdup_printf("schema: 1\n"
                                 "name: memory\n"
                                 "hosts: [{name: node, count: %d}]\n"
                                 "switches: [{name: switch}]\n"
                                 "links: [{from: node, to: switch}]\n"
                                 "nic: %s\n"
                                 "stack: %s\n"
                                 "workload: {ranks: 2, program: [{ranks: all, do: [barrier]}]}\n",
                                 HOSTS, nics[0], stack->name);
    struct scenario *scenario = bench_scenario(options, text);
    g_free(text);
    return scenario;
}

// Frees what arrives.
static void discard(void *owner, struct packet *packet)
{
    packet_free(owner, packet);
}

// Every host sends a few frames to its neighbour, all at once.
static void send_round(const struct cluster *cluster)
{
    struct network *network = cluster->network;
    for (int host = 0; host < HOSTS; host++) {
        int from = network_station(network, host, 0);
        int to = network_station(network, (host + 1) % HOSTS, 0);
        network_attach(network, from, discard, network);
        for (int i = 0; i < FRAMES_PER_HOST; i++) {
            struct packet *packet = packet_new(network);
            packet->route = network_route(network, from, to);
            packet->wire_bytes = MEMORY_FRAME_BYTES;
            network_send(network, packet, NULL);
        }
    }
    engine_run(cluster->sim->engine, TIME_NEVER);
}

json_t *bench_memory(const struct bench_options *options)
{
    bench_say(options, "memory of %d hosts", HOSTS);
    int64_t before = bench_bytes_in_use(), used = 0;
    struct scenario *scenario = large_cluster(options);
    if (scenario) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, 0);
        struct sim *sim = sim_new(1, NULL);
        struct cluster *cluster = cluster_new(sim, test_case);
        registry_card(options->registry, test_case->nic, NULL)->add(cluster, test_case);
        send_round(cluster);
        used = bench_bytes_in_use() - before; // pools never shrink: this is the peak
        cluster_free(cluster);
        sim_free(sim);
        scenario_free(scenario);
    }
    return json_pack("[{s:i, s:o}]", "hosts", HOSTS, "bytes_per_host",
                     used > 0 ? json_integer(used / HOSTS) : json_null());
}
