// SPDX-License-Identifier: GPL-3.0-or-later
// OTF2 archives, as Score-P and EZTrace write them: definitions, and per location (thread) a stream
// of events. Regions (functions) are entered and left, and between these are records of sent and
// received data: the region is the call that the records are of.
//
// Reading takes one location after the other, twice: first the sums of collectives whose blocks
// differ, for a rank's own sums do not have what the others send, and then the calls.
//
// The archive loses some data, and an event that needs them is refused: sizes of MPI_Alltoallv by
// pair, whether a collective was in place if its sums leave that open, what MPI_Probe waited for,
// requests that never ended. A receive from any source is replayed as one from the source that it
// had, and a wait for any request as one for those that it took.
#ifndef NETSIM_RECORDING_OTF2_H
#define NETSIM_RECORDING_OTF2_H

#include "sim/recording/recording.h"

#include <otf2/otf2.h>

// ---- Regions ----

enum otf2_kind {
    OTF2_KIND_OUTSIDE, // no MPI call
    OTF2_KIND_LOCAL,   // it sends nothing that is recorded, as MPI_Comm_rank
    OTF2_KIND_INIT,
    OTF2_KIND_FINALIZE,
    OTF2_KIND_SEND,
    OTF2_KIND_RECV,
    OTF2_KIND_ISEND,
    OTF2_KIND_IRECV,
    OTF2_KIND_START, // of persistent requests
    OTF2_KIND_SENDRECV,
    OTF2_KIND_WAIT, // or test
    OTF2_KIND_COLLECTIVE,
    OTF2_KIND_REFUSED,
};

struct otf2_region {
    const char *name; // "MPI_Send"
    enum otf2_kind kind;
    enum op_code code;
    const char *why; // it is refused
};

// Returns the kind of a region of that name. The result lives as long as the program.
const struct otf2_region *otf2_region_named(const char *name);

// ---- The archive ----

struct otf2_location {
    OTF2_LocationRef reference;
    OTF2_StringRef name;
    OTF2_LocationType type;
};

struct otf2_group {
    OTF2_GroupType type;
    bool global_ranks; // records name ranks of the job
    GArray *members;   // uint64_t: locations, or ranks of the job
};

struct otf2_communicator {
    OTF2_CommRef reference;
    const char *name; // interned
    OTF2_StringRef name_reference;
    OTF2_GroupRef group;
    bool top;            // it has no parent
    bool between_groups; // an inter-communicator
    GArray *ranks;       // int: ranks of the job; NULL: not resolved yet
    bool self;           // each rank alone: `ranks` is empty
    bool global_ranks;
    bool numbered;
    int number;         // in the recording; NO_COMMUNICATOR: all ranks
    GArray *sums;       // struct otf2_sum, of rank after rank; NULL: none
    GArray *sum_starts; // struct otf2_place, by rank of the communicator
};

// A region of the archive.
struct otf2_function {
    OTF2_StringRef reference;
    const char *name; // the archive's
    const struct otf2_region *region;
};

struct otf2_archive {
    const char *path; // interned
    struct source_mark where;
    struct diag_list *diags;
    OTF2_Reader *reader;
    char *problem;          // the library's first error; NULL: none
    GHashTable *strings;    // OTF2_StringRef: char *
    GHashTable *regions;    // OTF2_RegionRef: struct otf2_function *
    GHashTable *groups;     // OTF2_GroupRef: struct otf2_group *
    GHashTable *comms;      // OTF2_CommRef: struct otf2_communicator *
    GHashTable *parameters; // OTF2_ParameterRef: OTF2_StringRef
    GArray *locations;      // struct otf2_location
    GArray *rank_locations; // OTF2_LocationRef, by rank; NULL: the archive is of no MPI program
    uint64_t resolution;    // of the clock, ticks per second; 0: unknown
    bool eztrace;           // EZTrace wrote it
    bool initializes;       // MPI_Init is among the regions
    bool two_buffers;       // sums are as if no collective was in place
    struct recording_builder *builder;
    GPtrArray *communicators; // struct communicator *, those that are used
    GPtrArray *taken;         // by communicator: char *, 1 for each rank that is in a group of it
};

static inline int otf2_ranks(const struct otf2_archive *archive)
{
    return (int)archive->rank_locations->len;
}

// Adds an error about the archive as a whole, or about an event of a rank.
void otf2_complain(struct otf2_archive *archive, const char *hint, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void otf2_complain_at(struct otf2_archive *archive, int rank, uint64_t event, const char *hint,
                      const char *format, ...) G_GNUC_PRINTF(5, 6);

// Whether the anchor at `path` is as long as what it announces.
bool otf2_anchor_sound(const char *path);

// Reads all definitions; false: an error was added.
bool otf2_read_definitions(struct otf2_archive *archive);
void otf2_free_definitions(struct otf2_archive *archive);

// The text of that name; "" if there is none.
const char *otf2_string(const struct otf2_archive *archive, OTF2_StringRef reference);
const char *otf2_parameter(const struct otf2_archive *archive, OTF2_ParameterRef reference);

// The region; NULL: it is not defined.
const struct otf2_function *otf2_function(const struct otf2_archive *archive,
                                          OTF2_RegionRef reference);

// ---- Communicators ----

// The communicator of an event of a rank, which must be in it; NULL: an error was added.
struct otf2_communicator *otf2_communicator(struct otf2_archive *archive, OTF2_CommRef reference,
                                            int rank, uint64_t event);

// Its members, and the rank in it of a rank of the job; -1: it is none of them.
int otf2_members(const struct otf2_communicator *communicator);
int otf2_member(const struct otf2_communicator *communicator, int rank);

// Its number in the recording, which gets it when it is used first. Communicators without a common
// member may have one number, as those of one MPI_Comm_split.
int otf2_number(struct otf2_archive *archive, struct otf2_communicator *communicator);

// ---- Collectives ----

// One member's record of a collective.
struct otf2_sum {
    OTF2_CollectiveOp operation;
    uint32_t root;
    uint64_t sent, received;
};

// A collective of a rank, whose record is event `event`.
struct otf2_collective {
    int rank;
    uint64_t event;
    OTF2_CommRef communicator;
    struct otf2_sum sum;
    const GArray *to_each, *from_each; // int64_t: bytes by member; empty: not recorded
};

// Parameters of MPI_Alltoallv's region, one per member: netsim's recorder writes them, as the sums
// do not have the bytes of each pair.
#define OTF2_TO_EACH "bytes to each"
#define OTF2_FROM_EACH "bytes from each"

// Whether the others' sums are needed to know a collective of that operation.
bool otf2_needs_sums(OTF2_CollectiveOp operation);

// Keeps the sums. Those of a rank come one after the other.
bool otf2_keep_sums(struct otf2_archive *archive, const struct otf2_collective *collective);

// Sets code, communicator, sizes and root of a call. `place`: how many collectives of those that
// need sums the rank called on the communicator before. `blocks` (int64_t) is memory for lists.
// False: an error was added.
bool otf2_collective_call(struct otf2_archive *archive, const struct otf2_collective *collective,
                          guint place, GArray *blocks, struct recorded_call *call);

// ---- Calls ----

// Reads the events of a rank: calls go to the builder. False: an error was added.
bool otf2_read_calls(struct otf2_archive *archive, int rank);

// Reads the events of a location with these callbacks, of which one may interrupt that. `rank` and
// *event are for messages: whose location it is, and the last event that the callbacks noted.
// False: the archive could not be read, and an error was added.
bool otf2_read_events(struct otf2_archive *archive, OTF2_LocationRef location,
                      OTF2_EvtReaderCallbacks *callbacks, void *owner, int rank,
                      const uint64_t *event);

#endif
