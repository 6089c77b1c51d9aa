// SPDX-License-Identifier: GPL-3.0-or-later
// Reads lists of operations; program_read.c reads what stands around them.
#ifndef NETSIM_PROGRAM_OP_READ_H
#define NETSIM_PROGRAM_OP_READ_H

#include "sim/program/op_shape.h"
#include "sim/program/program.h"

// What is known while the operations of one part are read.
struct op_reader {
    int ranks;
    const struct op_library *library; // NULL: not known
    GPtrArray *variables;             // char *: names that expressions may use
    GHashTable *requests;             // names that the part starts
    GPtrArray *waits;                 // struct awaited *: requests that the part waits for
    struct diag_list *diags;
};

struct op_reader *op_reader_new(int ranks, const struct op_library *library,
                                struct diag_list *diags);
void op_reader_free(struct op_reader *reader);

// Reads a list of operations into `body`.
void op_read_list(struct op_reader *reader, const struct node *list, const char *path,
                  GPtrArray *body);

// Ends a part: complains about requests that are waited for and never started.
void op_reader_finish(struct op_reader *reader);

// Reads a number with unit, an expression, or the key's word for any value.
void op_read_value(struct op_reader *reader, const struct op_key *key, struct op_value *value,
                   const struct node *node, const char *path);

// Read how the data of a one-sided transfer lie in memory: op_layout_read.c.
void op_read_strided(struct op_reader *reader, struct op *op, const struct node *map,
                     const char *path);
void op_read_segments(struct op_reader *reader, struct op *op, const struct node *list,
                      const char *path);

// Complains about a scalar: "text": error. Returns false.
bool op_complain(struct op_reader *reader, const struct node *node, const char *path,
                 const char *hint, const char *error);

#endif
