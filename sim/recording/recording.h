// SPDX-License-Identifier: GPL-3.0-or-later
// A recorded MPI program: the calls of each rank, from files that a tracer wrote (ti_read.c,
// otf2_read.c). Reading checks all of it and puts it into a scratch file in a compact form, from
// which the calls of each rank are taken one after the other: neither needs memory that grows with
// the length of the recording.
//
// Calls of which the tracer lost something (sizes of derived types, communicators, sends to null)
// are refused with file and line; nothing is guessed.
#ifndef NETSIM_RECORDING_RECORDING_H
#define NETSIM_RECORDING_RECORDING_H

#include "sim/core/diag.h"
#include "sim/program/program.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct recording;

// In what a recording counts the work between calls.
enum recorded_work {
    RECORDED_FLOPS, // a host's speed makes a time of it
    RECORDED_TIME,  // in ps, as it passed where it was recorded
};

// One call of one rank. Members that its operation lacks have the values that are given here.
struct recorded_call {
    enum op_code code;
    int line;            // of the rank's file, or the number of the event; 0: unknown
    int communicator;    // its number in recording_communicators; NO_COMMUNICATOR: all ranks
    int peer;            // destination, or source of a receive or probe; OPERATION_ANY: any
    int64_t tag;         // OPERATION_ANY: any
    int64_t size;        // bytes, as the operation's key `size`; of a sendrecv what is sent
    int source;          // of a sendrecv's receive
    int64_t receive_tag; // of a sendrecv
    int64_t receive_size;
    int root;       // 0
    double work;    // of OP_COMPUTE: in units of the recording
    double seconds; // besides that, whatever the speed (a sleep)
    int request; // number that the call starts, from 0 by rank; OPERATION_ANY: none. A number may
                 // be used again when its request has ended
    const int *awaited; // numbers of those that are waited for or tested
    int awaited_count;
    bool awaits_all; // instead: all open ones
    // Of collectives whose blocks differ: bytes per rank of the communicator, as in struct
    // collective_arguments. NULL: there are none.
    const int64_t *blocks, *receive_blocks;
    int block_count;
};

// A call with no more than its code and line.
static inline struct recorded_call recorded_call(enum op_code code, int line)
{
    return (struct recorded_call){
        .code = code,
        .line = line,
        .communicator = NO_COMMUNICATOR,
        .peer = OPERATION_ANY,
        .source = OPERATION_ANY,
        .request = OPERATION_ANY,
    };
}

// Reads the recording at `path`: SimGrid's time-independent traces (the list of files, or one
// file for all ranks), or an OTF2 archive (its .otf2 anchor). Finds out which. Returns NULL and
// adds diagnostics if something is wrong; those that concern the file as a whole have the mark
// `where`. The caller frees it with recording_unref.
struct recording *recording_read(const char *path, struct source_mark where,
                                 struct diag_list *diags);
struct recording *recording_ref(struct recording *recording);
void recording_unref(struct recording *recording); // NULL is ignored

int recording_ranks(const struct recording *recording);
const char *recording_path(const struct recording *recording);
const char *recording_format(const struct recording *recording); // "TI", "OTF2"
enum recorded_work recording_work(const struct recording *recording);
bool recording_computes(const struct recording *recording); // some rank has work between calls
uint64_t recording_calls(const struct recording *recording, int rank);

// Whether some rank has a call of that operation; the first of such calls.
bool recording_first(const struct recording *recording, enum op_code code, int *rank, int *line);

// Returns a number that is the same for recordings with the same calls, whatever their format.
uint64_t recording_identity(const struct recording *recording);

// Its communicators (struct communicator *, sim/program/communicator.h); NULL: there are none.
const GPtrArray *recording_communicators(const struct recording *recording);

// The file that the rank's lines are of, interned.
const char *recording_file(const struct recording *recording, int rank);

// ---- Taking the calls ----

// A rank's place in a recording. Takes RECORDING_CURSOR_BYTES of memory at most, and blocks and
// awaited requests of the longest call.
struct recording_cursor;
#define RECORDING_CURSOR_BYTES 4096

struct recording_cursor *recording_cursor_new(struct recording *recording, int rank);
void recording_cursor_free(struct recording_cursor *cursor); // NULL is ignored

// Yields the next call; false if the rank has no more. The call's pointers are valid until the next
// one.
bool recording_cursor_next(struct recording_cursor *cursor, struct recorded_call *call);

// ---- Building, for readers ----

// A recording that is being read, of `ranks` ranks. The names are interned or static.
struct recording_builder;
struct recording_builder *recording_builder_new(const char *path, const char *format, int ranks,
                                                enum recorded_work work);

// Appends a call to those of its rank. Calls of different ranks may be put in any order.
void recording_builder_put(struct recording_builder *builder, int rank,
                           const struct recorded_call *call);
void recording_builder_file(struct recording_builder *builder, int rank, const char *file);

// The list is the recording's from then on.
void recording_builder_communicators(struct recording_builder *builder, GPtrArray *communicators);

// Ends building: the builder is gone. `good` false: the recording too, and NULL is returned. NULL
// with *error (g_free) set if the scratch file could not be written.
struct recording *recording_builder_end(struct recording_builder *builder, bool good, char **error);

#endif
