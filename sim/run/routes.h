// SPDX-License-Identifier: GPL-3.0-or-later
// The routes between two hosts of a machine, as a run has them.
#ifndef NETSIM_RUN_ROUTES_H
#define NETSIM_RUN_ROUTES_H

#include "sim/scenario/case.h"

// A link of a route, by its index in the topology, and the node that it leads to.
struct route_hop {
    int link, to;
};

// Returns the routes from host `from` to host `to`: one for each pair of their cards that a path
// joins (GArray of struct route_hop). NULL, with diagnostics, if the network cannot be built. Free
// with g_ptr_array_unref.
GPtrArray *routes_between(const struct topology *topology, int from, int to,
                          struct diag_list *diags);

#endif
