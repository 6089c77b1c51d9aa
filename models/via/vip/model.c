// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/via/vip/stack.h"

const struct model vip_model = {
    .name = "via/vip",
    .stands_on = (const char *const[]){"ethernet", NULL},
    .sections = (const struct scenario_section *const[]){via_sections, NULL},
    .stacks = (const struct stack *const[]){&mvia_stack, NULL},
};
