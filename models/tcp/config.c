// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/inet/timer.h"
#include "models/tcp/segment.h"
#include "models/tcp/tcp.h"

#include "sim/config/prior.h"
#include "sim/config/reader.h"
#include "sim/model/stack.h"

#define T struct tcp_config

// In the order of the defaults by profile below.
static const char *const profiles[] = {"linux24", "freebsd6", "linux6", NULL};
static const char *const initial_rules[] = {"linux", "rfc3390", NULL};
static const char *const receivers[] = {"linux", "bsd", "linux6", NULL};
static const char *const charges[] = {"truesize", "data", NULL};
static const char *const units[] = {"segments", "bytes", NULL};
static const char *const idle_rules[] = {"rfc2861", "restart", NULL};
static const char *const nagle_rules[] = {"minshall", "rfc896", NULL};
static const char *const rto_bounds[] = {"variance", "sum", NULL};
static const char *const congestion_names[] = {"rfc2581", "cubic", NULL};
static const char *const recovery_names[] = {"sack", "newreno", "reno", "rack", NULL};

// The costs of a small segment that is written and read, 14000 cycles in all.
#define SMALL_SEGMENT                                                                              \
    "prior: Linux 2.4 on Athlon, 14000 cycles for a small segment with the other calls; "          \
    "lmbench's "                                                                                   \
    "TCP over loopback, one way, with a switch and no driver: 8900 cycles (2.4.19 at 789 MHz, "    \
    "linux-kernel, 2003-04-12), 15700 of a kernel for several processors (2.4.6 at 550 MHz, "      \
    "linux-mm, 2001-07-08); NetPIPE with tulip cards back to back: 42 us (2.2.16 at 600 MHz, "     \
    "Siegert on beowulf, 2000-11-17)"

static const struct param tcp_params[] = {
    PARAM(T, profile, PARAM_CHOICE, .fallback = "linux24", .choices = profiles,
          .doc = "whose defaults the other parameters have: those of Linux 2.4, of FreeBSD 6.2, or "
                 "of Linux 6",
          .source = "Linux 2.4; FreeBSD 6.2: tcp(4), netinet/tcp_input.c, tcp_output.c, "
                    "tcp_timer.h; Linux 6: docs/linux6.md"),
    PARAM_IN(T, inet, mtu, PARAM_SIZE, .fallback = "1500 B", .least = "128 B", .most = "9000 B",
             .doc = "largest IP packet in a frame", .source = "IEEE 802.3"),
    PARAM(T, congestion, PARAM_CHOICE, PARAM_BY_PROFILE("rfc2581", "rfc2581", "cubic"),
          .choices = congestion_names,
          .doc = "how the congestion window grows and shrinks: slow start and congestion avoidance "
                 "of Reno, or CUBIC, which needs cwnd_unit: segments",
          .source = "RFC 2581; RFC 9438; Linux 6: net.ipv4.tcp_congestion_control"),
    PARAM(T, hystart, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
          .doc = "slow start of CUBIC ends before a loss, when acknowledgments show a full path",
          .source = "Linux 6: tcp_cubic.c, hystart = 1"),
    PARAM(T, recovery, PARAM_CHOICE, PARAM_BY_PROFILE("sack", "sack", "rack"),
          .choices = recovery_names,
          .doc = "how losses are made good: by selective acknowledgment, NewReno or Reno, or by "
                 "the time of sending (RACK), with proportional rate reduction",
          .source = "Linux 2.4: net.ipv4.tcp_sack = 1; FreeBSD 6.2: net.inet.tcp.sack.enable = 1; "
                    "Linux 6: net.ipv4.tcp_recovery = 1; RFC 3517, 2582, 2581, 8985, 9937"),
    PARAM(T, tail_loss_probe, PARAM_BOOL, PARAM_BY_PROFILE("false", "false", "true"),
          .doc = "with recovery: rack, two round trips without an acknowledgment send a probe",
          .source = "RFC 8985, 7; Linux 6: net.ipv4.tcp_early_retrans = 3"),
    PARAM(T, limited_transmit, PARAM_BOOL, .fallback = "true",
          .doc = "the first two duplicate acknowledgments each let one new segment out",
          .source = "RFC 3042; Linux 2.4 counts what was acknowledged twice as gone; FreeBSD 6.2: "
                    "net.inet.tcp.rfc3042 = 1"),
    PARAM(T, timestamps, PARAM_BOOL, .fallback = "true", .doc = "timestamps in every segment",
          .source = "Linux 2.4: net.ipv4.tcp_timestamps = 1; FreeBSD 6.2: net.inet.tcp.rfc1323 = "
                    "1; RFC 1323"),
    PARAM(T, mss_multiple, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "2 KiB", "0 B"), .most = "8 KiB",
          .doc = "a segment's data that are more than this are rounded down to a multiple of it; "
                 "0: not rounded",
          .source = "FreeBSD 6.2: tcp_mss, mbuf clusters of 2,048 B, so that packets of 9,000 B "
                    "carry 8,192 B; Linux 2.4 does not"),
    PARAM(T, window_scale, PARAM_COUNT, PARAM_BY_PROFILE("0", "0", "7"), .most = "14",
          .doc = "shift of the window that is offered; 0: no scaling",
          .source = "RFC 1323; Linux 2.4 needs none with its buffers; Linux 6: "
                    "tcp_select_initial_window, tcp_rmem[2] of 6 MiB"),
    PARAM(T, window_scale_by_buffer, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "false"),
          .doc = "the shift is the smallest that lets the window tell of the whole receive buffer, "
                 "and is offered in any case; else it is window_scale",
          .source = "FreeBSD 6.2: tcp_connect, syncache_add; RFC 1323"),
    PARAM(T, cwnd_unit, PARAM_CHOICE, PARAM_BY_PROFILE("segments", "bytes", "segments"),
          .choices = units,
          .doc = "what the congestion window counts; bytes: it also grows while it is not full",
          .source = "Linux 2.4: snd_cwnd; FreeBSD 6.2: tcp_input; RFC 2581"),
    PARAM(T, initial_window, PARAM_COUNT, PARAM_BY_PROFILE("0", "0", "10"), .most = "64",
          .doc = "segments of the first congestion window; 0: by initial_window_rule",
          .source = "Linux 2.4; FreeBSD 6.2: net.inet.tcp.rfc3390 = 1; Linux 6: TCP_INIT_CWND, "
                    "RFC 6928"),
    PARAM(T, initial_window_rule, PARAM_CHOICE, PARAM_BY_PROFILE("linux", "rfc3390", "linux"),
          .choices = initial_rules,
          .doc = "the first congestion window: 2 to 4 segments by their size and the round trip, "
                 "or 4,380 B, but at least 2 and at most 4 segments",
          .source = "RFC 2414 as Linux 2.4 has it; RFC 3390 in FreeBSD 6.2: tcp_mss"),
    PARAM(T, idle_rule, PARAM_CHOICE, PARAM_BY_PROFILE("rfc2861", "restart", "rfc2861"),
          .choices = idle_rules,
          .doc = "the congestion window after a pause, and of a program that does not fill it: "
                 "it shrinks by and by, or begins again with restart_window after a timeout "
                 "without a segment",
          .source = "RFC 2861 in Linux 2.4; FreeBSD 6.2: tcp_output"),
    PARAM(T, restart_window, PARAM_COUNT, .fallback = "4", .least = "1", .most = "64",
          .doc = "segments of the congestion window after a pause, with idle_rule: restart",
          .source = "FreeBSD 6.2: net.inet.tcp.local_slowstart_flightsize = 4"),
    PARAM(T, nagle, PARAM_CHOICE, PARAM_BY_PROFILE("minshall", "rfc896", "minshall"),
          .choices = nagle_rules,
          .doc = "what a small segment waits for without TCP_NODELAY: the acknowledgment of an "
                 "earlier small one, or of all that was sent before the write",
          .source = "Linux 2.4: tcp_nagle_check; RFC 896 in FreeBSD 6.2: tcp_output"),
    PARAM(T, send_buffer, PARAM_SIZE, PARAM_BY_PROFILE("16 KiB", "32 KiB", "16 KiB"),
          .least = "2 KiB", .most = "64 MiB", .doc = "SO_SNDBUF of a socket that does not set it",
          .source = "Linux 2.4: tcp_wmem[1]; FreeBSD 6.2: net.inet.tcp.sendspace"),
    PARAM(T, send_buffer_most, PARAM_SIZE, PARAM_BY_PROFILE("128 KiB", "128 KiB", "4 MiB"),
          .least = "2 KiB", .most = "64 MiB", .doc = "what the send buffer may grow to",
          .source = "Linux 2.4, Linux 6: tcp_wmem[2]"),
    PARAM(T, send_buffer_grows, PARAM_BOOL, PARAM_BY_PROFILE("true", "false", "true"),
          .doc = "the send buffer grows with the congestion window unless the program has set it",
          .source = "Linux 2.4: tcp_new_space; FreeBSD has it since 7.0"),
    PARAM(T, send_low_water, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "2 KiB", "0 B"), .most = "64 KiB",
          .doc = "room that a writer waits for, unless all that it has fits; 0: one segment, and "
                 "for select a third of the buffer",
          .source = "Linux 2.4: tcp_wspace; FreeBSD 6.2: SO_SNDLOWAT, MCLBYTES"),
    PARAM(T, receive_buffer, PARAM_SIZE, PARAM_BY_PROFILE("87380 B", "64 KiB", "128 KiB"),
          .least = "256 B", .most = "64 MiB", .doc = "SO_RCVBUF of a socket that does not set it",
          .source = "Linux 2.4: tcp_rmem[1]; FreeBSD 6.2: net.inet.tcp.recvspace; Linux 6: "
                    "tcp_rmem[1]"),
    PARAM(T, receive_buffer_most, PARAM_SIZE, .fallback = "6 MiB", .least = "256 B",
          .most = "64 MiB", .doc = "what the receive buffer may grow to, with receiver: linux6",
          .source = "Linux 6: tcp_rmem[2]"),
    PARAM(T, receive_buffer_grows, PARAM_BOOL, .fallback = "true",
          .doc = "with receiver: linux6, the receive buffer grows with what is read per round trip "
                 "unless the program has set it",
          .source = "Linux 6: net.ipv4.tcp_moderate_rcvbuf = 1, tcp_rcv_space_adjust"),
    PARAM_IN(T, inet, buffer_limit, PARAM_SIZE, PARAM_BY_PROFILE("65535 B", "233016 B", "212992 B"),
             .least = "256 B", .most = "64 MiB",
             .doc = "most that setsockopt gives, before doubling",
             .source = "Linux 2.4: net.core.rmem_max, wmem_max; FreeBSD 6.2: 2048/2304 of "
                       "kern.ipc.maxsockbuf, 256 KiB"),
    PARAM_IN(T, inet, buffer_doubling, PARAM_BOOL, PARAM_BY_PROFILE("true", "false", "true"),
             .doc = "setsockopt gives twice what is asked for, for overhead",
             .source = "Linux 2.4: SO_SNDBUF, SO_RCVBUF; socket(7); FreeBSD gives what is asked "
                       "for"),
    PARAM(T, buffer_charge, PARAM_CHOICE, PARAM_BY_PROFILE("truesize", "data", "truesize"),
          .choices = charges,
          .doc = "what counts in a buffer: segments with the memory that they take, or data alone",
          .source = "Linux 2.4: skb->truesize; FreeBSD 6.2: sb_cc; assumed: its limit of mbufs, "
                    "sb_mbmax, is not reached"),
    PARAM(T, adv_win_scale, PARAM_COUNT, PARAM_BY_PROFILE("2", "0", "1"), .most = "8",
          .doc = "1/2^this of the receive buffer is kept for overhead; 0: nothing",
          .source = "Linux 2.4: net.ipv4.tcp_adv_win_scale; FreeBSD keeps nothing; Linux 6: "
                    "TCP_DEFAULT_SCALING_RATIO, which later follows the segments (not modelled)"),
    PARAM_IN(T, inet, skb_overhead, PARAM_SIZE, PARAM_BY_PROFILE("368 B", "368 B", "768 B"),
             .most = "4 KiB",
             .doc = "bytes that a segment counts in a buffer besides its data, with buffer_charge: "
                    "truesize",
             .source =
                 "prior: struct sk_buff of 160 B, room for headers of 208 B in Linux 2.4; of 232 "
                 "B, with skb_shared_info of 320 B and room in Linux 6",
             .prior = "within 1.15"),
    PARAM_IN(T, inet, rx_copybreak, PARAM_SIZE, .fallback = "200 B", .most = "9 kB",
             .doc = "a longer received frame counts as a whole buffer of the ring",
             .source = "Linux 2.4: rx_copybreak of its Ethernet drivers"),
    PARAM_IN(
        T, inet, tick, PARAM_DURATION, PARAM_BY_PROFILE("10 ms", "1 ms", "1 ms"), .least = "1 us",
        .most = "1 s", .doc = "period of the kernel's clock, which timers and timestamps count",
        .source = "Linux 2.4 on i386: HZ = 100; FreeBSD 6: kern.hz = 1000; Linux 6: CONFIG_HZ of "
                  "1000, with which timestamps count in any case (250 in Debian 12)"),
    PARAM(T, rto_initial, PARAM_DURATION, PARAM_BY_PROFILE("3 s", "3 s", "1 s"), .least = "1 ms",
          .most = "120 s", .doc = "retransmission timeout before the first measurement",
          .source = "RFC 2988, 2.1; FreeBSD 6.2: TCPTV_RTOBASE; Linux 6: TCP_TIMEOUT_INIT, RFC "
                    "6298"),
    PARAM(T, rto_least, PARAM_DURATION, PARAM_BY_PROFILE("200 ms", "3 ms", "200 ms"),
          .least = "1 us", .most = "10 s", .doc = "least of what rto_bounds names",
          .source = "Linux 2.4: TCP_RTO_MIN; FreeBSD of February 2006: TCPTV_MIN, 3 ticks in "
                    "tcp_timer.h 1.28; assumed: 6.2 has the same (later revisions: hz/33)"),
    PARAM(T, rto_bounds, PARAM_CHOICE, PARAM_BY_PROFILE("variance", "sum", "variance"),
          .choices = rto_bounds,
          .doc = "what is at least rto_least: the timeout above the smoothed round trip, or the "
                 "whole of it before rto_slop",
          .source = "Linux 2.4 bounds the variance term; FreeBSD 6.2: TCP_REXMTVAL"),
    PARAM(T, rto_slop, PARAM_DURATION, PARAM_BY_PROFILE("0 s", "200 ms", "0 s"), .most = "10 s",
          .doc = "added to each retransmission timeout after it was doubled, but not to the first",
          .source = "FreeBSD 6.2: net.inet.tcp.rexmit_slop, TCPT_RANGESET; Linux has none"),
    PARAM(T, rto_most, PARAM_DURATION, PARAM_BY_PROFILE("120 s", "64 s", "120 s"), .least = "1 ms",
          .most = "3600 s", .doc = "longest retransmission timeout",
          .source = "Linux 2.4: TCP_RTO_MAX; FreeBSD 6.2: TCPTV_REXMTMAX"),
    PARAM(T, receiver, PARAM_CHOICE, PARAM_BY_PROFILE("linux", "bsd", "linux6"),
          .choices = receivers,
          .doc = "when to acknowledge, and which window to offer; bsd: every second segment or "
                 "after delayed_ack_most, all free room, an update of two segments or half the "
                 "buffer; linux6: as linux, with a larger first offer and a buffer that grows",
          .source = "Linux 2.4: tcp_input.c; FreeBSD 6.2: tcp_input.c (DELAY_ACK), tcp_output.c; "
                    "Linux 6: tcp_select_initial_window, tcp_rcv_space_adjust"),
    PARAM(T, delayed_ack_least, PARAM_DURATION, PARAM_BY_PROFILE("40 ms", "100 ms", "40 ms"),
          .least = "1 us", .most = "1 s", .doc = "shortest delay of an acknowledgment",
          .source = "Linux 2.4: TCP_ATO_MIN, TCP_DELACK_MIN; FreeBSD 6.2: "
                    "net.inet.tcp.delacktime"),
    PARAM(T, delayed_ack_most, PARAM_DURATION, PARAM_BY_PROFILE("200 ms", "100 ms", "200 ms"),
          .least = "1 us", .most = "1 s", .doc = "longest delay of an acknowledgment",
          .source = "Linux 2.4: TCP_DELACK_MAX; FreeBSD 6.2: net.inet.tcp.delacktime; RFC 2581, "
                    "4.2 allows 500 ms"),
    PARAM(T, quick_acks, PARAM_COUNT, PARAM_BY_PROFILE("16", "0", "16"), .most = "1000",
          .doc = "segments at the start that are acknowledged at once, or half a window if less; "
                 "receiver bsd has none",
          .source = "Linux 2.4: TCP_MAX_QUICKACKS"),
    PARAM(T, retries, PARAM_COUNT, PARAM_BY_PROFILE("15", "12", "15"), .least = "1", .most = "100",
          .doc = "times that a segment is sent again before the connection is given up",
          .source = "Linux 2.4: net.ipv4.tcp_retries2; FreeBSD 6.2: TCP_MAXRXTSHIFT"),
    PARAM(T, syn_retries, PARAM_COUNT, PARAM_BY_PROFILE("5", "8", "6"), .most = "100",
          .doc = "times that a SYN is sent again",
          .source = "Linux 2.4: net.ipv4.tcp_syn_retries; FreeBSD 6.2: those before "
                    "TCPTV_KEEP_INIT, 75 s"),
    PARAM(T, syn_constant, PARAM_COUNT, PARAM_BY_PROFILE("0", "4", "0"), .most = "100",
          .doc = "times that a SYN is sent again before its timeout doubles",
          .source = "FreeBSD 6.2: tcp_syn_backoff; Linux doubles at once"),
    PARAM(T, probe_least, PARAM_DURATION, PARAM_BY_PROFILE("0 s", "5 s", "0 s"), .most = "60 s",
          .doc = "shortest time between probes of a closed window",
          .source = "FreeBSD 6.2: TCPTV_PERSMIN; Linux: the retransmission timeout"),
    PARAM(T, probe_most, PARAM_DURATION, PARAM_BY_PROFILE("120 s", "60 s", "120 s"),
          .least = "1 ms", .most = "3600 s",
          .doc = "longest time between probes of a closed window",
          .source = "Linux 2.4: TCP_RTO_MAX; FreeBSD 6.2: TCPTV_PERSMAX"),
    PARAM(T, probes, PARAM_COUNT, .fallback = "15", .least = "1", .most = "1000",
          .doc = "probes of a window that stays closed; then the connection rests",
          .source = "assumed: Linux goes on; a simulation whose reader never reads must end"),
    PARAM_IN(T, inet, queue, PARAM_COUNT, PARAM_BY_PROFILE("100", "255", "1000"), .least = "1",
             .most = "100000", .doc = "frames that can wait before the card's ring",
             .source = "Linux 2.4: txqueuelen; FreeBSD 6.2: em has one less than its 256 "
                       "descriptors; Linux 6: txqueuelen"),
    PARAM_IN(T, inet, transmit_interrupt, PARAM_COUNT, PARAM_BY_PROFILE("16", "1", "16"),
             .least = "1", .most = "4096",
             .doc = "frames sent for each interrupt that the driver asks for on sending",
             .source = "Linux 2.4: eepro100 asks once in a quarter of its ring; FreeBSD 6.2: "
                       "em_encap of em 6.2.9 sets RS and IDE in every frame's last descriptor, "
                       "and TXDW is in its IMS_ENABLE_MASK"),
    PARAM(T, checksum_offload, PARAM_BOOL, PARAM_BY_PROFILE("false", "true", "true"),
          .doc = "the card computes and checks checksums",
          .source = "cards of thesis 000; FreeBSD 6.2: em(4), TCP checksums of 82543 and later; "
                    "Linux 6: cards of today"),
    PARAM(T, send_offload, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "0 B", "64 KiB"), .most = "512 KiB",
          .doc = "data of consecutive segments that cross stack and driver once, for the card to "
                 "cut; 0: each segment by itself",
          .source = "Linux 6: TSO and GSO, GSO_LEGACY_MAX_SIZE of 65,536 B; tcp_send_mss"),
    PARAM(T, receive_offload, PARAM_SIZE, PARAM_BY_PROFILE("0 B", "0 B", "64 KiB"),
          .most = "512 KiB",
          .doc = "data of consecutive segments of a connection, found in one service of the card, "
                 "that cross the stack once; 0: each segment by itself",
          .source = "Linux 6: GRO, GRO_LEGACY_MAX_SIZE of 65,536 B; tcp_gro_receive"),
    PARAM(T, merge_segment, PARAM_COST, .fallback = "600 cycles",
          .doc = "appending a segment to those that cross the stack together (receive_offload)",
          .source = "derived: a fifth of receive_path, for a lookup and a comparison of headers"),
    PARAM(T, checksum_copy, PARAM_COST, .fallback = "360 cycles",
          .doc = "what the checksum adds to the copy from the user, for each KiB",
          .source = "prior: additions in the shadow of the copy loop; alone they take 530..700 "
                    "cycles (Vlasenko on linux-kernel, 2002-10-25)"),
    PARAM(T, send_call, PARAM_COST, .fallback = "3000 cycles",
          .doc = "sendmsg without trap, copy and segments", .source = SMALL_SEGMENT),
    PARAM(T, send_segment, PARAM_COST, .fallback = "3500 cycles",
          .doc = "TCP header, IP, routing and queueing of a segment with data",
          .source = SMALL_SEGMENT),
    PARAM(T, send_ack, PARAM_COST, .fallback = "2500 cycles",
          .doc = "building and queueing a segment without data",
          .source = "prior: Linux 2.4 on Athlon"),
    PARAM(T, receive_path, PARAM_COST, .fallback = "3000 cycles",
          .doc = "softirq, IP and finding the socket, for each segment", .source = SMALL_SEGMENT),
    PARAM(T, receive_data, PARAM_COST, .fallback = "2000 cycles",
          .doc = "queueing a segment's data", .source = SMALL_SEGMENT),
    PARAM(T, receive_ack, PARAM_COST, .fallback = "2000 cycles",
          .doc = "an acknowledgment of data: freeing segments, windows, timers",
          .source = "prior: Linux 2.4 on Athlon"),
    PARAM(T, receive_call, PARAM_COST, .fallback = "2500 cycles",
          .doc = "recvmsg without trap and copy", .source = SMALL_SEGMENT),
    PARAM_IN(T, inet, timer, PARAM_COST, .fallback = "1500 cycles",
             .doc = "running one expired timer", .source = "prior: Linux 2.4 on Athlon"),
    PARAM(T, open, PARAM_COST, .fallback = "10000 cycles",
          .doc = "making or ending a socket: connect, listen, accept, close",
          .source = "prior: Linux 2.4 on Athlon"),
    PARAM_IN(T, inet, select_call, PARAM_COST, .fallback = "1500 cycles",
             .doc = "select without its descriptors", .source = "prior: Linux 2.4 on Athlon"),
    PARAM_IN(T, inet, select_socket, PARAM_COST, .fallback = "400 cycles",
             .doc = "one descriptor of a select", .source = "prior: Linux 2.4 on Athlon"),
    {0},
};

static void tcp_check(const void *values, const struct param_values *report)
{
    const struct tcp_config *config = values;
    if (config->delayed_ack_least > config->delayed_ack_most)
        param_complain(report, "delayed_ack_least", NULL,
                       "the shortest delay of an acknowledgment is above the longest");
    if (config->rto_least > config->rto_most)
        param_complain(report, "rto_least", NULL,
                       "the shortest retransmission timeout is above the longest");
    if (config->probe_least > config->probe_most)
        param_complain(report, "probe_least", NULL,
                       "the shortest time between probes is above the longest");
    if (config->send_low_water > config->send_buffer)
        param_complain(report, "send_low_water", "make it smaller, or the send buffer larger",
                       "the send buffer never has as much room as a writer waits for");
    if (config->send_buffer_grows && config->send_buffer > config->send_buffer_most)
        param_complain(report, "send_buffer_most", "set it, or send_buffer_grows=false",
                       "the send buffer is larger than what it may grow to");
    if (config->congestion == TCP_CONGESTION_CUBIC && config->cwnd_unit == TCP_UNIT_BYTES)
        param_complain(report, "congestion", "cwnd_unit: segments, or congestion: rfc2581",
                       "CUBIC counts segments, and cwnd_unit is bytes");
    if (config->recovery == TCP_RACK && config->cwnd_unit == TCP_UNIT_BYTES)
        param_complain(report, "recovery", "cwnd_unit: segments, or recovery: sack",
                       "RACK's rate reduction counts segments, and cwnd_unit is bytes");
    if (config->receiver == TCP_RECEIVER_LINUX6 && config->receive_buffer_grows &&
        config->receive_buffer > config->receive_buffer_most)
        param_complain(report, "receive_buffer_most", "set it, or receive_buffer_grows=false",
                       "the receive buffer is larger than what it may grow to");
}

static const struct reader_renamed tcp_renamed[] = {
    {"checksum_rate", {"host.memory.read_uncached"}, NULL, "1.1.0"},
    {"checksum_copy_rate",
     {"checksum_copy"},
     "a cost for each KiB, in cycles or as a time, instead of a rate",
     "1.1.0"},
    {0},
};

const struct param_table tcp_table =
    PARAM_TABLE(struct tcp_config, tcp_params, .name = "tcp", .prior_kind = PRIOR_KERNEL,
                .doc = "TCP/IP stack: Linux 2.4's, FreeBSD 6.2's, or Linux 6's", .check = tcp_check,
                .renamed = tcp_renamed);

const struct scenario_section tcp_sections[] = {
    {"tcp", &tcp_table},
    {NULL, NULL},
};

// ---- Streams, for flows ----

bool tcp_stack_stream(const struct scenario_case *test_case, struct stack_stream *stream)
{
    const struct tcp_config *config = scenario_section_values(test_case, "tcp");
    if (config->receiver != TCP_RECEIVER_LINUX || config->cwnd_unit != TCP_UNIT_SEGMENTS)
        return false;
    int64_t options = config->timestamps ? TCP_TIMESTAMP_OPTION : 0;
    int64_t segment = config->inet.mtu - IP_HEADER - TCP_HEADER - options;
    // As linux_initial_window() in recovery.c has it after a handshake.
    int64_t window = segment > 1460 ? 2 : segment > 1095 ? 3 : 4;
    *stream = (struct stack_stream){
        .segment = segment,
        .least = TCP_FIRST_MSS,
        .window = config->initial_window > 0 ? config->initial_window : window,
        .tick = config->inet.tick,
        .delay = MAX(inet_time_in_ticks(&config->inet, config->delayed_ack_least), 1),
        .pause = inet_time_in_ticks(&config->inet, config->rto_least) + 1,
    };
    return true;
}

#define MERGED_PACKET_EVENTS 8.5

double tcp_packet_events(const struct scenario_case *test_case)
{
    const struct tcp_config *config = scenario_section_values(test_case, "tcp");
    return config->receive_offload > 0 ? MERGED_PACKET_EVENTS : 0;
}
