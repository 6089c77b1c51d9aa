// SPDX-License-Identifier: GPL-3.0-or-later
// A cluster: the hosts of a case and the network that joins them.
#ifndef NETSIM_CLUSTER_CLUSTER_H
#define NETSIM_CLUSTER_CLUSTER_H

#include "sim/host/host.h"
#include "sim/net/network.h"
#include "sim/scenario/case.h"
#include "sim/scenario/rule.h"

// A card at a station. Only its model knows its type.
struct cluster_card {
    void *card; // NULL: no card
    void (*free)(void *card);
    const char *nic;  // its NIC model
    const char *name; // "node0", or "node0.eth1" if the host lists its cards; interned
    struct bus *bus;  // that it sits at
    int64_t mtu;      // of its interface, as the host lists it, bytes; 0: the stack's
    bool listed;      // the host lists its cards
    bool idle;        // the case's stack does not use it
};

struct cluster {
    struct sim *sim;
    int host_count;
    struct host **hosts;
    struct network *network;
    struct cluster_card *cards; // by station
};

// Sections that cluster_new reads: host.processor, host.memory, host.bus, host.kernel, host.phase,
// host.noise. Ends with a NULL path. It also reads the buses of the case's topology.
extern const struct scenario_section cluster_sections[];

// Rules of cards, links and buses (rules.c).
extern const struct scenario_rule cluster_rules[];

// The seed of a case's random streams: with phases of a draw (host.phase.draw) another one, as what
// chance decides is drawn, too.
uint64_t cluster_seed(const struct scenario_case *test_case, uint64_t seed);

// Builds hosts and network of a case. The caller frees it with cluster_free, before the sim.
struct cluster *cluster_new(struct sim *sim, const struct scenario_case *test_case);
void cluster_free(struct cluster *cluster);

// For fabrics without a card: sends a packet from a handler like network_send, at the context's
// now.
void cluster_send(struct cpu_context *context, const struct cluster *cluster,
                  struct packet *packet);

// Puts a card at a station that has none; cluster_free frees it, before hosts and network.
void cluster_put_card(struct cluster *cluster, int station, void *card, void (*card_free)(void *));

// Returns the card at the n-th station of a host, or NULL if there is none.
void *cluster_card(const struct cluster *cluster, int host, int nth);

// Returns the bus that the card at a station sits at, or would: the host's own in a cluster that
// was made without a case.
struct bus *cluster_bus(const struct cluster *cluster, int station);

// Returns the station of the first of a host's cards that the case's stack uses.
int cluster_station(const struct cluster *cluster, int host);

#endif
