// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/myrinet_gm/gm/gm_stacks.h"

const struct model gm_model = {
    .name = "myrinet_gm/gm",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){gm_sections, NULL},
    .stacks = (const struct stack *const[]){&gm_stack, NULL},
    .benchmarks = gm_benchmarks,
};
