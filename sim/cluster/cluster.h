// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster: the hosts of a case and the network that joins them.
#ifndef NETSIM_CLUSTER_CLUSTER_H
#define NETSIM_CLUSTER_CLUSTER_H

#include "sim/cluster/nic.h"
#include "sim/config/scenario.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

struct cluster {
    struct sim *sim;
    int host_count;
    struct host **hosts;
    struct network *network;
    struct nic **nics; // by station; NULL until cluster_add_nics
};

// Sections that cluster_new reads: host.processor, host.memory, host.bus, host.kernel. Ends with a
// NULL path.
extern const struct scenario_section cluster_sections[];

// Builds hosts and network of a case. Free with cluster_free, before the sim.
struct cluster *cluster_new(struct sim *sim, const struct scenario_case *test_case);
void cluster_free(struct cluster *cluster);

// Puts the case's Ethernet NIC model on every station.
void cluster_add_nics(struct cluster *cluster, const struct scenario_case *test_case);

// The n-th NIC of a host.
struct nic *cluster_nic(const struct cluster *cluster, int host, int nth);

#endif
