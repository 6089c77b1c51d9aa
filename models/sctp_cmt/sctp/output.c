// SPDX-License-Identifier: GPL-3.0-or-later
// Output: which chunks leave, and when (RFC 9260, 6.1; the BSD stack's rounds of output):
// retransmissions first, then new data, each with the control chunks and the SACK for the same
// path; then the remaining control chunks.
#include "models/sctp_cmt/sctp/bundle.h"

// True if the interface queue is full while data is in flight: its SACK triggers the next attempt.
// With nothing in flight the packet is sent anyway.
static bool interface_is_full(const struct sctp_path *path)
{
    return path->association->out.flight > 0 && inet_full(path->interface);
}

static bool packet_has_room(const struct sctp_path *path)
{
    return sctp_path_load(path) < path->cc.cwnd || path->association->out.flight == 0;
}

// In COOKIE-ECHOED only the packet with the COOKIE-ECHO may hold DATA.
static bool may_hold_data(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    if (association->machine.state == SCTP_COOKIE_ECHOED &&
        !(path->control_head && path->control_head->type == SCTP_COOKIE_ECHO))
        return false;
    return sctp_may_send_data(association);
}

// ---- Retransmissions ----

static bool window_allows_again(const struct sctp_association *association,
                                const struct sctp_outgoing *chunk)
{
    const struct sctp_out *out = &association->out;
    if (!association->host->config->resend_first_only || out->flight == 0)
        return true;
    return out->peer_rwnd >= chunk->path->mtu || chunk->tsn == out->cum_tsn + 1;
}

// No chunk before it belongs to its path. Of an earlier chunk that is marked for the path, too,
// it counts if `marked`.
static bool is_first(const struct sctp_association *association, uint32_t tsn, bool marked)
{
    const struct sctp_out *out = &association->out;
    const struct sctp_path *path = sctp_out_at(out, tsn)->path;
    for (uint32_t before = out->cum_tsn + 1; before != tsn; before++) {
        const struct sctp_outgoing *chunk = sctp_out_at(out, before);
        bool counts = chunk->state == SCTP_SENT || (marked && chunk->state == SCTP_RESEND);
        if (counts && chunk->path == path)
            return false;
    }
    return true;
}

static bool retransmission_limit_reached(const struct sctp_association *association,
                                         const struct sctp_outgoing *chunk)
{
    int64_t most = association->host->config->most_transmissions;
    return most > 0 && chunk->transmissions >= most;
}

// One packet of chunks that are marked for the path of the one at `first`.
static void resend_packet(struct cpu_context *context, struct sctp_association *association,
                          uint32_t first)
{
    struct sctp_out *out = &association->out;
    struct sctp_path *path = sctp_out_at(out, first)->path;
    struct sctp_bundle bundle = {.context = context, .association = association, .path = path};
    // RFC 9260, 7.2.4, step 4: the path's earliest outstanding chunk goes out again.
    bool restart = sctp_out_at(out, first)->fast_retransmit && is_first(association, first, false);
    sctp_bundle_control(&bundle);
    if (!sctp_bundle_fits(&bundle, sctp_outgoing_bytes(sctp_out_at(out, first))))
        sctp_bundle_send(&bundle);
    for (uint32_t tsn = first; tsn != out->unsent; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->state != SCTP_RESEND || chunk->path != path)
            continue;
        if (!sctp_bundle_fits(&bundle, sctp_outgoing_bytes(chunk)) ||
            retransmission_limit_reached(association, chunk) ||
            (tsn != first && !window_allows_again(association, chunk)))
            break;
        sctp_resend_leave(association, chunk);
        chunk->fast_retransmit = false;
        sctp_bundle_data(&bundle, chunk);
    }
    if (restart)
        sctp_t3_stop(path);
    sctp_bundle_send(&bundle);
}

// May a packet that begins with this chunk leave now? Fast retransmissions may ignore cwnd.
static bool may_resend(struct sctp_association *association, const struct sctp_outgoing *chunk,
                       bool ignore_cwnd)
{
    struct sctp_out *out = &association->out;
    if (interface_is_full(chunk->path) || !window_allows_again(association, chunk))
        return false;
    if (ignore_cwnd)
        return true;
    if (chunk->fast_retransmit && out->fast_packets > 0) {
        out->fast_packets--;
        return true;
    }
    return packet_has_room(chunk->path);
}

// Moves the marked chunks of a path that must not have data any more to another one.
static void move_marked(struct cpu_context *context, const struct sctp_outgoing *chunk)
{
    struct sctp_path *from = chunk->path;
    if (!sctp_path_takes_data(from))
        sctp_out_move(from->association, from, sctp_retransmission_path(context, from, false),
                      false);
}

enum resent { RESENT_NOTHING, RESENT_PACKET, RESENT_FAILED };

// Sends one packet of retransmissions: of those that may leave, the one with the lowest TSN.
static enum resent resend_next(struct cpu_context *context, struct sctp_association *association,
                               bool ignore_cwnd)
{
    struct sctp_out *out = &association->out;
    uint64_t held = 0; // paths
    bool first = true;
    for (uint32_t tsn = out->resend_from; out->resend > 0 && tsn != out->unsent; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->state != SCTP_RESEND)
            continue;
        if (first)
            out->resend_from = tsn;
        first = false;
        move_marked(context, chunk);
        if (held >> chunk->path->number & 1)
            continue;
        if (retransmission_limit_reached(association, chunk)) {
            sctp_fail(association, SCTP_PROTOCOL_VIOLATION, NULL, 0, SCTP_TIMED_OUT);
            return RESENT_FAILED;
        }
        if (may_resend(association, chunk, ignore_cwnd)) {
            resend_packet(context, association, tsn);
            return RESENT_PACKET;
        }
        held |= UINT64_C(1) << chunk->path->number;
    }
    return RESENT_NOTHING;
}

// ns-2: the path is chosen now, chunk by chunk. A fast retransmission or one by T3-rtx may ignore
// cwnd once, if it goes to a path that lost one by fast retransmit.
static void resend_late(struct cpu_context *context, struct sctp_association *association,
                        bool one_more)
{
    struct sctp_out *out = &association->out;
    uint64_t used = 0; // paths
    for (uint32_t tsn = out->resend_from; out->resend > 0 && tsn != out->unsent; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        struct sctp_path *old = chunk->path;
        if (chunk->state != SCTP_RESEND)
            continue;
        struct sctp_path *path = sctp_retransmission_path(context, old, false);
        bool ignore_cwnd = one_more && path->fast_packet && !(used >> path->number & 1);
        if (!ignore_cwnd && path->flight >= path->cc.cwnd)
            continue;
        if (old->flight > 0 && is_first(association, tsn, true))
            sctp_t3_start(context, old);
        used |= UINT64_C(1) << path->number;
        sctp_resend_move(chunk, path);
        chunk->fast_retransmit = true; // T3-rtx of the path starts anew if this is its earliest one
        resend_packet(context, association, tsn);
    }
    out->fast_packets = 0;
}

// Returns false if the association has failed.
static bool resend(struct cpu_context *context, struct sctp_association *association)
{
    const struct sctp_config *config = association->host->config;
    struct sctp_out *out = &association->out;
    enum resent resent = RESENT_NOTHING;
    if (out->resend == 0 || association->machine.state < SCTP_ESTABLISHED ||
        !sctp_may_send_data(association))
        return true;
    if (sctp_chooses_late(association)) {
        resend_late(context, association, out->fast_packets > 0);
        return true;
    }
    if (config->fast_every_round)
        out->fast_packets = config->burst;
    do
        resent = resend_next(context, association, false);
    while (resent == RESENT_PACKET);
    if (out->resend == 0)
        out->fast_packets = 0;
    return resent != RESENT_FAILED;
}

// ---- New data ----

// The peer's window keeps new data, but for one chunk when nothing is in flight (RFC 9260, 6.1 A).
static bool window_allows(const struct sctp_association *association,
                          const struct sctp_outgoing *chunk)
{
    const struct sctp_out *out = &association->out;
    return out->flight == 0 || sctp_outgoing_needs(association, chunk) <= out->peer_rwnd;
}

static void note_probe(struct sctp_association *association, const struct sctp_outgoing *chunk)
{
    struct sctp_out *out = &association->out;
    if (out->peer_rwnd > 0)
        return;
    out->probing = true;
    out->probe = chunk->tsn;
    (*association->host->count.window_probes)++;
}

// Chunks that were made for a path that must not have them any more go to another one.
static bool move_ready(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    struct sctp_path *from = sctp_out_at(out, out->unsent)->path;
    if (sctp_path_takes_data(from))
        return true;
    struct sctp_path *to = sctp_schedule(context, association, NULL);
    for (uint32_t tsn = out->unsent; to && tsn != out->next; tsn++)
        if (sctp_out_at(out, tsn)->path == from)
            sctp_out_at(out, tsn)->path = to;
    return to != NULL;
}

// Sends one packet of the chunks that are made. Returns false if none could leave.
static bool send_next_packet(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    struct sctp_outgoing *chunk = sctp_out_at(out, out->unsent);
    struct sctp_path *path = chunk->path;
    struct sctp_bundle bundle = {.context = context, .association = association, .path = path};
    if (!packet_has_room(path) || interface_is_full(path) || !may_hold_data(path) ||
        !window_allows(association, chunk))
        return false;
    sctp_bundle_control(&bundle);
    if (!sctp_bundle_fits(&bundle, sctp_outgoing_bytes(chunk)))
        sctp_bundle_send(&bundle);
    if (!sctp_may_send_data(association)) // the COOKIE-ECHO has left without
        return false;
    do {
        if (out->flight == 0)
            note_probe(association, chunk);
        out->unsent++;
        sctp_bundle_data(&bundle, chunk);
        chunk = sctp_out_at(out, out->unsent);
    } while (out->unsent != out->next && chunk->path == path &&
             sctp_bundle_fits(&bundle, sctp_outgoing_bytes(chunk)) &&
             window_allows(association, chunk));
    sctp_bundle_send(&bundle);
    return true;
}

static int nagle_rule_of(const struct sctp_association *association)
{
    return association->host->config->nagle_rule;
}

// By the BSD stack's rule Nagle's algorithm stops only output that a user's send calls, in which it
// is asked after each round of packets.
static bool nagle_stops(const struct sctp_association *association)
{
    return association->out.of_send && nagle_rule_of(association) == SCTP_NAGLE_S2007 &&
           sctp_nagle_holds(association);
}

// Sends all chunks that are made, or stops at the first that must wait.
static bool send_ready_chunks(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    bool sent = false;
    while (out->unsent != out->next && !(sent && nagle_stops(association)) &&
           move_ready(context, association) && send_next_packet(context, association))
        sent = true;
    return sent;
}

static bool may_send_new(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    bool has_data = out->waiting > 0 || out->unsent != out->next;
    return has_data && (out->resend == 0 || sctp_chooses_late(association)) &&
           (out->peer_rwnd > 0 || out->flight == 0) && sctp_may_send_data(association) &&
           !(nagle_rule_of(association) == SCTP_NAGLE_RFC && sctp_nagle_holds(association));
}

// Makes chunks for one path, a packet's worth, and sends them. Returns false if none could leave.
static bool send_on_path(struct cpu_context *context, struct sctp_association *association,
                         struct sctp_path *path)
{
    int64_t room = path->mtu - IP_HEADER - SCTP_COMMON_HEADER;
    if (interface_is_full(path) || !may_hold_data(path))
        return false;
    // ns-2 makes no chunk that the window keeps: its path is not fixed until it leaves.
    if (sctp_chooses_late(association) && association->out.flight > 0)
        room = MIN(room, association->out.peer_rwnd);
    if (sctp_stream_cut(association, path, room) == 0)
        return false;
    return send_ready_chunks(context, association);
}

// A round asks the scheduler for paths until it has no more, or has only those that cannot send.
static bool schedule_round(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    struct sctp_path *path = NULL, *served = out->served;
    uint64_t held = 0;
    bool sent = false;
    while (may_send_new(association) && out->unsent == out->next &&
           (path = sctp_schedule(context, association, path)) && !(held >> path->number & 1)) {
        if (send_on_path(context, association, path)) {
            sent = true;
            served = path;
        } else {
            held |= UINT64_C(1) << path->number;
        }
    }
    if (sctp_chooses_late(association))
        out->served = served; // the last that was not only asked
    return sent;
}

// ---- Bursts ----

// RFC 9260, 6.1 D: the limit is for this output only; the BSD stack keeps it, with the old window
// as the threshold; ns-2 has it only after a fast retransmission was acknowledged.
static void limit_bursts(struct sctp_association *association, int64_t *windows)
{
    const struct sctp_config *config = association->host->config;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        struct inet_cc *cc = &path->cc;
        int64_t most = sctp_path_load(path) + config->burst * cc->mss;
        windows[i] = cc->cwnd;
        bool limited = config->burst_rule != SCTP_BURST_NONE &&
                       (config->burst_rule != SCTP_BURST_AFTER_FR || association->out.fast_acked);
        if (!limited || most >= cc->cwnd)
            continue;
        if (config->burst_rule == SCTP_BURST_CWND_SSTHRESH) {
            cc->ssthresh = MAX(cc->ssthresh, cc->cwnd);
            windows[i] = most;
        }
        cc->cwnd = most;
    }
    if (!config->cmt.on) // with CMT, ns-2 has the limit from the first one on
        association->out.fast_acked = false;
}

static void lift_limits(struct sctp_association *association, const int64_t *windows,
                        const int64_t *limited)
{
    for (int i = 0; i < association->path_count; i++)
        if (association->paths[i].cc.cwnd == limited[i])
            association->paths[i].cc.cwnd = windows[i];
}

static void send_new(struct cpu_context *context, struct sctp_association *association)
{
    int64_t now = inet_ticks(association->host->inet, context->now);
    int64_t windows[SCTP_MOST_PATHS] = {0}, limited[SCTP_MOST_PATHS] = {0};
    for (int i = 0; i < association->path_count; i++)
        sctp_cc_idle(&association->paths[i], now);
    limit_bursts(association, windows);
    for (int i = 0; i < association->path_count; i++)
        limited[i] = association->paths[i].cc.cwnd;
    send_ready_chunks(context, association);
    while (schedule_round(context, association) && !nagle_stops(association))
        continue;
    lift_limits(association, windows, limited);
}

// ---- Output ----

static void flush_control(struct cpu_context *context, struct sctp_association *association)
{
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_bundle bundle = {
            .context = context, .association = association, .path = &association->paths[i]};
        if (!association->paths[i].control_head)
            continue;
        sctp_bundle_control(&bundle);
        sctp_bundle_send(&bundle);
    }
}

void sctp_output(struct cpu_context *context, struct sctp_association *association)
{
    if (!resend(context, association))
        return;
    if (may_send_new(association))
        send_new(context, association);
    flush_control(context, association);
    sctp_out_note(context, association);
}

void sctp_output_of_send(struct cpu_context *context, struct sctp_association *association)
{
    int64_t *counter;
    bool queues = sctp_send_only_queues(association, &counter);
    if (counter)
        ++*counter;
    association->out.of_send = true;
    if (queues || nagle_stops(association)) {
        flush_control(context, association);
        sctp_out_note(context, association);
    } else {
        sctp_output(context, association);
    }
    association->out.of_send = false;
}

void sctp_output_timeout(struct cpu_context *context, struct sctp_association *association)
{
    if (sctp_chooses_late(association))
        resend_late(context, association, true);
    else if (resend_next(context, association, true) == RESENT_FAILED)
        return;
    flush_control(context, association);
    sctp_out_note(context, association);
}
