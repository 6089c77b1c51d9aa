// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of hosts, switches, links and routes.
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
#ifndef NETSIM_SCENARIO_TOPOLOGY_READ_H
#define NETSIM_SCENARIO_TOPOLOGY_READ_H

#include "sim/net/topology.h"
#include "sim/scenario/schema.h"

#define TOPOLOGY_MOST_NODES 1048576
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

// Complain if a switch has more links than its parameter `ports` allows (if its table has one; 0:
// no bound), and if no path joins two of the hosts: over any of their links, or (used_only) over
// links whose cards the case's stack uses.
void topology_check_ports(const struct topology *topology, const struct param_table *table,
                          struct diag_list *diags);
void topology_check_joined(const struct topology *topology, bool used_only,
                           struct diag_list *diags);

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

// Assigns the host's first free card to each end of a link that names none, and complains about
// cards with two links.
void topology_place_links(struct topology *topology, struct diag_list *diags);

#endif
