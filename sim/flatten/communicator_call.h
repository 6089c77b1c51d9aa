// SPDX-License-Identifier: GPL-3.0-or-later
// Which collectives a library runs to make a communicator.
#ifndef NETSIM_FLATTEN_COMMUNICATOR_CALL_H
#define NETSIM_FLATTEN_COMMUNICATOR_CALL_H

#include "sim/mpi/library.h"
#include "sim/program/operations.h"

#include <stdint.h>

#define COMMUNICATOR_COLLECTIVES_MOST 2

struct internal_collective {
    const struct operation_kind *kind; // row of operation_table
    int64_t size;                      // bytes, as the collective's own key
};

// Fills in the collectives of a call of the class CALL_COMMUNICATOR, which the `ranks` ranks of the
// old communicator run one after the other, and returns their number. library: NULL: none.
int communicator_collectives(const struct mpi_library_config *library, enum op_code code, int ranks,
                             struct internal_collective *collectives);

#endif
