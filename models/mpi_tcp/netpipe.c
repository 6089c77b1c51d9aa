// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/netpipe.h"

static const struct stage netpipe_stage = {"NetPIPE", STAGE_LIBRARY};

#define N struct netpipe_config

static const struct param netpipe_params[] = {
    PARAM(N, send_buffer, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
          .doc = "SO_SNDBUF; 0: the system's", .source = "NetPIPE: -b is not given"),
    PARAM(N, receive_buffer, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
          .doc = "SO_RCVBUF; 0: the system's", .source = "NetPIPE: -b is not given"),
    PARAM(N, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",
          .source = "NetPIPE, TCP module"),
    PARAM(N, call, PARAM_COST, .fallback = "100 cycles",
          .doc = "a turn of the loop around read or write", .source = "prior: instructions"),
    {0},
};

const struct param_table netpipe_table = {
    .name = "netpipe",
    .doc = "NetPIPE on sockets",
    .size = sizeof(struct netpipe_config),
    .params = netpipe_params,
};

static struct netpipe_process *netpipe_of(const struct mpi_process *process)
{
    return process->device;
}

// A stream has no messages of no bytes: one byte stands for such a one.
#define STAND_IN_BYTES 1

static int64_t stream_bytes(const struct mpi_request *request)
{
    return request->size > 0 ? request->size : STAND_IN_BYTES;
}

static void start(struct cpu_context *context, struct mpi_request *request)
{
    struct netpipe_process *netpipe = netpipe_of(request->process);
    (void)context;
    request->waits_for = request->kind == MPI_SEND ? "room in the socket" : "its bytes";
    if (request->kind != MPI_SEND)
        return;
    struct mesh_item *item = mesh_item_new(&netpipe->mesh.links[request->peer], request, 0);
    if (request->size > 0)
        mesh_item_data(item, request->size, request->message, 0);
    else
        mesh_item_stand_in(item, STAND_IN_BYTES, request->message);
    mesh_queue(item, request->number);
}

static enum mpi_progress send_on(struct cpu_context *context, struct mesh_link *link)
{
    struct mesh_item *done = NULL;
    if (!inet_wait(context, tcp_socket_inet(link->socket), INET_WRITABLE))
        return MPI_PROGRESS_BLOCKED;
    switch (mesh_write(context, link, &done)) {
    case MESH_WHOLE:
        mpi_request_done(context, done->request);
        mesh_item_free(done);
        break;
    case MESH_CLOSED:
        mesh_lost(link);
        break;
    case MESH_EMPTY:
    case MESH_PART:
        break;
    }
    return MPI_PROGRESS_EVENT;
}

static void receive_part(struct netpipe_process *netpipe, struct mpi_request *request,
                         const struct mesh_link *link)
{
    struct mpi_envelope envelope = {.source = link->rank, .length = request->size};
    if (netpipe->under_way || link->got == 0)
        return;
    netpipe->under_way = request;
    mpi_request_match(request, &envelope, link->message);
}

static enum mpi_progress receive_on(struct cpu_context *context, struct netpipe_process *netpipe,
                                    struct mpi_request *request)
{
    struct mesh_link *link = &netpipe->mesh.links[request->peer];
    if (link->in_header)
        mesh_expect(link, stream_bytes(request));
    if (!inet_wait(context, tcp_socket_inet(link->socket), INET_READABLE))
        return MPI_PROGRESS_BLOCKED;
    enum mesh_progress progress = mesh_read(context, link);
    receive_part(netpipe, request, link);
    if (progress == MESH_CLOSED)
        mesh_lost(link);
    if (progress != MESH_WHOLE)
        return MPI_PROGRESS_EVENT;
    netpipe->under_way = NULL;
    ledger_deliver(request->process->sim->ledger, request->message, 0, request->size);
    mesh_expect_header(link);
    mpi_request_done(context, request);
    return MPI_PROGRESS_EVENT;
}

// The oldest request goes on; the program starts none before the last one is done.
static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct netpipe_process *netpipe = netpipe_of(process);
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *at = process->active; at; at = at->active_next)
        oldest = at;
    if (!oldest || !blocking)
        return MPI_PROGRESS_NOTHING;
    cpu_spend(context, netpipe->config->call, &netpipe_stage);
    if (oldest->kind == MPI_SEND)
        return send_on(context, &netpipe->mesh.links[oldest->peer]);
    return receive_on(context, netpipe, oldest);
}

const struct mpi_device_ops netpipe_ops = {
    .name = "TCP",
    .request_size = sizeof(int),
    .startup = mesh_startup,
    .finalize = mesh_finalize,
    .start = start,
    .advance = advance,
};
