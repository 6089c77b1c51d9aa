// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/disorder.h"

#include "sim/net/fabric.h"

static const struct stage held_stage = {"held back by the link", STAGE_PROPAGATION};

struct disorder {
    const struct link_config *config;
    sim_time latest;               // into the box, of the packets that no other may overtake
    sim_time free;                 // when the last packet so far, and the gap after it, are out
    int64_t *duplicates, *reorder; // sim_counter; NULL: none yet
};

struct disorder *disorder_new(struct channel *channel, const struct link_config *config)
{
    g_assert(!channel->worm && !channel->window && !channel->repeater);
    struct disorder *disorder = g_new0(struct disorder, 1);
    disorder->config = config;
    return disorder;
}

void disorder_free(struct disorder *disorder)
{
    g_free(disorder);
}

static void trace_held(const struct channel *channel, const struct packet *packet, sim_time from,
                       sim_time to)
{
    struct trace *trace = channel->network->sim->trace;
    if (trace && to > from)
        trace_delay(trace, channel->wire_lane, &held_stage, from, to, packet->message);
}

// The packet leaves the box once those before it have left.
static void box_passed(struct engine *engine, struct event *event)
{
    struct packet *packet = container_of(event, struct packet, event);
    struct channel *channel = packet->route->channels[packet->hop - 1];
    struct disorder *disorder = channel->disorder;
    sim_time now = engine_now(engine), start = MAX(now, disorder->free);
    int64_t bytes = channel_packet_bytes(channel, packet);
    sim_time length = channel_time(channel, bytes);
    disorder->free = time_after(start, channel_time(channel, bytes + channel->gap));
    trace_held(channel, packet, now + length, start + length);
    channel_trace_delay(channel, packet->message, start + length);
    channel_schedule_arrival(channel, packet, start, start + length);
}

static void box_enter(struct channel *channel, struct packet *packet, sim_time start, sim_time when)
{
    sim_time length = channel_time(channel, channel_packet_bytes(channel, packet));
    trace_held(channel, packet, start + length, when + length);
    packet->event.run = box_passed;
    engine_schedule(channel->network->engine, &packet->event, when);
}

void disorder_pass(struct channel *channel, struct packet *packet, sim_time start)
{
    struct disorder *disorder = channel->disorder;
    struct link_disorder fate = link_faults_disorder(channel->faults);
    sim_time when = disorder->latest = MAX(disorder->latest, time_after(start, fate.delay));
    if (fate.held) {
        channel_count_loss(channel, &disorder->reorder, "packets held back on link ", LOSS_HELD);
        when = time_after(when, disorder->config->reorder_delay);
    }
    box_enter(channel, packet, start, when);
    if (!fate.twice)
        return;
    channel_count_loss(channel, &disorder->duplicates, "packets duplicated on link ",
                       LOSS_DUPLICATED);
    channel_count_seldom(channel, LINK_DUPLICATED, 1);
    box_enter(channel, packet_copy(channel->network, packet), start, when);
}
