// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/portals/benchmarks.h"
#include "models/portals/internal.h"
#include "models/portals/library.h"

static const struct scenario_section sections[] = {
    {"portals", &portals_table},
    {0},
};

static const struct machine_kind *const portals_machines[] = {&portals_request_machine, NULL};

// Its operations are listed by the models whose stacks run them.
const struct model portals_model = {
    .name = "portals",
    .stands_on = (const char *const[]){NULL},
    .benchmarks = portals_benchmarks,
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .machines = portals_machines,
};
