// SPDX-License-Identifier: GPL-3.0-or-later
// The graceful end of an association (RFC 9260, 9.2).
#include "models/sctp_cmt/sctp/setup.h"

// ---- Sending ----

static struct sctp_path *closing_path(struct sctp_association *association)
{
    if (!association->closing_path)
        association->closing_path = association->primary->machine.state == SCTP_PATH_ACTIVE
                                        ? association->primary
                                        : sctp_path_alternate(association->primary);
    return association->closing_path;
}

void sctp_t2_start(struct cpu_context *context, struct sctp_association *association)
{
    sctp_timer_arm(context, association, &association->t2, SCTP_T2_SHUTDOWN, association,
                   closing_path(association)->rto.rto);
}

static void t5_start(struct cpu_context *context, struct sctp_association *association)
{
    const struct inet_host *inet = association->host->inet;
    sim_time guard = association->host->config->shutdown_guard;
    if (guard == 0)
        guard = time_times(5, association->settings.rto_most);
    if (!inet_timer_armed(association->t5))
        sctp_timer_arm(context, association, &association->t5, SCTP_T5_SHUTDOWN_GUARD, association,
                       inet_time_in_ticks(inet->config, guard));
}

static void shutdown_queue(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_chunk *chunk = sctp_chunk_new(&association->host->pools, SCTP_SHUTDOWN, 0);
    chunk->cum_tsn = association->in.cum_tsn;
    sctp_control_queue(closing_path(association), chunk);
    sctp_t2_start(context, association);
    sctp_due(association, SCTP_DUE_OUTPUT);
}

void sctp_shutdown_ack_queue(struct sctp_association *association, struct sctp_chunk *with)
{
    struct sctp_path *path = closing_path(association);
    sctp_control_queue(path, sctp_chunk_new(&association->host->pools, SCTP_SHUTDOWN_ACK, 0));
    if (with)
        sctp_control_queue(path, with);
    sctp_due(association, SCTP_DUE_OUTPUT | SCTP_DUE_T2);
}

void sctp_t2_expired(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_path *path = closing_path(association);
    sctp_count_timeout(association->host, SCTP_T2_SHUTDOWN);
    association->t2_tries++;
    sctp_rto_back_off(&path->rto, association);
    if (!sctp_path_error(context, path))
        return;
    association->closing_path = sctp_path_alternate(path);
    if (association->machine.state == SCTP_SHUTDOWN_SENT)
        shutdown_queue(context, association);
    else
        sctp_shutdown_ack_queue(association, NULL);
}

void sctp_t5_expired(struct cpu_context *context, struct sctp_association *association)
{
    (void)context;
    sctp_fail(association, (enum sctp_cause)0, NULL, 0, SCTP_TIMED_OUT);
}

// ---- Deciding ----

// The row of a state: what follows once the user, or the peer, wants to end and all data are
// acknowledged.
static void data_done(struct cpu_context *context, struct sctp_association *association)
{
    if (association->machine.state == SCTP_SHUTDOWN_RECEIVED) {
        sctp_enter(context, association, SCTP_SHUTDOWN_ACK_SENT, "all data acknowledged");
        sctp_shutdown_ack_queue(association, NULL);
        return;
    }
    sctp_enter(context, association, SCTP_SHUTDOWN_SENT, "all data acknowledged");
    t5_start(context, association);
    shutdown_queue(context, association);
}

void sctp_shutdown_check(struct cpu_context *context, struct sctp_association *association)
{
    switch ((enum sctp_state)association->machine.state) {
    case SCTP_ESTABLISHED:
        if (!association->shutdown_asked)
            return;
        sctp_enter(context, association, SCTP_SHUTDOWN_PENDING, "shutdown");
        break;
    case SCTP_SHUTDOWN_PENDING:
    case SCTP_SHUTDOWN_RECEIVED:
        break;
    case SCTP_CLOSED:
    case SCTP_COOKIE_WAIT:
    case SCTP_COOKIE_ECHOED:
    case SCTP_SHUTDOWN_SENT:
    case SCTP_SHUTDOWN_ACK_SENT:
        return;
    }
    if (sctp_out_empty(association) && !sctp_out_pending(association))
        data_done(context, association);
}

void sctp_shutdown_start(struct cpu_context *context, struct sctp_association *association)
{
    association->shutdown_asked = true;
    if (association->machine.state == SCTP_COOKIE_WAIT && !sctp_out_pending(association))
        sctp_association_done(context, association, "shutdown");
    else
        sctp_due(association, SCTP_DUE_SHUTDOWN);
}

void sctp_shutdown_data_arrived(struct cpu_context *context, struct sctp_association *association)
{
    if (association->machine.state == SCTP_SHUTDOWN_SENT)
        shutdown_queue(context, association);
}

// ---- Arriving ----

void sctp_shutdown_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_chunk *chunk)
{
    struct sctp_association *association = arrival->association;
    switch ((enum sctp_state)association->machine.state) {
    case SCTP_ESTABLISHED:
    case SCTP_SHUTDOWN_PENDING:
        association->closing_path = arrival->from;
        sctp_enter(context, association, SCTP_SHUTDOWN_RECEIVED, "receive SHUTDOWN");
        sctp_notify(context, association, SCTP_SHUTDOWN_EVENT, arrival->from->remote);
        sctp_socket_changed(context, association);
        sctp_cum_tsn_arrived(context, association, chunk->cum_tsn);
        return; // sctp_shutdown_check follows
    case SCTP_SHUTDOWN_RECEIVED:
        sctp_cum_tsn_arrived(context, association, chunk->cum_tsn);
        return;
    case SCTP_SHUTDOWN_SENT:
        sctp_enter(context, association, SCTP_SHUTDOWN_ACK_SENT, "receive SHUTDOWN");
        sctp_shutdown_ack_queue(association, NULL);
        return;
    case SCTP_SHUTDOWN_ACK_SENT: // the peer has missed it
        sctp_shutdown_ack_queue(association, NULL);
        return;
    case SCTP_CLOSED:
    case SCTP_COOKIE_WAIT:
    case SCTP_COOKIE_ECHOED:
        return;
    }
}

void sctp_shutdown_ack_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                               const struct sctp_chunk *chunk)
{
    struct sctp_association *association = arrival->association;
    struct packet *packet = sctp_path_packet(arrival->from);
    (void)chunk;
    sctp_packet_add(packet, sctp_chunk_new(&arrival->host->pools, SCTP_SHUTDOWN_COMPLETE, 0));
    sctp_packet_send(context, association, arrival->from, packet);
    sctp_association_done(context, association, "receive SHUTDOWN-ACK");
}

void sctp_shutdown_complete_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                                    const struct sctp_chunk *chunk)
{
    (void)chunk;
    sctp_association_done(context, arrival->association, "receive SHUTDOWN-COMPLETE");
}
