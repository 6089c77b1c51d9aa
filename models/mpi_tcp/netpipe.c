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

const struct param_table netpipe_table = PARAM_TABLE(
    struct netpipe_config, netpipe_params, .name = "netpipe", .doc = "NetPIPE on sockets");

// A stream has no empty messages: one byte represents such a message.
#define STAND_IN_BYTES 1

static int64_t stream_bytes(const struct mpi_request *request)
{
    return request->size > 0 ? request->size : STAND_IN_BYTES;
}

static bool post(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken)
{
    struct mesh_item *item =
        mesh_item_new(&mesh_of(request->process)->links[request->peer], request, 0);
    (void)context, (void)offset;
    if (request->size > 0)
        mesh_item_data(item, request->size, request->message, 0);
    else
        mesh_item_stand_in(item, STAND_IN_BYTES, request->message);
    mesh_queue(item, request->number);
    *taken = request->size;
    return true;
}

static bool send_on(struct cpu_context *context, struct mesh_link *link)
{
    struct mesh_item *done = NULL;
    if (!inet_block(context, tcp_socket_inet(link->socket), INET_WRITABLE))
        return false;
    switch (mesh_write(context, link, &done)) {
    case MESH_WHOLE:
        mpi_bare_sent(context, done->request, done->request->size);
        mesh_item_free(done);
        break;
    case MESH_CLOSED:
        mesh_lost(link);
        break;
    case MESH_EMPTY:
    case MESH_PART:
        break;
    }
    return true;
}

static bool receive_on(struct cpu_context *context, struct mesh_link *link,
                       struct mpi_request *request)
{
    const struct mesh_reader *reader = mesh_reader(link);
    if (reader->in_header)
        mesh_expect(link, stream_bytes(request));
    if (!inet_block(context, tcp_socket_inet(link->socket), INET_READABLE))
        return false;
    enum mesh_progress progress = mesh_read(context, link);
    if (reader->got > 0)
        mpi_bare_begin(request, reader->message, request->size);
    if (progress == MESH_CLOSED)
        mesh_lost(link);
    if (progress != MESH_WHOLE)
        return true;
    ledger_deliver(request->process->sim->ledger, request->message, 0, request->size);
    mesh_expect_header(link);
    mpi_bare_received(context, request, request->size);
    return true;
}

// The oldest request goes on; read and write put the process to sleep themselves.
static bool poll(struct cpu_context *context, struct mpi_process *process)
{
    const struct netpipe_process *netpipe = process->device;
    struct mpi_request *oldest = mpi_bare_oldest(process);
    if (!oldest)
        return false;
    struct mesh_link *link = &mesh_of(process)->links[oldest->peer];
    cpu_spend(context, netpipe->config->call, &netpipe_stage);
    return oldest->kind == REQUEST_SEND ? send_on(context, link)
                                        : receive_on(context, link, oldest);
}

static const struct mpi_bare_ops bare = {
    .provider = "bare TCP",
    .state = offsetof(struct netpipe_process, bare),
    .post = post,
    .poll = poll,
};

static const struct machine_state netpipe_states[] =
    BARE_STATES_WITH_ROOM("room in the socket", WAIT_BUFFER, "its bytes");

static const struct machine_kind netpipe_machine = BARE_MACHINE("bare TCP", netpipe_states);

const struct mpi_device_ops netpipe_ops = {
    .name = "TCP",
    BARE_DEVICE(&bare, &netpipe_machine),
    .startup = mesh_startup,
    .finalize = mesh_finalize,
};
