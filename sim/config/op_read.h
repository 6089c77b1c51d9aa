// SPDX-License-Identifier: GPL-3.0-or-later
// Reads lists of operations; program_read.c reads what stands around them.
#ifndef NETSIM_CONFIG_OP_READ_H
#define NETSIM_CONFIG_OP_READ_H

#include "sim/config/program.h"

// What is known while the operations of one part are read.
struct op_reader {
    int ranks;
    GPtrArray *variables; // char *: names that expressions may use
    GHashTable *requests; // names that the part starts
    GPtrArray *waits;     // struct awaited *: requests that the part waits for
    struct diag_list *diags;
};

struct op_reader *op_reader_new(int ranks, struct diag_list *diags);
void op_reader_free(struct op_reader *reader);

// Reads a list of operations into `body`.
void op_read_list(struct op_reader *reader, const struct node *list, const char *path,
                  GPtrArray *body);

// Ends a part: complains about requests that are waited for and never started.
void op_reader_finish(struct op_reader *reader);

// Complains about a scalar: "text": error. Returns false.
bool op_complain(struct op_reader *reader, const struct node *node, const char *path,
                 const char *hint, const char *error);

#endif
