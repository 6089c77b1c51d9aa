// SPDX-License-Identifier: GPL-3.0-or-later
// The names of a topology's nodes while it is read: single nodes ("node0"), groups ("node") and
// ranges ("node0..3"), also with a card ("node0.eth1").
#ifndef NETSIM_SCENARIO_TOPOLOGY_NAMES_H
#define NETSIM_SCENARIO_TOPOLOGY_NAMES_H

#include "sim/core/diag.h"
#include "sim/net/topology.h"

#include <glib.h>
#include <stdbool.h>

// The nodes of a name: one node, or a group of them.
struct topology_range {
    int first, count;
    struct source_mark mark;
};

struct topology_names {
    struct topology *topology;
    GHashTable *ranges; // name -> struct topology_range *
    struct diag_list *diags;
};

// An end of a link.
struct topology_end {
    int node;
    int card; // as in struct topology_link
};

// The caller clears the names with topology_names_clear, before the topology.
void topology_names_init(struct topology_names *names, struct topology *topology,
                         struct diag_list *diags);
void topology_names_clear(struct topology_names *names);

// Enters a name for nodes. Returns the name as the topology keeps it. Returns NULL, and complains,
// if it is taken.
const char *topology_names_add(struct topology_names *names, const char *name,
                               struct topology_range range, const char *path);

// Returns the nodes of a name. Returns NULL, and complains, if it is unknown.
const struct topology_range *topology_names_find(struct topology_names *names, const char *name,
                                                 struct source_mark mark, const char *path);

// Appends the ends (struct topology_end) that a name, a group or a range means, with or without the
// name of a card: "node0", "node", "node0..3", "node0.eth1", "node.eth1", "node0..2.eth1". Returns
// false, and complains, if the text is none of these.
bool topology_names_end(struct topology_names *names, const char *text, struct source_mark mark,
                        const char *path, GArray *ends);

// Splits "node0..3" or "node0..node3" into the names of its first and last node, which the caller
// frees. Returns false if the text is no range.
bool topology_split_range(const char *text, char **first, char **last);

#endif
