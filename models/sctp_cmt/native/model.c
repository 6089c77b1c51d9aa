// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/model.h"

const struct model sctp_native_model = {
    .name = "sctp_cmt/native",
    .stands_on = (const char *const[]){"ethernet", "inet", "sctp_cmt/wire", "sctp_cmt/sctp", NULL},
};
