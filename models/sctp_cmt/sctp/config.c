// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/sctp_cmt/sctp/sctp.h"
#include "models/sctp_cmt/wire/packet.h"
#include "sim/config/prior.h"

#include <glib.h>
#include <inttypes.h>

#define T struct sctp_config

// In the order of the defaults by profile below.
static const char *const profiles[] = {"rfc9260", "s2007", "ns2", NULL};
static const char *const rto_formulas[] = {"rfc", "s2007", NULL};
static const char *const heartbeat_rule_names[] = {"rfc", "s2007", "ns2", NULL};
static const char *const burst_rules[] = {"none", "cwnd", "cwnd_ssthresh", "after_fr", NULL};
static const char *const fast_agains[] = {"never", "after_newer", NULL};
static const char *const t3_marks[] = {"all", "older_than_rto", NULL};
static const char *const t3_restarts[] = {"rfc", "s2007", NULL};
static const char *const recoveries[] = {"association", "path", "none", "window", NULL};
static const char *const sack_rules[] = {"rfc", "s2007", NULL};
static const char *const sack_alternates[] = {"to_source", "in_turn", "s2007", NULL};
static const char *const cucs[] = {"off", "v1", "v2", NULL};
static const char *const dac_forms[] = {"flag_bits", "number", NULL};
static const char *const scheduler_names[] = {"head", "round_robin", "fill", NULL};
static const char *const policy_names[] = {"same", "asap", "cwnd", "ssthresh", "lossrate", NULL};
static const char *const send_rules[] = {"always", "s2007", NULL};
static const char *const nagle_rule_names[] = {"rfc", "s2007", NULL};
static const char *const fills[] = {"fits", "overshoots", NULL};
static const char *const splittings[] = {"none", "send", "receive", "both", NULL};

static const struct param sctp_params[] = {
    PARAM(T, profile, PARAM_CHOICE, .fallback = "rfc9260", .choices = profiles,
          .doc = "whose defaults the other parameters have: the RFC's, those of the BSD stack of "
                 "September 2007, or those of ns-2.35",
          .source =
              "RFC 9260; thesis 004, 4.1: FreeBSD 6.2 with SCTP; ns-2.35: sctp.cc, sctp-cmt.cc"),
    PARAM_IN(T, inet, mtu, PARAM_SIZE, .fallback = "1500 B", .least = "128 B", .most = "9000 B",
             .doc = "largest IP packet in a frame", .source = "IEEE 802.3"),
    PARAM_IN(T, inet, tick, PARAM_DURATION, PARAM_BY_PROFILE("1 ms", "1 ms", "1 us"),
             .least = "1 us", .most = "1 s",
             .doc = "period of the kernel's clock, which timers count",
             .source = "assumed: FreeBSD 6 with its default of 1,000 Hz; ns-2.35 has real numbers",
             .prior = "or 10 ms: 0.1"),
    PARAM_IN(T, inet, queue, PARAM_COUNT, .fallback = "255", .least = "1", .most = "100000",
             .doc = "frames that can wait before the card's ring",
             .source = "FreeBSD 6.2: em has one less than its 256 descriptors"),
    PARAM_IN(T, inet, transmit_interrupt, PARAM_COUNT, PARAM_BY_PROFILE("32", "1", "32"),
             .least = "1", .most = "4096",
             .doc = "frames sent for each interrupt that the driver asks for on sending",
             .source = "assumed: an eighth of a ring of 256; FreeBSD 6.2: em_encap of em 6.2.9 "
                       "sets RS and IDE in every frame's last descriptor, and TXDW is in its "
                       "IMS_ENABLE_MASK",
             .prior = "16 .. 64"),
    // Times and limits of RFC 9260, 16.
    PARAM_IN(T, settings, rto_initial, PARAM_DURATION, PARAM_BY_PROFILE("1 s", "3 s", "3 s"),
             .least = "1 ms", .most = "120 s",
             .doc = "RTO.Initial: retransmission timeout before the first measurement",
             .source = "RFC 9260, 16; RFC 2960, 14 in the stacks of 2007"),
    PARAM_IN(T, settings, rto_least, PARAM_DURATION, .fallback = "1 s", .least = "1 ms",
             .most = "120 s", .doc = "RTO.Min: shortest retransmission timeout",
             .source = "RFC 9260, 16"),
    PARAM_IN(T, settings, rto_most, PARAM_DURATION, .fallback = "60 s", .least = "1 ms",
             .most = "3600 s", .doc = "RTO.Max: longest retransmission timeout",
             .source = "RFC 9260, 16"),
    PARAM_IN(T, settings, association_retries, PARAM_COUNT, .fallback = "10", .most = "1000",
             .doc = "Association.Max.Retrans: errors in a row after which the peer counts as gone",
             .source = "RFC 9260, 16"),
    PARAM_IN(T, settings, path_retries, PARAM_COUNT, .fallback = "5", .most = "1000",
             .doc = "Path.Max.Retrans: errors in a row that a path survives",
             .source = "RFC 9260, 16"),
    PARAM_IN(T, settings, init_retries, PARAM_COUNT, .fallback = "8", .most = "1000",
             .doc = "Max.Init.Retransmits: times that INIT or COOKIE-ECHO is sent again",
             .source = "RFC 9260, 16"),
    PARAM_IN(T, settings, init_rto_most, PARAM_DURATION, .fallback = "0 s", .most = "3600 s",
             .doc = "longest timeout to which the doublings of an INIT's lead; 0 s: rto_most",
             .source = "RFC 6458, 8.1.3: sinit_max_init_timeo; BSD SCTP of September 2007: "
                       "initial_init_rto_max"),
    PARAM(T, setup_abort, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "once INIT or COOKIE-ECHO has been sent again init_retries times, an ABORT ends "
                 "the set-up; that after INIT has the verification tag 0",
          .source = "RFC 9260, 4 and 5.1 have none; BSD SCTP of September 2007: "
                    "sctp_threshold_management; ns-2.35"),
    PARAM_IN(T, settings, heartbeats, PARAM_BOOL, .fallback = "true",
             .doc = "idle paths are probed with heartbeats", .source = "RFC 9260, 8.3"),
    PARAM_IN(T, settings, heartbeat_interval, PARAM_DURATION, .fallback = "30 s", .least = "1 ms",
             .most = "3600 s",
             .doc = "HB.interval: added between heartbeats to the path's RTO, or by "
                    "heartbeat_rule s2007 to RTO.Initial",
             .source = "RFC 9260, 16"),
    PARAM(T, heartbeat_rule, PARAM_CHOICE, PARAM_BY_PROFILE("rfc", "s2007", "ns2"),
          .choices = heartbeat_rule_names,
          .doc = "rfc: each path has a timer, of HB.interval and 0.5 to 1.5 of its RTO, so that N "
                 "idle paths get N heartbeats per period; ns2: the same, but an inactive path gets "
                 "one at once and another after each RTO without an answer; s2007: the association "
                 "has one, of HB.interval, RTO.Initial and up to 255 ms whatever the RTO, and each "
                 "expiry probes only the path that has been idle longest",
          .source = "RFC 9260, 8.3; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, heartbeat_burst, PARAM_COUNT, PARAM_BY_PROFILE("1", "4", "8"), .least = "1",
          .most = "8", .doc = "HB.Max.Burst: heartbeats to unconfirmed paths per tick",
          .source = "RFC 9260, 16; BSD SCTP of September 2007; ns-2.35 sends to all at the start"),
    PARAM(T, heartbeat_probe, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "when T3-rtx expires on a path that is not the primary one and was silent for an "
                 "RTO, a heartbeat goes to it",
          .source = "BSD SCTP of September 2007"),
    PARAM_IN(T, settings, cookie_life, PARAM_DURATION, PARAM_BY_PROFILE("60 s", "60 s", "3600 s"),
             .least = "1 ms", .most = "3600 s",
             .doc = "Valid.Cookie.Life: age after which a state cookie is stale",
             .source = "RFC 9260, 16; ns-2.35 has no limit"),
    PARAM(T, shutdown_guard, PARAM_DURATION, PARAM_BY_PROFILE("0 s", "180 s", "0 s"),
          .most = "36000 s",
          .doc = "T5-shutdown-guard: time for a graceful end, after which the association is "
                 "aborted; 0 s: 5 times rto_most",
          .source = "RFC 9260, 9.2; BSD SCTP of September 2007"),
    // Retransmission.
    PARAM(T, rto_formula, PARAM_CHOICE, PARAM_BY_PROFILE("rfc", "s2007", "rfc"),
          .choices = rto_formulas,
          .doc = "how the timeout follows from round trips: exactly, or in integers scaled by 8 "
                 "and 4, in which the first one gives twice the round trip",
          .source = "RFC 9260, 6.3.1; BSD SCTP of September 2007"),
    PARAM(T, t3_restart, PARAM_CHOICE, PARAM_BY_PROFILE("rfc", "s2007", "rfc"),
          .choices = t3_restarts,
          .doc = "when a SACK starts T3-rtx anew: if the path's earliest chunk is acknowledged, or "
                 "on every path if cum_tsn moves",
          .source = "RFC 9260, 6.3.2; BSD SCTP of September 2007"),
    PARAM(T, t3_mark, PARAM_CHOICE, PARAM_BY_PROFILE("all", "older_than_rto", "all"),
          .choices = t3_marks,
          .doc = "chunks that T3-rtx marks for retransmission: all of the path, or those sent "
                 "longer ago than its measured timeout",
          .source = "RFC 9260, 6.3.3; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, t3_to_alternate, PARAM_BOOL, .fallback = "true",
          .doc = "without CMT, what T3-rtx marks is sent on another active path",
          .source = "RFC 9260, 6.4.1; BSD SCTP of September 2007; ns-2.35: rtxToAlt_ = 1"),
    PARAM(T, fast_to_alternate, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
          .doc = "without CMT, fast retransmissions are sent on another active path",
          .source = "RFC 9260, 6.4; BSD SCTP of September 2007; ns-2.35: rtxToAlt_ = 1"),
    PARAM(T, fast_again, PARAM_CHOICE, PARAM_BY_PROFILE("never", "after_newer", "never"),
          .choices = fast_agains,
          .doc = "whether a chunk is fast-retransmitted again: never, or if chunks that were newer "
                 "than its retransmission are acknowledged",
          .source = "RFC 9260, 7.2.4; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, recovery, PARAM_CHOICE, .fallback = "association", .choices = recoveries,
          .doc = "without CMT, how often losses cut cwnd: once per recovery of the association, "
                 "once per recovery of the path, at each SACK that marks a chunk, or once per "
                 "window of the path, which may grow meanwhile",
          .source = "RFC 9260, 7.2.4; BSD SCTP of September 2007"),
    PARAM(T, split_strikes, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc =
              "SFR's rule, that only later data of the same path count as missing reports, holds "
              "without CMT, too",
          .source = "BSD SCTP of September 2007"),
    PARAM(T, htna, PARAM_BOOL, PARAM_BY_PROFILE("true", "true", "false"),
          .doc = "a SACK reports as missing only chunks below the highest TSN that it newly "
                 "acknowledges; else below the one that any SACK has, so that without SFR one that "
                 "repeats its gaps counts, too",
          .source = "RFC 9260, 7.2.4; BSD SCTP of September 2007; ns-2.35: "
                    "uiHighestTsnNewlyAcked outlives a SACK"),
    PARAM(T, fast_every_round, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "fast retransmissions ignore cwnd up to Max.Burst packets in each output, not the "
                 "first packet only",
          .source = "RFC 9260, 7.2.4; BSD SCTP of September 2007"),
    PARAM(T, resend_first_only, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "while the peer's window is below an MTU and data are in flight, of the chunks "
                 "that are marked only that after cum_tsn is sent again",
          .source = "BSD SCTP of September 2007"),
    PARAM(T, probe_again, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "once the peer's window opens, a probe that is not acknowledged is sent again at "
                 "once",
          .source = "BSD SCTP of September 2007: sctp_window_probe_recovery"),
    PARAM(T, probe_by_flight, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc =
              "T3-rtx while the peer's window is closed and less than an MTU is in flight counts "
              "as an unanswered probe, which no path is blamed for, whatever was sent",
          .source = "BSD SCTP of September 2007: sctp_t3rxt_timer"),
    PARAM(T, most_transmissions, PARAM_COUNT, PARAM_BY_PROFILE("0", "30", "0"), .most = "255",
          .doc = "times that a chunk is sent before the association is aborted; 0: no limit",
          .source = "BSD SCTP of September 2007"),
    // Congestion control (RFC 9260, 7.2).
    PARAM(T, initial_cwnd, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
          .doc = "first congestion window; anything up to the MTU is one MTU; 0 B: "
                 "min(4 MTU, max(2 MTU, initial_constant))",
          .source = "RFC 9260, 7.2.1"),
    PARAM(T, initial_constant, PARAM_SIZE, PARAM_BY_PROFILE("4404 B", "4380 B", "4380 B"),
          .least = "1 B", .most = "64 KiB",
          .doc = "the constant in the first congestion window while initial_cwnd is 0 B",
          .source = "RFC 9260, 7.2.1; RFC 4960, 7.2.1; ns-2.35"),
    PARAM(T, initial_ssthresh, PARAM_SIZE, PARAM_BY_PROFILE("4294967295 B", "0 B", "64 KiB"),
          .most = "4294967295 B",
          .doc = "first slow-start threshold; 0: the window that the peer offers at set-up",
          .source = "RFC 9260, 7.2.1: arbitrarily high; BSD SCTP of September 2007; ns-2.35: "
                    "initialSsthresh_"),
    PARAM(T, cwnd_in_mtu, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "windows are counted in whole MTUs, not in the longest DATA chunk (PMDCS)",
          .source = "RFC 9260, 7.2; BSD SCTP of September 2007; ns-2.35: 1,468 B of 1,500 B"),
    PARAM(T, ssthresh_floor, PARAM_COUNT, PARAM_BY_PROFILE("4", "2", "4"), .least = "1",
          .most = "64", .doc = "MTUs that the slow-start threshold keeps after a loss",
          .source = "RFC 9260, 7.2.3; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, ssthresh_floor_cmt, PARAM_COUNT, PARAM_BY_PROFILE("0", "0", "2"), .most = "64",
          .doc = "the same with CMT; 0: as without", .source = "ns-2.35: sctp-cmt.cc"),
    PARAM(T, idle_floor, PARAM_COUNT, PARAM_BY_PROFILE("4", "0", "4"), .most = "64",
          .doc = "MTUs down to which cwnd halves per idle RTO; 0: it does not",
          .source = "RFC 9260, 7.2.1; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, pba_capped, PARAM_BOOL, PARAM_BY_PROFILE("true", "false", "false"),
          .doc = "partial_bytes_acked does not pass cwnd while cwnd is not used up",
          .source = "RFC 9260, 7.2.2; BSD SCTP of September 2007"),
    PARAM(T, pba_by_chunk, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
          .doc =
              "partial_bytes_acked counts chunks: by cum_tsn while cwnd is used up, by gap blocks "
              "if the path's own cumulative acknowledgment moves; it ends with the path's flight",
          .source = "RFC 9260, 7.2.2; ns-2.35: SendBufferDequeueUpTo, ProcessGapAckBlocks"),
    PARAM(T, grow_by_cum, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "true"),
          .doc = "congestion avoidance counts only SACKs that move cum_tsn, or with CUC the path's "
                 "own",
          .source = "RFC 9260, 7.2.2: all; RFC 4960, 7.2.2; BSD SCTP of September 2007"),
    PARAM(T, burst_rule, PARAM_CHOICE, PARAM_BY_PROFILE("cwnd", "cwnd_ssthresh", "after_fr"),
          .choices = burst_rules,
          .doc =
              "Max.Burst: during an output cwnd is at most the flight and the burst; from then "
              "on, and ssthresh becomes the old cwnd; or only once a fast-retransmitted chunk is "
              "acknowledged",
          .source = "RFC 9260, 6.1; BSD SCTP of September 2007; ns-2.35"),
    PARAM(T, burst, PARAM_COUNT, .fallback = "4", .least = "1", .most = "1000",
          .doc = "Max.Burst in MTUs", .source = "RFC 9260, 16"),
    PARAM(T, send_rule, PARAM_CHOICE, PARAM_BY_PROFILE("always", "s2007", "always"),
          .choices = send_rules,
          .doc = "when a user's send calls output: always; s2007: not while more than Max.Burst "
                 "MTUs, or than cwnd, are in flight on the primary path, with CMT, too, so that "
                 "the next SACK distributes what waits among the paths",
          .source = "RFC 9260, 6.1; BSD SCTP of September 2007: sctp_lower_sosend, "
                    "sctps_send_burst_avoid and sctps_send_cwnd_avoid (added on 5 May 2007, "
                    "removed on 19 February 2009); ns-2.35: sendmsg"),
    // Buffers, windows and streams.
    PARAM_IN(T, settings, send_buffer, PARAM_SIZE, PARAM_BY_PROFILE("256 KiB", "256 KiB", "1 GiB"),
             .least = "1 B", .most = "1 GiB", .doc = "SO_SNDBUF of a socket that does not set it",
             .source = "BSD SCTP of September 2007: 256 KiB; ns-2.35: unlimited"),
    PARAM_IN(T, settings, receive_buffer, PARAM_SIZE,
             PARAM_BY_PROFILE("256 KiB", "256 KiB", "64 KiB"), .least = "1 B", .most = "1 GiB",
             .doc = "SO_RCVBUF of a socket that does not set it",
             .source = "BSD SCTP of September 2007: 256 KiB; ns-2.35: initialRwnd_ 65536"),
    PARAM(T, charge_headers, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "true"),
          .doc = "an outstanding chunk counts in the peer's window with its header",
          .source = "RFC 9260, 6.2.1; BSD SCTP of September 2007; ns-2.35: GenOneDataChunk"),
    PARAM(T, chunk_charge, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "256 B", "0 B"), .most = "64 KiB",
          .doc = "bytes of the peer's window that an outstanding chunk takes besides its own",
          .source = "BSD SCTP of September 2007: sctp_peer_chunk_oh"),
    PARAM(T, hold_charge, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "0 B", "16 B"), .most = "64 KiB",
          .doc =
              "bytes that a chunk which waits for others takes of the receive buffer besides its "
              "data",
          .source = "RFC 9260, 6.2; BSD SCTP of September 2007; ns-2.35: ProcessDataChunk"),
    PARAM(T, queue_counts, PARAM_BOOL, PARAM_BY_PROFILE("true", "true", "false"),
          .doc = "what has been delivered takes room of the receive buffer until it is read",
          .source = "RFC 9260, 6.2; ns-2.35: PassToUpperLayer"),
    PARAM(T, mbuf_charge, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "256 B", "0 B"), .most = "64 KiB",
          .doc = "bytes that a chunk in the socket's queue counts besides its data",
          .source = "FreeBSD 6.2: MSIZE, one mbuf and cluster per chunk"),
    PARAM(T, sws_send, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "1420 B", "0 B"), .most = "64 KiB",
          .doc = "the sender takes a smaller window of the peer for 0",
          .source = "BSD SCTP of September 2007: sctp_sws_sender"),
    PARAM(T, sws_receive, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "3000 B", "0 B"), .most = "64 KiB",
          .doc = "the receiver offers a smaller window as 1 B",
          .source = "BSD SCTP of September 2007: sctp_sws_receiver"),
    PARAM(T, window_share, PARAM_COUNT, .fallback = "8", .least = "2", .most = "1000",
          .doc = "a SACK is sent when a reader has opened the window by 1/this of the buffer (at "
                 "least 1,500 B)",
          .source = "BSD SCTP of September 2007: SCTP_RWND_HIWAT_SHIFT, SCTP_MIN_RWND; RFC 9260, "
                    "6.2 asks for a rule"),
    PARAM_IN(T, settings, streams_out, PARAM_COUNT, PARAM_BY_PROFILE("10", "10", "1"), .least = "1",
             .most = "65535", .doc = "streams that are asked for at set-up",
             .source = "BSD SCTP of September 2007; ns-2.35: numOutStreams_"),
    PARAM_IN(T, settings, streams_in, PARAM_COUNT, .fallback = "2048", .least = "1",
             .most = "65535", .doc = "most streams of the peer that are granted",
             .source = "BSD SCTP of September 2007"),
    PARAM_IN(T, settings, no_delay, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
             .doc = "SCTP_NODELAY: small messages do not wait for acknowledgments (Nagle)",
             .source = "BSD SCTP of September 2007; ns-2.35 has no such wait"),
    PARAM(T, nagle_rule, PARAM_CHOICE, PARAM_BY_PROFILE("rfc", "s2007", "rfc"),
          .choices = nagle_rule_names,
          .doc = "what Nagle's algorithm holds: rfc: all output of less than a packet; s2007: only "
                 "that which a user's send calls, while less than the MTU without 52 B waits, in "
                 "which messages count without a chunk's header",
          .source = "RFC 9260, 6.1; BSD SCTP of September 2007: sctp_lower_sosend, "
                    "sctp_chunk_output, SCTP_MIN_OVERHEAD with INET6"),
    PARAM(T, fill, PARAM_CHOICE, PARAM_BY_PROFILE("fits", "overshoots", "fits"), .choices = fills,
          .doc = "chunks that are made for a path at once: those that fit into a packet, or one "
                 "after the other until it is full, of which the last need not fit",
          .source = "RFC 9260, 6.10; BSD SCTP of September 2007: sctp_fill_outqueue, "
                    "sctp_move_to_outqueue"),
    PARAM(T, chunk_limit, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "0 B", "1452 B"), .most = "9000 B",
          .doc = "most user data per chunk; 0: by the MTU",
          .source = "ns-2.35: dataChunkSize_ 1468, its header included"),
    // Receiving and acknowledging.
    PARAM_IN(T, settings, sack_delay, PARAM_DURATION, .fallback = "200 ms", .most = "10 s",
             .doc = "longest wait of a SACK for another packet; 0: each packet has its SACK",
             .source = "RFC 9260, 6.2"),
    PARAM_IN(T, settings, sack_frequency, PARAM_COUNT, .fallback = "2", .least = "1",
             .most = "1000", .doc = "packets with DATA for which there is a SACK at the latest",
             .source = "RFC 9260, 6.2"),
    PARAM(T, sack_rule, PARAM_CHOICE, PARAM_BY_PROFILE("rfc", "s2007", "rfc"),
          .choices = sack_rules,
          .doc = "how a SACK is decided on: by all conditions, or, while nothing is missing, only "
                 "by the number of packets",
          .source = "RFC 9260, 6.2; BSD SCTP of September 2007: sctp_process_data"),
    PARAM(T, sack_alternate, PARAM_CHOICE, PARAM_BY_PROFILE("in_turn", "s2007", "to_source"),
          .choices = sack_alternates,
          .doc =
              "where a SACK for DATA that came twice goes: always to the source, to another path "
              "and to the source in turn, or to others one time more than there are paths",
          .source = "RFC 9260, 6.4: it MAY vary; BSD SCTP of September 2007: used_alt_onsack; "
                    "ns-2.35"),
    PARAM(T, confirm_all, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
          .doc = "no data are sent before heartbeats have confirmed all paths, the primary, too",
          .source = "RFC 9260, 5.4; ns-2.35, sctp.cc and sctp-cmt.cc, does: ProcessChunk"),
    PARAM(T, data_for_cookie_ack, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "true"),
          .doc = "DATA in COOKIE-ECHOED show that the peer is up and COOKIE-ACK was lost: they "
                 "count for it, else they are dropped",
          .source = "RFC 9260, 6: they SHOULD be dropped; BSD SCTP of September 2007: "
                    "sctp_common_input_processing; ns-2.35 takes any chunk for it: ProcessChunk"),
    PARAM(T, first_sack_at_once, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "the association's first DATA is acknowledged at once",
          .source = "BSD SCTP of September 2007"),
    PARAM(T, immediate_bit, PARAM_BOOL, PARAM_BY_PROFILE("true", "false", "false"),
          .doc = "DATA with the I bit is acknowledged at once",
          .source = "RFC 9260, 6.2; RFC 7053 is later than the stacks of 2007"),
    PARAM(T, data_shows_life, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "DATA from the peer clears the association's error count",
          .source = "BSD SCTP of September 2007; RFC 9260, 8.1 names only acknowledgments"),
    PARAM(T, map, PARAM_COUNT, .fallback = "4096", .least = "16", .most = "65535",
          .doc = "TSNs after cum_tsn that the receiver keeps; DATA beyond them are dropped",
          .source = "BSD SCTP of September 2007: a map of 512 B"),
    PARAM(T, most_duplicates, PARAM_COUNT, .fallback = "20", .most = "20",
          .doc = "duplicate TSNs that a SACK reports", .source = "BSD SCTP of September 2007"),
    // Concurrent multipath transfer.
    PARAM_AS(T, "cmt", cmt.on, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
             .doc = "new data go to all active paths at once (CMT)",
             .source = "thesis 004, 4.3; BSD SCTP of September 2007: cmt_on_off; ns-2.35: "
                       "Agent/SCTP/CMT"),
    PARAM_AS(T, "cmt_sfr", cmt.sfr, PARAM_BOOL, .fallback = "true",
             .doc = "split fast retransmit: a chunk counts as missing only if later data of its "
                    "path have arrived",
             .source = "Iyengar, Amer, Stewart 2006; BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_cuc", cmt.cuc, PARAM_CHOICE, .fallback = "v2", .choices = cucs,
             .doc = "cwnd update for CMT: cwnd grows with the path's own cumulative "
                    "acknowledgment; v2: retransmissions to other paths have a tracker of their "
                    "own",
             .source = "Iyengar, Amer, Stewart 2006; BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_cuc_alone", cmt.cuc_alone, PARAM_BOOL,
             PARAM_BY_PROFILE("false", "false", "true"),
             .doc = "with CUC, a move of the association's cum_tsn alone lets no window grow",
             .source = "BSD SCTP of September 2007; ns-2.35, sctp-cmt.cc: ProcessSackChunk"),
    PARAM_AS(T, "cmt_dac", cmt.dac, PARAM_BOOL, PARAM_BY_PROFILE("true", "false", "true"),
             .doc = "delayed acknowledgments for CMT: gaps alone do not force a SACK, which "
                    "tells how many packets it stands for",
             .source = "Iyengar, Amer, Stewart 2006; BSD SCTP of September 2007: cmt_use_dac 0; "
                       "ns-2.35"),
    PARAM_AS(T, "cmt_dac_form", cmt.dac_form, PARAM_CHOICE,
             PARAM_BY_PROFILE("flag_bits", "flag_bits", "number"), .choices = dac_forms,
             .doc = "how a SACK's flags tell the number of packets: in their two high bits, or "
                    "as a whole",
             .source = "BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_scheduler", cmt.scheduler, PARAM_CHOICE,
             PARAM_BY_PROFILE("round_robin", "head", "fill"), .choices = scheduler_names,
             .doc = "order of the paths for new data: always from the first one, in turn, or one "
                    "after the other until its cwnd is full",
             .source = "thesis 004, 6: round robin; BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_policy", cmt.policy, PARAM_CHOICE, .fallback = "cwnd", .choices = policy_names,
             .doc = "path of a retransmission: its own, any with room, that of the largest cwnd, "
                    "of the largest ssthresh, of the least loss",
             .source = "Iyengar, Amer, Stewart 2006; BSD SCTP of July 2007; ns-2.35"),
    PARAM_AS(T, "cmt_policy_before_cut", cmt.policy_before_cut, PARAM_BOOL,
             PARAM_BY_PROFILE("false", "true", "false"),
             .doc = "at T3-rtx that path is chosen before the failed path's cwnd is cut",
             .source = "BSD SCTP of September 2007"),
    PARAM_AS(T, "cmt_recovery", cmt.recovery, PARAM_CHOICE,
             PARAM_BY_PROFILE("path", "none", "window"), .choices = recoveries,
             .doc = "as recovery, with CMT", .source = "BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_pf", cmt.pf, PARAM_COUNT, PARAM_BY_PROFILE("0", "0", "2"), .most = "64",
             .doc = "CMT-PF: a path with a timeout gets no data until it answers; then cwnd is "
                    "this many MTUs; 0: off",
             .source = "thesis 004, 4.3; BSD SCTP of September 2007: cmt_pf; ns-2.35"),
    PARAM_AS(T, "cmt_pf_resume", cmt.pf_resume, PARAM_COUNT, PARAM_BY_PROFILE("0", "0", "1"),
             .most = "64",
             .doc =
                 "CMT-PF: cwnd, in MTUs, of a path that is used again without an answer, because "
                 "no other one is left; 0: as cmt_pf",
             .source = "BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_pf_retries", cmt.pf_retries, PARAM_COUNT, .fallback = "0", .most = "1000",
             .doc = "CMT-PF: errors in a row that a path survives without being suspected (PFMR)",
             .source = "RFC 7829, 5; thesis 004, 4.3: the first timeout counts"),
    PARAM_AS(T, "cmt_pf_by_heartbeat", cmt.pf_by_heartbeat, PARAM_BOOL,
             PARAM_BY_PROFILE("true", "false", "true"),
             .doc = "CMT-PF: an unanswered heartbeat makes a path suspected as a timeout does",
             .source = "RFC 7829, 3; BSD SCTP of September 2007; ns-2.35"),
    PARAM_AS(T, "cmt_pf_sack_resets", cmt.pf_sack_resets, PARAM_BOOL,
             PARAM_BY_PROFILE("true", "true", "false"),
             .doc = "CMT-PF: a SACK that ends suspicion sets cwnd to cmt_pf, as an answered "
                    "heartbeat does; else it stays as T3-rtx left it",
             .source = "BSD SCTP of September 2007; ns-2.35: ProcessGapAckBlocks"),
    PARAM_AS(T, "cmt_late_choice", cmt.late_choice, PARAM_BOOL,
             PARAM_BY_PROFILE("false", "false", "true"),
             .doc = "the path of a lost chunk is chosen when it is sent again, after windows were "
                    "cut; until then it counts in the window of its old path, and new data pass "
                    "it; T3-rtx sends what fits into windows, not one packet",
             .source = "ns-2.35, sctp-cmt.cc: RtxMarkedChunks, SelectRtxDest, SendMuch"),
    PARAM_AS(T, "cmt_splitting", cmt.splitting, PARAM_CHOICE, .fallback = "none",
             .choices = splittings,
             .doc = "which buffers are split evenly among the paths, so that none takes it all",
             .source = "stacks later than 2007 have it; thesis 004 does not"),
    // Lengths.
    PARAM(T, init_bytes, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "112 B", "0 B"), .most = "1400 B",
          .doc = "length of INIT and INIT-ACK without the cookie; 0: by what is in it",
          .source = "assumed: with the extensions of BSD SCTP of September 2007"),
    PARAM(T, cookie_bytes, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "332 B", "0 B"), .most = "1000 B",
          .doc = "length of the state cookie; 0: by what is in it",
          .source = "assumed: about 110 B, INIT, INIT-ACK and a MAC of 20 B in BSD SCTP of "
                    "September 2007"),
    // Processor time. A Pentium 4 needs 1.25 cycles for one of the reference, by
    // SPECint2000: at 3.2 GHz it does 2,560 of these in a microsecond.
    PARAM(T, checksum, PARAM_BOOL, PARAM_BY_PROFILE("true", "true", "false"),
          .doc = "the processor computes CRC32c of each packet",
          .source = "RFC 9260, 6.8; thesis 004, 2.2; ns-2.35 has none"),
    PARAM_IN(T, costs, crc, PARAM_COST, .fallback = "128 cycles",
             .doc = "the checksum of a packet besides its bytes",
             .source = "prior: 0.05 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, crc_per_kib, PARAM_COST, .fallback = "1474 cycles",
             .doc = "the checksum, for each KiB of a packet",
             .source = "prior: 1.8 cycles per byte of a Pentium 4, by eight tables"),
    PARAM_IN(T, costs, send_call, PARAM_COST, .fallback = "3840 cycles",
             .doc = "sctp_sendmsg without trap, copy and packets",
             .source = "prior: 1.5 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, chunk_out, PARAM_COST, .fallback = "2048 cycles", .doc = "making a chunk",
             .source = "prior: 0.8 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, packet_out, PARAM_COST, .fallback = "5120 cycles",
             .doc = "a packet's header, IP, routing and queueing",
             .source = "prior: 2.0 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, packet_in, PARAM_COST, .fallback = "5120 cycles",
             .doc = "softirq, IP and finding the association, for each packet",
             .source = "prior: 2.0 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, chunk_in, PARAM_COST, .fallback = "2560 cycles",
             .doc = "queueing the data of a chunk",
             .source = "prior: 1.0 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, sack_in, PARAM_COST, .fallback = "3840 cycles",
             .doc = "a SACK without the chunks that it acknowledges",
             .source = "prior: 1.5 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, acked_chunk, PARAM_COST, .fallback = "512 cycles",
             .doc = "freeing an acknowledged chunk",
             .source = "prior: 0.2 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, receive_call, PARAM_COST, .fallback = "3072 cycles",
             .doc = "sctp_recvmsg without trap and copy",
             .source = "prior: 1.2 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, costs, open, PARAM_COST, .fallback = "12800 cycles",
             .doc = "making or ending a socket or an association",
             .source = "prior: 5 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, inet, timer, PARAM_COST, .fallback = "1280 cycles",
             .doc = "running one expired timer",
             .source = "prior: 0.5 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, inet, select_call, PARAM_COST, .fallback = "1280 cycles",
             .doc = "select without its descriptors",
             .source = "prior: 0.5 us on a Pentium 4 of 3.2 GHz"),
    PARAM_IN(T, inet, select_socket, PARAM_COST, .fallback = "512 cycles",
             .doc = "one descriptor of a select",
             .source = "prior: 0.2 us on a Pentium 4 of 3.2 GHz"),
    {0},
};

#define LEAST_WINDOW 1500 // RFC 9260, 3.3.2: smallest a_rwnd of an INIT

int64_t sctp_most_chunk_data(const struct sctp_config *config, int64_t mtu)
{
    int64_t fits = (mtu - IP_HEADER - SCTP_COMMON_HEADER - SCTP_DATA_HEADER) & ~INT64_C(3);
    return config->chunk_limit > 0 ? MIN(config->chunk_limit, fits) : fits;
}

static void check_buffers(const struct sctp_config *config, const struct param_values *report)
{
    const struct sctp_settings *settings = &config->settings;
    int64_t chunk = sctp_most_chunk_data(config, config->inet.mtu);
    if (settings->send_buffer < chunk)
        param_complain(report, "send_buffer", "make it larger, or the MTU smaller",
                       "the send buffer is smaller than a chunk of %" PRId64 " B", chunk);
    if (settings->receive_buffer < MAX(chunk, LEAST_WINDOW))
        param_complain(report, "receive_buffer", "make it larger, or the MTU smaller",
                       "the receive buffer is smaller than %s of %" PRId64 " B",
                       chunk < LEAST_WINDOW ? "the least window" : "a chunk",
                       MAX(chunk, LEAST_WINDOW));
    if (settings->receive_buffer <= config->sws_receive)
        param_complain(report, "sws_receive", NULL,
                       "the receive buffer never has as much room as this, so that no window "
                       "would ever be offered");
    if (config->mbuf_charge >= settings->receive_buffer)
        param_complain(report, "mbuf_charge", NULL, "one chunk would fill the receive buffer");
}

static void check_times(const struct sctp_config *config, const struct param_values *report)
{
    const struct sctp_settings *settings = &config->settings;
    if (settings->rto_least > settings->rto_most)
        param_complain(report, "rto_least", NULL, "RTO.Min is above RTO.Max");
    if (settings->rto_initial > settings->rto_most)
        param_complain(report, "rto_initial", NULL, "RTO.Initial is above RTO.Max");
    if (settings->sack_delay > 500 * TIME_MS)
        param_complain(report, "sack_delay", "choose at most 500 ms",
                       "RFC 9260, 6.2 does not allow a SACK to be delayed by more than 500 ms");
    if (settings->path_retries > settings->association_retries)
        param_complain(report, "path_retries", "choose at most association_retries",
                       "Path.Max.Retrans is above Association.Max.Retrans: the association ends "
                       "before a path is given up");
}

static void check_cmt(const struct sctp_config *config, const struct param_values *report)
{
    if (config->cmt.pf > 0 && !config->cmt.on)
        param_complain(report, "cmt_pf", "set cmt: true, or cmt_pf: 0",
                       "CMT-PF needs CMT, which is off");
    if (config->cmt.splitting != SCTP_SPLIT_NONE && !config->cmt.on)
        param_complain(report, "cmt_splitting", "set cmt: true, or cmt_splitting: none",
                       "buffers are split only with CMT, which is off");
}

static void sctp_check(const void *values, const struct param_values *report)
{
    const struct sctp_config *config = values;
    check_buffers(config, report);
    check_times(config, report);
    check_cmt(config, report);
    if (config->init_bytes > 0 && config->init_bytes < SCTP_INIT_HEADER)
        param_complain(report, "init_bytes", NULL, "an INIT has at least %d B", SCTP_INIT_HEADER);
    int64_t room = config->inet.mtu - IP_HEADER - SCTP_COMMON_HEADER;
    if (config->init_bytes + SCTP_CHUNK_HEADER + config->cookie_bytes > room)
        param_complain(report, "cookie_bytes", NULL,
                       "an INIT-ACK with its cookie does not fit into a packet of the MTU");
}

const struct param_table sctp_table = PARAM_TABLE(
    struct sctp_config, sctp_params, .name = "sctp", .prior_kind = PRIOR_KERNEL,
    .doc = "SCTP with concurrent multipath transfer (CMT, CMT-PF)", .check = sctp_check);

const struct scenario_section sctp_sections[] = {
    {"sctp", &sctp_table},
    {NULL, NULL},
};
