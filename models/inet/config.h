// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters of a host's Internet stack. A transport has them in its own parameter section
// (PARAM_IN), with the defaults of the system that it models.
#ifndef NETSIM_MODELS_INET_CONFIG_H
#define NETSIM_MODELS_INET_CONFIG_H

#include "sim/config/param.h"
#include "sim/core/cost.h"

struct inet_config {
    int64_t mtu;                // bytes
    sim_time tick;              // ps
    int64_t queue;              // packets
    int64_t transmit_interrupt; // frames
    int64_t buffer_limit;       // bytes
    bool buffer_doubling;
    int64_t skb_overhead; // bytes
    int64_t rx_copybreak; // bytes
    struct cost timer;
    struct cost select_call;
    struct cost select_socket;
};

#endif
