// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: the paths of an association (RFC 9260, 5.4, 6.3, 6.4, 8; thesis
// 004, 2.1, 2.2). A path is an own and a peer's address; with a network per card, path i leads from
// card i to card i.
#ifndef NETSIM_MODELS_SCTP_PATH_H
#define NETSIM_MODELS_SCTP_PATH_H

#include "models/inet/cc.h"
#include "models/inet/timer.h"
#include "models/sctp_cmt/sctp/sctp.h"
#include "models/sctp_cmt/wire/packet.h"

struct sctp_association;
struct sctp_outgoing;

enum sctp_path_state {
    SCTP_PATH_UNCONFIRMED,
    SCTP_PATH_ACTIVE,
    SCTP_PATH_PF, // potentially failed (CMT-PF; RFC 7829)
    SCTP_PATH_INACTIVE,
};

// Round trips and the time-out of a path, in ticks of the host's clock (rto.c).
struct sctp_rto {
    int64_t sa, sv; // the smoothed time scaled by 8 and its variation scaled by 4; sa 0: none yet
    int64_t rto;    // with its back-off
    bool timing;    // a chunk is timed
    uint32_t timed; // its TSN
    int64_t timed_at;
};

// What one SACK brought for a path (sack.c), and CMT's trackers (thesis 004; Iyengar, Amer,
// Stewart 2006).
struct sctp_path_sack {
    int64_t net_ack; // bytes newly acknowledged
    bool fresh_ack;  // one of them was never retransmitted
    bool saw_newack;
    uint32_t highest_newack, lowest_newack;
    bool new_pseudo;
    bool marked; // a chunk of the path was marked for retransmission
};

struct sctp_path_cmt {
    uint32_t pseudo_cumack, rtx_pseudo_cumack;
    bool find_pseudo, find_rtx; // initially true
    sim_time last_active;       // when it became PF
    double loss_rate;           // for RTX-LOSSRATE
};

struct sctp_path {
    struct sctp_association *association;
    int number;        // from 0, in the order of the address list
    int local, remote; // stations
    struct inet_interface *interface;
    const struct route *route;
    int64_t mtu;
    enum sctp_path_state state;
    bool heartbeats, was_primary;
    int errors;
    struct sctp_rto rto;
    struct inet_cc cc; // bytes
    int64_t flight;    // bytes of DATA chunks sent, not acknowledged, not marked for retransmission
    bool recovering;   // fast recovery of the path, until `recover` is acknowledged
    uint32_t recover;
    bool fast_acked; // ns2's burst rule
    struct inet_timer *t3, *heartbeat;
    sim_time last_sent; // DATA or heartbeat
    bool heartbeat_out; // a heartbeat is unanswered
    uint64_t nonce;
    struct sctp_path_sack sack;
    struct sctp_path_cmt cmt;
    int64_t chunks_sent, bytes_sent; // DATA, retransmissions included
    // Control chunks that wait for the next packet to this path, in order.
    struct sctp_chunk *control_head, *control_tail;
};

// ---- path.c: states, errors, primary (owner of every transition of `state`) ----

void sctp_path_init(struct sctp_path *path, struct sctp_association *association, int number,
                    int local, int remote, bool confirmed);
void sctp_path_clear(struct sctp_path *path);
const char *sctp_path_state_name(enum sctp_path_state state);

// The handshake, or a heartbeat's answer, has shown that the peer is at the address.
void sctp_path_confirm(struct cpu_context *context, struct sctp_path *path);

// T3-rtx has expired, or a heartbeat or T2 is unanswered: counts the error for path and
// association, and makes the path PF or INACTIVE, or ends the association. Returns false if the
// association is gone.
bool sctp_path_error(struct cpu_context *context, struct sctp_path *path);

// Never-retransmitted DATA of the path was acknowledged, or a heartbeat was: error count 0, and PF
// ends (cwnd: cmt.pf MTU).
void sctp_path_alive(struct cpu_context *context, struct sctp_path *path, bool heartbeat);

// May take new data: ACTIVE, or whatever is best if none is.
bool sctp_path_takes_data(const struct sctp_path *path);

// Returns the next path after this one, in a ring, that is ACTIVE (not PF), or the path itself.
struct sctp_path *sctp_path_alternate(struct sctp_path *path);

// ---- schedule.c: where new data and retransmissions go ----

// Returns the path for the next new chunks, or NULL if none has room in cwnd: without CMT the
// primary (or its alternate); with CMT by cmt.scheduler. `after`: the path that was served last in
// this round, NULL at its start.
struct sctp_path *sctp_schedule(struct sctp_association *association, struct sctp_path *after);

// Returns the path for the retransmission of what was lost on `path`. `timeout`: by T3, not by fast
// retransmit.
struct sctp_path *sctp_retransmission_path(struct sctp_path *path, bool timeout);

// ---- heartbeat.c ----

// The association is up: starts heartbeats and the probing of unconfirmed paths.
void sctp_heartbeats_start(struct cpu_context *context, struct sctp_association *association);
void sctp_heartbeats_stop(struct sctp_association *association);
void sctp_heartbeat_send(struct cpu_context *context, struct sctp_path *path);
void sctp_heartbeat_arrived(struct cpu_context *context, struct sctp_association *association,
                            struct sctp_path *from, const struct sctp_chunk *chunk);
void sctp_heartbeat_ack_arrived(struct cpu_context *context, struct sctp_association *association,
                                const struct sctp_chunk *chunk);

// ---- rto.c (RFC 9260, 6.3.1; the BSD stack's formula) ----

void sctp_rto_init(struct sctp_rto *rto, const struct sctp_association *association);
void sctp_rto_sample(struct sctp_rto *rto, const struct sctp_association *association,
                     int64_t ticks);
void sctp_rto_back_off(struct sctp_rto *rto, const struct sctp_association *association);
// A path whose RTO was backed off has shown life: the RTO as measured.
void sctp_rto_restore(struct sctp_rto *rto, const struct sctp_association *association);

#endif
