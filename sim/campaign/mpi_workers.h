// SPDX-License-Identifier: GPL-3.0-or-later
// Workers as the ranks of an MPI job (`mpirun -n N netsim sweep ...`): rank 0 hands out the work
// and keeps the results, all others do it. Every rank has read the same scenario with the same
// arguments, so an item's number is all that is sent. A rank does each item in a process of its own
// (workers_do_one), so that a case that kills its process or takes too long is a result here too.
//
// What it does not do: a rank that dies ends the whole job, as MPI has it and mpirun reports; what
// was finished is kept, and the next call goes on from there.
#ifndef NETSIM_CAMPAIGN_MPI_WORKERS_H
#define NETSIM_CAMPAIGN_MPI_WORKERS_H

#include "sim/campaign/workers.h"

#include <stdbool.h>

// Starts MPI if this process is one of several of a job, which mpirun and its like say in the
// environment; otherwise nothing happens. MPI ends with the program. False and *error if the ranks
// can't find each other, because the program was built without MPI or with that of another
// launcher: each would do all of the work.
bool mpi_workers_start(GError **error);

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
