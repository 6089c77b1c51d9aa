// SPDX-License-Identifier: GPL-3.0-or-later
// T3-rtx of a path (RFC 9260, 6.3.2, 6.3.3), in the order in which the BSD stack of 2007 handles
// it: where the profiles differ, they do by parameters.
#include "models/sctp_cmt/sctp/association.h"

#define IDLE_PROBES 3

// The peer answers, and its reader has not moved: probes go on for ever, and change nothing unless
// another event does (sctp_in_read). Where a chunk has a most number of transmissions, they end.
static bool probes_in_vain(const struct sctp_association *association)
{
    return association->out.probing && association->out.idle_probes >= IDLE_PROBES &&
           association->host->config->most_transmissions == 0;
}

void sctp_t3_start(struct cpu_context *context, struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    sctp_t3_stop(path); // it may be of the other kind
    sctp_timer_arm(context, association, &path->t3,
                   probes_in_vain(association) ? SCTP_T3_IDLE_PROBE : SCTP_T3, path, path->rto.rto);
}

void sctp_t3_check(struct cpu_context *context, struct sctp_path *path)
{
    if (path->flight == 0)
        sctp_t3_stop(path);
    else if (!inet_timer_armed(path->t3))
        sctp_t3_start(context, path);
}

// ---- Marking lost chunks ----

// The BSD stack leaves chunks that were sent less than a measured time-out ago, without its least
// value, outstanding.
static bool is_old(const struct sctp_path *path, const struct sctp_outgoing *chunk, int64_t now)
{
    int64_t least = ((path->rto.sa >> 2) + path->rto.sv) >> 1;
    if (path->association->host->config->t3_mark == SCTP_T3_ALL)
        return true;
    return now - chunk->sent_at >= least;
}

// Marks the path's outstanding chunks, and moves those that were marked before. Returns how many
// are newly marked.
static int mark_all(struct sctp_path *path, struct sctp_path *target, int64_t now)
{
    struct sctp_association *association = path->association;
    struct sctp_out *out = &association->out;
    int marked = 0;
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->unsent; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->path != path)
            continue;
        if (chunk->state == SCTP_SENT && is_old(path, chunk, now)) {
            sctp_path_fate(path, true);
            sctp_outgoing_mark(association, chunk, target);
            chunk->fast_retransmit = false;
            chunk->missing = 0;
            chunk->fast_sent &= association->host->config->fast_again == SCTP_FAST_NEVER;
            chunk->no_fast |= association->host->config->cmt.on;
            marked++;
        } else if (chunk->state == SCTP_RESEND) {
            sctp_resend_move(chunk, target);
            chunk->fast_retransmit = false;
        }
    }
    if (!sctp_chooses_late(association))
        path->cmt.find_pseudo = path->cmt.find_rtx = true;
    return marked;
}

// T3-rtx ends fast recovery.
static void end_recovery(struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    bool whole = sctp_recovery_rule(association) == SCTP_RECOVERY_ASSOCIATION;
    association->out.recovering = path->recovering = false;
    for (int i = 0; whole && i < association->path_count; i++)
        association->paths[i].recovering = false;
}

// ---- The handler ----

// RFC 9260, 6.1 A: while the receiver has no room, an unanswered probe is no sign of a bad path.
// The BSD stack takes any last packet for one, so that with CMT a dead path which holds a single
// chunk, for want of which the window is closed, is not blamed: only heartbeats find out.
static bool is_probe(const struct sctp_path *path)
{
    const struct sctp_out *out = &path->association->out;
    bool any = path->association->host->config->probe_by_flight;
    return (any || out->probing) && out->peer_rwnd == 0 && out->flight < path->mtu;
}

// Marks what is lost and cuts the window. The target is chosen before the cut (the BSD stack) or
// after it (ns-2).
static void mark_and_cut(struct cpu_context *context, struct sctp_path *path, bool probe)
{
    struct sctp_association *association = path->association;
    const struct sctp_config *config = association->host->config;
    int64_t now = inet_ticks(association->host->inet, context->now);
    bool before = config->cmt.policy_before_cut || !config->cmt.on;
    struct sctp_path *target = path;
    if (before)
        target = sctp_retransmission_path(context, path, true);
    int marked = mark_all(path, target, now);
    end_recovery(path);
    sctp_rto_back_off(&path->rto, association);
    path->rto.timing &= !sctp_chooses_late(association);
    if (marked > 0 && !probe) {
        sctp_cc_timeout(path);
        sctp_cc_note(context, path, true);
    }
    if (!before && !config->cmt.late_choice)
        sctp_out_move(association, path, sctp_retransmission_path(context, path, true), false);
}

static void silent_path_probe(struct cpu_context *context, struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    const struct sctp_config *config = association->host->config;
    sim_time rto = time_times(path->rto.rto, config->inet.tick);
    if (config->heartbeat_probe && path != association->primary &&
        path->machine.state == SCTP_PATH_ACTIVE && context->now - path->last_sent > rto)
        sctp_heartbeat_send(context, path);
}

void sctp_t3_expired(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    if (association->machine.state == SCTP_CLOSED || path->flight == 0)
        return;
    if (association->machine.state == SCTP_COOKIE_WAIT ||
        association->machine.state == SCTP_COOKIE_ECHOED) {
        sctp_t3_start(context, path); // T1 sends COOKIE-ECHO again, but no data
        return;
    }
    bool probe = is_probe(path);
    sctp_count_timeout(association->host, association->out.probing ? SCTP_T3_IDLE_PROBE : SCTP_T3);
    if (!probe)
        sctp_path_suspect(context, path);
    mark_and_cut(context, path, probe);
    bool lives = probe ? sctp_association_error(association) : sctp_path_error(context, path);
    if (!lives)
        return;
    silent_path_probe(context, path);
    sctp_t3_check(context, path);
    sctp_due(association, SCTP_DUE_RETRANSMISSION);
}

// A probe of a closed window has no other timer.
const struct stage *sctp_t3_waited(const void *owner)
{
    static const struct stage data = {"T3-rtx (DATA)", STAGE_FOR_ACK},
                              probe = {"T3-rtx (window probe)", STAGE_FOR_WINDOW};
    const struct sctp_path *path = owner;
    return path->association->out.probing ? &probe : &data;
}
