// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"

const struct model intercept_nic_model = {
    .name = "intercept/nic",
    .stands_on = (const char *const[]){NULL},
};
