// SPDX-License-Identifier: GPL-3.0-or-later
// Flows and their receivers: numbers of messages, by (source channel, card, destination channel) or
// by card (thesis 003, 4.3.2), and the tokens by which answers name them.
#include "models/grim/ni/ni_internal.h"

// ---- Both ends ----

static uint64_t key_of(const struct grim_fabric *fabric, int from_channel, int host, int to_channel)
{
    if (fabric->config.sequencing == GRIM_SEQUENCE_NI)
        return (uint64_t)host;
    return (uint64_t)from_channel << 48 | (uint64_t)host << 16 | (uint64_t)to_channel;
}

struct grim_flow *ni_flow(struct grim_channel *channel, struct grim_channel *to)
{
    struct grim_ni *ni = channel->ni;
    uint64_t key = key_of(ni->fabric, channel->number, to->ni->host->index, to->number);
    struct grim_flow *flow = g_hash_table_lookup(ni->flows, &key);
    if (!flow) {
        flow = g_new0(struct grim_flow, 1);
        flow->key = key;
        flow->ni = ni;
        flow->to = to->ni;
        flow->pause.item.handler = GRIM_PAUSE;
        flow->timeout.item.handler = GRIM_TIMEOUT;
        g_hash_table_insert(ni->flows, &flow->key, flow);
    }
    return flow;
}

struct grim_receiver *ni_receiver(struct grim_channel *from, struct grim_channel *channel)
{
    struct grim_ni *ni = channel->ni;
    uint64_t key = key_of(ni->fabric, from->number, from->ni->host->index, channel->number);
    struct grim_receiver *receiver = g_hash_table_lookup(ni->receivers, &key);
    if (!receiver) {
        receiver = g_new0(struct grim_receiver, 1);
        receiver->key = key;
        g_hash_table_insert(ni->receivers, &receiver->key, receiver);
    }
    return receiver;
}

enum grim_relation ni_relation(uint8_t expected, uint8_t sequence)
{
    uint8_t distance = (uint8_t)(sequence - expected);
    if (distance == 0)
        return GRIM_NEXT;
    return distance < GRIM_WINDOW ? GRIM_AHEAD : GRIM_BEHIND;
}

// ---- Messages of a flow ----

// Whether the flow's next number is still ahead of its oldest message's, however many of those
// between are acknowledged and gone: with numbers by card other channels go on meanwhile.
static bool window_open(const struct grim_flow *flow)
{
    return !flow->first || (uint8_t)(flow->sequence - flow->first->message.sequence) < GRIM_WINDOW;
}

bool ni_may_send(const struct grim_entry *entry)
{
    const struct grim_flow *flow = entry->flow;
    if (!entry->filled || flow->paused)
        return false;
    if (entry->stamped)
        return flow->resend == entry;
    return !flow->resend && window_open(flow) && entry->channel->tokens_free > 0;
}

static uint8_t take_token(struct grim_channel *channel, struct grim_entry *entry)
{
    uint8_t token = channel->free_tokens[channel->tokens_first];
    channel->tokens_first = (channel->tokens_first + 1) % GRIM_TOKENS;
    channel->tokens_free--;
    channel->tokens[token] = entry;
    return token;
}

static void give_token(struct grim_channel *channel, uint8_t token)
{
    int place = (channel->tokens_first + channel->tokens_free++) % GRIM_TOKENS;
    channel->free_tokens[place] = token;
    channel->tokens[token] = NULL;
}

void ni_flow_join(struct grim_entry *entry)
{
    struct grim_flow *flow = entry->flow;
    entry->message.token = take_token(entry->channel, entry);
    entry->message.sequence = flow->sequence++;
    entry->stamped = true;
    entry->flow_previous = flow->last;
    if (flow->last)
        flow->last->flow_next = entry;
    else
        flow->first = entry;
    flow->last = entry;
}

void ni_flow_forget(struct grim_entry *entry)
{
    struct grim_flow *flow = entry->flow;
    if (entry->flow_previous)
        entry->flow_previous->flow_next = entry->flow_next;
    else
        flow->first = entry->flow_next;
    if (entry->flow_next)
        entry->flow_next->flow_previous = entry->flow_previous;
    else
        flow->last = entry->flow_previous;
    give_token(entry->channel, entry->message.token);
}
