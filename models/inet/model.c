// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"

const struct model inet_model = {
    .name = "inet",
    .stands_on = (const char *const[]){"ethernet", NULL},
};
