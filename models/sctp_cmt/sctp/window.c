// SPDX-License-Identifier: GPL-3.0-or-later
// The flight, the peer's window by the sender's count (RFC 9260, 6.2.1), and what holds data
// back.
#include "models/sctp_cmt/sctp/association.h"

// ---- Flight ----

int64_t sctp_outgoing_needs(const struct sctp_association *association,
                            const struct sctp_outgoing *chunk)
{
    return association->host->config->charge_headers ? sctp_outgoing_bytes(chunk) : chunk->bytes;
}

static int64_t charge_window(const struct sctp_association *association,
                             const struct sctp_outgoing *chunk)
{
    return sctp_outgoing_needs(association, chunk) + association->host->config->chunk_charge;
}

// Silly window avoidance: a small window counts as closed.
static void set_window(struct sctp_association *association, int64_t bytes)
{
    bool small = bytes < association->host->config->sws_send;
    association->out.peer_rwnd = small ? 0 : MAX(bytes, 0);
}

void sctp_flight_enter(struct sctp_association *association, struct sctp_outgoing *chunk)
{
    struct sctp_out *out = &association->out;
    chunk->path->flight += sctp_outgoing_bytes(chunk);
    out->flight += sctp_outgoing_bytes(chunk);
    out->flight_data += chunk->bytes;
    out->charged += charge_window(association, chunk);
    out->outstanding++;
    chunk->state = SCTP_SENT;
    set_window(association, out->peer_rwnd - charge_window(association, chunk));
}

void sctp_flight_leave(struct sctp_association *association, struct sctp_outgoing *chunk)
{
    struct sctp_out *out = &association->out;
    chunk->path->flight -= sctp_outgoing_bytes(chunk);
    out->flight -= sctp_outgoing_bytes(chunk);
    out->flight_data -= chunk->bytes;
    out->charged -= charge_window(association, chunk);
    out->outstanding--;
}

// The chunk's round trip can't be measured any more (Karn).
static void stop_timing(struct sctp_outgoing *chunk)
{
    struct sctp_rto *rto = &chunk->path->rto;
    if (rto->timing && rto->timed == chunk->tsn)
        rto->timing = false;
}

void sctp_outgoing_mark(struct sctp_association *association, struct sctp_outgoing *chunk,
                        struct sctp_path *path)
{
    struct sctp_out *out = &association->out;
    sctp_flight_leave(association, chunk);
    // RFC 9260, 6.2.1 C: what is marked counts as arrived nowhere.
    out->peer_rwnd += charge_window(association, chunk);
    stop_timing(chunk);
    chunk->state = SCTP_RESEND;
    if (out->resend == 0 || sctp_tsn_before(chunk->tsn, out->resend_from))
        out->resend_from = chunk->tsn;
    out->resend++;
    path->marked += sctp_outgoing_bytes(chunk);
    // The old path's trackers move on to the next chunk, since this one may never be theirs (CUC).
    if (!sctp_chooses_late(association))
        chunk->path->cmt.find_pseudo = chunk->path->cmt.find_rtx = true;
    chunk->path = path;
}

void sctp_resend_leave(struct sctp_association *association, const struct sctp_outgoing *chunk)
{
    association->out.resend--;
    chunk->path->marked -= sctp_outgoing_bytes(chunk);
}

void sctp_resend_move(struct sctp_outgoing *chunk, struct sctp_path *to)
{
    // Those that choose no path when they mark have moved the trackers on (sctp_outgoing_mark).
    if (chunk->path != to && sctp_chooses_late(to->association))
        chunk->path->cmt.find_pseudo = chunk->path->cmt.find_rtx = true;
    chunk->path->marked -= sctp_outgoing_bytes(chunk);
    to->marked += sctp_outgoing_bytes(chunk);
    chunk->path = to;
}

void sctp_peer_window(struct sctp_association *association, int64_t a_rwnd)
{
    int64_t marked = 0;
    for (int i = 0; i < association->path_count; i++)
        marked += sctp_path_load(&association->paths[i]) - association->paths[i].flight;
    set_window(association, a_rwnd - association->out.charged - marked);
}

void sctp_out_open(struct sctp_association *association, int64_t a_rwnd)
{
    association->peer_initial_rwnd = a_rwnd;
    sctp_peer_window(association, a_rwnd);
    if (association->host->config->initial_ssthresh == 0)
        for (int i = 0; i < association->path_count; i++)
            association->paths[i].cc.ssthresh = a_rwnd;
}

// ---- Reasons for holding data back ----

static const struct wait rwnd_blocked = {"the window that the receiver offers (rwnd-blocked)",
                                         WAIT_WINDOW};
static const struct wait cwnd_full = {"a SACK, as cwnd is full", WAIT_ACK};
static const struct wait sack_after_send = {
    "a SACK, as much is in flight on the primary path (send rule)", WAIT_ACK};
static const struct wait small_sack = {"a SACK, as less than a packet waits", WAIT_ACK};
static const struct wait t3_waits[SCTP_MOST_PATHS] = {
    {"T3 of path 1", WAIT_ACK}, {"T3 of path 2", WAIT_ACK}, {"T3 of path 3", WAIT_ACK},
    {"T3 of path 4", WAIT_ACK}, {"T3 of path 5", WAIT_ACK}, {"T3 of path 6", WAIT_ACK},
    {"T3 of path 7", WAIT_ACK}, {"T3 of path 8", WAIT_ACK},
};

bool sctp_out_waits(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    return out->resend > 0 || out->unsent != out->next || sctp_out_pending(association);
}

// True if the peer's window, and nothing else, keeps new data: some path has room in cwnd.
static bool window_blocks(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    bool open = false;
    if (out->resend > 0 || out->flight == 0 || (out->waiting == 0 && out->unsent == out->next))
        return false;
    for (int i = 0; i < association->path_count; i++) {
        const struct sctp_path *path = &association->paths[i];
        open |= sctp_path_takes_data(path) && path->flight < path->cc.cwnd;
    }
    return open &&
           (out->peer_rwnd == 0 ||
            (out->unsent != out->next &&
             sctp_outgoing_needs(association, sctp_out_at(out, out->unsent)) > out->peer_rwnd));
}

// The chunk that cum_tsn waits for is lost or late: others have arrived after it, or T3-rtx of its
// path has expired before.
static const struct sctp_path *path_of_hole(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    if (out->cum_tsn + 1 == out->unsent)
        return NULL;
    const struct sctp_outgoing *first = sctp_out_at(out, out->cum_tsn + 1);
    if (first->state != SCTP_SENT || !(out->had_gaps || first->path->phase.state == SCTP_LOSS))
        return NULL;
    return first->path;
}

const struct wait *sctp_out_wait(const struct sctp_association *association)
{
    const struct sctp_out *out = &association->out;
    if (!sctp_out_waits(association))
        return NULL;
    bool blocked = window_blocks(association), full = true;
    int64_t *counter;
    const struct sctp_path *path = path_of_hole(association);
    for (int i = 0; i < association->path_count; i++)
        full &= association->paths[i].flight >= association->paths[i].cc.cwnd;
    if (path && (blocked || path->phase.state == SCTP_LOSS))
        return &t3_waits[path->number];
    if (blocked)
        return &rwnd_blocked;
    if (out->flight == 0)
        return NULL;
    if (full || out->waiting_bytes == 0)
        return &cwnd_full;
    return sctp_send_only_queues(association, &counter) ? &sack_after_send : &small_sack;
}

static const struct machine_state rwnd_states[] = {
    [SCTP_RWND_OPEN] = {"open", .next = MACHINE_TO(SCTP_RWND_BLOCKED)},
    [SCTP_RWND_BLOCKED] = {"rwnd_blocked", .next = MACHINE_TO(SCTP_RWND_OPEN)},
};

const struct machine_kind sctp_rwnd_machine = {
    .name = "sctp rwnd",
    .title = "Peer's window of an SCTP sender",
    .source = "RFC 9260, 6.1 A",
    .states = rwnd_states,
    .count = G_N_ELEMENTS(rwnd_states),
};

static void enter_rwnd_state(struct cpu_context *context, struct sctp_association *association,
                             enum sctp_rwnd_state state)
{
    struct sctp_host *host = association->host;
    struct sctp_out *out = &association->out;
    cpu_machine_enter(context, &sctp_rwnd_machine, &out->rwnd, state,
                      sctp_machine_owner(association), NULL);
    if (state == SCTP_RWND_BLOCKED) {
        out->blocked_since = context->now;
        (*host->count.rwnd_blocked)++;
    } else {
        // Summed before it is rounded: many spans are shorter than a microsecond.
        int64_t before = out->blocked_time / TIME_US;
        out->blocked_time += context->now - out->blocked_since;
        *host->count.rwnd_blocked_us += out->blocked_time / TIME_US - before;
    }
}

void sctp_out_note(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_out *out = &association->out;
    enum sctp_rwnd_state state = window_blocks(association) ? SCTP_RWND_BLOCKED : SCTP_RWND_OPEN;
    if (state != out->rwnd.state)
        enter_rwnd_state(context, association, state);
    if (!association->host->sim->trace)
        return;
    sctp_values_tell(context, association);
    const struct wait *wait = sctp_out_wait(association);
    if (wait == out->held_for)
        return;
    if (out->held_for)
        trace_note(association->host->sim->trace, cpu_lane(context->cpu),
                   &(struct trace_note){.kind = TRACE_HELD,
                                        .wait = out->held_for,
                                        .where = "SCTP",
                                        .from = out->held_since,
                                        .to = context->now});
    out->held_for = wait;
    out->held_since = context->now;
}

void sctp_out_move(struct sctp_association *association, struct sctp_path *from,
                   struct sctp_path *to, bool unsent)
{
    struct sctp_out *out = &association->out;
    for (uint32_t tsn = out->cum_tsn + 1; tsn != out->next; tsn++) {
        struct sctp_outgoing *chunk = sctp_out_at(out, tsn);
        if (chunk->path != from)
            continue;
        if (chunk->state == SCTP_RESEND)
            sctp_resend_move(chunk, to);
        else if (unsent && chunk->state == SCTP_MADE)
            chunk->path = to;
    }
}
