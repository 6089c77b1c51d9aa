// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of active messages: an endpoint queue of limited room in host memory. The firmware
// takes a message only if there is room for it, which is the one reason to refuse it (thesis 003,
// 4.2.4), and writes it there with one DMA. The host gives the room back by a word.
#include "models/grim/ni/ni_internal.h"
#include "sim/core/fifo.h"

static bool endpoint_accepts(struct cpu_context *context, void *owner, struct grim_channel *channel,
                             const struct grim_message *message)
{
    const struct grim_ni_config *config = &channel->ni->fabric->config;
    (void)context;
    (void)owner;
    return channel->endpoint_messages < config->endpoint_messages &&
           channel->endpoint_bytes + grim_message_bytes(message) <= config->endpoint_bytes;
}

// In host memory: the endpoint can see it.
static void endpoint_landed(struct grim_arrival *arrival)
{
    struct grim_channel *channel = arrival->channel;
    struct grim_held *held = arrival->notes.pointer;
    FIFO_APPEND(channel->held_first, channel->held_last, held, next);
    channel->waiting++;
    if (channel->notify)
        channel->notify(channel->owner, GRIM_ARRIVED);
}

// A damaged message gives its room back.
static void endpoint_over(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct grim_channel *channel = arrival->channel;
    if (grim_arrival_lost(arrival)) {
        channel->endpoint_messages--;
        channel->endpoint_bytes -= grim_message_bytes(&arrival->message);
        ni_queues_tell(channel, context->now);
        pool_give(&channel->ni->fabric->held, arrival->notes.pointer);
    }
    grim_arrival_end(context, arrival);
}

static void endpoint_deliver(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    struct grim_channel *channel = arrival->channel;
    struct grim_held *held = pool_take(&channel->ni->fabric->held);
    int64_t bytes = grim_message_bytes(&arrival->message);
    (void)owner;
    *held = (struct grim_held){.message = arrival->message, .channel = channel};
    channel->endpoint_messages++;
    channel->endpoint_bytes += bytes;
    ni_queues_tell(channel, context->now);
    arrival->notes.pointer = held;
    grim_arrival_move(context, arrival, LANAI_TO_HOST, bytes, endpoint_over, endpoint_landed);
}

const struct grim_interface ni_endpoint_interface = {
    .name = "active message",
    .accepts = endpoint_accepts,
    .deliver = endpoint_deliver,
};

const struct grim_message *grim_endpoint_peek(const struct grim_channel *channel)
{
    return channel->held_first ? &channel->held_first->message : NULL;
}

int grim_endpoint_waiting(const struct grim_channel *channel)
{
    return (int)channel->waiting;
}

static void released(struct grim_pio *pio)
{
    struct grim_held *held = container_of(pio, struct grim_held, release);
    struct grim_channel *channel = held->channel;
    channel->endpoint_messages--;
    channel->endpoint_bytes -= grim_message_bytes(&held->message);
    ni_queues_tell(channel, sim_now(channel->ni->fabric->sim));
    pool_give(&channel->ni->fabric->held, held);
    ni_look_incoming(channel);
}

int64_t grim_endpoint_unhandled(const struct grim_channel *channel)
{
    return channel->endpoint_messages;
}

void grim_endpoint_release(struct cpu_context *context, struct grim_channel *channel)
{
    struct grim_held *held = channel->held_first;
    channel->held_first = held->next;
    channel->waiting--;
    held->release.bytes = GRIM_WORD_BYTES;
    held->release.message = held->message.message;
    held->release.written = released;
    channel->ni->fabric->progress = context->now;
    ni_pio_write(context, channel->ni, &held->release);
}
