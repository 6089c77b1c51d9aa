// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/ethernet/nics.h"

static const struct card_rates fast = {
    .values = (const int64_t[]){10000000, 100000000, 0},
    .source = "82558 data sheet, 21140 hardware reference: 10BASE-T, 100BASE-TX",
};
static const struct card_rates gigabit = {
    .values = (const int64_t[]){10000000, 100000000, 1000000000, 0},
    .source = "Intel's 8254x manual: 10, 100 and 1000BASE-T",
};

static const int64_t plain_rates[] = {10000000, 400000000000, 0};
static const struct card_rates plain = {
    .values = plain_rates,
    .between = true,
    .source = "IEEE 802.3: 10BASE-T to 400GBASE-R; it has the rate of its link",
};

#define MODERATION "interrupt_distance", "tx_interrupt_delay"
#define ON_PCI(name, rates)                                                                        \
    {name, ETHERNET_CARD, ethernet_add_nics, rates, "pci", MODERATION},                            \
    {                                                                                              \
        name, ETHERNET_PCI_CARD, ethernet_add_nics, rates, "pci", MODERATION                       \
    }

const struct model ethernet_model = {
    .name = "ethernet",
    .sections = (const struct scenario_section *const[]){ethernet_sections, NULL},
    .cards =
        (const struct card[]){
            ON_PCI("eepro100", &fast),
            ON_PCI("tulip", &fast),
            ON_PCI("em82547gi", &gigabit),
            ON_PCI("em82541gi", &gigabit),
            {"ethernet", ETHERNET_CARD, ethernet_add_nics, &plain, "pcie", MODERATION},
            {0},
        },
};
