// SPDX-License-Identifier: GPL-3.0-or-later
// A bus-master Ethernet controller with descriptor rings, as PCI cards of around 2000 had: the
// driver puts frames into a transmit ring and rings a doorbell; the card fetches descriptor and
// data over the bus into its FIFO and sends; on receive it writes the frame into a ring of buffers
// and raises an interrupt. Its driver's interrupt service routine is part of it, because card and
// driver only work together; protocols are called back from there, one slice per frame.
//
// A slow or busy bus may deliver the end of a frame later than the wire needs it. The FIFO then
// runs empty: its bytes go out with a wrong check sequence, and the card counts an underrun. The
// card sends the frame again once all of it is in the FIFO, and loses it if the FIFO is too small
// for that. For the next frames the threshold is doubled, up to the FIFO's size. (The 82558 retries
// by itself, its configure command's "underrun retry"; the drivers of both cards raise the
// threshold at an underrun.) On a bus that the processor's copies may hold up (memory_bus.h), a
// frame whose rest has to wait for the bus starts when it is complete in the FIFO.
//
// Interrupts are moderated by one of two rules, or not at all. A card may collect frames for one
// (coalesce_frames, coalesce_delay, counted from the first). Or it keeps a distance from its last
// interrupt (interrupt_distance, as Intel's interrupt throttling register does): after a longer
// pause an interrupt comes at once, and when the run begins, host.phase.card of the distance has
// passed. A sent frame may ask for its interrupt later
// (tx_interrupt_delay), with all that follow it meanwhile; an earlier interrupt reports them too,
// and does not stop the timer.
//
// A frame takes as many descriptors of a ring as it needs buffers of the host. A received frame
// that the bus has not yet taken stays in the receive FIFO, and one that finds no room there is
// lost.
//
// A card may fetch several frames at once (reads > 0), over a bus whose reads overlap: it asks for
// the data of further frames while earlier ones are under way, as long as the FIFO has room for
// them. A frame then starts on the wire when all of it is in the FIFO. After a pause the card reads
// the first descriptor before it asks for the frame; further descriptors are read with their
// frames.
//
// A card may send and obey PAUSE frames (`pause`; IEEE 802.3x, sim/net/pause.h). It asks for a
// pause when its receive FIFO holds pause_high bytes, those of the frame that arrives included, and
// ends it when it holds fewer than pause_low. While it is paused itself, its frames stay in the
// transmit FIFO.
//
// Not modelled: collisions and half duplex, the contention of that part of a received frame that is
// written while it still arrives (with rx_residue as long as a frame there is none), the room in
// the receive FIFO that a frame gives back before the last of it is written, frames that wait in
// the receive FIFO for a descriptor, multicast filters, driver watchdogs.
#ifndef NETSIM_MODELS_ETHERNET_NIC_H
#define NETSIM_MODELS_ETHERNET_NIC_H

#include "sim/config/param.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

#include <stdbool.h>

// Bytes of a frame besides the protocol's: addresses and EtherType, and the check sequence.
#define ETHERNET_HEADER 14
#define ETHERNET_FCS 4

// When the card reports to the driver that a frame has been sent.
enum nic_completion {
    NIC_COMPLETE_SENT,   // when its last bit is on the wire
    NIC_COMPLETE_LOADED, // when its last byte is in the FIFO
};

struct nic_config {
    int completion;           // enum nic_completion
    int64_t tx_ring;          // frames
    int64_t rx_ring;          // frames
    int64_t descriptor;       // bytes
    int64_t reads;            // frames; 0: one, which may start before its end is in the FIFO
    sim_time tx_start;        // ps
    int64_t tx_threshold;     // bytes, initially
    int64_t tx_fifo;          // bytes
    int64_t rx_residue;       // bytes
    int64_t rx_fifo;          // bytes; 0: never too small
    int64_t buffer;           // bytes; 0: a frame fits in one
    int64_t largest_frame;    // bytes, without the check sequence
    sim_time rx_latency;      // ps
    sim_time rx_status;       // ps
    sim_time interrupt_delay; // ps
    int64_t coalesce_frames;
    sim_time coalesce_delay;     // ps
    sim_time interrupt_distance; // ps
    sim_time tx_interrupt_delay; // ps
    int pause;                   // enum pause_mode
    int64_t pause_high;          // bytes; 0: by the rule of FreeBSD's em, as is 0 of pause_low
    int64_t pause_low;           // bytes
    int64_t pause_time;          // quanta of 512 bit times
    struct cost doorbell;
    struct cost status_read;
    struct cost tx_frame;
    struct cost tx_done;
    struct cost rx_frame;
};

struct nic;

// The link type of the card's captures.
extern const struct capture_link nic_capture_link;

// A protocol registers these under its EtherType.
struct nic_protocol {
    // In the interrupt handler: a frame has arrived in host memory. The callee frees the packet.
    void (*receive)(struct cpu_context *context, void *owner, struct packet *packet);
    // In the interrupt handler: a frame that was sent with a token has left.
    void (*sent)(struct cpu_context *context, void *owner, void *token);
    // In the interrupt handler: no frame is left, and the service ends. Returns true if it has done
    // work, after which the service looks once more. NULL: never called.
    bool (*polled)(struct cpu_context *context, void *owner);
    // For captures: writes the bytes of the frame after its Ethernet header, at most `room`, which
    // the caller has zeroed. NULL: they stay 0.
    void (*frame_bytes)(void *owner, const struct packet *packet, uint8_t *bytes, uint32_t room);
    // For traces, as station_words_fn. NULL: its frames have no words.
    void (*words)(void *owner, const struct packet *packet, struct trace_words *words);
};

// A card of `host` at one of its buses. `name` names its interface in captures. The caller frees it
// with nic_free.
struct nic *nic_new(struct host *host, struct bus *bus, struct network *network, int station,
                    const char *name, const struct nic_config *config);
void nic_free(struct nic *nic);

void nic_register(struct nic *nic, uint16_t protocol, const struct nic_protocol *ops, void *owner);

// The driver sets the MTU of the card's interface: marks for PAUSE frames that follow the longest
// frame are set by it. Before, by the longest one that the card takes.
void nic_set_mtu(struct nic *nic, int64_t mtu);

// Frames that the transmit ring can still take, however long each of them is.
int nic_tx_room(const struct nic *nic);

// Rings the doorbell now for a frame (route, wire_bytes, protocol set), which is put into the ring.
// The ring must have room. token: passed to `sent` when the frame has left; NULL: no callback.
void nic_transmit(struct nic *nic, struct packet *packet, void *token);

const struct nic_config *nic_config(const struct nic *nic);
int nic_station(const struct nic *nic);

#endif
