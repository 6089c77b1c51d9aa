// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/mpich2/hybrid/hybrid.h"

static const struct scenario_section sections[] = {{"ch3_hybrid", &ch3_hybrid_table}, {NULL, NULL}};

const struct model ch3_hybrid_model = {
    .name = "mpich2/hybrid",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", "sctp_cmt/sctp",
                                       "iwarp", "mpich2/ch3", "mpich2/sctp", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .operations = ch3_rma_operations,
    .stacks = (const struct stack *const[]){&ch3_hybrid_stack, NULL},
};
