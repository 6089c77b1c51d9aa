// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_cluster.h"

#include "sim/net/link.h"
#include "sim/net/switch.h"

struct flow_cluster {
    const struct scenario_case *test_case;
    struct sim *sim; // of its own cluster; NULL: the cluster is a run's
    struct cluster *cluster;
    const struct flow_curve *curve; // NULL: not described yet
    GArray *links;                  // struct flow_link: 2 * link of the topology + direction
};

struct flow_cluster *flow_cluster_new(const struct scenario_case *test_case)
{
    struct flow_cluster *machine = g_new0(struct flow_cluster, 1);
    machine->test_case = test_case;
    machine->sim = sim_new(1, NULL);
    machine->cluster = cluster_new(machine->sim, test_case);
    return machine;
}

struct flow_cluster *flow_cluster_on(const struct scenario_case *test_case, struct cluster *cluster)
{
    struct flow_cluster *machine = g_new0(struct flow_cluster, 1);
    machine->test_case = test_case;
    machine->cluster = cluster;
    return machine;
}

void flow_cluster_free(struct flow_cluster *machine)
{
    if (!machine)
        return;
    if (machine->sim) {
        cluster_free(machine->cluster);
        sim_free(machine->sim);
    }
    if (machine->links)
        g_array_free(machine->links, TRUE);
    g_free(machine);
}

struct network *flow_cluster_network(struct flow_cluster *machine)
{
    return machine->cluster->network;
}

const struct host *flow_cluster_host(const struct flow_cluster *machine, int host)
{
    return machine->cluster->hosts[host];
}

static const struct topology_link *machine_link_at(const struct flow_cluster *machine, int number)
{
    return g_ptr_array_index(machine->test_case->topology.links, (guint)number);
}

static const struct link_config *machine_config_at(const struct flow_cluster *machine, int number)
{
    return machine_link_at(machine, number)->values->values;
}

static double rate_at(const struct flow_cluster *machine, int number)
{
    return (double)machine_config_at(machine, number)->rate / 8;
}

// The switch at the end of a link in this direction; NULL: a host.
static const struct switch_config *switch_after(const struct flow_cluster *machine, int number,
                                                int side)
{
    const struct topology *topology = &machine->test_case->topology;
    int node = topology_link_node(machine_link_at(machine, number), side == 0);
    if (topology_is_host(topology, node))
        return NULL;
    const struct topology_switch *found =
        g_ptr_array_index(topology->switches, (guint)node - topology->hosts->len);
    return found->values->values;
}

// ---- Routes ----

static const struct route *route_of_stations(struct flow_cluster *machine, int from, int to)
{
    const struct cluster_card *cards = machine->cluster->cards;
    return cards[from].idle || cards[to].idle ? NULL
                                              : network_route(machine->cluster->network, from, to);
}

const struct route *flow_cluster_route(struct flow_cluster *machine, int from, int to)
{
    struct network *network = machine->cluster->network;
    if (from == to)
        return NULL;
    for (int i = 0; i < network_host_stations(network, from); i++)
        for (int j = 0; j < network_host_stations(network, to); j++) {
            const struct route *route = route_of_stations(
                machine, network_station(network, from, i), network_station(network, to, j));
            if (route)
                return route;
        }
    return NULL;
}

double flow_cluster_rate(const struct flow_cluster *machine, const struct route *route)
{
    double least = rate_at(machine, route_link(route, 0, NULL));
    for (int i = 1; i < route_links(route); i++)
        least = MIN(least, rate_at(machine, route_link(route, i, NULL)));
    return least;
}

double flow_cluster_way(const struct flow_cluster *machine, const struct route *route, double frame)
{
    double seconds = -frame / flow_cluster_rate(machine, route);
    bool stored = true; // the sender's card stores the frame, too
    for (int i = 0; i < route_links(route); i++) {
        int side, number = route_link(route, i, &side);
        const struct switch_config *box = switch_after(machine, number, side);
        seconds += time_to_s(machine_config_at(machine, number)->propagation);
        seconds += stored ? frame / rate_at(machine, number) : 0;
        seconds += box ? time_to_s(box->latency) : 0;
        stored = box && switch_discipline((enum switch_discipline_kind)box->discipline)->stores;
    }
    return seconds;
}

// ---- For the plugin ----

static int route_for_plugin(void *owner, int from, int to, int *links, int most)
{
    const struct route *route = flow_cluster_route(owner, from, to);
    int count = route ? MIN(route_links(route), most) : 0;
    for (int i = 0; i < count; i++) {
        int side, number = route_link(route, i, &side);
        links[i] = 2 * number + side;
    }
    return count;
}

static double latency_for_plugin(void *owner, double bytes, int from, int to)
{
    struct flow_cluster *machine = owner;
    const struct flow_curve *curve = machine->curve;
    const struct route *route = flow_cluster_route(machine, from, to);
    double latency = flow_curve_latency(curve, bytes, !route);
    if (!route || route_links(route) == curve->links)
        return latency;
    double frame = MIN(bytes, curve->frame);
    const struct route *measured = flow_cluster_route(machine, curve->from, curve->to);
    return MAX(latency + flow_cluster_way(machine, route, frame) -
                   flow_cluster_way(machine, measured, frame),
               0);
}

static void machine_add_links(struct flow_cluster *machine)
{
    const struct topology *topology = &machine->test_case->topology;
    machine->links = g_array_new(FALSE, FALSE, sizeof(struct flow_link));
    for (int i = 0; i < 2 * (int)topology->links->len; i++) {
        int from = topology_link_node(machine_link_at(machine, i / 2), i % 2);
        struct flow_link link = {.rate = rate_at(machine, i / 2),
                                 .one_by_one = topology_is_host(topology, from)};
        g_array_append_val(machine->links, link);
    }
}

struct flow_machine flow_cluster_describe(struct flow_cluster *machine,
                                          const struct flow_curve *curve)
{
    machine->curve = curve;
    if (!machine->links)
        machine_add_links(machine);
    return (struct flow_machine){
        .hosts = machine->cluster->host_count,
        .links = (int)machine->links->len,
        .link = &g_array_index(machine->links, struct flow_link, 0),
        .owner = machine,
        .route = route_for_plugin,
        .latency = latency_for_plugin,
    };
}
