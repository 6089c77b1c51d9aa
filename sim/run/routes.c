// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/routes.h"

#include "sim/cluster/cluster.h"

static void free_hops(void *hops)
{
    g_array_free(hops, TRUE);
}

static GArray *hops_of(const struct topology *topology, const struct route *route)
{
    GArray *hops = g_array_new(FALSE, FALSE, sizeof(struct route_hop));
    for (int i = 0; i < route_links(route); i++) {
        int side, index = route_link(route, i, &side);
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)index);
        struct route_hop hop = {index, side ? link->a : link->b};
        g_array_append_val(hops, hop);
    }
    return hops;
}

GPtrArray *routes_between(const struct topology *topology, int from, int to,
                          struct diag_list *diags)
{
    if (!network_check(topology, diags))
        return NULL;
    struct sim *sim = sim_new(1, NULL);
    struct network *network = network_new(sim, topology);
    GPtrArray *routes = g_ptr_array_new_with_free_func(free_hops);
    for (int i = 0; i < network_host_stations(network, from); i++) {
        for (int k = 0; k < network_host_stations(network, to); k++) {
            const struct route *route = network_route(network, network_station(network, from, i),
                                                      network_station(network, to, k));
            if (route)
                g_ptr_array_add(routes, hops_of(topology, route));
        }
    }
    network_free(network);
    sim_free(sim);
    return routes;
}
