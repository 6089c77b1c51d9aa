// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that have arrived and that no receive has taken, of a library and of a bare provider.
#ifndef NETSIM_MPI_UNEXPECTED_H
#define NETSIM_MPI_UNEXPECTED_H

#include "sim/mpi/process.h"

// `envelope`: tag TAG_ANY if the provider has no tags, and length -1 if it is not known.
typedef void mpi_unexpected_fn(void *owner, const struct mpi_envelope *envelope);

// Reports the unexpected messages of a process in the order of their arrival.
void mpi_unexpected_each(const struct mpi_process *process, mpi_unexpected_fn *report, void *owner);

#endif
