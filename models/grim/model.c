// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/grim/benchmarks.h"
#include "models/grim/ni.h"
#include "models/grim/stack.h"

static const struct stage_class_entry stages[] = {
    {"scan", "NIC"},           {"sequence number", "NIC"},
    {"send message", "NIC"},   {"scoreboard", "NIC"},
    {"second DMA", "NIC"},     {"send control", "NIC"},
    {"receive packet", "NIC"}, {"deliver", "NIC"},
    {"incoming queue", "NIC"}, {"finish DMA", "NIC"},
    {"start fetch", "NIC"},    {"finish fetch", "NIC"},
    {"host request", "NIC"},   {"take ACK", "NIC"},
    {"take NACK", "NIC"},      {"free message", "NIC"},
    {"walk", "NIC"},           {"translation", "NIC"},
    {"remote memory", "NIC"},  {"translate pages", "kernel"},
    {"registration", "pin"},   {0},
};

const struct model grim_model = {
    .name = "grim",
    .stands_on = (const char *const[]){"myrinet_gm", NULL},
    .sections = (const struct scenario_section *const[]){grim_sections, grim_ni_sections, NULL},
    .cards = (const struct card[]){{"lanai4", GRIM_CARD}, {"lanai9", GRIM_CARD}, {0}},
    .stacks = (const struct stack *const[]){&grim_stack, NULL},
    .benchmarks = grim_benchmarks,
    .stages = stages,
};
