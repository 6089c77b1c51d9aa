// SPDX-License-Identifier: GPL-3.0-or-later
// Reads which rank of a workload runs on which host. Part of the configuration compiler.
//
//   workload: {ranks: 3, placement: [node2, node0, node1]}    # rank 0 on node2, ...
//
// An item is a host or a range ("node5..3": node5, node4, node3). If there are more ranks than
// items, the list begins again; without the key it is all hosts, in their order.
#ifndef NETSIM_SCENARIO_PLACEMENT_H
#define NETSIM_SCENARIO_PLACEMENT_H

#include "sim/scenario/topology.h"

#define PLACEMENT_KEY "placement"

// The hosts (indices into topology->hosts) that the key of a workload lists, in its order; all if
// there is no key, none after an error. The caller frees it with g_array_free.
GArray *placement_read(const struct node *workload, const struct topology *topology,
                       struct diag_list *diags);

// The host of a rank.
int placement_host(const GArray *placement, int rank);

// Complains about hosts of the list that no rank runs on, and, for a stack that has one process on
// a host, about hosts with two. `workload` is the map with the key, at which this is said.
void placement_check(const struct node *workload, const GArray *placement, int ranks,
                     const struct topology *topology, const struct stack_schema *stack,
                     struct diag_list *diags);

#endif
