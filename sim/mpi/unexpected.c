// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/unexpected.h"

#include "sim/mpi/bare.h"

void mpi_unexpected_each(const struct mpi_process *process, mpi_unexpected_fn *report, void *owner)
{
    for (const struct mpi_unexpected *at = process->matcher.unexpected_head; at; at = at->next)
        report(owner, &at->envelope);
    if (process->ops->bare)
        mpi_bare_each_early(process, report, owner);
}
