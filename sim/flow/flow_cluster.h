// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of a case as flows see it: its hosts, and per link and direction a capacity; routes
// are netsim's own (sim/net/route.h). All other times are in the curve; of routes longer or shorter
// than the measured one, the times of their own links and switches count.
#ifndef NETSIM_FLOW_FLOW_CLUSTER_H
#define NETSIM_FLOW_FLOW_CLUSTER_H

#include "sim/cluster/cluster.h"
#include "sim/flow/curve.h"
#include "sim/flow/plugin.h"

struct flow_cluster;

// Builds the cluster of a case, which must outlive it. The caller frees it with flow_cluster_free.
struct flow_cluster *flow_cluster_new(const struct scenario_case *test_case);
void flow_cluster_free(struct flow_cluster *machine);

// Like flow_cluster_new, on the cluster of a run of the case, which must outlive it.
struct flow_cluster *flow_cluster_on(const struct scenario_case *test_case,
                                     struct cluster *cluster);

// The first route from a card of one host that the case's stack uses to one of another; NULL on one
// host. The machine owns it.
const struct route *flow_cluster_route(struct flow_cluster *machine, int from, int to);

// Bytes per second of the route's slowest link.
double flow_cluster_rate(const struct flow_cluster *machine, const struct route *route);

// Returns the seconds that a message takes on a route besides those of its bytes on the slowest
// link: propagation, switches, and a frame of `frame` bytes (the largest) sent again on each link.
// Follows the rules of store and forward, and of cut-through, without other traffic.
double flow_cluster_way(const struct flow_cluster *machine, const struct route *route,
                        double frame);

struct network *flow_cluster_network(struct flow_cluster *machine);
const struct host *flow_cluster_host(const struct flow_cluster *machine, int host);

// Describes the machine to the plugin. `curve` must outlive the machine's use; the links are the
// machine's. Of the links out of a host each carries one flow at a time: a card sends message after
// message.
struct flow_machine flow_cluster_describe(struct flow_cluster *machine,
                                          const struct flow_curve *curve);

#endif
