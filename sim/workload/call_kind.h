// SPDX-License-Identifier: GPL-3.0-or-later
// What the kinds of calls are in terms of MPI: for who runs them and for who unfolds them.
#ifndef NETSIM_WORKLOAD_CALL_KIND_H
#define NETSIM_WORKLOAD_CALL_KIND_H

#include "sim/program/program.h"
#include "sim/mpi/collective.h"

#include <stdbool.h>

enum call_class {
    CALL_TRANSFER,   // one request: a send, receive or probe
    CALL_SENDRECV,   // a receive and a send
    CALL_WAIT,       // for requests that have been started
    CALL_COLLECTIVE, // a schedule of requests
    CALL_LOCAL,      // time of the process alone
    CALL_MEMORY,     // memory made known to the provider, or taken back
    CALL_OPERATION,  // a request that only some libraries have: one-sided, active messages
    CALL_MEASURE,    // a benchmark's clock
    CALL_LOOP,       // nothing is to be done
};

enum call_class call_class(enum op_kind kind);

// Of a transfer: what kind of request it is.
enum mpi_request_kind call_request_kind(enum op_kind kind);

// Of a transfer: a send that is done only once its receive has begun.
bool call_synchronous(enum op_kind kind);

// Of a collective: which.
enum mpi_collective call_collective(enum op_kind kind);

#endif
