// SPDX-License-Identifier: GPL-3.0-or-later
// A Myrinet card: the LANai processor with its firmware loop, the SRAM, and DMA engines that
// work in parallel with it (host memory and SRAM, SRAM to the link, link to SRAM). That of the host
// has one channel for both directions (LANai 4), or one to read and one to write, whose set-ups
// overlap; their pieces take turns at the bus. GM and GRIM
// bring the firmware as a table of handlers.
//
// The firmware is a loop on a processor without preemption. A turn takes the first handler of the
// table that is ready, charges the dispatch and the handler's cost in cycles of the LANai's own
// clock, and calls it once. An item that arrives for a handler makes it ready: a transfer that an
// engine has ended, a packet in SRAM, a word that the host has written, a timer; so does
// lanai_ready. An idle loop looks once per turn: an item that arrives between two looks waits for
// the next. No turn is simulated while nothing arrives.
//
// A handler starts engines at its context's `now`. Each engine moves one thing at a time, in the
// order in which they were started. Data fetched from the host are sent when the firmware starts
// the send engine, and received data are written to the host when it starts the host engine:
// packets pass through SRAM whole, unless the firmware begins with their heads. A transfer from a
// packet that is still arriving moves a piece as soon as all of the piece has arrived, and lets
// fetches go first while it waits.
//
// Engines and processor share the SRAM, which allows so many accesses per clock (sram_accesses). A
// user that loses there is slower (lanai_arbiter.h has the shares, lanai_share.c their effects),
// from the time at which an engine starts or ends until the next one does. The delay of a packet
// that is sent is fixed when it starts; later delays are charged to the next one. A card whose
// users can't ask for more than the SRAM allows pays nothing.
//
// Not modelled: a link that is held in the middle of a packet because the SRAM does not keep up
// (it is held for the packets that come then, and the rest of this one waits before the card);
// the delay of engines started by a handler that an engine slows down meanwhile (only the handler's
// end is delayed); the host's own writes to the SRAM; the chaining of DMA descriptors by hardware
// (a started transfer waits in its engine's queue at no cost); fragmentation of the SRAM; the IP
// checksum unit; reads of card registers by the host. The receive engine refuses a packet for which
// it has no buffer, so that the network holds it; a switch that stores, or a card at the other end
// of the cable, does not learn of that, and then packets wait before the card.
#ifndef NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_H
#define NETSIM_MODELS_MYRINET_GM_LANAI_LANAI_H

#include "sim/config/param.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

#include <stdbool.h>

// The tables (lanai_config.c) describe each field; here are units.
struct lanai_config {
    int64_t clock; // Hz
    int64_t sram;  // bytes
    int64_t sram_accesses;
    int64_t sram_word; // bytes
    int64_t sram_host, sram_receive, sram_send;
    struct cost dispatch;
    struct cost idle_turn;
    sim_time timer_tick;              // ps
    sim_time read_setup, write_setup; // ps
    int64_t host_channels;
    int64_t bus_hold;         // bytes
    sim_time send_latency;    // ps
    sim_time receive_latency; // ps
    struct cost write_word;
};

// One table per generation: "lanai4", "lanai7", "lanai9", all of struct lanai_config. The bus's
// width and clock are the host's (host.bus).
extern const struct param_table lanai4_table;
extern const struct param_table lanai7_table;
extern const struct param_table lanai9_table;

#define LANAI_CARD "LANai" // kind of card (struct card)

// The tables under the names that a scenario's `nic` may have; ends with a NULL path.
extern const struct scenario_section lanai_sections[];

// Links of cards up to the LANai 7, and of the LANai 9.
extern const struct card_rates lanai_rates, lanai9_rates;

struct lanai;

// ---- Items: they wait for a handler ----

#define LANAI_NOBODY (-1)

// Embedded in the object that arrives, which the handler finds with container_of.
struct lanai_item {
    int handler;                // index into the firmware's table, or LANAI_NOBODY
    struct message_ref message; // to which the handler's time is charged
    bool begins;                // of a receive buffer: only the packet's head has come
    bool waiting;               // it has arrived, and its handler has not been called yet
    struct lanai_item *next;    // the card's
};

// ---- Firmware ----

// Called after its cost is charged. It may spend more (a scan), start engines at context->now, and
// make other handlers ready. `item` has arrived; NULL: lanai_ready was called.
typedef void lanai_handler_fn(struct cpu_context *context, void *owner, struct lanai_item *item);

// A row of the firmware's table; the first row goes first.
struct lanai_handler {
    struct stage stage; // to which its time is charged
    lanai_handler_fn *run;
    // It shares its place with the row before: the ready ones of such rows take turns.
    bool shares;
};

// A firmware's packets as captures and traces show them: after the route bytes, which the card
// writes.
struct lanai_frames {
    const struct capture_link *link;
    // Returns the bytes of the packet without route and check sequence.
    uint32_t (*length)(void *owner, const struct packet *packet);
    // Writes the first `room` of them, which the caller has zeroed.
    void (*bytes)(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room);
    // For traces, as station_words_fn. NULL: they have no words.
    void (*words)(const struct packet *packet, struct trace_words *words);
};

struct lanai_firmware {
    const struct lanai_handler *handlers;
    int count;
    int received; // the handler that gets receive buffers with packets
    int64_t head; // bytes of a longer packet with which it begins; 0: it waits for whole packets
    const struct lanai_frames *frames; // for captures; NULL: there are none
};

// Returns the card at a station of the network, in a host. `section` is the scenario section that
// the configuration was read from, for messages ("lanai7"). `costs` has one entry per handler, and
// is copied like the configuration; the firmware's table is not copied and must outlive the card.
// Handlers and callbacks get `owner`. The caller frees the card with lanai_free.
struct lanai *lanai_new(struct host *host, struct bus *bus, struct network *network, int station,
                        const char *section, const struct lanai_config *config,
                        const struct lanai_firmware *firmware, const struct cost *costs,
                        void *owner);
void lanai_free(struct lanai *lanai);

int lanai_station(const struct lanai *lanai);
struct cpu *lanai_cpu(const struct lanai *lanai);
const struct lanai_config *lanai_config(const struct lanai *lanai);

// Has the handler called once more without an item, after the items that wait for it. Called from
// an event or a handler; several calls before that are one.
void lanai_ready(struct lanai *lanai, int handler);

// The item has arrived for its handler now. Called from an event or a handler; the item must not be
// waiting.
void lanai_arrive(struct lanai *lanai, struct lanai_item *item);

// ---- SRAM ----

// Takes `bytes` (> 0) for `name` (static). Returns false if there is no room: for firmware that can
// do without them.
bool lanai_sram_try(struct lanai *lanai, const char *name, int64_t bytes);

// Like lanai_sram_try, but for firmware that can't do without them: if there is no room the run
// ends, with a message that names the bytes asked for, the users of the rest, and the remedy: a
// larger SRAM or less of `setting` (a parameter's path, "gm.send_buffers").
bool lanai_sram_take(struct lanai *lanai, const char *name, int64_t bytes, const char *setting);

// Releases so many of the bytes that `name` has.
void lanai_sram_give(struct lanai *lanai, const char *name, int64_t bytes);

int64_t lanai_sram_left(const struct lanai *lanai);

// ---- Engines ----

enum lanai_move {
    LANAI_FROM_HOST, // host memory to SRAM
    LANAI_TO_HOST,   // SRAM to host memory
    LANAI_SEND,      // SRAM to the link
};

// One transfer. It belongs to the caller that starts it, and is free again when its handler or
// `done` is called. The caller sets item.handler, item.message, move, and bytes or packet; the rest
// is the card's, and 0 at first.
struct lanai_transfer {
    struct lanai_item item;
    enum lanai_move move;
    int64_t bytes;         // of a transfer with the host, >= 0
    struct packet *packet; // of LANAI_SEND: route and wire_bytes set; the network's once it leaves
    // The bytes come from a packet that is still arriving, from its byte `behind_at` on; NULL: all
    // bytes have arrived.
    const struct lanai_buffer *behind;
    int64_t behind_at;
    // Called in the event in which the last byte has arrived (has left), before the handler is
    // called; may be NULL. For changes that the host sees in its memory. It must not start this
    // transfer again; it may free one that has no handler.
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

// A place in SRAM for one packet. The firmware that makes the buffers accounts for their SRAM.
struct lanai_buffer {
    struct lanai_item item; // handler and message are set when a packet has come
    int64_t bytes;
    struct packet *packet; // the firmware's, which frees it and sets NULL

    struct event event;
    struct lanai *lanai;
    struct lanai_buffer *next;
    bool posted;
    struct lanai_item begun; // a firmware with a head: arrives before `item`, with begins set
    sim_time last;           // when the last byte is in SRAM
    bool whole;              // the last byte is in SRAM
};

// Gives the receive engine an empty buffer at `when`. Packets take the buffers in the order in
// which they were posted; the firmware's `received` handler gets the buffer with the packet in it.
// A packet without one is held in the network (network_limit), or waits before the card, and the
// trace names the cause. A packet that is longer than its buffer is dropped, and the buffer is used
// for the next.
//
// If the firmware has a head, its handler gets a longer packet twice: when its head is in SRAM
// (`begun`, begins set), and when all of it is (`item`). It gets only the second if it has not come
// to the head by that time, or if there was no buffer. Transfers to the host that it starts in
// between name the buffer in `behind`, and do not overtake the arriving bytes.
//
// A packet with a wrong CRC arrives like any other: the firmware checks packet->corrupt, as real
// firmware checks the LANai's receive status, and calls lanai_discard. The error can't be known
// before the packet is whole.
void lanai_post_buffer(struct lanai *lanai, struct lanai_buffer *buffer, sim_time when);

// Returns the number of packets that wait for a buffer now.
int lanai_held(const struct lanai *lanai);

// Drops the packet in a buffer, reports to the ledger, and counts it under "LANai: " and the reason
// (static). The buffer is empty then.
void lanai_discard(struct lanai *lanai, struct lanai_buffer *buffer, const char *reason);

// ---- Words that the host writes, and timers ----

// Words that the host writes into SRAM: a token, a doorbell. The caller sets item.handler,
// item.message and bytes (> 0); the rest is 0 at first.
struct lanai_write {
    struct lanai_item item;
    int64_t bytes;

    struct event event;
    struct lanai *lanai;
    bool busy, on_bus;
};

extern const struct stage lanai_pio_stage; // words that a processor writes to the card

// Called from a handler of the host's processor: charges it the words (stage "PIO"), and takes them
// over the bus, after all earlier requests. Then the item arrives.
void lanai_write(struct cpu_context *context, struct lanai *lanai, struct lanai_write *write);

// The caller sets item.handler; the rest is 0 at first.
struct lanai_timer {
    struct lanai_item item;
    struct event event;
    struct lanai *lanai;
};

// Sets the timer to ring at `when`, or at the first tick of the real-time clock after it, instead
// of at the time set before. A ring that waits for its handler is taken back.
void lanai_timer_set(struct lanai *lanai, struct lanai_timer *timer, sim_time when);
void lanai_timer_stop(struct lanai *lanai, struct lanai_timer *timer);

// The real-time clock at `now`, in time: whole ticks, counted from host.phase.card of
// one before the run begins. Exact without ticks.
sim_time lanai_clock(const struct lanai *lanai, sim_time now);

// For `netsim explain`: the message waited from `since` until the timer rang.
void lanai_timer_trace(const struct lanai_timer *timer, const struct stage *stage, sim_time since,
                       struct message_ref message);

#endif
