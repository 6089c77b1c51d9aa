// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/p4.h"
#include "sim/core/fifo.h"

#include <string.h>

static const struct stage p4_stage = {"p4", STAGE_LIBRARY};

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

// The first link that the last select has found readable; NULL: none.
static struct mesh_link *first_readable(const struct p4_process *p4)
{
    const struct mesh *mesh = &p4->mesh;
    int ranks = p4->process->ranks, rank = mesh_next_set(mesh, mesh->ready, 0);
    while (rank < ranks && !(mesh->ready[rank] & INET_READABLE))
        rank = mesh_next_set(mesh, mesh->ready, rank + 1);
    return rank < ranks ? &mesh->links[rank] : NULL;
}

// socket_recv without waiting: another select over all sockets, and then the message of the first
// that is ready.
static void receive_ready(struct cpu_context *context, struct p4_process *p4)
{
    mesh_want_all(&p4->mesh, INET_READABLE);
    if (mesh_select(context, &p4->mesh, false) > 0)
        p4->reading = first_readable(p4);
}

// The higher rank of two does not receive while it can't write: it writes and selects again, as
// long as the message that it does not read is there.
static enum mpi_progress write_again(struct cpu_context *context, struct p4_process *p4,
                                     struct mesh_link *to, bool slept)
{
    if (slept)
        return PROGRESS_EVENT;
    mesh_want_all(&p4->mesh, 0);
    p4->mesh.wanted[to->rank] = INET_WRITABLE;
    return mesh_spin(context, &p4->mesh, MAX(1, context->now - p4->tried)) ? PROGRESS_EVENT
                                                                           : PROGRESS_BLOCKED;
}

// net_send_w (p4_sock_util.c): the socket is full. p4_sockets_ready waits until it can be written
// or another can be read, and peeks at the latter; the lower rank of the two receives then.
static enum mpi_progress wait_to_write(struct cpu_context *context, struct p4_process *p4,
                                       struct mesh_link *to)
{
    bool slept = p4->waits_to_write;
    if (!mesh_open(to)) {
        mesh_lost(to);
        return PROGRESS_BLOCKED;
    }
    mesh_want_all(&p4->mesh, INET_READABLE);
    p4->mesh.wanted[to->rank] |= INET_WRITABLE;
    p4->waits_to_write = mesh_select(context, &p4->mesh, true) == 0;
    if (p4->waits_to_write)
        return PROGRESS_BLOCKED;
    p4->full = false;
    if (p4->mesh.ready[to->rank] & INET_WRITABLE)
        return PROGRESS_EVENT;
    inet_call(context, p4->process->host, INET_PEEK);
    if (p4->process->rank > to->rank)
        return write_again(context, p4, to, slept);
    receive_ready(context, p4);
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
    p4->tried = context->now;
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

// ---- The queue of messages ----

// In MPI_Test and MPI_Waitany every receive by rendezvous is asked for its data (RecvIcomplete).
static bool asked_for(const struct p4_process *p4, const struct mpi_request *request)
{
    const struct mpi_request *own = p4->process->own;
    return own ? request == own : request->waited || p4->process->tests;
}

// The type of a message that a receive of p4 names: control packets have one of their own, the data
// of an eager message their sender's, those of a rendezvous one that the receiver has made up.
static bool of_type(const struct p4_process *p4, const struct p4_message *message,
                    const struct mpi_request *own)
{
    bool data = message->envelope.kind == P4_DATA;
    if (p4->awaited)
        return data && message->link == p4->awaited &&
               message_same(message->envelope.message, p4_awaited_message(p4));
    if (own)
        return data && message_same(message->envelope.message, own->message);
    return !data;
}

// Data of a rendezvous that one of several receives waits for.
static bool of_several(const struct p4_process *p4, const struct p4_message *message)
{
    if (p4->awaited || message->envelope.kind != P4_DATA)
        return false;
    return asked_for(p4, p4_request_of(p4, &message->envelope, P4_WAIT_DATA));
}

// search_p4_queue: the first message of a type; `own`: data of this receive. `several`: data of any
// request that the call is for, too. *before: the one before it. NULL: there is none.
static struct p4_message *find_queued(const struct p4_process *p4, const struct mpi_request *own,
                                      bool several, struct p4_message **before)
{
    struct p4_message *at = p4->queue_head;
    *before = NULL;
    while (at && !of_type(p4, at, own) && !(several && of_several(p4, at))) {
        *before = at;
        at = at->next;
    }
    return at;
}

static void remove_queued(struct p4_process *p4, const struct p4_message *message,
                          struct p4_message *before)
{
    if (before)
        before->next = message->next;
    else
        p4->queue_head = message->next;
    if (p4->queue_tail == message)
        p4->queue_tail = before;
}

static bool dispatch_queued(struct cpu_context *context, struct p4_process *p4,
                            const struct mpi_request *own, bool several)
{
    struct p4_message *before, *message = find_queued(p4, own, several, &before);
    if (!message)
        return false;
    remove_queued(p4, message, before);
    p4_dispatch(context, p4, message);
    pool_give(&p4->messages, message);
    return true;
}

// ---- Waiting for messages ----

// select over all sockets. Returns false if the process sleeps in it.
static bool select_all(struct cpu_context *context, struct p4_process *p4)
{
    mesh_want_all(&p4->mesh, INET_READABLE);
    p4->selecting = mesh_select(context, &p4->mesh, true) == 0;
    return !p4->selecting;
}

// socket_msgs_available: a select without waiting for each socket, and a peek at the first byte of
// one that is ready, whose message socket_recv reads then. Returns false if there is none.
static bool messages_available(struct cpu_context *context, struct p4_process *p4)
{
    for (int rank = 0; rank < p4->process->ranks; rank++) {
        struct mesh_link *link = &p4->mesh.links[rank];
        if (!mesh_open(link) || !select_one(context, link, false))
            continue;
        inet_call(context, p4->process->host, INET_PEEK);
        receive_ready(context, p4);
        return true;
    }
    return false;
}

// ---- The data of a rendezvous ----

// The request that the call waits for now, if it is a receive that has sent its ok.
static const struct mpi_request *own_rendezvous(const struct p4_process *p4)
{
    const struct mpi_request *own = p4->process->own;
    return own && own->machine.state == P4_WAIT_DATA ? own : NULL;
}

// Messages for others are in the queue, so that p4_waitformsg returns at once: the loop of
// MPID_CH_Rndvb_unxrecv_end spins.
static enum mpi_progress spin_for_data(struct cpu_context *context, struct p4_process *p4)
{
    const struct kernel_config *kernel = &p4->process->host->config.kernel;
    sim_time turn = cpu_cost(context->cpu, p4->config->check);
    for (int rank = 0; rank < p4->process->ranks; rank++) {
        const struct mesh_link *link = &p4->mesh.links[rank];
        if (!mesh_open(link))
            continue;
        const struct inet_config *inet = tcp_socket_inet(link->socket)->host->config;
        turn += 2 * (cpu_cost(context->cpu, kernel->system_call) +
                     cpu_cost(context->cpu, inet->select_call) +
                     cpu_cost(context->cpu, inet->select_socket));
    }
    mesh_want_all(&p4->mesh, INET_READABLE);
    return mesh_spin(context, &p4->mesh, MAX(1, turn)) ? PROGRESS_EVENT : PROGRESS_BLOCKED;
}

// MPID_CH_Rndvb_unxrecv_end (MPICH 1.2.5, mpid/ch2/chbrndv.c) with p4_messages_available and
// p4_waitformsg (p4_tsr.c): asks for the data, waits for any message in a select that reads
// nothing, handles a control packet, and asks again. Each question takes a select for each socket,
// also after a message that was read was of another type.
static enum mpi_progress wait_for_data(struct cpu_context *context, struct p4_process *p4,
                                       const struct mpi_request *own)
{
    struct p4_message *before;
    switch (p4->look) {
    case P4_ASK:
        if (!dispatch_queued(context, p4, own, false) && !messages_available(context, p4))
            p4->look = P4_WAIT;
        return PROGRESS_EVENT;
    case P4_WAIT:
        if (!p4->queue_head && !select_all(context, p4))
            return PROGRESS_BLOCKED;
        cpu_spend(context, p4->config->check, &p4_stage);
        p4->look = P4_CHECK;
        return PROGRESS_EVENT;
    case P4_CHECK:
        if (dispatch_queued(context, p4, NULL, false)) {
            p4->look = P4_ASK;
            return PROGRESS_EVENT;
        }
        if (messages_available(context, p4))
            return PROGRESS_EVENT;
        p4->look = P4_ASK;
        if (!p4->queue_head || find_queued(p4, own, false, &before))
            return PROGRESS_EVENT;
        return spin_for_data(context, p4);
    }
    g_assert_not_reached();
}

// ---- Progress ----

// Handles the next message, or polls for one, which p4_go_on then reads.
static enum mpi_progress handle_next(struct cpu_context *context, struct p4_process *p4,
                                     bool blocking)
{
    if (dispatch_queued(context, p4, NULL, true))
        return PROGRESS_EVENT;
    if (!p4->selecting)
        cpu_spend(context, p4->config->check, &p4_stage);
    if (!blocking)
        return messages_available(context, p4) ? PROGRESS_PART : PROGRESS_NOTHING;
    if (!select_all(context, p4)) // socket_recv
        return PROGRESS_BLOCKED;
    p4->reading = first_readable(p4);
    return PROGRESS_PART;
}

// The rest of a message that is read or written, and the data of an eager message whose packet was
// handled.
enum mpi_progress p4_go_on(struct cpu_context *context, struct mpi_process *process)
{
    struct p4_process *p4 = p4_process_of(process);
    if (p4->reading)
        return read_on(context, p4);
    if (p4->writing || p4->out_head)
        return write_on(context, p4);
    return p4->awaited ? handle_next(context, p4, true) : PROGRESS_NOTHING;
}

enum mpi_progress p4_advance(struct cpu_context *context, struct mpi_process *process,
                             bool blocking)
{
    struct p4_process *p4 = p4_process_of(process);
    const struct mpi_request *own = blocking ? own_rendezvous(p4) : NULL;
    if (own)
        return wait_for_data(context, p4, own);
    p4->look = P4_ASK;
    return handle_next(context, p4, blocking);
}
