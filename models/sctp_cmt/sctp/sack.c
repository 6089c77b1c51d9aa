// SPDX-License-Identifier: GPL-3.0-or-later
// Acknowledgments (RFC 9260, 6.2.1, 6.3.2), in the order of the BSD stack of 2007. A SACK without
// gap blocks after one without costs what it newly acknowledges; only gap blocks make it walk the
// chunks between cum_tsn and the highest of them.
#include "models/sctp_cmt/sctp/association.h"

// ---- Newly acknowledged ----

static void round_trip(struct cpu_context *context, struct sctp_path *path,
                       const struct sctp_outgoing *chunk)
{
    struct sctp_association *association = path->association;
    struct sctp_rto *rto = &path->rto;
    if (!rto->timing || rto->timed != chunk->tsn)
        return;
    rto->timing = false;
    if (chunk->transmissions == 1)
        sctp_rto_sample(rto, association,
                        inet_ticks(association->host->inet, context->now) - rto->timed_at);
}

// For SFR and DAC: of the chunks that gap blocks acknowledge if there are any; ns-2 takes
// the lowest of all, and asks gap blocks only for the rest.
static void note_newack(const struct sctp_association *association, struct sctp_sack_work *work,
                        const struct sctp_outgoing *chunk, bool by_gap)
{
    struct sctp_path_sack *sack = &chunk->path->sack;
    bool number = association->host->config->cmt.dac_form == SCTP_DAC_NUMBER;
    work->highest = chunk->tsn; // in the order of TSNs
    if (!work->any || sctp_tsn_before(chunk->tsn, work->lowest))
        work->lowest = chunk->tsn;
    work->any = true;
    if (number && (!sack->any || sctp_tsn_before(chunk->tsn, sack->lowest_newack)))
        sack->lowest_newack = chunk->tsn;
    sack->any = true;
    if (!by_gap && (work->gap_count > 0 || number))
        return;
    if (!sack->saw_newack || sctp_tsn_before(sack->highest_newack, chunk->tsn))
        sack->highest_newack = chunk->tsn;
    sack->saw_newack = true;
}

static void acknowledge(struct cpu_context *context, struct sctp_association *association,
                        struct sctp_sack_work *work, struct sctp_outgoing *chunk, bool by_gap)
{
    struct sctp_path *path = chunk->path;
    struct sctp_out *out = &association->out;
    work->acked_chunks++;
    if (!by_gap || sctp_tsn_before(out->newest_acked, chunk->tsn))
        out->newest_acked = chunk->tsn;
    // A marked chunk belongs to no path's flight; if a gap block names it, the first transmission
    // has arrived after all.
    if (chunk->state == SCTP_RESEND) {
        sctp_resend_leave(association, chunk);
        work->any |= !by_gap;
        if (by_gap)
            return;
    } else {
        sctp_flight_leave(association, chunk);
        sctp_path_fate(path, false);
        note_newack(association, work, chunk, by_gap);
    }
    path->sack.net_ack += sctp_outgoing_bytes(chunk);
    if (by_gap ? path->sack.new_pseudo : path->sack.load >= path->cc.cwnd)
        path->sack.counted += sctp_outgoing_bytes(chunk);
    path->sack.fresh_ack |= chunk->transmissions == 1;
    round_trip(context, path, chunk);
}

// Remembers of each path's outstanding chunks, in the order of TSNs, the fate of the first.
static void note_first(const struct sctp_outgoing *chunk, bool acked)
{
    struct sctp_path_sack *sack = &chunk->path->sack;
    if (chunk->state != SCTP_SENT || sack->first_seen)
        return;
    sack->first_seen = true;
    sack->first_acked = acked;
}

// ---- cum_tsn ----

static void cum_acknowledge(struct cpu_context *context, struct sctp_association *association,
                            struct sctp_sack_work *work)
{
    struct sctp_out *out = &association->out;
    while (out->cum_tsn != work->cum_tsn) {
        struct sctp_outgoing *chunk = sctp_out_at(out, ++out->cum_tsn);
        struct sctp_path *path = chunk->path;
        note_first(chunk, true);
        if (chunk->state == SCTP_SENT || chunk->state == SCTP_RESEND) {
            acknowledge(context, association, work, chunk, false);
            path->sack.new_pseudo = true;
            path->cmt.find_pseudo = path->cmt.find_rtx = true;
        }
        out->fast_acked |= chunk->no_fast;
        work->freed += chunk->bytes;
        sctp_message_free(chunk->message);
        work->moved = true;
    }
    out->buffer.used -= work->freed;
}

// ---- Gap blocks ----

// CUC: the path's earliest outstanding chunk is its pseudo-cum-ack; with v2 there is another one
// among those that were sent again.
static void track(int cuc, const struct sctp_outgoing *chunk)
{
    struct sctp_path_cmt *cmt = &chunk->path->cmt;
    bool again = cuc == SCTP_CUC_V2 && chunk->transmissions > 1;
    if (!again && cmt->find_pseudo) {
        cmt->pseudo_cumack = chunk->tsn;
        cmt->find_pseudo = false;
    }
    if (again && cmt->find_rtx) {
        cmt->rtx_pseudo_cumack = chunk->tsn;
        cmt->find_rtx = false;
    }
}

static void track_acked(int cuc, const struct sctp_outgoing *chunk)
{
    struct sctp_path *path = chunk->path;
    struct sctp_path_cmt *cmt = &path->cmt;
    if (!cmt->find_pseudo && chunk->tsn == cmt->pseudo_cumack)
        cmt->find_pseudo = path->sack.new_pseudo = true;
    if (cuc == SCTP_CUC_V2 && !cmt->find_rtx && chunk->tsn == cmt->rtx_pseudo_cumack)
        cmt->find_rtx = path->sack.new_pseudo = true;
}

static void gap_acknowledge(struct cpu_context *context, struct sctp_association *association,
                            struct sctp_sack_work *work, struct sctp_outgoing *chunk)
{
    int cuc = association->host->config->cmt.cuc;
    if (cuc != SCTP_CUC_OFF && chunk->state == SCTP_SENT) {
        track(cuc, chunk);
        track_acked(cuc, chunk);
    }
    acknowledge(context, association, work, chunk, true);
    chunk->state = SCTP_ACKED;
}

static void not_covered(struct sctp_association *association, struct sctp_outgoing *chunk)
{
    int cuc = association->host->config->cmt.cuc;
    if (chunk->state == SCTP_ACKED) { // RFC 9260, 6.2.1 D iv: the receiver has dropped it again
        sctp_flight_enter(association, chunk);
        chunk->missing = 0;
    } else if (cuc != SCTP_CUC_OFF &&
               (chunk->state == SCTP_SENT || sctp_chooses_late(association))) {
        track(cuc, chunk);
    }
}

// Walks the chunks from cum_tsn to the highest that this SACK or the last one names.
static void walk_gaps(struct cpu_context *context, struct sctp_association *association,
                      struct sctp_sack_work *work, uint32_t last)
{
    struct sctp_out *out = &association->out;
    int gap = 0;
    for (uint32_t tsn = work->cum_tsn + 1; !sctp_tsn_before(last, tsn); tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        while (gap < work->gap_count && sctp_tsn_before(work->cum_tsn + work->gaps[gap].end, tsn))
            gap++;
        bool covered =
            gap < work->gap_count && !sctp_tsn_before(tsn, work->cum_tsn + work->gaps[gap].start);
        note_first(chunk, covered);
        if (!covered)
            not_covered(association, chunk);
        else if (chunk->state != SCTP_ACKED)
            gap_acknowledge(context, association, work, chunk);
    }
}

// Returns the highest TSN that the gap blocks name; cum_tsn if there are none.
static uint32_t highest_gap(const struct sctp_sack_work *work)
{
    uint32_t highest = 0;
    for (int i = 0; i < work->gap_count; i++)
        if (work->gaps[i].start <= work->gaps[i].end)
            highest = MAX(highest, work->gaps[i].end);
    return work->cum_tsn + highest;
}

static void gaps_arrived(struct cpu_context *context, struct sctp_association *association,
                         struct sctp_sack_work *work)
{
    struct sctp_out *out = &association->out;
    uint32_t highest = highest_gap(work), last = highest;
    if (work->cum_only)
        return;
    if (out->had_gaps && sctp_tsn_before(last, out->highest_gap))
        last = out->highest_gap;
    if (work->gap_count > 0 || out->had_gaps)
        walk_gaps(context, association, work, last);
    out->highest_gap = highest;
    out->had_gaps = work->gap_count > 0;
}

// ---- Windows and timers ----

static bool may_grow(const struct sctp_association *association, const struct sctp_sack_work *work,
                     const struct sctp_path *path)
{
    const struct sctp_out *out = &association->out;
    switch (sctp_recovery_rule(association)) {
    case SCTP_RECOVERY_ASSOCIATION:
        return !work->was_recovering || !out->recovering;
    case SCTP_RECOVERY_PATH:
        return !path->recovering;
    default:
        return true;
    }
}

static void path_acked(struct cpu_context *context, struct sctp_association *association,
                       const struct sctp_sack_work *work, struct sctp_path *path)
{
    const struct sctp_cmt_config *cmt = &association->host->config->cmt;
    bool pseudo = cmt->on && cmt->cuc != SCTP_CUC_OFF && path->sack.new_pseudo;
    if (path->sack.fresh_ack) {
        sctp_path_alive(context, path, false);
        sctp_rto_restore(&path->rto, association);
    }
    bool moved = work->moved && !(cmt->on && cmt->cuc != SCTP_CUC_OFF && cmt->cuc_alone);
    sctp_cc_acked(path, moved || pseudo, may_grow(association, work, path));
    if (association->host->config->pba_by_chunk && path->flight == 0)
        sctp_cc_all_acked(path);
}

// RFC 9260, 6.3.2, R2 and R3, or as the BSD stack does. A stopped timer of a path with data in
// flight is started at the end.
static void timer_acked(struct sctp_association *association, const struct sctp_sack_work *work,
                        struct sctp_path *path, bool express)
{
    const struct sctp_config *config = association->host->config;
    bool stops;
    if (config->t3_restart == SCTP_T3_RFC)
        stops = path->sack.first_acked;
    else if (express)
        stops = true;
    else
        stops = config->cmt.on ? path->sack.new_pseudo : work->moved;
    if (stops)
        sctp_t3_stop(path);
}

// The BSD stack takes back an unacknowledged probe once the window opens, as if it was never sent.
static void probe_check(struct sctp_association *association, int64_t window_before)
{
    struct sctp_out *out = &association->out;
    out->idle_probes = out->probing && out->peer_rwnd == 0 ? out->idle_probes + 1 : 0;
    bool acked = !sctp_tsn_before(out->cum_tsn, out->probe);
    if (!out->probing || (!acked && out->peer_rwnd <= window_before))
        return;
    out->probing = false;
    if (acked || !association->host->config->probe_again || out->unsent != out->probe + 1)
        return;
    struct sctp_outgoing *probe = sctp_out_at(out, out->probe);
    if (probe->state != SCTP_SENT)
        return;
    sctp_outgoing_mark(association, probe, probe->path);
}

// ---- Processing a SACK ----

static void begin_sack(const struct sctp_association *association, struct sctp_sack_work *work)
{
    work->was_recovering = association->out.recovering;
    work->highest = work->lowest = work->cum_tsn;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        path->sack = (struct sctp_path_sack){.load = sctp_path_load(path)};
    }
}

static void process_sack(struct cpu_context *context, struct sctp_association *association,
                         struct sctp_sack_work *work)
{
    struct sctp_out *out = &association->out;
    bool express = work->gap_count == 0 && !out->had_gaps;
    bool late = sctp_chooses_late(association);
    begin_sack(association, work);
    cum_acknowledge(context, association, work);
    gaps_arrived(context, association, work);
    sctp_recovery_check(association);
    if (late && work->gap_count > 0) // what is found lost is not in flight when windows grow
        sctp_sack_strikes(context, association, work);
    for (int i = 0; i < association->path_count; i++) {
        timer_acked(association, work, &association->paths[i], express);
        path_acked(context, association, work, &association->paths[i]);
        if (out->cum_tsn + 1 == out->unsent)
            sctp_cc_all_acked(&association->paths[i]);
    }
    // RFC 9260, 6.1 A: SACKs that keep the window closed show that the peer lives.
    if (work->any || (out->probing && out->peer_rwnd == 0))
        sctp_association_alive(association);
    if (!late && work->gap_count > 0)
        sctp_sack_strikes(context, association, work);
    sctp_sack_cuts(context, association, work);
    cpu_spend_time(context,
                   time_times(work->acked_chunks,
                              cpu_cost(context->cpu, association->host->config->costs.acked_chunk)),
                   &sctp_stage);
}

// Output follows once, at the end of the packet, so that Max.Burst holds for all of
// it.
static void finish_sack(struct cpu_context *context, struct sctp_association *association,
                        const struct sctp_sack_work *work)
{
    struct sctp_out *out = &association->out;
    if (out->resend == 0)
        out->resend_from = out->unsent;
    else if (sctp_tsn_before(out->resend_from, out->cum_tsn + 1))
        out->resend_from = out->cum_tsn + 1;
    for (int i = 0; i < association->path_count; i++) {
        sctp_t3_check(context, &association->paths[i]);
        sctp_cc_note(context, &association->paths[i], false);
    }
    if (work->freed > 0)
        sctp_socket_changed(context, association);
}

// The peer acknowledges what was never sent: nothing sensible can follow.
static bool is_beyond(const struct sctp_association *association, uint32_t tsn)
{
    return !sctp_tsn_before(tsn, association->out.unsent);
}

void sctp_sack_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk)
{
    struct sctp_out *out = &association->out;
    struct sctp_sack_work work = {
        .cum_tsn = chunk->sack.cum_tsn,
        .gaps = sctp_sack_gaps(&chunk->sack),
        .gap_count = chunk->sack.gap_count,
        .flags = chunk->flags,
    };
    int64_t window = out->peer_rwnd;
    (void)from;
    if (sctp_tsn_before(work.cum_tsn, out->cum_tsn))
        return; // it is old
    if (is_beyond(association, work.cum_tsn) || is_beyond(association, highest_gap(&work))) {
        sctp_fail(association, SCTP_PROTOCOL_VIOLATION, NULL, 0, SCTP_RESET);
        return;
    }
    process_sack(context, association, &work);
    sctp_peer_window(association, chunk->sack.a_rwnd);
    probe_check(association, window);
    finish_sack(context, association, &work);
}

void sctp_cum_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                          uint32_t cum_tsn)
{
    struct sctp_out *out = &association->out;
    struct sctp_sack_work work = {.cum_tsn = cum_tsn, .cum_only = true};
    if (sctp_tsn_before(cum_tsn, out->cum_tsn) || is_beyond(association, cum_tsn))
        return;
    process_sack(context, association, &work);
    if (!sctp_tsn_before(out->cum_tsn, out->highest_gap)) {
        out->highest_gap = out->cum_tsn;
        out->had_gaps = false;
    }
    finish_sack(context, association, &work);
}
