// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"

const struct model p3_model = {
    .name = "intercept/p3",
    .stands_on = (const char *const[]){"intercept/nic", "intercept/vdma", "portals", NULL},
};
