// SPDX-License-Identifier: GPL-3.0-or-later
// Who looks at a run from outside is told what programs ask of a library and what becomes of it, in
// the order of the run: a check of matching against MPI's rules needs no more. It changes nothing.
// When messages are whole the ledger tells (ledger_watch).
#ifndef NETSIM_MPI_OBSERVER_H
#define NETSIM_MPI_OBSERVER_H

#include <stdbool.h>

struct mpi_process;
struct mpi_request;

enum mpi_observed {
    OBSERVED_START,  // the program has asked for it; the device has not seen it yet
    OBSERVED_MATCH,  // a receive or probe has found its message (status, message)
    OBSERVED_DONE,   // it has reached its end
    OBSERVED_RETURN, // the call that waited for it returns, and the request is given back
};

// Both may be NULL.
struct mpi_observer {
    void (*request)(struct mpi_observer *observer, const struct mpi_process *process,
                    const struct mpi_request *request, enum mpi_observed what);
    // A process enters or leaves a collective; `name` is static, as programs write it.
    void (*collective)(struct mpi_observer *observer, const struct mpi_process *process,
                       const char *name, bool enters);
};

#endif
