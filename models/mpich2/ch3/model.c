// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpich2/ch3/ch3.h"
#include "models/mpich2/ch3/rma_benchmarks.h"

static const struct scenario_section sections[] = {
    {"ch3", &ch3_table}, {"mpich4_ch3", &mpich4_ch3_table}, {NULL, NULL}};

static const struct machine_kind *const ch3_machines[] = {&ch3_vc_machine, NULL};

const struct model ch3_model = {
    .name = "mpich2/ch3",
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .benchmarks = ch3_rma_benchmarks,
    .machines = ch3_machines,
};
