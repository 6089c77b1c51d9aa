// SPDX-License-Identifier: GPL-3.0-or-later
// What the operations of sim/ are in terms of MPI: for who runs them and for who unfolds them.
#ifndef NETSIM_WORKLOAD_CALL_KIND_H
#define NETSIM_WORKLOAD_CALL_KIND_H

#include "sim/mpi/collective.h"
#include "sim/program/operations.h"

#include <stdbool.h>

// Of a transfer: what kind of request it is.
enum mpi_request_kind call_request_kind(enum op_code code);

// Of a transfer: a send that is done only once its receive has begun.
bool call_synchronous(enum op_code code);

// Of a collective: which.
enum mpi_collective call_collective(enum op_code code);

#endif
