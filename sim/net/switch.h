// SPDX-License-Identifier: GPL-3.0-or-later
// A switch: its parameters, and the disciplines it can follow.
//
// store_and_forward takes a packet in whole, looks at its check sequence, and puts it into the
// queue of its output port, which drops what does not fit. cut_through starts to send a packet on
// as soon as its head is there and the output is free, and holds it back on the links it came over
// while the output is not (wormhole.h).
#ifndef NETSIM_NET_SWITCH_H
#define NETSIM_NET_SWITCH_H

#include "sim/config/param.h"
#include "sim/core/engine.h"

#include <stdbool.h>

enum switch_discipline_kind { SWITCH_STORE_AND_FORWARD, SWITCH_CUT_THROUGH };

struct switch_config {
    int discipline;      // enum switch_discipline_kind
    int64_t ports;       // 0: as many as it has links
    sim_time latency;    // ps
    int64_t queue;       // packets that wait at an output
    int64_t queue_bytes; // B that wait at an output; 0: no bound
    int64_t header;      // B of a packet before its output is known
    int64_t slack;       // B of an input's buffer
    int64_t stop, go;    // B of that buffer at which STOP and GO are sent; 0: at once, by places
    int64_t route_bytes; // B that it takes off a packet's front
};

extern const struct param_table switch_table;

struct switch_discipline {
    const char *name;
    // A packet is taken in whole before anything is done with it. Channels between two such ends
    // need no back-pressure.
    bool stores;
    // The packet's event: it is in (stores), or its head is, and the switch's latency has passed.
    event_fn *arrive;
};

const struct switch_discipline *switch_discipline(enum switch_discipline_kind kind);

#endif
