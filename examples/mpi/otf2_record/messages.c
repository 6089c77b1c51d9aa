// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and requests.
#include "otf2_record.h"

#include <stdlib.h>
#include <string.h>

// ---- Messages ----

static void sent(int to, MPI_Comm comm, int tag, uint64_t bytes)
{
    if (!here.events || to == MPI_PROC_NULL)
        return;
    OTF2_EvtWriter_MpiSend(here.events, NULL, now(), (uint32_t)to, number_of(comm), (uint32_t)tag,
                           bytes);
    here.count++;
}

static uint64_t bytes_received(const MPI_Status *status)
{
    int bytes;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    return (uint64_t)bytes;
}

static void received(const MPI_Status *status, MPI_Comm comm)
{
    if (!here.events || status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    OTF2_EvtWriter_MpiRecv(here.events, NULL, now(), (uint32_t)status->MPI_SOURCE, number_of(comm),
                           (uint32_t)status->MPI_TAG, bytes_received(status));
    here.count++;
}

#define SEND(name)                                                                                 \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag,              \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        enter(REGION_##name);                                                                      \
        sent(to, comm, tag, bytes_of(count, type));                                                \
        return leave(REGION_##name, PMPI_##name(buffer, count, type, to, tag, comm));              \
    }

SEND(Send)
SEND(Ssend)
SEND(Rsend)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    enter(REGION_Recv);
    int result = PMPI_Recv(buffer, count, type, from, tag, comm, known);
    received(known, comm);
    return leave(REGION_Recv, result);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    enter(REGION_Sendrecv);
    sent(to, comm, out_tag, bytes_of(out_count, out_type));
    int result = PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                               in_tag, comm, known);
    received(known, comm);
    return leave(REGION_Sendrecv, result);
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    enter(REGION_Probe);
    return leave(REGION_Probe, PMPI_Probe(from, tag, comm, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    enter(REGION_Iprobe);
    return leave(REGION_Iprobe, PMPI_Iprobe(from, tag, comm, flag, status));
}

// ---- Requests ----

static uint64_t start(MPI_Request handle, bool receives, MPI_Comm comm)
{
    if (here.open_count == here.open_room) {
        here.open_room = here.open_room ? 2 * here.open_room : 64;
        here.open = realloc(here.open, (size_t)here.open_room * sizeof *here.open);
    }
    here.open[here.open_count++] = (struct open_request){handle, here.requests, receives, comm};
    return here.requests++;
}

#define ISEND(name)                                                                                \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag,              \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        enter(REGION_##name);                                                                      \
        int result = PMPI_##name(buffer, count, type, to, tag, comm, request);                     \
        if (here.events && to != MPI_PROC_NULL) {                                                  \
            OTF2_EvtWriter_MpiIsend(here.events, NULL, now(), (uint32_t)to, number_of(comm),       \
                                    (uint32_t)tag, bytes_of(count, type),                          \
                                    start(*request, false, comm));                                 \
            here.count++;                                                                          \
        }                                                                                          \
        return leave(REGION_##name, result);                                                       \
    }

ISEND(Isend)
ISEND(Issend)

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    enter(REGION_Irecv);
    int result = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    if (here.events && from != MPI_PROC_NULL) {
        OTF2_EvtWriter_MpiIrecvRequest(here.events, NULL, now(), start(*request, true, comm));
        here.count++;
    }
    return leave(REGION_Irecv, result);
}

static struct open_request *find(MPI_Request handle)
{
    for (int i = 0; handle != MPI_REQUEST_NULL && i < here.open_count; i++)
        if (here.open[i].handle == handle)
            return &here.open[i];
    return NULL;
}

static void ended(MPI_Request handle, const MPI_Status *status)
{
    struct open_request *request = find(handle);
    if (!here.events || !request)
        return;
    if (request->receives)
        OTF2_EvtWriter_MpiIrecv(here.events, NULL, now(), (uint32_t)status->MPI_SOURCE,
                                number_of(request->comm), (uint32_t)status->MPI_TAG,
                                bytes_received(status), request->number);
    else
        OTF2_EvtWriter_MpiIsendComplete(here.events, NULL, now(), request->number);
    here.count++;
    *request = here.open[--here.open_count];
}

static void tested(MPI_Request handle)
{
    const struct open_request *request = find(handle);
    if (!here.events || !request)
        return;
    OTF2_EvtWriter_MpiRequestTest(here.events, NULL, now(), request->number);
    here.count++;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    enter(REGION_Wait);
    int result = PMPI_Wait(request, known);
    ended(handle, known);
    return leave(REGION_Wait, result);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own, *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    enter(REGION_Test);
    int result = PMPI_Test(request, flag, known);
    if (*flag)
        ended(handle, known);
    else
        tested(handle);
    return leave(REGION_Test, result);
}

// Copies of the handles and room for statuses, until the next such call.
static MPI_Request *copies(int count, const MPI_Request *requests, MPI_Status **statuses)
{
    static MPI_Request *handles;
    static MPI_Status *room;
    handles = realloc(handles, (size_t)(count + 1) * sizeof *handles);
    room = realloc(room, (size_t)(count + 1) * sizeof *room);
    memcpy(handles, requests, (size_t)count * sizeof *handles);
    if (*statuses == MPI_STATUSES_IGNORE)
        *statuses = room;
    return handles;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    MPI_Request *handles = copies(count, requests, &statuses);
    enter(REGION_Waitall);
    int result = PMPI_Waitall(count, requests, statuses);
    for (int i = 0; i < count; i++)
        ended(handles[i], &statuses[i]);
    return leave(REGION_Waitall, result);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    MPI_Request *handles = copies(count, requests, &statuses);
    enter(REGION_Testall);
    int result = PMPI_Testall(count, requests, flag, statuses);
    for (int i = 0; i < count; i++)
        if (*flag)
            ended(handles[i], &statuses[i]);
        else
            tested(handles[i]);
    return leave(REGION_Testall, result);
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    MPI_Status *none = MPI_STATUSES_IGNORE, own;
    MPI_Status *known = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request *handles = copies(count, requests, &none);
    enter(REGION_Waitany);
    int result = PMPI_Waitany(count, requests, index, known);
    if (*index != MPI_UNDEFINED)
        ended(handles[*index], known);
    return leave(REGION_Waitany, result);
}

int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    MPI_Request *handles = copies(count, requests, &statuses);
    enter(REGION_Waitsome);
    int result = PMPI_Waitsome(count, requests, done, indices, statuses);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++)
        ended(handles[indices[i]], &statuses[i]);
    return leave(REGION_Waitsome, result);
}
