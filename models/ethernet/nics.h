// SPDX-License-Identifier: GPL-3.0-or-later
// The Fast Ethernet cards of thesis 000, as parameters of models/ethernet/nic.h, and their places
// in a cluster.
#ifndef NETSIM_MODELS_ETHERNET_NICS_H
#define NETSIM_MODELS_ETHERNET_NICS_H

#include "models/ethernet/nic.h"
#include "sim/cluster/cluster.h"

// eepro100: Intel EtherExpress Pro/100 (82558). tulip: DEC 21140 and its kin, as on the Level One
// FNC-0108TX.
#define ETHERNET_CARD "Ethernet" // kind of card (struct card)

extern const struct scenario_section ethernet_sections[];

// Puts its card at every station of the cluster, which owns them; where hosts list their cards, at
// those that the stack of the case uses.
void ethernet_add_nics(struct cluster *cluster, const struct scenario_case *test_case);

// The n-th card of a host.
struct nic *ethernet_nic(const struct cluster *cluster, int host, int nth);

// The card at a station; NULL: none was put there.
struct nic *ethernet_nic_at(const struct cluster *cluster, int station);

#endif
