// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/grim/ni/ni.h"

static const struct stage_class_entry stages[] = {
    {"scan", "NIC"},
    {"sequence number", "NIC"},
    {"send message", "NIC"},
    {"scoreboard", "NIC"},
    {"second DMA", "NIC"},
    {"send control", "NIC"},
    {"receive packet", "NIC"},
    {"deliver", "NIC"},
    {"incoming queue", "NIC"},
    {"finish DMA", "NIC"},
    {"start fetch", "NIC"},
    {"finish fetch", "NIC"},
    {"host request", "NIC"},
    {"take ACK", "NIC"},
    {"take NACK", "NIC"},
    {"free message", "NIC"},
    {0},
};

const struct model grim_ni_model = {
    .name = "grim/ni",
    .stands_on = (const char *const[]){"myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){grim_ni_sections, NULL},
    .cards = (const struct card[]){{"lanai4", GRIM_CARD, NULL}, {"lanai9", GRIM_CARD, NULL}, {0}},
    .stages = stages,
};
