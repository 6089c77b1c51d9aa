// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks do, as data: a tree of operations. Benchmarks are built as such trees, free programs
// are read from YAML.
//
//   workload:
//     ranks: 2
//     program:
//       - ranks: 0                      # a number, "1..3", a list, or "all"
//         do:
//           - isend: {to: 1, size: 64 KiB, tag: 7, request: a}
//           - loop: {count: 10, as: i, do: [{send: {to: 1, size: "1 KiB * (i + 1)"}}]}
//           - wait: a                   # or waitall: [a, b], or waitall: all
//           - compute: 3 ms             # or compute: {time: "1 ms * rank"}
//           - barrier
//           - put: {to: 1, size: 64 KiB, request: b}   # what only some libraries have
//           - get: {from: 1, strided: {counts: [512 B, 16], strides: [4 KiB]}}
//           - put: {to: 1, segments: [{bytes: 8 B, count: 100}]}
//           - fence: all
//           - active_message: {to: 1, size: 0, handler: reply}
//           - poll: 1                   # until one message has been handled
//       - ranks: 1
//         do: [{recv: {from: any, tag: any, size: 64 KiB}}]
//
// Expressions may use rank, ranks, and the counters of the loops around them. A plain number needs
// the unit of its key; in a calculation units multiply: sizes count in bytes, times in picoseconds.
// A rank that several parts name does them one after another.
#ifndef NETSIM_PROGRAM_PROGRAM_H
#define NETSIM_PROGRAM_PROGRAM_H

#include "sim/config/node.h"
#include "sim/core/diag.h"

#include <jansson.h>
#include <stdbool.h>

enum op_kind {
    OP_SEND,
    OP_SSEND,
    OP_ISEND,
    OP_ISSEND,
    OP_RECV,
    OP_IRECV,
    OP_PROBE, // blocks until a matching message is there; does not consume it
    OP_IPROBE,
    OP_WAIT,     // request (by name)
    OP_WAITALL,  // requests (by name), or all that are open
    OP_COMPUTE,  // time
    OP_SENDRECV, // a receive and a send, started together and waited for
    OP_BARRIER,
    OP_BCAST, // root, size of the message
    OP_REDUCE,
    OP_ALLREDUCE,  // size
    OP_GATHER,     // root, size of a rank's block
    OP_SCATTER,    // the same
    OP_ALLGATHER,  // size of a rank's block
    OP_ALLTOALL,   // size to each peer
    OP_COPY,       // size: a copy in memory
    OP_REGISTER,   // size, buffer: registers memory with the provider
    OP_DEREGISTER, // the same memory
    // Of libraries with one-sided transfers or active messages. With a request they do not block.
    OP_PUT,            // peer, and size or layout
    OP_GET,            // the same
    OP_ACCUMULATE,     // the same
    OP_FETCH_ADD,      // peer
    OP_LOCK,           // peer
    OP_UNLOCK,         // peer
    OP_FENCE,          // peer, or all
    OP_ACTIVE_MESSAGE, // peer, size, function: the handler
    OP_POLL,           // count of messages to handle; 0: those that are there
    OP_CALL,           // function: what is called; count, size: its arguments
    OP_LOOP,           // count, as, body
    OP_MEASURE_START,  // not in YAML: a benchmark starts its clock for one size
    OP_MEASURE_STOP,   // not in YAML: records time / (count * parts) under `size`
};

// An integer given as an expression; NULL text means "not given". Compiled per rank by the
// interpreter.
struct op_value {
    char *text;
    struct source_mark mark;
};

#define PROGRAM_MOST_RANKS 65536

#define OP_ANY "any" // text of peer or tag: MPI_ANY_SOURCE, MPI_ANY_TAG; a fence's: all ranks

#define OP_LAYOUT_LEVELS 7 // of strides, at most

// How the data of a one-sided transfer lie in memory, if not as `size` bytes together. Either
// counts (bytes together, then how many of each level) with a stride for each count but the first,
// in bytes; or sets of segments.
struct op_layout {
    GArray *counts, *strides; // struct op_value; empty: sets
    GArray *peer_strides;     // struct op_value; empty: as strides
    GArray *sets;             // struct op_segments
};

struct op_segments {
    struct op_value bytes, count;
};

struct op {
    enum op_kind kind;
    struct source_mark mark;
    struct op_value peer;           // to / from
    struct op_value source;         // from, of a sendrecv
    struct op_value root;           // of a collective
    struct op_value size;           // bytes
    struct op_value tag;            // default 0 (send), any (receive)
    struct op_value time;           // compute, ps
    struct op_value count;          // loop
    struct op_value buffer;         // address of the user buffer; not given: one for the operation
    struct op_value receive_buffer; // of operations that send and receive; not given: behind buffer
    struct op_value peer_buffer;    // in the peer's memory; not given: what corresponds to buffer
    struct op_value channel;        // of the peer; not given: the library's choice
    struct op_layout *layout;       // NULL: contiguous
    bool notify;                    // a word is written behind the data
    bool physical;                  // the peer's memory is named by its physical address
    bool paged;                     // memory that was pinned page by page
    char *function;                 // active_message: handler, or NULL; call: name
    char *name;                     // isend, irecv: request; loop: counter; wait: request. Or NULL
    char **names;                   // waitall: NULL-terminated; NULL: all open requests
    GPtrArray *body;                // loop: struct op *
    int64_t parts; // OP_MEASURE_STOP: divides a repetition's time (2: half a round trip)
    bool reported; // OP_MEASURE_STOP: the time is what the library has reported, not the clock's
};

// For a set of ranks, what they do.
struct program_part {
    bool all;
    GArray *ranks;   // int, ascending; unused if all
    GPtrArray *body; // struct op *
    struct source_mark mark;
};

struct program {
    GPtrArray *parts; // struct program_part *
};

// A library that programs run on: its name, and the operations that it has, by name and
// NULL-terminated. Those that concern no library (wait, compute, copy, loop) are always there. NULL
// operations: the two-sided and collective ones of MPI.
struct op_library {
    const char *name;
    const char *const *operations;
};

// The operations of every MPI library, for such a list.
#define OP_LIBRARY_MPI                                                                             \
    "send", "ssend", "isend", "issend", "recv", "irecv", "probe", "iprobe", "sendrecv", "barrier", \
        "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall"

// Whether the library has the operation.
bool op_library_has(const struct op_library *library, enum op_kind kind);

// Reads `workload.program`. Checks operation names, keys, ranks within 0 .. ranks-1 (literal ones),
// that expressions compile, that waited requests are started somewhere in the same part, and that
// the library (NULL: not known) has the operations. NULL and diagnostics after an error.
struct program *program_read(const struct node *list, int ranks, const struct op_library *library,
                             const char *path, struct diag_list *diags);

// The largest rank that a `workload.program` names + 1, at least 1; *all: a part is for all ranks.
// Complains about nothing.
int program_ranks_named(const struct node *list, bool *all);

struct program *program_new(void);
void program_free(struct program *program);

// Builders, for benchmarks: an op of a kind appended to a body.
GPtrArray *op_body_new(void);
struct op *op_append(GPtrArray *body, enum op_kind kind);
struct op_value op_value_of(int64_t value);
struct op_value op_value_text(const char *text); // an expression

// Gives an operation a strided layout: counts[0] bytes together, counts[i] of them strides[i - 1]
// apart, i = 1 .. levels; levels <= OP_LAYOUT_LEVELS. peer_strides NULL: as strides.
void op_set_strided(struct op *op, int levels, const int64_t *counts, const int64_t *strides,
                    const int64_t *peer_strides);

// Adds a set of segments to an operation's layout.
void op_add_segments(struct op *op, int64_t bytes, int64_t count);
struct op_layout *op_layout_new(void); // empty, for readers
struct program_part *program_add_part(struct program *program);

const char *op_kind_name(enum op_kind kind);

// JSON Schemas of `workload.program`, and of a list of operations (which stands as
// #/$defs/operations), new references.
json_t *program_schema(void);
json_t *program_operations_schema(void);

#endif
