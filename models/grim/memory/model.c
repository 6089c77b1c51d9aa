// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/grim/memory/memory.h"
#include "models/grim/memory/memory_internal.h"

static const struct scenario_section sections[] = {{"grim_memory", &grim_memory_table}, {0}};

static const struct machine_kind *const memory_machines[] = {&grim_remote_machine,
                                                             &grim_translation_machine, NULL};

const struct model grim_memory_model = {
    .name = "grim/memory",
    .stands_on = (const char *const[]){"grim/ni", "myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .machines = memory_machines,
};
