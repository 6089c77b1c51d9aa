// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/call_kind.h"

enum call_class call_class(enum op_kind kind)
{
    switch (kind) {
    case OP_SEND:
    case OP_SSEND:
    case OP_ISEND:
    case OP_ISSEND:
    case OP_RECV:
    case OP_IRECV:
    case OP_PROBE:
    case OP_IPROBE:
        return CALL_TRANSFER;
    case OP_SENDRECV:
        return CALL_SENDRECV;
    case OP_WAIT:
    case OP_WAITALL:
        return CALL_WAIT;
    case OP_BARRIER:
    case OP_BCAST:
    case OP_REDUCE:
    case OP_ALLREDUCE:
    case OP_GATHER:
    case OP_SCATTER:
    case OP_ALLGATHER:
    case OP_ALLTOALL:
        return CALL_COLLECTIVE;
    case OP_COMPUTE:
    case OP_COPY:
        return CALL_LOCAL;
    case OP_REGISTER:
    case OP_DEREGISTER:
        return CALL_MEMORY;
    case OP_PUT:
    case OP_GET:
    case OP_ACCUMULATE:
    case OP_FETCH_ADD:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_FENCE:
    case OP_ACTIVE_MESSAGE:
    case OP_POLL:
    case OP_CALL:
        return CALL_OPERATION;
    case OP_MEASURE_START:
    case OP_MEASURE_STOP:
        return CALL_MEASURE;
    case OP_LOOP:
        break;
    }
    return CALL_LOOP;
}

enum mpi_request_kind call_request_kind(enum op_kind kind)
{
    return kind == OP_PROBE || kind == OP_IPROBE ? MPI_PROBE
           : kind == OP_RECV || kind == OP_IRECV ? MPI_RECV
                                                 : MPI_SEND;
}

bool call_synchronous(enum op_kind kind)
{
    return kind == OP_SSEND || kind == OP_ISSEND;
}

enum mpi_collective call_collective(enum op_kind kind)
{
    return kind == OP_BARRIER     ? MPI_BARRIER
           : kind == OP_BCAST     ? MPI_BCAST
           : kind == OP_REDUCE    ? MPI_REDUCE
           : kind == OP_ALLREDUCE ? MPI_ALLREDUCE
           : kind == OP_GATHER    ? MPI_GATHER
           : kind == OP_SCATTER   ? MPI_SCATTER
           : kind == OP_ALLGATHER ? MPI_ALLGATHER
                                  : MPI_ALLTOALL;
}
