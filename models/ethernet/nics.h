// SPDX-License-Identifier: GPL-3.0-or-later
// The Fast Ethernet cards of thesis 000, the gigabit ones of thesis 004's hosts, and a plain card
// of today, as parameters of models/ethernet/nic.h, and their stations in a cluster.
#ifndef NETSIM_MODELS_ETHERNET_NICS_H
#define NETSIM_MODELS_ETHERNET_NICS_H

#include "models/ethernet/nic.h"
#include "sim/cluster/cluster.h"

// eepro100: Intel EtherExpress Pro/100 (82558). tulip: DEC 21140 and compatibles, as on the Level
// One FNC-0108TX. em82547gi, em82541gi: Intel's PRO/1000 on board, on CSA and on PCI. ethernet: no
// card in particular, of the link's rate, on PCI Express.
#define ETHERNET_CARD "Ethernet"            // kind of card (struct card)
#define ETHERNET_PCI_CARD "Ethernet on PCI" // those of them that M-VIA was ported to or could be

extern const struct scenario_section ethernet_sections[];

// Puts a card at every station of the cluster, which owns them. For hosts that list their cards,
// only at the stations that the case's stack uses.
void ethernet_add_nics(struct cluster *cluster, const struct scenario_case *test_case);

// For checks of stacks: complains of the first used card that cannot take frames with packets of
// the MTU that its interface has: that of the host's list or else `mtu`, which the scenario gives
// in the section `path` as "mtu".
void ethernet_check_mtu(const struct scenario_case *test_case, const char *path, int64_t mtu,
                        struct diag_list *diags);

// Rules of a protocol's frames for its model's table: `mtu` is the path of its longest packet
// within a frame, "tcp.mtu".
rule_broken_fn ethernet_fifo_broken, ethernet_queue_broken;
// For a protocol that sends packets of its own interface's MTU, whatever the peer's is.
rule_broken_fn ethernet_path_mtu_broken;
#define ETHERNET_RULES(protocol, mtu)                                                              \
    {                                                                                              \
        .name = protocol "_fifo",                                                                  \
        .compares = "the FIFOs of the cards with frames of " mtu,                                  \
        .settings = {mtu},                                                                         \
        .remedy = "a larger FIFO, a smaller threshold, or a smaller MTU",                          \
        .physics = true,                                                                           \
        .broken = ethernet_fifo_broken,                                                            \
    },                                                                                             \
    {                                                                                              \
        .name = protocol "_switch_queue",                                                          \
        .compares = "the bytes that a switch's output queue holds with frames of " mtu,            \
        .settings = {mtu}, .remedy = "a larger queue_bytes, or a smaller MTU", .physics = true,    \
        .broken = ethernet_queue_broken,                                                           \
    }

// The n-th card of a host.
struct nic *ethernet_nic(const struct cluster *cluster, int host, int nth);

// Returns the card at a station, or NULL if there is none.
struct nic *ethernet_nic_at(const struct cluster *cluster, int station);

#endif
