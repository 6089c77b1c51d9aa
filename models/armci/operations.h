// SPDX-License-Identifier: GPL-3.0-or-later
// ARMCI's own operations (thesis 001, 2.3).
#ifndef NETSIM_MODELS_ARMCI_OPERATIONS_H
#define NETSIM_MODELS_ARMCI_OPERATIONS_H

#include "models/armci/request_message.h"
#include "sim/mpi/request.h"
#include "sim/program/operation_kind.h"

// By enum armci_kind, for the kinds that programs may use; ends with a NULL name.
extern const struct operation_kind armci_operations[ARMCI_FENCE + 2];

// A put, a get or an accumulate.
struct armci_transfer {
    struct operation_arguments common;
    int64_t peer_buffer; // address in the peer's memory; 0: the one corresponding to the caller's
};

// The kind of a request that is one of these operations.
static inline enum armci_kind armci_kind_of(const struct mpi_request *request)
{
    return (enum armci_kind)request->operation->code;
}

#endif
