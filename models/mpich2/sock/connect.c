// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/sock/sock.h"

#include <string.h>

#define PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it

static const struct stage card_stage = {"business card", STAGE_LIBRARY};

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank);
}

static const struct machine_state connection_states[] = {
    [SOCK_UNCONNECTED] = {.next = MACHINE_TO(SOCK_CONNECTING, SOCK_OPEN_LRECV_PKT)},
    [SOCK_CONNECTING] = {"connecting",
                         .next = MACHINE_TO(SOCK_OPEN_CSEND, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_OPEN_CSEND] = {"open_csend",
                         .next = MACHINE_TO(SOCK_OPEN_CRECV, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_OPEN_CRECV] = {"open_crecv",
                         .next = MACHINE_TO(SOCK_CONNECTED, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_OPEN_LRECV_PKT] = {"open_lrecv_pkt",
                             .next = MACHINE_TO(SOCK_OPEN_LRECV_DATA, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_OPEN_LRECV_DATA] = {"open_lrecv_data",
                              .next = MACHINE_TO(SOCK_OPEN_LSEND, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_OPEN_LSEND] = {"open_lsend",
                         .next = MACHINE_TO(SOCK_CONNECTED, SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_CONNECTED] = {"connected", .next = MACHINE_TO(SOCK_CLOSING, SOCK_CLOSED)},
    [SOCK_CLOSING] = {"closing", .next = MACHINE_TO(SOCK_CLOSED)},
    [SOCK_CLOSED] = {.name = "closed"},
};

const struct machine_kind sock_connection_machine = {
    .name = "connection",
    .title = "Connection of ch3:sock",
    .source = "MPICH2 1.0.5, src/mpid/ch3/util/sock/ch3u_connect_sock.c: CONN_STATE_*",
    .states = connection_states,
    .count = G_N_ELEMENTS(connection_states),
};

static void enter_connection_state(const struct cpu_context *context,
                                   struct sock_connection *connection,
                                   enum sock_connection_state state, const char *event)
{
    const struct machine_owner owner = {.where = connection->link.mesh->process->name,
                                        .subject = connection->number};
    cpu_machine_enter(context, &sock_connection_machine, &connection->machine, state, owner, event);
}

static struct sock_connection *connection_new(const struct cpu_context *context,
                                              struct sock_process *sock, int rank,
                                              struct tcp_socket *socket,
                                              enum sock_connection_state state)
{
    struct sock_connection *connection = pool_take(&sock->pool);
    *connection = (struct sock_connection){.number = ++sock->connections_made};
    mesh_link_init(&connection->link, &sock->mesh, rank);
    connection->link.socket = socket;
    g_ptr_array_add(sock->connections, connection);
    enter_connection_state(context, connection, state, NULL);
    return connection;
}

// ---- Sends ----

void sock_queue(struct sock_process *sock, struct sock_connection *connection,
                struct ch3_send *send)
{
    struct mesh_item *item = mesh_item_new(&connection->link, NULL, 0);
    item->sends = send;
    mesh_item_header(item, sock->ch3.config->packet, &send->pkt, sizeof send->pkt);
    mesh_item_data(item, send->bytes, send->pkt.message, 0);
    mesh_queue(item, 0);
}

// Those of before the VC was connected.
static void queue_waiting(struct sock_process *sock, struct sock_vc *vc)
{
    struct ch3_send *send = vc->head;
    vc->head = NULL;
    for (struct ch3_send *next; send; send = next) {
        next = send->next;
        sock_queue(sock, vc->connection, send);
    }
}

// ---- MPI_Init ----

// Opens the listener and publishes the business card. The last one that has done so ends the
// process manager's barrier.
static enum mpi_progress listen_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct sock_process *sock = sock_of(process);
    (void)peer;
    if (process->ranks == 1)
        return PROGRESS_NOTHING;
    sock->listener = tcp_listen(context, sock->mesh.host, port_of(process->rank),
                                &sock->mesh.config.options, &process->task);
    tcp_listener_inet(sock->listener)->process->by_poll = true;
    cpu_spend_time(context, sock->config->business_card, &card_stage);
    if (++sock->job->listening < process->ranks)
        return PROGRESS_NOTHING;
    for (int rank = 0; rank < process->ranks; rank++)
        if (rank != process->rank)
            cpu_post_wake(context, &process->peers[rank]->task);
    return PROGRESS_NOTHING;
}

static enum mpi_progress barrier_step(struct cpu_context *context, struct mpi_process *process,
                                      int peer)
{
    (void)context, (void)peer;
    bool all = process->ranks == 1 || sock_of(process)->job->listening == process->ranks;
    return all ? PROGRESS_NOTHING : PROGRESS_BLOCKED;
}

const struct mpi_startup_step sock_startup[] = {
    {.run = listen_step},
    {.gate = true, .run = barrier_step},
    {0},
};

// ---- Opening: the end that connects ----

void sock_vc_connect(struct cpu_context *context, struct sock_process *sock, int rank)
{
    const struct mpi_process *process = sock->mesh.process;
    struct sock_vc *vc = sock_vc_of(sock, rank);
    vc->begun = true;
    cpu_spend_time(context, sock->config->business_card, &card_stage);
    int station = tcp_peer_station(sock->mesh.host, sock_of(process->peers[rank])->mesh.host);
    struct tcp_socket *socket = tcp_connect(context, sock->mesh.host, station, port_of(rank),
                                            &sock->mesh.config.options, &sock->mesh.process->task);
    vc->connection = connection_new(context, sock, rank, socket, SOCK_CONNECTING);
}

static void queue_open(struct sock_connection *connection, const struct ch3_pkt *pkt, int64_t data)
{
    struct sock_process *sock = sock_of_connection(connection);
    struct mesh_item *item = mesh_item_new(&connection->link, NULL, 0);
    mesh_item_header(item, sock->ch3.config->packet, pkt, sizeof *pkt);
    mesh_item_data(item, data, MESSAGE_NONE, 0);
    mesh_queue(item, 0);
}

void sock_connected(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    if (!tcp_established(connection->link.socket)) {
        sock_gone(context, connection);
        return;
    }
    enter_connection_state(context, connection, SOCK_OPEN_CSEND, NULL);
    queue_open(connection,
               &(struct ch3_pkt){.type = SOCK_PKT_OPEN_REQ, .tag = sock->mesh.process->rank},
               sock->config->group_id);
}

static void response_read(struct cpu_context *context, struct sock_connection *connection,
                          bool accepted)
{
    struct sock_process *sock = sock_of_connection(connection);
    struct sock_vc *vc = sock_vc_of(sock, connection->link.rank);
    if (accepted) {
        g_assert(vc->connection == connection);
        enter_connection_state(context, connection, SOCK_CONNECTED, NULL);
        queue_waiting(sock, vc);
        return;
    }
    if (vc->connection == connection)
        vc->connection = NULL; // the peer's own will come
    enter_connection_state(context, connection, SOCK_CLOSING, "refused");
}

// ---- Opening: the end that listens ----

void sock_accept(struct cpu_context *context, struct sock_process *sock)
{
    struct tcp_socket *socket = tcp_accept(context, sock->listener);
    g_assert(socket); // poll has found it
    connection_new(context, sock, RANK_ANY, socket, SOCK_OPEN_LRECV_PKT);
}

// The process group's id has arrived: the connection is accepted, unless this process has a
// connection to the peer itself and is the higher of the two. One that arrives after the other of
// the two has been used and closed, delayed by a loss, is not needed any more.
static void request_read(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    struct sock_vc *vc = sock_vc_of(sock, connection->link.rank);
    bool lower = sock->mesh.process->rank < connection->link.rank;
    connection->accepts = !vc->closed && (!vc->connection || lower);
    if (connection->accepts) {
        vc->begun = true;
        vc->connection = connection;
    }
    enter_connection_state(context, connection, SOCK_OPEN_LSEND,
                           connection->accepts ? NULL : "refuses");
    queue_open(connection,
               &(struct ch3_pkt){.type = SOCK_PKT_OPEN_RESP,
                                 .flags = connection->accepts ? SOCK_ACCEPTED : 0},
               0);
}

void sock_open_read(struct cpu_context *context, struct sock_connection *connection)
{
    const struct mesh_reader *reader = connection->link.reader;
    struct ch3_pkt pkt;
    if (connection->machine.state == SOCK_OPEN_LRECV_DATA) {
        mesh_expect_header(&connection->link);
        request_read(context, connection);
        return;
    }
    g_assert(reader->header_filled == sizeof pkt);
    memcpy(&pkt, reader->header, sizeof pkt);
    mesh_expect_header(&connection->link);
    if (connection->machine.state == SOCK_OPEN_CRECV) {
        g_assert(pkt.type == SOCK_PKT_OPEN_RESP);
        response_read(context, connection, pkt.flags & SOCK_ACCEPTED);
        return;
    }
    g_assert(connection->machine.state == SOCK_OPEN_LRECV_PKT && pkt.type == SOCK_PKT_OPEN_REQ);
    connection->link.rank = pkt.tag;
    enter_connection_state(context, connection, SOCK_OPEN_LRECV_DATA, NULL);
    mesh_expect(&connection->link, sock_of_connection(connection)->config->group_id);
}

void sock_open_written(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    if (connection->machine.state == SOCK_OPEN_CSEND) {
        enter_connection_state(context, connection, SOCK_OPEN_CRECV, NULL);
        return;
    }
    g_assert(connection->machine.state == SOCK_OPEN_LSEND);
    if (!connection->accepts) {
        enter_connection_state(context, connection, SOCK_CLOSING, NULL);
        return;
    }
    enter_connection_state(context, connection, SOCK_CONNECTED, NULL);
    queue_waiting(sock, sock_vc_of(sock, connection->link.rank));
}

// ---- The end ----

void sock_disconnect(struct cpu_context *context, struct ch3_process *ch3, int peer)
{
    struct sock_vc *vc = sock_vc_of(sock_of_ch3(ch3), peer);
    enter_connection_state(context, vc->connection, SOCK_CLOSING, NULL);
    vc->connection = NULL;
    vc->closed = true;
}

// A connection that carries nothing yet may end: its peer has refused it and gone, or did not need
// it any more.
void sock_gone(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    int rank = connection->link.rank;
    bool needed = rank != RANK_ANY && sock_vc_of(sock, rank)->connection == connection;
    if (needed && connection->machine.state != SOCK_CONNECTED)
        mpi_fail(sock->mesh.process, "connection_refused", json_pack("{s:i}", "peer", rank),
                 " cannot connect to rank %d: %s", rank,
                 sock_of(sock->mesh.process->peers[rank])->listener
                     ? "TCP has given up"
                     : "it has ended, and what is sent to it now is never received");
    else if (needed)
        mesh_lost(&connection->link);
    else if (connection->machine.state != SOCK_CLOSING)
        enter_connection_state(context, connection, SOCK_CLOSING, "gone");
}

void sock_close(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    tcp_close(context, connection->link.socket);
    enter_connection_state(context, connection, SOCK_CLOSED, NULL);
    mesh_link_clear(&connection->link);
    g_ptr_array_remove(sock->connections, connection);
    pool_give(&sock->pool, connection);
}

// MPI_Finalize: the device's close protocol; then what is still to be written is; connections that
// were refused or never used are closed, and the listener with them.
enum mpi_progress sock_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct sock_process *sock = sock_of(process);
    enum mpi_progress progress = ch3_finalize(context, process);
    if (progress != PROGRESS_NOTHING || process->sim->status != SIM_COMPLETED)
        return progress;
    if (sock_pending(sock))
        return mpi_progress(context, process, true);
    for (guint i = 0; i < sock->connections->len; i++) {
        struct sock_connection *connection = g_ptr_array_index(sock->connections, i);
        if (connection->machine.state == SOCK_CLOSING && connection->link.head &&
            mesh_open(&connection->link))
            return mpi_progress(context, process, true);
    }
    if (sock->connections->len > 0) {
        sock_close(context, g_ptr_array_index(sock->connections, 0));
        return PROGRESS_EVENT;
    }
    if (!sock->listener)
        return PROGRESS_NOTHING;
    tcp_listener_close(context, sock->listener);
    sock->listener = NULL;
    return PROGRESS_EVENT;
}
