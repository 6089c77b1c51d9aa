// SPDX-License-Identifier: GPL-3.0-or-later
// A group: some processes of a job, in an order of their own, as a communicator has them
// (MPI 1.1, 5.2). Its messages match only among themselves, by a context of their own.
//
// Who starts a request names its peer by the rank in the job; a collective is called with ranks of
// its group, and its schedule holds those of the job.
#ifndef NETSIM_MPI_GROUP_H
#define NETSIM_MPI_GROUP_H

#include "sim/mpi/request.h"

#define MPI_GROUPS_MOST 255 // of a job, besides all of its processes: libraries have 8 bits for it

struct mpi_group {
    const char *name; // for reports; interned
    int number;       // 1 .. MPI_GROUPS_MOST
    int size;
    int *ranks;  // of the job, by rank of the group
    int *places; // rank of the group, by rank of the job; -1: not of it
};

// `ranks` of the job are 0 .. job_ranks - 1, each at most once; they are copied. Free with
// mpi_group_free.
struct mpi_group *mpi_group_new(const char *name, int number, const int *ranks, int size,
                                int job_ranks);
void mpi_group_free(struct mpi_group *group);

// In all of these group NULL means all processes of the job, `ranks` of them (MPI_COMM_WORLD).

// Of how many processes it is.
static inline int mpi_group_size(const struct mpi_group *group, int ranks)
{
    return group ? group->size : ranks;
}

// The rank of the job that has this rank of the group, 0 .. size - 1, or MPI_RANK_ANY.
static inline int mpi_group_rank(const struct mpi_group *group, int place)
{
    return group && place != MPI_RANK_ANY ? group->ranks[place] : place;
}

// The rank of the group that has this rank of the job; -1: it is not of the group.
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
