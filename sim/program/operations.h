// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of sim/ itself: those of every MPI library, and those outside of any library.
#ifndef NETSIM_PROGRAM_OPERATIONS_H
#define NETSIM_PROGRAM_OPERATIONS_H

#include "sim/program/operation_kind.h"

// Their codes, and their rows in operation_table.
enum op_code {
    OP_SEND,
    OP_SSEND,
    OP_ISEND,
    OP_ISSEND,
    OP_RECV,
    OP_IRECV,
    OP_PROBE, // blocks until a matching message has arrived; does not consume it
    OP_IPROBE,
    OP_BSEND,
    OP_IBSEND,
    OP_RSEND,
    OP_IRSEND,
    OP_SEND_INIT,
    OP_BSEND_INIT,
    OP_SSEND_INIT,
    OP_RSEND_INIT,
    OP_RECV_INIT,
    OP_START,
    OP_STARTALL,
    OP_REQUEST_FREE,
    OP_BUFFER_ATTACH,
    OP_BUFFER_DETACH,
    OP_WAIT,
    OP_WAITALL,
    OP_WAITANY,
    OP_WAITSOME,
    OP_TEST,
    OP_TESTALL,
    OP_TESTANY,
    OP_TESTSOME,
    OP_COMPUTE,
    OP_SENDRECV, // a receive and a send, started together and waited for
    OP_SENDRECV_REPLACE,
    OP_BARRIER,
    OP_BCAST,
    OP_REDUCE,
    OP_ALLREDUCE,
    OP_GATHER,
    OP_SCATTER,
    OP_ALLGATHER,
    OP_ALLTOALL,
    OP_REDUCE_SCATTER,
    OP_SCAN,
    OP_EXSCAN,
    OP_GATHERV,
    OP_SCATTERV,
    OP_ALLGATHERV,
    OP_ALLTOALLV,
    OP_COMM_CREATE,
    OP_COMM_SPLIT,
    OP_COMM_DUP,
    OP_COMM_FREE,
    OP_COPY,
    OP_REGISTER, // memory, with the provider
    OP_DEREGISTER,
    OP_LOOP,
    OP_CLOCK, // of the program's own
    OP_LAP,
    OP_MEASURE_START, // a benchmark starts its clock for one size
    OP_MEASURE_STOP,  // records time / (count * parts) under `size`
    OP_STREAM_WRITE,  // buffers of `size` to the peer until a time has passed
    OP_STREAM_READ,   // those of the peer
    OP_CODES
};

// By enum op_code; ends with a NULL name.
extern const struct operation_kind operation_table[OP_CODES + 1];

// send .. recv_init.
struct transfer_arguments {
    struct operation_arguments common;
    int64_t tag; // OPERATION_ANY: any, for a receive or probe
};

struct sendrecv_arguments {
    struct transfer_arguments send;
    int source; // OPERATION_ANY: any
    int64_t receive_buffer;
    int64_t receive_size, receive_tag; // OPERATION_ANY: as what is sent
};

// The size and the tag of the receive of a sendrecv or sendrecv_replace.
static inline int64_t sendrecv_receive_size(const struct operation_kind *kind,
                                            const struct sendrecv_arguments *arguments)
{
    bool same = kind->code == OP_SENDRECV_REPLACE || arguments->receive_size == OPERATION_ANY;
    return same ? arguments->send.common.size : arguments->receive_size;
}

static inline int64_t sendrecv_receive_tag(const struct operation_kind *kind,
                                           const struct sendrecv_arguments *arguments)
{
    bool same = kind->code == OP_SENDRECV_REPLACE || arguments->receive_tag == OPERATION_ANY;
    return same ? arguments->send.tag : arguments->receive_tag;
}

// barrier .. alltoallv.
struct collective_arguments {
    struct operation_arguments common;
    int root;
    int64_t receive_buffer; // OPERATION_ANY: after the sent data
    // Bytes per rank of the communicator, if they are computed (operation_key.per_peer): as in
    // struct mpi_collective_sizes. common.size is the sum of `blocks`. NULL: common.size each.
    const int64_t *blocks, *receive_blocks;
};

// test .. testsome.
struct test_arguments {
    struct operation_arguments common;
    sim_time every; // OPERATION_ANY: it tests once
};

struct compute_arguments {
    struct operation_arguments common;
    sim_time time;
};

struct loop_arguments {
    struct operation_arguments common;
    int64_t count;
    // Of a benchmark's repetitions: how many ranks run such a loop, whose turns correspond; 0: of
    // no such. The ranks run these loops in the same order, and what other ranks do depends on no
    // number of turns.
    int sharers;
};

// clock, lap.
struct clock_arguments {
    struct operation_arguments common;
    const char *name; // interned
};

struct measure_arguments {
    struct operation_arguments common; // size: key under which the time is recorded
    int64_t count;                     // repetitions
    int64_t parts;                     // divides a repetition's time (2: half a round trip)
    bool reported;                     // the time is the library's report, not the clock's
};

// The operations of every MPI library, for a stack's list.
#define OPERATIONS_OF_MPI                                                                          \
    "send", "ssend", "isend", "issend", "recv", "irecv", "probe", "iprobe", "sendrecv", "barrier", \
        "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall",              \
        "reduce_scatter", "scan", "exscan", "gatherv", "scatterv", "allgatherv", "alltoallv",      \
        "bsend", "ibsend", "rsend", "irsend", "send_init", "bsend_init", "ssend_init",             \
        "rsend_init", "recv_init", "start", "startall", "request_free", "buffer_attach",           \
        "buffer_detach", "sendrecv_replace", "comm_create", "comm_split", "comm_dup", "comm_free"

#endif
