// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/request_message.h"

#include "models/armci/job.h"

const char *armci_kind_name(enum armci_kind kind)
{
    static const char *const names[ARMCI_KINDS] = {
        [ARMCI_PUT] = "put",
        [ARMCI_ACCUMULATE] = "accumulate",
        [ARMCI_GET] = "get",
        [ARMCI_FETCH_ADD] = "fetch_add",
        [ARMCI_LOCK] = "lock",
        [ARMCI_UNLOCK] = "unlock",
        [ARMCI_FENCE] = "fence",
        [ARMCI_REGISTER] = "register",
        [ARMCI_UNREGISTER] = "unregister",
        [ARMCI_AVAILABLE] = "available",
        [ARMCI_ARRIVED] = "arrived",
    };
    return names[kind];
}

const struct armci_flag *armci_flag_new(struct armci_job *job, const struct armci_flag *flag)
{
    struct armci_flag *copy = pool_take(&job->flags);
    *copy = *flag;
    copy->self = copy;
    return copy;
}

void armci_flag_seen(struct armci_job *job, const struct armci_flag *flag)
{
    if (flag)
        pool_give(&job->flags, flag->self);
}
