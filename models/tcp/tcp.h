// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of the TCP/IP stack of Linux 2.4.
#ifndef NETSIM_MODELS_TCP_TCP_H
#define NETSIM_MODELS_TCP_TCP_H

#include "models/inet/config.h"
#include "sim/config/param.h"

enum tcp_recovery_choice { TCP_SACK, TCP_NEWRENO, TCP_RENO };

struct tcp_config {
    struct inet_config inet;  // its keys are in the same section
    int recovery;             // enum tcp_recovery_choice
    bool limited_transmit;    // RFC 3042
    bool timestamps;          // RFC 1323
    int64_t window_scale;     // bits
    int64_t initial_window;   // segments; 0: by RFC 2414
    int64_t send_buffer;      // bytes, SO_SNDBUF
    int64_t send_buffer_most; // bytes
    bool send_buffer_grows;
    int64_t receive_buffer; // bytes, SO_RCVBUF
    int64_t adv_win_scale;  // shift
    sim_time rto_initial, rto_least, rto_most;
    sim_time delayed_ack_least, delayed_ack_most;
    int64_t quick_acks; // segments
    int64_t retries;
    int64_t syn_retries;
    int64_t probes;
    bool checksum_offload;
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

// "tcp"; ends with a NULL path.
extern const struct scenario_section tcp_sections[];

#endif
