// SPDX-License-Identifier: GPL-3.0-or-later
// Message queues in the card's SRAM (thesis 003, 4.2.2 and Fig. 4.4): messages end to end with
// their state in a scoreboard, messages in slots of equal size that hold it themselves, or headers
// in slots and payloads end to end.
#include "models/grim/ni/ni_internal.h"

static const struct stage free_message_stage = {"free message", STAGE_NIC};

static int64_t whole_share(const struct grim_ni_config *config, int64_t share)
{
    (void)config;
    return share;
}

static int64_t any_number(const struct grim_ni_config *config, int64_t share)
{
    (void)config;
    (void)share;
    return 0;
}

static int64_t message_stored(const struct grim_ni_config *config,
                              const struct grim_message *message)
{
    (void)config;
    return grim_message_bytes(message);
}

static int64_t whole_slots(const struct grim_ni_config *config, int64_t share)
{
    return share / config->slot * config->slot;
}

// As many slots as there are names for.
static int64_t slots(const struct grim_ni_config *config, int64_t share)
{
    return MIN(share / config->slot, GRIM_WINDOW);
}

static int64_t slot_stored(const struct grim_ni_config *config, const struct grim_message *message)
{
    (void)message;
    return config->slot;
}

static int64_t behind_headers(const struct grim_ni_config *config, int64_t share)
{
    return MAX(share - config->in_flight * GRIM_HEADER_BYTES, 0);
}

static int64_t header_slots(const struct grim_ni_config *config, int64_t share)
{
    return MIN(config->in_flight, share / GRIM_HEADER_BYTES);
}

static int64_t payload_stored(const struct grim_ni_config *config,
                              const struct grim_message *message)
{
    (void)config;
    return grim_padded(message->bytes);
}

static const struct grim_queue_style styles[] = {
    [GRIM_QUEUE_APPEND] =
        {
            .name = "append",
            .scoreboard = true,
            .host_words = 1,
            .room = whole_share,
            .most = any_number,
            .stored = message_stored,
        },
    [GRIM_QUEUE_SLOTTED] =
        {
            .name = "slotted",
            .host_words = 1,
            .room = whole_slots,
            .most = slots,
            .stored = slot_stored,
        },
    [GRIM_QUEUE_HYBRID] =
        {
            .name = "hybrid",
            .host_words = 2, // two sets of pointers
            .second_dma = true,
            .room = behind_headers,
            .most = header_slots,
            .stored = payload_stored,
        },
};

const struct grim_queue_style *ni_queue_style(enum grim_queue_kind kind)
{
    return &styles[kind];
}

bool ni_queue_can_hold(const struct grim_channel *channel, const struct grim_message *message)
{
    const struct grim_fabric *fabric = channel->ni->fabric;
    return fabric->style->stored(&fabric->config, message) <= channel->room &&
           (fabric->config.queue_style != GRIM_QUEUE_SLOTTED ||
            grim_message_bytes(message) <= fabric->config.slot);
}

struct grim_entry *ni_queue_append(struct grim_channel *channel, const struct grim_message *message,
                                   struct grim_flow *flow)
{
    struct grim_fabric *fabric = channel->ni->fabric;
    int64_t stored = fabric->style->stored(&fabric->config, message);
    if (channel->used + stored > channel->room ||
        (channel->most > 0 && channel->entries == channel->most))
        return NULL;
    struct grim_entry *entry = pool_take(&fabric->entries);
    *entry = (struct grim_entry){
        .message = *message,
        .channel = channel,
        .flow = flow,
        .number = ++channel->last_number,
        .stored = stored,
    };
    entry->message.source = channel->endpoint;
    channel->used += stored;
    *fabric->most_queued = MAX(*fabric->most_queued, channel->used);
    channel->entries++;
    if (channel->back)
        channel->back->next = entry;
    else
        channel->front = entry;
    channel->back = entry;
    if (!channel->next)
        channel->next = entry;
    return entry;
}

bool ni_queue_free(struct cpu_context *context, struct grim_channel *channel)
{
    struct grim_ni *ni = channel->ni;
    bool any = false;
    while (channel->front && channel->front->machine.state == GRIM_ACKNOWLEDGED) {
        struct grim_entry *entry = channel->front;
        ni_spend(context, ni, ni->fabric->config.freed, &free_message_stage,
                 entry->message.message);
        channel->front = entry->next;
        if (!channel->front)
            channel->back = NULL;
        if (channel->next == entry)
            channel->next = entry->next;
        channel->used -= entry->stored;
        channel->entries--;
        cpu_machine_enter(context, &grim_message_machine, &entry->machine, GRIM_UNUSED,
                          grim_entry_owner(entry), NULL);
        ni_flow_forget(entry);
        pool_give(&ni->fabric->entries, entry);
        any = true;
    }
    if (!any)
        return false;
    ni_queues_tell(channel, context->now);
    ni_look_incoming(channel);
    return true;
}

// ---- Queues over time, for the trace ----

enum queue_value { VALUE_CARD, VALUE_ENDPOINT, QUEUE_VALUES };

static const struct trace_quantity queue_quantities[QUEUE_VALUES] = {
    [VALUE_CARD] = {"message queue", "messages"},
    [VALUE_ENDPOINT] = {"endpoint queue", "messages"},
};

void ni_queues_tell(struct grim_channel *channel, sim_time now)
{
    const struct grim_ni *ni = channel->ni;
    struct trace *trace = ni->fabric->sim->trace;
    if (!trace_takes_values(trace))
        return;
    trace_values_once(trace, &channel->values,
                      (struct trace_values_info){.group = ni->host->name,
                                                 .quantities = queue_quantities,
                                                 .count = QUEUE_VALUES},
                      "grim %s", channel->name);
    trace_value(trace, channel->values, VALUE_CARD, now, channel->entries);
    trace_value(trace, channel->values, VALUE_ENDPOINT, now, channel->endpoint_messages);
}
