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
    int64_t window_scale;     // RFC 1323: shift that is offered
    int64_t initial_window;   // segments; 0: by RFC 2414
    int64_t send_buffer;      // bytes, SO_SNDBUF
    int64_t send_buffer_most; // bytes that it may grow to
    bool send_buffer_grows;   // with the congestion window, unless the program has set it
    int64_t receive_buffer;   // bytes, SO_RCVBUF
    int64_t adv_win_scale;    // 1/2^this of the receive buffer is for overhead
    sim_time rto_initial, rto_least, rto_most;
    sim_time delayed_ack_least, delayed_ack_most;
    int64_t quick_acks;  // at most, at the start
    int64_t retries;     // of a segment
    int64_t syn_retries; // of SYN and SYN with ACK
    int64_t probes;      // of a closed window
    bool checksum_offload;
    struct cost checksum_copy; // what it adds to the copy of a sender, for each KiB
    struct cost send_call;     // tcp_sendmsg
    struct cost send_segment;  // a segment with data: header, IP, queueing
    struct cost send_ack;      // a segment without data
    struct cost receive_path;  // softirq, IP, finding the socket: each segment
    struct cost receive_data;  // queueing data, telling the reader
    struct cost receive_ack;   // an acknowledgment: freeing, windows
    struct cost receive_call;  // tcp_recvmsg
    struct cost open;          // connect, listen, accept, close: the work behind the call
};

extern const struct param_table tcp_table;

// "tcp"; ends with a NULL path.
extern const struct scenario_section tcp_sections[];

#endif
