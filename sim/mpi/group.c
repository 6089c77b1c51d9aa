// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/group.h"

#include "sim/core/intern.h"

static void group_free(void *data)
{
    struct mpi_group *group = data;
    g_free((void *)group->ranks);
    g_free(group);
}

struct mpi_group_set *mpi_group_set_new(int job_ranks)
{
    struct mpi_group_set *set = g_new(struct mpi_group_set, 1);
    *set = (struct mpi_group_set){
        .groups = g_ptr_array_new_with_free_func(group_free),
        .places = g_new(int, job_ranks),
        .of = g_new0(struct mpi_group *, job_ranks),
    };
    for (int rank = 0; rank < job_ranks; rank++)
        set->places[rank] = -1;
    return set;
}

void mpi_group_set_free(struct mpi_group_set *set)
{
    if (!set)
        return;
    g_ptr_array_free(set->groups, TRUE);
    g_free(set->places);
    g_free(set->of);
    g_free(set);
}

const struct mpi_group *mpi_group_set_add(struct mpi_group_set *set, const char *name, int number,
                                          const int *ranks, int size)
{
    g_assert(number >= 1 && number <= GROUPS_MOST && size >= 1);
    struct mpi_group *group = g_new(struct mpi_group, 1);
    *group = (struct mpi_group){
        .name = intern_text(name),
        .number = number,
        .size = size,
        .ranks = g_memdup2(ranks, (gsize)size * sizeof *ranks),
        .places = set->places,
    };
    for (int place = 0; place < size; place++) {
        g_assert(!set->of[ranks[place]]);
        set->of[ranks[place]] = group;
        set->places[ranks[place]] = place;
    }
    g_ptr_array_add(set->groups, group);
    return group;
}
