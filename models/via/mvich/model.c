// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/via/mvich/mvich.h"

static const struct scenario_section sections[] = {{"mvich", &mvich_table}, {0}};

const struct model mvich_model = {
    .name = "via/mvich",
    .stands_on = (const char *const[]){"via/vip", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .stacks = (const struct stack *const[]){&mvich_stack, NULL},
};
