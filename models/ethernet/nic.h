// SPDX-License-Identifier: GPL-3.0-or-later
// A bus-master Ethernet controller with descriptor rings, as PCI cards of around 2000 had: the
// driver puts frames into a transmit ring and rings a doorbell; the card fetches descriptor and
// data over the bus into its FIFO and sends; on receive it writes the frame into a ring of buffers
// and raises an interrupt. Its driver's interrupt service routine is part of it, because card and
// driver only work together; protocols are called back from there, a slice for each frame.
//
// A bus that is slow, or taken by others, may bring the end of a frame later than the wire wants
// it. The FIFO then runs dry: what it had goes out, with a wrong check sequence, and is counted as
// an underrun. The card sends the frame again once all of it is in the FIFO, and loses it if the
// FIFO is too small for that; for the next frames the threshold is doubled, up to the FIFO's size.
// (The 82558 retries so itself, its configure command's "underrun retry"; the drivers of both cards
// raise the threshold at an underrun.) On a bus that copies of the processor may hold up
// (memory_bus.h), a frame whose rest has to wait for the bus starts when it is all in.
//
// Not modelled: collisions and half duplex, the contention of that part of a received frame that is
// written while it still arrives, multicast filters, driver watchdogs.
#ifndef NETSIM_MODELS_ETHERNET_NIC_H
#define NETSIM_MODELS_ETHERNET_NIC_H

#include "sim/config/param.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

#include <stdbool.h>

// Bytes of a frame around what a protocol sends: addresses and EtherType, and the check sequence.
#define ETHERNET_HEADER 14
#define ETHERNET_FCS 4

// When the card tells the driver that a frame has been sent.
enum nic_completion {
    NIC_COMPLETE_SENT,   // its last bit is on the wire
    NIC_COMPLETE_LOADED, // its last byte is in the FIFO
};

struct nic_config {
    int completion;           // enum nic_completion
    int64_t tx_ring;          // frames that the driver may have queued
    int64_t rx_ring;          // receive buffers
    int64_t descriptor;       // bytes fetched or written back for each frame
    sim_time tx_start;        // doorbell to the first bus request
    int64_t tx_threshold;     // bytes in the FIFO before a frame starts on the wire, at first
    int64_t tx_fifo;          // bytes
    int64_t rx_residue;       // bytes of a frame that are still to be written when its last bit has
                              // arrived
    sim_time rx_latency;      // last bit arrived to that write; holds up no other frame
    sim_time rx_status;       // last data written to status visible and interrupt asked for
    sim_time interrupt_delay; // interrupt asked for to interrupt line seen by the processor
    int64_t coalesce_frames;  // frames and completions that one interrupt waits for
    sim_time coalesce_delay;  // the longest that the first of them waits
    struct cost doorbell;     // host's write to a card register
    struct cost status_read;  // host's read of the interrupt cause, and its acknowledgement
    struct cost tx_frame;     // driver: filling one transmit descriptor
    struct cost tx_done;      // driver: cleaning up after one frame that asked for it
    struct cost rx_frame;     // driver: taking one frame off the ring and giving the buffer back
};

struct nic;

// What captures of the card hold.
extern const struct capture_link nic_capture_link;

// What a protocol registers under its EtherType.
struct nic_protocol {
    // In the interrupt handler: a frame has arrived in host memory. The callee frees the packet.
    void (*receive)(struct cpu_context *context, void *owner, struct packet *packet);
    // In the interrupt handler: a frame that was sent with a token has left.
    void (*sent)(struct cpu_context *context, void *owner, void *token);
    // For captures: writes the frame behind its Ethernet header, at most `room` bytes, which are 0
    // before. NULL: it stays 0.
    void (*frame_bytes)(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room);
};

// `name` is what captures call its interface.
struct nic *nic_new(struct host *host, struct network *network, int station, const char *name,
                    const struct nic_config *config);
void nic_free(struct nic *nic);

void nic_register(struct nic *nic, uint16_t protocol, const struct nic_protocol *ops, void *owner);

// Frames that the transmit ring can still take.
int nic_tx_room(const struct nic *nic);

// The doorbell has been rung, now: the frame (route, wire_bytes, protocol set) is in the ring.
// token: handed to `sent` when the frame has left, or NULL: nobody needs to know. The ring must
// have room.
void nic_transmit(struct nic *nic, struct packet *packet, void *token);

const struct nic_config *nic_config(const struct nic *nic);
int nic_station(const struct nic *nic);

#endif
