// SPDX-License-Identifier: GPL-3.0-or-later
// A group: some processes of a job, in their own order, as in a communicator (MPI 1.1, 5.2). Its
// messages match only among themselves, by a context of their own.
//
// A request names its peer by the rank in the job. A collective is called with ranks of its group;
// its schedule contains ranks of the job.
#ifndef NETSIM_MPI_GROUP_H
#define NETSIM_MPI_GROUP_H

#include "sim/mpi/request.h"

#include <glib.h>

#define GROUPS_MOST 255 // numbers besides that of all processes: libraries have 8 bits for it

struct mpi_group {
    const char *name; // for reports; interned
    int number;       // of its contexts, 1 .. GROUPS_MOST
    int size;
    const int *ranks;  // of the job, by rank of the group
    const int *places; // rank of the group, by rank of the job; -1: in no group of the set
};

// Disjoint groups of one number, as MPI_Comm_split makes them.
struct mpi_group_set {
    GPtrArray *groups; // struct mpi_group *
    int *places;
    struct mpi_group **of; // by rank of the job; NULL: in none
};

// Returns an empty set for a job of `job_ranks` ranks. The caller frees it, with its groups, by
// mpi_group_set_free.
struct mpi_group_set *mpi_group_set_new(int job_ranks);
void mpi_group_set_free(struct mpi_group_set *set);

// Adds a group. Its `ranks` are ranks of the job that are in none of the set's groups; they are
// copied.
const struct mpi_group *mpi_group_set_add(struct mpi_group_set *set, const char *name, int number,
                                          const int *ranks, int size);

// In all of these group NULL means all processes of the job, `ranks` of them (MPI_COMM_WORLD).

// Number of processes in the group.
static inline int mpi_group_size(const struct mpi_group *group, int ranks)
{
    return group ? group->size : ranks;
}

// The rank of the job that has this rank of the group, 0 .. size - 1, or RANK_ANY.
static inline int mpi_group_rank(const struct mpi_group *group, int place)
{
    return group && place != RANK_ANY ? group->ranks[place] : place;
}

// The rank in the group of a process of the group, by its rank in the job.
static inline int mpi_group_place(const struct mpi_group *group, int rank)
{
    return group ? group->places[rank] : rank;
}

// The context of messages of this kind among the group.
static inline int mpi_group_context(const struct mpi_group *group, enum mpi_context kind)
{
    return mpi_context_id(group ? group->number : 0, kind);
}

#endif
