// SPDX-License-Identifier: GPL-3.0-or-later
// Workers as the ranks of an MPI job (`mpirun -n N netsim sweep ...`): rank 0 hands out the work
// and keeps the results, all others do it. Every rank has read the same scenario with the same
// arguments, so an item's number is all that is sent.
//
// What it does not do: a case that kills its process ends the whole job, as MPI has it; what was
// finished is kept.
#ifndef NETSIM_CAMPAIGN_MPI_WORKERS_H
#define NETSIM_CAMPAIGN_MPI_WORKERS_H

#include "sim/campaign/workers.h"

#include <stdbool.h>

// Starts MPI if this process is one of several of a job, which mpirun and its like say in the
// environment; otherwise, and in a program built without MPI, nothing happens. MPI ends with the
// program.
void mpi_workers_start(void);

// Ranks of the job and this one's number; 1 and 0 if MPI was not started.
int mpi_workers_size(void);
int mpi_workers_rank(void);

// Collective: whether all ranks are ready (`good`) and have the same work, of which `digest` is the
// hash. Rank 0 may not be ready: then *quiet tells the others that the reason has been told.
bool mpi_workers_agree(bool good, const char *digest, bool *quiet);

// Rank 0: as workers_run. The others must be in mpi_workers_serve.
bool mpi_workers_run(const struct work *work, GError **error);

// Ends the whole job at once, if there is one: rank 0 after a failure of mpi_workers_run, when what
// there is has been written, because the others may be busy.
void mpi_workers_give_up(int exit_code);

// All other ranks: do what rank 0 hands out until it has no more.
void mpi_workers_serve(const struct work *work);

#endif
