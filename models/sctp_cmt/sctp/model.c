// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"
#include "models/sctp_cmt/sctp/sctp.h"

const struct model sctp_model = {
    .name = "sctp_cmt/sctp",
    .stands_on = (const char *const[]){"inet", "sctp_cmt/wire", NULL},
    .sections = (const struct scenario_section *const[]){sctp_sections, NULL},
};
