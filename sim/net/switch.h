// SPDX-License-Identifier: GPL-3.0-or-later
// A switch: its parameters and its disciplines.
//
// store_and_forward receives a whole packet, checks its check sequence, and puts it into the queue
// of its output port, which drops packets that do not fit. cut_through starts to forward a packet
// as soon as its head has arrived and the output is free. While the output is busy, it holds the
// packet back on the links that it came over (wormhole.h).
#ifndef NETSIM_NET_SWITCH_H
#define NETSIM_NET_SWITCH_H

#include "sim/config/param.h"
#include "sim/core/engine.h"

#include <stdbool.h>

enum switch_discipline_kind { SWITCH_STORE_AND_FORWARD, SWITCH_CUT_THROUGH };

struct switch_config {
    int discipline;      // enum switch_discipline_kind
    int64_t ports;       // 0: one per link
    sim_time latency;    // ps
    int64_t queue;       // packets
    int64_t queue_bytes; // B
    int64_t header;      // B
    int64_t slack;       // B
    int64_t stop, go;    // B; 0: credits
    int64_t route_bytes; // B
    int pause;           // enum pause_mode (network.h)
    int64_t pause_high;  // B; 0: half of queue_bytes
    int64_t pause_low;   // B; 0: half of pause_high
    int64_t pause_time;  // quanta of 512 bit times
};

extern const struct param_table switch_table;

// The marks of an output queue, in bytes; high 0: there is none.
static inline int64_t switch_pause_high(const struct switch_config *config)
{
    return config->pause_high > 0 ? config->pause_high : config->queue_bytes / 2;
}

static inline int64_t switch_pause_low(const struct switch_config *config)
{
    return config->pause_low > 0 ? config->pause_low : switch_pause_high(config) / 2;
}

// The values of `pause` of a switch or card, by enum pause_mode.
extern const char *const pause_modes[];

struct switch_discipline {
    const char *name;
    // A packet is received in whole before it is forwarded. Channels between two such ends need no
    // back-pressure.
    bool stores;
    // The packet's event: the packet (stores) or its head has arrived, and the switch's latency has
    // passed.
    event_fn *arrive;
};

const struct switch_discipline *switch_discipline(enum switch_discipline_kind kind);

#endif
