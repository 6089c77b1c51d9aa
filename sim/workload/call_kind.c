// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/call_kind.h"

// By enum op_code; what a row does not have is not asked for.
static const struct {
    enum mpi_request_kind request; // of a transfer
    bool synchronous;
    enum mpi_collective collective;
} meanings[OP_CODES] = {
    [OP_SEND] = {.request = REQUEST_SEND},
    [OP_SSEND] = {.request = REQUEST_SEND, .synchronous = true},
    [OP_ISEND] = {.request = REQUEST_SEND},
    [OP_ISSEND] = {.request = REQUEST_SEND, .synchronous = true},
    [OP_RECV] = {.request = REQUEST_RECV},
    [OP_IRECV] = {.request = REQUEST_RECV},
    [OP_PROBE] = {.request = REQUEST_PROBE},
    [OP_IPROBE] = {.request = REQUEST_PROBE},
    [OP_BARRIER] = {.collective = COLLECTIVE_BARRIER},
    [OP_BCAST] = {.collective = COLLECTIVE_BCAST},
    [OP_REDUCE] = {.collective = COLLECTIVE_REDUCE},
    [OP_ALLREDUCE] = {.collective = COLLECTIVE_ALLREDUCE},
    [OP_GATHER] = {.collective = COLLECTIVE_GATHER},
    [OP_SCATTER] = {.collective = COLLECTIVE_SCATTER},
    [OP_ALLGATHER] = {.collective = COLLECTIVE_ALLGATHER},
    [OP_ALLTOALL] = {.collective = COLLECTIVE_ALLTOALL},
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
