// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/call_kind.h"

// By enum op_code; what a row does not have is not asked for.
static const struct {
    enum mpi_request_kind request; // of a transfer
    bool synchronous;
    enum mpi_collective collective;
} meanings[OP_CODES] = {
    [OP_SEND] = {.request = MPI_SEND},
    [OP_SSEND] = {.request = MPI_SEND, .synchronous = true},
    [OP_ISEND] = {.request = MPI_SEND},
    [OP_ISSEND] = {.request = MPI_SEND, .synchronous = true},
    [OP_RECV] = {.request = MPI_RECV},
    [OP_IRECV] = {.request = MPI_RECV},
    [OP_PROBE] = {.request = MPI_PROBE},
    [OP_IPROBE] = {.request = MPI_PROBE},
    [OP_BARRIER] = {.collective = MPI_BARRIER},
    [OP_BCAST] = {.collective = MPI_BCAST},
    [OP_REDUCE] = {.collective = MPI_REDUCE},
    [OP_ALLREDUCE] = {.collective = MPI_ALLREDUCE},
    [OP_GATHER] = {.collective = MPI_GATHER},
    [OP_SCATTER] = {.collective = MPI_SCATTER},
    [OP_ALLGATHER] = {.collective = MPI_ALLGATHER},
    [OP_ALLTOALL] = {.collective = MPI_ALLTOALL},
};

enum mpi_request_kind call_request_kind(enum op_code code)
{
    return meanings[code].request;
}

bool call_synchronous(enum op_code code)
{
    return meanings[code].synchronous;
}

enum mpi_collective call_collective(enum op_code code)
{
    return meanings[code].collective;
}
