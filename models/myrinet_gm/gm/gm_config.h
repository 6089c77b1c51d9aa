// SPDX-License-Identifier: GPL-3.0-or-later
// The section "gm": GM's costs and sizes. Its table (gm_config.c) describes each; here are units.
// The card has a section of its own (lanai.h).
#ifndef NETSIM_MODELS_MYRINET_GM_GM_GM_CONFIG_H
#define NETSIM_MODELS_MYRINET_GM_GM_GM_CONFIG_H

#include "sim/config/param.h"

struct gm_config {
    int64_t ports, send_tokens, receive_tokens;            // tokens: of a port
    int64_t mtu, fast_receive;                             // bytes of payload
    int64_t header, directed_header, acknowledgement, crc; // bytes on the wire
    int64_t send_descriptor, receive_descriptor, event;    // bytes between host and card
    int64_t send_buffers, receive_buffers, window;         // packets
    int64_t program_sram, connection_sram, port_sram;      // bytes of SRAM
    sim_time resend_interval, refused_interval, send_timeout;
    bool registration;

    // On the host.
    struct cost send, provide, receive_check, receive_event, callback, register_call, interrupt;

    // On the LANai: a handler each.
    struct cost timer, finish_rdma, finish_recv, finish_sdma, finish_send, start_send, start_sdma,
        start_rdma, poll;
    struct cost free_record, resend_record; // per record
};

extern const struct param_table gm_table;

// Bytes of SRAM that hold the longest packet.
int64_t gm_packet_bytes(const struct gm_config *config);

// Bytes of SRAM that a card takes in a cluster of `hosts`, with one open port.
int64_t gm_sram_bytes(const struct gm_config *config, int64_t hosts);

#endif
