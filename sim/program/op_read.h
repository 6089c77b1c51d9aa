// SPDX-License-Identifier: GPL-3.0-or-later
// Reads lists of operations; program_read.c reads the rest of a program.
#ifndef NETSIM_PROGRAM_OP_READ_H
#define NETSIM_PROGRAM_OP_READ_H

#include "sim/config/expression.h"
#include "sim/program/communicator.h"
#include "sim/program/program.h"

// State while the operations of one part are read.
struct op_reader {
    int ranks;
    const struct op_library *library;
    const GPtrArray *communicators; // struct communicator *
    GPtrArray *variables;           // char *: names that expressions may use
    GHashTable *requests;           // names of requests that the part starts
    GPtrArray *waits;               // struct awaited *: requests that the part waits for
    struct diag_list *diags;
};

// `communicators` must outlive it.
struct op_reader *op_reader_new(int ranks, const GPtrArray *communicators,
                                const struct op_library *library, struct diag_list *diags);
void op_reader_free(struct op_reader *reader);

// Reads a list of operations into `body`.
void op_read_list(struct op_reader *reader, const struct node *list, const char *path,
                  GPtrArray *body);

// Ends a part: complains about requests that are waited for but never started.
void op_reader_finish(struct op_reader *reader);

// The result of reading a number or a rank: op_number_read.c.
enum op_reading { OP_READING_BAD, OP_READING_KNOWN, OP_READING_COMPUTED };

// Reads a number with unit, a calculation, or the key's word. KNOWN: *value is its value, or
// OPERATION_ANY. COMPUTED: the node's text is an expression that compiles.
enum op_reading op_read_number(struct op_reader *reader, const struct operation_key *key,
                               const struct node *node, const char *path, int64_t *value);

// Compiles an expression of the first `count` variables; NULL: *error (g_free) is set.
struct expression *op_compile(struct op_reader *reader, const char *text, int count, char **error);

// Read the layout of a one-sided transfer's data: op_layout_read.c.
void op_read_strided(struct op_reader *reader, struct op *op, const struct node *map,
                     const char *path);
void op_read_segments(struct op_reader *reader, struct op *op, const struct node *list,
                      const char *path);

// Reads a list of sizes by rank: op_sizes_read.c.
void op_read_sizes(struct op_reader *reader, struct op *op, const struct operation_key *key,
                   const struct node *list, const char *path);

// Complains about a scalar: "text": error. Returns false.
bool op_complain(struct op_reader *reader, const struct node *node, const char *path,
                 const char *hint, const char *error);

#endif
