// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sctp_cmt/native/native.h"

static const struct stage native_stage = {"test program", STAGE_LIBRARY};

// SCTP has no empty user messages (RFC 9260, 3.3.1): one byte represents such a message.
#define STAND_IN_BYTES 1

// Payload protocol identifiers from it on belong to no protocol, so that captures do not take user
// data for those of a protocol with a small number (M2UA is 2).
#define PROTOCOL_BASE 0x4e540000u

static struct native_link *link_to(const struct mpi_process *process, int peer)
{
    return &native_of(process)->links[peer];
}

static void lost(const struct mpi_process *process, int peer)
{
    mpi_fail(process, "connection_broken", NULL, " loses its association with rank %d", peer);
}

// ---- Sending ----

static bool post(struct cpu_context *context, struct mpi_request *request, int64_t offset,
                 int64_t *taken)
{
    struct mpi_process *process = request->process;
    const struct native_sctp_config *config = native_of(process)->config;
    const struct native_link *link = link_to(process, request->peer);
    // A user message has to fit into the send buffer (EMSGSIZE).
    int64_t most = MIN(config->message, sctp_socket_settings(link->socket)->send_buffer);
    bool empty = request->size == 0;
    struct sctp_send_info info = {
        .station = -1,
        .stream = (uint16_t)(request->tag % link->streams),
        .protocol = PROTOCOL_BASE + (uint32_t)request->tag, // the receiver matches by it
        .bytes = empty ? STAND_IN_BYTES : MIN(most, request->size - offset),
        .message = request->message,
        .offset = offset,
        .stands_in = empty,
    };
    cpu_spend(context, config->call, &native_stage);
    int64_t sent = sctp_send(context, link->socket, &info);
    if (sent < 0 && sent != SCTP_AGAIN)
        lost(process, request->peer);
    *taken = empty ? 0 : sent;
    return sent > 0;
}

// A send that the socket has taken is done: returns the next of those.
static struct mpi_request *taken_send(const struct mpi_process *process)
{
    struct mpi_request *oldest = NULL;
    for (struct mpi_request *at = process->active; at; at = at->active_next)
        if (at->kind == REQUEST_SEND && mpi_bare_posted(at))
            oldest = at;
    return oldest;
}

// The socket that the oldest send without room waits for, or NULL if none does.
static struct sctp_socket *awaited_room(const struct mpi_process *process)
{
    const struct mpi_request *waiting = native_of(process)->bare.waiting.head;
    return waiting ? link_to(process, waiting->peer)->socket : NULL;
}

static bool is_ready(struct sctp_socket *socket, enum inet_readiness readiness)
{
    const struct inet_socket *inet = sctp_socket_inet(socket);
    return inet->ops->goes_on ? inet->ops->goes_on(inet, readiness)
                              : (inet->ops->ready(inet) & (int)readiness) != 0;
}

// ---- Receiving ----

// A user message, or a part of it, as it waits for its receive.
struct arrival {
    struct message_ref message;
    int64_t offset, bytes;
    bool empty;
};

static void take(struct cpu_context *context, struct mpi_request *request, const void *arrived)
{
    const struct arrival *arrival = arrived;
    if (!mpi_bare_begin(request, arrival->message, request->size))
        return;
    ledger_deliver(request->process->sim->ledger, arrival->message, arrival->offset,
                   arrival->empty ? 0 : arrival->bytes);
    mpi_bare_received(context, request, arrival->empty ? 0 : arrival->bytes);
}

static bool receive_from(struct cpu_context *context, struct mpi_process *process, int peer)
{
    const struct native_sctp_config *config = native_of(process)->config;
    struct sctp_received received;
    cpu_spend(context, config->call, &native_stage);
    int64_t bytes = sctp_receive(context, link_to(process, peer)->socket,
                                 native_of(process)->longest_read, &received);
    if (bytes <= 0) {
        if (bytes != SCTP_AGAIN)
            lost(process, peer);
        return true;
    }
    if (received.notification)
        return true;
    const struct arrival arrival = {received.message, received.offset, bytes, received.stands_in};
    mpi_bare_part_arrived(context, process, peer, (int)(received.protocol - PROTOCOL_BASE),
                          received.message, &arrival);
    return true;
}

// A receive of this process, `at` or a later one of the active requests; NULL: there is none.
static const struct mpi_request *receive_at(const struct mpi_request *at)
{
    while (at && at->kind != REQUEST_RECV)
        at = at->active_next;
    return at;
}

static bool is_readable(const struct mpi_process *process, int peer)
{
    struct sctp_socket *socket = link_to(process, peer)->socket;
    return socket && is_ready(socket, INET_READABLE);
}

// The lowest rank from which something can be read: of all while a send waits for room, else of
// those that a receive expects something from. -1: none.
static int readable_peer(const struct mpi_process *process, bool of_all)
{
    int lowest = process->ranks;
    for (int peer = 0; of_all && peer < process->ranks; peer++)
        if (is_readable(process, peer))
            return peer;
    if (of_all)
        return -1;
    for (const struct mpi_request *at = receive_at(process->active); at;
         at = receive_at(at->active_next))
        if (at->peer >= 0 && at->peer < lowest && is_readable(process, at->peer))
            lowest = at->peer;
    return lowest < process->ranks ? lowest : -1;
}

static bool poll(struct cpu_context *context, struct mpi_process *process)
{
    struct mpi_request *taken = taken_send(process);
    if (taken) {
        mpi_bare_sent(context, taken, taken->size);
        return true;
    }
    struct sctp_socket *full = awaited_room(process);
    if (full && is_ready(full, INET_WRITABLE)) {
        mpi_bare_room(context, process);
        return true;
    }
    int peer = readable_peer(process, full != NULL);
    return peer >= 0 && receive_from(context, process, peer);
}

static void select_for(GArray *selected, struct sctp_socket *socket, enum inet_readiness wanted)
{
    struct inet_selected one = {sctp_socket_inet(socket), wanted, 0};
    g_array_append_val(selected, one);
}

// While a send waits for room: for it, and for what its peers send.
static void select_all(const struct mpi_process *process, const struct sctp_socket *full)
{
    for (int peer = 0; peer < process->ranks; peer++) {
        struct sctp_socket *socket = link_to(process, peer)->socket;
        int wanted = INET_READABLE | (socket == full ? INET_WRITABLE : 0);
        if (socket)
            select_for(native_of(process)->selected, socket, (enum inet_readiness)wanted);
    }
}

static int by_rank(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// For what receives expect, each peer once, in the order of ranks.
static void select_senders(const struct mpi_process *process)
{
    struct native_process *native = native_of(process);
    g_array_set_size(native->senders, 0);
    for (const struct mpi_request *at = receive_at(process->active); at;
         at = receive_at(at->active_next))
        if (at->peer >= 0 && link_to(process, at->peer)->socket)
            g_array_append_val(native->senders, at->peer);
    g_array_sort(native->senders, by_rank);
    int last = -1;
    for (guint i = 0; i < native->senders->len; i++) {
        int peer = g_array_index(native->senders, int, i);
        if (peer != last)
            select_for(native->selected, link_to(process, peer)->socket, INET_READABLE);
        last = peer;
    }
}

// Sleeps until a socket has what some request needs: in the call on it if there is but one, as
// test programs do, else in select.
static void sleep_for(struct cpu_context *context, struct mpi_process *process)
{
    struct native_process *native = native_of(process);
    struct sctp_socket *full = awaited_room(process);
    g_array_set_size(native->selected, 0);
    if (full)
        select_all(process, full);
    else
        select_senders(process);
    if (native->selected->len == 0) // nothing that a socket could bring
        return;
    struct inet_selected *first = &g_array_index(native->selected, struct inet_selected, 0);
    bool one = native->selected->len == 1 &&
               (first->wanted == INET_READABLE || first->wanted == INET_WRITABLE);
    if (one)
        inet_wait(context, first->socket, first->wanted);
    else
        inet_select(context, first, (int)native->selected->len, true);
}

static const struct mpi_bare_ops bare = {
    .provider = "bare SCTP",
    .state = offsetof(struct native_process, bare),
    .early_size = sizeof(struct arrival),
    .tagged = true,
    .post = post,
    .poll = poll,
    .sleep = sleep_for,
    .take = take,
};

static const struct machine_state native_sctp_states[] = BARE_STATES(
    "the socket to take it", WAIT_BUFFER, "room in the socket", WAIT_BUFFER, "its bytes");

static const struct machine_kind native_sctp_machine =
    BARE_MACHINE("bare SCTP", native_sctp_states);

const struct mpi_device_ops native_sctp_ops = {
    .name = "SCTP",
    BARE_DEVICE(&bare, &native_sctp_machine),
    .startup = native_startup,
    .finalize = native_finalize,
};
