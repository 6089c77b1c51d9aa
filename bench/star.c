// SPDX-License-Identifier: GPL-3.0-or-later
// Raw frames: hosts on one 100 Mb/s store-and-forward switch, each sending 1,460-byte frames to its
// neighbour at line rate. No NIC, no protocol, no ledger: what the network alone can do. The frames
// are those of ns3_star.cc, and so are rate and delay of the links.
#include "bench/outside.h"

#include "sim/config/node.h"
#include "sim/core/intern.h"
#include "sim/net/network.h"

#include <string.h>

#define STAR_FRAME_BYTES 1460

static const int host_counts[] = {8, 64};

struct star {
    struct sim *sim;
    struct topology topology;
    struct network *network;
    struct sender *senders;
    int hosts;
    uint64_t received;
};

struct sender {
    struct event sent;
    struct network *network;
    const struct route *route;
};

static void sender_send(struct sender *sender)
{
    struct packet *packet = packet_new(sender->network);
    packet->route = sender->route;
    packet->wire_bytes = STAR_FRAME_BYTES;
    network_send(sender->network, packet, &sender->sent);
}

static void sender_sent(struct engine *engine, struct event *event)
{
    (void)engine;
    sender_send(container_of(event, struct sender, sent));
}

static void star_receive(void *owner, struct packet *packet)
{
    struct star *star = owner;
    star->received++;
    packet_free(star->network, packet);
}

// ---- The topology ----

// The values of a table with what the YAML text sets.
static struct param_values *values_from(const struct param_table *table, const char *text)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(text, strlen(text), "bench", NULL, diags);
    struct param_values *values = param_read(table, map, table->name, diags);
    if (diag_any(diags)) {
        diag_print(diags, stderr);
        g_error("the star's own settings were refused");
    }
    node_free(map);
    diag_list_free(diags);
    return values;
}

static void star_build_topology(struct star *star)
{
    struct topology *topology = &star->topology;
    topology->hosts = g_array_new(FALSE, TRUE, sizeof(struct topology_node));
    topology->switches = g_ptr_array_new_with_free_func(g_free);
    topology->links = g_ptr_array_new_with_free_func(g_free);
    topology->routes = g_ptr_array_new();

    struct topology_switch *hub = g_new0(struct topology_switch, 1);
    hub->name = "switch";
    hub->values = values_from(&switch_table, "{discipline: store_and_forward}");
    g_ptr_array_add(topology->switches, hub);
    struct param_values *cable =
        values_from(&link_table, "{rate: 100 Mb/s, propagation: 500 ns, preamble: 0 B, gap: 0 B}");
    for (int host = 0; host < star->hosts; host++) {
        char name[16];
        g_snprintf(name, sizeof name, "node%d", host);
        struct topology_node node = {.name = intern_text(name)};
        g_array_append_val(topology->hosts, node);
        struct topology_link *link = g_new0(struct topology_link, 1);
        *link = (struct topology_link){.a = host, .b = star->hosts, .values = cable};
        g_ptr_array_add(topology->links, link);
    }
}

static void star_clear_topology(struct topology *topology)
{
    const struct topology_switch *hub = g_ptr_array_index(topology->switches, 0);
    const struct topology_link *link = g_ptr_array_index(topology->links, 0);
    param_values_free(hub->values);
    param_values_free(link->values); // all links share them
    g_array_unref(topology->hosts);
    g_ptr_array_unref(topology->switches);
    g_ptr_array_unref(topology->links);
    g_ptr_array_unref(topology->routes);
}

// ---- Measuring ----

static void star_start(struct star *star)
{
    for (int host = 0; host < star->hosts; host++) {
        struct sender *sender = &star->senders[host];
        int from = network_station(star->network, host, 0);
        int to = network_station(star->network, (host + 1) % star->hosts, 0);
        network_attach(star->network, from, star_receive, star);
        event_init(&sender->sent, sender_sent);
        sender->network = star->network;
        sender->route = network_route(star->network, from, to);
        sender_send(sender);
    }
}

struct star_rates {
    double frames_per_s, hops_per_s;
};

static struct star_rates star_measure(int hosts, double seconds)
{
    struct star star = {.hosts = hosts};
    star.sim = sim_new(1, NULL);
    star_build_topology(&star);
    star.network = network_new(star.sim, &star.topology);
    star.senders = g_new0(struct sender, hosts);
    star_start(&star);

    double start = bench_seconds();
    engine_run(star.sim->engine, (sim_time)(seconds * (double)TIME_S));
    double wall = bench_seconds() - start;
    struct star_rates rates = {(double)star.received / wall,
                               (double)network_hops(star.network) / wall};
    network_free(star.network);
    star_clear_topology(&star.topology);
    sim_free(star.sim);
    g_free(star.senders);
    return rates;
}

static json_t *star_of(int hosts, const struct bench_outside *ns3, bool quick)
{
    double seconds = (quick ? 8.0 : 64.0) / hosts; // the same number of frames for every size
    int rounds = quick ? 2 : 3;
    struct star_rates best = {0.0, 0.0};
    double ns3_best = 0.0;
    for (int round = 0; round < rounds; round++) {
        struct star_rates rates = star_measure(hosts, seconds);
        if (rates.frames_per_s > best.frames_per_s)
            best = rates;
        if (ns3)
            ns3_best = MAX(ns3_best, bench_ns3_frames_per_s(ns3, hosts, seconds));
    }
    json_t *result = json_object();
    json_object_set_new(result, "hosts", json_integer(hosts));
    json_object_set_new(result, "frames_per_s", json_real(best.frames_per_s));
    json_object_set_new(result, "hops_per_s", json_real(best.hops_per_s));
    json_object_set_new(result, "ns3_frames_per_s",
                        ns3_best > 0.0 ? json_real(ns3_best) : json_null());
    json_object_set_new(result, "ratio",
                        ns3_best > 0.0 ? json_real(best.frames_per_s / ns3_best) : json_null());
    return result;
}

json_t *bench_star(const struct bench_options *options)
{
    json_t *results = json_array();
    struct bench_outside *ns3 = options->ns3 ? bench_outside_new(options, BENCH_NS3_STAR) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(host_counts); i++) {
        bench_say(options, "star, %d hosts%s", host_counts[i], ns3 ? ", and the same in ns-3" : "");
        json_array_append_new(results, star_of(host_counts[i], ns3, options->quick));
    }
    bench_outside_free(ns3);
    return results;
}
