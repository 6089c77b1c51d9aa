// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of section `iwarp`.
#ifndef NETSIM_MODELS_IWARP_CONFIG_H
#define NETSIM_MODELS_IWARP_CONFIG_H

#include "sim/config/param.h"
#include "sim/core/cost.h"

// Which stream a message takes.
enum iwarp_stream_map {
    IWARP_STREAM_STAG, // tagged: steering tag modulo the streams; untagged: message number modulo
    IWARP_STREAM_SINGLE,
};

struct iwarp_config {
    int64_t segment;     // bytes of data in a DDP segment
    int64_t queue_depth; // work requests in a queue of a QP
    enum iwarp_stream_map stream_map;
    struct cost post;          // a work request is posted
    struct cost poll;          // a poll of a CQ
    struct cost segment_cost;  // a segment is built, or its header taken apart
    struct cost signal_thread; // the poster's part of waking the thread
    struct cost thread_hop;    // until the thread runs
    struct cost object;        // an RNIC, QP, CQ or protection domain is made or destroyed
    struct cost register_call; // without its pages
    bool pin;                  // registered memory is locked
    struct cost crc;           // MPA's CRC32c, each KiB; only over TCP
};

extern const struct param_table iwarp_table;

struct scenario_case;
struct diag_list;

// For stacks with SCTP below: a segment, with its headers, must fit into a socket's send buffer of
// `buffer` bytes, which the parameter `buffer_name` gives, as a message is sent whole. Adds an
// error if it does not.
void iwarp_check_segment(const struct scenario_case *test_case, const char *buffer_name,
                         int64_t buffer, struct diag_list *diags);

#endif
