// SPDX-License-Identifier: GPL-3.0-or-later
// Inside the card: what nic*.c share. Users see nic.h only.
#ifndef NETSIM_MODELS_INTERCEPT_NIC_NIC_INTERNAL_H
#define NETSIM_MODELS_INTERCEPT_NIC_NIC_INTERNAL_H

#include "models/intercept/nic/nic.h"
#include "models/intercept/nic/nic_config.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"

#include <glib.h>

#include <string.h>

#define NIC_QUAD 8 // bytes of a quad word
#define NIC_TX_CBS 2

// Transport packets of thesis 002, 2.1.2. Those that carry flow control between virtual NICs are
// not modelled.
enum nic_kind { NIC_VDMA_DATA, NIC_SHORT_MESSAGE };

struct nic_plane;

// A packet's header.
struct nic_header {
    int from, to; // IUCA
    uint8_t kind; // enum nic_kind
    uint8_t vnic; // of a short message: the receiver's
    uint8_t channel;
    bool marked;
    bool credited;    // at the receiver: its place in the plane's receive queue is free again
    uint16_t bytes;   // of a short message, before it is padded to quad words
    uint32_t address; // of a VDMA packet: in the channel
    alignas(8) unsigned char body[INTERCEPT_BODY_BYTES];
};

// ---- Read engine (nic_read.c) ----

// The engine's next read for a source.
struct nic_request {
    int to;
    unsigned mask;   // planes that may be used
    int64_t command; // bytes of a command that does not lie with the data, which are read first
    int64_t data;    // bytes of the rest; 0: all are in the card already
    struct message_ref message;
};

// A TX-CB or the VDMA engine. In the engine's list while it has packets that are not being read.
struct nic_source {
    const struct stage *stage, *bus_stage; // of the engine's time for it, and of its bus reads
    void (*first)(const struct nic_source *source, struct nic_request *request);
    // All has been read: makes the packet, without a route, and goes on to the next. Returns
    // whether there is one.
    bool (*take)(struct nic_source *source, struct packet **packet);
    struct nic_source *next;
    bool listed;
};

struct nic_engine {
    struct nic_source *first, *last; // in the order of their turns
    struct nic_source *serving;      // whose packet is being read; NULL: the engine is idle
    struct nic_plane *plane;         // that the packet is for; also while it waits for that
    bool waits;                      // until the plane has a place
    bool commanded;                  // the command has been read
    struct nic_request request;
    struct event event; // a read has ended
    sim_time since;
    trace_lane lane;
};

// The source has a packet, now. From an event; any number of times.
void nic_read(struct intercept_nic *nic, struct nic_source *source);

// A plane that had none has a place again.
void nic_read_on(struct intercept_nic *nic, const struct nic_plane *plane);

void nic_read_init(struct intercept_nic *nic);

// ---- Planes (nic_planes.c) ----

struct nic_plane {
    struct intercept_nic *nic;
    int number, station;
    int peer;                    // station at the far end of the cable; -1: a switch
    int64_t used;                // places of the queue
    struct packet *first, *last; // that are to be sent, after the one that is
    int64_t waiting;             // so many
    bool sending;
    struct event sent;          // the packet on the link has left
    sim_time since;             // it has the link
    struct message_ref message; // that it is for
    int64_t packets;            // given to the plane so far
    int64_t *counted;           // of the planes with this number of all cards
    trace_lane lane;
    int interface; // of captures
};

// How a card reaches another: by plane, the route; `mask`: those that have one.
struct nic_way {
    bool known;
    uint8_t mask;
    const struct route *routes[INTERCEPT_PLANES];
};

const struct nic_way *nic_way(struct intercept_nic *nic, int to);

// Chooses the plane of the next packet to `to`. Returns NULL if no plane of the mask goes there;
// then the run has been ended.
struct nic_plane *nic_plane_choose(struct intercept_nic *nic, int to, unsigned mask);

bool nic_plane_full(const struct nic_plane *plane);

// Takes a place for a packet that is about to be read, and hands that over when it is in the card.
void nic_plane_take(struct nic_plane *plane);
void nic_plane_send(struct nic_plane *plane, struct packet *packet, int to);

void nic_plane_next(struct nic_plane *plane); // sends the first of its queue, if the link is free

// ---- Links (nic_link.c) ----

void nic_planes_init(struct intercept_nic *nic, const struct cluster *cluster);

// The packet is in host memory, or gone: its place is free for the next one of its plane.
void nic_packet_written(struct packet *packet);

// ---- Circular buffers (nic_circular.c) ----

// A message in a TX-CB, or in an RX-CB.
struct nic_entry {
    struct event event; // it goes in, or its bytes are free again
    struct vnic *vnic;
    int nth;        // of a TX-CB
    int64_t stored; // bytes of the buffer
    struct nic_entry *next;
    struct intercept_sm message;
};

struct nic_tx_cb {
    struct nic_source source;
    struct vnic *vnic;
    int64_t used;   // bytes, those of entries that are being written included
    int64_t wanted; // bytes of an entry that was refused; 0: none was
    struct nic_entry *first, *last;
};

struct vnic {
    struct intercept_nic *nic;
    int number;
    bool open;
    const struct vnic_ops *ops;
    void *owner;
    void (*room)(void *owner);
    struct nic_tx_cb tx[NIC_TX_CBS];
    int64_t rx_used;                 // bytes, those of entries that are being written included
    trace_values values;             // of the buffers; 0: not announced
    struct nic_entry *first, *last;  // that software sees
    struct packet *held, *held_last; // packets for which the RX-CB has no room
    int64_t held_count;
};

// A short message is in the card.
void nic_receive_short(struct intercept_nic *nic, struct packet *packet);

void nic_circular_init(struct intercept_nic *nic);

// ---- VDMA engine (nic_vdma.c) ----

enum nic_channel_state {
    NIC_FREE,
    NIC_READY,   // table and counter are set to receive
    NIC_ACTIVE,  // receives
    NIC_QUEUED,  // is to send
    NIC_SENDING, // sends
    NIC_DONE,    // the counter is zero
};

struct nic_channel {
    struct intercept_nic *nic;
    int number;
    bool reserved;
    struct machine machine; // enum nic_channel_state
    bool receives;          // what the table is written for
    struct vdma_slice slice;
    int to, to_channel;
    int64_t packets, left;           // of the slice; the counter
    int64_t accepted;                // packets that have come
    sim_time since;                  // when it began to send or to receive
    int64_t fetched;                 // bytes that have been read for packets to come
    struct event written;            // the table is
    struct nic_channel *next;        // in the queue of those that are to send
    struct packet *held, *held_last; // packets that came while another channel was active
    int64_t held_since;              // number of the first of them, among those of all channels
};

struct nic_vdma {
    struct nic_source source;
    const struct vdma_ops *ops;
    void *owner;
    struct nic_channel channels[INTERCEPT_CHANNELS];
    struct nic_channel *sending, *queued, *queued_last;
    struct nic_channel *active; // that receives
    int64_t held;               // times that a channel began to hold packets
    trace_lane send_lane, receive_lane;
};

void nic_receive_vdma(struct intercept_nic *nic, struct packet *packet);
void nic_vdma_init(struct intercept_nic *nic);
extern const struct machine_kind nic_channel_machine; // by enum nic_channel_state

// The firmware before its repair never ends a transfer whose buffer does not begin at a page.
bool nic_channel_stuck(const struct nic_channel *channel);

// ---- Interrupts (nic_interrupt.c) ----

// Raises the virtual interrupt of a virtual NIC, or of a channel, and with it the card's line. From
// an event.
void nic_raise_vnic(struct intercept_nic *nic, int vnic);
void nic_raise_channel(struct intercept_nic *nic, int channel);
void nic_interrupt_init(struct intercept_nic *nic);

// ---- Captures (nic_capture.c) ----

void nic_words(void *owner, const struct packet *packet, struct trace_words *words);
void nic_capture_init(struct intercept_nic *nic);
void nic_capture(struct nic_plane *plane, const struct packet *packet,
                 enum capture_direction direction);
void nic_capture_clear(struct intercept_nic *nic);

// ---- The card (nic.c) ----

struct intercept_nic {
    struct host *host;
    struct bus *bus;
    struct sim *sim;
    struct network *network;
    const struct cluster *cluster;
    struct intercept_nic_config config;
    int iuca;

    struct nic_plane planes[INTERCEPT_PLANES];
    int plane_count;
    unsigned mask;      // planes that it may use and that have a cable
    int last_plane;     // the last that a packet was given to
    struct sparse ways; // struct nic_way, by host

    struct nic_engine engine;
    struct vnic vnics[INTERCEPT_VNICS];
    struct pool entries; // struct nic_entry
    struct nic_vdma vdma;

    struct cpu_task service;  // the interrupt handler
    uint32_t raised, serving; // virtual interrupts: bit n is VNIC n, channels follow
    bool in_service;

    trace_lane lane;   // its pipeline
    GByteArray *frame; // of captures

    int64_t *interrupts, *virtual_interrupts, *slice_interrupts, *tx_full, *rx_full, *errors, *sent,
        *received;
};

#define NIC_NAME "intercept" // of the NIC model and of its section

// Whether the card has that station: its n-th such station is plane n.
bool nic_has_station(const struct cluster_card *card);

static inline int64_t nic_padded(int64_t bytes)
{
    return (bytes + NIC_QUAD - 1) / NIC_QUAD * NIC_QUAD;
}

// Drops a packet that the card can't place, and counts it as an error. `reason` is static.
void nic_refuse(struct intercept_nic *nic, struct packet *packet, const char *reason);

#endif
