// SPDX-License-Identifier: GPL-3.0-or-later
// An OTF2 archive, from its anchor to its end.
#include "sim/recording/otf2.h"
#include "sim/recording/readers.h"

#include "sim/core/intern.h"
#include "sim/program/communicator.h"

#include <stdlib.h>

// ---- Errors ----

// Keeps the first error that the library would print.
static OTF2_ErrorCode keep_problem(void *owner, const char *file, uint64_t line,
                                   const char *function, OTF2_ErrorCode code, const char *format,
                                   va_list arguments)
{
    struct otf2_archive *archive = owner;
    (void)file, (void)line, (void)function;
    if (!archive->problem && code > OTF2_SUCCESS) {
        char *text = format ? g_strdup_vprintf(format, arguments) : g_strdup("");
        archive->problem =
            g_strdup_printf("%s%s%s", OTF2_Error_GetDescription(code), *text ? ": " : "", text);
        g_free(text);
    }
    return code;
}

// ---- Events ----

// Tables that translate a location's numbers into those of the archive. There may be none.
static void read_local_definitions(struct otf2_archive *archive, OTF2_LocationRef location)
{
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive->reader, location);
    uint64_t count;
    if (!reader)
        return;
    OTF2_Reader_ReadAllLocalDefinitions(archive->reader, reader, &count);
    OTF2_Reader_CloseDefReader(archive->reader, reader);
}

// ---- The first time ----

// A location that is read for the records that other ranks need.
struct look {
    struct otf2_archive *archive;
    int rank; // -1: it is another thread's
    uint64_t event;
    bool bad;
};

static OTF2_CallbackCode look_over(struct look *look, bool good)
{
    look->bad = !good;
    return good ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode look_at_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                            uint64_t event, void *owner,
                                            OTF2_AttributeList *attributes,
                                            OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                            uint32_t root, uint64_t sent, uint64_t received)
{
    struct look *look = owner;
    (void)location, (void)time, (void)attributes;
    look->event = event;
    const struct otf2_collective collective = {.rank = look->rank,
                                               .event = event,
                                               .communicator = communicator,
                                               .sum = {operation, root, sent, received}};
    return look_over(look,
                     !otf2_needs_sums(operation) || otf2_keep_sums(look->archive, &collective));
}

// Another thread may ask for its rank, and the like.
static OTF2_CallbackCode look_at_region(OTF2_LocationRef location, OTF2_TimeStamp time,
                                        uint64_t event, void *owner, OTF2_AttributeList *attributes,
                                        OTF2_RegionRef reference)
{
    struct look *look = owner;
    (void)time, (void)attributes;
    look->event = event;
    const struct otf2_function *function = otf2_function(look->archive, reference);
    bool calls = function && function->region->kind != OTF2_KIND_OUTSIDE &&
                 function->region->kind != OTF2_KIND_LOCAL;
    if (calls)
        otf2_complain(look->archive, "let one thread of each process call MPI",
                      "location %" G_GUINT64_FORMAT ", event %" G_GUINT64_FORMAT
                      ": %s in a thread that is no rank",
                      location, event, function->name);
    return look_over(look, !calls);
}

static bool look_through(struct otf2_archive *archive, OTF2_LocationRef location, int rank)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    struct look look = {.archive = archive, .rank = rank};
    if (rank >= 0)
        OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, look_at_collective);
    else
        OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, look_at_region);
    bool good = otf2_read_events(archive, location, callbacks, &look, rank, &look.event);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    return good && !look.bad;
}

// ---- All of it ----

static OTF2_LocationRef location_of(const struct otf2_archive *archive, int rank)
{
    return g_array_index(archive->rank_locations, OTF2_LocationRef, (guint)rank);
}

// The threads that are no ranks (OTF2_LocationRef).
static GArray *other_threads(const struct otf2_archive *archive)
{
    GArray *threads = g_array_new(FALSE, FALSE, sizeof(OTF2_LocationRef));
    GHashTable *ranks = g_hash_table_new(g_int64_hash, g_int64_equal);
    for (int rank = 0; rank < otf2_ranks(archive); rank++)
        g_hash_table_add(ranks,
                         &g_array_index(archive->rank_locations, OTF2_LocationRef, (guint)rank));
    for (guint i = 0; i < archive->locations->len; i++) {
        const struct otf2_location *one =
            &g_array_index(archive->locations, struct otf2_location, i);
        if (one->type == OTF2_LOCATION_TYPE_CPU_THREAD &&
            !g_hash_table_contains(ranks, &one->reference))
            g_array_append_val(threads, one->reference);
    }
    g_hash_table_unref(ranks);
    return threads;
}

static void open_files(struct otf2_archive *archive, const GArray *threads)
{
    for (int rank = 0; rank < otf2_ranks(archive); rank++)
        OTF2_Reader_SelectLocation(archive->reader, location_of(archive, rank));
    for (guint i = 0; i < threads->len; i++)
        OTF2_Reader_SelectLocation(archive->reader, g_array_index(threads, OTF2_LocationRef, i));
    if (OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS) {
        for (int rank = 0; rank < otf2_ranks(archive); rank++)
            read_local_definitions(archive, location_of(archive, rank));
        for (guint i = 0; i < threads->len; i++)
            read_local_definitions(archive, g_array_index(threads, OTF2_LocationRef, i));
        OTF2_Reader_CloseDefFiles(archive->reader);
    }
    OTF2_Reader_OpenEvtFiles(archive->reader);
}

static bool read_ranks(struct otf2_archive *archive)
{
    GArray *threads = other_threads(archive);
    open_files(archive, threads);
    bool good = true;
    for (guint i = 0; i < threads->len && good; i++)
        good = look_through(archive, g_array_index(threads, OTF2_LocationRef, i), -1);
    for (int rank = 0; rank < otf2_ranks(archive) && good; rank++)
        good = look_through(archive, location_of(archive, rank), rank);
    for (int rank = 0; rank < otf2_ranks(archive) && good && !diag_full(archive->diags); rank++)
        good = otf2_read_calls(archive, rank);
    OTF2_Reader_CloseEvtFiles(archive->reader);
    g_array_unref(threads);
    if (good && archive->communicators->len > COMMUNICATORS_MOST) {
        otf2_complain(archive, NULL,
                      "the calls are in %u communicators: at most %d can be replayed",
                      archive->communicators->len, COMMUNICATORS_MOST);
        good = false;
    }
    return good;
}

// The recorder that comes with netsim (examples/mpi/otf2_record) has the sums of two buffers.
static bool has_two_buffers(OTF2_Reader *reader)
{
    char *creator = NULL;
    bool ours = OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator &&
                g_str_has_prefix(creator, "netsim otf2_record");
    free(creator);
    return ours;
}

static struct recording *read_archive(struct otf2_archive *archive)
{
    archive->two_buffers = has_two_buffers(archive->reader);
    if (!otf2_read_definitions(archive))
        return NULL;
    int ranks = otf2_ranks(archive);
    archive->builder = recording_builder_new(archive->path, "OTF2", ranks, RECORDED_TIME);
    archive->communicators = communicators_new();
    archive->taken = g_ptr_array_new_with_free_func(g_free);
    for (int rank = 0; rank < ranks; rank++) {
        char *name = g_strdup_printf("%s, rank %d, event", archive->path, rank);
        recording_builder_file(archive->builder, rank, name);
        g_free(name);
    }
    bool good = read_ranks(archive);
    if (good && archive->communicators->len > 0)
        recording_builder_communicators(archive->builder, archive->communicators);
    else
        g_ptr_array_free(archive->communicators, TRUE);
    g_ptr_array_unref(archive->taken);
    char *error;
    struct recording *recording = recording_builder_end(archive->builder, good, &error);
    if (error)
        diag_add(archive->diags, archive->where, NULL, NULL, "%s", error);
    g_free(error);
    return recording;
}

struct recording *otf2_read(const char *path, struct source_mark where, struct diag_list *diags)
{
    struct otf2_archive archive = {.path = intern_text(path), .where = where, .diags = diags};
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(keep_problem, &archive);
    struct recording *recording = NULL;
    if (otf2_anchor_sound(path))
        archive.reader = OTF2_Reader_Open(path);
    if (archive.reader && OTF2_Reader_SetSerialCollectiveCallbacks(archive.reader) == OTF2_SUCCESS)
        recording = read_archive(&archive);
    else
        otf2_complain(&archive, NULL, "the archive cannot be opened: %s",
                      archive.problem ? archive.problem : "its anchor is wrong");
    otf2_free_definitions(&archive);
    if (archive.reader)
        OTF2_Reader_Close(archive.reader);
    OTF2_Error_RegisterCallback(before, NULL);
    g_free(archive.problem);
    return recording;
}
