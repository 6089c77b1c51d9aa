// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/pair.h"

struct pick {
    struct topology *pair;
    const struct topology *whole;
    bool *links; // of the whole: whether the pair has it
    int *number; // of each node of the whole in the pair; -1: it is not there
};

static void pick_route(struct pick *pick, const struct route *route)
{
    for (int i = 0; route && i < route_links(route); i++)
        pick->links[route_link(route, i, NULL)] = true;
}

static void pick_routes(struct pick *pick, struct network *network, int a, int b)
{
    for (int i = 0; i < network_host_stations(network, a); i++) {
        for (int j = 0; j < network_host_stations(network, b); j++) {
            int from = network_station(network, a, i), to = network_station(network, b, j);
            if (from == to)
                continue;
            pick_route(pick, network_route(network, from, to));
            pick_route(pick, network_route(network, to, from));
        }
    }
}

// The hosts' own links: a card has the number of its link.
static void pick_ends(struct pick *pick, int a, int b)
{
    for (guint i = 0; i < pick->whole->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(pick->whole->links, i);
        bool own = false, strange = false;
        for (int end = 0; end < topology_link_ends(link); end++) {
            int node = topology_link_node(link, end);
            own = own || node == a || node == b;
            strange = strange || (topology_is_host(pick->whole, node) && node != a && node != b);
        }
        if (own && !strange)
            pick->links[i] = true;
    }
}

static void add_host(struct pick *pick, int host)
{
    if (pick->number[host] >= 0)
        return;
    pick->number[host] = (int)pick->pair->hosts->len;
    g_array_append_val(pick->pair->hosts,
                       g_array_index(pick->whole->hosts, struct topology_node, (guint)host));
}

static void add_switches(struct pick *pick)
{
    int hosts = (int)pick->whole->hosts->len;
    for (guint i = 0; i < pick->whole->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(pick->whole->links, i);
        for (int end = 0; pick->links[i] && end < topology_link_ends(link); end++) {
            int node = topology_link_node(link, end);
            if (node < hosts || pick->number[node] >= 0)
                continue;
            pick->number[node] = topology_node_count(pick->pair);
            g_ptr_array_add(pick->pair->switches,
                            g_ptr_array_index(pick->whole->switches, (guint)(node - hosts)));
        }
    }
}

static void pair_add_links(struct pick *pick)
{
    for (guint i = 0; i < pick->whole->links->len; i++) {
        if (!pick->links[i])
            continue;
        struct topology_link *link = g_new(struct topology_link, 1);
        *link = *(const struct topology_link *)g_ptr_array_index(pick->whole->links, i);
        link->a = pick->number[link->a];
        link->b = pick->number[link->b];
        g_ptr_array_add(pick->pair->links, link);
    }
}

void pair_of(struct topology *pair, const struct topology *whole, struct network *network, int a,
             int b)
{
    struct pick pick = {
        .pair = pair,
        .whole = whole,
        .links = g_new0(bool, whole->links->len + 1),
        .number = g_new(int, topology_node_count(whole) + 1),
    };
    for (int i = 0; i < topology_node_count(whole); i++)
        pick.number[i] = -1;
    *pair = *whole;
    pair->hosts = g_array_new(FALSE, FALSE, sizeof(struct topology_node));
    pair->switches = g_ptr_array_new();
    pair->links = g_ptr_array_new_with_free_func(g_free);
    pair->routes = g_ptr_array_new(); // a given route would be the only one
    pick_ends(&pick, a, b);
    pick_routes(&pick, network, a, b);
    add_host(&pick, a);
    add_host(&pick, b);
    add_switches(&pick);
    pair_add_links(&pick);
    g_free(pick.links);
    g_free(pick.number);
}

void pair_clear(struct topology *pair)
{
    g_array_free(pair->hosts, TRUE);
    g_ptr_array_free(pair->switches, TRUE);
    g_ptr_array_free(pair->links, TRUE);
    g_ptr_array_free(pair->routes, TRUE);
    *pair = (struct topology){0};
}
