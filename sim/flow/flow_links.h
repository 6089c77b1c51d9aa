// SPDX-License-Identifier: GPL-3.0-or-later
// The links of a cluster as flows cross them: a number and a capacity for each direction, and of a
// route their numbers and the time that its links and switches take besides the bytes' own.
#ifndef NETSIM_FLOW_FLOW_LINKS_H
#define NETSIM_FLOW_FLOW_LINKS_H

#include "sim/cluster/cluster.h"

#define FLOW_ROUTE_MOST 255 // links of a route

struct flow_links;

// One direction of a link.
struct flow_direction {
    double each;  // s per byte
    double fixed; // s: propagation, and the switch at its end
    bool stores;  // that switch sends a frame once it has all of it
};

struct flow_route {
    const uint32_t *links; // until the next flow_links_route
    int count;             // 0: no cards join the hosts
    double fixed;          // s: propagation and switches
    double stored;         // s per byte of a frame, of the links on which it is sent again
};

// The cluster and the case must outlive it. The caller frees it with flow_links_free.
struct flow_links *flow_links_new(struct cluster *cluster, const struct scenario_case *test_case);
void flow_links_free(struct flow_links *links);

// Bytes per second of each, by number: 2 * link of the topology + direction.
const double *flow_links_capacities(const struct flow_links *links);
int flow_links_count(const struct flow_links *links);
const struct flow_direction *flow_links_direction(const struct flow_links *links, uint32_t link);

// The route between the first cards of two hosts that the case's stack uses.
struct flow_route flow_links_route(struct flow_links *links, int from, int to);

// Seconds that a frame takes on the route besides its bytes on the slowest link.
static inline double flow_route_way(const struct flow_route *route, double frame)
{
    return route->fixed + route->stored * frame;
}

#endif
