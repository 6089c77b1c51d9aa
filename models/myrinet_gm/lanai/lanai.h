// SPDX-License-Identifier: GPL-3.0-or-later
// A Myrinet card: the LANai processor with its firmware loop, the SRAM, and three DMA engines that
// work in parallel with it (host memory and SRAM, SRAM to the link, link to SRAM). What the
// firmware does is not in here: GM and GRIM bring it as a table of handlers.
//
// The firmware is a loop on a processor without preemption. A turn of it takes the first handler of
// the table that is ready, charges the dispatch and the handler's cost in cycles of the LANai's own
// clock, and calls it once. What makes a handler ready is an item that arrives for it: a transfer
// that an engine has ended, a packet in SRAM, a word that the host has written, a timer; or
// lanai_ready. An idle loop looks once a turn: what arrives between two looks waits for the next.
// No turn is simulated while nothing arrives.
//
// A handler starts engines at its context's `now`. Each engine moves one thing at a time, in the
// order in which they were started. What was fetched from the host is sent when the firmware starts
// the send engine, and what was received is written to the host when it starts the host engine:
// packets pass through SRAM whole, unless the firmware begins with their heads. A transfer behind a
// packet that is still coming in moves a piece as soon as all of that is there, and lets fetches go
// first while it waits.
//
// Engines and processor share the SRAM, which has so many accesses in a clock (sram_accesses): who
// loses there is slower (lanai_arbiter.h has the shares, lanai_share.c what follows from them),
// from when an engine starts or ends until the next does. Only what a packet on its way out loses
// is settled when it starts; what it loses more, the next one makes up for. A card that can't ask
// for more than there is pays nothing.
//
// Not modelled: a link that is held in the middle of a packet, because the SRAM does not keep up
// (it is held for the packets that come then, and the rest of this one waits in front of the card);
// that a handler comes later to what it starts, if an engine slows it down meanwhile (it ends
// later); what the host writes to the SRAM itself; the chaining of DMA descriptors by hardware (a
// started transfer waits in its engine's queue at no cost); fragmentation of the SRAM; the IP
// checksum unit; reads of card registers by the host. The receive engine refuses what it has no
// buffer for, so that it is held in the network; a switch that stores, or a card at the other end
// of the cable, does not hear of that, and then packets wait in front of the card.
#ifndef NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_H
#define NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_H

#include "sim/config/param.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

#include <stdbool.h>

struct lanai_config {
    int64_t clock;         // Hz, of the processor
    int64_t sram;          // bytes
    int64_t sram_accesses; // in a clock; 0: engines and processor do not meet at the SRAM
    int64_t sram_word;     // bytes of an access
    int64_t sram_host, sram_receive, sram_send; // ranks of the engines there; the least goes first
    struct cost dispatch;                       // choosing a handler, each time one is chosen
    struct cost idle_turn;                      // one turn of the loop that finds nothing
    sim_time timer_tick;                        // of the real-time clock; 0: timers are exact
    sim_time read_setup;      // of a DMA from host memory, while the bus is free for others
    sim_time write_setup;     // of a DMA into host memory
    int64_t bus_hold;         // bytes after which the host engine lets others have the bus
    sim_time send_latency;    // from the start of the send engine to the first byte on the link
    sim_time receive_latency; // from the last byte off the link to what the firmware can see
    struct cost write_word;   // host's posted write of 4 bytes to SRAM
};

// One table for each generation: "lanai4", "lanai7", "lanai9", all of struct lanai_config. The
// bus's width and clock are the host's (host.bus).
extern const struct param_table lanai4_table;
extern const struct param_table lanai7_table;
extern const struct param_table lanai9_table;

#define LANAI_CARD "LANai" // kind of card (struct card)

// The tables under the names that a scenario's `nic` chooses one by; ends with a NULL path.
extern const struct scenario_section lanai_sections[];

struct lanai;

// ---- What waits for a handler ----

#define LANAI_NOBODY (-1)

// Embedded in what it stands for, as its first look into the firmware: container_of finds that.
struct lanai_item {
    int handler;                // index into the firmware's table, or LANAI_NOBODY
    struct message_ref message; // that the handler's time is spent for
    bool begins;                // of a receive buffer: the packet's head is in, not yet all of it
    bool waiting;               // it has arrived, and its handler has not been called yet
    struct lanai_item *next;    // the card's
};

// ---- Firmware ----

// Called with its cost charged already. It may spend more (a scan), start engines at context->now,
// and make other handlers ready. item: what arrived; NULL: lanai_ready was called.
typedef void lanai_handler_fn(struct cpu_context *context, void *owner, struct lanai_item *item);

// A row of the firmware's table; the first row goes first.
struct lanai_handler {
    struct stage stage; // that its time is charged to
    lanai_handler_fn *run;
    // It shares its place with the row before: of several in a row that are ready the one goes
    // whose turn is next.
    bool shares;
};

// How a capture sees the packets of a firmware: behind the route bytes, which the card writes.
struct lanai_frames {
    const struct capture_link *link;
    // Bytes of the packet without route and check sequence.
    uint32_t (*length)(void *owner, const struct packet *packet);
    // Writes the first `room` of them, which are 0 before.
    void (*bytes)(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room);
};

struct lanai_firmware {
    const struct lanai_handler *handlers;
    int count;
    int received; // the handler that gets the receive buffers with packets in them
    int64_t head; // bytes of a longer packet with which it begins; 0: it waits for whole ones
    const struct lanai_frames *frames; // for captures; NULL: there are none
};

// The card at a station of the network, in a host. `section` is the scenario section that the
// configuration was read from, for messages ("lanai7"). `costs` has one entry for each handler, and
// is copied like the configuration; the firmware's table is not and must outlive the card. `owner`
// is what handlers and callbacks get. Free with lanai_free.
struct lanai *lanai_new(struct host *host, struct network *network, int station,
                        const char *section, const struct lanai_config *config,
                        const struct lanai_firmware *firmware, const struct cost *costs,
                        void *owner);
void lanai_free(struct lanai *lanai);

int lanai_station(const struct lanai *lanai);
struct cpu *lanai_cpu(const struct lanai *lanai);
const struct lanai_config *lanai_config(const struct lanai *lanai);

// The handler is to be called once more without an item, behind the items that wait for it. From an
// event or a handler; calls that it has not yet followed are one.
void lanai_ready(struct lanai *lanai, int handler);

// The item has arrived for its handler, now. From an event or a handler; it must not be waiting.
void lanai_arrive(struct lanai *lanai, struct lanai_item *item);

// ---- SRAM ----

// Takes `bytes` (> 0) for `name` (static). False if there is no room: what firmware asks that can
// do without.
bool lanai_sram_try(struct lanai *lanai, const char *name, int64_t bytes);

// The same for what can't be done without: if there is no room the run ends, with a sentence that
// says who asked for how much, who has the rest, and that a larger SRAM or less of `setting` (a
// parameter's path, "gm.send_buffers") would avoid it.
bool lanai_sram_take(struct lanai *lanai, const char *name, int64_t bytes, const char *setting);

// Gives back so many of the bytes that `name` has.
void lanai_sram_give(struct lanai *lanai, const char *name, int64_t bytes);

int64_t lanai_sram_left(const struct lanai *lanai);

// ---- Engines ----

enum lanai_move {
    LANAI_FROM_HOST, // host memory to SRAM
    LANAI_TO_HOST,   // SRAM to host memory
    LANAI_SEND,      // SRAM to the link
};

// One transfer; belongs to who starts it, and is free again when its handler or `done` is called.
// Set item.handler, item.message, move, and bytes or packet; the rest is the card's. All 0 at
// first.
struct lanai_transfer {
    struct lanai_item item;
    enum lanai_move move;
    int64_t bytes;         // of a transfer with the host, >= 0
    struct packet *packet; // of LANAI_SEND: route and wire_bytes set; the network's once it leaves
    // Bytes of a packet that is still coming in, from its byte `behind_at` on; NULL: all are there.
    const struct lanai_buffer *behind;
    int64_t behind_at;
    // In the event in which the last byte has arrived (has left), before the handler hears of it;
    // may be NULL. For what the host sees in its memory. It must not start this transfer again; it
    // may free one of which no handler hears.
    void (*done)(void *owner, struct lanai_transfer *transfer);

    struct event event;
    struct lanai *lanai;
    struct lanai_transfer *next;
    sim_time asked;
    int64_t moved;
    bool busy;
    bool waits; // under way, for bytes from the link
};

// Hands the transfer to its engine at `when`: a handler passes its context's now, an event the
// current time. It must not be busy or waiting for its handler.
void lanai_start(struct lanai *lanai, struct lanai_transfer *transfer, sim_time when);

// A place in SRAM for one packet. SRAM is accounted for by who makes the buffers.
struct lanai_buffer {
    struct lanai_item item; // handler and message are set when a packet is in
    int64_t bytes;
    struct packet *packet; // what has come; the firmware's, who frees it and sets NULL

    struct event event;
    struct lanai *lanai;
    struct lanai_buffer *next;
    bool posted;
    struct lanai_item begun; // a firmware with a head: arrives before `item`, with begins set
    sim_time last;           // when the last byte is in SRAM
    bool whole;              // it is
};

// Gives the receive engine an empty buffer at `when`. Packets take the buffers in the order in
// which they were posted; the firmware's `received` handler gets the buffer with the packet in it.
// A packet without one is held in the network (network_limit), or waits in front of the card, and
// the trace says what held it up; one that is longer than its buffer is dropped, and the buffer
// goes back to be used first.
//
// If the firmware has a head, its handler gets a longer packet twice: when its head is in SRAM
// (`begun`, begins set), and when all of it is (`item`); only then, if it has not come to the head
// by that time, or if there was no buffer. What it starts to write to the host in between goes
// `behind` the buffer, and does not overtake the bytes that come in.
//
// A packet with a wrong CRC comes like any other: the firmware looks at packet->corrupt and calls
// lanai_discard, as the LANai's receive status has it looked at. Before the packet is whole nobody
// can know.
void lanai_post_buffer(struct lanai *lanai, struct lanai_buffer *buffer, sim_time when);

// Packets that wait for a buffer now.
int lanai_held(const struct lanai *lanai);

// Drops the packet in a buffer: told to the ledger and counted under "LANai: " and the reason
// (static). The buffer is empty then.
void lanai_discard(struct lanai *lanai, struct lanai_buffer *buffer, const char *reason);

// ---- What the host writes, and timers ----

// Words that the host writes into SRAM: a token, a doorbell. Set item.handler, item.message and
// bytes (> 0); all else 0 at first.
struct lanai_write {
    struct lanai_item item;
    int64_t bytes;

    struct event event;
    struct lanai *lanai;
    bool busy, on_bus;
};

extern const struct stage lanai_pio_stage; // words that a processor writes to the card

// From a handler of the host's processor: charges it the words (stage "PIO"), and takes them over
// the bus, after all earlier requests. Then the item arrives.
void lanai_write(struct cpu_context *context, struct lanai *lanai, struct lanai_write *write);

// Set item.handler; all else 0 at first.
struct lanai_timer {
    struct lanai_item item;
    struct event event;
    struct lanai *lanai;
};

// Rings at `when`, or at the first tick of the real-time clock after it, instead of at the time set
// before. A ring that waits for its handler is taken back.
void lanai_timer_set(struct lanai *lanai, struct lanai_timer *timer, sim_time when);
void lanai_timer_stop(struct lanai *lanai, struct lanai_timer *timer);

// For `netsim explain`: it lay still from `since` until the timer rang.
void lanai_timer_trace(const struct lanai_timer *timer, const struct stage *stage, sim_time since,
                       struct message_ref message);

#endif
