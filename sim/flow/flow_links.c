// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/flow_links.h"

#include "sim/net/link.h"
#include "sim/net/switch.h"

struct flow_links {
    struct cluster *cluster;
    double *capacities;
    struct flow_direction *directions;
    int count;
    uint32_t route[FLOW_ROUTE_MOST]; // of the latest flow_links_route
};

static void add_direction(struct flow_links *links, const struct topology *topology, int number)
{
    const struct topology_link *link = g_ptr_array_index(topology->links, (guint)number / 2);
    const struct link_config *config = link->values->values;
    int node = topology_link_node(link, number % 2 == 0);
    struct flow_direction *direction = &links->directions[number];
    links->capacities[number] = (double)config->rate / 8;
    *direction = (struct flow_direction){.each = 8 / (double)config->rate,
                                         .fixed = time_to_s(config->propagation)};
    if (topology_is_host(topology, node))
        return;
    const struct topology_switch *box =
        g_ptr_array_index(topology->switches, (guint)node - topology->hosts->len);
    const struct switch_config *values = box->values->values;
    direction->fixed += time_to_s(values->latency);
    direction->stores = switch_discipline((enum switch_discipline_kind)values->discipline)->stores;
}

struct flow_links *flow_links_new(struct cluster *cluster, const struct scenario_case *test_case)
{
    const struct topology *topology = &test_case->topology;
    struct flow_links *links = g_new0(struct flow_links, 1);
    links->cluster = cluster;
    links->count = 2 * (int)topology->links->len;
    links->capacities = g_new(double, links->count + 1);
    links->directions = g_new(struct flow_direction, links->count + 1);
    for (int i = 0; i < links->count; i++)
        add_direction(links, topology, i);
    return links;
}

void flow_links_free(struct flow_links *links)
{
    if (!links)
        return;
    g_free(links->capacities);
    g_free(links->directions);
    g_free(links);
}

const double *flow_links_capacities(const struct flow_links *links)
{
    return links->capacities;
}

int flow_links_count(const struct flow_links *links)
{
    return links->count;
}

const struct flow_direction *flow_links_direction(const struct flow_links *links, uint32_t link)
{
    return &links->directions[link];
}

// NULL: one of the stations has no card that the stack uses, or no path joins them.
static const struct route *links_between(const struct flow_links *links, int from, int to)
{
    const struct cluster_card *cards = links->cluster->cards;
    return cards[from].idle || cards[to].idle ? NULL
                                              : network_route(links->cluster->network, from, to);
}

static const struct route *links_first(const struct flow_links *links, int from, int to)
{
    struct network *network = links->cluster->network;
    for (int i = 0; i < network_host_stations(network, from); i++)
        for (int j = 0; j < network_host_stations(network, to); j++) {
            const struct route *route = links_between(links, network_station(network, from, i),
                                                      network_station(network, to, j));
            if (route)
                return route;
        }
    return NULL;
}

struct flow_route flow_links_route(struct flow_links *links, int from, int to)
{
    const struct route *found = from == to ? NULL : links_first(links, from, to);
    struct flow_route route = {.links = links->route};
    double slowest = 0;
    bool stored = true; // the sender's card stores the frame, too
    route.count = found ? route_links(found) : 0;
    for (int i = 0; i < route.count; i++) {
        int side, link = route_link(found, i, &side);
        const struct flow_direction *direction = &links->directions[2 * link + side];
        links->route[i] = 2 * (uint32_t)link + (uint32_t)side;
        route.fixed += direction->fixed;
        route.stored += stored ? direction->each : 0;
        slowest = MAX(slowest, direction->each);
        stored = direction->stores;
    }
    route.stored -= slowest;
    return route;
}
