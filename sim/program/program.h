// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of ranks, as trees of operations. Benchmarks are built as such trees; free programs are
// read from YAML.
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
//           - clock: sends              # lap: sends notes the time since then
//           - put: {to: 1, size: 64 KiB, request: b}   # what only some libraries have
//           - get: {from: 1, strided: {counts: [512 B, 16], strides: [4 KiB]}}
//           - put: {to: 1, segments: [{bytes: 8 B, count: 100}]}
//           - fence: all
//           - active_message: {to: 1, size: 0, handler: reply}
//           - poll: 1                   # until one message has been handled
//       - ranks: 1
//         do: [{recv: {from: any, tag: any, size: 64 KiB}}]
//
// Expressions may use rank, ranks, and the counters of the enclosing loops. A plain number needs
// the unit of its key. In a calculation units multiply: sizes are in bytes, times in picoseconds. A
// rank that several parts name runs them one after another.
#ifndef NETSIM_PROGRAM_PROGRAM_H
#define NETSIM_PROGRAM_PROGRAM_H

#include "sim/config/node.h"
#include "sim/core/diag.h"
#include "sim/program/operations.h"

#include <jansson.h>
#include <stdbool.h>

// The value of an expression over rank, ranks and the counters of the enclosing loops.
struct op_value {
    char *text; // an expression; may be a plain number
    struct source_mark mark;
};

#define PROGRAM_MOST_RANKS 1048576
#define NO_COMMUNICATOR (-1)

// The layout of a one-sided transfer's data in memory, if not `size` contiguous bytes. Either
// counts (contiguous bytes, then the number of pieces of each level) with a stride in bytes for
// each count but the first; or sets of segments.
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
    void *arguments;               // the kind's struct: constant values and defaults
    GArray *computed;              // struct op_computed; NULL: all values are constant
    struct op_layout *layout;      // NULL: contiguous
    int communicator;              // number in the program's list; NO_COMMUNICATOR: all ranks
    char *name;      // the request that is started or waited for, or a loop's counter; or NULL
    char **names;    // waitall: NULL-terminated; NULL: all open requests
    GPtrArray *body; // loop: struct op *
};

// The operations of a set of ranks.
struct program_part {
    bool all;
    GArray *ranks;   // int, ascending; unused if all
    GPtrArray *body; // struct op *
    struct source_mark mark;
};

struct program {
    GPtrArray *parts;         // struct program_part *
    GPtrArray *communicators; // struct communicator * (communicator.h); NULL: none
    GPtrArray *owned;         // memory that arguments refer to (program_own); NULL: none
};

// The library under a program, and its operations. Operations outside of any library (wait,
// compute, copy, clocks, loop) are always available.
struct op_library {
    const char *name; // of the stack; NULL: unknown, and its operations are not checked
    // Names of the operations that it has, NULL-terminated. NULL: the two-sided and collective ones
    // of MPI.
    const char *const *operations;
    const struct operation_kind *own; // table of its model, ends with a NULL name; NULL: none
    // The tables of all models, NULL-terminated: for a message that another stack has an operation.
    // NULL: none.
    const struct operation_kind *const *all;
};

// Returns true if the library has the operation.
bool op_library_has(const struct op_library *library, const struct operation_kind *kind);

// Reads `workload.program`. Checks operation names, keys, ranks within 0 .. ranks-1 (literal ones),
// that expressions compile, that waited requests are started somewhere in the same part, and that
// the library (NULL: unknown, and no models) has the operations. Returns NULL and adds diagnostics
// after an error. `communicators` is the map workload.communicators; NULL: there is none.
struct program *program_read(const struct node *list, const struct node *communicators, int ranks,
                             const struct op_library *library, const char *path,
                             struct diag_list *diags);

// Reads "3" or "1..3". Returns false if the text is neither.
bool program_parse_ranks(const char *text, int *first, int *last);

// Returns 1 + the largest rank that a `workload.program` names, at least 1. Sets *all if a part is
// for all ranks. Adds no diagnostics.
int program_ranks_named(const struct node *list, bool *all);

struct program *program_new(void);
void program_free(struct program *program);

// ---- Builders, for benchmarks and traces ----

GPtrArray *op_body_new(void);

// Appends an operation with default arguments: of sim/ itself, by code, or of any kind, which must
// live as long as the operation. The caller fills in op->arguments, the kind's struct.
struct op *op_append(GPtrArray *body, enum op_code code);
struct op *op_append_kind(GPtrArray *body, const struct operation_kind *kind);

// The arguments that all kinds share.
static inline struct operation_arguments *op_common(const struct op *op)
{
    return op->arguments;
}

// Appends a loop, whose body the caller fills. counter NULL: the counter has no name.
struct op *op_append_loop(GPtrArray *body, int64_t count, const char *counter);

// Sets the operation's key of that name, which must be a whole number or a rank.
void op_set(struct op *op, const char *name, int64_t value);

// Sets the operation's key of that name, which must be a whole number or a rank, to an expression.
void op_compute(struct op *op, const char *name, const char *expression);

// Like op_compute, but for readers, with its place in the file. Copies `text`.
void op_add_computed(struct op *op, const struct operation_key *key, const char *text,
                     struct source_mark mark);

// Gives an operation a strided layout: counts[0] contiguous bytes, counts[i] of those strides[i -
// 1] bytes apart, i = 1 .. levels; levels <= DATA_LAYOUT_LEVELS. peer_strides NULL: as strides.
void op_set_strided(struct op *op, int levels, const int64_t *counts, const int64_t *strides,
                    const int64_t *peer_strides);

// Adds a set of segments to an operation's layout.
void op_add_segments(struct op *op, int64_t bytes, int64_t count);
struct op_layout *op_layout_new(void); // empty, for readers
struct program_part *program_add_part(struct program *program);

// Gives the program memory (g_malloc) that arguments of its operations refer to, and returns it.
void *program_own(struct program *program, void *memory);

// Returns true if the operation is the one of sim/ with that code.
bool op_is(const struct op *op, enum op_code code);

// The choices of a JSON Schema for a rank or a range of ranks, or one of `words` ("all|"), a new
// reference to an array.
json_t *program_rank_schema(const char *words);

// The JSON Schema of `workload.program`, new reference. It refers to #/$defs/operations
// (operation_list_schema).
json_t *program_schema(void);

#endif
