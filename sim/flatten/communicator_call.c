// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flatten/communicator_call.h"

#include "sim/mpi/collective.h"

// A number that none of its processes uses: all agree on it (MPICH: a map of those in use, or their
// maximum; LAM: a map).
static struct internal_collective context_of(const struct mpi_library_config *library)
{
    return (struct internal_collective){&operation_table[OP_ALLREDUCE],
                                        library ? library->context_bytes : 4};
}

// All learn the colours and keys of all, by a table to which each adds its own, or by an allgather.
static struct internal_collective colours_of(const struct mpi_library_config *library, int ranks)
{
    bool table = library && library->split == MPI_SPLIT_ALLREDUCE;
    int64_t bytes = library ? library->split_bytes : 8;
    return table ? (struct internal_collective){&operation_table[OP_ALLREDUCE], bytes * ranks}
                 : (struct internal_collective){&operation_table[OP_ALLGATHER], bytes};
}

int communicator_collectives(const struct mpi_library_config *library, enum op_code code, int ranks,
                             struct internal_collective *collectives)
{
    bool context_first = library && library->split == MPI_SPLIT_CONTEXT_FIRST;
    switch (code) {
    case OP_COMM_CREATE:
    case OP_COMM_DUP:
        collectives[0] = context_of(library);
        return 1;
    case OP_COMM_SPLIT:
        collectives[context_first ? 0 : 1] = context_of(library);
        collectives[context_first ? 1 : 0] = colours_of(library, ranks);
        return 2;
    default:
        break;
    }
    return 0; // MPI_Comm_free
}
