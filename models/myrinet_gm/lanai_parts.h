// SPDX-License-Identifier: GPL-3.0-or-later
// Inside the card: what lanai*.c share. Users see lanai.h only.
#ifndef NETSIM_MODELS_MYRINET_GM_LANAI_PARTS_H
#define NETSIM_MODELS_MYRINET_GM_LANAI_PARTS_H

#include "models/myrinet_gm/lanai.h"

#include <glib.h>

// A handler's state: what waits for it.
struct lanai_desk {
    struct lanai_item *first, *last;
    bool called; // lanai_ready
    int turn;    // of the first of those that share a place: which of them went last
};

// An engine with those that wait for it; the first is under way.
struct lanai_engine {
    struct lanai_transfer *first, *last;
    trace_lane lane;
};

// Who has how much of the SRAM.
struct lanai_region {
    const char *name;
    int64_t bytes;
};

struct lanai {
    struct host *host;
    struct sim *sim;
    struct network *network;
    int station;
    const char *section;
    struct lanai_config config;
    void *owner;

    // The firmware loop.
    const struct lanai_firmware *firmware;
    struct cost *costs;
    struct lanai_desk *desks; // by handler
    struct cpu *cpu;
    struct cpu_task loop;
    struct event turn;   // the turn at which an idle loop sees what has arrived
    sim_time idle_since; // when the loop found nothing more to do

    GArray *regions; // struct lanai_region, in the order of first use
    int64_t sram_used;

    struct lanai_engine host_engine, send_engine;
    struct event sent;                    // the send engine's packet has left
    struct lanai_buffer *empty, *emptied; // posted, first and last
    GArray *held;                         // struct lanai_held, first in, first out
    guint held_taken;
    trace_lane receive_lane;
    int64_t *held_packets; // counter

    int interface; // of captures
    GByteArray *frame;
};

// A packet that waits for a buffer.
struct lanai_held {
    struct packet *packet;
    sim_time since;
};

// Takes back an item that waits.
void lanai_withdraw(struct lanai *lanai, struct lanai_item *item);

// Shows a packet to a capture: what goes out with the route bytes in front, what comes in without.
void lanai_capture_init(struct lanai *lanai);
void lanai_capture(struct lanai *lanai, const struct packet *packet,
                   enum capture_direction direction);

void lanai_engines_init(struct lanai *lanai);
void lanai_engines_clear(struct lanai *lanai);

#endif
