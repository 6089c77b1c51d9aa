// SPDX-License-Identifier: GPL-3.0-or-later
// A machine's hosts, switches and links as a graph to be printed or drawn. Alike parts are one
// node of the graph where there is too much to be drawn one by one: the hosts at one switch, or all
// switches of a group.
#ifndef NETSIM_OUTPUT_TOPOLOGY_GRAPH_H
#define NETSIM_OUTPUT_TOPOLOGY_GRAPH_H

#include "sim/scenario/case.h"

#include <glib.h>
#include <stdbool.h>

// A host or a switch, or several that are alike.
struct graph_node {
    char *label; // "node0", "node0 .. node19"
    char *note;  // "20 hosts"; NULL: it is one
    bool host;
    int first, count; // first node of the topology, and how many there are
    int level;        // hosts 0; switches by their distance from the nearest host
    int network;      // of joined switches, from 0; -1: a host
};

// Links between two nodes of the graph that are alike.
struct graph_edge {
    int a, b;   // indices into the nodes; a == b: a loopback cable
    int count;  // links
    int kind;   // index into the kinds
    bool idle;  // the stack uses none of them
    char *ends; // "node0.em0 - vlan0", of the first
};

// A kind of link: its rate.
struct graph_kind {
    char *rate;
    int links;
};

struct topology_graph {
    GArray *nodes; // struct graph_node
    GArray *edges; // struct graph_edge
    GArray *kinds; // struct graph_kind
    int networks;
};

// How much is one node.
enum graph_detail {
    GRAPH_AUTO,
    GRAPH_EACH,   // each host and switch by itself
    GRAPH_EDGES,  // the hosts at one switch together
    GRAPH_GROUPS, // all nodes of a name with a number
};

struct topology_graph *topology_graph_new(const struct topology *topology,
                                          enum graph_detail detail);
void topology_graph_free(struct topology_graph *graph);

// The rate of a link as text; the caller frees it.
char *topology_link_rate(const struct topology_link *link);

// "node0 .. node5, old0" of the topology's nodes with these indices (int, ascending); the caller
// frees it.
char *topology_names_text(const struct topology *topology, const GArray *nodes);

// The graph in Graphviz's language.
GString *topology_graph_dot(const struct topology_graph *graph, const char *title);

// A drawing. Trees, Clos networks, chains, rings and hosts back to back have a layout of their own;
// `irregular` is set to whether the graph is none of these, so that Graphviz may do better.
GString *topology_graph_svg(const struct topology_graph *graph, const char *title, bool *irregular);

// The machine as text: hosts, switches, links and how routes are found, in lines of at most `width`
// columns.
void topology_append_text(GString *out, const struct topology *topology, int width);

#endif
