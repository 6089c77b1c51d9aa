// SPDX-License-Identifier: GPL-3.0-or-later
// The Fast Ethernet cards of thesis 000, as parameters of sim/cluster/nic.h.
#ifndef NETSIM_MODELS_ETHERNET_NICS_H
#define NETSIM_MODELS_ETHERNET_NICS_H

#include "sim/config/scenario.h"

// eepro100: Intel EtherExpress Pro/100 (82558). tulip: DEC 21140 and its kin, as on the Level One
// FNC-0108TX.
#define ETHERNET_CARD "Ethernet" // kind of card (struct card)

extern const struct scenario_section ethernet_sections[];

#endif
