// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"

const struct model portals_model = {
    .name = "portals",
    .stands_on = (const char *const[]){NULL},
};
