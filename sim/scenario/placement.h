// SPDX-License-Identifier: GPL-3.0-or-later
// Reads which rank of a workload runs on which host. Part of the configuration compiler.
//
//   workload: {ranks: 3, placement: [node2, node0, node1]}    # rank 0 on node2, ...
//
//   workload: {ranks: 8, placement: block}                    # ranks 0 and 1 on the first of four
//   workload: {ranks: 8, placement: {block: [node3, node1]}}  # ranks 0 to 3 on node3
//
// An item is a host or a range ("node5..3": node5, node4, node3). If there are more ranks than
// items, the list begins again; without the key, and with the word cyclic, it is all hosts, in
// their order. A block is of ranks one after the other on a host, as evenly as possible.
#ifndef NETSIM_SCENARIO_PLACEMENT_H
#define NETSIM_SCENARIO_PLACEMENT_H

#include "sim/scenario/topology.h"

#define PLACEMENT_KEY "placement"

// The hosts (indices into topology->hosts) that the key of a workload lists, in its order; all if
// it lists none, none after an error. *block: they are to have blocks of ranks (placement_spread).
// The caller frees it with g_array_free.
GArray *placement_read(const struct node *workload, const struct topology *topology, bool *block,
                       struct diag_list *diags);

// Makes a list of hosts one of the hosts of so many ranks, in blocks.
void placement_spread(GArray *placement, int ranks);

// The host of a rank.
int placement_host(const GArray *placement, int rank);

// The host with the most of so many ranks, the first of them, and how many it has.
int placement_fullest(const GArray *placement, int ranks, int hosts, int *most);

// Complains about hosts of the list that no rank runs on, and, for a stack that has one process on
// a host, about hosts with two. `workload` is the map with the key, at which this is said.
void placement_check(const struct node *workload, const GArray *placement, int ranks,
                     const struct topology *topology, const struct stack_schema *stack,
                     struct diag_list *diags);

// JSON Schema of the key, a new reference.
json_t *placement_schema(void);

#endif
