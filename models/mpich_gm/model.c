// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpich_gm/mpich.h"

static const struct scenario_section sections[] = {{"mpich_gm", &mpich_gm_table}, {0}};

const struct model mpich_gm_model = {
    .name = "mpich_gm",
    .stands_on = (const char *const[]){"myrinet_gm/gm", "myrinet_gm/lanai", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
};
