// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of the TCP/IP stack: of Linux 2.4, FreeBSD 6.2, or Linux 6.
#ifndef NETSIM_MODELS_TCP_TCP_H
#define NETSIM_MODELS_TCP_TCP_H

#include "models/inet/config.h"
#include "sim/config/param.h"

enum tcp_recovery_choice { TCP_SACK, TCP_NEWRENO, TCP_RENO, TCP_RACK };
enum tcp_congestion_choice { TCP_CONGESTION_RFC2581, TCP_CONGESTION_CUBIC };
enum tcp_initial_rule { TCP_INITIAL_LINUX, TCP_INITIAL_RFC3390 };
enum tcp_receiver_choice { TCP_RECEIVER_LINUX, TCP_RECEIVER_BSD, TCP_RECEIVER_LINUX6 };
enum tcp_charge { TCP_CHARGE_TRUESIZE, TCP_CHARGE_DATA };
enum tcp_unit { TCP_UNIT_SEGMENTS, TCP_UNIT_BYTES };
enum tcp_idle_rule { TCP_IDLE_RFC2861, TCP_IDLE_RESTART };
enum tcp_nagle_rule { TCP_NAGLE_MINSHALL, TCP_NAGLE_RFC896 };
enum tcp_rto_bounds { TCP_RTO_BOUNDS_VARIANCE, TCP_RTO_BOUNDS_SUM };

struct tcp_config {
    int profile;
    struct inet_config inet; // its keys are in the same section
    int congestion;          // enum tcp_congestion_choice
    bool hystart;
    int recovery; // enum tcp_recovery_choice
    bool tail_loss_probe;
    bool limited_transmit; // RFC 3042
    bool timestamps;       // RFC 1323
    int64_t mss_multiple;  // bytes; 0: not rounded
    int64_t window_scale;  // bits
    bool window_scale_by_buffer;
    int cwnd_unit;          // enum tcp_unit
    int64_t initial_window; // segments; 0: by the rule
    int initial_window_rule;
    int idle_rule;
    int64_t restart_window;   // segments
    int nagle;                // enum tcp_nagle_rule
    int64_t send_buffer;      // bytes, SO_SNDBUF
    int64_t send_buffer_most; // bytes
    bool send_buffer_grows;
    int64_t send_low_water;      // bytes
    int64_t receive_buffer;      // bytes, SO_RCVBUF
    int64_t receive_buffer_most; // bytes
    bool receive_buffer_grows;
    int buffer_charge;     // enum tcp_charge
    int64_t adv_win_scale; // shift
    sim_time rto_initial, rto_least, rto_most, rto_slop;
    int rto_bounds;
    int receiver; // enum tcp_receiver_choice
    sim_time delayed_ack_least, delayed_ack_most;
    int64_t quick_acks; // segments
    int64_t retries;
    int64_t syn_retries, syn_constant;
    int64_t probes;
    sim_time probe_least, probe_most;
    bool checksum_offload;
    int64_t send_offload, receive_offload; // bytes; 0: none
    struct cost merge_segment;
    struct cost checksum_copy; // per KiB
    struct cost send_call;
    struct cost send_segment;
    struct cost send_ack;
    struct cost receive_path;
    struct cost receive_data;
    struct cost receive_ack;
    struct cost receive_call;
    struct cost open;
};

extern const struct param_table tcp_table;

// For stacks over this TCP (struct stack): its streams, if their receiver is Linux's and their
// window counts segments.
struct scenario_case;
struct stack_stream;
bool tcp_stack_stream(const struct scenario_case *test_case, struct stack_stream *stream);

// Events of a packet of a message after its first, for a stack's footprint: segments that the card
// merges cross the stack together. Measured on the scenarios of testbeds/ethernet25.yaml; 0: as
// usual.
double tcp_packet_events(const struct scenario_case *test_case);

// "tcp"; ends with a NULL path.
extern const struct scenario_section tcp_sections[];

#endif
