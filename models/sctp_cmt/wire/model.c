// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/model/model.h"

const struct model sctp_wire_model = {
    .name = "sctp_cmt/wire",
    .stands_on = (const char *const[]){"inet", NULL},
};
