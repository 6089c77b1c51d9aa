// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/intercept/p3/stack.h"
#include "models/portals/library.h"

const struct model p3_model = {
    .name = "intercept/p3",
    .stands_on = (const char *const[]){"intercept/nic", "intercept/vdma", "portals", NULL},
    .sections = (const struct scenario_section *const[]){p3_sections, NULL},
    .stacks = (const struct stack *const[]){&portals_stack, NULL},
    .operations = portals_operations,
};
