// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/sock/sock.h"
#include "sim/core/fifo.h"

#include <string.h>

// ---- Writing ----

void sock_written(struct cpu_context *context, struct sock_connection *connection,
                  struct mesh_item *item)
{
    struct ch3_send *send = item->sends;
    mesh_item_free(item);
    if (send)
        ch3_sent(context, &sock_of_connection(connection)->ch3, send);
    else
        sock_open_written(context, connection);
}

static void write_at_once(struct cpu_context *context, struct sock_connection *connection)
{
    struct mesh_item *done = NULL;
    switch (mesh_write(context, &connection->link, &done)) {
    case MESH_EMPTY:
    case MESH_PART:
        return;
    case MESH_CLOSED:
        sock_gone(context, connection);
        return;
    case MESH_WHOLE:
        sock_written(context, connection, done);
        return;
    }
}

void sock_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send)
{
    struct sock_process *sock = sock_of_ch3(ch3);
    struct sock_vc *vc = sock_vc_of(sock, send->peer);
    if (!vc->connection || vc->connection->machine.state != SOCK_CONNECTED) {
        FIFO_APPEND(vc->head, vc->tail, send, next);
        if (!vc->begun)
            sock_vc_connect(context, sock, send->peer);
        return;
    }
    bool first = !vc->connection->link.head && !vc->connection->out.written;
    sock_queue(sock, vc->connection, send);
    if (first)
        write_at_once(context, vc->connection);
}

// ---- Reading ----

static bool packet_read(struct cpu_context *context, struct sock_connection *connection)
{
    struct sock_process *sock = sock_of_connection(connection);
    struct mesh_link *link = &connection->link;
    struct ch3_pkt pkt;
    g_assert(link->reader->header_filled == sizeof pkt);
    memcpy(&pkt, link->reader->header, sizeof pkt);
    mesh_expect_header(link);
    if (!ch3_packet_arrived(context, &sock->ch3, link->rank, &pkt, &connection->receive) ||
        connection->receive.bytes == 0)
        return false;
    mesh_expect(link, connection->receive.bytes);
    return true;
}

static void data_read(struct cpu_context *context, struct sock_connection *connection)
{
    mesh_expect_header(&connection->link);
    ch3_data_arrived(context, &sock_of_connection(connection)->ch3, connection->link.rank,
                     &connection->receive);
}

bool sock_arrived(struct cpu_context *context, struct sock_connection *connection)
{
    if (connection->machine.state != SOCK_CONNECTED)
        sock_open_read(context, connection);
    else if (connection->link.reader->in_header)
        return packet_read(context, connection);
    else
        data_read(context, connection);
    return false;
}

void sock_read_data(struct cpu_context *context, struct sock_connection *connection)
{
    switch (mesh_read(context, &connection->link)) {
    case MESH_EMPTY:
    case MESH_PART:
        return;
    case MESH_CLOSED:
        sock_gone(context, connection);
        return;
    case MESH_WHOLE:
        data_read(context, connection);
        return;
    }
}
