// SPDX-License-Identifier: GPL-3.0-or-later
// A program compiled for one rank: its operations with expressions compiled, requests and loop
// counters numbered.
#ifndef NETSIM_WORKLOAD_CODE_H
#define NETSIM_WORKLOAD_CODE_H

#include "sim/config/expression.h"
#include "sim/config/program.h"
#include "sim/mpi/operation.h"

#include <stdbool.h>

// A value known at compile time, or an expression over rank, ranks and loop counters.
struct code_value {
    bool given, any;
    int64_t constant;
    struct expression *expression; // NULL: constant
};

#define CODE_NO_SLOT (-1)

// How the data of a one-sided transfer lie in memory.
struct code_layout {
    int counts; // 0: sets of segments
    struct code_value count[OP_LAYOUT_LEVELS + 1], stride[OP_LAYOUT_LEVELS],
        peer_stride[OP_LAYOUT_LEVELS];
    int sets;
    struct code_value *bytes, *repeats; // of the sets
    struct mpi_segments *segments;      // what they come out as
};

struct code_op {
    const struct op *source;
    struct code_value peer, source_rank, root, size, tag, time, count, buffer, receive_buffer,
        peer_buffer, channel;
    struct code_layout *layout; // NULL: contiguous
    const char *function;       // interned; NULL: none
    // What the library is told of this operation. It is in use by one request at most: an
    // operation is not started again while its request is open.
    struct mpi_operation operation;
    int request;                // slot of isend, irecv, wait; CODE_NO_SLOT: none
    GArray *requests;           // int: slots of waitall; NULL: all open ones
    int variable;               // of a loop's counter; CODE_NO_SLOT: not named
    GPtrArray *body;            // struct code_op *, of a loop
    int64_t address, allocated; // the operation's own buffer
};

struct code {
    GPtrArray *body;  // struct code_op *
    GPtrArray *names; // of the requests, by slot
    GPtrArray *variable_names;
    struct expression_variables variables;
};

// The variables that every program has.
#define CODE_RANK 0
#define CODE_RANKS 1

// Compiles all parts of `program` that concern `rank`. NULL and *error (g_free) if an expression
// does not compile.
struct code *code_new(const struct program *program, int rank, int ranks, char **error);
void code_free(struct code *code);

#endif
