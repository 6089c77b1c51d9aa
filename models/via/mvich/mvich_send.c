// SPDX-License-Identifier: GPL-3.0-or-later
// Sending in MVICH: EAGER at once; R3 and RPUT by RENDEZVOUS_START, and data once the REPLY is
// here.
#include "models/via/mvich/mvich.h"

static void set_envelope(struct mvich_packet *packet, const struct mpi_request *request)
{
    struct mpi_envelope envelope = mpi_send_envelope(request);
    packet->tag = envelope.tag;
    packet->context = envelope.context;
    packet->length = (int32_t)envelope.length;
    packet->sequence = envelope.sequence;
}

// Copies the next bytes of the message into a vbuf and sends it. False: the run has failed.
static bool send_piece(struct cpu_context *context, struct mpi_request *request,
                       enum mvich_packet_type type)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_connection *connection = r->connection;
    int64_t offset = r->bytes;
    int64_t bytes = MIN(request->size - offset, mvich_vbuf_room(connection->owner->config, type));
    struct mvich_vbuf *vbuf = mvich_packet_new(context, connection, type, request->message);
    if (!vbuf)
        return false;
    set_envelope(&vbuf->packet, request);
    vbuf->packet.rreq = r->receiver;
    mem_copy(context, &request->process->host->config.memory, bytes, COPY_WARM, request->message);
    r->bytes += bytes;
    if (r->bytes == request->size)
        vbuf->completes = request;
    mvich_packet_send(context, connection, vbuf, offset, bytes);
    return true;
}

// ---- EAGER: a series of vbufs; while one is on the wire the next is being filled ----

static void eager_send(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    r->protocol = MVICH_EAGER;
    bool sent = send_piece(context, request, MVICH_EAGER_START);
    while (sent && r->bytes < request->size)
        sent = send_piece(context, request, MVICH_EAGER_NEXT);
    mpi_enter(context, request, MVICH_EAGER_SENT, "eager");
}

static bool credits_for_eager(const struct mvich_connection *connection, int64_t length)
{
    const struct mvich_config *config = connection->owner->config;
    return connection->remote_credit - mvich_vbufs_needed(config, length, MVICH_EAGER) >=
           config->credit_preserve;
}

// ---- Rendezvous ----

// RPUT if the length asks for it and the buffer can be registered; the reason if not.
static enum mvich_protocol rendezvous_protocol(struct cpu_context *context,
                                               struct mpi_request *request, const char **why)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_process *mvich = r->connection->owner;
    const struct mvich_config *config = mvich->config;
    *why = "r3";
    if (config->rendezvous_protocol + MVICH_R3 == MVICH_R3 || request->size == 0 ||
        request->size < config->r3_threshold)
        return MVICH_R3;
    r->dreg = mvich_dreg_register(context, mvich->dreg, request->address, request->size);
    *why = r->dreg ? "rput" : "r3, not registered";
    return r->dreg ? MVICH_RPUT : MVICH_R3;
}

static void rendezvous_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    const char *why;
    r->protocol = rendezvous_protocol(context, request, &why);
    struct mvich_vbuf *vbuf =
        mvich_packet_new(context, r->connection, MVICH_RENDEZVOUS_START, request->message);
    if (!vbuf)
        return;
    set_envelope(&vbuf->packet, request);
    vbuf->packet.protocol = (uint8_t)r->protocol;
    vbuf->packet.sreq = request;
    mpi_enter(context, request, MVICH_WAIT_REPLY, why);
    mvich_packet_send(context, r->connection, vbuf, 0, 0);
}

void mvich_send_start(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_process *mvich = mvich_process_of(request->process);
    struct mvich_request *r = mvich_of(request);
    r->connection = &mvich->connections[request->peer];
    bool eager = request->size < mvich->config->rendezvous_threshold && !request->synchronous;
    if (eager && !credits_for_eager(r->connection, request->size)) {
        mvich_flow_trace(context, r->connection, "eager without credits");
        eager = false;
    }
    if (eager)
        eager_send(context, request);
    else
        rendezvous_start(context, request);
}

void mvich_replied(struct cpu_context *context, const struct mvich_packet *packet)
{
    struct mpi_request *request = packet->sreq;
    struct mvich_request *r = mvich_of(request);
    r->protocol = (enum mvich_protocol)packet->protocol;
    r->receiver = packet->rreq;
    r->remote_address = packet->address;
    r->remote_handle = packet->handle;
    if (r->protocol == MVICH_R3 && r->dreg) {
        mvich_dreg_release(context, r->connection->owner->dreg, r->dreg);
        r->dreg = NULL;
    }
    mpi_queue_append(&r->connection->push, request);
    mpi_enter(context, request, MVICH_PUSH, r->protocol == MVICH_R3 ? "r3" : "rput");
}

// ---- Pushing ----

static bool push_r3(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_connection *connection = r->connection;
    bool any = false, all = false;
    while (!all && connection->remote_credit > connection->owner->config->credit_preserve) {
        if (!send_piece(context, request, MVICH_R3_DATA))
            break;
        any = true;
        all = r->bytes == request->size;
    }
    if (all) {
        mpi_queue_pop(&connection->push);
        mpi_enter(context, request, MVICH_DATA_SENT, "r3");
    }
    return any;
}

// The descriptor of a vbuf, without its buffer, writes a piece of the user's.
static bool put_piece(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_process *mvich = r->connection->owner;
    struct mvich_vbuf *vbuf = mvich_vbuf_take(context, mvich);
    if (!vbuf)
        return false;
    struct vip_descriptor *descriptor = &vbuf->descriptor;
    cpu_spend_for(context, mvich->config->packet, &mvich_stage, request->message);
    descriptor->operation = VIP_RDMA_WRITE;
    descriptor->immediate_flag = false;
    descriptor->length = MIN(request->size - r->bytes, vip_config(mvich->nic)->largest_transfer);
    descriptor->address = request->address + r->bytes;
    descriptor->handle = r->dreg->handle;
    descriptor->remote_address = r->remote_address + r->bytes;
    descriptor->remote_handle = r->remote_handle;
    descriptor->lead = 0;
    descriptor->message = request->message;
    descriptor->message_offset = r->bytes;
    descriptor->final = true;
    r->bytes += descriptor->length;
    if (!vip_post_send(context, r->connection->vi, descriptor))
        mvich_post_failed(r->connection);
    return true;
}

static bool push_rput(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    struct mvich_connection *connection = r->connection;
    while (r->bytes < request->size)
        if (!put_piece(context, request))
            return false;
    struct mvich_vbuf *vbuf =
        mvich_packet_new(context, connection, MVICH_RPUT_FINISH, request->message);
    if (!vbuf)
        return false;
    mpi_queue_pop(&connection->push);
    vbuf->packet.length = (int32_t)request->size;
    vbuf->packet.rreq = r->receiver;
    vbuf->completes = request;
    mpi_enter(context, request, MVICH_DATA_SENT, "rput");
    mvich_packet_send(context, connection, vbuf, 0, 0);
    return true;
}

bool mvich_push(struct cpu_context *context, struct mvich_connection *connection)
{
    struct mpi_request *request = connection->push.head;
    if (!request)
        return false;
    return mvich_of(request)->protocol == MVICH_R3 ? push_r3(context, request)
                                                   : push_rput(context, request);
}

void mvich_sent(struct cpu_context *context, struct mvich_process *mvich, struct mvich_vbuf *vbuf)
{
    struct mpi_request *request = vbuf->completes;
    cpu_spend_for(context, mvich->config->sent, &mvich_stage, vbuf->descriptor.message);
    mvich_vbuf_give(mvich, vbuf);
    if (request)
        mvich_finish(context, request);
}
