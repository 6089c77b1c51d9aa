// SPDX-License-Identifier: GPL-3.0-or-later
// Placement: the host of each rank of a workload. Part of the configuration compiler.
//
//   workload: {ranks: 3, placement: [node2, node0, node1]}    # rank 0 on node2, ...
//
//   workload: {ranks: 8, placement: block}                    # ranks 0 and 1 on the first of four
//   workload: {ranks: 8, placement: {block: [node3, node1]}}  # ranks 0 to 3 on node3
//
// An item is a host or a range ("node5..3": node5, node4, node3). If there are more ranks than
// items, the list starts again. Without the key, and with the word cyclic, the list is all hosts in
// order. With block, consecutive ranks share a host, as evenly as possible.
#ifndef NETSIM_SCENARIO_PLACEMENT_H
#define NETSIM_SCENARIO_PLACEMENT_H

#include "sim/net/topology.h"
#include "sim/scenario/schema.h"

#define PLACEMENT_KEY "placement"

// Returns the hosts (indices into topology->hosts) that the key of a workload lists, in its order:
// all hosts if it lists none, an empty list after an error. *block: the hosts get blocks of ranks
// (placement_spread). The caller frees the list with g_array_free.
GArray *placement_read(const struct node *workload, const struct topology *topology, bool *block,
                       struct diag_list *diags);

// Expands a list of hosts to the hosts of `ranks` ranks, in blocks.
void placement_spread(GArray *placement, int ranks);

// The host of a rank.
int placement_host(const GArray *placement, int rank);

// Returns the first host with the most of `ranks` ranks, and their number in *most.
int placement_fullest(const GArray *placement, int ranks, int hosts, int *most);

// Complains about listed hosts without a rank and, for a stack with one process per host, about
// hosts with two. `workload` is the map with the key, whose mark the diagnostics have.
void placement_check(const struct node *workload, const GArray *placement, int ranks,
                     const struct topology *topology, const struct stack_schema *stack,
                     struct diag_list *diags);

// JSON Schema of the key, a new reference.
json_t *placement_schema(void);

#endif
