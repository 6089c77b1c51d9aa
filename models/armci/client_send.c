// SPDX-License-Identifier: GPL-3.0-or-later
// A client's sends through GM: requests to data servers, flags that it writes there, and data
// that go straight from user memory to user memory. Each takes ARMCI's send token, which the send's
// callback frees.
#include "models/armci/client.h"
#include "models/armci/operations.h"
#include "models/armci/server.h"

// ---- The token ----

bool armci_may_send(const struct armci_client *client)
{
    return client->sends_out < client->config->send_tokens && gm_send_tokens(client->port) > 0;
}

static void count_send(struct armci_client *client)
{
    client->sends_out++;
    ++*client->sends;
    *client->most_out = MAX(*client->most_out, client->sends_out);
}

// The send's context record names the buffer that is free again.
static void acknowledged(struct cpu_context *context, struct armci_client *client,
                         struct armci_slot *slot)
{
    cpu_trace_event(context,
                    (struct machine_owner){.where = client->process->name,
                                           .subject = slot ? slot->number : 0,
                                           .machine = "ARMCI context"},
                    "sending", "ACK", NULL);
    client->sends_out--;
    if (slot)
        armci_buffers_acknowledge(slot);
}

static void check_client_send(const struct armci_client *client, enum gm_status status)
{
    static const char *const reasons[] = {"", "no acknowledgement in time", "it was rejected",
                                          "the port is closed"};
    if (status == GM_SUCCESS)
        return;
    mpi_fail(client->process, "send_failed", NULL, ": GM gave up a message of ARMCI's: %s",
             reasons[status]);
}

static void sent_slot(struct cpu_context *context, struct gm_port *port, void *callback_context,
                      enum gm_status status)
{
    struct armci_slot *slot = callback_context;
    (void)port;
    struct armci_client *client = container_of(slot->buffers, struct armci_client, buffers);
    check_client_send(client, status);
    acknowledged(context, client, slot);
}

static void sent_small(struct cpu_context *context, struct gm_port *port, void *callback_context,
                       enum gm_status status)
{
    struct armci_client *client = callback_context;
    (void)port;
    check_client_send(client, status);
    acknowledged(context, client, NULL);
}

// ---- Requests ----

// True if the server answers into the client's memory, which the request then describes.
static bool request_answered(enum armci_kind kind)
{
    switch (kind) {
    case ARMCI_GET:
    case ARMCI_FETCH_ADD:
    case ARMCI_LOCK:
    case ARMCI_FENCE:
    case ARMCI_REGISTER:
        return true;
    case ARMCI_PUT:
    case ARMCI_ACCUMULATE:
    case ARMCI_UNLOCK:
    case ARMCI_UNREGISTER:
    case ARMCI_AVAILABLE:
    case ARMCI_ARRIVED:
        break;
    }
    return false;
}

// The address of the request's data at the peer.
static int64_t remote_address(const struct mpi_request *request)
{
    bool moves = request->operation->moves != OPERATION_MOVES_NOTHING;
    const struct armci_transfer *transfer = moves ? request->arguments : NULL;
    return transfer && transfer->peer_buffer ? transfer->peer_buffer : request->address;
}

struct armci_message *armci_message_new(struct armci_client *client, enum armci_kind kind,
                                        struct mpi_request *request, int64_t descriptors)
{
    struct armci_message *message = pool_take(&client->job->messages);
    *message = (struct armci_message){
        .self = message,
        .kind = kind,
        .client = client->process->rank,
        .target = request->peer,
        .number = request->number,
        .header = client->config->header + descriptors +
                  (request_answered(kind) ? client->config->client_descriptor : 0),
        .first = true,
        .last = true,
        .message = request->message,
        .bytes = request->size,
    };
    message->remote = remote_address(request);
    return message;
}

void armci_send(struct cpu_context *context, struct armci_client *client,
                struct armci_message *message, struct armci_slot *slot)
{
    const struct armci_config *config = client->config;
    const struct armci_server *server = armci_server_of(client, message->target);
    int64_t length = message->header + (slot ? message->piece.bytes : 0);
    int64_t room = length <= config->small ? config->small : length;
    if (gm_min_size_for_length(room) > server->large.size && room > config->small) {
        mpi_fail(client->process, "request_too_long", json_pack("{s:s}", "setting", "armci.buffer"),
                 ": a request of %" G_GINT64_FORMAT
                 " B fits no receive buffer of the data server (armci.buffer)",
                 length);
        pool_give(&client->job->messages, message);
        return;
    }
    count_send(client);
    message->tag = slot ? slot->bytes : message->header;
    struct gm_message send = {
        .address = slot ? slot->address : client->request_address,
        .length = length,
        .header = message->header,
        .size = length <= config->small ? server->small.size : server->large.size,
        .target_host = server->host->index,
        .target_port = armci_server_port(server),
        .message = slot ? message->message : MESSAGE_NONE,
        .offset = slot ? message->piece.offset : 0,
        .content = message,
        .callback = slot ? sent_slot : sent_small,
        .callback_context = slot ? (void *)slot : (void *)client,
    };
    gm_send_with_callback(context, client->port, &send);
}

// ---- Flags ----

void armci_write_flag(struct cpu_context *context, struct armci_client *client, int peer,
                      const struct armci_flag *flag)
{
    const struct armci_server *server = armci_server_of(client, peer);
    count_send(client);
    struct gm_message send = {
        .address = client->flag_address,
        .length = client->config->flag,
        .header = client->config->flag,
        .target_host = server->host->index,
        .target_port = armci_server_port(server),
        .content = armci_flag_new(client->job, flag),
        .callback = sent_small,
        .callback_context = client,
    };
    gm_directed_send_with_callback(context, client->port, &send, server->answer_address);
}

// ---- Data without a request ----

// For data that need no flag: the server records them in the ledger.
static const struct armci_flag direct_data = {.kind = ARMCI_FLAG_DIRECT};

void armci_send_direct(struct cpu_context *context, struct armci_client *client,
                       struct mpi_request *request, const struct armci_piece *piece)
{
    const struct armci_server *server = armci_server_of(client, request->peer);
    int64_t remote = remote_address(request);
    count_send(client);
    struct gm_message send = {
        .address = request->address + piece->offset,
        .length = piece->bytes,
        .target_host = server->host->index,
        .target_port = armci_server_port(server),
        .message = request->message,
        .offset = piece->offset,
        .content = &direct_data,
        .callback = sent_small,
        .callback_context = client,
    };
    gm_directed_send_with_callback(context, client->port, &send,
                                   armci_server_address(server, request->peer, remote) +
                                       piece->offset);
}
