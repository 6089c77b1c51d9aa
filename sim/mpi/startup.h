// SPDX-License-Identifier: GPL-3.0-or-later
// MPI_Init of a device, as a table of steps. Each step takes one or more slices of processor time,
// a step with per_peer at least one per peer. The device's table (mpi_device_ops.startup) ends with
// a row without `run`. The states of its machine (startup_machine) are the rows, of which the last
// is "up".
#ifndef NETSIM_MPI_STARTUP_H
#define NETSIM_MPI_STARTUP_H

#include "sim/mpi/process.h"

struct mpi_startup_step {
    bool per_peer; // repeated for each other rank, in order, with at least one slice each
    // The step waits for an outside event and takes no slice of its own. It is polled at the end of
    // the slice that ends the step before it, and again at each wake-up; once it is done, the next
    // step begins in the same slice. Its end is not traced.
    bool gate;
    // Called in a slice of its own. PROGRESS_NOTHING: the step, or its part for `peer` (without
    // per_peer: RANK_ANY), is done. PROGRESS_EVENT: it needs another slice. PROGRESS_BLOCKED: it is
    // called again when the process is woken.
    enum mpi_progress (*run)(struct cpu_context *context, struct mpi_process *process, int peer);
};

// Runs one slice of the startup. PROGRESS_NOTHING: the device is up.
enum mpi_progress mpi_startup(struct cpu_context *context, struct mpi_process *process);

// For devices: the process's current step has ended other than by its `run`, and `step` (a row of
// the table) begins. Traced.
void mpi_startup_enter(const struct cpu_context *context, struct mpi_process *process, int step);

#endif
