// SPDX-License-Identifier: GPL-3.0-or-later
// The communicators of a program: named groups of its ranks. An operation with `comm: NAME` runs in
// the rank's group of that communicator. Its messages match only within the group, and its peers
// and root are ranks of the group.
//
//   workload:
//     ranks: 16
//     communicators:
//       ends: [15, 0]                     # rank 15 of the job is rank 0 of it
//       rows: {split: rank - rank % 4}    # ranks for which it gives the same value, in the job's
//                                         # order (MPI_Comm_split)
//       others: {dup: rows}           # the same groups, apart (MPI_Comm_dup); all: of the whole
//       job
//     program: [{ranks: all, do: [{allreduce: {size: 8 B, comm: rows}}]}]
//
// Expressions of the program may use NAME_rank and NAME_ranks: the rank in its group and the size
// of the group (-1 and 0 if the rank is in none).
#ifndef NETSIM_PROGRAM_COMMUNICATOR_H
#define NETSIM_PROGRAM_COMMUNICATOR_H

#include "sim/config/node.h"
#include "sim/core/diag.h"

#include <jansson.h>

#define COMMUNICATORS_KEY "communicators"
#define COMMUNICATORS_MOST 255 // libraries have 8 bits for the number of one

#define COMMUNICATOR_OF_ALL (-1)

// How programs make one.
enum communicator_made { COMMUNICATOR_CREATED, COMMUNICATOR_SPLIT, COMMUNICATOR_DUPLICATED };

struct communicator {
    const char *name;           // interned
    const char *rank_variable;  // "NAME_rank", interned
    const char *ranks_variable; // "NAME_ranks"
    enum communicator_made made;
    int parent;        // that it duplicates: its index in the list, or COMMUNICATOR_OF_ALL
    GPtrArray *groups; // GArray of int: ranks of the job, by rank of the group. The groups are
                       // disjoint
};

// Reads the map `workload.communicators` (NULL: none) of a job of `ranks` ranks. Returns a list of
// struct communicator *, even after errors. The caller frees it with g_ptr_array_free.
GPtrArray *communicators_read(const struct node *map, int ranks, const char *path,
                              struct diag_list *diags);

// ---- For builders ----

// Returns an empty list. The caller frees it with g_ptr_array_free, or gives it to a program.
GPtrArray *communicators_new(void);

// Appends a communicator without groups. The list owns it.
struct communicator *communicator_add(GPtrArray *communicators, const char *name);

// Appends an empty group, to which the caller appends ranks of the job (int), each in one group at
// most. The communicator owns it.
GArray *communicator_add_group(struct communicator *communicator);

// Returns the index of the communicator of that name in the list, or -1 if there is none.
int communicator_find(const GPtrArray *communicators, const char *name);

// JSON Schema of `workload.communicators`, a new reference.
json_t *communicators_schema(void);

#endif
