// SPDX-License-Identifier: GPL-3.0-or-later
// Topologies built by hand, for tests of the network: hosts node0, node1, ... and switches switch0,
// switch1, ...
#ifndef NETSIM_TESTS_SUPPORT_TOPOLOGY_H
#define NETSIM_TESTS_SUPPORT_TOPOLOGY_H

#include "sim/net/link.h"
#include "sim/net/switch.h"
#include "sim/scenario/scenario.h"

// The tables' defaults, to be changed as the test needs it. The first fills in the struct that the
// table describes; lists in it are gone.
void topology_defaults(const struct param_table *table, void *config);
struct link_config topology_link_defaults(void);
struct switch_config topology_switch_defaults(void);

// A cut-through switch with links to match, in the manner of Myrinet: 4 ns per byte, no preamble,
// gap or padding.
struct link_config topology_wormhole_link(void);
struct switch_config topology_wormhole_switch(void);

// Hosts are nodes 0 .. hosts - 1, switches follow. All switches have the defaults unless set
// otherwise.
struct topology *topology_new(int hosts, int switches);
void topology_free(struct topology *topology);

void topology_set_switch(struct topology *topology, int index, const struct switch_config *config);
void topology_set_switches(struct topology *topology, const struct switch_config *config);

// Joins two nodes and returns the link's index. The configuration is copied; lists in it must
// outlive the topology.
int topology_add_link(struct topology *topology, int a, int b, const struct link_config *config);

// `via` are nodes, `links` one more indices or -1; copied.
void topology_add_route(struct topology *topology, int from, int to, int hops, const int *via,
                        const int *links);

// A star: `hosts` hosts, each with one link to one switch.
struct topology *topology_star(int hosts, const struct link_config *link,
                               const struct switch_config *node);

// node0, `switches` switches in a row, node1.
struct topology *topology_row(int switches, const struct link_config *link,
                              const struct switch_config *node);

// Fails the running case unless the network refuses the topology, with this message and this hint
// in its first diagnostic.
void topology_refused(const struct topology *topology, const char *message, const char *hint);

#endif
