// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of a host's SCTP. `profile` chooses the defaults of a system; every switch stays
// settable.
#ifndef NETSIM_MODELS_SCTP_SCTP_H
#define NETSIM_MODELS_SCTP_SCTP_H

#include "models/inet/config.h"
#include "sim/config/param.h"

enum sctp_profile { SCTP_RFC9260, SCTP_S2007, SCTP_NS2 };
enum sctp_rto_formula { SCTP_RTO_RFC, SCTP_RTO_S2007 };
enum sctp_heartbeat_rule { SCTP_HEARTBEAT_RFC, SCTP_HEARTBEAT_S2007, SCTP_HEARTBEAT_NS2 };
enum sctp_burst_rule {
    SCTP_BURST_NONE,
    SCTP_BURST_CWND,
    SCTP_BURST_CWND_SSTHRESH,
    SCTP_BURST_AFTER_FR
};
// The condition for a second fast retransmission of a chunk.
enum sctp_fast_again { SCTP_FAST_NEVER, SCTP_FAST_AFTER_NEWER };
enum sctp_t3_mark { SCTP_T3_ALL, SCTP_T3_OLDER_THAN_RTO };
// When T3-rtx is stopped and started at a SACK (RFC 9260, 6.3.2).
enum sctp_t3_restart { SCTP_T3_RFC, SCTP_T3_S2007 };
// How often a window is cut (fast recovery): once per recovery of the association, once per
// recovery of the path, at every SACK that marks a chunk of the path, once per window of the path
// (a chunk that was sent before the last cut does not cut again), in which the window may grow
// (ns-2).
enum sctp_recovery {
    SCTP_RECOVERY_ASSOCIATION,
    SCTP_RECOVERY_PATH,
    SCTP_RECOVERY_NONE,
    SCTP_RECOVERY_WINDOW
};
// How the receiver decides on a SACK at the end of a packet with DATA: by all conditions each time
// (RFC 9260, 6.2), or, while nothing is missing, by the number of packets only (the BSD stack of
// 2007, which also counts packets for DAC only in the full check).
enum sctp_sack_rule { SCTP_SACK_RFC, SCTP_SACK_S2007 };
// Where a SACK for DATA that came twice goes: to its source; to another path, then to the source,
// in turn; to another path one time more than there are paths, then to the source.
enum sctp_sack_alternate { SCTP_SACK_TO_SOURCE, SCTP_SACK_IN_TURN, SCTP_SACK_PATHS_AND_ONE };
enum sctp_cuc { SCTP_CUC_OFF, SCTP_CUC_V1, SCTP_CUC_V2 };
enum sctp_dac_form { SCTP_DAC_FLAG_BITS, SCTP_DAC_NUMBER };
enum sctp_scheduler { SCTP_SCHEDULE_HEAD, SCTP_SCHEDULE_ROUND_ROBIN, SCTP_SCHEDULE_FILL };
enum sctp_policy {
    SCTP_RTX_SAME,
    SCTP_RTX_ASAP,
    SCTP_RTX_CWND,
    SCTP_RTX_SSTHRESH,
    SCTP_RTX_LOSSRATE
};
// When a send of the user calls output: always, or as the BSD stack of 2007 has it, not while much
// is in flight on the primary path.
enum sctp_send_rule { SCTP_SEND_ALWAYS, SCTP_SEND_S2007 };
enum sctp_nagle_rule { SCTP_NAGLE_RFC, SCTP_NAGLE_S2007 };
// How much is cut for one packet: what fits into it, or chunks until it is full, the last of which
// need not fit.
enum sctp_fill { SCTP_FILL_FITS, SCTP_FILL_OVERSHOOTS };
enum sctp_splitting { SCTP_SPLIT_NONE, SCTP_SPLIT_SEND, SCTP_SPLIT_RECEIVE, SCTP_SPLIT_BOTH };

// Settings that setsockopt can change for one socket. A socket begins with the stack's.
struct sctp_settings {
    sim_time rto_initial, rto_least, rto_most; // ps
    int64_t association_retries;               // Association.Max.Retrans
    int64_t path_retries;                      // Path.Max.Retrans
    int64_t init_retries;                      // Max.Init.Retransmits
    sim_time init_rto_most;                    // ps: RTO.Max of INIT; 0: rto_most
    sim_time heartbeat_interval;               // HB.interval
    bool heartbeats;
    sim_time cookie_life;
    sim_time sack_delay; // 0: every packet is acknowledged at once
    int64_t sack_frequency;
    int64_t send_buffer, receive_buffer; // bytes
    int64_t streams_out, streams_in;     // offered; most accepted
    bool no_delay;                       // SCTP_NODELAY: Nagle's algorithm is off
};

struct sctp_cmt_config {
    bool on;
    bool sfr, dac;
    int cuc;                // enum sctp_cuc
    int dac_form;           // enum sctp_dac_form
    int scheduler;          // enum sctp_scheduler
    int policy;             // enum sctp_policy
    int recovery;           // enum sctp_recovery, in place of sctp_config's
    bool policy_before_cut; // at T3 the target is chosen before the path's cwnd is cut
    int64_t pf;             // CMT-PF: cwnd after PF in MTU; 0: off
    int64_t pf_resume;      // MTU: cwnd of a PF path that is used because none is ACTIVE; 0: pf
    int64_t pf_retries;     // PFMR of RFC 7829: errors up to it do not make a path PF
    bool pf_by_heartbeat;   // an unanswered heartbeat makes a path PF, as T3-rtx does
    bool pf_sack_resets;    // a SACK that ends PF sets cwnd to pf, as HEARTBEAT-ACK does
    bool cuc_alone;   // with CUC, windows grow by the paths' own cumulative acknowledgments only
    bool late_choice; // the path of a lost chunk is chosen when it is sent again
    int splitting;    // enum sctp_splitting
};

struct sctp_costs {
    struct cost send_call, chunk_out, packet_out;
    struct cost packet_in, chunk_in, sack_in, acked_chunk;
    struct cost receive_call, open;
    struct cost crc;         // per packet
    struct cost crc_per_kib; // of a packet, both when it is sent and when it has come
};

struct sctp_config {
    struct inet_config inet; // its keys are in the same section
    int profile;             // enum sctp_profile
    struct sctp_settings settings;
    struct sctp_cmt_config cmt;
    struct sctp_costs costs;
    int rto_formula;            // enum sctp_rto_formula
    int heartbeat_rule;         // enum sctp_heartbeat_rule
    int64_t heartbeat_burst;    // HB.Max.Burst: heartbeats to unconfirmed paths per tick
    int64_t initial_cwnd;       // bytes; 0: min(4 MTU, max(2 MTU, initial_constant))
    int64_t initial_constant;   // bytes
    int64_t initial_ssthresh;   // bytes; 0: the peer's a_rwnd
    int64_t ssthresh_floor;     // MTU
    int64_t idle_floor;         // MTU to which cwnd decays per idle RTO; 0: it does not
    int burst_rule;             // enum sctp_burst_rule
    int64_t burst;              // MTU
    int send_rule;              // enum sctp_send_rule
    int nagle_rule;             // enum sctp_nagle_rule
    int fill;                   // enum sctp_fill
    bool cwnd_in_mtu;           // windows are counted in whole MTU, not in the longest DATA chunk
    int64_t ssthresh_floor_cmt; // the same with CMT; 0: as without
    bool grow_by_cum;  // avoidance, too, counts only SACKs that move cum_tsn (RFC 4960, 7.2.2)
    bool pba_by_chunk; // avoidance counts chunk by chunk: those of cum_tsn if the window is used,
                       // those of gap blocks if the path's own cumulative acknowledgment moves
    bool pba_capped;   // partial_bytes_acked is capped at cwnd while cwnd is not used
    bool fast_to_alternate, t3_to_alternate; // where retransmissions go without CMT
    int fast_again;                          // enum sctp_fast_again
    int t3_mark;                             // enum sctp_t3_mark
    int t3_restart;                          // enum sctp_t3_restart
    int recovery;                            // enum sctp_recovery; with CMT: cmt.recovery
    bool split_strikes;     // SFR's rule for missing reports holds without CMT, too
    bool htna;              // missing reports go by what the SACK newly acknowledges
    bool fast_every_round;  // fast retransmissions ignore cwnd up to the burst in each output, not
                            // the first packet only
    bool resend_first_only; // while the peer's window is below an MTU, of what is marked only
                            // cum_tsn + 1 is sent
    bool probe_again;       // the window opens: a probe that is not acknowledged is sent again
    bool probe_by_flight; // T3-rtx while the window is closed and less than an MTU is in flight is
                          // an unanswered probe, whatever was sent
    int64_t most_transmissions; // of a chunk; then ABORT; 0: no limit
    bool charge_headers;        // a chunk counts in the peer's window with its header
    int64_t chunk_charge;       // bytes that an outstanding chunk is charged to the peer's window
    int64_t sws_send, sws_receive; // bytes: a smaller window counts as 0; is offered as 1
    int64_t map;                   // TSNs after cum_tsn that the receiver keeps
    int64_t most_duplicates;       // reported in a SACK
    int64_t chunk_limit;           // bytes of user data per chunk; 0: by the MTU
    int64_t hold_charge;           // bytes per chunk that waits for others, besides its data
    bool queue_counts;             // so does what the reader has not read yet
    int64_t mbuf_charge;           // bytes per chunk in the receive buffer besides its data
    bool heartbeat_probe;    // a path that is not primary and silent for an RTO gets one at T3
    int sack_rule;           // enum sctp_sack_rule
    int64_t window_share;    // a reader's SACK opens the window by at least 1/this of the buffer
    bool data_shows_life;    // DATA from the peer clears the association's error count
    sim_time shutdown_guard; // T5-shutdown-guard; 0: 5 x RTO.Max
    int sack_alternate;      // enum sctp_sack_alternate
    bool confirm_all; // no data before all paths are confirmed, the primary by a heartbeat, too
    bool setup_abort; // a set-up that gets no answer ends with ABORT
    bool data_for_cookie_ack; // DATA in COOKIE-ECHOED count for a COOKIE-ACK, too
    bool first_sack_at_once;
    bool immediate_bit;               // RFC 7053's I bit is honoured
    bool checksum;                    // CRC32c is computed by the processor
    int64_t init_bytes, cookie_bytes; // lengths of INIT and of the state cookie; 0: what is in them
};

extern const struct param_table sctp_table;

// Bytes of user data in the longest DATA chunk, by an MTU.
int64_t sctp_most_chunk_data(const struct sctp_config *config, int64_t mtu);

// "sctp"; ends with a NULL path.
extern const struct scenario_section sctp_sections[];

#endif
