// SPDX-License-Identifier: GPL-3.0-or-later
// Where network interfaces tell which frames they put on the wire and take off it, byte by byte.
// The sink is in sim/output/; without one nothing is rendered.
#ifndef NETSIM_CORE_CAPTURE_H
#define NETSIM_CORE_CAPTURE_H

#include "sim/core/time.h"

#include <stdint.h>

struct capture;

enum capture_direction { CAPTURE_IN = 1, CAPTURE_OUT = 2 };

struct capture_ops {
    // An interface of that name, on a link of `rate` b/s: its number.
    int (*interface)(struct capture *capture, const char *name, int64_t rate);
    // A frame without its check sequence: the first `captured` of its `length` bytes.
    void (*frame)(struct capture *capture, int interface, sim_time when, const void *bytes,
                  uint32_t captured, uint32_t length, enum capture_direction direction);
};

// The first member of every sink.
struct capture {
    const struct capture_ops *ops;
};

static inline int capture_interface(struct capture *capture, const char *name, int64_t rate)
{
    return capture ? capture->ops->interface(capture, name, rate) : 0;
}

static inline void capture_frame(struct capture *capture, int interface, sim_time when,
                                 const void *bytes, uint32_t captured, uint32_t length,
                                 enum capture_direction direction)
{
    if (capture)
        capture->ops->frame(capture, interface, when, bytes, captured, length, direction);
}

#endif
