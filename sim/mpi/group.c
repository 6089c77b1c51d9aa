// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/group.h"

#include "sim/core/intern.h"

#include <glib.h>

struct mpi_group *mpi_group_new(const char *name, int number, const int *ranks, int size,
                                int job_ranks)
{
    g_assert(number >= 1 && number <= MPI_GROUPS_MOST && size >= 1);
    struct mpi_group *group = g_new(struct mpi_group, 1);
    *group = (struct mpi_group){
        .name = intern_text(name),
        .number = number,
        .size = size,
        .ranks = g_new(int, size),
        .places = g_new(int, job_ranks),
    };
    for (int rank = 0; rank < job_ranks; rank++)
        group->places[rank] = -1;
    for (int place = 0; place < size; place++) {
        g_assert(group->places[ranks[place]] < 0);
        group->ranks[place] = ranks[place];
        group->places[ranks[place]] = place;
    }
    return group;
}

void mpi_group_free(struct mpi_group *group)
{
    if (!group)
        return;
    g_free(group->ranks);
    g_free(group->places);
    g_free(group);
}
