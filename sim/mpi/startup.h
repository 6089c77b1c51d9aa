// SPDX-License-Identifier: GPL-3.0-or-later
// MPI_Init of a device, as a table of steps: each is a slice of processor time or several, those
// for each peer at least one for each. The device's table (mpi_device_ops.startup) ends with a row
// without `run`, whose name is that of the state "up".
#ifndef NETSIM_MPI_STARTUP_H
#define NETSIM_MPI_STARTUP_H

#include "sim/mpi/process.h"

struct mpi_startup_step {
    const char *name; // as traces name it
    bool per_peer;    // for each other rank, in their order; a slice each at least
    // What the step waits for comes from outside. It takes no slice of its own: it is asked at the
    // end of the slice that ends the step before it, and again at each wake-up; once it is done,
    // the next step begins in the same slice. Its end is not traced.
    bool gate;
    // Called in a slice of its own. PROGRESS_NOTHING: the step, or its part for `peer` (without
    // per_peer: RANK_ANY), is done. PROGRESS_EVENT: it needs another slice.
    // PROGRESS_BLOCKED: it is asked again when the process is woken.
    enum mpi_progress (*run)(struct cpu_context *context, struct mpi_process *process, int peer);
};

// A slice of the startup. PROGRESS_NOTHING: the device is up.
enum mpi_progress mpi_startup(struct cpu_context *context, struct mpi_process *process);

// For devices: the step that the process is at has ended otherwise than by its `run`, and `step` (a
// row of the table) begins. Traced.
void mpi_startup_enter(const struct cpu_context *context, struct mpi_process *process, int step);

#endif
