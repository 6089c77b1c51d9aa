// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of a host's Internet stack. A transport has them in its own parameter section
// (PARAM_IN), with the defaults of the system that it models.
#ifndef NETSIM_MODELS_INET_CONFIG_H
#define NETSIM_MODELS_INET_CONFIG_H

#include "sim/config/param.h"
#include "sim/core/cost.h"

struct inet_config {
    int64_t mtu;                // bytes of an IP packet
    sim_time tick;              // of the kernel's clock
    int64_t queue;              // packets in front of the card's ring
    int64_t transmit_interrupt; // frames for each interrupt on sending
    int64_t buffer_limit;       // bytes that setsockopt may ask for
    bool buffer_doubling;       // setsockopt gives twice what is asked for
    int64_t skb_overhead;       // bytes counted for a packet in a buffer besides its data
    int64_t rx_copybreak;       // bytes; a received frame that is longer holds a whole buffer
    struct cost timer;          // a timer's handler
    struct cost select_call;    // select without its descriptors
    struct cost select_socket;  // each descriptor of a select
};

#endif
