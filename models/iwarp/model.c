// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"
#include "models/iwarp/internal.h"
#include "models/iwarp/native.h"

static const struct machine_kind *const iwarp_machines[] = {&iwarp_qp_machine, &iwarp_work_machine,
                                                            NULL};

const struct model iwarp_model = {
    .name = "iwarp",
    .stands_on =
        (const char *const[]){"inet", "ethernet", "sctp_cmt/wire", "sctp_cmt/sctp", "tcp", NULL},
    .sections = (const struct scenario_section *const[]){native_iwarp_sections, NULL},
    .stacks = (const struct stack *const[]){&native_iwarp_stack, NULL},
    .operations = native_iwarp_operations,
    .machines = iwarp_machines,
};
