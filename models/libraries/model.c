// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/libraries/libraries.h"

const struct model libraries_model = {
    .name = "libraries",
    .sections = (const struct scenario_section *const[]){library_sections, NULL},
};
