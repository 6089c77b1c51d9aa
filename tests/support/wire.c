// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/wire.h"

#include "tests/support/suite.h"

#include <string.h>

static int wire_interface(struct capture *capture, const char *name,
                          const struct capture_link *link, int64_t rate)
{
    const struct wire *wire = container_of(capture, struct wire, capture);
    const char *card = wire->networks > 1 ? strstr(name, ".eth") : NULL;
    int node = (int)g_ascii_strtoll(name + strlen("node"), NULL, 10);
    (void)rate;
    CU_ASSERT(link->type == 1);
    return node * wire->networks +
           (card ? (int)g_ascii_strtoll(card + strlen(".eth"), NULL, 10) : 0);
}

static bool wire_wants(const struct capture *capture, int interface, sim_time when)
{
    (void)interface;
    (void)when;
    return !container_of(capture, const struct wire, capture)->quiet;
}

static void wire_frame(struct capture *capture, const struct capture_frame *frame)
{
    struct wire *wire = container_of(capture, struct wire, capture);
    if (frame->direction == CAPTURE_OUT)
        wire->take(wire, frame);
}

static void wire_ended(struct capture *capture, const void *packet, sim_time when,
                       const char *reason)
{
    (void)capture;
    (void)packet;
    (void)when;
    (void)reason;
}

void wire_init(struct wire *wire, struct world *world, int networks,
               void (*take)(struct wire *wire, const struct capture_frame *frame))
{
    static const struct capture_ops ops = {
        .interface = wire_interface,
        .wants = wire_wants,
        .frame = wire_frame,
        .ended = wire_ended,
    };
    *wire = (struct wire){.capture = {&ops}, .networks = networks, .take = take};
    world->sim->capture = &wire->capture;
}
