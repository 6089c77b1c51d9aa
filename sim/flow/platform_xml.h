// SPDX-License-Identifier: GPL-3.0-or-later
// A case's machine as a platform of SimGrid (XML, version 4.1). Hosts round one switch are a
// cluster; any other machine is a zone `Full`, with netsim's own route for each pair of hosts.
#ifndef NETSIM_FLOW_PLATFORM_XML_H
#define NETSIM_FLOW_PLATFORM_XML_H

#include "sim/flow/flow_cluster.h"

#define PLATFORM_MOST_HOSTS 256 // of a zone with all routes: 13 MB

// Values of a platform that the machine does not determine.
struct platform_plan {
    double latency; // s, of the route that the curve was measured on, and of those as long
    double speed;   // flop/s of the first host; of others in the ratio of their processors
    // Of messages within a host: s, and bytes/s; a rate of 0: SimGrid's own.
    double loopback_latency, loopback_rate;
    const GArray *options; // struct smpi_option (smpi.h), written into the platform
};

// Returns the XML (g_free), or NULL with *why (g_free). A link's latency is the time of a frame of
// the smallest message on it and in the switch after it; the remainder of the route's latency is in
// the links at the hosts.
char *platform_xml(struct flow_cluster *machine, const struct scenario_case *test_case,
                   const struct flow_curve *curve, const struct platform_plan *plan, char **why);

// The hosts of ranks, one per line, in their order: all that the case places ranks on. smpirun
// begins again at the first one if there are more ranks. g_free.
char *platform_hosts(const struct scenario_case *test_case);

#endif
