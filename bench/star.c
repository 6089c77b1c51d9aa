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

// How the hosts begin. In step many events have the same time; out of step no two have, as in most
// networks: neither of the two numbers divides a frame's time.
static const struct star_step {
    const char *name;
    int step_ns, cable_ns; // later than the host before, and a longer cable
} star_steps[] = {{"in step", 0, 0}, {"out of step", 1237, 7}};

#define CABLE_NS 500 // of the first host

struct star {
    struct sim *sim;
    struct topology topology;
    struct network *network;
    struct sender *senders;
    const struct star_step *step;
    int hosts;
    uint64_t received;
};

struct sender {
    struct event sent; // or the first frame is due
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
    for (int host = 0; host < star->hosts; host++) {
        char name[16], cable[128];
        g_snprintf(name, sizeof name, "node%d", host);
        g_snprintf(cable, sizeof cable,
                   "{rate: 100 Mb/s, propagation: %d ns, preamble: 0 B, gap: 0 B}",
                   CABLE_NS + host * star->step->cable_ns);
        struct topology_node node = {.name = intern_text(name)};
        g_array_append_val(topology->hosts, node);
        struct topology_link *link = g_new0(struct topology_link, 1);
        *link = (struct topology_link){
            .a = host, .b = star->hosts, .values = values_from(&link_table, cable)};
        g_ptr_array_add(topology->links, link);
    }
}

static void star_clear_topology(struct topology *topology)
{
    const struct topology_switch *hub = g_ptr_array_index(topology->switches, 0);
    param_values_free(hub->values);
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        param_values_free(link->values);
    }
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
        if (star->step->step_ns == 0)
            sender_send(sender);
        else
            engine_schedule(star->sim->engine, &sender->sent, host * star->step->step_ns * TIME_NS);
    }
}

struct star_rates {
    double frames_per_s, hops_per_s;
};

static struct star_rates star_measure(const struct star_step *step, int hosts, double seconds)
{
    struct star star = {.step = step, .hosts = hosts};
    star.sim = sim_new(1, NULL);
    star_build_topology(&star);
    star.network = network_new(star.sim, &star.topology);
    star.senders = g_new0(struct sender, hosts);
    star_start(&star);

    double start = bench_seconds();
    engine_run(star.sim->engine, (sim_time)(seconds * (double)TIME_S));
    double took = bench_seconds() - start;
    struct star_rates rates = {(double)star.received / took,
                               (double)network_hops(star.network) / took};
    network_free(star.network);
    star_clear_topology(&star.topology);
    sim_free(star.sim);
    g_free(star.senders);
    return rates;
}

static json_t *star_of(const struct star_step *step, int hosts, const struct bench_outside *ns3,
                       bool quick)
{
    double seconds = (quick ? 8.0 : 64.0) / hosts; // the same number of frames for every size
    int rounds = quick ? 2 : 3;
    struct star_rates best = {0.0, 0.0};
    double ns3_best = 0.0;
    for (int round = 0; round < rounds; round++) {
        struct star_rates rates = star_measure(step, hosts, seconds);
        if (rates.frames_per_s > best.frames_per_s)
            best = rates;
        if (ns3)
            ns3_best = MAX(ns3_best, bench_ns3_frames_per_s(ns3, hosts, seconds, step->step_ns,
                                                            step->cable_ns));
    }
    json_t *result = json_object();
    json_object_set_new(result, "hosts", json_integer(hosts));
    json_object_set_new(result, "frames_per_s", json_real(best.frames_per_s));
    json_object_set_new(result, "hops_per_s", json_real(best.hops_per_s));
    json_object_set_new(result, "ns3_frames_per_s", bench_number(ns3_best));
    json_object_set_new(result, "ratio", bench_ratio(best.frames_per_s, ns3_best));
    json_object_set_new(result, "step", json_string(step->name));
    return result;
}

json_t *bench_star(const struct bench_options *options)
{
    json_t *results = json_array();
    struct bench_outside *ns3 = options->peers ? bench_outside_new(options, BENCH_NS3_STAR) : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(star_steps) * G_N_ELEMENTS(host_counts); i++) {
        const struct star_step *step = &star_steps[i / G_N_ELEMENTS(host_counts)];
        int hosts = host_counts[i % G_N_ELEMENTS(host_counts)];
        bench_say(options, "star, %d hosts %s%s", hosts, step->name,
                  ns3 ? ", and the same in ns-3" : "");
        json_array_append_new(results, star_of(step, hosts, ns3, options->quick));
    }
    bench_outside_free(ns3);
    return results;
}
