// SPDX-License-Identifier: GPL-3.0-or-later
// DUMPI traces (SST's tracer, of which CODES replays programs) as text, as its dumpi2ascii writes
// them: a file a rank, and in it for each call a line of its beginning, a line a parameter, and a
// line of its end, with wall times. The time between calls is the program's own work.
//
//   MPI_Isend entering at walltime 1296777956.739674000, cputime 0.008347000 seconds in thread 0.
//   int count=1
//   MPI_Datatype datatype=9 (MPI_INT)
//   ...
//   MPI_Isend returning at walltime 1296777956.739689000, cputime 0.008362000 seconds in thread 0.
//
// Not read: the binary files, whose format libundumpi alone defines. The text lacks the sizes of
// derived datatypes and of Fortran's, and the groups of MPI_Comm_create: calls that need them are
// refused.
#ifndef NETSIM_RECORDING_DUMPI_H
#define NETSIM_RECORDING_DUMPI_H

#include "sim/recording/recording.h"

// A communicator that the ranks made of all of them, in one call each.
struct dumpi_made {
    bool split;      // or duplicated
    GArray *members; // struct dumpi_member
};

struct dumpi_member {
    int rank, colour, key;
};

struct dumpi_reader {
    struct recording_builder *builder;
    struct diag_list *diags;
    int ranks;
    GPtrArray *made;    // struct dumpi_made *, in the order of the calls
    GPtrArray *refused; // const char *: names of calls that were complained about
    GArray *blocks, *receive_blocks, *awaited;
};

struct dumpi_field {
    const char *name, *value;
    int line;
};

// A call with its parameters, and its rank's state.
struct dumpi_call {
    struct dumpi_reader *reader;
    int rank;
    const char *file; // interned
    char name[64];
    int line;                  // of its beginning
    GArray *fields;            // struct dumpi_field
    GStringChunk *texts;       // of these
    int64_t begin, end;        // ps, wall times
    int64_t before;            // the end of the call before; -1: there was none
    GHashTable *requests;      // numbers of the tracer -> the recording's; -1: has no peer
    GHashTable *communicators; // of the tracer -> of the recording
    GArray *spare;             // numbers that are free again
    int numbers;               // that were given out
    int made;                  // communicators that the rank has made
    bool ended;                // MPI_Finalize was called
};

// Puts the call into the recording. Returns false after adding an error if it is wrong.
bool dumpi_put(struct dumpi_call *call);

// The groups of the communicators, when all calls are read; false after an error.
bool dumpi_groups(struct dumpi_reader *reader, struct source_mark where, GPtrArray *communicators);

// Adds an error at the field of that name, or at the call.
void dumpi_complain(const struct dumpi_call *call, const char *field, const char *hint,
                    const char *format, ...) G_GNUC_PRINTF(4, 5);

#endif
