// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/myrinet_gm/gm_stacks.h"
#include "models/myrinet_gm/lanai.h"

static const struct stage_class_entry stages[] = {
    {"resend timer", "waiting for ACK"},
    {"PIO", "bus"},
    {"dispatch", "NIC"},
    {"timer", "NIC"},
    {"finish RDMA", "NIC"},
    {"finish receive", "NIC"},
    {"finish SDMA", "NIC"},
    {"finish send", "NIC"},
    {"start send", "NIC"},
    {"start SDMA", "NIC"},
    {"start RDMA", "NIC"},
    {"poll tokens", "NIC"},
    {0},
};

const struct model myrinet_gm_model = {
    .name = "myrinet_gm",
    .sections = (const struct scenario_section *const[]){lanai_sections, gm_sections, NULL},
    .cards =
        (const struct card[]){
            {"lanai4", LANAI_CARD}, {"lanai7", LANAI_CARD}, {"lanai9", LANAI_CARD}, {0}},
    .stacks = (const struct stack *const[]){&gm_stack, NULL},
    .benchmarks = gm_benchmarks,
    .stages = stages,
};
