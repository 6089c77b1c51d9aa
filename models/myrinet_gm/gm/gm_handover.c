// SPDX-License-Identifier: GPL-3.0-or-later
// Handover between the firmware's machines: packets, answers, receive buffers and events go into
// the queue of the next machine, which is woken if it is idle. A machine at work checks its queue
// at the end.
#include "models/myrinet_gm/gm/gm_internal.h"

#include "sim/core/fifo.h"
#include "sim/core/poison.h"

// ---- To SDMA: connections with a packet to fetch, and free send buffers ----

bool gm_connection_ready(const struct gm_connection *connection)
{
    return connection->cursor < connection->count ||
           (connection->count < connection->card->config->window && connection->turn);
}

void gm_sdma_kick(struct gm_card *card)
{
    if (card->sdma.state == GM_SDMA_IDLE && card->turn && card->free_buffers)
        lanai_ready(card->lanai, GM_START_SDMA);
}

void gm_sdma_connection(struct gm_connection *connection)
{
    struct gm_card *card = connection->card;
    if (!connection->queued && gm_connection_ready(connection)) {
        connection->queued = true;
        FIFO_APPEND(card->turn, card->turn_tail, connection, next_turn);
    }
    gm_sdma_kick(card);
}

void gm_send_buffer_free(struct gm_card *card, struct gm_send_buffer *buffer)
{
    buffer->connection->in_pipe--;
    buffer->next = card->free_buffers;
    card->free_buffers = buffer;
    poison(buffer, sizeof *buffer);
    gm_sdma_kick(card);
}

// ---- To SEND: packets that are fetched, and ACKs and NACKs ----

void gm_send_kick(struct gm_card *card)
{
    if (card->send.state == GM_SEND_IDLE && (card->control || card->fetched))
        lanai_ready(card->lanai, GM_START_SEND);
}

void gm_send_data(struct gm_card *card, struct gm_send_buffer *buffer)
{
    FIFO_APPEND(card->fetched, card->fetched_tail, buffer, next);
    gm_send_kick(card);
}

void gm_send_control(struct gm_connection *connection)
{
    struct gm_card *card = connection->card;
    connection->control_pending = true;
    FIFO_APPEND(card->control, card->control_tail, connection, next_control);
    gm_send_kick(card);
}

// ---- To RECV: receive buffers ----

void gm_recv_hold(struct gm_card *card, sim_time now, int change)
{
    card->held += change;
    enum gm_recv_state state = card->held == 0                              ? GM_RECV_EMPTY
                               : card->held < card->config->receive_buffers ? GM_RECV_SOME
                                                                            : GM_RECV_FULL;
    gm_enter(card, now, &gm_recv_machine, &card->recv, state, 0, NULL);
}

void gm_recv_release(struct cpu_context *context, struct gm_card *card,
                     struct gm_receive_buffer *buffer)
{
    gm_recv_hold(card, context->now, -1);
    lanai_post_buffer(card->lanai, &buffer->buffer, context->now);
}

// ---- To RDMA: packets to write, and sends to report ----

void gm_rdma_kick(struct gm_card *card)
{
    if (card->rdma.state == GM_RDMA_IDLE && card->jobs)
        lanai_ready(card->lanai, GM_START_RDMA);
}

static void job_append(struct gm_card *card, struct gm_rdma_job *job)
{
    FIFO_APPEND(card->jobs, card->jobs_tail, job, next);
    gm_rdma_kick(card);
}

void gm_rdma_receive(struct gm_card *card, struct gm_receive_buffer *buffer)
{
    buffer->job.kind =
        gm_fast_receive(card, &buffer->header) ? GM_RDMA_RECEIVE_EVENT : GM_RDMA_PAYLOAD;
    job_append(card, &buffer->job);
}

void gm_rdma_sent(struct gm_card *card, struct gm_send_token *token)
{
    token->report.kind = GM_RDMA_SENT_EVENT;
    job_append(card, &token->report);
}
