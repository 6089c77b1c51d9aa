// SPDX-License-Identifier: GPL-3.0-or-later
// Congestion control of a path (RFC 9260, 7.2), in bytes. One row of models/inet/cc.h serves all
// profiles: what they differ in are parameters.
#include "models/sctp_cmt/sctp/association.h"

#include <string.h>

#define INITIAL_LEAST 2 // RFC 9260, 7.2.1: min(4 PMDCS, max(2 PMDCS, constant))
#define INITIAL_MOST 4

// The private state of the row.
struct sctp_cc {
    int64_t partial; // partial_bytes_acked
    int64_t floor;   // of ssthresh, in units
};

static struct sctp_cc *own(struct inet_cc *cc)
{
    return inet_cc_own(cc, struct sctp_cc);
}

static void cc_init(struct inet_cc *cc, int64_t now)
{
    (void)now;
    own(cc)->floor = INITIAL_LEAST;
}

// 7.2.1, 7.2.2: by what was acknowledged, at most a unit; then a unit for each window.
static void cc_ack(struct inet_cc *cc, int64_t acked)
{
    if (cc->cwnd <= cc->ssthresh) {
        cc->cwnd += MIN(acked, cc->mss);
        return;
    }
    own(cc)->partial += acked;
    if (own(cc)->partial < cc->cwnd)
        return;
    own(cc)->partial -= cc->cwnd;
    cc->cwnd += cc->mss;
}

// 7.2.3. The recovery sets cwnd.
static void cc_loss(struct inet_cc *cc, int64_t flight)
{
    (void)flight;
    cc->ssthresh = MAX(cc->cwnd / 2, own(cc)->floor * cc->mss);
    own(cc)->partial = 0;
}

static void cc_timeout(struct inet_cc *cc, int64_t flight, bool again)
{
    (void)again;
    cc_loss(cc, flight);
    cc->cwnd = cc->mss;
}

// 7.2.1: max(cwnd / 2, floor) per RTO; it never grows by that. The threshold remembers the window.
static void cc_idle(struct inet_cc *cc, int64_t now, int64_t idle, int64_t rto, int64_t restart)
{
    (void)now;
    if (cc->cwnd <= restart)
        return;
    cc->ssthresh = cc->cwnd;
    for (; idle >= rto && cc->cwnd > restart; idle -= rto)
        cc->cwnd = MAX(cc->cwnd / 2, restart);
}

static void cc_sent(struct inet_cc *cc, int64_t now, int64_t flight, int64_t rto, bool by_program)
{
    (void)cc, (void)now, (void)flight, (void)rto, (void)by_program;
}

static void cc_changed(struct inet_cc *cc, int64_t now)
{
    (void)cc, (void)now;
}

static const struct inet_cc_ops sctp_cc_ops = {
    .name = "sctp",
    .init = cc_init,
    .ack = cc_ack,
    .loss = cc_loss,
    .timeout = cc_timeout,
    .idle = cc_idle,
    .sent = cc_sent,
    .changed = cc_changed,
    .limited = cc_changed,
};

// ---- A path's ----

static const struct sctp_config *config_of(const struct sctp_path *path)
{
    return path->association->host->config;
}

// The unit of windows: RFC 9260's PMDCS (the longest DATA chunk, its header included), or
// the MTU (RFC 4960, the BSD stack).
static int64_t unit(const struct sctp_path *path)
{
    return config_of(path)->cwnd_in_mtu ? path->mtu : path->mtu - IP_HEADER - SCTP_COMMON_HEADER;
}

static int64_t first_window(const struct sctp_path *path)
{
    const struct sctp_config *config = config_of(path);
    int64_t mss = unit(path);
    if (config->initial_cwnd == 0)
        return MIN(INITIAL_MOST * mss, MAX(INITIAL_LEAST * mss, config->initial_constant));
    return config->initial_cwnd <= path->mtu ? mss : config->initial_cwnd;
}

void sctp_cc_init(struct sctp_path *path, int64_t now)
{
    const struct sctp_config *config = config_of(path);
    inet_cc_init(&path->cc, &sctp_cc_ops, unit(path), first_window(path), now);
    // 0: the peer's window, once it is known (sctp_out_open); until then that of inet_cc_init.
    if (config->initial_ssthresh > 0)
        path->cc.ssthresh = config->initial_ssthresh;
    else if (path->association->peer_initial_rwnd > 0)
        path->cc.ssthresh = path->association->peer_initial_rwnd;
    own(&path->cc)->floor = config->cmt.on && config->ssthresh_floor_cmt > 0
                                ? config->ssthresh_floor_cmt
                                : config->ssthresh_floor;
    path->data_sent = now;
}

int64_t sctp_cc_partial(const struct sctp_path *path)
{
    struct sctp_cc state;
    memcpy(&state, path->cc.own, sizeof(state));
    return state.partial;
}

void sctp_cc_all_acked(struct sctp_path *path)
{
    own(&path->cc)->partial = 0;
}

// ns-2: what counts has been chosen chunk by chunk.
static void by_chunk(struct sctp_path *path, bool may_grow)
{
    struct inet_cc *cc = &path->cc;
    int64_t *partial = &own(cc)->partial;
    *partial += path->sack.counted;
    if (!may_grow || *partial < cc->cwnd || path->flight + path->sack.net_ack < cc->cwnd)
        return;
    *partial -= cc->cwnd;
    cc->cwnd += cc->mss;
}

void sctp_cc_acked(struct sctp_path *path, bool moved, bool allowed)
{
    struct inet_cc *cc = &path->cc;
    int64_t acked = path->sack.net_ack;
    bool avoidance = cc->cwnd > cc->ssthresh;
    if (config_of(path)->pba_by_chunk && avoidance) {
        by_chunk(path, moved && acked > 0 && allowed);
        return;
    }
    if (acked == 0 || !allowed)
        return;
    // RFC 9260, 7.2.2 counts in avoidance what gap blocks acknowledge, too; 7.2.1 does not.
    if (!moved && (config_of(path)->grow_by_cum || !avoidance))
        return;
    if (path->flight + acked >= cc->cwnd)
        cc->ops->ack(cc, acked);
    else if (avoidance && config_of(path)->pba_capped)
        own(cc)->partial = MIN(own(cc)->partial + acked, cc->cwnd);
}

void sctp_cc_lost(struct sctp_path *path)
{
    path->cc.ops->loss(&path->cc, path->flight);
    path->cc.cwnd = path->cc.ssthresh;
}

void sctp_cc_timeout(struct sctp_path *path)
{
    path->cc.ops->timeout(&path->cc, path->flight, false);
}

void sctp_cc_idle(struct sctp_path *path, int64_t now)
{
    int64_t floor = config_of(path)->idle_floor, idle = now - path->data_sent;
    if (floor == 0 || path->flight > 0 || idle < path->rto.rto || path->rto.rto == 0)
        return;
    path->cc.ops->idle(&path->cc, now, idle, path->rto.rto, floor * path->cc.mss);
    path->data_sent = now;
}
