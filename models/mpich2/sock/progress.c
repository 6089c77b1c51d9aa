// SPDX-License-Identifier: GPL-3.0-or-later
// The progress engine (MPIDU_Sock_wait, MPIDI_CH3I_Progress_handle_sock_event). A turn hands out
// one event. If none is queued, it polls all descriptors; each one that is ready is then read and
// written by one call each, which may make events, and it polls again if there is none. The data
// after a packet are read as its event is handled, as far as they are here. In a blocking call the
// process sleeps in poll.
#include "models/mpich2/sock/sock.h"
#include "sim/core/fifo.h"

// ---- Events ----

static void add_event(struct sock_process *sock, struct sock_event *event,
                      struct sock_connection *connection, enum sock_event_kind kind)
{
    event->next = NULL;
    event->connection = connection;
    event->kind = kind;
    if (connection)
        connection->events++;
    FIFO_APPEND(sock->event_head, sock->event_tail, event, next);
}

static void handle_event(struct cpu_context *context, struct sock_process *sock,
                         struct sock_event *event)
{
    struct sock_connection *connection = event->connection;
    struct mesh_item *item = event->written;
    event->written = NULL;
    switch (event->kind) {
    case SOCK_ACCEPT:
        sock_accept(context, sock);
        return;
    case SOCK_CONNECT:
        sock_connected(context, connection);
        return;
    case SOCK_READ:
        if (sock_arrived(context, connection))
            sock->reading = connection;
        return;
    case SOCK_WRITTEN:
        sock_written(context, connection, item);
        return;
    case SOCK_GONE:
        sock_gone(context, connection);
        return;
    }
}

static void close_if_over(struct cpu_context *context, struct sock_connection *connection)
{
    if (connection && connection->machine.state == SOCK_CLOSING && connection->events == 0 &&
        (!connection->link.head || !mesh_open(&connection->link)))
        sock_close(context, connection);
}

static enum mpi_progress hand_out_event(struct cpu_context *context, struct sock_process *sock)
{
    struct sock_event *event = sock->event_head;
    struct sock_connection *connection = event->connection;
    sock->event_head = event->next;
    if (connection)
        connection->events--;
    handle_event(context, sock, event);
    if (sock->reading)
        return PROGRESS_PART;
    close_if_over(context, connection);
    return PROGRESS_EVENT;
}

// ---- A connection that is ready ----

static void serve_read(struct cpu_context *context, struct sock_process *sock,
                       struct sock_connection *connection)
{
    switch (mesh_read(context, &connection->link)) {
    case MESH_EMPTY:
    case MESH_PART:
        return;
    case MESH_CLOSED:
        add_event(sock, &connection->in, connection, SOCK_GONE);
        return;
    case MESH_WHOLE:
        add_event(sock, &connection->in, connection, SOCK_READ);
        return;
    }
}

static void serve_write(struct cpu_context *context, struct sock_process *sock,
                        struct sock_connection *connection)
{
    struct mesh_item *done = NULL;
    if (!connection->link.head)
        return;
    switch (mesh_write(context, &connection->link, &done)) {
    case MESH_EMPTY:
    case MESH_PART:
        return;
    case MESH_CLOSED:
        add_event(sock, &connection->out, connection, SOCK_GONE);
        return;
    case MESH_WHOLE:
        connection->out.written = done;
        add_event(sock, &connection->out, connection, SOCK_WRITTEN);
        return;
    }
}

// One call on the connection whose turn it is, reading first.
static void serve_ready(struct cpu_context *context, struct sock_process *sock)
{
    struct sock_connection *connection = sock->ready_head;
    bool reads = connection->ready & INET_READABLE;
    connection->ready &= reads ? INET_WRITABLE : 0;
    if (connection->machine.state == SOCK_CONNECTING) {
        connection->ready = 0;
        add_event(sock, &connection->out, connection, SOCK_CONNECT);
    } else if (reads) {
        serve_read(context, sock, connection);
    } else {
        serve_write(context, sock, connection);
    }
    if (!connection->ready)
        sock->ready_head = connection->ready_next;
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

// A pass begins after the first descriptor that was ready in the one before.
static void take_ready(struct cpu_context *context, struct sock_process *sock)
{
    guint count = sock->mesh.selected->len, first = sock->starting % count;
    int found = 0;
    for (guint i = 0; i < count; i++) {
        guint element = (first + i) % count;
        enum inet_readiness ready =
            g_array_index(sock->mesh.selected, struct inet_selected, element).ready;
        if (!ready)
            continue;
        if (found++ == 0)
            sock->starting = element + 1;
        if (sock->listener && element == 0) {
            add_event(sock, &sock->accept, NULL, SOCK_ACCEPT);
            continue;
        }
        struct sock_connection *connection =
            g_ptr_array_index(sock->connections, element - (sock->listener ? 1 : 0));
        connection->ready = (uint8_t)ready;
        FIFO_APPEND(sock->ready_head, sock->ready_tail, connection, ready_next);
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
    return PROGRESS_PART;
}

enum mpi_progress sock_advance(struct cpu_context *context, struct mpi_process *process,
                               bool blocking)
{
    struct sock_process *sock = sock_of(process);
    struct sock_connection *connection = sock->reading;
    if (connection) {
        sock->reading = NULL;
        sock_read_data(context, connection);
        close_if_over(context, connection);
        return PROGRESS_EVENT;
    }
    if (sock->ready_head) {
        serve_ready(context, sock);
        return PROGRESS_PART;
    }
    return sock->event_head ? hand_out_event(context, sock) : poll_all(context, sock, blocking);
}
