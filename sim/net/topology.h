// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a network: hosts with their cards and buses, switches, links and given routes.
// sim/scenario/topology_read.h fills it from a scenario.
#ifndef NETSIM_NET_TOPOLOGY_H
#define NETSIM_NET_TOPOLOGY_H

#include "sim/config/param.h"

#include <glib.h>
#include <stdbool.h>

// A bus that hosts have besides their own (host.bus): each host whose cards sit at it has one.
struct topology_bus {
    const char *name; // in the topology's `names`
    struct source_mark mark;
    struct param_values *values; // its parameters
};

// A card that a host lists under `nics`.
struct topology_card {
    const char *name; // in the topology's `names`
    const char *nic;  // its NIC model
    int bus;          // index of its bus in `buses`; -1: the host's own
    int64_t mtu;      // of its interface, bytes; 0: the stack's
    struct source_mark mark;
};

struct topology_node {
    const char *name; // in the topology's `names`
    struct source_mark mark;
    const GArray *cards; // struct topology_card; NULL: one of the case's `nic` per link
    GPtrArray *own; // struct param_values *: its own settings (host_settings.h); NULL: those of all
                    // hosts
};

struct topology_switch {
    const char *name;
    struct source_mark mark;
    struct param_values *values; // of switch_table
};

struct topology_link {
    int a, b;     // index: hosts first (0 .. host_count-1), then switches
    int card[2];  // at either end: 1 + its index in the host's cards; 0: the host lists none
    bool idle[2]; // at either end: the stack of the case does not use the host's card
    struct source_mark mark;
    struct param_values *values; // of link_table
};

struct topology_route {
    int from, to;  // hosts
    GArray *via;   // int: switch node indices (same numbering as links), in order
    GArray *links; // int: index of each hop's link if the file names it, else -1; length via + 1
    struct source_mark mark;
};

// How to compute routes that are not given. By default: up*/down* if a switch cuts through, because
// only then can a cycle of routes block; shortest otherwise.
enum topology_routing {
    TOPOLOGY_ROUTES_DEFAULT,
    TOPOLOGY_ROUTES_UP_DOWN,
    TOPOLOGY_ROUTES_SHORTEST
};

struct topology {
    enum topology_routing routing;
    GStringChunk *names; // of hosts, switches, cards and buses
    GPtrArray *buses;    // struct topology_bus *
    GArray *hosts;       // struct topology_node
    GPtrArray *cards;    // GArray of struct topology_card, one per list in the file
    GPtrArray *own;      // GPtrArray *: the lists of settings that hosts have
    GPtrArray *switches; // struct topology_switch *
    GPtrArray *links;    // struct topology_link *
    GPtrArray *routes;   // struct topology_route *; empty: computed
};

// Makes an empty topology of a zeroed one. The caller frees it with topology_clear, which a zeroed
// one may be given to as well.
void topology_init(struct topology *topology);
void topology_clear(struct topology *topology);

// ---- Nodes ----

// Hosts and switches.
static inline int topology_node_count(const struct topology *topology)
{
    return (int)(topology->hosts->len + topology->switches->len);
}

static inline bool topology_is_host(const struct topology *topology, int node)
{
    return node < (int)topology->hosts->len;
}

// The name of a node: hosts first, then switches.
const char *topology_node_name(const struct topology *topology, int node);

// ---- Cards ----

// The cards that a node lists; NULL: none.
const GArray *topology_cards_of(const struct topology *topology, int node);

// Returns the index of the card of that name, or else of the only one of that NIC model, or -1 if
// there is none.
int topology_card_find(const GArray *cards, const char *text);

// "eth0 (eepro100), eth1 (tulip)"; the caller frees it.
char *topology_cards_text(const GArray *cards);

// ---- Links ----

// The ends of a link at which a card or a port is: a loopback cable has one, end 0.
static inline int topology_link_ends(const struct topology_link *link)
{
    return link->a == link->b ? 1 : 2;
}

// The node at an end (0: a, 1: b) of a link, and its card there; NULL if the host lists none.
static inline int topology_link_node(const struct topology_link *link, int end)
{
    return end ? link->b : link->a;
}
const struct topology_card *topology_link_card(const struct topology *topology,
                                               const struct topology_link *link, int end);

// Returns a host at an end of this link whose card there is unused, or -1 if there is none.
int topology_idle_host(const struct topology *topology, int link);

// Returns the first link of a host whose card is used, or -1 if there is none.
int topology_used_link(const struct topology *topology, int host);

// ---- Networks: switches that are joined ----

// Returns the array for topology_network. The caller frees it.
int *topology_networks(const struct topology *topology);

// Returns the node that represents the network of a switch; a host represents itself.
int topology_network(int *parent, int node);

#endif
