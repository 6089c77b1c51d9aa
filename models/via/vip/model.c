// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/ethernet/nics.h"
#include "models/via/vip/stack.h"
#include "models/via/vip/vip.h"

static const struct scenario_rule vip_rules[] = {ETHERNET_RULES("mvia", "mvia.mtu"), {0}};

static const struct machine_kind *const vip_machines[] = {&vip_vi_machine, NULL};

const struct model vip_model = {
    .name = "via/vip",
    .stands_on = (const char *const[]){"ethernet", NULL},
    .sections = (const struct scenario_section *const[]){via_sections, NULL},
    .rules = vip_rules,
    .machines = vip_machines,
    .stacks = (const struct stack *const[]){&mvia_stack, NULL},
};
