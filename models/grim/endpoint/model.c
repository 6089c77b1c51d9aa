// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/grim/endpoint/benchmarks.h"
#include "models/grim/endpoint/endpoint.h"
#include "models/grim/endpoint/operations.h"
#include "models/grim/endpoint/stack.h"

static const struct machine_kind *const grim_machines[] = {
    &grim_request_machine, &grim_handler_machine, &grim_overflow_machine, NULL};

const struct model grim_model = {
    .name = "grim/endpoint",
    .stands_on = (const char *const[]){"grim/memory", "grim/ni", "myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){grim_sections, NULL},
    .stacks = (const struct stack *const[]){&grim_stack, NULL},
    .benchmarks = grim_benchmarks,
    .operations = grim_operations,
    .machines = grim_machines,
};
