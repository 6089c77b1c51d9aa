// SPDX-License-Identifier: GPL-3.0-or-later
// Workers as the ranks of an MPI job (`mpirun -n N netsim sweep ...`): rank 0 hands out the work
// and keeps the results, all other ranks do the work. Every rank has read the same scenario with
// the same arguments, so that only the number of an item is sent. A rank runs each item in a
// process of its own (workers_do_one), so that a case that kills its process or takes too long is a
// result here too.
//
// Limit: a rank that dies ends the whole job, as MPI demands and mpirun reports. Finished results
// are kept, and the next call resumes from there.
#ifndef NETSIM_CAMPAIGN_MPI_WORKERS_H
#define NETSIM_CAMPAIGN_MPI_WORKERS_H

#include "sim/campaign/workers.h"

#include <stdbool.h>

// Starts MPI if this process is one of several of a job, which mpirun and similar launchers put
// into the environment; otherwise does nothing. MPI is finalized at the program's end. Returns
// false and sets *error if the ranks can't find each other because the program was built without
// MPI or for another launcher's MPI: each rank would do all of the work.
bool mpi_workers_start(GError **error);

// How many processes a launcher has started, with this one, whether or not they know
// each other: the ranks of mpirun, or the tasks of srun. *first: this is the first of them.
int mpi_workers_launched(bool *first);

// The number of ranks in the job and this process's rank; 1 and 0 if MPI was not started.
int mpi_workers_size(void);
int mpi_workers_rank(void);

// Collective: returns whether all ranks are ready (`good`) and have the same work, whose hash is
// `digest`. Rank 0 may not be ready: then *quiet informs the other ranks that the reason has been
// reported.
bool mpi_workers_agree(bool good, const char *digest, bool *quiet);

// Rank 0: like workers_run. The other ranks must be in mpi_workers_serve.
bool mpi_workers_run(const struct work *work, GError **error);

// Ends the whole job at once, if there is one. Rank 0 calls it after mpi_workers_run has failed and
// finished results have been written, because other ranks may still be busy.
void mpi_workers_give_up(int exit_code);

// All other ranks: run the items that rank 0 hands out until there are no more.
void mpi_workers_serve(const struct work *work);

#endif
