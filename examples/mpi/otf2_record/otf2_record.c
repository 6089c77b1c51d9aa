// SPDX-License-Identifier: GPL-3.0-or-later
// The archive, from MPI_Init to MPI_Finalize.
#include "otf2_record.h"

#include <otf2/OTF2_MPI_Collectives.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define AS_NAME(name) "MPI_" #name,
#define CHUNK_BYTES (1024 * 1024)

static const char *const region_names[] = {REGIONS(AS_NAME)};

struct recorder here;

// Processor time, so that what passes between two calls is work, whichever process had the
// processor meanwhile. Clocks of different processes are unrelated.
OTF2_TimeStamp now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (OTF2_TimeStamp)time.tv_sec * 1000000000u + (OTF2_TimeStamp)time.tv_nsec;
}

void enter(enum region region)
{
    if (!here.events)
        return;
    OTF2_EvtWriter_Enter(here.events, NULL, now(), (OTF2_RegionRef)region);
    here.count++;
}

int leave(enum region region, int result)
{
    if (!here.events)
        return result;
    OTF2_EvtWriter_Leave(here.events, NULL, now(), (OTF2_RegionRef)region);
    here.count++;
    return result;
}

uint64_t bytes_of(int count, MPI_Datatype type)
{
    int size = 0;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

// ---- The beginning ----

static OTF2_FlushType before_flush(void *owner, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)owner, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *owner, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)owner, (void)type, (void)location;
    return now();
}

static void begin(OTF2_TimeStamp entered)
{
    static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
    const char *folder = getenv("OTF2_RECORD");
    PMPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &here.ranks);
    init_communicators();
    here.archive =
        OTF2_Archive_Open(folder ? folder : "otf2_record", "traces", OTF2_FILEMODE_WRITE,
                          CHUNK_BYTES, CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!here.archive || OTF2_MPI_Archive_SetCollectiveCallbacks(here.archive, MPI_COMM_WORLD,
                                                                 MPI_COMM_NULL) != OTF2_SUCCESS) {
        fprintf(stderr, "otf2_record: the archive cannot be written\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    OTF2_Archive_SetFlushCallbacks(here.archive, &flush, NULL);
    OTF2_Archive_SetCreator(here.archive, "netsim otf2_record 1");
    OTF2_Archive_OpenEvtFiles(here.archive);
    here.events = OTF2_Archive_GetEvtWriter(here.archive, (OTF2_LocationRef)here.rank);
    OTF2_EvtWriter_Enter(here.events, NULL, entered, REGION_Init);
    here.count = 1;
    leave(REGION_Init, MPI_SUCCESS);
}

int MPI_Init(int *count, char ***arguments)
{
    OTF2_TimeStamp entered = now();
    int result = PMPI_Init(count, arguments);
    begin(entered);
    return result;
}

int MPI_Init_thread(int *count, char ***arguments, int required, int *provided)
{
    OTF2_TimeStamp entered = now();
    int result = PMPI_Init_thread(count, arguments, required, provided);
    begin(entered);
    return result;
}

// ---- The end ----

static OTF2_StringRef define_string(OTF2_GlobalDefWriter *writer, OTF2_StringRef *strings,
                                    const char *text)
{
    OTF2_GlobalDefWriter_WriteString(writer, *strings, text);
    return (*strings)++;
}

static void define_locations(OTF2_GlobalDefWriter *writer, OTF2_StringRef *strings,
                             const uint64_t *counts)
{
    OTF2_StringRef machine = define_string(writer, strings, "machine"),
                   process = define_string(writer, strings, "process"),
                   group = define_string(writer, strings, "ranks");
    uint64_t *members = calloc((size_t)here.ranks, sizeof *members);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, machine, machine,
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int rank = 0; rank < here.ranks; rank++) {
        members[rank] = (uint64_t)rank;
        OTF2_GlobalDefWriter_WriteLocationGroup(writer, (uint32_t)rank, process,
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP);
        OTF2_GlobalDefWriter_WriteLocation(writer, (uint64_t)rank, process,
                                           OTF2_LOCATION_TYPE_CPU_THREAD, counts[rank],
                                           (uint32_t)rank);
    }
    OTF2_GlobalDefWriter_WriteGroup(writer, 0, group, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)here.ranks,
                                    members);
    free(members);
}

static void define_regions(OTF2_GlobalDefWriter *writer, OTF2_StringRef *strings)
{
    OTF2_StringRef none = define_string(writer, strings, "");
    for (int region = 0; region < REGION_COUNT; region++) {
        OTF2_StringRef name = define_string(writer, strings, region_names[region]);
        OTF2_GlobalDefWriter_WriteRegion(writer, (uint32_t)region, name, name, none,
                                         OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                         OTF2_REGION_FLAG_NONE, none, 0, 0);
    }
}

static void define_parameters(OTF2_GlobalDefWriter *writer, OTF2_StringRef *strings)
{
    OTF2_GlobalDefWriter_WriteParameter(writer, TO_EACH,
                                        define_string(writer, strings, "bytes to each"),
                                        OTF2_PARAMETER_TYPE_UINT64);
    OTF2_GlobalDefWriter_WriteParameter(writer, FROM_EACH,
                                        define_string(writer, strings, "bytes from each"),
                                        OTF2_PARAMETER_TYPE_UINT64);
}

static void define_all(OTF2_TimeStamp last)
{
    uint64_t *counts = calloc((size_t)here.ranks, sizeof *counts), end;
    OTF2_StringRef strings = 0;
    OTF2_GlobalDefWriter *writer =
        here.rank == 0 ? OTF2_Archive_GetGlobalDefWriter(here.archive) : NULL;
    PMPI_Gather(&here.count, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&last, &end, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (writer) {
        OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, end + 1,
                                                  OTF2_UNDEFINED_TIMESTAMP);
        define_locations(writer, &strings, counts);
        define_regions(writer, &strings);
        define_parameters(writer, &strings);
    }
    define_communicators(writer, 1, &strings);
    if (writer)
        OTF2_Archive_CloseGlobalDefWriter(here.archive, writer);
    free(counts);
}

int MPI_Finalize(void)
{
    OTF2_EvtWriter *events = here.events;
    enter(REGION_Finalize);
    leave(REGION_Finalize, MPI_SUCCESS);
    here.events = NULL; // what follows is the recorder's own
    OTF2_Archive_CloseEvtWriter(here.archive, events);
    OTF2_Archive_CloseEvtFiles(here.archive);
    OTF2_Archive_OpenDefFiles(here.archive);
    OTF2_Archive_CloseDefWriter(
        here.archive, OTF2_Archive_GetDefWriter(here.archive, (OTF2_LocationRef)here.rank));
    OTF2_Archive_CloseDefFiles(here.archive);
    define_all(now());
    OTF2_Archive_Close(here.archive);
    return PMPI_Finalize();
}
