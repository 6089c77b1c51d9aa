// SPDX-License-Identifier: GPL-3.0-or-later
// Missing reports and fast retransmit (RFC 9260, 7.2.4), with CMT's split fast retransmit and
// delayed acknowledgments (Iyengar, Amer, Stewart 2006).
#include "models/sctp_cmt/sctp/association.h"

#define REPORTS 3

// ---- Missing reports ----

// SFR: a chunk only counts as missing if data that were sent later to the same path have arrived.
static bool split_keeps(const struct sctp_association *association,
                        const struct sctp_outgoing *chunk)
{
    const struct sctp_config *config = association->host->config;
    const struct sctp_path_sack *sack = &chunk->path->sack;
    if (!config->cmt.sfr || !(config->cmt.on || config->split_strikes))
        return false;
    return !sack->saw_newack || sctp_tsn_before(sack->highest_newack, chunk->tsn);
}

static bool is_struck(const struct sctp_association *association, const struct sctp_sack_work *work,
                      const struct sctp_outgoing *chunk)
{
    int rule = sctp_recovery_rule(association);
    bool recovering = rule == SCTP_RECOVERY_PATH ? chunk->path->recovering : work->was_recovering;
    if (rule == SCTP_RECOVERY_WINDOW)
        recovering = false;
    if (work->moved && recovering)
        return true;
    if (chunk->fast_sent && !association->host->config->cmt.on)
        return !sctp_tsn_before(work->highest, chunk->newer);
    bool htna = association->host->config->htna;
    return !sctp_tsn_before(htna ? work->highest : association->out.newest_acked, chunk->tsn);
}

// DAC: packets that one SACK reports at once. How many missing reports it is worth.
static int reports(const struct sctp_association *association, const struct sctp_sack_work *work,
                   const struct sctp_outgoing *chunk)
{
    const struct sctp_cmt_config *cmt = &association->host->config->cmt;
    int acked = 0;
    if (!cmt->on || !cmt->dac)
        return 1;
    for (int i = 0; i < association->path_count; i++)
        acked += association->paths[i].sack.saw_newack;
    // A mixed SACK, or the chunk lies between those that it newly acknowledges.
    const struct sctp_path_sack *sack = &chunk->path->sack;
    if (cmt->dac_form == SCTP_DAC_NUMBER) // ns-2
        return acked == 1 && sack->any && !sctp_tsn_before(sack->lowest_newack, chunk->tsn)
                   ? work->flags
                   : 1;
    if (acked != 1 || !sctp_tsn_before(chunk->tsn, work->lowest))
        return 1;
    return work->flags & 0x80 ? 2 : 1; // the BSD stack
}

// ---- Marking ----

static void mark(struct cpu_context *context, struct sctp_association *association,
                 struct sctp_outgoing *chunk)
{
    const struct sctp_config *config = association->host->config;
    struct sctp_path *path = chunk->path;
    path->sack.marked = true;
    // All that one SACK marks of a path goes to one target.
    if (sctp_chooses_late(association))
        path->sack.target = path;
    else if (!path->sack.target)
        path->sack.target = sctp_retransmission_path(context, path, false);
    sctp_path_fate(path, true);
    sctp_outgoing_mark(association, chunk, path->sack.target);
    chunk->missing = 0;
    chunk->fast_sent = chunk->fast_retransmit = true;
    chunk->newer = association->out.unsent;
    chunk->no_fast = config->cmt.on || config->fast_again == SCTP_FAST_NEVER;
    (*association->host->count.fast_retransmits)++;
}

static void strike(struct cpu_context *context, struct sctp_association *association,
                   const struct sctp_sack_work *work, struct sctp_outgoing *chunk)
{
    if (chunk->state != SCTP_SENT || chunk->no_fast)
        return;
    bool struck = is_struck(association, work, chunk);
    if (split_keeps(association, chunk)) {
        *association->host->count.strikes_suppressed += struck;
        return;
    }
    if (!struck)
        return;
    chunk->missing = (uint8_t)MIN(chunk->missing + reports(association, work, chunk), REPORTS);
    if (chunk->missing == REPORTS)
        mark(context, association, chunk);
}

// ---- Windows ----

// Each path that lost a chunk is cut: once per recovery of the association or of the path, or each
// time.
static bool may_cut(const struct sctp_association *association, const struct sctp_sack_work *work,
                    const struct sctp_path *path)
{
    switch (sctp_recovery_rule(association)) {
    case SCTP_RECOVERY_ASSOCIATION:
        return !work->was_recovering;
    case SCTP_RECOVERY_PATH:
        return !path->recovering;
    default:
        return true;
    }
}

// The highest TSN that was last sent to the path and is not marked. Returns false if there is none.
static bool highest_sent(const struct sctp_path *path, uint32_t *highest)
{
    const struct sctp_out *out = &path->association->out;
    for (uint32_t tsn = out->unsent; tsn-- != out->cum_tsn + 1;) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->path != path || chunk->state == SCTP_RESEND)
            continue;
        *highest = tsn;
        return true;
    }
    return false;
}

// ns-2: each path of which a chunk is marked that was sent after the last cut. It does not freeze
// windows.
static void cut_by_window(struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    uint64_t done = 0; // paths
    for (int i = 0; i < association->path_count; i++)
        association->paths[i].fast_packet = false;
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->unsent; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        struct sctp_path *path = chunk->path;
        if (chunk->state != SCTP_RESEND || done >> path->number & 1)
            continue;
        path->fast_packet |= chunk->fast_retransmit;
        if (path->was_cut && !sctp_tsn_before(path->recover, tsn))
            continue;
        sctp_cc_lost(path);
        path->rto.timing = false;
        path->was_cut = highest_sent(path, &path->recover);
        done |= UINT64_C(1) << path->number;
    }
}

static void cut(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_association *association = path->association;
    struct sctp_out *out = &association->out;
    sctp_cc_lost(path);
    path->recovering = out->recovering = true;
    path->recover = out->recover = out->unsent - 1; // the highest TSN outstanding
    if (association->host->config->t3_restart == SCTP_T3_S2007 && path->flight > 0)
        sctp_t3_start(context, path);
}

void sctp_sack_strikes(struct cpu_context *context, struct sctp_association *association,
                       const struct sctp_sack_work *work)
{
    struct sctp_out *out = &association->out;
    for (uint32_t tsn = out->cum_tsn + 1; sctp_tsn_before(tsn, out->highest_gap); tsn++)
        strike(context, association, work, sctp_out_at(out, tsn));
}

void sctp_sack_cuts(struct cpu_context *context, struct sctp_association *association,
                    const struct sctp_sack_work *work)
{
    bool marked = false;
    bool by_window = sctp_recovery_rule(association) == SCTP_RECOVERY_WINDOW;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (!path->sack.marked)
            continue;
        marked = true;
        if (!by_window && may_cut(association, work, path))
            cut(context, path);
    }
    if (marked && by_window)
        cut_by_window(association);
    // RFC 9260, 7.2.4: a single packet need not wait for room in cwnd.
    if (marked)
        association->out.fast_packets = MAX(association->out.fast_packets, 1);
}

static bool reached(const struct sctp_out *out, uint32_t recover)
{
    return !sctp_tsn_before(out->cum_tsn, recover);
}

void sctp_recovery_check(struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    if (out->recovering && reached(out, out->recover))
        out->recovering = false;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (path->recovering && reached(out, path->recover))
            path->recovering = false;
    }
}
