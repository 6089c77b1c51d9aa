// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/sctp/channel.h"

static const struct scenario_section sections[] = {{"ch3_sctp", &ch3_sctp_table}, {NULL, NULL}};

static const struct machine_kind *const ch3_sctp_machines[] = {
    &ch3_sctp_vc_machine, &ch3_sctp_out_machine, &ch3_sctp_in_machine, NULL};

const struct model ch3_sctp_model = {
    .name = "mpich2/sctp",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", "sctp_cmt/sctp",
                                       "mpich2/ch3", NULL},
    .sections = (const struct scenario_section *const[]){sections, NULL},
    .operations = ch3_rma_operations,
    .machines = ch3_sctp_machines,
    .stacks = (const struct stack *const[]){&ch3_sctp_stack, NULL},
};
