// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/intercept/vdma/handler_internal.h"
#include "models/intercept/vdma/operations.h"
#include "models/intercept/vdma/raw.h"

static const struct machine_kind *const vdma_machines[] = {
    &vdma_request_machine, &vdma_connection_machine, &vdma_read_machine,
    &vdma_write_machine,   &vdma_channel_machine,    NULL};

const struct model vdma_model = {
    .name = "intercept/vdma",
    .stands_on = (const char *const[]){"intercept/nic", NULL},
    .sections = (const struct scenario_section *const[]){vdma_sections, NULL},
    .stacks = (const struct stack *const[]){&vdma_stack, NULL},
    .benchmarks = vdma_benchmarks,
    .operations = vdma_operations,
    .machines = vdma_machines,
};
