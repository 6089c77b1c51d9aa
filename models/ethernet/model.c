// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/ethernet/nics.h"

static const struct card_rates fast = {
    .values = (const int64_t[]){10000000, 100000000, 0},
    .source = "82558 data sheet, 21140 hardware reference: 10BASE-T, 100BASE-TX",
};
static const struct card_rates gigabit = {
    .values = (const int64_t[]){10000000, 100000000, 1000000000, 0},
    .source = "Intel's 8254x manual: 10, 100 and 1000BASE-T",
};

const struct model ethernet_model = {
    .name = "ethernet",
    .sections = (const struct scenario_section *const[]){ethernet_sections, NULL},
    .cards = (const struct card[]){{"eepro100", ETHERNET_CARD, ethernet_add_nics, &fast},
                                   {"tulip", ETHERNET_CARD, ethernet_add_nics, &fast},
                                   {"em82547gi", ETHERNET_CARD, ethernet_add_nics, &gigabit},
                                   {"em82541gi", ETHERNET_CARD, ethernet_add_nics, &gigabit},
                                   {0}},
};
