// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of MPI, by name.
#include "sim/recording/otf2.h"

#include <string.h>

#define BUFFERED "the archive does not say how much memory was attached"
#define NOT_WHAT "the archive does not say for which message it looks"
#define REGIONS_AHEAD "collectives that do not block cannot be replayed"
#define SIDES "collectives among neighbours cannot be replayed"
#define REGION_ONE_SIDED "one-sided calls cannot be replayed"
#define FILES "files cannot be replayed"
#define PARTS "messages in parts cannot be replayed"
#define OTHERS "other programs' processes cannot be replayed"

// Names that end with '*' are of all that begin so. The first one that fits counts.
static const struct otf2_region regions[] = {
    {"MPI_Init", OTF2_KIND_INIT, OP_LOOP, NULL},
    {"MPI_Init_thread", OTF2_KIND_INIT, OP_LOOP, NULL},
    {"MPI_Finalize", OTF2_KIND_FINALIZE, OP_LOOP, NULL},
    {"MPI_Send", OTF2_KIND_SEND, OP_SEND, NULL},
    {"MPI_Ssend", OTF2_KIND_SEND, OP_SSEND, NULL},
    {"MPI_Rsend", OTF2_KIND_SEND, OP_RSEND, NULL},
    {"MPI_Bsend", OTF2_KIND_REFUSED, OP_BSEND, BUFFERED},
    {"MPI_Recv", OTF2_KIND_RECV, OP_RECV, NULL},
    {"MPI_Isend", OTF2_KIND_ISEND, OP_ISEND, NULL},
    {"MPI_Issend", OTF2_KIND_ISEND, OP_ISSEND, NULL},
    {"MPI_Irsend", OTF2_KIND_ISEND, OP_IRSEND, NULL},
    {"MPI_Ibsend", OTF2_KIND_REFUSED, OP_IBSEND, BUFFERED},
    {"MPI_Irecv", OTF2_KIND_IRECV, OP_IRECV, NULL},
    {"MPI_Start", OTF2_KIND_START, OP_ISEND, NULL},
    {"MPI_Startall", OTF2_KIND_START, OP_ISEND, NULL},
    {"MPI_Send_init", OTF2_KIND_LOCAL, OP_SEND_INIT, NULL},
    {"MPI_Recv_init", OTF2_KIND_LOCAL, OP_RECV_INIT, NULL},
    {"MPI_Ssend_init", OTF2_KIND_LOCAL, OP_SSEND_INIT, NULL},
    {"MPI_Rsend_init", OTF2_KIND_LOCAL, OP_RSEND_INIT, NULL},
    {"MPI_Bsend_init", OTF2_KIND_REFUSED, OP_BSEND_INIT, BUFFERED},
    {"MPI_Sendrecv", OTF2_KIND_SENDRECV, OP_SENDRECV, NULL},
    {"MPI_Sendrecv_replace", OTF2_KIND_SENDRECV, OP_SENDRECV_REPLACE, NULL},
    {"MPI_Wait", OTF2_KIND_WAIT, OP_WAIT, NULL},
    {"MPI_Waitall", OTF2_KIND_WAIT, OP_WAITALL, NULL},
    {"MPI_Waitany", OTF2_KIND_WAIT, OP_WAITANY, NULL},
    {"MPI_Waitsome", OTF2_KIND_WAIT, OP_WAITSOME, NULL},
    {"MPI_Test", OTF2_KIND_WAIT, OP_TEST, NULL},
    {"MPI_Testall", OTF2_KIND_WAIT, OP_TESTALL, NULL},
    {"MPI_Testany", OTF2_KIND_WAIT, OP_TESTANY, NULL},
    {"MPI_Testsome", OTF2_KIND_WAIT, OP_TESTSOME, NULL},
    {"MPI_Request_get_status", OTF2_KIND_WAIT, OP_TEST, NULL},
    {"MPI_Test_cancelled", OTF2_KIND_LOCAL, OP_LOOP, NULL},
    {"MPI_Iprobe", OTF2_KIND_LOCAL, OP_IPROBE, NULL},
    {"MPI_Probe", OTF2_KIND_REFUSED, OP_PROBE, NOT_WHAT},
    {"MPI_Mprobe", OTF2_KIND_REFUSED, OP_PROBE, NOT_WHAT},
    {"MPI_Improbe", OTF2_KIND_REFUSED, OP_IPROBE, NOT_WHAT},
    {"MPI_Mrecv", OTF2_KIND_REFUSED, OP_RECV, NOT_WHAT},
    {"MPI_Imrecv", OTF2_KIND_REFUSED, OP_IRECV, NOT_WHAT},
    {"MPI_Barrier", OTF2_KIND_COLLECTIVE, OP_BARRIER, NULL},
    {"MPI_Bcast", OTF2_KIND_COLLECTIVE, OP_BCAST, NULL},
    {"MPI_Reduce", OTF2_KIND_COLLECTIVE, OP_REDUCE, NULL},
    {"MPI_Allreduce", OTF2_KIND_COLLECTIVE, OP_ALLREDUCE, NULL},
    {"MPI_Gather", OTF2_KIND_COLLECTIVE, OP_GATHER, NULL},
    {"MPI_Scatter", OTF2_KIND_COLLECTIVE, OP_SCATTER, NULL},
    {"MPI_Allgather", OTF2_KIND_COLLECTIVE, OP_ALLGATHER, NULL},
    {"MPI_Alltoall", OTF2_KIND_COLLECTIVE, OP_ALLTOALL, NULL},
    {"MPI_Reduce_scatter", OTF2_KIND_COLLECTIVE, OP_REDUCE_SCATTER, NULL},
    {"MPI_Reduce_scatter_block", OTF2_KIND_COLLECTIVE, OP_REDUCE_SCATTER, NULL},
    {"MPI_Scan", OTF2_KIND_COLLECTIVE, OP_SCAN, NULL},
    {"MPI_Exscan", OTF2_KIND_COLLECTIVE, OP_EXSCAN, NULL},
    {"MPI_Gatherv", OTF2_KIND_COLLECTIVE, OP_GATHERV, NULL},
    {"MPI_Scatterv", OTF2_KIND_COLLECTIVE, OP_SCATTERV, NULL},
    {"MPI_Allgatherv", OTF2_KIND_COLLECTIVE, OP_ALLGATHERV, NULL},
    {"MPI_Alltoallv", OTF2_KIND_COLLECTIVE, OP_ALLTOALLV, NULL},
    {"MPI_Alltoallw", OTF2_KIND_COLLECTIVE, OP_ALLTOALLV, NULL},
    {"MPI_Ibarrier", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Ibcast", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Ireduce*", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Iall*", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Igather*", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Iscatter*", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Iscan", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Iexscan", OTF2_KIND_REFUSED, OP_LOOP, REGIONS_AHEAD},
    {"MPI_Comm_spawn*", OTF2_KIND_REFUSED, OP_LOOP, OTHERS},
    {"MPI_Comm_accept", OTF2_KIND_REFUSED, OP_LOOP, OTHERS},
    {"MPI_Comm_connect", OTF2_KIND_REFUSED, OP_LOOP, OTHERS},
    {"MPI_Comm_join", OTF2_KIND_REFUSED, OP_LOOP, OTHERS},
    {"MPI_Neighbor_*", OTF2_KIND_REFUSED, OP_LOOP, SIDES},
    {"MPI_Ineighbor_*", OTF2_KIND_REFUSED, OP_LOOP, SIDES},
    {"MPI_Win_*", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Put", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Get", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Accumulate", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Get_accumulate", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Fetch_and_op", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Compare_and_swap", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Rput", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Rget*", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_Raccumulate", OTF2_KIND_REFUSED, OP_LOOP, REGION_ONE_SIDED},
    {"MPI_File_*", OTF2_KIND_REFUSED, OP_LOOP, FILES},
    {"MPI_Register_datarep", OTF2_KIND_REFUSED, OP_LOOP, FILES},
    {"MPI_Psend_init", OTF2_KIND_REFUSED, OP_LOOP, PARTS},
    {"MPI_Precv_init", OTF2_KIND_REFUSED, OP_LOOP, PARTS},
    {"MPI_Pready*", OTF2_KIND_REFUSED, OP_LOOP, PARTS},
    {"MPI_Parrived", OTF2_KIND_REFUSED, OP_LOOP, PARTS},
    {"MPI_Isendrecv*", OTF2_KIND_REFUSED, OP_LOOP, "it has no operation"},
    {"MPI_Abort", OTF2_KIND_REFUSED, OP_LOOP, "the program was aborted"},
    {"MPI_*_init", OTF2_KIND_REFUSED, OP_LOOP, "persistent collectives cannot be replayed"},
    {"MPI_*", OTF2_KIND_LOCAL, OP_LOOP, NULL},
    {NULL, OTF2_KIND_OUTSIDE, OP_LOOP, NULL},
};

static bool fits(const char *pattern, const char *name)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(pattern, name) == 0;
    return strncmp(pattern, name, (size_t)(star - pattern)) == 0 &&
           g_str_has_suffix(name, star + 1);
}

const struct otf2_region *otf2_region_named(const char *name)
{
    const struct otf2_region *region = regions;
    while (region->name && !fits(region->name, name))
        region++;
    return region;
}
