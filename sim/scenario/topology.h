// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts, switches, links and routes of a case, and their reader.
//
//   hosts:    [{name: node, count: 6}]            # node0 … node5; without count: exactly that name
//             [{name: n, nics: [{name: eth0, nic: eepro100}, {name: eth1, nic: tulip}]}]
//   hosts:    [{name: old, host: {processor: {…}}}]        # unlike others: host_settings.h
//             [{name: n, nics: [{name: em0, nic: tulip, bus: csa, mtu: 9000 B}]}]
//   buses:    [{name: csa, clock: 66 MHz}]        # besides the name: keys of host.bus
//   switches: [{name: switch0, ports: 24}]        # besides name and count: the switch table's keys
//   links:    [{from: node, to: switch0}]         # a name, a group, a range "node0..2", or a list
//   routes:   [{from: node0, to: node3, via: [switch0, switch2], links: [0, any, 1]}]
//
// A host that lists `nics` has these cards, one link each: a link ends at n.eth1, or at n and then
// at the first card without a link. Any other host has a card of the case's `nic` per link.
//
// A link item joins every node of `from` with every node of `to`, `count` times; a group joined
// with itself is joined pair by pair. Hosts do not forward: a link or a path of switches joins two
// hosts. One host on both sides is a loopback cable: a card's output leads to its own input. It has
// one end, a of struct topology_link, and one direction.
#ifndef NETSIM_SCENARIO_TOPOLOGY_H
#define NETSIM_SCENARIO_TOPOLOGY_H

#include "sim/scenario/schema.h"

// A bus that hosts have besides their own (host.bus): each host whose cards sit at it has one.
struct topology_bus {
    const char *name; // in the topology's `names`
    struct source_mark mark;
    struct param_values *values; // of schema.bus_table
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

#define TOPOLOGY_MOST_NODES 65536
#define TOPOLOGY_MOST_LINKS 262144

// The tables of an item's keys besides the parameters.
extern const struct param_table topology_host_table, topology_card_table, topology_bus_item_table,
    topology_switch_item_table, topology_link_item_table, topology_route_table;

// The words allowed instead of a list of routes.
extern const char *const topology_routings[];

// Fills an empty (zeroed) topology from the keys of `tree`, as far as possible after errors. The
// caller frees it with topology_clear.
void topology_read(struct topology *topology, const struct node *tree,
                   const struct scenario_schema *schema, struct diag_list *diags);
void topology_clear(struct topology *topology);

// Complain if a switch has more links than its parameter `ports` allows (if its table has one; 0:
// no bound), and if no path joins two of the hosts: over any of their links, or (used_only) over
// links whose cards the case's stack uses.
void topology_check_ports(const struct topology *topology, const struct param_table *table,
                          struct diag_list *diags);
void topology_check_joined(const struct topology *topology, bool used_only,
                           struct diag_list *diags);

// ---- Networks: switches that are joined (topology_check.c) ----

// Returns the array for topology_network. The caller frees it.
int *topology_networks(const struct topology *topology);

// Returns the node that represents the network of a switch; a host represents itself.
int topology_network(int *parent, int node);

// ---- Which cards a stack uses (topology_use.c) ----

struct topology_use {
    const char *stack;         // its name
    enum stack_cards cards;    // which of a host's matching cards
    const char *const *drives; // NIC models, NULL-terminated; NULL or none: any
    const char *card;          // the case's card name or NIC model; NULL: none
    struct source_mark mark;   // its place in the file
};

// Marks the ends of links whose card the stack does not use (struct topology_link, `idle`), and
// complains of a host that lists its cards and has none for the stack.
void topology_use_cards(struct topology *topology, const struct topology_use *use,
                        struct diag_list *diags);

// Returns a host at an end of this link whose card there is unused, or -1 if there is none.
int topology_idle_host(const struct topology *topology, int link);

// Returns the first link of a host whose card is used, or -1 if there is none.
int topology_used_link(const struct topology *topology, int host);

// Hosts and switches.
static inline int topology_node_count(const struct topology *topology)
{
    return (int)(topology->hosts->len + topology->switches->len);
}

static inline bool topology_is_host(const struct topology *topology, int node)
{
    return node < (int)topology->hosts->len;
}

// ---- Cards that hosts list (topology_cards.c) ----

#define TOPOLOGY_NICS_KEY "nics" // of an item of `hosts`

#define TOPOLOGY_BUSES_KEY "buses"

// Returns true, after a complaint, if a bus has the name of this node already.
bool topology_bus_is_taken(const struct topology *topology, const struct node *name,
                           const char *path, struct diag_list *diags);

// Returns true if a host of a scenario's tree lists its cards.
bool topology_lists_cards(const struct node *tree);

// Returns a host's list of cards at `path`, owned by the topology, or NULL if there is none.
const GArray *topology_cards_read(struct topology *topology, const struct node *list,
                                  const char *path, const struct scenario_schema *schema,
                                  struct diag_list *diags);

// The cards that a node lists; NULL: none.
const GArray *topology_cards_of(const struct topology *topology, int node);

// Returns the index of the card of that name, or else of the only one of that NIC model, or -1 if
// there is none.
int topology_card_find(const GArray *cards, const char *text);

// "eth0 (eepro100), eth1 (tulip)"; the caller frees it.
char *topology_cards_text(const GArray *cards);

// Assigns the host's first free card to each end of a link that names none, and complains about
// cards with two links.
void topology_place_links(struct topology *topology, struct diag_list *diags);

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

// The name of a node: hosts first, then switches.
const char *topology_node_name(const struct topology *topology, int node);

#endif
