// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts, switches, links and routes of a case, and their reader.
//
//   hosts:    [{name: node, count: 6}]            # node0 … node5; without count: exactly that name
//   switches: [{name: switch0, ports: 24}]        # parameters of the switch table beside name and
//   count links:    [{from: node, to: switch0}]         # a name, a group, a range "node0..2", or a
//   list of such routes:   [{from: node0, to: node3, via: [switch0, switch2], links: [0, any, 1]}]
//
// A link item joins every node of `from` with every node of `to`, `count` times; one group joined
// with itself is joined pair by pair. Hosts do not forward: two hosts are joined by a link, or
// through switches.
#ifndef NETSIM_SCENARIO_TOPOLOGY_H
#define NETSIM_SCENARIO_TOPOLOGY_H

#include "sim/scenario/schema.h"

struct topology_node {
    const char *name; // in the topology's `names`
    struct source_mark mark;
};

struct topology_switch {
    const char *name;
    struct source_mark mark;
    struct param_values *values; // of switch_table
};

struct topology_link {
    int a, b; // index: hosts first (0 .. host_count-1), then switches
    struct source_mark mark;
    struct param_values *values; // of link_table
};

struct topology_route {
    int from, to;  // hosts
    GArray *via;   // int: switch node indices (same numbering as links), in order
    GArray *links; // int: index of each hop's link if the file names it, else -1; length via + 1
    struct source_mark mark;
};

// How routes that are not given are found. By default: up*/down* if a switch cuts through, for only
// then can a cycle of routes block, and shortest otherwise.
enum topology_routing {
    TOPOLOGY_ROUTES_DEFAULT,
    TOPOLOGY_ROUTES_UP_DOWN,
    TOPOLOGY_ROUTES_SHORTEST
};

struct topology {
    enum topology_routing routing;
    GStringChunk *names; // of hosts and switches
    GArray *hosts;       // struct topology_node
    GPtrArray *switches; // struct topology_switch *
    GPtrArray *links;    // struct topology_link *
    GPtrArray *routes;   // struct topology_route *; empty: computed
};

#define TOPOLOGY_MOST_NODES 65536
#define TOPOLOGY_MOST_LINKS 262144

// The tables of what stands beside the parameters in an item.
extern const struct param_table topology_host_table, topology_switch_item_table,
    topology_link_item_table, topology_route_table;

// The words that may stand in place of a list of routes.
extern const char *const topology_routings[];

// Fills an empty (zeroed) topology from the keys of `tree`. What was read is there also after
// errors; free with topology_clear.
void topology_read(struct topology *topology, const struct node *tree,
                   const struct scenario_schema *schema, struct diag_list *diags);
void topology_clear(struct topology *topology);

// Complain if a switch has more links than its parameter `ports` (if its table has one; 0: no
// bound) says, and if no way joins two of the hosts: over any of their links, or (first_cards) over
// the first link of each, for a stack that uses no other.
void topology_check_ports(const struct topology *topology, const struct param_table *table,
                          struct diag_list *diags);
void topology_check_joined(const struct topology *topology, bool first_cards,
                           struct diag_list *diags);

// The first link of each host, -1: it has none. The caller frees it.
int *topology_first_links(const struct topology *topology);

// A host at the end of this link whose first link is another one; -1: none.
int topology_host_without(const struct topology *topology, const int *first, int link);

// Hosts and switches.
static inline int topology_node_count(const struct topology *topology)
{
    return (int)(topology->hosts->len + topology->switches->len);
}

static inline bool topology_is_host(const struct topology *topology, int node)
{
    return node < (int)topology->hosts->len;
}

// "node0..3" or "node0..node3": the first and last node of the range, by name, which the caller
// frees. False if the text is none.
bool topology_split_range(const char *text, char **first, char **last);

// The name of a node: hosts first, then switches.
const char *topology_node_name(const struct topology *topology, int node);

#endif
