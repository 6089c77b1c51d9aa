// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/topology.h"

#include <string.h>

// ---- Create and free ----

static void topology_switch_free(void *data)
{
    struct topology_switch *box = data;
    param_values_free(box->values);
    g_free(box);
}

static void topology_bus_free(void *data)
{
    struct topology_bus *bus = data;
    param_values_free(bus->values);
    g_free(bus);
}

static void topology_link_free(void *data)
{
    struct topology_link *link = data;
    param_values_free(link->values);
    g_free(link);
}

static void topology_cards_free(void *data)
{
    g_array_free(data, TRUE);
}

static void topology_route_free(void *data)
{
    struct topology_route *route = data;
    g_array_free(route->via, TRUE);
    g_array_free(route->links, TRUE);
    g_free(route);
}

void topology_init(struct topology *topology)
{
    topology->names = g_string_chunk_new(1024);
    topology->hosts = g_array_new(FALSE, FALSE, sizeof(struct topology_node));
    topology->own = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    topology->buses = g_ptr_array_new_with_free_func(topology_bus_free);
    topology->switches = g_ptr_array_new_with_free_func(topology_switch_free);
    topology->links = g_ptr_array_new_with_free_func(topology_link_free);
    topology->routes = g_ptr_array_new_with_free_func(topology_route_free);
    topology->cards = g_ptr_array_new_with_free_func(topology_cards_free);
}

void topology_clear(struct topology *topology)
{
    if (!topology->hosts)
        return;
    g_string_chunk_free(topology->names);
    g_array_free(topology->hosts, TRUE);
    g_clear_pointer(&topology->own, g_ptr_array_unref);
    g_ptr_array_free(topology->buses, TRUE);
    g_ptr_array_free(topology->switches, TRUE);
    g_ptr_array_free(topology->links, TRUE);
    g_ptr_array_free(topology->routes, TRUE);
    g_ptr_array_free(topology->cards, TRUE);
    *topology = (struct topology){0};
}

// ---- Nodes and cards ----

const char *topology_node_name(const struct topology *topology, int node)
{
    int hosts = (int)topology->hosts->len;
    if (node < hosts)
        return g_array_index(topology->hosts, struct topology_node, node).name;
    const struct topology_switch *box = g_ptr_array_index(topology->switches, node - hosts);
    return box->name;
}

static const struct topology_card *listed_card(const GArray *cards, int index)
{
    return &g_array_index(cards, struct topology_card, index);
}

const GArray *topology_cards_of(const struct topology *topology, int node)
{
    if (!topology_is_host(topology, node))
        return NULL;
    return g_array_index(topology->hosts, struct topology_node, node).cards;
}

char *topology_cards_text(const GArray *cards)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < (int)cards->len; i++)
        g_string_append_printf(text, "%s%s (%s)", i > 0 ? ", " : "", listed_card(cards, i)->name,
                               listed_card(cards, i)->nic);
    return g_string_free(text, FALSE);
}

int topology_card_find(const GArray *cards, const char *text)
{
    int found = -1;
    for (int i = 0; i < (int)cards->len; i++)
        if (strcmp(listed_card(cards, i)->name, text) == 0)
            return i;
    for (int i = 0; i < (int)cards->len; i++) {
        if (strcmp(listed_card(cards, i)->nic, text) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

// ---- Links ----

const struct topology_card *topology_link_card(const struct topology *topology,
                                               const struct topology_link *link, int end)
{
    const GArray *cards = topology_cards_of(topology, topology_link_node(link, end));
    return cards && link->card[end] > 0 ? listed_card(cards, link->card[end] - 1) : NULL;
}

int topology_idle_host(const struct topology *topology, int link)
{
    const struct topology_link *one = g_ptr_array_index(topology->links, (guint)link);
    for (int end = 0; end < 2; end++)
        if (one->idle[end])
            return topology_link_node(one, end);
    return -1;
}

int topology_used_link(const struct topology *topology, int host)
{
    for (int i = 0; i < (int)topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)i);
        for (int end = 0; end < topology_link_ends(link); end++)
            if (topology_link_node(link, end) == host && !link->idle[end])
                return i;
    }
    return -1;
}

// ---- Networks ----

// The network that switches form when they are joined: a representative for each node, by path
// halving.
int topology_network(int *parent, int node)
{
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

int *topology_networks(const struct topology *topology)
{
    int *parent = g_new(int, topology_node_count(topology) + 1);
    for (int i = 0; i < topology_node_count(topology); i++)
        parent[i] = i;
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        if (!topology_is_host(topology, link->a) && !topology_is_host(topology, link->b))
            parent[topology_network(parent, link->a)] = topology_network(parent, link->b);
    }
    return parent;
}
