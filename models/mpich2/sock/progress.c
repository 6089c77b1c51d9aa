// SPDX-License-Identifier: GPL-3.0-or-later
// The progress engine (MPIDU_Sock_wait, MPIDI_CH3I_Progress_handle_sock_event). A turn polls all
// descriptors; each one that is ready is then read or written by one call, and the data after a
// packet are read at once, as far as they are here. In a blocking call the process sleeps in poll.
#include "models/mpich2/sock/sock.h"
#include "sim/core/fifo.h"

// ---- A connection that is ready ----

// Returns true if there is more to do at once.
static bool serve_read(struct cpu_context *context, struct sock_connection *connection)
{
    if (connection->machine.state == SOCK_CONNECTING) {
        sock_connected(context, connection);
        connection->link.ready = 0;
        return false;
    }
    return sock_read(context, connection);
}

// One call on the connection whose turn it is.
static void serve_connection(struct cpu_context *context, struct sock_process *sock)
{
    struct sock_connection *connection = sock->serving;
    if (connection->link.ready & INET_READABLE) {
        if (!serve_read(context, connection))
            connection->link.ready &= INET_WRITABLE;
    } else if (connection->link.ready & INET_WRITABLE) {
        connection->link.ready = 0;
        if (connection->machine.state == SOCK_CONNECTING)
            sock_connected(context, connection);
        else
            sock_write(context, connection);
    }
    bool closes = connection->machine.state == SOCK_CLOSING &&
                  (!connection->link.head || !mesh_open(&connection->link));
    if (closes || !connection->link.ready)
        sock->serving = NULL;
    if (closes)
        sock_close(context, connection);
}

// ---- poll ----

static uint8_t wanted(const struct sock_connection *connection)
{
    uint8_t writes = connection->link.head ? INET_WRITABLE : 0;
    switch ((enum sock_connection_state)connection->machine.state) {
    case SOCK_CONNECTING:
        return INET_WRITABLE;
    case SOCK_OPEN_CSEND:
    case SOCK_OPEN_LSEND:
    case SOCK_CLOSING:
        return writes;
    case SOCK_OPEN_CRECV:
    case SOCK_OPEN_LRECV_PKT:
    case SOCK_OPEN_LRECV_DATA:
        return INET_READABLE;
    case SOCK_CONNECTED:
        return INET_READABLE | writes;
    case SOCK_UNCONNECTED:
    case SOCK_CLOSED:
        break;
    }
    return 0;
}

static void add_socket(GArray *selected, struct inet_socket *socket, uint8_t readiness)
{
    struct inet_selected entry = {.socket = socket, .wanted = (enum inet_readiness)readiness};
    g_array_append_val(selected, entry);
}

// The listener first, then the connections in their order.
static void gather_sockets(struct sock_process *sock)
{
    GArray *selected = sock->mesh.selected;
    g_array_set_size(selected, 0);
    if (sock->listener)
        add_socket(selected, tcp_listener_inet(sock->listener), INET_READABLE);
    for (guint i = 0; i < sock->connections->len; i++) {
        const struct sock_connection *connection = g_ptr_array_index(sock->connections, i);
        add_socket(selected, tcp_socket_inet(connection->link.socket), wanted(connection));
    }
}

static void take_ready(struct cpu_context *context, struct sock_process *sock)
{
    const struct inet_selected *at = &g_array_index(sock->mesh.selected, struct inet_selected, 0);
    int found = 0;
    if (sock->listener) {
        sock->accepting = at->ready != 0;
        found += (at++)->ready != 0;
    }
    for (guint i = 0; i < sock->connections->len; i++) {
        struct sock_connection *connection = g_ptr_array_index(sock->connections, i);
        connection->link.ready = (uint8_t)(at++)->ready;
        if (!connection->link.ready)
            continue;
        FIFO_APPEND(sock->ready_head, sock->ready_tail, connection, ready_next);
        found++;
    }
    cpu_spend_time(context, time_times(found, cpu_cost(context->cpu, sock->config->event)),
                   &sock_stage);
}

static enum mpi_progress poll_all(struct cpu_context *context, struct sock_process *sock,
                                  bool blocking)
{
    enum mpi_progress nothing = blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
    // Woken, the process is still inside poll: no new turn.
    if (!sock->polling)
        cpu_spend(context, sock->config->turn, &sock_stage);
    sock->polling = false;
    gather_sockets(sock);
    if (sock->mesh.selected->len == 0) // a job of one process
        return nothing;
    struct inet_selected *selected = &g_array_index(sock->mesh.selected, struct inet_selected, 0);
    if (inet_select(context, selected, (int)sock->mesh.selected->len, blocking) == 0) {
        sock->polling = blocking;
        return nothing;
    }
    take_ready(context, sock);
    return PROGRESS_EVENT;
}

enum mpi_progress sock_advance(struct cpu_context *context, struct mpi_process *process,
                               bool blocking)
{
    struct sock_process *sock = sock_of(process);
    if (!sock->serving && sock->ready_head) {
        sock->serving = sock->ready_head;
        sock->ready_head = sock->ready_head->ready_next;
    }
    if (sock->serving) {
        serve_connection(context, sock);
        return PROGRESS_EVENT;
    }
    if (sock->accepting) {
        sock->accepting = false;
        sock_accept(context, sock);
        return PROGRESS_EVENT;
    }
    return poll_all(context, sock, blocking);
}
