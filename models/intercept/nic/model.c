// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/intercept/nic/nic.h"

const struct model intercept_nic_model = {
    .name = "intercept/nic",
    .stands_on = (const char *const[]){NULL},
    .sections = (const struct scenario_section *const[]){intercept_nic_sections, NULL},
    .cards = (const struct card[]){{"intercept", INTERCEPT_CARD, intercept_add_nics}, {0}},
};
