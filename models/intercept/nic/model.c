// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/intercept/nic/nic.h"
#include "models/intercept/nic/nic_internal.h"

static const struct card_rates plane_rates = {
    .values = (const int64_t[]){2000000000, 0},
    .source = "inferred: thesis 002, 2.1.3, has 2.5 Gbit/s per plane; 8b/10b leaves 2",
};

static const struct machine_kind *const nic_machines[] = {&nic_channel_machine, NULL};

const struct model intercept_nic_model = {
    .name = "intercept/nic",
    .stands_on = (const char *const[]){NULL},
    .sections = (const struct scenario_section *const[]){intercept_nic_sections, NULL},
    .cards =
        (const struct card[]){
            {"intercept", INTERCEPT_CARD, intercept_add_nics, &plane_rates, .bus = "pci"}, {0}},
    .machines = nic_machines,
};
