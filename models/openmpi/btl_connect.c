// SPDX-License-Identifier: GPL-3.0-or-later
// Connections of the BTL, from the first fragment of either side to the end.
#include "models/openmpi/openmpi.h"
#include "models/openmpi/port.h"

#include <string.h>

// A caller that has gone before it is accepted leaves the endpoint closed.
static const struct machine_state btl_states[] = {
    [BTL_CLOSED] = {"closed", .next = MACHINE_TO(BTL_CONNECTING, BTL_CONNECTED, BTL_CLOSED)},
    [BTL_CONNECTING] = {"connecting", .next = MACHINE_TO(BTL_CONNECT_ACK, BTL_CLOSED)},
    [BTL_CONNECT_ACK] = {"connect_ack", .next = MACHINE_TO(BTL_CONNECTED, BTL_CLOSED)},
    [BTL_CONNECTED] = {"connected", .next = MACHINE_TO(BTL_CLOSED)},
};

const struct machine_kind btl_machine = {
    .name = "btl",
    .title = "Endpoint of Open MPI's BTL tcp",
    .source = "Open MPI, ompi/mca/btl/tcp/btl_tcp_endpoint.c: MCA_BTL_TCP_*",
    .states = btl_states,
    .count = G_N_ELEMENTS(btl_states),
};

static void enter_btl_state(const struct cpu_context *context, struct btl_endpoint *endpoint,
                            enum btl_state state, const char *event)
{
    const struct mpi_process *process = endpoint->peer->ompi->process;
    const struct machine_owner owner = {.where = process->name, .subject = endpoint->peer->rank};
    char detail[64] = "";
    if (process->sim->trace)
        g_snprintf(detail, sizeof detail, "card %d: %s", endpoint->card, event);
    cpu_machine_enter(context, &btl_machine, &endpoint->machine, state, owner, detail);
}

static void open_socket(struct btl_endpoint *endpoint, struct tcp_socket *socket)
{
    endpoint->socket = socket;
    endpoint->reader = (struct btl_reader){0};
    g_ptr_array_add(endpoint->peer->ompi->open, endpoint);
}

void btl_connect(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    struct openmpi_process *ompi = endpoint->peer->ompi;
    const struct openmpi_config *config = ompi->config;
    struct tcp_options options = {config->send_buffer, config->receive_buffer, config->no_delay};
    open_socket(endpoint,
                tcp_connect(context, ompi->host, endpoint->station,
                            openmpi_port(endpoint->peer->rank), &options, &ompi->process->task));
    enter_btl_state(context, endpoint, BTL_CONNECTING, "first fragment");
}

static bool send_name(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    int32_t rank = endpoint->peer->ompi->process->rank;
    struct tcp_run name = {
        .length = BTL_NAME_BYTES, .content = &rank, .content_length = sizeof rank};
    return tcp_write(context, endpoint->socket, INET_WRITE, &name, 1) == BTL_NAME_BYTES;
}

// Reads the name of the other side, which is shorter than any segment: all of it or nothing.
// Returns false if the connection has ended.
static bool read_name(struct cpu_context *context, struct tcp_socket *socket, int32_t *rank)
{
    struct tcp_piece piece;
    int count;
    if (tcp_read(context, socket, INET_READ, BTL_NAME_BYTES, &piece, 1, &count) != BTL_NAME_BYTES)
        return false;
    memcpy(rank, piece.content, sizeof *rank);
    tcp_read_done(socket);
    return true;
}

void btl_connected(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    if (!tcp_established(endpoint->socket) || !send_name(context, endpoint))
        btl_close(context, endpoint, "refused");
    else
        enter_btl_state(context, endpoint, BTL_CONNECT_ACK, "connected");
}

static void connection_up(struct cpu_context *context, struct btl_endpoint *endpoint,
                          const char *event)
{
    (*endpoint->peer->ompi->connections)++;
    enter_btl_state(context, endpoint, BTL_CONNECTED, event);
    endpoint->sending = endpoint->queue;
    if (endpoint->queue)
        endpoint->queue = endpoint->queue->next;
}

void btl_answered(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    int32_t rank;
    if (!read_name(context, endpoint->socket, &rank)) {
        btl_close(context, endpoint, "rejected");
        return;
    }
    g_assert(rank == endpoint->peer->rank);
    connection_up(context, endpoint, "answer");
}

// ---- Calls of others ----

void btl_accept(struct cpu_context *context, struct openmpi_process *ompi)
{
    struct tcp_socket *socket = tcp_accept(context, ompi->listener);
    g_assert(socket); // the listener was readable
    struct btl_caller *caller = g_new0(struct btl_caller, 1);
    caller->socket = socket;
    g_ptr_array_add(ompi->callers, caller);
}

static struct btl_endpoint *endpoint_of(struct bml_peer *peer, int station)
{
    for (int i = 0; i < peer->count; i++)
        if (peer->endpoints[i].station == station)
            return &peer->endpoints[i];
    return NULL;
}

static bool accepts_call(const struct btl_endpoint *endpoint)
{
    int own = endpoint->peer->ompi->process->rank;
    return !endpoint->socket ||
           (endpoint->machine.state != BTL_CONNECTED && endpoint->peer->rank < own);
}

static void take_call(struct cpu_context *context, struct btl_endpoint *endpoint,
                      struct tcp_socket *socket)
{
    if (endpoint->socket)
        btl_close(context, endpoint, "the call of the lower rank stays");
    open_socket(endpoint, socket);
    if (send_name(context, endpoint))
        connection_up(context, endpoint, "accept");
    else
        btl_close(context, endpoint, "caller has gone");
}

void btl_called(struct cpu_context *context, struct openmpi_process *ompi,
                struct btl_caller *caller)
{
    struct tcp_socket *socket = caller->socket;
    struct btl_endpoint *endpoint = NULL;
    int32_t rank;
    g_ptr_array_remove(ompi->callers, caller); // frees it
    if (read_name(context, socket, &rank)) {
        struct bml_peer *peer = bml_peer_of(ompi, rank);
        endpoint = peer ? endpoint_of(peer, tcp_socket_peer(socket)) : NULL;
    }
    if (endpoint && accepts_call(endpoint)) {
        take_call(context, endpoint, socket);
        return;
    }
    (*ompi->rejected)++;
    tcp_close(context, socket);
}

// ---- The end ----

// Nothing that a poll has found of the connection counts any more.
static void forget_found(struct openmpi_process *ompi, const struct btl_endpoint *endpoint)
{
    if (ompi->again == endpoint)
        ompi->again = NULL;
    g_ptr_array_remove(ompi->owed, (gpointer)(uintptr_t)endpoint);
    for (guint i = 0; i < ompi->watched->len; i++)
        if (g_array_index(ompi->watched, struct openmpi_watched, i).endpoint == endpoint)
            g_array_index(ompi->selected, struct inet_selected, i).ready = 0;
}

void btl_close(struct cpu_context *context, struct btl_endpoint *endpoint, const char *why)
{
    struct openmpi_process *ompi = endpoint->peer->ompi;
    tcp_close(context, endpoint->socket);
    endpoint->socket = NULL;
    g_ptr_array_remove(ompi->open, endpoint);
    forget_found(ompi, endpoint);
    enter_btl_state(context, endpoint, BTL_CLOSED, why);
}

void btl_lost(struct cpu_context *context, struct btl_endpoint *endpoint)
{
    const struct openmpi_process *ompi = endpoint->peer->ompi;
    if (ompi->job->finalized && !endpoint->reader.in_body && !endpoint->reader.partial &&
        !endpoint->sending) {
        btl_close(context, endpoint, "the peer has ended");
        return;
    }
    mpi_fail(ompi->process, "connection_broken", json_pack("{s:i}", "peer", endpoint->peer->rank),
             " loses its connection to rank %d over card %d", endpoint->peer->rank, endpoint->card);
}
