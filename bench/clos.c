// SPDX-License-Identifier: GPL-3.0-or-later
// Wormhole networks: 4 KiB packets between random pairs of hosts of a Clos network of 16-port
// cut-through switches, 2 Gb/s links, up*/down* routes. A station sends, and rests for an
// exponential time that is as long on average, so that it offers half its link's rate and has one
// packet at a time. No NIC, no protocol, no ledger: what the network alone can do.
#include "bench/bench.h"

#include "sim/core/random.h"
#include "sim/net/network.h"
#include "sim/scenario/topology_read.h"

#include <string.h>

#define PACKET_BYTES 4096

#define MYRINET                                                                                    \
    "link: {rate: 2 Gb/s, propagation: 50 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"        \
    "switch: {discipline: cut_through, ports: 16, latency: 150 ns, route_bytes: 1 B}\n"

// One switch; leaves and spines; leaves, middle switches (numbered by plane) and spines. The
// simulated times make runs of about equally many hops.
static const struct clos_size {
    int hosts;
    double seconds;
    const char *topology;
} clos_sizes[] = {
    {16, 1.6,
     MYRINET "hosts: [{name: node, count: 16}]\nswitches: [{name: leaf}]\n"
             "links: [{from: node, to: leaf}]\n"},
    {128, 0.1,
     MYRINET "hosts: [{name: node, count: 128}]\n"
             "switches: [{name: leaf, count: 16}, {name: spine, count: 8}]\n"
             "links: [{from: node, to: leaf, split: 16}, {from: leaf, to: spine}]\n"},
    {1024, 0.02,
     MYRINET "hosts: [{name: node, count: 1024}]\nswitches: [{name: leaf, count: 128}, "
             "{name: middle, count: 128}, {name: spine, count: 64}]\n"
             "links:\n  - {from: node, to: leaf, split: 128}\n"
             "  - {from: leaf, to: middle, split: 16, deal: true}\n"
             "  - {from: middle, to: spine, split: 8}\n"},
    // Of 32 ports.
    {4096, 0.006,
     "link: {rate: 2 Gb/s, propagation: 50 ns, preamble: 0 B, gap: 0 B, least_frame: 0 B}\n"
     "switch: {discipline: cut_through, ports: 32, latency: 150 ns, route_bytes: 1 B}\n"
     "hosts: [{name: node, count: 4096}]\nswitches: [{name: leaf, count: 256}, "
     "{name: middle, count: 256}, {name: spine, count: 128}]\n"
     "links:\n  - {from: node, to: leaf, split: 256}\n"
     "  - {from: leaf, to: middle, split: 16, deal: true}\n"
     "  - {from: middle, to: spine, split: 16}\n"},
};

struct clos {
    struct sim *sim;
    struct topology topology;
    struct network *network;
    struct clos_sender *senders;
    struct random_stream *random;
    int hosts;
};

struct clos_sender {
    struct event sent, rested;
    struct clos *clos;
    int host;
};

static void clos_send(struct engine *engine, struct event *event)
{
    (void)engine;
    struct clos_sender *sender = container_of(event, struct clos_sender, rested);
    struct clos *clos = sender->clos;
    int away = 1 + (int)random_below(clos->random, (uint64_t)(clos->hosts - 1));
    struct packet *packet = packet_new(clos->network);
    packet_set_route(clos->network, packet, sender->host, (sender->host + away) % clos->hosts);
    packet->wire_bytes = PACKET_BYTES;
    network_send(clos->network, packet, &sender->sent);
}

static void clos_sent(struct engine *engine, struct event *event)
{
    struct clos_sender *sender = container_of(event, struct clos_sender, sent);
    struct clos *clos = sender->clos;
    sim_time mean = network_station_time(clos->network, sender->host, PACKET_BYTES);
    engine_schedule(engine, &sender->rested,
                    engine_now(engine) + random_exponential(clos->random, mean));
}

static void clos_receive(void *owner, struct packet *packet)
{
    packet_free(owner, packet);
}

static void clos_build(struct clos *clos, const struct scenario_schema *schema, const char *text)
{
    struct diag_list *diags = diag_list_new();
    struct node *tree = node_parse(text, strlen(text), "bench", NULL, diags);
    topology_read(&clos->topology, tree, schema, diags);
    if (diag_any(diags) || !network_check(&clos->topology, diags)) {
        diag_print(diags, stderr);
        g_error("the network of the bench was refused");
    }
    node_free(tree);
    diag_list_free(diags);
    clos->network = network_new(clos->sim, &clos->topology);
    clos->senders = g_new0(struct clos_sender, clos->hosts);
    for (int host = 0; host < clos->hosts; host++) {
        struct clos_sender *sender = &clos->senders[host];
        sender->clos = clos;
        sender->host = host;
        event_init(&sender->sent, clos_sent);
        event_init(&sender->rested, clos_send);
        network_attach(clos->network, host, clos_receive, clos->network);
        engine_schedule(clos->sim->engine, &sender->sent, 0);
    }
}

static double clos_hops_per_s(const struct bench_options *options, const struct clos_size *size)
{
    struct clos clos = {.hosts = size->hosts, .sim = sim_new(1, NULL)};
    clos.random = random_new(1, "clos");
    clos_build(&clos, options->schema, size->topology);
    double start = bench_seconds();
    double seconds = options->quick ? size->seconds / 8.0 : size->seconds;
    engine_run(clos.sim->engine, (sim_time)(seconds * (double)TIME_S));
    double rate = (double)network_hops(clos.network) / (bench_seconds() - start);
    network_free(clos.network);
    topology_clear(&clos.topology);
    random_free(clos.random);
    sim_free(clos.sim);
    g_free(clos.senders);
    return rate;
}

json_t *bench_clos(const struct bench_options *options)
{
    json_t *results = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(clos_sizes); i++) {
        bench_say(options, "Clos, %d hosts", clos_sizes[i].hosts);
        double best = 0.0;
        for (int round = 0; round < (options->quick ? 1 : 2); round++)
            best = MAX(best, clos_hops_per_s(options, &clos_sizes[i]));
        json_array_append_new(results, json_pack("{s:i, s:f}", "hosts", clos_sizes[i].hosts,
                                                 "packet_hops_per_s", best));
    }
    return results;
}
