// SPDX-License-Identifier: GPL-3.0-or-later
// Get at the client (thesis 001, chapter 4).
//
// Sequential: for each piece a request is made (PackREQ) and sent (XMIT), the data server packs the
// piece (COPYSD) and writes it into the client's buffer (XMITD), and notifies the client when its
// send is acknowledged; the client unpacks it (COPYC) and asks for the next.
//
// Split at the server (4.2, design 1): one request for all; the server cuts, and client and server
// alternate between their buffers. A flag after the data announces them; a flag that the
// client writes into the server's memory announces a free buffer.
//
// Packing at the client (4.3, design 2, not chosen): one request with a descriptor of each piece;
// messages, each of which interrupts a data server, stand for the flags.
//
// Direct (4.1): contiguous data go straight into the user's memory, which is registered while the
// request is under way; if it can't be, or the data are not contiguous, they are fetched
// sequentially.
#include "models/armci/client.h"
#include "models/armci/server.h"

static const struct wait last_data = {"the last of the data", WAIT_OTHER};

const struct armci_get_variant armci_get_variants[] = {
    [ARMCI_GET_SEQUENTIAL] = {.name = "sequential",
                              .each_piece = true,
                              .arrival = ARMCI_NOTICE_MESSAGE},
    [ARMCI_GET_SERVER_SPLIT] = {.name = "server_split",
                                .arrival = ARMCI_NOTICE_FLAG,
                                .availability = ARMCI_NOTICE_FLAG},
    [ARMCI_GET_CLIENT_PACKING] = {.name = "client_packing",
                                  .packing_sent = true,
                                  .arrival = ARMCI_NOTICE_MESSAGE,
                                  .availability = ARMCI_NOTICE_MESSAGE},
    [ARMCI_GET_DIRECT] = {.name = "direct", .direct = true, .arrival = ARMCI_NOTICE_FLAG},
};

static enum armci_step get_shared(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    const struct data_layout *layout = armci_layout_of(request);
    struct ledger *ledger = client->process->sim->ledger;
    struct armci_piece all = {0, request->size, request->size ? data_layout_blocks(layout) : 0};
    armci_enter(context, request, ARMCI_SHARED, "%" G_GINT64_FORMAT " B", request->size);
    struct copy_reuse reuse = {2 * request->size, 2 * request->size};
    armci_copy(context, client->process->host, &all, reuse, client->config->block,
               request->message);
    ledger_match(ledger, request->message);
    ledger_deliver(ledger, request->message, 0, request->size);
    ledger_complete(ledger, request->message);
    return ARMCI_ENDS;
}

// ---- Asking ----

// Makes a request: for the next piece, or for all.
static enum armci_step pack_request(struct cpu_context *context, struct armci_client *client,
                                    struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct armci_config *config = client->config;
    int64_t pieces = r->get->packing_sent ? r->count : 1;
    if (r->get->each_piece)
        armci_pieces_next(&r->pieces, &r->piece);
    else
        r->piece = (struct armci_piece){0, request->size, 0};
    cpu_spend_message(context,
                      cpu_cost(context->cpu, config->request) +
                          time_times(pieces, cpu_cost(context->cpu, config->piece)),
                      &armci_stage, request->message);
    armci_enter(context, request, ARMCI_PACKREQ, "%" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT,
                r->piece.bytes, r->piece.offset);
    return ARMCI_GOES_ON;
}

static struct armci_message *get_message(struct armci_client *client, struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct data_layout *layout = armci_layout_of(request);
    int64_t descriptors = armci_layout_descriptor(layout) * (r->get->packing_sent ? r->count : 1);
    struct armci_message *message = armci_message_new(client, ARMCI_GET, request, descriptors);
    message->get = r->get;
    message->layout = layout;
    message->limit = r->limit;
    message->piece = r->piece;
    message->client_address = r->get->direct ? request->address : client->get_address;
    return message;
}

static enum armci_step get_send_request(struct cpu_context *context, struct armci_client *client,
                                        struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (!armci_may_send(client))
        return ARMCI_WAITS;
    armci_enter(context, request, ARMCI_REQUEST, NULL);
    armci_send(context, client, get_message(client, request), NULL);
    if (r->get->direct) {
        armci_enter(context, request, ARMCI_REGISTERING, NULL);
        r->registered_here =
            gm_register_memory(context, client->port, request->address, request->size);
    }
    return ARMCI_GOES_ON;
}

static enum armci_step get_by(struct cpu_context *context, struct armci_client *client,
                              struct mpi_request *request, int variant)
{
    struct armci_request *r = armci_request_of(request);
    const struct data_layout *layout = armci_layout_of(request);
    r->get = &armci_get_variants[variant];
    r->limit = r->get->each_piece || r->get->direct
                   ? client->config->buffer
                   : armci_get_limit(client->config, request->size);
    r->count = armci_pieces_count(layout, request->size, r->limit);
    r->fetched = r->announced = r->to_announce = 0;
    armci_pieces_init(&r->pieces, layout, request->size, r->limit);
    for (int64_t slot = 0; slot < client->config->get_buffers; slot++)
        client->arrived[slot].kind = ARMCI_FLAG_NONE;
    client->answer.kind = ARMCI_FLAG_NONE;
    return pack_request(context, client, request);
}

static enum armci_step get_start(struct cpu_context *context, struct armci_client *client,
                                 struct mpi_request *request)
{
    int variant = client->config->get;
    if (armci_same_node(client, request->peer))
        return get_shared(context, client, request);
    if (armci_get_variants[variant].direct &&
        (request->size == 0 || !armci_layout_contiguous(armci_layout_of(request))))
        variant = ARMCI_GET_SEQUENTIAL;
    return get_by(context, client, request, variant);
}

// ---- Fetching ----

// Announces that a buffer is free.
static void announce(struct cpu_context *context, struct armci_client *client,
                     struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    r->to_announce--;
    r->announced++;
    mpi_trace(context, request, "COPYC", "XMT", "a buffer is free");
    if (r->get->availability == ARMCI_NOTICE_FLAG) {
        struct armci_flag flag = {
            .kind = ARMCI_FLAG_READY,
            .client = client->process->rank,
            .number = request->number,
            .value = r->announced,
        };
        armci_write_flag(context, client, request->peer, &flag);
        return;
    }
    struct armci_message *message = armci_message_new(client, ARMCI_AVAILABLE, request, 0);
    message->message = MESSAGE_NONE;
    armci_send(context, client, message, NULL);
}

static enum armci_step get_copy_piece(struct cpu_context *context, struct armci_client *client,
                                      struct mpi_request *request, struct armci_flag *arrived)
{
    struct armci_request *r = armci_request_of(request);
    struct ledger *ledger = client->process->sim->ledger;
    struct armci_piece piece = arrived->piece;
    int64_t buffers = r->get->each_piece ? 1 : client->config->get_buffers;
    if (r->get->arrival == ARMCI_NOTICE_MESSAGE)
        g_assert(client->landed[arrived->slot] == piece.bytes);
    client->landed[arrived->slot] = -1;
    arrived->kind = ARMCI_FLAG_NONE;
    mpi_trace(context, request, "XMIT", "RECVD", NULL);
    armci_enter(context, request, ARMCI_COPYC,
                "buffer %d: %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT, arrived->slot + 1,
                piece.bytes, piece.offset);
    struct copy_reuse reuse = {
        .source = COPY_NEVER, // the card wrote it
        .destination = armci_user_reuse(request->size, buffers, r->limit),
    };
    armci_copy(context, client->process->host, &piece, reuse, client->config->block,
               request->message);
    if (r->fetched == 0)
        ledger_match(ledger, request->message);
    ledger_deliver(ledger, request->message, piece.offset, piece.bytes);
    r->fetched++;
    if (r->fetched == r->count) {
        ledger_complete(ledger, request->message);
        return ARMCI_ENDS;
    }
    if (r->get->each_piece)
        return pack_request(context, client, request);
    r->to_announce += r->fetched - 1 + buffers < r->count;
    return ARMCI_GOES_ON;
}

static enum armci_step fetch(struct cpu_context *context, struct armci_client *client,
                             struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    int64_t slot = r->get->each_piece ? 0 : r->fetched % client->config->get_buffers;
    if (r->to_announce > 0 && armci_may_send(client)) {
        announce(context, client, request);
        return ARMCI_GOES_ON;
    }
    if (client->arrived[slot].kind == ARMCI_FLAG_NONE)
        return ARMCI_WAITS;
    return get_copy_piece(context, client, request, &client->arrived[slot]);
}

// ---- Direct ----

// Notifies the server whether it may write.
static enum armci_step get_registered(struct cpu_context *context, struct armci_client *client,
                                      struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (!armci_may_send(client))
        return ARMCI_WAITS;
    struct armci_flag flag = {
        .kind = r->registered_here ? ARMCI_FLAG_REGISTERED : ARMCI_FLAG_REFUSED,
        .client = client->process->rank,
        .number = request->number,
    };
    armci_write_flag(context, client, request->peer, &flag);
    if (!r->registered_here)
        return get_by(context, client, request, ARMCI_GET_SEQUENTIAL);
    armci_enter(context, request, ARMCI_DIRECT, NULL);
    return ARMCI_GOES_ON;
}

static enum armci_step direct(struct cpu_context *context, struct armci_client *client,
                              struct mpi_request *request)
{
    struct ledger *ledger = client->process->sim->ledger;
    request->waits_for = &last_data;
    if (client->answer.kind == ARMCI_FLAG_NONE)
        return ARMCI_WAITS;
    gm_deregister_memory(context, client->port, request->address, request->size);
    ledger_match(ledger, request->message);
    ledger_complete(ledger, request->message);
    return ARMCI_ENDS;
}

enum armci_step armci_get_step(struct cpu_context *context, struct armci_client *client,
                               struct mpi_request *request)
{
    switch ((enum armci_state)request->machine.state) {
    case ARMCI_START:
        return get_start(context, client, request);
    case ARMCI_PACKREQ:
        return get_send_request(context, client, request);
    case ARMCI_REQUEST:
    case ARMCI_COPYC:
        return fetch(context, client, request);
    case ARMCI_REGISTERING:
        return get_registered(context, client, request);
    case ARMCI_DIRECT:
        return direct(context, client, request);
    case ARMCI_QUEUED:
    case ARMCI_BUFFER:
    case ARMCI_COPYS:
    case ARMCI_XMIT:
    case ARMCI_ACKS:
    case ARMCI_SHARED:
    case ARMCI_DONE:
        break;
    }
    g_assert_not_reached();
}
