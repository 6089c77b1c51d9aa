// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/openmpi/stack.h"

const struct model openmpi_model = {
    .name = "openmpi",
    .stands_on = (const char *const[]){"ethernet", "inet", "tcp", NULL},
    .sections = (const struct scenario_section *const[]){openmpi_sections, NULL},
    .stacks = (const struct stack *const[]){&openmpi_tcp_stack, NULL},
};
