// SPDX-License-Identifier: GPL-3.0-or-later
// SimGrid's time-independent traces (version 3.32): a line per call, "RANK ACTION ARGUMENTS".
//
// The tracer loses some of what happened, and of that a line is refused: sizes of derived types
// (-1), which requests MPI_Waitany took, whether -333 as a source is MPI_ANY_SOURCE or
// MPI_PROC_NULL. It does not say at all that a collective was one of a smaller communicator:
// what comes of that is a collective that not all ranks call, which ends as a deadlock.
#ifndef NETSIM_RECORDING_TI_H
#define NETSIM_RECORDING_TI_H

#include "sim/recording/recording.h"

#define TI_NULL_OR_ANY (-333) // a rank
#define TI_ANY_TAG (-444)

// A started request that no wait has ended.
struct ti_request {
    int source, destination;
    int64_t tag;
    int number; // OPERATION_ANY: with a null peer, done from the beginning
};

struct ti_rank {
    bool started, ended;
    bool doubles;  // a count without a type is of doubles, not of bytes
    bool tested;   // a request that may be open still
    GArray *open;  // struct ti_request, in the order of their starts
    GArray *spare; // int: numbers that are free again
    int numbers;   // that were given out
};

struct ti_reader {
    struct recording_builder *builder;
    struct diag_list *diags;
    int ranks;
    struct ti_rank *rank;
    GArray *blocks, *receive_blocks; // int64_t, of the line
};

struct ti_word {
    char *text;
    int column;
};

// One line, in words: the rank, the action, its arguments.
struct ti_line {
    struct ti_reader *reader;
    int rank;
    struct source_mark mark;
    const struct ti_word *words;
    int count;
};

// Splits a text, which it changes, into words. `words` is an array of struct ti_word.
void ti_split(char *text, GArray *words);

// Adds an error at the line's word of that number.
void ti_complain(const struct ti_line *line, int word, const char *hint, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

// Puts the line's calls into the recording; false: it is wrong, and an error was added.
bool ti_action(const struct ti_line *line);

// The word as a whole number within bounds; false: an error was added. `what` names it.
bool ti_number(const struct ti_line *line, int word, const char *what, int64_t least, int64_t most,
               int64_t *value);

#endif
