// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/source/call_kind.h"

// By enum op_code; what a row does not have is not asked for.
static const struct {
    enum mpi_request_kind request; // of a transfer
    enum send_mode mode;
    enum mpi_collective collective;
    enum completion completion; // of a wait or a test
    bool tests;
} meanings[OP_CODES] = {
    [OP_SEND] = {.request = REQUEST_SEND},
    [OP_SSEND] = {.request = REQUEST_SEND, .mode = SEND_SYNCHRONOUS},
    [OP_ISEND] = {.request = REQUEST_SEND},
    [OP_ISSEND] = {.request = REQUEST_SEND, .mode = SEND_SYNCHRONOUS},
    [OP_BSEND] = {.request = REQUEST_SEND, .mode = SEND_BUFFERED},
    [OP_IBSEND] = {.request = REQUEST_SEND, .mode = SEND_BUFFERED},
    [OP_RSEND] = {.request = REQUEST_SEND, .mode = SEND_READY},
    [OP_IRSEND] = {.request = REQUEST_SEND, .mode = SEND_READY},
    [OP_SEND_INIT] = {.request = REQUEST_SEND},
    [OP_BSEND_INIT] = {.request = REQUEST_SEND, .mode = SEND_BUFFERED},
    [OP_SSEND_INIT] = {.request = REQUEST_SEND, .mode = SEND_SYNCHRONOUS},
    [OP_RSEND_INIT] = {.request = REQUEST_SEND, .mode = SEND_READY},
    [OP_RECV_INIT] = {.request = REQUEST_RECV},
    [OP_WAIT] = {.completion = COMPLETES_ALL},
    [OP_WAITALL] = {.completion = COMPLETES_ALL},
    [OP_WAITANY] = {.completion = COMPLETES_ANY},
    [OP_WAITSOME] = {.completion = COMPLETES_SOME},
    [OP_TEST] = {.completion = COMPLETES_ALL, .tests = true},
    [OP_TESTALL] = {.completion = COMPLETES_ALL, .tests = true},
    [OP_TESTANY] = {.completion = COMPLETES_ANY, .tests = true},
    [OP_TESTSOME] = {.completion = COMPLETES_SOME, .tests = true},
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
    [OP_REDUCE_SCATTER] = {.collective = COLLECTIVE_REDUCE_SCATTER},
    [OP_SCAN] = {.collective = COLLECTIVE_SCAN},
    [OP_EXSCAN] = {.collective = COLLECTIVE_EXSCAN},
    [OP_GATHERV] = {.collective = COLLECTIVE_GATHERV},
    [OP_SCATTERV] = {.collective = COLLECTIVE_SCATTERV},
    [OP_ALLGATHERV] = {.collective = COLLECTIVE_ALLGATHERV},
    [OP_ALLTOALLV] = {.collective = COLLECTIVE_ALLTOALLV},
};

enum mpi_request_kind call_request_kind(enum op_code code)
{
    return meanings[code].request;
}

enum send_mode call_send_mode(enum op_code code)
{
    return meanings[code].mode;
}

bool call_synchronous(enum op_code code)
{
    return meanings[code].mode == SEND_SYNCHRONOUS;
}

enum completion call_completion(enum op_code code)
{
    return meanings[code].completion;
}

bool call_tests(enum op_code code)
{
    return meanings[code].tests;
}

enum mpi_collective call_collective(enum op_code code)
{
    return meanings[code].collective;
}
