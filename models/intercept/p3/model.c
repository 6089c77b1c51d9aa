// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/intercept/p3/long.h"
#include "models/intercept/p3/p3_internal.h"
#include "models/intercept/p3/stack.h"
#include "models/portals/library.h"

static const struct machine_kind *const p3_machines[] = {
    &p3_short_send_machine,   &p3_short_receive_machine, &p3_long_send_machine,
    &p3_long_receive_machine, &p3_boot_machine,          NULL};

const struct model p3_model = {
    .name = "intercept/p3",
    .stands_on = (const char *const[]){"intercept/nic", "intercept/vdma", "portals", NULL},
    .sections = (const struct scenario_section *const[]){p3_sections, NULL},
    .stacks = (const struct stack *const[]){&portals_stack, NULL},
    .operations = portals_operations,
    .machines = p3_machines,
};
