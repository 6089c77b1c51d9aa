// SPDX-License-Identifier: GPL-3.0-or-later
// System calls on sockets that open and close associations (RFC 6458).
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

#define LAST_PORT 65535

// ---- Create ----

static void begin_socket_call(struct cpu_context *context, const struct sctp_socket *socket)
{
    inet_enter(context, socket->inet.process, INET_OPEN);
    cpu_spend(context, socket->host->config->costs.open, &sctp_stage);
}

struct sctp_socket *sctp_socket_new(struct cpu_context *context, struct sctp_host *host,
                                    enum sctp_style style, struct cpu_task *task)
{
    struct sctp_socket *socket = sctp_socket_make(host, style, &host->config->settings);
    socket->inet.process = inet_process_of(host->inet, task);
    begin_socket_call(context, socket);
    return socket;
}

// ---- Associations of a socket ----

uint32_t sctp_association_id(const struct sctp_socket *socket, int station, uint16_t port)
{
    const struct sctp_association *found =
        sctp_host_find(socket->host, station, socket->port, port);
    return found && found->socket == socket ? found->id : 0;
}

struct sctp_settings *sctp_socket_settings(struct sctp_socket *socket)
{
    return &socket->settings;
}

struct sctp_settings *sctp_association_settings(struct sctp_socket *socket, uint32_t association)
{
    struct sctp_association *found = sctp_socket_association(socket, association);
    return found ? &found->settings : NULL;
}

void sctp_subscribe(struct sctp_socket *socket, unsigned events)
{
    socket->events = events;
}

// ---- Opening ----

static bool port_taken(const struct sctp_host *host, uint16_t port, uint64_t cards)
{
    for (guint i = 0; i < host->sockets->len; i++) {
        const struct sctp_socket *socket = g_ptr_array_index(host->sockets, i);
        bool apart = socket->cards && cards && !(socket->cards & cards);
        if (socket->port == port && !socket->closed && !apart)
            return true;
    }
    return false;
}

// A socket that was not bound has a free port, from the first call that needs one on.
static void have_port(struct sctp_socket *socket)
{
    struct sctp_host *host = socket->host;
    while (socket->port == 0) {
        if (!port_taken(host, host->next_port, 0))
            socket->port = host->next_port;
        host->next_port =
            host->next_port == LAST_PORT ? SCTP_FIRST_PORT : (uint16_t)(host->next_port + 1);
    }
}

int sctp_bind(struct cpu_context *context, struct sctp_socket *socket, uint16_t port,
              uint64_t cards)
{
    begin_socket_call(context, socket);
    if (socket->port != 0)
        return SCTP_INVALID;
    if (port != 0 && port_taken(socket->host, port, cards))
        return SCTP_IN_USE;
    socket->cards = cards;
    socket->port = port;
    have_port(socket);
    return 0;
}

int sctp_listen(struct cpu_context *context, struct sctp_socket *socket)
{
    begin_socket_call(context, socket);
    if (socket->style == SCTP_ONE_TO_ONE && socket->associations->len > 0)
        return SCTP_CONNECTED;
    have_port(socket);
    socket->listening = true;
    return 0;
}

// INIT-ACK may list the addresses of the peers' hosts.
static int addresses_of(const struct cluster *cluster, const int *stations, int count)
{
    int most = count;
    for (int i = 0; i < count; i++) {
        int host = network_station_host(cluster->network, stations[i]);
        most = MAX(most, network_host_stations(cluster->network, host));
    }
    return most;
}

struct sctp_association *sctp_socket_open(struct cpu_context *context, struct sctp_socket *socket,
                                          const int *stations, int count, uint16_t port)
{
    have_port(socket);
    if (socket->style == SCTP_ONE_TO_ONE)
        g_ptr_array_set_size(socket->associations, 0);
    struct sctp_association *association = sctp_association_new(
        socket, socket->port, port, addresses_of(socket->host->cluster, stations, count));
    for (int i = 0; i < count; i++) // the user vouches for them (RFC 9260, 5.4)
        sctp_add_path(association, stations[i], true);
    if (association->path_count == 0) {
        g_ptr_array_remove(socket->associations, association);
        g_ptr_array_remove(socket->host->associations, association);
        sctp_association_free(association);
        return NULL;
    }
    sctp_associate(context, association);
    return association;
}

int sctp_connect(struct cpu_context *context, struct sctp_socket *socket, const int *stations,
                 int count, uint16_t port, uint32_t *association)
{
    begin_socket_call(context, socket);
    if (socket->style == SCTP_ONE_TO_ONE) {
        const struct sctp_association *old = sctp_socket_association(socket, 0);
        if (socket->listening)
            return SCTP_UNSUPPORTED;
        if (old && !old->ended)
            return SCTP_CONNECTED;
    }
    for (int i = 0; i < count && socket->port != 0; i++)
        if (sctp_host_find(socket->host, stations[i], socket->port, port))
            return SCTP_CONNECTED;
    struct sctp_association *opened = sctp_socket_open(context, socket, stations, count, port);
    if (!opened)
        return SCTP_NO_ROUTE;
    if (association)
        *association = opened->id;
    return SCTP_IN_PROGRESS;
}

// ---- Accepting ----

struct sctp_socket *sctp_accept(struct cpu_context *context, struct sctp_socket *listener,
                                struct cpu_task *task)
{
    struct sctp_socket *socket = listener->accept_head;
    inet_enter(context, listener->inet.process, INET_ACCEPT);
    if (!socket)
        return NULL;
    listener->accept_head = socket->next;
    socket->inet.process = inet_process_of(listener->host->inet, task);
    cpu_spend(context, listener->host->config->costs.open, &sctp_stage);
    return socket;
}

// Its messages go along, in order.
static void move_queue(struct sctp_socket *from, struct sctp_socket *to,
                       const struct sctp_association *association)
{
    struct sctp_incoming *next, *incoming = from->ready_head;
    from->ready_head = from->ready_tail = NULL;
    for (; incoming; incoming = next) {
        next = incoming->next;
        if (incoming->association == association)
            FIFO_APPEND(to->ready_head, to->ready_tail, incoming, next);
        else
            FIFO_APPEND(from->ready_head, from->ready_tail, incoming, next);
    }
}

struct sctp_socket *sctp_peel_off(struct cpu_context *context, struct sctp_socket *socket,
                                  uint32_t association, struct cpu_task *task)
{
    struct sctp_association *found = sctp_socket_association(socket, association);
    begin_socket_call(context, socket);
    if (socket->style != SCTP_ONE_TO_MANY || !found)
        return NULL;
    struct sctp_socket *own = sctp_socket_branch(socket);
    own->inet.process = inet_process_of(socket->host->inet, task);
    sctp_socket_not_full(found);
    g_ptr_array_remove(socket->associations, found);
    g_ptr_array_add(own->associations, found);
    found->socket = own;
    move_queue(socket, own, found);
    return own;
}

// ---- Closing ----

int sctp_shutdown(struct cpu_context *context, struct sctp_socket *socket, uint32_t association)
{
    struct sctp_association *found = sctp_socket_association(socket, association);
    begin_socket_call(context, socket);
    if (!found || found->ended)
        return SCTP_GONE;
    sctp_shutdown_start(context, found);
    sctp_run_due(context, found);
    return 0;
}

int sctp_abort(struct cpu_context *context, struct sctp_socket *socket, uint32_t association)
{
    struct sctp_association *found = sctp_socket_association(socket, association);
    begin_socket_call(context, socket);
    if (!found || found->ended)
        return SCTP_GONE;
    sctp_fail(found, SCTP_USER_INITIATED_ABORT, NULL, 0, SCTP_GONE);
    sctp_run_due(context, found);
    return 0;
}

static bool unread(const struct sctp_socket *socket, const struct sctp_association *association)
{
    for (const struct sctp_incoming *incoming = socket->ready_head; incoming;
         incoming = incoming->next)
        if (incoming->association == association && incoming->notification == SCTP_NOTHING)
            return true;
    return false;
}

// As the BSD stack: with data unread it aborts, else the close is graceful.
static void close_associations(struct cpu_context *context, struct sctp_socket *socket)
{
    GPtrArray *all = g_ptr_array_copy(socket->associations, NULL, NULL);
    for (guint i = 0; i < all->len; i++) {
        struct sctp_association *association = g_ptr_array_index(all, i);
        if (association->ended)
            continue;
        if (unread(socket, association))
            sctp_fail(association, SCTP_USER_INITIATED_ABORT, NULL, 0, SCTP_GONE);
        else
            sctp_shutdown_start(context, association);
        sctp_run_due(context, association);
    }
    g_ptr_array_unref(all);
}

void sctp_close(struct cpu_context *context, struct sctp_socket *socket)
{
    begin_socket_call(context, socket);
    socket->closed = true;
    socket->listening = false;
    for (struct sctp_socket *child = socket->accept_head; child; child = child->next) {
        struct sctp_association *association = sctp_socket_association(child, 0);
        child->closed = true; // it can't be accepted any more
        sctp_fail(association, SCTP_USER_INITIATED_ABORT, NULL, 0, SCTP_GONE);
        sctp_run_due(context, association);
        sctp_socket_clear(child, "SCTP socket closed with data unread");
    }
    socket->accept_head = NULL;
    close_associations(context, socket);
    sctp_socket_clear(socket, "SCTP socket closed with data unread");
    socket->inet.process = NULL;
}

// ---- Options ----

int sctp_set_primary(struct cpu_context *context, struct sctp_socket *socket, uint32_t association,
                     int station)
{
    const struct sctp_association *found = sctp_socket_association(socket, association);
    inet_enter(context, socket->inet.process, INET_SETSOCKOPT);
    if (!found || found->ended)
        return SCTP_GONE;
    struct sctp_path *path = sctp_path_to(found, station);
    if (!path)
        return SCTP_INVALID;
    sctp_path_make_primary(context, path);
    return 0;
}
