// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster: the hosts of a case and the network that joins them.
#ifndef NETSIM_CLUSTER_CLUSTER_H
#define NETSIM_CLUSTER_CLUSTER_H

#include "sim/host/host.h"
#include "sim/net/network.h"
#include "sim/scenario/case.h"

// A card at a station, of whatever kind its maker knows it to be.
struct cluster_card {
    void *card; // NULL: none was put here
    void (*free)(void *card);
    const char *nic;  // its NIC model
    const char *name; // of the place: "node0", or "node0.eth1" if the host lists its cards;
                      // interned
    bool listed;      // the host does
    bool idle;        // the stack of the case does not use it
};

struct cluster {
    struct sim *sim;
    int host_count;
    struct host **hosts;
    struct network *network;
    struct cluster_card *cards; // by station
};

// Sections that cluster_new reads: host.processor, host.memory, host.bus, host.kernel. Ends with a
// NULL path.
extern const struct scenario_section cluster_sections[];

// Builds hosts and network of a case. Free with cluster_free, before the sim.
struct cluster *cluster_new(struct sim *sim, const struct scenario_case *test_case);
void cluster_free(struct cluster *cluster);

// From a handler, of a fabric without a card: sends a packet as network_send does, at the context's
// now.
void cluster_send(struct cpu_context *context, const struct cluster *cluster,
                  struct packet *packet);

// Puts a card at a station that has none; cluster_free frees it, before hosts and network.
void cluster_put_card(struct cluster *cluster, int station, void *card, void (*card_free)(void *));

// The card at the n-th station of a host; NULL: none was put there.
void *cluster_card(const struct cluster *cluster, int host, int nth);

// The station of the first of a host's cards that the stack of the case uses.
int cluster_station(const struct cluster *cluster, int host);

#endif
