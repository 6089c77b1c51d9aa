// SPDX-License-Identifier: GPL-3.0-or-later
// An observer follows the requests of programs and their fate, in the order of the run; that
// suffices to check matching against MPI's rules. It changes nothing. The ledger reports when
// messages are whole (ledger_watch).
#ifndef NETSIM_MPI_OBSERVER_H
#define NETSIM_MPI_OBSERVER_H

#include <stdbool.h>

struct mpi_process;
struct mpi_request;

enum mpi_observed {
    OBSERVED_START,  // the program has made the request; the device has not seen it yet
    OBSERVED_MATCH,  // a receive or probe has found its message (status, message)
    OBSERVED_DONE,   // the request is complete
    OBSERVED_RETURN, // the call that waited for it returns, and the request is freed
};

// Either function may be NULL.
struct mpi_observer {
    void (*request)(struct mpi_observer *observer, const struct mpi_process *process,
                    const struct mpi_request *request, enum mpi_observed what);
    // A process enters or leaves a collective; `name` is static, as programs write it.
    void (*collective)(struct mpi_observer *observer, const struct mpi_process *process,
                       const char *name, bool enters);
};

#endif
