// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: the paths of an association (RFC 9260, 5.4, 6.3, 6.4, 8; thesis
// 004, 2.1, 2.2). A path is an own and a peer's address; with a network per card, path i leads from
// card i to card i.
//
// Not modelled: discovery of the path MTU, addresses that come or go during an association.
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

// In which phase congestion control is (RFC 9260, 7.2).
enum sctp_phase {
    SCTP_SLOW_START,
    SCTP_AVOIDANCE,
    SCTP_RECOVERY,
    SCTP_LOSS, // T3-rtx has expired, and nothing was acknowledged since
};

// Round trips and the time-out of a path, in ticks of the host's clock (rto.c).
struct sctp_rto {
    int64_t sa, sv; // the smoothed time scaled by 8 and its variation scaled by 4
    int64_t rto;    // with its back-off
    bool measured;  // there is a sample
    bool backed_off;
    bool timing;    // a chunk is timed
    uint32_t timed; // its TSN
    int64_t timed_at;
};

// Effects of one SACK on a path (sack.c), and CMT's trackers (thesis 004; Iyengar, Amer,
// Stewart 2006).
struct sctp_path_sack {
    int64_t net_ack; // bytes newly acknowledged
    int64_t load;    // in the path's window before the SACK
    int64_t counted; // bytes that count for congestion avoidance (pba_by_chunk)
    bool fresh_ack;  // one of them was never retransmitted
    bool any;        // a chunk was newly acknowledged, by cum_tsn or a gap block
    bool saw_newack;
    uint32_t highest_newack, lowest_newack;
    bool new_pseudo;
    bool marked;              // a chunk of the path was marked for retransmission
    struct sctp_path *target; // of the marked ones; NULL: not chosen yet
    bool first_seen;          // of its outstanding chunks, the earliest is known ...
    bool first_acked;         // ... and was acknowledged
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
    struct machine machine; // enum sctp_path_state
    bool confirmed;         // the peer is known to be at the address
    bool heartbeats, was_primary;
    int errors;
    struct sctp_rto rto;
    struct inet_cc cc; // bytes
    int64_t flight;    // bytes of DATA chunks sent, not acknowledged, not marked for retransmission
    int64_t marked;    // bytes of DATA chunks marked for retransmission on it (SCTP_RESEND)
    bool recovering;   // fast recovery of the path, until `recover` is acknowledged
    uint32_t recover;
    bool was_cut;     // recover is set: the highest TSN that was under way at the last cut (ns-2)
    bool fast_packet; // a fast retransmission to it need not wait for room in cwnd (late choice)
    struct machine phase; // enum sctp_phase
    trace_lane lane;      // of the sender's activity; 0: not traced
    int64_t data_sent;    // ticks: when DATA was last sent
    struct inet_timer *t3, *heartbeat;
    sim_time last_sent;      // DATA or heartbeat
    bool probing;            // heartbeats have been started
    bool heartbeat_out;      // a heartbeat is unanswered
    sim_time heartbeat_from; // when the current period began
    int64_t heartbeat_due;   // ticks: when the next one may be sent
    uint64_t nonce;          // 0: none yet
    struct sctp_path_sack sack;
    struct sctp_path_cmt cmt;
    int64_t chunks_sent, bytes_sent; // DATA, retransmissions included
    // Control chunks that wait for the next packet to this path, in order.
    struct sctp_chunk *control_head, *control_tail;
};

// ---- path.c ----

void sctp_path_init(struct sctp_path *path, struct sctp_association *association, int number,
                    int local, int remote, bool confirmed);
void sctp_path_clear(struct sctp_path *path);
extern const struct machine_kind sctp_path_machine; // by enum sctp_path_state
void sctp_path_enter(struct cpu_context *context, struct sctp_path *path,
                     enum sctp_path_state state, const char *event);

static inline const char *sctp_path_state_name(const struct sctp_path *path)
{
    return machine_state_name(&sctp_path_machine, &path->machine);
}

// Heartbeats are to confirm its address.
static inline bool sctp_path_probed(const struct sctp_path *path)
{
    return path->machine.state == SCTP_PATH_UNCONFIRMED;
}

bool sctp_any_path_probed(const struct sctp_association *association);

const char *sctp_path_name(const struct sctp_path *path); // "path 1" is number 0; static

// Queues a control chunk for the next packet to the path.
void sctp_control_queue(struct sctp_path *path, struct sctp_chunk *chunk);
// A chunk of the path was acknowledged, or was marked as lost: for RTX-LOSSRATE.
void sctp_path_fate(struct sctp_path *path, bool lost);

// May take new data: ACTIVE, or whatever is best if none is.
bool sctp_path_takes_data(const struct sctp_path *path);
bool sctp_any_path_active(const struct sctp_association *association);
// Returns the next path after this one, in a ring, that is ACTIVE (not PF), or the path itself.
struct sctp_path *sctp_path_alternate(struct sctp_path *path);
// The best path if none is ACTIVE: PF, else the primary, else any that is confirmed. `failing`: its
// T3-rtx has just expired and is not counted yet; NULL: none.
struct sctp_path *sctp_path_best_of_rest(const struct sctp_association *association,
                                         const struct sctp_path *failing);

// ---- path_state.c: answers, errors, the primary ----

// The handshake has shown that the peer is at the address.
void sctp_path_confirm(struct cpu_context *context, struct sctp_path *path);

// T3-rtx has expired with DATA outstanding, or (cmt.pf_by_heartbeat) a heartbeat is unanswered:
// with CMT-PF the path becomes PF. Called before the alternate is chosen, and before
// sctp_path_error.
void sctp_path_suspect(struct cpu_context *context, struct sctp_path *path);

// T3-rtx has expired, or a heartbeat or T2 is unanswered: counts the error for path and
// association, and makes the path INACTIVE (its chunks then move to the alternate, and so does the
// primary), queues a PF path's heartbeat, or lets the association fail. The caller has backed RTO
// off before. Returns false if the association has failed.
bool sctp_path_error(struct cpu_context *context, struct sctp_path *path);

// Like sctp_path_error, but for the association alone, as for a window probe.
bool sctp_association_error(struct sctp_association *association);

// Never-retransmitted DATA of the path was acknowledged, or a heartbeat was: error count 0, and PF
// (cwnd: cmt.pf MTU) or INACTIVE ends.
void sctp_path_alive(struct cpu_context *context, struct sctp_path *path, bool heartbeat);

// The user's choice (SCTP_PRIMARY_ADDR): at once, or once the path is confirmed.
void sctp_path_make_primary(struct cpu_context *context, struct sctp_path *path);

// Data must go and no path is ACTIVE: of those that are PF, the one with the fewest errors, which
// becomes ACTIVE; else the primary. `failing`: its T3-rtx has just expired and is not counted yet;
// NULL: none.
struct sctp_path *sctp_path_last_resort(struct cpu_context *context,
                                        struct sctp_association *association,
                                        const struct sctp_path *failing);

// ---- schedule.c: where new data and retransmissions go ----

// Returns the path for the next packet's worth of new chunks, or NULL at the end of a round, when
// no further path has room in cwnd and in its share of the buffers: without CMT the primary (or its
// alternate); with CMT by cmt.scheduler. `after`: the path that was served last in this round, NULL
// at its start. The caller begins rounds until one moves nothing.
struct sctp_path *sctp_schedule(struct cpu_context *context, struct sctp_association *association,
                                struct sctp_path *after);

// Returns the path for the retransmission of what was lost on `path`. `timeout`: by T3, not by fast
// retransmit.
struct sctp_path *sctp_retransmission_path(struct cpu_context *context, struct sctp_path *path,
                                           bool timeout);

// Buffer splitting (cmt.splitting): the path has not used up its share of the buffers.
bool sctp_split_allows(const struct sctp_path *path);

// ---- heartbeat.c ----

// The association is up: starts heartbeats and the probing of unconfirmed paths.
void sctp_heartbeats_start(struct cpu_context *context, struct sctp_association *association);
void sctp_heartbeats_stop(struct sctp_association *association);
// Queues a heartbeat, whatever the state of the path.
void sctp_heartbeat_send(struct cpu_context *context, struct sctp_path *path);
// Queues one, and the next one after an RTO.
void sctp_heartbeat_again(struct cpu_context *context, struct sctp_path *path);
// Queues one that is unanswered after an RTO, and times the one after it.
void sctp_heartbeat_timed(struct cpu_context *context, struct sctp_path *path);
// Times the next one: after `ticks`; a whole period from now; a period after the last one.
void sctp_heartbeat_arm(struct cpu_context *context, struct sctp_path *path, int64_t ticks);
void sctp_heartbeat_period(struct cpu_context *context, struct sctp_path *path);
void sctp_heartbeat_next(struct cpu_context *context, struct sctp_path *path);
// Times the next one of the association (the BSD stack).
void sctp_heartbeats_arm(struct cpu_context *context, struct sctp_association *association);
// The state of the path has changed: its next heartbeat is timed anew.
void sctp_heartbeat_rearm(struct cpu_context *context, struct sctp_path *path);
// ns-2 probes a path that is INACTIVE at once, and again after each RTO without an answer.
bool sctp_heartbeat_ns2_down(const struct sctp_path *path);
// Queues the answer to a heartbeat.
void sctp_heartbeat_arrived(struct cpu_context *context, struct sctp_association *association,
                            struct sctp_path *from, const struct sctp_chunk *chunk);
// Returns the path whose heartbeat the HEARTBEAT-ACK answers, and the ticks since it was sent; NULL
// if it answers none of the association's.
struct sctp_path *sctp_heartbeat_answered(const struct cpu_context *context,
                                          const struct sctp_association *association,
                                          const struct sctp_chunk *chunk, int64_t *took);

// ---- probe.c ----

void sctp_heartbeat_ack_arrived(struct cpu_context *context, struct sctp_association *association,
                                const struct sctp_chunk *chunk);
void sctp_path_heartbeat_expired(struct cpu_context *context, struct sctp_path *path);
void sctp_heartbeats_expired(struct cpu_context *context, struct sctp_association *association);

// ---- rto.c (RFC 9260, 6.3.1; the BSD stack's formula) ----

void sctp_rto_init(struct sctp_rto *rto, const struct sctp_association *association);
void sctp_rto_sample(struct sctp_rto *rto, const struct sctp_association *association,
                     int64_t ticks);
void sctp_rto_back_off(struct sctp_rto *rto, const struct sctp_association *association);
// After the back-off of an INIT: RFC 6458's sinit_max_init_timeo.
void sctp_rto_limit_init(struct sctp_rto *rto, const struct sctp_association *association);
// DATA that were sent once were acknowledged: the BSD stack ends the back-off.
void sctp_rto_restore(struct sctp_rto *rto, const struct sctp_association *association);

#endif
