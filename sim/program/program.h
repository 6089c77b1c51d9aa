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
#include "sim/program/operations.h"

#include <jansson.h>
#include <stdbool.h>

// A value that an expression makes: over rank, ranks and the counters of the loops around it.
struct op_value {
    char *text; // a plain number is one too
    struct source_mark mark;
};

#define PROGRAM_MOST_RANKS 65536
#define NO_COMMUNICATOR (-1)

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

// A key whose value is known only when the operation runs.
struct op_computed {
    const struct operation_key *key;
    struct op_value value;
};

struct op {
    const struct operation_kind *kind;
    struct source_mark mark;
    struct source_mark plain_mark; // of the value of the kind's first key
    void *arguments;               // the kind's struct: what is known now, and defaults
    GArray *computed;              // struct op_computed; NULL: all is known
    struct op_layout *layout;      // NULL: contiguous
    int communicator;              // number in the program's list; NO_COMMUNICATOR: all ranks
    char *name;      // a request that is started or waited for, or a loop's counter. Or NULL
    char **names;    // waitall: NULL-terminated; NULL: all open requests
    GPtrArray *body; // loop: struct op *
};

// For a set of ranks, what they do.
struct program_part {
    bool all;
    GArray *ranks;   // int, ascending; unused if all
    GPtrArray *body; // struct op *
    struct source_mark mark;
};

struct program {
    GPtrArray *parts;         // struct program_part *
    GPtrArray *communicators; // struct communicator * (communicator.h); NULL: none
};

// A library that programs run on, and what it has. Operations that concern no library (wait,
// compute, copy, loop) are always there.
struct op_library {
    const char *name; // of the stack; NULL: not known, and nothing is said about what it has
    // Names of the operations that it has, NULL-terminated. NULL: the two-sided and collective ones
    // of MPI.
    const char *const *operations;
    const struct operation_kind *own; // table of its model, ends with a NULL name; NULL: none
    // Of all models, NULL-terminated: to say of an operation that others have it. NULL: none.
    const struct operation_kind *const *all;
};

// Whether the library has the operation.
bool op_library_has(const struct op_library *library, const struct operation_kind *kind);

// Reads `workload.program`. Checks operation names, keys, ranks within 0 .. ranks-1 (literal ones),
// that expressions compile, that waited requests are started somewhere in the same part, and that
// the library (NULL: not known, and there are no models) has the operations. NULL and diagnostics
// after an error.
// `communicators` is the map workload.communicators; NULL: there is none.
struct program *program_read(const struct node *list, const struct node *communicators, int ranks,
                             const struct op_library *library, const char *path,
                             struct diag_list *diags);

// Reads "3" or "1..3"; false if it is neither.
bool program_parse_ranks(const char *text, int *first, int *last);

// The largest rank that a `workload.program` names + 1, at least 1; *all: a part is for all ranks.
// Complains about nothing.
int program_ranks_named(const struct node *list, bool *all);

struct program *program_new(void);
void program_free(struct program *program);

// ---- Builders, for benchmarks and traces ----

GPtrArray *op_body_new(void);

// Appends an operation with default arguments: of sim/ itself, by code, or of any kind, which must
// live as long as the operation. The caller fills in op->arguments, the kind's struct.
struct op *op_append(GPtrArray *body, enum op_code code);
struct op *op_append_kind(GPtrArray *body, const struct operation_kind *kind);

// The arguments that every kind has.
static inline struct operation_arguments *op_common(const struct op *op)
{
    return op->arguments;
}

// Appends a loop; counter NULL: its turns have no name. What it repeats is appended to its body.
struct op *op_append_loop(GPtrArray *body, int64_t count, const char *counter);

// Gives the operation's key of that name, which must be a whole number or a rank, a value.
void op_set(struct op *op, const char *name, int64_t value);

// Lets the operation's key of that name, which must be a whole number or a rank, be computed by an
// expression.
void op_compute(struct op *op, const char *name, const char *expression);

// The same for readers, with the place where it was written; text is copied.
void op_add_computed(struct op *op, const struct operation_key *key, const char *text,
                     struct source_mark mark);

// Gives an operation a strided layout: counts[0] bytes together, counts[i] of them strides[i - 1]
// apart, i = 1 .. levels; levels <= DATA_LAYOUT_LEVELS. peer_strides NULL: as strides.
void op_set_strided(struct op *op, int levels, const int64_t *counts, const int64_t *strides,
                    const int64_t *peer_strides);

// Adds a set of segments to an operation's layout.
void op_add_segments(struct op *op, int64_t bytes, int64_t count);
struct op_layout *op_layout_new(void); // empty, for readers
struct program_part *program_add_part(struct program *program);

// Whether the operation is the one of sim/ with that code.
bool op_is(const struct op *op, enum op_code code);

// The choices of a JSON Schema for a rank or a range of ranks, or one of `words` ("all|"), a new
// reference to an array.
json_t *program_rank_schema(const char *words);

// The JSON Schema of `workload.program`, new reference. It refers to #/$defs/operations
// (operation_list_schema).
json_t *program_schema(void);

#endif
