// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/call_kind.h"

enum mpi_request_kind call_request_kind(enum op_code code)
{
    return code == OP_PROBE || code == OP_IPROBE ? MPI_PROBE
           : code == OP_RECV || code == OP_IRECV ? MPI_RECV
                                                 : MPI_SEND;
}

bool call_synchronous(enum op_code code)
{
    return code == OP_SSEND || code == OP_ISSEND;
}

enum mpi_collective call_collective(enum op_code code)
{
    return code == OP_BARRIER     ? MPI_BARRIER
           : code == OP_BCAST     ? MPI_BCAST
           : code == OP_REDUCE    ? MPI_REDUCE
           : code == OP_ALLREDUCE ? MPI_ALLREDUCE
           : code == OP_GATHER    ? MPI_GATHER
           : code == OP_SCATTER   ? MPI_SCATTER
           : code == OP_ALLGATHER ? MPI_ALLGATHER
                                  : MPI_ALLTOALL;
}
