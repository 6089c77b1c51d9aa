// SPDX-License-Identifier: GPL-3.0-or-later
// Inside the card: what nic*.c share. Users see nic.h only.
#ifndef NETSIM_MODELS_ETHERNET_NIC_INTERNAL_H
#define NETSIM_MODELS_ETHERNET_NIC_INTERNAL_H

#include "models/ethernet/nic.h"

#include <glib.h>

#define NIC_PROTOCOLS 4 // on one card

struct nic_queue {
    struct packet *head, *tail;
};

struct nic_registration {
    uint16_t protocol;
    const struct nic_protocol *ops;
    void *owner;
};

// A frame under way from host memory, where a card fetches several.
struct nic_fetch {
    struct event event;
    struct nic *nic;
    struct packet *packet;
};

struct nic {
    struct host *host;
    struct bus *bus;
    struct sim *sim;
    struct network *network;
    int station;
    struct nic_config config;
    struct nic_registration protocols[NIC_PROTOCOLS];
    int protocol_count;

    // Transmit: ring -> loading (over the bus) -> loaded (in the FIFO) -> sending (on the wire).
    struct nic_queue tx_ring;
    int tx_queued;          // frames that have not yet left
    int tx_used;            // descriptors in use, until the card has done with their frames
    bool bus_taken;         // by a frame, until its last byte has been asked for
    struct packet *loading; // that frame, until its head is in the FIFO
    uint16_t loading_protocol;
    void *loading_token;
    int loading_used;  // descriptors
    int64_t rest;      // bytes of it that are still on the bus when its head is in the FIFO
    bool ran_dry;      // underrun: the frame is sent again once all of it is in the FIFO
    int64_t threshold; // tx_threshold, or what underruns have made of it
    struct nic_queue loaded;
    bool sending;
    uint16_t sending_protocol;
    void *sending_token;
    uint32_t sending_bytes;
    int sending_used;
    sim_time sending_since;
    int64_t fifo_bytes;
    struct event tx_head;   // doorbell latency, then the first bytes are in the FIFO
    struct event tx_rest;   // the whole frame has come over the bus
    struct event tx_sent;   // the frame on the wire has left
    struct event tx_full;   // the last byte of the frame loaded last is in the FIFO
    uint16_t full_protocol; // what that frame was
    void *full_token;
    int full_used;
    struct event tx_room;      // it has left so far that the FIFO has room
    bool tx_starting;          // between doorbell and the first bus request
    struct nic_fetch *fetches; // config.reads of them, in a circle
    int fetch_first, fetching; // the oldest under way, and their number
    bool tx_reading;           // the descriptor of the first frame after a pause
    bool tx_described;         // it is there: its frame is next
    GArray *tx_done;           // struct tx_done, waiting for the interrupt handler
    guint tx_done_taken;

    // Receive: wire -> bus -> done, waiting for the interrupt handler.
    struct nic_queue rx_done;
    int rx_used;        // descriptors in use
    int64_t rx_waiting; // bytes in the receive FIFO that the bus has not taken
    int64_t rx_coming;  // bytes that the frame that arrives will leave there; 0: none arrives
    sim_time rx_last;   // when its last bit will have come
    int64_t pause_high, pause_low;
    bool pauses;           // the sender is to be paused
    struct event rx_mark;  // the frame that arrives reaches the high mark
    struct event tx_opens; // the wire is free again, after a pause
    bool full_waits;       // tx_full, for the wire

    struct event interrupt;
    struct event tx_timer; // a sent frame asks for its interrupt
    int64_t waiting;       // frames and completions since the last interrupt
    sim_time earliest;     // of the interrupt line, interrupt_distance after the last one
    struct cpu_task service;
    bool in_service;
    int64_t *ring_drops, *fifo_drops, *fcs_drops, *interrupts;
    trace_lane lane_tx, lane_rx;

    // Capture.
    int interface;
    GByteArray *frame; // the last one captured
};

// ---- Rings (nic_ring.c) ----

// Descriptors that a frame takes of a ring: by its bytes without the check sequence, or a packet's.
int ethernet_descriptors(const struct nic *nic, int64_t frame);
int ethernet_descriptors_of(const struct nic *nic, const struct packet *packet);

// A queue through the packets' `next`. Popping an empty one returns NULL.
void ethernet_queue_push(struct nic_queue *queue, struct packet *packet);
struct packet *ethernet_queue_pop(struct nic_queue *queue);

// For traces: a frame joins the ring of a lane, or leaves it.
void ethernet_ring_note(const struct nic *nic, trace_lane lane, enum trace_note_kind kind);

// ---- Protocols and their frames (nic_protocol.c) ----

// The protocol that is registered under an EtherType. Another one is an error of the caller.
const struct nic_registration *ethernet_protocol_of(const struct nic *nic, uint16_t protocol);

// Lets protocols go on that collect frames of one service. Returns whether any has done work.
bool ethernet_protocols_polled(struct cpu_context *context, struct nic *nic);

// Captures a frame, with the bytes that its protocol gives it.
void ethernet_capture(struct nic *nic, const struct packet *packet,
                      enum capture_direction direction);

// station_words_fn of the card's station: its protocol's words.
void ethernet_words(void *owner, const struct packet *packet, struct trace_words *words);

// ---- Interrupts (nic_interrupt.c) ----

void ethernet_interrupt_init(struct nic *nic);

// Something waits for the driver: an interrupt is asked for, `status` ps from now. It comes at once
// or, where the card collects several, when enough wait or the first has waited long enough; and
// never too soon after the last one. lane: whose waits it is.
void ethernet_interrupt_ask(struct nic *nic, trace_lane lane, sim_time status);

// The card has finished with a frame: notifies the driver if the protocol wants to know, which it
// does if it has given the frame a token.
void ethernet_complete(struct nic *nic, uint16_t protocol, void *token);

// ---- Transmit and receive (nic_transmit.c, nic_receive.c) ----

void ethernet_transmit_init(struct nic *nic);
void ethernet_receive_init(struct nic *nic);

// Offers the pauses of the card's configuration to the network, at which its station is attached.
void ethernet_offer_pause(struct nic *nic);

// station_receive_fn of the card's station.
void ethernet_receive(void *owner, struct packet *packet);

#endif
