// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of a program's source: program_source.c goes from one operation to the next,
// program_values.c evaluates each.
#ifndef NETSIM_SOURCE_PROGRAM_SOURCE_INTERNAL_H
#define NETSIM_SOURCE_PROGRAM_SOURCE_INTERNAL_H

#include "sim/config/quantity.h"
#include "sim/source/code.h"
#include "sim/source/source.h"

// A body being run: a part of the program, or a loop.
struct frame {
    const GPtrArray *body;
    const struct code_op *loop; // NULL: a part
    guint next;
    int64_t turn, turns;
    bool lapped; // its turns are the repetitions of a measurement
    int sharers; // as of the loop
};

// Where a rank stands.
struct cursor {
    GArray *frames;  // struct frame; NULL: it has not begun
    guint next_part; // of those of the program
    int own_buffers; // of the part under way, those of the rank's parts before it
    int part_buffers;
    bool measures; // a measurement has begun, and no loop in it so far
};

struct program_source {
    struct op_source base;
    struct code *code;     // NULL: it does not compile
    struct program *owned; // NULL: the program is not the source's
    int ranks;
    int communicator_count;
    struct mpi_group_set **communicators; // by their number in the program
    int *parents;                         // of them; COMMUNICATOR_OF_ALL
    struct cursor *cursors;
    int loaded;                // rank whose values the variables have; -1: none
    char *wrong;               // with the last call; or with the code
    const struct op *wrong_op; // that does not compile
    void *arguments;           // of the last call, if they had to be evaluated
    struct data_layout layout; // of the last call, if evaluated
    int64_t *blocks;           // bytes of each peer, sent and then received; NULL: never
};

// Notes what is wrong with the call under way, unless something is already.
void program_source_wrong(struct program_source *source, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

// Gives the variables that depend on it the values of a rank, but for the counters.
void program_source_load_rank(struct program_source *source, int rank);

// Fills in the call that the operation is now, for the rank whose variables are loaded.
void program_source_evaluate(struct program_source *source, const struct code_op *op,
                             struct op_call *call);

#endif
