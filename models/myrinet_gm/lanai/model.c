// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/myrinet_gm/lanai/lanai.h"

const struct model lanai_model = {
    .name = "myrinet_gm/lanai",
    .sections = (const struct scenario_section *const[]){lanai_sections, NULL},
    .cards = (const struct card[]){{"lanai4", LANAI_CARD, NULL, &lanai_rates, .bus = "pci"},
                                   {"lanai7", LANAI_CARD, NULL, &lanai_rates, .bus = "pci"},
                                   {"lanai9", LANAI_CARD, NULL, &lanai9_rates, .bus = "pci"},
                                   {0}},
};
