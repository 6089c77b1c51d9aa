// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/armci/armci.h"
#include "models/armci/benchmarks.h"
#include "models/armci/operations.h"

const struct model armci_model = {
    .name = "armci",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", "myrinet_gm/gm", "mpich_gm", NULL},
    .sections = (const struct scenario_section *const[]){armci_sections, NULL},
    .stacks = (const struct stack *const[]){&armci_stack, NULL},
    .benchmarks = armci_benchmarks,
    .operations = armci_operations,
};
