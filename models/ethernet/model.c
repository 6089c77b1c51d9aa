// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/ethernet/nics.h"

const struct model ethernet_model = {
    .name = "ethernet",
    .sections = (const struct scenario_section *const[]){ethernet_sections, NULL},
    .cards = (const struct card[]){{"eepro100", ETHERNET_CARD, ethernet_add_nics},
                                   {"tulip", ETHERNET_CARD, ethernet_add_nics},
                                   {"em82547gi", ETHERNET_CARD, ethernet_add_nics},
                                   {"em82541gi", ETHERNET_CARD, ethernet_add_nics},
                                   {0}},
};
