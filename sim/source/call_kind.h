// SPDX-License-Identifier: GPL-3.0-or-later
// The requests of transfers and the collectives that operations of sim/ start and end, and which
// requests a wait or a test closes.
#ifndef NETSIM_SOURCE_CALL_KIND_H
#define NETSIM_SOURCE_CALL_KIND_H

#include "sim/mpi/collective.h"
#include "sim/mpi/request.h"
#include "sim/program/operations.h"

#include <stdbool.h>

// How a send goes (MPI 1.1, 3.4).
enum send_mode { SEND_STANDARD, SEND_SYNCHRONOUS, SEND_BUFFERED, SEND_READY };

// Which of its requests a call closes.
enum completion {
    COMPLETES_ALL,  // all, or a test none
    COMPLETES_ANY,  // the first that is done
    COMPLETES_SOME, // those that are done
};

// Of send .. recv_init.
enum mpi_request_kind call_request_kind(enum op_code code);
enum send_mode call_send_mode(enum op_code code);
bool call_synchronous(enum op_code code);

// Of barrier .. alltoall.
enum mpi_collective call_collective(enum op_code code);

// Of wait .. testsome; a test does not wait.
enum completion call_completion(enum op_code code);
bool call_tests(enum op_code code);

#endif
