// SPDX-License-Identifier: GPL-3.0-or-later
// States of a socket's associations: SCTP_STATUS, and reports of runs that hang.
#include "models/sctp_cmt/sctp/association.h"

static const struct wait handshake = {"the association's set-up", WAIT_ACK};

static int64_t messages_unread(const struct sctp_association *association)
{
    int64_t count = 0;
    for (const struct sctp_incoming *incoming = association->socket->ready_head; incoming;
         incoming = incoming->next)
        count += incoming->association == association && incoming->notification == SCTP_NOTHING;
    return count;
}

bool sctp_status(struct sctp_socket *socket, uint32_t association, struct sctp_status *status)
{
    const struct sctp_association *found = sctp_socket_association(socket, association);
    if (!found || found->ended)
        return false;
    const struct sctp_out *out = &found->out;
    *status = (struct sctp_status){
        .state = sctp_state_name(found),
        .peer_rwnd = out->peer_rwnd,
        .a_rwnd = sctp_rwnd(found),
        .unacked = (int64_t)(uint32_t)(out->unsent - (out->cum_tsn + 1)),
        .pending = messages_unread(found),
        .streams_in = found->in.stream_count,
        .streams_out = out->stream_count,
        .fragment_point = sctp_fragment_point(found),
        .primary = found->primary->remote,
        .paths = found->path_count,
    };
    return true;
}

// ---- Reports ----

const struct wait *sctp_association_wait(const struct sctp_association *association)
{
    if (association->ended || sctp_out_empty(association))
        return NULL;
    if (association->machine.state == SCTP_COOKIE_WAIT ||
        association->machine.state == SCTP_COOKIE_ECHOED)
        return &handshake;
    return sctp_out_wait(association);
}

const struct wait *sctp_socket_wait(const struct sctp_socket *socket)
{
    if (socket->full)
        return sctp_association_wait(socket->full);
    for (guint i = 0; i < socket->associations->len; i++) {
        const struct wait *wait = sctp_association_wait(g_ptr_array_index(socket->associations, i));
        if (wait)
            return wait;
    }
    return NULL;
}

void sctp_trace_setup(const struct cpu_context *context, struct sctp_association *association)
{
    struct sim *sim = association->host->sim;
    const struct sctp_pending *first = NULL;
    for (int i = 0; i < association->out.stream_count && !first; i++)
        first = association->out.streams[i].head;
    if (!first || !sim->trace)
        return;
    trace_note(sim->trace, cpu_lane(context->cpu),
               &(struct trace_note){.kind = TRACE_HELD,
                                    .wait = &handshake,
                                    .where = association->host->host->name,
                                    .from = association->opened,
                                    .to = context->now,
                                    .message = first->message->message});
}

static const char *timer_of(const struct sctp_association *association)
{
    if (inet_timer_armed(association->t1))
        return association->machine.state == SCTP_COOKIE_WAIT ? "T1-init" : "T1-cookie";
    if (inet_timer_armed(association->t2))
        return "T2-shutdown";
    for (int i = 0; i < association->path_count; i++)
        if (inet_timer_armed(association->paths[i].t3))
            return "T3-rtx";
    return "none";
}

static json_t *path_describe(const struct sctp_path *path)
{
    const struct cluster *cluster = path->association->host->cluster;
    int peer = network_station_host(cluster->network, path->remote);
    return json_pack(
        "{s:I, s:s, s:I, s:s, s:I, s:I, s:I, s:I, s:b}", "path", (json_int_t)path->number + 1,
        "peer", cluster->hosts[peer]->name, "card", (json_int_t)inet_subnet(cluster, path->remote),
        "state", sctp_path_state_name(path), "congestion_window", (json_int_t)path->cc.cwnd,
        "in_flight", (json_int_t)path->flight, "errors", (json_int_t)path->errors, "rto_ticks",
        (json_int_t)path->rto.rto, "t3_rtx", (int)inet_timer_armed(path->t3));
}

static json_t *association_describe(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    const struct wait *wait = sctp_association_wait(association);
    json_t *paths = json_array();
    for (int i = 0; i < association->path_count; i++)
        json_array_append_new(paths, path_describe(&association->paths[i]));
    return json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:s*, s:o}", "association",
                     (json_int_t)association->id, "state", sctp_state_name(association),
                     "unacknowledged", (json_int_t)(uint32_t)(out->unsent - (out->cum_tsn + 1)),
                     "buffered", (json_int_t)out->buffer.used, "peer_window",
                     (json_int_t)out->peer_rwnd, "unread", (json_int_t)messages_unread(association),
                     "incomplete", (json_int_t)association->in.held, "timer", timer_of(association),
                     "waits_for", wait ? wait->text : NULL, "paths", paths);
}

json_t *sctp_socket_describe(const struct sctp_socket *socket)
{
    json_t *associations = json_array();
    for (guint i = 0; i < socket->associations->len; i++) {
        const struct sctp_association *association = g_ptr_array_index(socket->associations, i);
        if (!association->ended || socket->style == SCTP_ONE_TO_ONE)
            json_array_append_new(associations, association_describe(association));
    }
    return json_pack("{s:s, s:s, s:I, s:o}", "host", socket->host->host->name, "style",
                     socket->style == SCTP_ONE_TO_ONE ? "one-to-one" : "one-to-many", "port",
                     (json_int_t)socket->port, "associations", associations);
}
