// SPDX-License-Identifier: GPL-3.0-or-later
// Frame capture: network interfaces report the frames that they put on the wire and take off it,
// byte by byte, and the fate of each. The sink is in sim/output/. Without a sink nothing is
// rendered, and every call costs one test of a pointer.
#ifndef NETSIM_CORE_CAPTURE_H
#define NETSIM_CORE_CAPTURE_H

#include "sim/core/ledger.h"
#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

// How a reader has to interpret the bytes of an interface's frames.
struct capture_link {
    // LINKTYPE of the pcap registry. Each model with frames of its own takes one of 147 .. 162,
    // which are for private use.
    int type;
    const char *name; // "Ethernet"
};

enum capture_direction { CAPTURE_IN = 1, CAPTURE_OUT = 2 };

// A frame, without its check sequence.
struct capture_frame {
    int interface;
    enum capture_direction direction;
    sim_time when;
    const void *bytes;
    uint32_t length;
    // Identifies the packet until capture_ended; the same at the sender and at the receiver.
    const void *packet;
    const char *message; // the message whose bytes it carries, in words; NULL: none
};

struct capture_ops {
    // Adds an interface of that node, on a link of `rate` b/s. Returns its number, or -1 if it is
    // not captured.
    int (*interface)(struct capture *capture, const char *node, const struct capture_link *link,
                     int64_t rate);
    // Whether the sink wants a frame of the interface at that time.
    bool (*wants)(const struct capture *capture, int interface, sim_time when);
    void (*frame)(struct capture *capture, const struct capture_frame *frame);
    // The packet no longer exists. `reason` (static or interned): why it was dropped; NULL: it was
    // not.
    void (*ended)(struct capture *capture, const void *packet, sim_time when, const char *reason);
};

// The first member of every sink.
struct capture {
    const struct capture_ops *ops;
};

static inline int capture_interface(struct capture *capture, const char *node,
                                    const struct capture_link *link, int64_t rate)
{
    return capture ? capture->ops->interface(capture, node, link, rate) : -1;
}

static inline bool capture_wants(const struct capture *capture, int interface, sim_time when)
{
    return capture && interface >= 0 && capture->ops->wants(capture, interface, when);
}

// Call it only if capture_wants returned true for the interface and the time.
static inline void capture_frame(struct capture *capture, const struct capture_frame *frame)
{
    capture->ops->frame(capture, frame);
}

static inline void capture_ended(struct capture *capture, const void *packet, sim_time when,
                                 const char *reason)
{
    if (capture)
        capture->ops->ended(capture, packet, when, reason);
}

#endif
