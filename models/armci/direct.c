// SPDX-License-Identifier: GPL-3.0-or-later
// The put that thesis 001, 3.2.1 weighs and rejects: both ends' memory is registered, and the card
// reads and writes it directly. It serves contiguous data only, as GM neither gathers nor scatters,
// and only if the system lets so much memory be registered; else the data go through buffers.
//
// The data server registers the target's memory when it is asked to, while the client registers its
// own; a last request takes both back.
#include "models/armci/client.h"
#include "models/armci/server.h"

static void direct_send_request(struct cpu_context *context, struct armci_client *client,
                                struct mpi_request *request, enum armci_kind kind)
{
    cpu_spend_for(context, client->config->request, &armci_stage, request->message);
    struct armci_message *message =
        armci_message_new(client, kind, request, armci_layout_descriptor(armci_layout_of(request)));
    // The data have been moved if both ends had registered their memory.
    const struct armci_request *r = armci_request_of(request);
    message->last = r->registered_here && r->registered_there;
    armci_send(context, client, message, NULL);
}

// Registers the client's memory while the data server registers the target's.
static enum armci_step direct_ask(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    if (!armci_may_send(client))
        return ARMCI_WAITS;
    client->answer.kind = ARMCI_FLAG_NONE;
    direct_send_request(context, client, request, ARMCI_REGISTER);
    armci_enter(context, request, ARMCI_REGISTERING, NULL);
    armci_request_of(request)->registered_here =
        gm_register_memory(context, client->port, request->address, request->size);
    return ARMCI_GOES_ON;
}

static enum armci_step direct_answered(struct cpu_context *context, struct armci_client *client,
                                       struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (client->answer.kind == ARMCI_FLAG_NONE)
        return ARMCI_WAITS;
    r->registered_there = client->answer.value != 0;
    armci_pieces_init(&r->pieces, armci_layout_of(request), request->size, client->config->buffer);
    armci_enter(context, request, ARMCI_DIRECT,
                r->registered_here && r->registered_there ? NULL : "registration refused");
    return ARMCI_GOES_ON;
}

// Deregisters the memory at both ends.
static enum armci_step take_back(struct cpu_context *context, struct armci_client *client,
                                 struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (client->sends_out > 0)
        return ARMCI_WAITS;
    if (r->registered_here)
        gm_deregister_memory(context, client->port, request->address, request->size);
    if (r->registered_there)
        direct_send_request(context, client, request, ARMCI_UNREGISTER);
    armci_enter(context, request, ARMCI_ACKS, NULL);
    return ARMCI_GOES_ON;
}

static enum armci_step direct_send_piece(struct cpu_context *context, struct armci_client *client,
                                         struct mpi_request *request)
{
    struct armci_request *r = armci_request_of(request);
    if (!r->registered_here || !r->registered_there || r->pieces.ended)
        return take_back(context, client, request);
    if (!armci_may_send(client))
        return ARMCI_WAITS;
    armci_pieces_next(&r->pieces, &r->piece);
    mpi_trace(context, request, "direct", "XMIT", NULL);
    armci_send_direct(context, client, request, &r->piece);
    armci_unfenced_set(client, armci_server_of(client, request->peer)->host->index, true);
    return ARMCI_GOES_ON;
}

static enum armci_step end(const struct armci_client *client, struct mpi_request *request)
{
    const struct armci_request *r = armci_request_of(request);
    if (client->sends_out > 0)
        return ARMCI_WAITS;
    if (r->registered_here && r->registered_there)
        return ARMCI_ENDS;
    return ARMCI_THROUGH_BUFFERS;
}

enum armci_step armci_direct_step(struct cpu_context *context, struct armci_client *client,
                                  struct mpi_request *request)
{
    switch ((enum armci_state)request->machine.state) {
    case ARMCI_START:
        armci_enter(context, request, ARMCI_PACKREQ, NULL);
        return ARMCI_GOES_ON;
    case ARMCI_PACKREQ:
        return direct_ask(context, client, request);
    case ARMCI_REGISTERING:
        armci_enter(context, request, ARMCI_REQUEST, NULL);
        return ARMCI_GOES_ON;
    case ARMCI_REQUEST:
        return direct_answered(context, client, request);
    case ARMCI_DIRECT:
        return direct_send_piece(context, client, request);
    case ARMCI_ACKS:
        return end(client, request);
    case ARMCI_QUEUED:
    case ARMCI_BUFFER:
    case ARMCI_COPYS:
    case ARMCI_XMIT:
    case ARMCI_COPYC:
    case ARMCI_SHARED:
    case ARMCI_DONE:
        break;
    }
    g_assert_not_reached();
}
