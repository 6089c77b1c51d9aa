// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/via/lam_via/rpi.h"

static const struct scenario_section sections[] = {{"lam_via", &rpi_table}, {0}};

const struct model lam_via_model = {
    .name = "via/lam_via",
    .stands_on = (const char *const[]){"ethernet", "via/vip", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .stacks = (const struct stack *const[]){&lam_via_stack, NULL},
};
