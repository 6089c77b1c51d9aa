// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/p4.h"
#include "sim/core/fifo.h"

#include <string.h>

static const struct stage p4_stage = {"p4", STAGE_LIBRARY};
static const struct stage system_call_stage = {"system call", STAGE_TRAP};

#define NOT_LAST (-1) // use of an item that is not the last of its p4 message

// ---- Sending ----

static void out_append(struct p4_process *p4, struct mesh_item *item)
{
    FIFO_APPEND(p4->out_head, p4->out_tail, item, next);
}

void p4_send(struct cpu_context *context, struct mesh_link *link, struct mpi_request *request,
             const struct p4_envelope *envelope, int64_t data)
{
    struct p4_process *p4 = p4_process_of(request->process);
    const struct p4_config *config = p4->config;
    struct p4_envelope header = *envelope;
    int64_t packet = envelope->kind == P4_DATA ? 0 : config->packet;
    struct mesh_item *item = mesh_item_new(link, request, envelope->kind);
    header.payload = (int32_t)(packet + data);
    cpu_spend_for(context, config->message, &p4_stage, request->message);
    mesh_item_header(item, config->header, &header, sizeof header);
    if (!config->writev && packet + data > 0) {
        item->use = NOT_LAST;
        out_append(p4, item);
        item = mesh_item_new(link, request, envelope->kind);
    }
    mesh_item_data(item, packet, MESSAGE_NONE, 0);
    mesh_item_data(item, data, request->message, 0);
    out_append(p4, item);
}

// net_send: the socket is full. Waits until it can be written, the lower rank also until a message
// can be read.
static enum mpi_progress wait_to_write(struct cpu_context *context, struct p4_process *p4,
                                       struct mesh_link *to)
{
    bool drains = p4->process->rank < to->rank;
    if (!mesh_open(to)) {
        mesh_lost(to);
        return PROGRESS_BLOCKED;
    }
    for (int rank = 0; rank < p4->process->ranks; rank++)
        p4->mesh.links[rank].wanted_ready = drains ? INET_READABLE : 0;
    to->wanted_ready |= INET_WRITABLE;
    if (mesh_select(context, &p4->mesh, true) == 0)
        return PROGRESS_BLOCKED;
    p4->full = false;
    if (to->ready & INET_WRITABLE)
        return PROGRESS_EVENT;
    for (int rank = 0; rank < p4->process->ranks && !p4->reading; rank++)
        if (p4->mesh.links[rank].ready & INET_READABLE)
            p4->reading = &p4->mesh.links[rank];
    return PROGRESS_EVENT;
}

// One write call of the message under way.
static enum mpi_progress write_on(struct cpu_context *context, struct p4_process *p4)
{
    struct mesh_item *done = NULL;
    struct mpi_request *request;
    int use;
    if (!p4->writing) {
        p4->writing = p4->out_head;
        p4->out_head = p4->out_head->next;
        mesh_queue(p4->writing, 0);
    }
    struct mesh_link *link = p4->writing->link;
    if (p4->full)
        return wait_to_write(context, p4, link);
    switch (mesh_write(context, link, &done)) {
    case MESH_PART:
        return PROGRESS_EVENT;
    case MESH_EMPTY:
        p4->full = true;
        return PROGRESS_EVENT;
    case MESH_CLOSED:
        mesh_lost(link);
        return PROGRESS_BLOCKED;
    case MESH_WHOLE:
        break;
    }
    request = done->request;
    use = done->use;
    p4->writing = NULL;
    mesh_item_free(done);
    if (use != NOT_LAST)
        p4_written(context, request, (enum p4_kind)use);
    return PROGRESS_EVENT;
}

// ---- Receiving ----

static bool select_one(struct cpu_context *context, struct mesh_link *link, bool block)
{
    struct inet_selected selected = {tcp_socket_inet(link->socket), INET_READABLE, 0};
    return inet_select(context, &selected, 1, block) > 0;
}

// net_recv: waits in select, on this socket alone.
static enum mpi_progress wait_to_read(struct cpu_context *context, struct p4_process *p4)
{
    if (!select_one(context, p4->reading, true))
        return PROGRESS_BLOCKED;
    p4->empty = false;
    return PROGRESS_EVENT;
}

static void header_read(struct cpu_context *context, struct p4_process *p4)
{
    struct mesh_link *link = p4->reading;
    struct p4_message *message = pool_take(&p4->messages);
    *message = (struct p4_message){.link = link};
    g_assert(link->reader->header_filled == sizeof message->envelope);
    memcpy(&message->envelope, link->reader->header, sizeof message->envelope);
    cpu_spend_for(context, p4->config->message, &p4_stage, message->envelope.message);
    p4->current = message;
    mesh_expect(link, message->envelope.payload);
}

static void payload_read(struct p4_process *p4)
{
    mesh_expect_header(p4->reading);
    FIFO_APPEND(p4->queue_head, p4->queue_tail, p4->current, next);
    p4->reading = NULL;
    p4->current = NULL;
}

// One read call of the message under way.
static enum mpi_progress read_on(struct cpu_context *context, struct p4_process *p4)
{
    struct mesh_link *link = p4->reading;
    if (p4->empty)
        return wait_to_read(context, p4);
    switch (mesh_read(context, link)) {
    case MESH_PART:
        return PROGRESS_EVENT;
    case MESH_EMPTY:
        p4->empty = true;
        return PROGRESS_EVENT;
    case MESH_CLOSED:
        if (!mesh_at_start(link))
            mesh_lost(link);
        p4->reading = NULL;
        return PROGRESS_EVENT;
    case MESH_WHOLE:
        break;
    }
    struct mesh_reader *reader = link->reader;
    if (reader->in_header)
        header_read(context, p4);
    if (!reader->in_header && reader->got == reader->wanted)
        payload_read(p4);
    return PROGRESS_EVENT;
}

// search_p4_queue: the first message of those that are asked for, out of the queue. NULL if none.
static struct p4_message *take_queued(struct p4_process *p4)
{
    struct p4_message *before = NULL, *at = p4->queue_head;
    while (at && p4->awaited && (at->link != p4->awaited || at->envelope.kind != P4_DATA)) {
        before = at;
        at = at->next;
    }
    if (!at)
        return NULL;
    if (before)
        before->next = at->next;
    else
        p4->queue_head = at->next;
    if (p4->queue_tail == at)
        p4->queue_tail = before;
    return at;
}

// socket_recv: select over all sockets, then a message of the first that is ready.
static enum mpi_progress select_all(struct cpu_context *context, struct p4_process *p4)
{
    for (int rank = 0; rank < p4->process->ranks; rank++)
        p4->mesh.links[rank].wanted_ready = INET_READABLE;
    p4->selecting = mesh_select(context, &p4->mesh, true) == 0;
    if (p4->selecting)
        return PROGRESS_BLOCKED;
    for (int rank = 0; rank < p4->process->ranks && !p4->reading; rank++)
        if (p4->mesh.links[rank].ready)
            p4->reading = &p4->mesh.links[rank];
    return PROGRESS_EVENT;
}

// socket_msgs_available: a select without waiting for each socket, and a peek at the first byte of
// one that is ready.
static bool messages_available(struct cpu_context *context, struct p4_process *p4)
{
    const struct kernel_config *kernel = &p4->process->host->config.kernel;
    for (int rank = 0; rank < p4->process->ranks; rank++) {
        struct mesh_link *link = &p4->mesh.links[rank];
        if (!mesh_open(link) || !select_one(context, link, false))
            continue;
        cpu_spend(context, kernel->system_call, &system_call_stage);
        p4->reading = link;
        return true;
    }
    return false;
}

// In a call that does not wait, only probes and tests check for messages.
static bool looking(const struct p4_process *p4)
{
    if (p4->process->tests)
        return true;
    for (const struct mpi_request *at = p4->process->active; at; at = at->active_next)
        if (at->kind == REQUEST_PROBE)
            return true;
    return false;
}

enum mpi_progress p4_advance(struct cpu_context *context, struct mpi_process *process,
                             bool blocking)
{
    struct p4_process *p4 = p4_process_of(process);
    if (p4->reading)
        return read_on(context, p4);
    if (p4->writing || p4->out_head)
        return write_on(context, p4);
    bool waits = blocking || p4->awaited;
    if (!waits && !looking(p4))
        return PROGRESS_NOTHING;
    struct p4_message *message = take_queued(p4);
    if (message) {
        p4_dispatch(context, p4, message);
        pool_give(&p4->messages, message);
        return PROGRESS_EVENT;
    }
    if (!p4->selecting)
        cpu_spend(context, p4->config->check, &p4_stage);
    if (waits)
        return select_all(context, p4);
    return messages_available(context, p4) ? PROGRESS_EVENT : PROGRESS_NOTHING;
}
