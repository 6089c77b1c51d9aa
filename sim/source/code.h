// SPDX-License-Identifier: GPL-3.0-or-later
// A program compiled, once for all ranks: its expressions compiled, its requests and loop counters
// numbered. The state of each rank is not part of it (program_source.h).
#ifndef NETSIM_SOURCE_CODE_H
#define NETSIM_SOURCE_CODE_H

#include "sim/config/expression.h"
#include "sim/program/program.h"
#include "sim/source/source.h"

#include <stdbool.h>

// A value known at compile time, or an expression over rank, ranks and loop counters.
struct code_value {
    int64_t constant;
    struct expression *expression; // NULL: constant
};

// A key whose value is computed for each call.
struct code_computed {
    const struct operation_key *key;
    struct expression *expression;
    int64_t least, most; // range of the result; ignored for a rank
};

#define CODE_NO_SLOT (-1)

// How the data of a one-sided transfer lie in memory.
struct code_layout {
    int counts; // 0: sets of segments
    struct code_value count[DATA_LAYOUT_LEVELS + 1], stride[DATA_LAYOUT_LEVELS],
        peer_stride[DATA_LAYOUT_LEVELS];
    int sets;
    struct code_value *bytes, *repeats; // of the sets
    struct data_segments *segments;     // their latest values
};

struct code_op {
    const struct op *source;
    struct code_computed *computed; // in the order in which they are evaluated
    int computed_count;
    int own_buffer;             // number within its part; CODE_NO_SLOT: it names its buffer
    int variable;               // of a loop's counter; CODE_NO_SLOT: not named
    struct code_layout *layout; // NULL: contiguous
    struct op_call call;        // its constant parts
    int *awaited;               // numbers of the requests that it waits for; NULL: it names none
    GPtrArray *body;            // struct code_op *, of a loop
};

struct code_part {
    const struct program_part *source;
    GPtrArray *body; // struct code_op *
    int own_buffers; // operations that do not name theirs
};

struct code {
    GArray *parts;        // struct code_part
    GHashTable *requests; // their numbers, by name
    GPtrArray *variable_names;
    struct expression_variables variables; // their values are those of one rank at a time
    int peer;              // variable of values for each peer; CODE_NO_SLOT: there are none
    size_t most_arguments; // bytes of the largest arguments that have to be evaluated
};

// The variables of every program, and the index of the first of each communicator's two.
#define CODE_RANK 0
#define CODE_RANKS 1
#define CODE_COMMUNICATORS 2

// Compiles all of `program`, which must outlive the code. Returns NULL with *error (g_free) and
// *at, the operation, if an expression does not compile.
struct code *code_new(const struct program *program, char **error, const struct op **at);
void code_free(struct code *code);

// Returns the rank's next part from number `from` on, and its number in *number. Returns NULL if
// none is left.
const struct code_part *code_part_of(const struct code *code, int rank, guint from, guint *number);

#endif
