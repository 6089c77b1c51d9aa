// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/otf2_author.h"

#include <glib.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPEN 16             // regions, one in another
#define CHUNK_BYTES (256 * 1024) // the least that the library takes

struct author {
    const struct otf2_given *given;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    uint32_t strings;
    GPtrArray *regions; // names, by number
    uint64_t end;       // last time stamp
};

// The words of a rank.
struct pen {
    struct author *author;
    OTF2_EvtWriter *writer;
    char **word;
    uint64_t now;
    uint32_t open[MOST_OPEN];
    int depth;
};

static OTF2_FlushType before_flush(void *owner, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)owner, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *owner, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)owner, (void)type, (void)location;
    return 0;
}

static OTF2_FlushCallbacks flush_callbacks = {before_flush, after_flush};

// ---- Events ----

static uint32_t region_of(struct author *author, const char *name)
{
    for (guint i = 0; i < author->regions->len; i++)
        if (strcmp(g_ptr_array_index(author->regions, i), name) == 0)
            return i;
    g_ptr_array_add(author->regions, g_strdup(name));
    return author->regions->len - 1;
}

static uint64_t next_number(struct pen *pen)
{
    const char *word = *++pen->word;
    if (!word)
        g_error("a number is missing");
    return strtoull(word, NULL, 10);
}

static bool is(const struct pen *pen, const char *word)
{
    return strcmp(*pen->word, word) == 0;
}

#define NEXT next_number(pen)

static bool write_message(struct pen *pen)
{
    uint64_t value[5];
    bool sends = is(pen, "send"), isends = is(pen, "isend"), receives = is(pen, "recv"),
         received = is(pen, "received");
    if (!sends && !isends && !receives && !received)
        return false;
    for (int i = 0; i < (isends || received ? 5 : 4); i++)
        value[i] = NEXT;
    uint32_t peer = (uint32_t)value[0], comm = (uint32_t)value[1], tag = (uint32_t)value[2];
    if (sends)
        OTF2_EvtWriter_MpiSend(pen->writer, NULL, pen->now, peer, comm, tag, value[3]);
    else if (receives)
        OTF2_EvtWriter_MpiRecv(pen->writer, NULL, pen->now, peer, comm, tag, value[3]);
    else if (isends)
        OTF2_EvtWriter_MpiIsend(pen->writer, NULL, pen->now, peer, comm, tag, value[3], value[4]);
    else
        OTF2_EvtWriter_MpiIrecv(pen->writer, NULL, pen->now, peer, comm, tag, value[3], value[4]);
    return true;
}

static bool write_request(struct pen *pen)
{
    if (is(pen, "sent"))
        OTF2_EvtWriter_MpiIsendComplete(pen->writer, NULL, pen->now, NEXT);
    else if (is(pen, "irecv"))
        OTF2_EvtWriter_MpiIrecvRequest(pen->writer, NULL, pen->now, NEXT);
    else if (is(pen, "tested"))
        OTF2_EvtWriter_MpiRequestTest(pen->writer, NULL, pen->now, NEXT);
    else if (is(pen, "cancelled"))
        OTF2_EvtWriter_MpiRequestCancelled(pen->writer, NULL, pen->now, NEXT);
    else if (is(pen, "ahead"))
        OTF2_EvtWriter_NonBlockingCollectiveRequest(pen->writer, NULL, pen->now, NEXT);
    else
        return false;
    return true;
}

static bool write_collective(struct pen *pen)
{
    uint64_t value[5];
    if (!is(pen, "collective"))
        return false;
    for (int i = 0; i < 5; i++)
        value[i] = NEXT;
    OTF2_EvtWriter_MpiCollectiveBegin(pen->writer, NULL, pen->now);
    OTF2_EvtWriter_MpiCollectiveEnd(pen->writer, NULL, pen->now, (OTF2_CollectiveOp)value[0],
                                    (uint32_t)value[1], (uint32_t)value[2], value[3], value[4]);
    return true;
}

static bool write_other(struct pen *pen)
{
    if (is(pen, "off") || is(pen, "on")) {
        OTF2_EvtWriter_MeasurementOnOff(pen->writer, NULL, pen->now,
                                        is(pen, "on") ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    } else if (is(pen, "flush")) {
        uint64_t from = pen->now;
        pen->now += NEXT;
        OTF2_EvtWriter_BufferFlush(pen->writer, NULL, from, pen->now);
    } else if (is(pen, "window")) {
        OTF2_EvtWriter_RmaWinCreate(pen->writer, NULL, pen->now, 0);
    } else if (is(pen, "put")) {
        OTF2_EvtWriter_RmaPut(pen->writer, NULL, pen->now, 0, 1, 100, 1);
    } else if (is(pen, "io")) {
        OTF2_EvtWriter_IoOperationBegin(pen->writer, NULL, pen->now, 0, OTF2_IO_OPERATION_MODE_READ,
                                        OTF2_IO_OPERATION_FLAG_NONE, 100, 1);
    } else if (is(pen, "ahead_done")) {
        OTF2_EvtWriter_NonBlockingCollectiveComplete(
            pen->writer, NULL, pen->now, OTF2_COLLECTIVE_OP_BARRIER, 0, UINT32_MAX, 0, 0, 1);
    } else if (is(pen, "to") || is(pen, "from")) {
        uint32_t parameter = is(pen, "from");
        OTF2_EvtWriter_ParameterUnsignedInt(pen->writer, NULL, pen->now, parameter, NEXT);
    } else if (is(pen, "context")) {
        OTF2_EvtWriter_CallingContextEnter(pen->writer, NULL, pen->now, 0, 1);
    } else {
        return false;
    }
    return true;
}

static void write_region(struct pen *pen)
{
    char *word = *pen->word;
    size_t length = strlen(word);
    if (is(pen, "}")) {
        OTF2_EvtWriter_Leave(pen->writer, NULL, pen->now, pen->open[--pen->depth]);
    } else if (is(pen, "leave")) {
        OTF2_EvtWriter_Leave(pen->writer, NULL, pen->now, region_of(pen->author, *++pen->word));
    } else if (word[length - 1] == '{') {
        word[length - 1] = '\0';
        uint32_t region = region_of(pen->author, word);
        pen->open[pen->depth++] = region;
        OTF2_EvtWriter_Enter(pen->writer, NULL, pen->now, region);
    } else if (word[0] == '+') {
        pen->now += strtoull(word + 1, NULL, 10);
    } else {
        g_error("no event: %s", word);
    }
}

static void write_events(struct author *author, OTF2_LocationRef location, const char *events)
{
    struct pen pen = {.author = author, .now = 1000};
    char **words = g_strsplit_set(events, " \n", -1);
    pen.writer = OTF2_Archive_GetEvtWriter(author->archive, location);
    for (pen.word = words; *pen.word; pen.word++)
        if (**pen.word && !write_message(&pen) && !write_request(&pen) && !write_collective(&pen) &&
            !write_other(&pen))
            write_region(&pen);
    author->end = MAX(author->end, pen.now);
    OTF2_Archive_CloseEvtWriter(author->archive, pen.writer);
    g_strfreev(words);
    OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(author->archive, location);
    OTF2_Archive_CloseDefWriter(author->archive, definitions);
}

// ---- Definitions ----

static OTF2_StringRef define_string(struct author *author, const char *text)
{
    OTF2_GlobalDefWriter_WriteString(author->definitions, author->strings, text);
    return author->strings++;
}

static OTF2_LocationRef location_of(const struct otf2_given *given, int rank)
{
    return given->twice && rank == 1 ? 100 : 100 + 10 * (OTF2_LocationRef)rank;
}

static void define_location(struct author *author, OTF2_LocationRef location, uint32_t group)
{
    OTF2_GlobalDefWriter_WriteLocation(author->definitions, location,
                                       define_string(author, "thread"),
                                       OTF2_LOCATION_TYPE_CPU_THREAD, 0, group);
}

static void define_processes(struct author *author)
{
    const struct otf2_given *given = author->given;
    OTF2_StringRef machine = define_string(author, "machine");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(author->definitions, 0, machine, machine,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int rank = 0; rank < given->ranks; rank++) {
        OTF2_GlobalDefWriter_WriteLocationGroup(
            author->definitions, (uint32_t)rank, define_string(author, "process"),
            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
        if (!(given->no_location && rank == 1) && !(given->twice && rank == 1))
            define_location(author, 100 + 10 * (OTF2_LocationRef)rank, (uint32_t)rank);
    }
    if (given->thread)
        define_location(author, 101, 0);
}

static uint32_t parse_members(const struct otf2_given *given, const char *text, uint64_t *members)
{
    uint32_t count = 0;
    for (int rank = 0; !text && rank < given->ranks; rank++)
        members[count++] = (uint64_t)rank;
    for (const char *at = text; at && *at;) {
        char *end;
        members[count++] = strtoull(at, &end, 10);
        at = end + strspn(end, " ");
    }
    return count;
}

static void define_comm(struct author *author, uint32_t number, const struct otf2_comm_given *comm)
{
    OTF2_GlobalDefWriter *writer = author->definitions;
    uint64_t members[64];
    bool self = !comm->members && number > 0;
    uint32_t group = author->given->eztrace ? number : number + 1,
             count = self ? 0 : parse_members(author->given, comm->members, members);
    OTF2_StringRef name = define_string(author, comm->name);
    OTF2_CommRef parent = comm->below ? 0 : OTF2_UNDEFINED_COMM;
    OTF2_GlobalDefWriter_WriteGroup(
        writer, group, name, self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
        OTF2_PARADIGM_MPI,
        comm->global_ranks ? OTF2_GROUP_FLAG_GLOBAL_MEMBERS : OTF2_GROUP_FLAG_NONE, count, members);
    if (comm->inter)
        OTF2_GlobalDefWriter_WriteInterComm(writer, number, name, group, group, parent,
                                            OTF2_COMM_FLAG_NONE);
    else
        OTF2_GlobalDefWriter_WriteComm(writer, number, name, group, parent, OTF2_COMM_FLAG_NONE);
}

static void define_mpi(struct author *author)
{
    static const struct otf2_comm_given world = {.name = "MPI_COMM_WORLD"};
    const struct otf2_given *given = author->given;
    uint64_t locations[OTF2_AUTHOR_RANKS];
    for (int rank = 0; rank < given->ranks; rank++)
        locations[rank] = location_of(given, rank);
    OTF2_GlobalDefWriter_WriteGroup(author->definitions, 0, define_string(author, "ranks"),
                                    OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, (uint32_t)given->ranks, locations);
    for (uint32_t i = 0; i < G_N_ELEMENTS(given->comms); i++)
        if (given->comms[i].name || i == 0)
            define_comm(author, i, given->comms[i].name ? &given->comms[i] : &world);
}

static void define_all(struct author *author)
{
    const struct otf2_given *given = author->given;
    author->definitions = OTF2_Archive_GetGlobalDefWriter(author->archive);
    OTF2_StringRef none = define_string(author, "");
    if (!given->no_clock)
        OTF2_GlobalDefWriter_WriteClockProperties(author->definitions,
                                                  given->ticks ? given->ticks : 1000000000, 0,
                                                  author->end + 1, OTF2_UNDEFINED_TIMESTAMP);
    define_processes(author);
    OTF2_GlobalDefWriter_WriteParameter(
        author->definitions, 0, define_string(author, "bytes to each"), OTF2_PARAMETER_TYPE_UINT64);
    OTF2_GlobalDefWriter_WriteParameter(author->definitions, 1,
                                        define_string(author, "bytes from each"),
                                        OTF2_PARAMETER_TYPE_UINT64);
    if (!given->alone)
        define_mpi(author);
    if (given->eztrace)
        region_of(author, "EZTrace finalize");
    for (guint i = 0; i < author->regions->len; i++) {
        OTF2_StringRef name = define_string(author, g_ptr_array_index(author->regions, i));
        OTF2_GlobalDefWriter_WriteRegion(author->definitions, i, name, name, none,
                                         OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, none, 0, 0);
    }
    OTF2_Archive_CloseGlobalDefWriter(author->archive, author->definitions);
}

char *otf2_write(const char *directory, const struct otf2_given *given)
{
    struct author author = {.given = given};
    author.regions = g_ptr_array_new_with_free_func(g_free);
    author.archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    g_assert_nonnull(author.archive);
    OTF2_Archive_SetFlushCallbacks(author.archive, &flush_callbacks, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(author.archive);
    OTF2_Archive_OpenEvtFiles(author.archive);
    OTF2_Archive_OpenDefFiles(author.archive);
    for (int rank = 0; rank < given->ranks; rank++)
        if (given->events[rank])
            write_events(&author, location_of(given, rank), given->events[rank]);
    if (given->thread)
        write_events(&author, 101, given->thread);
    OTF2_Archive_CloseDefFiles(author.archive);
    OTF2_Archive_CloseEvtFiles(author.archive);
    define_all(&author);
    OTF2_Archive_Close(author.archive);
    g_ptr_array_unref(author.regions);
    return g_build_filename(directory, "traces.otf2", NULL);
}
