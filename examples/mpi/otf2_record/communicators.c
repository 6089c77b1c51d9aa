// SPDX-License-Identifier: GPL-3.0-or-later
// Communicators have numbers that differ on all processes: their rank 0 assigns them, and records
// at the end which ranks they are of.
#include "otf2_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD, SELF, FIRST_OTHER };

static int key;           // an attribute of communicators: their number
static uint32_t made;     // with this process as their rank 0
static uint32_t *records; // of these: number, parent, size, ranks of MPI_COMM_WORLD
static int length, room;  // of the records

void init_communicators(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
}

OTF2_CommRef number_of(MPI_Comm comm)
{
    void *value;
    int there = 0;
    if (comm == MPI_COMM_WORLD)
        return WORLD;
    if (comm == MPI_COMM_SELF)
        return SELF;
    PMPI_Comm_get_attr(comm, key, &value, &there);
    if (there)
        return (OTF2_CommRef)(uintptr_t)value;
    fprintf(stderr, "otf2_record: only MPI_Comm_split, _dup and _create may make communicators\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return WORLD;
}

static void append(const uint32_t *values, int count)
{
    if (length + count > room) {
        room = 2 * (length + count);
        records = realloc(records, (size_t)room * sizeof *records);
    }
    memcpy(records + length, values, (size_t)count * sizeof *values);
    length += count;
}

static void append_ranks(MPI_Comm comm, int size)
{
    MPI_Group all, group;
    int *own = calloc((size_t)size, sizeof *own), *ranks = calloc((size_t)size, sizeof *ranks);
    for (int i = 0; i < size; i++)
        own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, size, own, all, ranks);
    append((const uint32_t *)ranks, size);
    PMPI_Group_free(&all);
    PMPI_Group_free(&group);
    free(own);
    free(ranks);
}

void number_communicator(MPI_Comm comm, MPI_Comm parent)
{
    int rank, size;
    uint32_t number = 0;
    if (!here.events || comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (rank == 0) {
        number = FIRST_OTHER + made++ * (uint32_t)here.ranks + (uint32_t)here.rank;
        const uint32_t head[] = {number, number_of(parent), (uint32_t)size};
        append(head, 3);
        append_ranks(comm, size);
    }
    PMPI_Bcast(&number, 1, MPI_UINT32_T, 0, comm);
    PMPI_Comm_set_attr(comm, key, (void *)(uintptr_t)number);
}

int MPI_Comm_split(MPI_Comm comm, int color, int order, MPI_Comm *other)
{
    enter(REGION_Comm_split);
    int result = PMPI_Comm_split(comm, color, order, other);
    number_communicator(*other, comm);
    return leave(REGION_Comm_split, result);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *other)
{
    enter(REGION_Comm_dup);
    int result = PMPI_Comm_dup(comm, other);
    number_communicator(*other, comm);
    return leave(REGION_Comm_dup, result);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *other)
{
    enter(REGION_Comm_create);
    int result = PMPI_Comm_create(comm, group, other);
    number_communicator(*other, comm);
    return leave(REGION_Comm_create, result);
}

// ---- Definitions ----

static void define(OTF2_GlobalDefWriter *writer, OTF2_GroupRef group, OTF2_StringRef *strings,
                   const char *name, OTF2_CommRef number, OTF2_CommRef parent, uint32_t size,
                   const uint32_t *ranks)
{
    uint64_t *members = calloc(size + 1, sizeof *members);
    for (uint32_t i = 0; i < size; i++)
        members[i] = ranks ? ranks[i] : i;
    OTF2_GlobalDefWriter_WriteString(writer, *strings, name);
    OTF2_GlobalDefWriter_WriteGroup(writer, group, *strings,
                                    size ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_SELF,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, size, members);
    OTF2_GlobalDefWriter_WriteComm(writer, number, *strings, group, parent, OTF2_COMM_FLAG_NONE);
    (*strings)++;
    free(members);
}

void define_communicators(OTF2_GlobalDefWriter *writer, OTF2_GroupRef group,
                          OTF2_StringRef *strings)
{
    int *lengths = calloc((size_t)here.ranks, sizeof *lengths),
        *starts = calloc((size_t)here.ranks + 1, sizeof *starts);
    PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int rank = 0; rank < here.ranks; rank++)
        starts[rank + 1] = starts[rank] + lengths[rank];
    int total = starts[here.ranks];
    uint32_t *all = calloc((size_t)total + 1, sizeof *all);
    PMPI_Gatherv(records, length, MPI_UINT32_T, all, lengths, starts, MPI_UINT32_T, 0,
                 MPI_COMM_WORLD);
    if (writer) {
        define(writer, group++, strings, "MPI_COMM_WORLD", WORLD, OTF2_UNDEFINED_COMM,
               (uint32_t)here.ranks, NULL);
        define(writer, group++, strings, "MPI_COMM_SELF", SELF, OTF2_UNDEFINED_COMM, 0, NULL);
        for (int at = 0; at < total; at += 3 + (int)all[at + 2])
            define(writer, group++, strings, "", all[at], all[at + 1], all[at + 2], all + at + 3);
    }
    free(all);
    free(lengths);
    free(starts);
}
