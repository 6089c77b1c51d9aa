// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of a case as flows see it: its hosts, and per link and direction a capacity; routes
// are netsim's own (sim/net/route.h). What takes time besides is in the curve, and, for ways that
// are longer or shorter than the one that was measured, in their own links and switches.
#ifndef NETSIM_FLOW_MACHINE_H
#define NETSIM_FLOW_MACHINE_H

#include "sim/cluster/cluster.h"
#include "sim/flow/curve.h"
#include "sim/flow/plugin.h"

struct machine;

// Builds the cluster of a case, which must outlive it. The caller frees it with machine_free.
struct machine *machine_new(const struct scenario_case *test_case);
void machine_free(struct machine *machine);

// The first route from a card of one host that the case's stack uses to one of another; NULL on one
// host. The machine owns it.
const struct route *machine_route(struct machine *machine, int from, int to);

// Bytes per second of the route's slowest link.
double machine_rate(const struct machine *machine, const struct route *route);

// Seconds for which a message is longer on the way than its bytes take on the slowest link: what
// light and switches take, and what is sent again link after link, of which the largest frame has
// `frame` bytes. Rules of store and forward, and of cut-through, without others on the way.
double machine_way(const struct machine *machine, const struct route *route, double frame);

struct network *machine_network(struct machine *machine);
const struct host *machine_host(const struct machine *machine, int host);

// Describes the machine to the plugin. `curve` must outlive the machine's use; the links are the
// machine's. Of the links out of a host each carries one flow at a time: a card sends message after
// message.
struct flow_machine machine_describe(struct machine *machine, const struct flow_curve *curve);

#endif
