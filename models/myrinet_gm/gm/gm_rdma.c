// SPDX-License-Identifier: GPL-3.0-or-later
// RDMA: writes packets that RECV has accepted into host memory, and events: one after a message's
// last byte (a short message comes with the event, in the queue's slot), and one with the token of
// a send that has ended.
#include "models/myrinet_gm/gm/gm_internal.h"

static void rdma_enter(struct gm_card *card, sim_time now, enum gm_rdma_state state)
{
    gm_enter(card, now, &gm_rdma_machine, &card->rdma, state, 0, NULL);
}

static void job_prepend(struct gm_card *card, struct gm_rdma_job *job)
{
    job->next = card->jobs;
    if (!card->jobs)
        card->jobs_tail = job;
    card->jobs = job;
}

static struct gm_receive_buffer *buffer_of(struct gm_rdma_job *job)
{
    return container_of(job, struct gm_receive_buffer, job);
}

static struct gm_send_token *token_of(struct gm_rdma_job *job)
{
    return container_of(job, struct gm_send_token, report);
}

// ---- Data and events in host memory ----

static void tell_written(const struct gm_card *card, const struct gm_header *header)
{
    struct gm_port *port = &card->ports[header->target_port];
    struct gm_write write = {
        .address = header->remote_address,
        .length = header->length,
        .header = header->header,
        .source_host = header->source_host,
        .source_port = header->source_port,
        .message = header->message,
        .offset = header->offset,
        .content = header->content,
    };
    if (port->open && port->written)
        port->written(port->written_owner, &write);
}

static void tell_received(const struct gm_card *card, const struct gm_receive_buffer *buffer)
{
    const struct gm_header *header = &buffer->header;
    const struct gm_event event = {
        .kind = gm_fast_receive(card, header) ? GM_FAST_RECV_EVENT : GM_RECV_EVENT,
        .size = header->size,
        .length = header->length,
        .header = header->header,
        .source_host = header->source_host,
        .source_port = header->source_port,
        .message = header->message,
        .offset = header->offset,
        .content = header->content,
        .buffer = buffer->token->address,
        .internal = buffer->token,
    };
    gm_port_event(buffer->token->port, &event);
}

static void job_done(void *owner, struct lanai_transfer *transfer)
{
    struct gm_card *card = owner;
    struct gm_rdma_job *job = container_of(transfer, struct gm_rdma_job, transfer);
    switch (job->kind) {
    case GM_RDMA_PAYLOAD: {
        const struct gm_header *header = &buffer_of(job)->header;
        if (header->kind == GM_PACKET_DIRECTED && header->last)
            tell_written(card, header);
        break;
    }
    case GM_RDMA_RECEIVE_EVENT:
        tell_received(card, buffer_of(job));
        break;
    case GM_RDMA_SENT_EVENT: {
        struct gm_send_token *token = token_of(job);
        gm_port_event(token->port, &(struct gm_event){.kind = GM_SENT_EVENT, .internal = token});
        break;
    }
    }
}

// ---- The machine ----

static int64_t job_bytes(const struct gm_card *card, struct gm_rdma_job *job)
{
    switch (job->kind) {
    case GM_RDMA_PAYLOAD:
        return buffer_of(job)->header.bytes;
    case GM_RDMA_RECEIVE_EVENT: {
        const struct gm_header *header = &buffer_of(job)->header;
        return card->config->event + (gm_fast_receive(card, header) ? header->length : 0);
    }
    case GM_RDMA_SENT_EVENT:
        return card->config->event;
    }
    g_assert_not_reached();
}

static struct message_ref job_message(struct gm_rdma_job *job)
{
    switch (job->kind) {
    case GM_RDMA_PAYLOAD:
    case GM_RDMA_RECEIVE_EVENT:
        return buffer_of(job)->header.message;
    case GM_RDMA_SENT_EVENT:
        return token_of(job)->message.message;
    }
    g_assert_not_reached();
}

void gm_start_rdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)item;
    struct gm_card *card = owner;
    struct gm_rdma_job *job = card->jobs;
    if (!job || card->rdma.state != GM_RDMA_IDLE)
        return;
    card->jobs = job->next;
    job->transfer.move = LANAI_TO_HOST;
    job->transfer.bytes = job_bytes(card, job);
    job->transfer.done = job_done;
    job->transfer.item.handler = GM_FINISH_RDMA;
    job->transfer.item.message = job_message(job);
    lanai_start(card->lanai, &job->transfer, context->now);
    rdma_enter(card, context->now, GM_RDMA_WRITING);
}

// A message whose last byte is written still lacks its event.
static bool wants_event(const struct gm_receive_buffer *buffer)
{
    return buffer->job.kind == GM_RDMA_PAYLOAD && buffer->header.kind == GM_PACKET_DATA &&
           buffer->header.last;
}

void gm_finish_rdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct gm_card *card = owner;
    struct gm_rdma_job *job = container_of(item, struct gm_rdma_job, transfer.item);
    rdma_enter(card, context->now, GM_RDMA_IDLE);
    switch (job->kind) {
    case GM_RDMA_PAYLOAD:
    case GM_RDMA_RECEIVE_EVENT:
        if (wants_event(buffer_of(job))) {
            job->kind = GM_RDMA_RECEIVE_EVENT;
            job_prepend(card, job);
        } else {
            gm_recv_release(context, card, buffer_of(job));
        }
        break;
    case GM_RDMA_SENT_EVENT:
        break; // the token is in the host's queue, and may be back at the card by now
    }
    gm_rdma_kick(card);
}
