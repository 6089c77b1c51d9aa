// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/tcp/tcp.h"

const struct model tcp_model = {
    .name = "tcp",
    .stands_on = (const char *const[]){"inet", NULL},
    .sections = (const struct scenario_section *const[]){tcp_sections, NULL},
};
