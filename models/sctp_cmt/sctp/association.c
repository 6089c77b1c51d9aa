// SPDX-License-Identifier: GPL-3.0-or-later
// The life of an association (RFC 9260, 4): its states, its paths, and how it ends.
#include "models/sctp_cmt/sctp/association.h"

#include "sim/core/fifo.h"

// ---- States ----

// RFC 9260, figure 3. A passive end has no state before COOKIE-ECHO has arrived (5.1), so it starts
// in CLOSED. In ESTABLISHED and in each state of a shutdown but SHUTDOWN-ACK-SENT the peer's
// restart leads to ESTABLISHED (5.2.4 A). Each ends by ABORT, and by too many retransmissions.
static const struct machine_state association_states[] = {
    [SCTP_CLOSED] = {"CLOSED", .next = MACHINE_TO(SCTP_COOKIE_WAIT, SCTP_ESTABLISHED)},
    [SCTP_COOKIE_WAIT] = {"COOKIE-WAIT",
                          .next = MACHINE_TO(SCTP_COOKIE_ECHOED, SCTP_ESTABLISHED, SCTP_CLOSED)},
    [SCTP_COOKIE_ECHOED] = {"COOKIE-ECHOED",
                            .next = MACHINE_TO(SCTP_ESTABLISHED, SCTP_COOKIE_WAIT, SCTP_CLOSED)},
    [SCTP_ESTABLISHED] = {"ESTABLISHED",
                          .next = MACHINE_TO(SCTP_SHUTDOWN_PENDING, SCTP_SHUTDOWN_RECEIVED,
                                             SCTP_ESTABLISHED, SCTP_CLOSED)},
    [SCTP_SHUTDOWN_PENDING] = {"SHUTDOWN-PENDING",
                               .next = MACHINE_TO(SCTP_SHUTDOWN_SENT, SCTP_SHUTDOWN_RECEIVED,
                                                  SCTP_ESTABLISHED, SCTP_CLOSED)},
    [SCTP_SHUTDOWN_SENT] = {"SHUTDOWN-SENT", .next = MACHINE_TO(SCTP_SHUTDOWN_ACK_SENT,
                                                                SCTP_ESTABLISHED, SCTP_CLOSED)},
    [SCTP_SHUTDOWN_RECEIVED] = {"SHUTDOWN-RECEIVED",
                                .next = MACHINE_TO(SCTP_SHUTDOWN_ACK_SENT, SCTP_ESTABLISHED,
                                                   SCTP_CLOSED)},
    [SCTP_SHUTDOWN_ACK_SENT] = {"SHUTDOWN-ACK-SENT", .next = MACHINE_TO(SCTP_CLOSED)},
};

const struct machine_kind sctp_association_machine = {
    .name = "sctp",
    .title = "SCTP association",
    .source = "RFC 9260, figure 3 and 5.2.4",
    .states = association_states,
    .count = G_N_ELEMENTS(association_states),
};

void sctp_enter(struct cpu_context *context, struct sctp_association *association,
                enum sctp_state state, const char *event)
{
    cpu_machine_enter(context, &sctp_association_machine, &association->machine, state,
                      sctp_machine_owner(association), event);
    inet_mark(&association->socket->inet); // what its peer sends may have come to an end
}

bool sctp_may_send_data(const struct sctp_association *association)
{
    if (association->host->config->confirm_all && sctp_any_path_probed(association))
        return false;
    switch ((enum sctp_state)association->machine.state) {
    case SCTP_ESTABLISHED:
    case SCTP_SHUTDOWN_PENDING:
    case SCTP_SHUTDOWN_RECEIVED:
        return true;
    case SCTP_COOKIE_ECHOED:
        return association->echo_waits;
    case SCTP_CLOSED:
    case SCTP_COOKIE_WAIT:
    case SCTP_SHUTDOWN_SENT:
    case SCTP_SHUTDOWN_ACK_SENT:
        return false;
    }
    return false;
}

// ---- Create and free ----

static void reap_event(struct engine *engine, struct event *event);

struct sctp_association *sctp_association_new(struct sctp_socket *socket, uint16_t port,
                                              uint16_t peer_port, int addresses)
{
    struct sctp_host *host = socket->host;
    struct sctp_association *association = g_new0(struct sctp_association, 1);
    association->host = host;
    association->socket = socket;
    association->id = host->next_id++;
    association->settings = socket->settings;
    association->port = port;
    association->peer_port = peer_port;
    association->path_room = CLAMP(addresses, 1, SCTP_MOST_PATHS);
    association->paths = g_new0(struct sctp_path, association->path_room);
    event_init(&association->reap, reap_event);
    g_ptr_array_add(host->associations, association);
    g_ptr_array_add(socket->associations, association);
    return association;
}

#define USUAL_STREAMS 10 // as sctp_initmsg has by default
#define USUAL_PATHS 2    // an end that was called keeps room for one more than it uses

int64_t sctp_association_footprint(void)
{
    size_t tables = 12 * sizeof(void *); // hash tables, half full, and lists
    return (int64_t)(sizeof(struct sctp_socket) + sizeof(struct sctp_association) +
                     USUAL_PATHS * sizeof(struct sctp_path) +
                     USUAL_STREAMS * sizeof(struct sctp_stream_out) + tables);
}

// They exist once set-up has begun.
static void clear_queues(struct sctp_association *association)
{
    if (association->out.streams)
        sctp_out_clear(association);
    sctp_in_clear(association);
}

static void clear_paths(struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++)
        sctp_path_clear(&association->paths[i]);
    sctp_bytes_free(association->cookie);
    association->cookie = NULL;
}

void sctp_association_free(struct sctp_association *association)
{
    if (!association->ended || event_pending(&association->reap)) {
        clear_queues(association);
        clear_paths(association);
    }
    g_free(association->paths);
    g_free(association);
}

// ---- Paths ----

struct sctp_path *sctp_path_to(const struct sctp_association *association, int station)
{
    for (int i = 0; i < association->path_count; i++)
        if (association->paths[i].remote == station)
            return &association->paths[i];
    return NULL;
}

struct sctp_path *sctp_add_path(struct sctp_association *association, int station, bool confirmed)
{
    struct sctp_host *host = association->host;
    struct sctp_path *known = sctp_path_to(association, station);
    struct inet_interface *interface = sctp_card_for(association->socket, station);
    if (known || !interface || association->path_count == association->path_room)
        return known;
    int64_t key = sctp_peer_key(station, association->port, association->peer_port);
    if (g_hash_table_lookup(host->by_peer, &key)) // of another association of this port
        return NULL;
    struct sctp_path *path = &association->paths[association->path_count];
    sctp_path_init(path, association, association->path_count++, inet_station(interface), station,
                   confirmed);
    g_hash_table_insert(host->by_peer, g_memdup2(&key, sizeof key), association);
    if (!association->primary)
        association->primary = path;
    return path;
}

static void leave_addresses(struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++) {
        int64_t key =
            sctp_peer_key(association->paths[i].remote, association->port, association->peer_port);
        g_hash_table_remove(association->host->by_peer, &key);
    }
}

// ---- Lost data ----

static void out_lost(struct sctp_association *association, const char *reason)
{
    const struct sctp_out *out = &association->out;
    for (uint32_t tsn = out->cum_tsn + 1; out->ring && tsn != out->next; tsn++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->state != SCTP_ACKED)
            sctp_message_lost(association->host, chunk->message, chunk->offset, chunk->bytes,
                              reason);
    }
    for (int i = 0; i < out->stream_count; i++)
        for (const struct sctp_pending *pending = out->streams[i].head; pending;
             pending = pending->next)
            sctp_message_lost(association->host, pending->message, pending->cut,
                              (int64_t)pending->message->length - pending->cut, reason);
}

struct loss {
    struct sctp_association *association;
    const char *reason;
};

static void held_lost(const struct sctp_incoming *incoming, void *data)
{
    const struct loss *loss = data;
    sctp_message_lost(loss->association->host, incoming->message, incoming->offset, incoming->bytes,
                      loss->reason);
}

void sctp_association_forget(struct sctp_association *association, const char *reason)
{
    struct loss loss = {association, reason};
    out_lost(association, reason);
    sctp_in_visit(association, held_lost, &loss);
    clear_queues(association);
}

// ---- Notifications ----

void sctp_notify_failures(struct cpu_context *context, struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    struct sctp_message *last = NULL;
    int station = association->primary ? association->primary->remote : -1;
    if (!(association->socket->events & SCTP_EVENT_SEND_FAILURE))
        return;
    for (uint32_t tsn = out->cum_tsn + 1; out->ring && tsn != out->next; tsn++) {
        struct sctp_message *message = sctp_out_at(out, tsn)->message;
        if (message != last)
            sctp_notify_of(context, association, SCTP_SEND_FAILED, station, message,
                           SCTP_EVENT_SEND_FAILURE);
        last = message;
    }
    for (int i = 0; i < out->stream_count; i++)
        for (const struct sctp_pending *pending = out->streams[i].head; pending;
             pending = pending->next)
            if (pending->cut == 0) // else it was among the chunks
                sctp_notify_of(context, association, SCTP_SEND_FAILED, station, pending->message,
                               SCTP_EVENT_SEND_FAILURE);
}

// ---- The end ----

static void stop_timers(struct sctp_association *association)
{
    inet_timer_cancel(&association->t1);
    inet_timer_cancel(&association->t2);
    inet_timer_cancel(&association->t5);
    inet_timer_cancel(&association->reopened);
    inet_timer_cancel(&association->in.sack_timer);
    sctp_heartbeats_stop(association);
    for (int i = 0; i < association->path_count; i++)
        sctp_t3_stop(&association->paths[i]);
}

static const char *reason_of(const struct sctp_association *association)
{
    switch (association->error) {
    case SCTP_RESET:
        return "SCTP association aborted";
    case SCTP_TIMED_OUT:
        return "SCTP association timed out";
    case SCTP_REFUSED:
        return "SCTP association refused";
    default:
        return "SCTP association ended";
    }
}

// Not at once: callers up the stack may still read the queues.
static void reap_event(struct engine *engine, struct event *event)
{
    struct sctp_association *association = container_of(event, struct sctp_association, reap);
    (void)engine;
    sctp_association_forget(association, reason_of(association));
    clear_paths(association);
}

static void end_association(struct cpu_context *context, struct sctp_association *association,
                            enum sctp_notification notification, enum sctp_result error,
                            const char *event)
{
    struct sctp_socket *socket = association->socket;
    if (association->ended)
        return;
    association->ended = true;
    association->error = (int)error;
    stop_timers(association);
    leave_addresses(association);
    sctp_enter(context, association, SCTP_CLOSED, event);
    if (error && !socket->error)
        socket->error = (int)error;
    if (socket->style == SCTP_ONE_TO_MANY) {
        sctp_socket_not_full(association);
        g_ptr_array_remove(socket->associations, association);
    }
    sctp_notify_failures(context, association);
    sctp_notify(context, association, notification,
                association->primary ? association->primary->remote : -1);
    sctp_socket_changed(context, association);
    cpu_post(context, &association->reap);
}

void sctp_association_end(struct cpu_context *context, struct sctp_association *association,
                          enum sctp_notification notification, enum sctp_result error)
{
    static const struct {
        int error;
        const char *event;
    } events[] = {
        {SCTP_RESET, "receive ABORT"},
        {SCTP_REFUSED, "receive ABORT"},
        {SCTP_TIMED_OUT, "give up"},
    };
    const char *event = "end";
    for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
        if (events[i].error == (int)error)
            event = events[i].event;
    end_association(context, association, notification, error, event);
}

void sctp_association_done(struct cpu_context *context, struct sctp_association *association,
                           const char *event)
{
    end_association(context, association, SCTP_SHUTDOWN_COMP, (enum sctp_result)0, event);
}

static void send_abort(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_chunk *abort)
{
    struct sctp_path *path = association->primary->machine.state == SCTP_PATH_ACTIVE
                                 ? association->primary
                                 : sctp_path_alternate(association->primary);
    struct packet *packet = sctp_path_packet(path);
    sctp_packet_add(packet, abort);
    sctp_packet_send(context, association, path, packet);
}

void sctp_abort_send(struct cpu_context *context, struct sctp_association *association)
{
    send_abort(context, association, sctp_chunk_new(&association->host->pools, SCTP_ABORT, 0));
}

void sctp_fail(struct sctp_association *association, enum sctp_cause cause, const void *info,
               uint32_t info_bytes, enum sctp_result error)
{
    if (association->ended || association->due & SCTP_DUE_ABORT)
        return;
    association->abort =
        sctp_cause_chunk(&association->host->pools, SCTP_ABORT, cause, info, info_bytes);
    association->error = (int)error;
    sctp_due(association, SCTP_DUE_ABORT);
}

void sctp_association_abort(struct cpu_context *context, struct sctp_association *association)
{
    bool opening = association->machine.state == SCTP_COOKIE_WAIT;
    bool known = association->peer_tag != 0; // to the peer
    if (known)
        send_abort(context, association, association->abort);
    else
        sctp_chunk_free(&association->host->pools, association->abort);
    association->abort = NULL;
    end_association(context, association, opening ? SCTP_CANT_STR_ASSOC : SCTP_COMM_LOST,
                    (enum sctp_result)association->error, known ? "send ABORT" : "give up");
}
