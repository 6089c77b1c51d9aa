// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/grim/memory/memory.h"

static const struct scenario_section sections[] = {{"grim_memory", &grim_memory_table}, {0}};

const struct model grim_memory_model = {
    .name = "grim/memory",
    .stands_on = (const char *const[]){"grim/ni", "myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
};
