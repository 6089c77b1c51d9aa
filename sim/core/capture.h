// SPDX-License-Identifier: GPL-3.0-or-later
// Where network interfaces tell which frames they put on the wire and take off it, byte by byte,
// and what becomes of them. The sink is in sim/output/; without one nothing is rendered, and every
// call is one test of a pointer.
#ifndef NETSIM_CORE_CAPTURE_H
#define NETSIM_CORE_CAPTURE_H

#include "sim/core/ledger.h"
#include "sim/core/time.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

// What the bytes of an interface's frames are, so that who reads them knows.
struct capture_link {
    // LINKTYPE of the pcap registry; 147 .. 162 are for private use, and each model that has frames
    // of its own takes one of them.
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
    // Names it until capture_ended: the same for who sends and for who receives it.
    const void *packet;
    const char *message; // whose bytes it carries, as a sentence has it; NULL: nobody's
};

struct capture_ops {
    // An interface of that node, on a link of `rate` b/s: its number, or -1 if it is not captured.
    int (*interface)(struct capture *capture, const char *node, const struct capture_link *link,
                     int64_t rate);
    // Whether a frame of the interface at that time is to be told.
    bool (*wants)(const struct capture *capture, int interface, sim_time when);
    void (*frame)(struct capture *capture, const struct capture_frame *frame);
    // The packet is no more. `reason` (static or interned): it was dropped, and why; NULL: it was
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

// Only of an interface that is wanted at that time.
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
