// SPDX-License-Identifier: GPL-3.0-or-later
// The communicators of an OTF2 archive, as those of a recording.
#include "sim/program/communicator.h"
#include "sim/recording/otf2.h"

#include <string.h>

#define COMMUNICATOR_KEY(reference) GUINT_TO_POINTER(reference)
#define WORLD "MPI_COMM_WORLD"

// The ranks of its group; false: one of them is no rank.
static bool find_ranks(struct otf2_archive *archive, struct otf2_communicator *communicator)
{
    const struct otf2_group *group =
        g_hash_table_lookup(archive->groups, COMMUNICATOR_KEY(communicator->group));
    if (!group)
        return false;
    communicator->self = group->type == OTF2_GROUP_TYPE_COMM_SELF;
    communicator->global_ranks = group->global_ranks;
    communicator->ranks = g_array_new(FALSE, FALSE, sizeof(int));
    if (communicator->self)
        return true;
    char *there = g_new0(char, otf2_ranks(archive));
    bool good = group->members->len > 0;
    for (guint i = 0; i < group->members->len && good; i++) {
        uint64_t member = g_array_index(group->members, uint64_t, i);
        good = member < (uint64_t)otf2_ranks(archive) && !there[member];
        if (!good)
            break;
        int rank = (int)member;
        there[member] = 1;
        g_array_append_val(communicator->ranks, rank);
    }
    g_free(there);
    return good;
}

// Whether it is of all ranks in their order.
static bool is_whole(const struct otf2_archive *archive,
                     const struct otf2_communicator *communicator)
{
    if (communicator->self || otf2_members(communicator) != otf2_ranks(archive))
        return false;
    for (int rank = 0; rank < otf2_ranks(archive); rank++)
        if (g_array_index(communicator->ranks, int, (guint)rank) != rank)
            return false;
    return true;
}

int otf2_members(const struct otf2_communicator *communicator)
{
    return communicator->self ? 1 : (int)communicator->ranks->len;
}

int otf2_member(const struct otf2_communicator *communicator, int rank)
{
    if (communicator->self)
        return 0;
    const GArray *ranks = communicator->ranks;
    if ((guint)rank < ranks->len && g_array_index(ranks, int, (guint)rank) == rank)
        return rank; // most often
    for (guint i = 0; i < ranks->len; i++)
        if (g_array_index(ranks, int, i) == rank)
            return (int)i;
    return -1;
}

struct otf2_communicator *otf2_communicator(struct otf2_archive *archive, OTF2_CommRef reference,
                                            int rank, uint64_t event)
{
    struct otf2_communicator *communicator =
        g_hash_table_lookup(archive->comms, COMMUNICATOR_KEY(reference));
    if (!communicator) {
        otf2_complain_at(archive, rank, event, NULL, "communicator %u is not defined", reference);
        return NULL;
    }
    if (communicator->between_groups) {
        otf2_complain_at(archive, rank, event, NULL,
                         "communicators between two groups cannot be replayed");
        return NULL;
    }
    if (!communicator->ranks && !find_ranks(archive, communicator)) {
        otf2_complain_at(archive, rank, event, NULL,
                         "the group of communicator %u (%s) is not one of ranks", reference,
                         communicator->name);
        g_clear_pointer(&communicator->ranks, g_array_unref);
        return NULL;
    }
    if (otf2_member(communicator, rank) < 0) {
        otf2_complain_at(archive, rank, event, NULL, "the rank is not in communicator %u (%s)",
                         reference, communicator->name);
        return NULL;
    }
    return communicator;
}

// ---- Numbers ----

// Whether none of its ranks is in a group of the one with that number yet.
static bool has_room(const struct otf2_archive *archive,
                     const struct otf2_communicator *communicator, guint number)
{
    const char *taken = g_ptr_array_index(archive->taken, number);
    for (guint i = 0; i < communicator->ranks->len; i++)
        if (taken[g_array_index(communicator->ranks, int, i)])
            return false;
    return true;
}

static void add_group(struct otf2_archive *archive, guint number, const int *ranks, guint count)
{
    struct communicator *one = g_ptr_array_index(archive->communicators, number);
    char *taken = g_ptr_array_index(archive->taken, number);
    g_array_append_vals(communicator_add_group(one), ranks, count);
    for (guint i = 0; i < count; i++)
        taken[ranks[i]] = 1;
}

static guint add_number(struct otf2_archive *archive)
{
    char *name = g_strdup_printf("c%u", archive->communicators->len);
    communicator_add(archive->communicators, name);
    g_ptr_array_add(archive->taken, g_new0(char, otf2_ranks(archive)));
    g_free(name);
    return archive->communicators->len - 1;
}

int otf2_number(struct otf2_archive *archive, struct otf2_communicator *communicator)
{
    if (communicator->numbered)
        return communicator->number;
    communicator->numbered = true;
    communicator->number = NO_COMMUNICATOR;
    if (communicator->top && is_whole(archive, communicator) &&
        (strcmp(communicator->name, WORLD) == 0 || !*communicator->name))
        return NO_COMMUNICATOR;
    guint number = 0;
    if (communicator->self) {
        number = add_number(archive);
        for (int rank = 0; rank < otf2_ranks(archive); rank++)
            add_group(archive, number, &rank, 1);
    } else {
        while (number < archive->communicators->len && !has_room(archive, communicator, number))
            number++;
        if (number == archive->communicators->len)
            add_number(archive);
        add_group(archive, number, &g_array_index(communicator->ranks, int, 0),
                  communicator->ranks->len);
    }
    communicator->number = (int)number;
    return communicator->number;
}
