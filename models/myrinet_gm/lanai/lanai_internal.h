// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to the card: shared by lanai*.c. Users include lanai.h only.
#ifndef NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_INTERNAL_H
#define NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_INTERNAL_H

#include "models/myrinet_gm/lanai/lanai.h"
#include "models/myrinet_gm/lanai/lanai_arbiter.h"

#include <glib.h>

// A handler's state: the items that wait for it.
struct lanai_desk {
    struct lanai_item *first, *last;
    bool called; // lanai_ready
    int turn;    // in the first of those that share a place: which of them was called last
};

// An engine and its transfers; the first is under way.
struct lanai_engine {
    struct lanai_transfer *first, *last;
    trace_lane lane;
};

#define LANAI_HOST_CHANNELS 2 // at most

// A piece that a channel of the host's DMA moves.
struct lanai_piece {
    struct event *moved; // it has
    enum bus_way way;
    int64_t bytes;
    const struct stage *stage;
    struct message_ref message;
};

// A user of the SRAM, and how much it has.
struct lanai_region {
    const char *name;
    int64_t bytes;
};

// How engines and processor share the SRAM (lanai_share.c).
struct lanai_share {
    bool on; // they could ask for more than the SRAM allows; else nothing of this is used
    struct arbiter arbiter;
    struct event next;                  // the end of a transfer
    struct lanai_piece host, host_next; // under way, and the other channel's; no bytes: none
    int host_parts;                     // of `host`, bus and SRAM: how many have not ended
    struct event bus;                   // the bus has moved the piece
    struct event head;                  // the head of the first packet has come
    GArray *coming;                     // struct lanai_coming, first in, first out
    guint coming_taken;
    bool held; // the link is held for packets to come

    trace_lane lane;
    bool full; // a user gets less than it asks for
    sim_time full_since;
};

struct lanai {
    struct host *host;
    struct bus *bus;
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
    struct event turn;   // at which an idle loop sees items that have arrived
    sim_time idle_since; // when the loop last found nothing to do

    sim_time first_tick; // of the real-time clock

    struct lanai_share share;

    GArray *regions; // struct lanai_region, in the order of first use
    int64_t sram_used;

    // Channels of the host's DMA: both directions take the first if there is one, else they read by
    // the first and write by the second.
    struct lanai_engine host_engines[LANAI_HOST_CHANNELS], send_engine;
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

// Withdraws an item that waits.
void lanai_withdraw(struct lanai *lanai, struct lanai_item *item);

// Shows a packet to a capture: an outgoing one with its route bytes, an incoming one without.
void lanai_capture_init(struct lanai *lanai);
void lanai_words(void *owner, const struct packet *packet, struct trace_words *words);
void lanai_capture(struct lanai *lanai, const struct packet *packet,
                   enum capture_direction direction);

// ---- Engines ----

// All of the packet is in the card. Its first byte came at `from`.
void lanai_receive(struct lanai *lanai, struct packet *packet, sim_time from);

// The packet's head is in the card; all of it will be at `last`.
void lanai_receive_head(struct lanai *lanai, struct packet *packet, sim_time last);

void lanai_engines_init(struct lanai *lanai);
void lanai_engines_clear(struct lanai *lanai);

// ---- The shared SRAM: only of a card with share.on ----

void lanai_share_init(struct lanai *lanai);
void lanai_share_clear(struct lanai *lanai);

// A channel moves a piece, after the other's: `moved` runs when bus and SRAM have moved it.
void lanai_share_piece(struct lanai *lanai, struct event *moved, enum bus_way way, int64_t bytes,
                       const struct stage *stage, struct message_ref message);

// The packet is about to be sent: sets its idle byte times.
void lanai_share_send(struct lanai *lanai, struct packet *packet);

// The packet's last bit has left the link. Calls lanai_receive, now or later.
void lanai_share_arrive(struct lanai *lanai, struct packet *packet);

// Return when the incoming packet will be in the SRAM, and when the firmware can see all but the
// last `to_come` bytes of the packet in the buffer.
sim_time lanai_share_last(const struct lanai *lanai);
sim_time lanai_share_there(const struct lanai *lanai, const struct lanai_buffer *buffer,
                           int64_t to_come);

#endif
