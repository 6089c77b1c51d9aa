// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/tcp/tcp.h"

static const struct stage_class_entry stages[] = {
    {"TCP", "kernel"},
    {"checksum", "kernel"},
    {"delayed ACK", "waiting for ACK"},
    {"retransmission timer", "waiting for ACK"},
    {"probe timer", "waiting for window"},
    {0},
};

const struct model tcp_model = {
    .name = "tcp",
    .stands_on = (const char *const[]){"inet", NULL},
    .sections = (const struct scenario_section *const[]){tcp_sections, NULL},
    .stages = stages,
};
