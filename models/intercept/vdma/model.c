// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"

const struct model vdma_model = {
    .name = "intercept/vdma",
    .stands_on = (const char *const[]){"intercept/nic", NULL},
};
