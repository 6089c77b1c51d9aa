// SPDX-License-Identifier: GPL-3.0-or-later
// Put and accumulate at the client (thesis 001, chapter 3): a piece is packed into a send buffer
// (COPYS), sent (XMIT), and acknowledged by the receiving card (ACK), before the data server copies
// it out (COPYR).
//
// Pipelined, the next piece is packed while one is under way. Two waits are in that: a buffer is
// filled again only when the flag of its context record is set, which the callback of its earlier
// send does (3.2.4); and a send takes ARMCI's one token, so that never more than one is out
// (3.2.3).
#include "models/armci/client.h"
#include "models/armci/operations.h"
#include "models/armci/server.h"

static int64_t one_buffer(const struct armci_config *config)
{
    (void)config;
    return 1;
}

static int64_t all_buffers(const struct armci_config *config)
{
    return config->send_buffers;
}

const struct armci_put_variant armci_put_variants[] = {
    {.name = "sequential", .buffers = one_buffer, .each_waits = true},
    {.name = "pipelined", .buffers = all_buffers},
    {.name = "direct", .buffers = all_buffers, .contiguous = armci_direct_step},
};

static const struct armci_put_variant *variant_of(const struct armci_client *client)
{
    return &armci_put_variants[client->config->put];
}

// ---- On the same node: the client copies in shared memory ----

static enum armci_step put_shared(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    const struct armci_config *config = client->config;
    const struct data_layout *layout = armci_layout_of(request);
    struct ledger *ledger = client->process->sim->ledger;
    struct armci_piece all = {0, request->size, request->size ? data_layout_blocks(layout) : 0};
    armci_enter(context, request, ARMCI_SHARED, "%" G_GINT64_FORMAT " B", request->size);
    struct copy_reuse reuse = {2 * request->size, 2 * request->size};
    if (armci_kind_of(request) == ARMCI_ACCUMULATE)
        armci_add(context, client->process->host, &all, reuse, config, request->message);
    else
        armci_copy(context, client->process->host, &all, reuse, config->block, request->message);
    ledger_match(ledger, request->message);
    ledger_deliver(ledger, request->message, 0, request->size);
    ledger_complete(ledger, request->message);
    return ARMCI_ENDS;
}

// ---- Through buffers ----

static int64_t shortest_segment(const struct data_layout *layout)
{
    int64_t shortest = layout->kind == DATA_VECTOR && layout->sets ? INT64_MAX : 0;
    for (int set = 0; layout->kind == DATA_VECTOR && set < layout->sets; set++)
        shortest = MIN(shortest, layout->segments[set].bytes);
    return shortest;
}

static int64_t piece_limit(const struct armci_client *client, const struct data_layout *layout,
                           int64_t bytes)
{
    const struct armci_config *config = client->config;
    int64_t limit = armci_put_limit(config, shortest_segment(layout));
    if (!config->even_out || !armci_layout_contiguous(layout))
        return limit;
    return armci_even_limit(bytes, limit, config->even_whole, config->even_rest);
}

// Bytes that describe where a piece goes.
static int64_t descriptor(const struct data_layout *layout, const struct armci_piece *piece)
{
    if (layout->kind != DATA_VECTOR)
        return armci_layout_descriptor(layout);
    struct data_segments segments = {.bytes = 1, .count = piece->blocks};
    struct data_layout part = {.kind = DATA_VECTOR, .sets = 1, .segments = &segments};
    return armci_layout_descriptor(&part);
}

static enum armci_step next_piece(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    armci_pieces_next(&r->pieces, &r->piece);
    cpu_spend_for(context, client->config->piece, &armci_stage, request->message);
    armci_enter(context, request, ARMCI_BUFFER, NULL);
    return ARMCI_GOES_ON;
}

static enum armci_step put_pieces(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct data_layout *layout = armci_layout_of(request);
    armci_pieces_init(&r->pieces, layout, request->size,
                      piece_limit(client, layout, request->size));
    return next_piece(context, client, request);
}

static enum armci_step put_copy_piece(struct cpu_context *context, struct armci_client *client,
                                      struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct armci_config *config = client->config;
    int64_t header = config->header + descriptor(armci_layout_of(request), &r->piece);
    r->slot = armci_buffers_take(&client->buffers, header + r->piece.bytes);
    if (!r->slot)
        return ARMCI_WAITS;
    armci_enter(context, request, ARMCI_COPYS,
                "buffer %d: %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT, r->slot->number,
                r->piece.bytes, r->piece.offset);
    int64_t buffers = variant_of(client)->buffers(config);
    struct copy_reuse reuse = {
        .source = armci_user_reuse(request->size, buffers, r->pieces.limit),
        .destination = armci_buffer_reuse(request->size, buffers, r->pieces.limit),
    };
    armci_copy(context, client->process->host, &r->piece, reuse, config->block, request->message);
    return ARMCI_GOES_ON;
}

static enum armci_step put_send_piece(struct cpu_context *context, struct armci_client *client,
                                      struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    const struct armci_config *config = client->config;
    if (!armci_may_send(client))
        return ARMCI_WAITS;
    cpu_spend_for(context, config->request, &armci_stage, request->message);
    struct armci_message *message = armci_message_new(
        client, armci_kind_of(request), request, descriptor(armci_layout_of(request), &r->piece));
    message->piece = r->piece;
    message->first = r->piece.offset == 0;
    message->last = r->pieces.ended;
    armci_enter(context, request, ARMCI_XMIT, "buffer %d", r->slot->number);
    armci_send(context, client, message, r->slot);
    armci_unfenced_set(client, armci_server_of(client, request->peer)->host->index, true);
    return ARMCI_GOES_ON;
}

// After a send: the next piece, or the end.
static enum armci_step after_send(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    if (variant_of(client)->each_waits && client->sends_out > 0)
        return ARMCI_WAITS;
    if (!armci_request_of(request)->pieces.ended)
        return next_piece(context, client, request);
    if (client->config->put_returns == ARMCI_RETURNS_AFTER_LAST_SEND)
        return ARMCI_ENDS;
    armci_enter(context, request, ARMCI_ACKS, NULL);
    return ARMCI_GOES_ON;
}

static enum armci_step put_start(struct cpu_context *context, struct armci_client *client,
                                 struct mpi_request *request)
{
    const struct armci_put_variant *variant = variant_of(client);
    if (armci_same_node(client, request->peer))
        return put_shared(context, client, request);
    if (variant->contiguous && armci_kind_of(request) == ARMCI_PUT && request->size > 0 &&
        armci_layout_contiguous(armci_layout_of(request))) {
        armci_request_of(request)->by_variant = true;
        return variant->contiguous(context, client, request);
    }
    return put_pieces(context, client, request);
}

enum armci_step armci_put_step(struct cpu_context *context, struct armci_client *client,
                               struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (r->by_variant) {
        enum armci_step next = variant_of(client)->contiguous(context, client, request);
        r->by_variant = next != ARMCI_THROUGH_BUFFERS;
        return r->by_variant ? next : put_pieces(context, client, request);
    }
    switch ((enum armci_state)request->machine.state) {
    case ARMCI_START:
        return put_start(context, client, request);
    case ARMCI_BUFFER:
        return put_copy_piece(context, client, request);
    case ARMCI_COPYS:
        return put_send_piece(context, client, request);
    case ARMCI_XMIT:
        return after_send(context, client, request);
    case ARMCI_ACKS:
        return client->sends_out > 0 ? ARMCI_WAITS : ARMCI_ENDS;
    case ARMCI_QUEUED:
    case ARMCI_PACKREQ:
    case ARMCI_REQUEST:
    case ARMCI_REGISTERING:
    case ARMCI_DIRECT:
    case ARMCI_COPYC:
    case ARMCI_SHARED:
    case ARMCI_DONE:
        break;
    }
    g_assert_not_reached();
}
