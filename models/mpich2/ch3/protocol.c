// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/rma.h"

bool ch3_is_eager(const struct ch3_config *config, int64_t bytes)
{
    return bytes + CH3_EAGER_PACKET <= config->eager;
}

// ---- Sending ----

static struct ch3_pkt pkt_of(const struct mpi_request *send, enum ch3_pkt_type type)
{
    return (struct ch3_pkt){
        .type = (uint8_t)type,
        .context = (uint16_t)send->context,
        .tag = send->tag,
        .length = (uint32_t)send->size,
        .sequence = send->status.sequence,
        .sender = ch3_request_of(send)->handle,
        .message = send->message,
    };
}

// A ready send needs no request to send, whatever its size (MPICH2 1.0.5, MPID_Rsend).
static void start_send(struct cpu_context *context, struct mpi_request *request)
{
    struct ch3_process *ch3 = ch3_of(request->process);
    bool eager = request->ready || ch3_is_eager(ch3->config, request->size);
    enum ch3_pkt_type type = !eager                 ? CH3_PKT_RNDV_REQ_TO_SEND
                             : request->synchronous ? CH3_PKT_EAGER_SYNC_SEND
                             : request->ready       ? CH3_PKT_READY_SEND
                                                    : CH3_PKT_EAGER_SEND;
    if (!eager || request->synchronous)
        ch3_request_of(request)->handle = ch3_handle_take(ch3, request);
    mpi_enter(context, request, eager ? CH3_SEND_EAGER : CH3_SEND_RTS, NULL);
    struct ch3_pkt pkt = pkt_of(request, type);
    ch3_send(context, ch3, request->peer, &pkt, eager ? request->size : 0, request);
}

static void eager_sent(struct cpu_context *context, struct mpi_request *request)
{
    mpi_finish(context, request);
}

static void sync_sent(struct cpu_context *context, struct mpi_request *request)
{
    struct ch3_request *r = ch3_request_of(request);
    r->written = true;
    if (r->acknowledged)
        mpi_finish(context, request);
    else
        mpi_enter(context, request, CH3_WAIT_SYNC_ACK, NULL);
}

static void rts_sent(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, CH3_WAIT_CTS, NULL);
}

static void cts_sent(struct cpu_context *context, struct mpi_request *request)
{
    mpi_enter(context, request, CH3_WAIT_DATA, NULL);
}

// The match may be answered before the last of the data has been written.
static bool sync_ack_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                             const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    struct mpi_request *request = ch3_handle_give(ch3, pkt->sender);
    struct ch3_request *r = ch3_request_of(request);
    (void)peer, (void)receive;
    r->acknowledged = true;
    if (r->written)
        mpi_finish(context, request);
    return true;
}

static bool cts_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                        const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    struct mpi_request *request = ch3_handle_give(ch3, pkt->sender);
    (void)receive;
    mpi_enter(context, request, CH3_SEND_DATA, NULL);
    struct ch3_pkt data = pkt_of(request, CH3_PKT_RNDV_SEND);
    data.receiver = pkt->receiver;
    ch3_send(context, ch3, peer, &data, request->size, request);
    return true;
}

// ---- Receiving ----

static void finish_receive(struct cpu_context *context, struct mpi_request *request)
{
    mpi_deliver(request);
    mpi_finish(context, request);
}

// Copies the data of an unexpected message to the user's buffer.
static void unpack_unexpected(struct cpu_context *context, struct mpi_request *request)
{
    mpi_copy(context, request->process, request->status.length, COPY_WARM, request->message);
    finish_receive(context, request);
}

// Answers the match of a synchronous send; nothing waits for it to be written.
static void acknowledge(struct cpu_context *context, struct ch3_process *ch3, int peer,
                        const struct mpi_request *request, uint32_t sender)
{
    struct ch3_pkt pkt = {
        .type = CH3_PKT_EAGER_SYNC_ACK, .sender = sender, .message = request->message};
    ch3_send(context, ch3, peer, &pkt, 0, NULL);
}

static void clear_to_send(struct cpu_context *context, struct ch3_process *ch3, int peer,
                          struct mpi_request *request, uint32_t sender)
{
    struct ch3_pkt pkt = {
        .type = CH3_PKT_RNDV_CLR_TO_SEND,
        .sender = sender,
        .receiver = ch3_handle_take(ch3, request),
        .message = request->message,
    };
    ch3_request_of(request)->handle = pkt.receiver;
    mpi_enter(context, request, CH3_SEND_CTS, NULL);
    ch3_send(context, ch3, peer, &pkt, 0, request);
}

// A receive finds its message among the unexpected ones. If its data are still arriving, they go on
// to the allocated memory and are copied once they are complete.
static void claim_message(struct cpu_context *context, struct mpi_request *request,
                          struct mpi_unexpected *message)
{
    struct ch3_process *ch3 = ch3_of(request->process);
    enum ch3_pkt_type type = (enum ch3_pkt_type)(message->extra[0] & UINT32_MAX);
    uint32_t sender = (uint32_t)(message->extra[0] >> 32);
    struct ch3_receive *receive = (struct ch3_receive *)(uintptr_t)message->extra[1];
    int peer = message->envelope.source;
    if (type == CH3_PKT_RNDV_REQ_TO_SEND) {
        clear_to_send(context, ch3, peer, request, sender);
        return;
    }
    if (type == CH3_PKT_EAGER_SYNC_SEND)
        acknowledge(context, ch3, peer, request, sender);
    if (!receive) {
        unpack_unexpected(context, request);
        return;
    }
    receive->request = request;
    receive->unexpected = NULL;
    mpi_enter(context, request, CH3_READ_DATA, NULL);
}

// Keeps the type of the packet and the sender's handle, and the receive of the data until they have
// arrived (`extra`).
static bool keep_unexpected(struct cpu_context *context, struct ch3_process *ch3,
                            const struct mpi_envelope *envelope, const struct ch3_pkt *pkt,
                            struct ch3_receive *receive)
{
    bool rendezvous = pkt->type == CH3_PKT_RNDV_REQ_TO_SEND;
    struct mpi_unexpected *kept = mpi_keep(context, ch3->process, envelope, pkt->message,
                                           rendezvous ? "unexpected_rts" : "unexpected_eager");
    kept->whole = receive->bytes == 0;
    kept->extra[0] = (uint64_t)pkt->sender << 32 | pkt->type;
    kept->extra[1] = kept->whole ? 0 : (uintptr_t)receive;
    if (kept->whole)
        return true;
    kept->buffered = receive->bytes;
    receive->unexpected = kept;
    receive->buffered = true;
    cpu_spend_for(context, ch3->config->allocate, &ch3_stage, pkt->message);
    return true;
}

// Traces which tag a receive of any has matched.
static void trace_tag(const struct cpu_context *context, const struct mpi_request *request)
{
    const struct mpi_process *process = request->process;
    char tag[24];
    if (!process->sim->trace || request->tag != TAG_ANY)
        return;
    g_snprintf(tag, sizeof tag, "tag %d", request->status.tag);
    cpu_trace_event(context,
                    (struct machine_owner){
                        .where = process->name, .subject = request->number, .machine = "any_tag"},
                    NULL, "matches", tag);
}

static bool message_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                            const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    bool good;
    struct mpi_envelope envelope = {
        .source = peer,
        .tag = pkt->tag,
        .context = pkt->context,
        .length = pkt->length,
        .sequence = pkt->sequence,
    };
    struct mpi_request *request =
        mpi_arrived(context, ch3->process, &envelope, pkt->message, &good);
    if (!good)
        return false;
    if (!request)
        return keep_unexpected(context, ch3, &envelope, pkt, receive);
    if (pkt->type == CH3_PKT_RNDV_REQ_TO_SEND) {
        clear_to_send(context, ch3, peer, request, pkt->sender);
        return true;
    }
    receive->request = request;
    mpi_enter(context, request, CH3_READ_DATA, NULL);
    trace_tag(context, request);
    if (pkt->type == CH3_PKT_EAGER_SYNC_SEND)
        acknowledge(context, ch3, peer, request, pkt->sender);
    return true;
}

static void message_data(struct cpu_context *context, struct ch3_process *ch3, int peer,
                         struct ch3_receive *receive)
{
    (void)ch3, (void)peer;
    if (receive->unexpected) {
        receive->unexpected->whole = true;
        receive->unexpected->extra[1] = 0;
    } else if (receive->request && receive->buffered) {
        unpack_unexpected(context, receive->request);
    } else if (receive->request) {
        finish_receive(context, receive->request);
    }
}

static bool rndv_send_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                              const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    (void)peer;
    receive->request = ch3_handle_give(ch3, pkt->receiver);
    mpi_enter(context, receive->request, CH3_READ_DATA, NULL);
    return true;
}

// ---- Tables ----

const struct ch3_handler ch3_handlers[CH3_PKT_TYPES] = {
    [CH3_PKT_EAGER_SEND] = {message_arrived, message_data, eager_sent, NULL},
    [CH3_PKT_EAGER_SYNC_SEND] = {message_arrived, message_data, sync_sent, NULL},
    [CH3_PKT_EAGER_SYNC_ACK] = {sync_ack_arrived, NULL, NULL, NULL},
    [CH3_PKT_READY_SEND] = {message_arrived, message_data, eager_sent, NULL},
    [CH3_PKT_RNDV_REQ_TO_SEND] = {message_arrived, NULL, rts_sent, NULL},
    [CH3_PKT_RNDV_CLR_TO_SEND] = {cts_arrived, NULL, cts_sent, NULL},
    [CH3_PKT_RNDV_SEND] = {rndv_send_arrived, message_data, eager_sent, NULL},
    [CH3_PKT_PUT] = {ch3_rma_arrived, ch3_rma_data, NULL, ch3_rma_written},
    [CH3_PKT_GET] = {ch3_rma_get_arrived, NULL, NULL, NULL},
    [CH3_PKT_GET_RESP] = {ch3_rma_arrived, ch3_rma_data, NULL, ch3_rma_written},
    [CH3_PKT_ACCUMULATE] = {ch3_rma_arrived, ch3_rma_data, NULL, ch3_rma_written},
    [CH3_PKT_CLOSE] = {ch3_close_arrived, NULL, NULL, NULL},
    [CH3_PKT_CLOSE_ACK] = {ch3_close_arrived, NULL, NULL, NULL},
};

const struct mpi_arrival_ops ch3_arrival = {
    .send = start_send,
    .posted = CH3_POSTED,
    .waits_self = CH3_WAIT_SELF,
    .done = CH3_DONE,
    .claim = claim_message,
    .machine = "recvq",
    .self = "unexpected_self",
};

const struct mpi_progress_rule ch3_progress = {
    .library = "MPICH2 1.0.5",
    .turn = "MPIDI_CH3_Progress: one event of the channel",
    .source =
        "MPICH2 CVS (raffenet/mpich-CVS 4d7c01fbb), src/mpid/ch3: mpid_isend.c, mpid_irecv.c, "
        "mpid_iprobe.c 36-46, ch3_progress.c of the channels (sock 50-245, sctp 62-224); "
        "src/mpi/pt2pt: wait.c 107-123, waitall.c 157-223, waitany.c 156-194, test.c 118-124",
    .test = {MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .waits = MPI_WAITS_LEAVE,
};

void ch3_start(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind == REQUEST_OPERATION)
        ch3_rma_start(context, request);
    else
        mpi_matched_start(context, request);
}
