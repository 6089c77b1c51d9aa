// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/rma.h"

void ch3_init(struct ch3_process *ch3, struct mpi_process *process, const struct ch3_config *config,
              const struct ch3_channel *channel)
{
    ch3->process = process;
    ch3->config = config;
    ch3->channel = channel;
    pool_init(&ch3->sends, sizeof(struct ch3_send));
    sparse_init(&ch3->vcs, process->ranks, sizeof(struct ch3_vc));
    ch3->handles = g_array_new(FALSE, TRUE, sizeof(struct ch3_handle));
    g_array_set_size(ch3->handles, 1);
}

void ch3_clear(struct ch3_process *ch3)
{
    if (!ch3->handles)
        return;
    ch3_rma_clear(ch3);
    pool_clear(&ch3->sends);
    sparse_clear(&ch3->vcs);
    g_array_free(ch3->handles, TRUE);
    ch3->handles = NULL;
}

int64_t ch3_peer_footprint(void)
{
    return (int64_t)(sizeof(struct ch3_vc) + sizeof(struct ch3_send) + sizeof(struct ch3_receive));
}

// ---- Between handlers and the channel ----

static const struct ch3_handler *handler_of(enum ch3_pkt_type type)
{
    g_assert(type < CH3_PKT_TYPES);
    return &ch3_handlers[type];
}

void ch3_sent(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send)
{
    struct mpi_request *request = send->request;
    const struct ch3_pkt pkt = send->pkt;
    const struct ch3_handler *handler = handler_of(pkt.type);
    pool_give(&ch3->sends, send);
    if (request && handler->sent)
        handler->sent(context, request);
    else if (!request && handler->written)
        handler->written(context, ch3, &pkt);
}

bool ch3_packet_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                        const struct ch3_pkt *pkt, struct ch3_receive *receive)
{
    const struct ch3_handler *handler = handler_of(pkt->type);
    *receive =
        (struct ch3_receive){.bytes = ch3_pkt_data(pkt), .message = pkt->message, .pkt = *pkt};
    ch3_vc_use(ch3, peer);
    cpu_spend_for(context, ch3->config->receive, &ch3_stage, pkt->message);
    g_assert(handler->arrived);
    if (!handler->arrived(context, ch3, peer, pkt, receive))
        return false;
    if (receive->bytes == 0 && handler->data)
        handler->data(context, ch3, peer, receive);
    return true;
}

void ch3_data_arrived(struct cpu_context *context, struct ch3_process *ch3, int peer,
                      struct ch3_receive *receive)
{
    const struct ch3_handler *handler = handler_of(receive->pkt.type);
    if (handler->data)
        handler->data(context, ch3, peer, receive);
}

// ---- Reports ----

json_t *ch3_describe_request(const struct mpi_request *request)
{
    const struct ch3_process *ch3 = ch3_of(request->process);
    if (request->kind == REQUEST_OPERATION)
        return ch3_rma_describe(request);
    int peer = request->kind == REQUEST_RECV && request->message.generation ? request->status.source
                                                                            : request->peer;
    if (!ch3->channel->describe || peer == RANK_ANY || peer == ch3->process->rank)
        return NULL;
    return ch3->channel->describe(ch3, request, peer);
}
