// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/switch.h"

#include "sim/net/fabric.h"
#include "sim/net/wormhole.h"

static const char *const disciplines[] = {"store_and_forward", "cut_through", NULL};
const char *const pause_modes[] = {[PAUSE_NONE] = "none",
                                   [PAUSE_OBEY] = "obey",
                                   [PAUSE_SEND] = "send",
                                   [PAUSE_FULL] = "full",
                                   NULL};

#define SWITCH_PARAM(field, kind, ...) PARAM(struct switch_config, field, kind, __VA_ARGS__)

static const struct param switch_params[] = {
    SWITCH_PARAM(discipline, PARAM_CHOICE, .fallback = "store_and_forward", .choices = disciplines,
                 .doc = "takes packets in whole, or sends them on from the head",
                 .source = "IEEE 802.1D bridges store and forward; Myrinet switches cut through"),
    SWITCH_PARAM(ports, PARAM_COUNT, .fallback = "0", .most = "4096",
                 .doc = "number of ports; 0: as many as it has links", .source = "topology"),
    SWITCH_PARAM(latency, PARAM_DURATION, .fallback = "5 us", .most = "1 s",
                 .doc = "from the last bit (cut-through: the header) in to the output queue",
                 .source = "prior: Fast Ethernet store-and-forward switch, 3..10 us",
                 .prior = "3 us .. 10 us"),
    SWITCH_PARAM(queue, PARAM_COUNT, .fallback = "128", .most = "1000000",
                 .doc = "store and forward: packets that can wait at an output; 0: no bound",
                 .source =
                     "prior: about 192 KiB of full frames a port, early Fast Ethernet switches",
                 .prior = "64 .. 256"),
    SWITCH_PARAM(queue_bytes, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
                 .doc = "store and forward: bytes that can wait at an output; 0: no bound",
                 .source = "see queue"),
    SWITCH_PARAM(header, PARAM_SIZE, .fallback = "1 B", .least = "1 B", .most = "1 KiB",
                 .doc = "cut through: bytes of a packet before its output is known",
                 .source = "Myrinet: one route byte a hop"),
    SWITCH_PARAM(slack, PARAM_SIZE, .fallback = "80 B", .least = "1 B", .most = "1 MiB",
                 .doc = "cut through: buffer of an input, filled while the output is not free",
                 .source = "Myrinet's slack buffers (Boden and others 1995): 80 B"),
    SWITCH_PARAM(stop, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
                 .doc = "cut through: bytes in a slack buffer at which STOP is sent; 0: the sender "
                        "knows at once of every place in it",
                 .source = "Myrinet's slack buffers (Boden and others 1995): 56 B of 80 B"),
    SWITCH_PARAM(go, PARAM_SIZE, .fallback = "0 B", .most = "1 MiB",
                 .doc = "cut through: bytes left in it at which GO is sent after STOP",
                 .source = "Myrinet's slack buffers (Boden and others 1995): 40 B of 80 B"),
    SWITCH_PARAM(route_bytes, PARAM_SIZE, .fallback = "0 B", .most = "16 B",
                 .doc = "source routing: bytes at a packet's front that name the output, and that "
                        "the switch takes off; at most header",
                 .source = "Myrinet: 1 B; Ethernet: none"),
    SWITCH_PARAM(pause, PARAM_CHOICE, .fallback = "none", .choices = pause_modes,
                 .doc = "store and forward: PAUSE frames that the ports obey, and send at a mark "
                        "of an output queue; a link carries those that its other end obeys",
                 .source = "IEEE 802.3x; off: early Fast Ethernet switches"),
    SWITCH_PARAM(pause_high, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
                 .doc = "bytes at an output above which the links that bring more are paused; 0: "
                        "half of queue_bytes",
                 .source = "assumed"),
    SWITCH_PARAM(pause_low, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
                 .doc = "bytes at it below which the pause ends; 0: half of pause_high",
                 .source = "assumed"),
    SWITCH_PARAM(pause_time, PARAM_COUNT, .fallback = "65535", .least = "1", .most = "65535",
                 .doc = "quanta of 512 bit times of a PAUSE frame, which is renewed at half of it",
                 .source = "assumed: the most that IEEE 802.3, 31B, allows"),
    {.name = NULL},
};

const struct param_table switch_table =
    PARAM_TABLE(struct switch_config, switch_params, .name = "switch", .doc = "a switch");

// A packet has arrived and the latency has passed: it joins the queue of its output.
static void store_forward_arrive(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    const struct route *route = packet->route;
    struct channel *in = route->channels[packet->hop - 1];
    channel_count_end(in, packet);
    if (packet->cut_on == PACKET_STOMPED) {
        packet_free(route->channels[0]->network, packet);
        return;
    }
    if (packet->cut_on) {
        channel_drop(&route->channels[0]->network->channels[packet->cut_on - 1], packet, DROP_DOWN);
        return;
    }
    if (packet->corrupt) {
        channel_drop(in, packet, DROP_CHECK);
        return;
    }
    packet->route_bytes -= in->route_bytes;
    channel_enter(route->channels[packet->hop++], packet);
}

static const struct switch_discipline kinds[] = {
    [SWITCH_STORE_AND_FORWARD] =
        {
            .name = "store_and_forward",
            .stores = true,
            .arrive = store_forward_arrive,
        },
    [SWITCH_CUT_THROUGH] =
        {
            .name = "cut_through",
            .stores = false,
            .arrive = worm_head_arrive,
        },
};

const struct switch_discipline *switch_discipline(enum switch_discipline_kind kind)
{
    return &kinds[kind];
}
