// SPDX-License-Identifier: GPL-3.0-or-later
// Incoming packets of MVICH.
#include "models/via/mvich/mvich.h"

#include <string.h>

static void copy_out(struct cpu_context *context, struct mpi_request *request, int64_t bytes)
{
    struct mpi_process *process = request->process;
    struct mvich_request *r = mvich_of(request);
    mem_copy(context, &process->host->config.memory, bytes,
             host_received_source(process->host, context->cpu), request->message);
    ledger_deliver(process->sim->ledger, request->message, r->bytes, bytes);
    r->bytes += bytes;
}

// ---- Credits ----

// The vbuf of a packet is replaced at once, so that an answer already returns its credit.
static void repost(struct cpu_context *context, struct mvich_connection *connection,
                   const struct mvich_packet *packet)
{
    const struct mvich_config *config = connection->owner->config;
    connection->preposts--;
    if (packet->type == MVICH_NOOP) {
        connection->local_credit--; // NOOPs take no credit
        mvich_prepost(context, connection);
        return;
    }
    if (packet->type == MVICH_R3_DATA)
        connection->r3_expected--;
    int64_t wanted = config->prepost_depth + config->prepost_noop_extra +
                     MIN(config->prepost_rendezvous_extra, connection->r3_expected);
    if (connection->preposts < wanted)
        mvich_prepost(context, connection);
}

static void take_credits(struct cpu_context *context, struct mvich_connection *connection,
                         const struct mvich_packet *packet)
{
    connection->remote_short = packet->remote_credit;
    connection->remote_credit += packet->vbuf_credit;
    mvich_credits_tell(context, connection);
    if (packet->vbuf_credit > 0)
        mvich_backlog_send(context, connection);
}

static void prepost_for_rendezvous(struct cpu_context *context, struct mvich_connection *connection,
                                   int64_t packets)
{
    const struct mvich_config *config = connection->owner->config;
    connection->r3_expected += packets;
    int64_t wanted = config->prepost_depth + config->prepost_noop_extra +
                     MIN(config->prepost_rendezvous_extra, connection->r3_expected);
    while (connection->preposts < wanted &&
           connection->owner->process->sim->status == SIM_COMPLETED)
        mvich_prepost(context, connection);
}

// ---- EAGER ----

// The request has got all of its message, or waits for more.
static void eager_progress(struct cpu_context *context, struct mpi_request *request,
                           struct mvich_connection *connection)
{
    struct mvich_request *r = mvich_of(request);
    bool all = r->bytes == request->status.length;
    connection->eager = all ? NULL : request;
    if (all)
        mvich_finish(context, request);
    else if (request->machine.state != MVICH_RECEIVE_EAGER)
        mpi_enter(context, request, MVICH_RECEIVE_EAGER, "eager");
}

void mvich_eager_pull(struct cpu_context *context, struct mpi_request *request,
                      struct mvich_unexpected *early)
{
    struct mvich_connection *connection = early->connection;
    struct mvich_vbuf *vbuf;
    mvich_of(request)->connection = connection;
    mvich_of(request)->protocol = MVICH_EAGER;
    while ((vbuf = mvich_vbuf_pop(&early->held))) {
        copy_out(context, request, vbuf->packet.bytes);
        mvich_vbuf_give(connection->owner, vbuf);
    }
    if (connection->early == early)
        connection->early = NULL;
    if (early->bytes < request->status.length)
        eager_progress(context, request, connection);
    else
        mvich_finish(context, request);
}

// The vbuf stays with the message until a receive takes it.
static void hold(struct mvich_unexpected *early, struct mvich_vbuf *vbuf,
                 const struct mvich_packet *packet)
{
    vbuf->packet = *packet;
    early->bytes += packet->bytes;
    mvich_vbuf_append(&early->held, vbuf);
}

// True: the vbuf is free again.
static bool eager_next(struct cpu_context *context, struct mvich_connection *connection,
                       struct mvich_vbuf *vbuf, const struct mvich_packet *packet)
{
    if (connection->eager) {
        copy_out(context, connection->eager, packet->bytes);
        eager_progress(context, connection->eager, connection);
        return true;
    }
    struct mvich_unexpected *early = connection->early;
    hold(early, vbuf, packet);
    if (early->bytes == packet->length)
        connection->early = NULL;
    return false;
}

// ---- Rendezvous ----

void mvich_reply(struct cpu_context *context, struct mpi_request *request,
                 struct mvich_connection *connection, enum mvich_protocol protocol,
                 struct mpi_request *sreq)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_process *mvich = connection->owner;
    int64_t length = request->status.length;
    const char *detail = protocol == MVICH_R3 ? "r3" : "rput";
    r->connection = connection;
    if (protocol == MVICH_RPUT) {
        r->dreg = mvich_dreg_register(context, mvich->dreg, request->address, length);
        if (!r->dreg) {
            protocol = MVICH_R3;
            detail = "r3, not registered";
        }
    }
    r->protocol = protocol;
    if (protocol == MVICH_R3)
        prepost_for_rendezvous(context, connection,
                               mvich_vbufs_needed(mvich->config, length, MVICH_R3));
    struct mvich_vbuf *vbuf =
        mvich_packet_new(context, connection, MVICH_RENDEZVOUS_REPLY, request->message);
    if (!vbuf)
        return;
    vbuf->packet.protocol = (uint8_t)protocol;
    vbuf->packet.length = (int32_t)length;
    vbuf->packet.sreq = sreq;
    vbuf->packet.rreq = request;
    if (r->dreg) {
        vbuf->packet.address = request->address;
        vbuf->packet.handle = r->dreg->handle;
    }
    mpi_enter(context, request, protocol == MVICH_R3 ? MVICH_RECEIVE_R3 : MVICH_RECEIVE_RPUT,
              detail);
    mvich_packet_send(context, connection, vbuf, 0, 0);
}

static void r3_data(struct cpu_context *context, const struct mvich_packet *packet)
{
    struct mpi_request *request = packet->rreq;
    copy_out(context, request, packet->bytes);
    if (mvich_of(request)->bytes == request->status.length)
        mvich_finish(context, request);
}

// ---- New messages ----

static struct mpi_envelope packet_envelope(const struct mvich_connection *connection,
                                           const struct mvich_packet *packet)
{
    return (struct mpi_envelope){
        .source = connection->rank,
        .tag = packet->tag,
        .context = packet->context,
        .length = packet->length,
        .sequence = packet->sequence,
    };
}

static void receive_expected(struct cpu_context *context, struct mvich_connection *connection,
                             struct mpi_request *request, const struct mvich_packet *packet)
{
    if (packet->type != MVICH_EAGER_START) {
        mvich_reply(context, request, connection, (enum mvich_protocol)packet->protocol,
                    packet->sreq);
        return;
    }
    mvich_of(request)->connection = connection;
    mvich_of(request)->protocol = MVICH_EAGER;
    copy_out(context, request, packet->bytes);
    eager_progress(context, request, connection);
}

// True: the vbuf is free again.
static bool receive_unexpected(struct cpu_context *context, struct mvich_connection *connection,
                               struct mvich_vbuf *vbuf, const struct mpi_envelope *envelope,
                               const struct mvich_packet *packet)
{
    struct mvich_process *mvich = connection->owner;
    bool eager = packet->type == MVICH_EAGER_START;
    enum mvich_protocol protocol = eager ? MVICH_EAGER : (enum mvich_protocol)packet->protocol;
    struct mpi_unexpected *kept = mpi_keep(context, mvich->process, envelope,
                                           vbuf->descriptor.message, mvich_protocol_name(protocol));
    struct mvich_unexpected *early = pool_take(&mvich->unexpected);
    *early = (struct mvich_unexpected){
        .connection = connection, .protocol = protocol, .sreq = packet->sreq};
    kept->whole = true;
    kept->extra[0] = (uintptr_t)early;
    if (!eager)
        return true;
    hold(early, vbuf, packet);
    if (early->bytes < packet->length)
        connection->early = early;
    return false;
}

// True: the vbuf is free again.
static bool new_message(struct cpu_context *context, struct mvich_connection *connection,
                        struct mvich_vbuf *vbuf, const struct mvich_packet *packet)
{
    struct mpi_envelope envelope = packet_envelope(connection, packet);
    bool good;
    struct mpi_request *request = mpi_arrived(context, connection->owner->process, &envelope,
                                              vbuf->descriptor.message, &good);
    if (good && !request)
        return receive_unexpected(context, connection, vbuf, &envelope, packet);
    if (request)
        receive_expected(context, connection, request, packet);
    return true;
}

// ---- Dispatch ----

// M-VIA does not send a lost frame again; the numbers show that one is missing.
static bool in_step(struct mvich_connection *connection, const struct mvich_packet *packet)
{
    if (packet->type == MVICH_NOOP)
        return true;
    if (packet->id == connection->next_expected++)
        return true;
    const struct mpi_process *process = connection->owner->process;
    mpi_fail(process, "out_of_step",
             json_pack("{s:i, s:i}", "peer", connection->rank, "vi", (int)connection->vi->number),
             " gets packet %d from rank %d instead of packet %d, because what came before it "
             "was lost; M-VIA does not send it again",
             packet->id, connection->rank, (uint16_t)(connection->next_expected - 1));
    return false;
}

static bool dispatch(struct cpu_context *context, struct mvich_connection *connection,
                     struct mvich_vbuf *vbuf, const struct mvich_packet *packet)
{
    switch ((enum mvich_packet_type)packet->type) {
    case MVICH_EAGER_START:
    case MVICH_RENDEZVOUS_START:
        return new_message(context, connection, vbuf, packet);
    case MVICH_EAGER_NEXT:
        return eager_next(context, connection, vbuf, packet);
    case MVICH_RENDEZVOUS_REPLY:
        mvich_replied(context, packet);
        return true;
    case MVICH_R3_DATA:
        r3_data(context, packet);
        return true;
    case MVICH_RPUT_FINISH:
        mvich_finish(context, packet->rreq);
        return true;
    case MVICH_NOOP:
        return true;
    }
    return true;
}

void mvich_received(struct cpu_context *context, struct mvich_connection *connection,
                    struct mvich_vbuf *vbuf)
{
    struct mvich_process *mvich = connection->owner;
    struct mvich_packet packet;
    memcpy(&packet, vbuf->descriptor.content.bytes, sizeof packet);
    cpu_spend_for(context, mvich->config->receive, &mvich_stage, vbuf->descriptor.message);
    if (!in_step(connection, &packet))
        return;
    repost(context, connection, &packet);
    take_credits(context, connection, &packet);
    if (dispatch(context, connection, vbuf, &packet))
        mvich_vbuf_give(mvich, vbuf);
    if (mvich->process->sim->status == SIM_COMPLETED)
        mvich_noop_if_needed(context, connection);
}
