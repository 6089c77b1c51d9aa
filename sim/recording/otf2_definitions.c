// SPDX-License-Identifier: GPL-3.0-or-later
// The definitions of an OTF2 archive. Their order is arbitrary, so their references are resolved
// when all are there.
#include "sim/core/intern.h"
#include "sim/recording/otf2.h"

#include <string.h>

#define DEFINITION_KEY(reference) GUINT_TO_POINTER(reference)

static void group_free(void *item)
{
    struct otf2_group *group = item;
    g_array_unref(group->members);
    g_free(group);
}

static void communicator_free(void *item)
{
    struct otf2_communicator *communicator = item;
    GArray *lists[] = {communicator->ranks, communicator->sums, communicator->sum_starts};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        if (lists[i])
            g_array_unref(lists[i]);
    g_free(communicator);
}

// ---- One by one ----

static OTF2_CallbackCode take_clock(void *owner, uint64_t resolution, uint64_t offset,
                                    uint64_t length, uint64_t date)
{
    struct otf2_archive *archive = owner;
    (void)offset, (void)length, (void)date;
    archive->resolution = resolution;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_string(void *owner, OTF2_StringRef self, const char *text)
{
    struct otf2_archive *archive = owner;
    g_hash_table_insert(archive->strings, DEFINITION_KEY(self), g_strdup(text ? text : ""));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_location(void *owner, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    struct otf2_archive *archive = owner;
    const struct otf2_location location = {self, name, type};
    (void)events, (void)group; // EZTrace counts no events
    g_array_append_val(archive->locations, location);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_region(void *owner, OTF2_RegionRef self, OTF2_StringRef name,
                                     OTF2_StringRef canonical, OTF2_StringRef description,
                                     OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                     OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                     uint32_t end)
{
    struct otf2_archive *archive = owner;
    struct otf2_function *function = g_new0(struct otf2_function, 1);
    (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags;
    (void)file, (void)begin, (void)end;
    function->reference = name;
    g_hash_table_insert(archive->regions, DEFINITION_KEY(self), function);
    return OTF2_CALLBACK_SUCCESS;
}

// EZTrace gives the locations the number of MPI_COMM_WORLD's group, too.
static OTF2_CallbackCode take_group(void *owner, OTF2_GroupRef self, OTF2_StringRef name,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    struct otf2_archive *archive = owner;
    (void)name;
    if (paradigm != OTF2_PARADIGM_MPI)
        return OTF2_CALLBACK_SUCCESS;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        if (!archive->rank_locations)
            archive->rank_locations = g_array_new(FALSE, FALSE, sizeof(OTF2_LocationRef));
        g_array_set_size(archive->rank_locations, 0);
        if (count > 0)
            g_array_append_vals(archive->rank_locations, members, count);
    } else if (type == OTF2_GROUP_TYPE_COMM_GROUP || type == OTF2_GROUP_TYPE_COMM_SELF) {
        struct otf2_group *group = g_new0(struct otf2_group, 1);
        *group = (struct otf2_group){.type = type,
                                     .global_ranks = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS,
                                     .members = g_array_new(FALSE, FALSE, sizeof(uint64_t))};
        if (count > 0)
            g_array_append_vals(group->members, members, count);
        g_hash_table_insert(archive->groups, DEFINITION_KEY(self), group);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_parameter(void *owner, OTF2_ParameterRef self, OTF2_StringRef name,
                                        OTF2_ParameterType type)
{
    struct otf2_archive *archive = owner;
    if (type == OTF2_PARAMETER_TYPE_UINT64)
        g_hash_table_insert(archive->parameters, DEFINITION_KEY(self), DEFINITION_KEY(name));
    return OTF2_CALLBACK_SUCCESS;
}

static struct otf2_communicator *add_communicator(struct otf2_archive *archive, OTF2_CommRef self,
                                                  OTF2_GroupRef group, OTF2_CommRef parent)
{
    struct otf2_communicator *communicator = g_new0(struct otf2_communicator, 1);
    communicator->reference = self;
    communicator->group = group;
    communicator->top = parent == OTF2_UNDEFINED_COMM;
    g_hash_table_insert(archive->comms, DEFINITION_KEY(self), communicator);
    return communicator;
}

static OTF2_CallbackCode take_comm(void *owner, OTF2_CommRef self, OTF2_StringRef name,
                                   OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)flags;
    add_communicator(owner, self, group, parent)->name_reference = name;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_inter_comm(void *owner, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef one, OTF2_GroupRef other,
                                         OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)name, (void)other, (void)flags;
    add_communicator(owner, self, one, common)->between_groups = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, take_string);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, take_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, take_group);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, take_parameter);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, take_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, take_inter_comm);
    return callbacks;
}

// ---- All of them ----

const char *otf2_string(const struct otf2_archive *archive, OTF2_StringRef reference)
{
    const char *text = g_hash_table_lookup(archive->strings, DEFINITION_KEY(reference));
    return text ? text : "";
}

const char *otf2_parameter(const struct otf2_archive *archive, OTF2_ParameterRef reference)
{
    gpointer name;
    bool there =
        g_hash_table_lookup_extended(archive->parameters, DEFINITION_KEY(reference), NULL, &name);
    return there ? otf2_string(archive, GPOINTER_TO_UINT(name)) : "";
}

const struct otf2_function *otf2_function(const struct otf2_archive *archive,
                                          OTF2_RegionRef reference)
{
    return g_hash_table_lookup(archive->regions, DEFINITION_KEY(reference));
}

static void name_all(struct otf2_archive *archive)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, archive->regions);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        struct otf2_function *function = value;
        function->name = otf2_string(archive, function->reference);
        function->region = otf2_region_named(function->name);
        archive->initializes |= function->region->kind == OTF2_KIND_INIT;
        archive->eztrace |= strcmp(function->name, "EZTrace finalize") == 0;
    }
    g_hash_table_iter_init(&iter, archive->comms);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        struct otf2_communicator *communicator = value;
        communicator->name = intern_text(otf2_string(archive, communicator->name_reference));
    }
}

// Whether each rank has a location of its own that is defined.
static bool check_locations(struct otf2_archive *archive)
{
    GHashTable *left = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (guint i = 0; i < archive->locations->len; i++)
        g_hash_table_add(left,
                         &g_array_index(archive->locations, struct otf2_location, i).reference);
    int rank = 0, ranks = otf2_ranks(archive);
    while (rank < ranks && g_hash_table_remove(left, &g_array_index(archive->rank_locations,
                                                                    OTF2_LocationRef, (guint)rank)))
        rank++;
    if (rank < ranks)
        otf2_complain(archive, NULL, "rank %d has no location of its own", rank);
    g_hash_table_unref(left);
    return rank == ranks;
}

// Whether the ranks are such that they can be replayed.
static bool check(struct otf2_archive *archive)
{
    if (!archive->rank_locations || archive->rank_locations->len == 0)
        otf2_complain(archive, NULL,
                      "the archive is of no MPI program: it has no group of MPI locations");
    else if (archive->rank_locations->len > PROGRAM_MOST_RANKS)
        otf2_complain(archive, NULL, "the archive has %u ranks: at most %d can be replayed",
                      archive->rank_locations->len, PROGRAM_MOST_RANKS);
    else if (archive->resolution == 0)
        otf2_complain(archive, NULL, "the archive does not say how fast its clock ticks");
    else
        return check_locations(archive);
    return false;
}

bool otf2_read_definitions(struct otf2_archive *archive)
{
    archive->strings = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    archive->regions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    archive->groups = g_hash_table_new_full(NULL, NULL, NULL, group_free);
    archive->comms = g_hash_table_new_full(NULL, NULL, NULL, communicator_free);
    archive->parameters = g_hash_table_new(NULL, NULL);
    archive->locations = g_array_new(FALSE, FALSE, sizeof(struct otf2_location));
    OTF2_GlobalDefReaderCallbacks *callbacks = make_callbacks();
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(archive->reader);
    uint64_t count = 0;
    bool good =
        reader &&
        OTF2_Reader_RegisterGlobalDefCallbacks(archive->reader, reader, callbacks, archive) ==
            OTF2_SUCCESS &&
        OTF2_Reader_ReadAllGlobalDefinitions(archive->reader, reader, &count) == OTF2_SUCCESS;
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (!good) {
        otf2_complain(archive, NULL, "the archive's definitions cannot be read: %s",
                      archive->problem ? archive->problem : "there are none");
        return false;
    }
    OTF2_Reader_CloseGlobalDefReader(archive->reader, reader);
    name_all(archive);
    return check(archive);
}

void otf2_free_definitions(struct otf2_archive *archive)
{
    GHashTable *tables[] = {archive->strings, archive->regions, archive->groups, archive->comms,
                            archive->parameters};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
        if (tables[i])
            g_hash_table_unref(tables[i]);
    GArray *lists[] = {archive->locations, archive->rank_locations};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        if (lists[i])
            g_array_unref(lists[i]);
}
