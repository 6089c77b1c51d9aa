// SPDX-License-Identifier: GPL-3.0-or-later
// The Intercept card (thesis 002, 2.1): up to four optical planes, 16 virtual NICs with circular
// buffers (CB) in host memory for short messages, and the virtual DMA (VDMA) engine, whose channels
// move slices of up to 1 MiB between page tables that software has prepared at both ends. All
// virtual NICs and channels share one physical interrupt line.
//
// A card takes all stations of its host: station n is plane n. Its address (IUCA) is its host's
// index.
#ifndef NETSIM_MODELS_INTERCEPT_NIC_H
#define NETSIM_MODELS_INTERCEPT_NIC_H

#include "sim/cluster/cluster.h"
#include "sim/config/param.h"
#include "sim/host/host.h"
#include "sim/net/network.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#define INTERCEPT_CARD "Intercept" // kind of card (struct card)

#define INTERCEPT_PLANES 4
#define INTERCEPT_VNICS 16      // 2.1.3
#define INTERCEPT_CHANNELS 4    // of the VDMA engine, 2.1.3
#define INTERCEPT_SM_BYTES 504  // most in a short message: 63 quad words, 2.1.2
#define INTERCEPT_PAGE 4096     // of an entry of a channel's page table
#define INTERCEPT_TABLE 256     // entries of a channel's page table: 1 MiB
#define INTERCEPT_VDMA_LEAST 24 // bytes of a slice, which is a multiple of 8 (2.2.2)
#define INTERCEPT_BODY_BYTES 96 // of a short message, as the layer above keeps its own header

struct intercept_nic_config; // nic_config.h
struct intercept_nic;
struct vnic;

// ---- Virtual NICs (short messages) ----

// A short message: in a TX-CB, on the wire and in the RX-CB.
struct intercept_sm {
    int from, to;   // IUCA; vnic_send fills in `from`
    uint8_t vnic;   // of the receiver
    uint8_t planes; // mask; 0: those that the card may use (intercept.plane_mask)
    bool marked;    // raises the virtual interrupt of the receiving VNIC
    bool indirect;  // the TX-CB holds the command only, and the card reads the data where they are
    uint16_t bytes; // 0..INTERCEPT_SM_BYTES: headers and data
    struct message_ref message; // whose bytes are among them; MESSAGE_NONE: no program's
    int64_t offset;
    uint32_t length;
    alignas(8) unsigned char body[INTERCEPT_BODY_BYTES]; // headers of the layer above
};

// The payload of a captured packet, from the next byte on.
struct intercept_frame {
    uint8_t *bytes;
    uint32_t room;
};

// Appends a number of `length` bytes, 8 at most, upper byte first; what has no room is left out.
void intercept_frame_put(struct intercept_frame *frame, uint64_t value, uint32_t length);

struct vnic_ops {
    // In an event: a message has become visible in the empty or non-empty RX-CB. For threads that
    // poll. May be NULL.
    void (*visible)(void *owner);
    // In the interrupt handler, once per interrupt in which such messages have come. May be NULL:
    // the VNIC's interrupt is off.
    void (*interrupt)(struct cpu_context *context, void *owner);
    bool every; // every message interrupts, not only marked ones (2.1.3)
    // For captures: writes the first bytes of a message's payload, which are 0 before. May be NULL.
    void (*frame)(const struct intercept_sm *message, struct intercept_frame *frame);
    // For traces, as station_words_fn. May be NULL.
    void (*words)(const struct intercept_sm *message, struct trace_words *words);
};

// Opens virtual NIC `number` (0..15), which must be closed. The card owns it.
struct vnic *vnic_open(struct intercept_nic *nic, int number, const struct vnic_ops *ops,
                       void *owner);

// Puts a message into TX-CB `nth` (0 or 1) and rings the doorbell; charges both. Returns false
// (ENOBUFS) at once, having charged the look only, if the TX-CB has no room (2.1.3).
bool vnic_send(struct cpu_context *context, struct vnic *vnic, int nth,
               const struct intercept_sm *message);

// The oldest message of the RX-CB, or NULL. Stays good until vnic_take.
const struct intercept_sm *vnic_first(const struct vnic *vnic);

// Takes the oldest message off the RX-CB; charges its reading.
void vnic_take(struct cpu_context *context, struct vnic *vnic);

// Calls `room`, in an event, when a TX-CB that refused a message has room again.
void vnic_on_room(struct vnic *vnic, void (*room)(void *owner));

// ---- VDMA ----

struct vdma_ops {
    // In the interrupt handler: the receiving channel's counter has reached zero.
    void (*received)(struct cpu_context *context, void *owner, int channel);
    // In an event: the sending channel's counter has reached zero. There is no interrupt: software
    // finds it at its next activity.
    void (*sent)(void *owner, int channel);
};

// The one user of the VDMA engine (VNIC 15's owner: the VDMA handler).
void vdma_open(struct intercept_nic *nic, const struct vdma_ops *ops, void *owner);

// Returns a free channel, reserved, or -1. For receiving and for sending alike.
int vdma_reserve(struct intercept_nic *nic);
void vdma_release(struct intercept_nic *nic, int channel);

// A slice's memory: at most INTERCEPT_TABLE pages.
struct vdma_slice {
    int64_t address; // in the process's memory
    int64_t bytes;   // multiple of 8, at least 24
    struct message_ref message;
    int64_t offset; // of the slice in the message
};

// Writes a channel's page table and packet counter to receive a slice. Charges the look-up and
// writing of each page's entry.
void vdma_expect(struct cpu_context *context, struct intercept_nic *nic, int channel,
                 const struct vdma_slice *slice);

// Writes the table and starts to send a slice to a channel of another card that expects it. One
// slice is sent at a time; others wait in order (2.1.3).
void vdma_send(struct cpu_context *context, struct intercept_nic *nic, int channel, int to,
               int to_channel, const struct vdma_slice *slice);

// Packets of a channel that have not yet come or gone, and all of them: for reports.
int vdma_missing(const struct intercept_nic *nic, int channel, int *packets);

// ---- Cards ----

extern const struct scenario_section intercept_nic_sections[]; // "intercept"

// Complains of hosts that have too many planes or, of those that they may use, none: stacks over
// the card call it in their schema's `check`.
void intercept_check_planes(const struct scenario_case *test_case, struct diag_list *diags);

// Puts a card on every host (struct card, `add`).
void intercept_add_nics(struct cluster *cluster, const struct scenario_case *test_case);

struct intercept_nic *intercept_nic(const struct cluster *cluster, int host);
int intercept_iuca(const struct intercept_nic *nic);

// The mask of planes that this card may use and that join it with the card of host `peer`. 0: none
// does.
unsigned intercept_planes_to(struct intercept_nic *nic, int peer);

// Packets given to a plane so far.
int64_t intercept_plane_packets(const struct intercept_nic *nic, int plane);

// Memory that a card keeps for another one, with an entry of its circular buffer, in bytes.
int64_t intercept_peer_footprint(void);

// Describes the packets stuck in the card, for reports of a run in which nothing happens any more:
// "node0's card: plane 2: 4 packets wait for the link; ...". NULL: none. The caller frees it.
char *intercept_describe(const struct intercept_nic *nic);

extern const struct capture_link intercept_capture_link;

#endif
