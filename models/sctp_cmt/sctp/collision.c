// SPDX-License-Identifier: GPL-3.0-or-later
// COOKIE-ECHO: a new association, or one that exists already (RFC 9260, 5.1.5, 5.2.4).
#include "models/sctp_cmt/sctp/setup.h"

// Before the peer's window is taken, which is their first threshold.
static void add_paths(struct sctp_association *association, const struct sctp_cookie *cookie,
                      int source)
{
    for (int i = 0; i < cookie->station_count; i++)
        sctp_add_path(association, cookie->stations[i], cookie->stations[i] == source);
    sctp_add_path(association, source, true); // if it is none of them
}

static void take_cookie(struct sctp_association *association, const struct sctp_cookie *cookie)
{
    association->tag = cookie->tag;
    association->initial_tsn = cookie->tsn;
    sctp_take_peer(association, cookie->peer_tag, cookie->peer_tsn, cookie->peer_rwnd,
                   cookie->peer_streams_out, cookie->peer_streams_in);
}

static void cookie_ack(struct sctp_arrival *arrival)
{
    sctp_control_queue(arrival->from, sctp_chunk_new(&arrival->host->pools, SCTP_COOKIE_ACK, 0));
}

// ---- No association ----

// The BSD stack takes the time since INIT-ACK, which the cookie brings back, as a round trip.
static void sample_set_up(struct cpu_context *context, struct sctp_arrival *arrival,
                          const struct sctp_cookie *cookie)
{
    const struct inet_host *inet = arrival->host->inet;
    if (arrival->host->config->rto_formula == SCTP_RTO_S2007)
        sctp_rto_sample(&arrival->from->rto, arrival->association,
                        inet_ticks(inet, context->now) - inet_ticks(inet, cookie->made));
}

static void open_by_cookie(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_cookie *cookie)
{
    int source = route_from(arrival->packet->route);
    struct sctp_socket *listener =
        sctp_host_listener(arrival->host, arrival->interface, cookie->port);
    if (!listener) { // closed since the INIT
        sctp_reply(context, arrival->host, arrival->interface, arrival->packet, cookie->peer_tag,
                   sctp_chunk_new(&arrival->host->pools, SCTP_ABORT, 0));
        arrival->stop = true;
        return;
    }
    struct sctp_socket *socket = sctp_socket_for_peer(listener);
    struct sctp_association *association =
        sctp_association_new(socket, cookie->port, cookie->peer_port, cookie->station_count + 1);
    association->opened = context->now;
    add_paths(association, cookie, source);
    arrival->association = association;
    arrival->from = sctp_path_to(association, source);
    if (!arrival->from)
        arrival->from = association->primary;
    association->primary = arrival->from;
    sctp_out_init(association, cookie->tsn, (int)association->settings.streams_out);
    take_cookie(association, cookie);
    sample_set_up(context, arrival, cookie);
    cookie_ack(arrival);
    sctp_establish(context, association, SCTP_COMM_UP, "receive COOKIE-ECHO");
    sctp_socket_offer(context, listener, socket);
}

// ---- An association that exists ----

static void restart(struct cpu_context *context, struct sctp_arrival *arrival,
                    const struct sctp_cookie *cookie)
{
    struct sctp_association *association = arrival->association;
    inet_timer_cancel(&association->in.sack_timer);
    sctp_heartbeats_stop(association);
    sctp_notify_failures(context, association);
    sctp_association_forget(association, "SCTP association restarted by the peer");
    association->errors = 0;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        bool known = path->confirmed || path == arrival->from;
        sctp_t3_stop(path);
        sctp_path_clear(path);
        struct inet_timer *t3 = path->t3, *heartbeat = path->heartbeat; // they may have expired
        sctp_path_init(path, association, path->number, path->local, path->remote, known);
        path->t3 = t3, path->heartbeat = heartbeat;
    }
    association->primary = arrival->from;
    sctp_out_init(association, cookie->tsn, (int)association->settings.streams_out);
    take_cookie(association, cookie);
    cookie_ack(arrival);
    sctp_establish(context, association, SCTP_RESTART, "receive COOKIE-ECHO, restart");
}

// The peer has lost an association that this end is closing: it shall end that first.
static void restart_in_shutdown(const struct sctp_arrival *arrival)
{
    sctp_shutdown_ack_queue(
        arrival->association,
        sctp_cause_chunk(&arrival->host->pools, SCTP_ERROR, SCTP_COOKIE_IN_SHUTDOWN, NULL, 0));
}

static void both_opened(struct cpu_context *context, struct sctp_arrival *arrival,
                        const struct sctp_cookie *cookie)
{
    struct sctp_association *association = arrival->association;
    bool first = association->machine.state == SCTP_COOKIE_WAIT;
    add_paths(association, cookie, arrival->from->remote);
    take_cookie(association, cookie);
    sctp_path_confirm(context, arrival->from);
    if (first) {
        association->primary = arrival->from;
    }
    cookie_ack(arrival);
    sctp_establish(context, association, SCTP_COMM_UP, "receive COOKIE-ECHO, both opened");
}

static void duplicate_cookie(struct cpu_context *context, struct sctp_arrival *arrival)
{
    cookie_ack(arrival);
    if (arrival->association->machine.state == SCTP_COOKIE_ECHOED)
        sctp_establish(context, arrival->association, SCTP_COMM_UP, "receive COOKIE-ECHO");
}

// The table of RFC 9260, 5.2.4. A tag of the cookie is that of the association or not; its tie tags
// are the association's tags, are 0, or do not matter.
enum tags_tie { TIE_ANY, TIE_MATCH, TIE_ZERO };

static const struct collision {
    char action; // as the RFC names it
    bool local, peer;
    enum tags_tie tie;
} collisions[] = {
    {'A', false, false, TIE_MATCH},
    {'B', true, false, TIE_ANY},
    {'C', false, true, TIE_ZERO},
    {'D', true, true, TIE_ANY},
};

static bool tie_fits(enum tags_tie tie, const struct sctp_association *association,
                     const struct sctp_cookie *cookie)
{
    switch (tie) {
    case TIE_ANY:
        return true;
    case TIE_MATCH:
        return cookie->tie_tag == association->tag && cookie->peer_tie_tag == association->peer_tag;
    case TIE_ZERO:
        return cookie->tie_tag == 0 && cookie->peer_tie_tag == 0;
    }
    return false;
}

static char collision_of(const struct sctp_association *association,
                         const struct sctp_cookie *cookie)
{
    for (size_t i = 0; i < G_N_ELEMENTS(collisions); i++)
        if (collisions[i].local == (cookie->tag == association->tag) &&
            collisions[i].peer == (cookie->peer_tag == association->peer_tag) &&
            tie_fits(collisions[i].tie, association, cookie))
            return collisions[i].action;
    return '-';
}

static void resolve_collision(struct cpu_context *context, struct sctp_arrival *arrival,
                              const struct sctp_cookie *cookie)
{
    enum sctp_state state = arrival->association->machine.state;
    bool opening = state == SCTP_COOKIE_WAIT || state == SCTP_COOKIE_ECHOED;
    char action = collision_of(arrival->association, cookie);
    if (action == 'A' && state == SCTP_SHUTDOWN_ACK_SENT) {
        restart_in_shutdown(arrival);
        arrival->stop = true;
    } else if (action == 'A') {
        restart(context, arrival, cookie);
    } else if (action == 'B' && opening) {
        both_opened(context, arrival, cookie);
    } else if (action == 'D') {
        duplicate_cookie(context, arrival);
    } else { // C, and what the table does not have
        arrival->stop = true;
    }
}

// ---- COOKIE-ECHO ----

// An association under any of the addresses that the cookie names.
static void find_peer(struct sctp_arrival *arrival, const struct sctp_cookie *cookie)
{
    if (!arrival->association)
        arrival->association =
            sctp_host_find_any(arrival->host, cookie->stations, cookie->station_count, cookie->port,
                               cookie->peer_port);
    if (arrival->association && !arrival->from)
        arrival->from =
            sctp_add_path(arrival->association, route_from(arrival->packet->route), true);
    if (arrival->association && !arrival->from) // it has as many paths as can be
        arrival->from = arrival->association->primary;
}

// Returns true, and reports it to the peer, if the cookie is older than its life. One whose tags
// are both the association's is good at any age.
static bool answer_stale_cookie(struct cpu_context *context, struct sctp_arrival *arrival,
                                const struct sctp_cookie *cookie)
{
    const struct sctp_association *association = arrival->association;
    sim_time late = context->now - time_after(cookie->made, cookie->life);
    if (late <= 0 || (association && cookie->tag == association->tag &&
                      cookie->peer_tag == association->peer_tag))
        return false;
    uint8_t measure[4];
    inet_put32(measure, (uint32_t)MIN(late / TIME_US, UINT32_MAX));
    sctp_reply(context, arrival->host, arrival->interface, arrival->packet, cookie->peer_tag,
               sctp_cause_chunk(&arrival->host->pools, SCTP_ERROR, SCTP_STALE_COOKIE, measure,
                                sizeof measure));
    return true;
}

void sctp_cookie_echo_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                              const struct sctp_chunk *chunk)
{
    const struct sctp_packet *sctp = arrival->sctp;
    struct sctp_cookie cookie;
    arrival->stop = true;
    if (!sctp_cookie_read(arrival->host, chunk->bytes, &cookie))
        return;
    if (cookie.tag != sctp->tag || cookie.port != sctp->destination_port ||
        cookie.peer_port != sctp->source_port) {
        (*arrival->host->count.bad_tags)++;
        return;
    }
    find_peer(arrival, &cookie);
    if (answer_stale_cookie(context, arrival, &cookie))
        return;
    arrival->stop = false;
    if (arrival->association)
        resolve_collision(context, arrival, &cookie);
    else
        open_by_cookie(context, arrival, &cookie);
}
