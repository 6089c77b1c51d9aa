// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/via/stacks.h"

static const struct stage_class_entry stages[] = {
    {"agent", "kernel"},
    {"pin cache", "pin"},
    {"dreg", "pin"},
    {0},
};

const struct model via_model = {
    .name = "via",
    .stands_on = (const char *const[]){"ethernet", NULL},
    .sections = (const struct scenario_section *const[]){via_sections, NULL},
    .stacks = (const struct stack *const[]){&lam_via_stack, &mvich_stack, &mvia_stack, NULL},
    .stages = stages,
};
