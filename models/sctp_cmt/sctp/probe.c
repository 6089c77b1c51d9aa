// SPDX-License-Identifier: GPL-3.0-or-later
// The end of a heartbeat's timer and the answer to a heartbeat: addresses are confirmed, an idle
// path that has failed is noticed, and so is a failed one that answers again (RFC 9260, 5.4, 8.3).
//
// Paths that are PF are probed at once and at each time-out, in every system (thesis 004, 4.3).
#include "models/sctp_cmt/sctp/association.h"

// ---- RFC 9260 and ns-2: a timer per path ----

static void rfc_unanswered(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    sctp_count_timeout(association->host, SCTP_PATH_HEARTBEAT);
    path->heartbeat_out = false;
    sctp_rto_back_off(&path->rto, association);
    if (association->host->config->cmt.pf_by_heartbeat)
        sctp_path_suspect(context, path);
    if (!sctp_path_error(context, path))
        return;
    if (sctp_path_probed(path))
        sctp_heartbeat_timed(context, path);
    else if (sctp_heartbeat_ns2_down(path) && !path->heartbeat_out)
        sctp_heartbeat_again(context, path);
    else if (path->machine.state != SCTP_PATH_PF && !inet_timer_armed(path->heartbeat))
        sctp_heartbeat_next(context, path); // the next one is due as if it had been
    sctp_due(association, SCTP_DUE_OUTPUT);
}

static void rfc_timer(struct cpu_context *context, struct sctp_path *path)
{
    if (path->heartbeat_out) {
        rfc_unanswered(context, path);
    } else if (sctp_path_probed(path) || path->last_sent <= path->heartbeat_from) {
        sctp_heartbeat_timed(context, path);
        sctp_due(path->association, SCTP_DUE_OUTPUT);
    } else { // it was busy
        sctp_heartbeat_period(context, path);
    }
}

// ---- PF ----

// T3-rtx, while DATA are still outstanding, counts the errors.
static void pf_timer(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    if (inet_timer_armed(path->t3)) {
        sctp_heartbeat_arm(context, path, path->rto.rto);
        return;
    }
    sctp_count_timeout(association->host, SCTP_PATH_HEARTBEAT);
    sctp_rto_back_off(&path->rto, association);
    if (sctp_path_error(context, path))
        sctp_due(association, SCTP_DUE_OUTPUT);
}

void sctp_path_heartbeat_expired(struct cpu_context *context, struct sctp_path *path)
{
    if (path->machine.state == SCTP_PATH_PF)
        pf_timer(context, path);
    else
        rfc_timer(context, path);
}

// ---- The BSD stack of 2007: one timer for the association ----

// Whole seconds of the host's time of day.
static int64_t s2007_seconds(const struct sctp_path *path, sim_time when)
{
    const struct host *host = path->association->host->inet->host;
    return (when + phase_passed(host->config.phase.second, TIME_S)) / TIME_S;
}

// It counts whole seconds. Returns -1 if it isn't to be chosen.
static int64_t s2007_silent(const struct cpu_context *context, const struct sctp_path *path)
{
    if (!path->heartbeats || path->machine.state == SCTP_PATH_PF || sctp_path_probed(path))
        return -1;
    if (path->last_sent == 0)
        return INT64_MAX;
    int64_t seconds = s2007_seconds(path, context->now) - s2007_seconds(path, path->last_sent);
    int64_t silent = seconds * TIME_S / path->association->host->config->inet.tick;
    return silent > 0 && silent >= path->rto.rto ? silent : -1;
}

static struct sctp_path *s2007_choose(const struct cpu_context *context,
                                      const struct sctp_association *association)
{
    struct sctp_path *best = NULL;
    int64_t longest = -1;
    for (int i = 0; i < association->path_count; i++) {
        int64_t silent = s2007_silent(context, &association->paths[i]);
        if (silent > longest) {
            longest = silent;
            best = &association->paths[i];
        }
    }
    return best;
}

// The error of an unanswered heartbeat is counted when the next one goes.
static bool s2007_beat(struct cpu_context *context, struct sctp_path *path)
{
    if (path->heartbeat_out)
        sctp_count_timeout(path->association->host, SCTP_PATH_HEARTBEAT);
    if (path->heartbeat_out && !sctp_path_error(context, path))
        return false;
    sctp_heartbeat_send(context, path);
    return true;
}

// Returns the number of paths that were probed; -1: the association is gone.
static int64_t s2007_probe(struct cpu_context *context, struct sctp_association *association)
{
    int64_t count = 0, burst = association->host->config->heartbeat_burst;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (!sctp_path_probed(path) || (burst > 0 && count == burst))
            continue;
        if (!s2007_beat(context, path))
            return -1;
        count++;
    }
    return count;
}

void sctp_heartbeats_expired(struct cpu_context *context, struct sctp_association *association)
{
    int64_t count = s2007_probe(context, association);
    if (count < 0)
        return;
    struct sctp_path *path = count == 0 ? s2007_choose(context, association) : NULL;
    if (path && !s2007_beat(context, path))
        return;
    sctp_heartbeats_arm(context, association);
    sctp_due(association, SCTP_DUE_OUTPUT);
}

// ---- Answers ----

void sctp_heartbeat_ack_arrived(struct cpu_context *context, struct sctp_association *association,
                                const struct sctp_chunk *chunk)
{
    int64_t took;
    struct sctp_path *path = sctp_heartbeat_answered(context, association, chunk, &took);
    if (!path)
        return;
    if (took >= 0)
        sctp_rto_sample(&path->rto, association, took);
    path->heartbeat_out = false;
    sctp_association_alive(association);
    bool stays = path->machine.state == SCTP_PATH_ACTIVE;
    sctp_path_alive(context, path, true);
    if (stays)
        sctp_heartbeat_next(context, path);
}
