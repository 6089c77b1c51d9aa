// SPDX-License-Identifier: GPL-3.0-or-later
// Reliable transmission between cards (thesis 003, 4.2.1 and 4.3.2): optimistic go-back-N with an
// ACK or NACK for each message, numbered by (source channel, card, destination channel) or by card.
//
// The sender stamps a message with the next sequence number of its flow and a token, and sends it.
// An ACK marks the message of its token; a NACK rolls the queue back to it, and the messages after
// it in the flow, but none of other flows, are sent again in the same order and under the same
// numbers. Extensions: NACKs for messages out of order, for networks that reorder, and timers, for
// networks that lose.
#include "models/grim/ni/ni_internal.h"

static const struct stage resend_timer_stage = {"resend timer", STAGE_FOR_ACK};
static const struct stage take_ack_stage = {"take ACK", STAGE_NIC};
static const struct stage take_nack_stage = {"take NACK", STAGE_NIC};
static const struct stage walk_stage = {"walk", STAGE_NIC};

// ---- Sending ----

// The next message of the flow that is to be sent again.
static void advance_resend(struct grim_flow *flow)
{
    while (flow->resend && flow->resend->machine.state != GRIM_NOT_SENT)
        flow->resend = flow->resend->flow_next;
}

// The next register goes on to the first message that is not under way.
static void advance_next(struct cpu_context *context, struct grim_channel *channel)
{
    const struct grim_ni *ni = channel->ni;
    while (channel->next && channel->next->machine.state != GRIM_NOT_SENT) {
        channel->next = channel->next->next;
        if (channel->next && channel->next->machine.state != GRIM_NOT_SENT)
            ni_spend(context, ni, ni->fabric->config.walk, &walk_stage, MESSAGE_NONE);
    }
}

static void arm_timeout(struct grim_flow *flow, sim_time when)
{
    flow->timing = true;
    lanai_timer_set(flow->ni->card, &flow->timeout, when);
}

void ni_stamp(struct cpu_context *context, struct grim_entry *entry)
{
    struct grim_flow *flow = entry->flow;
    const struct grim_ni_config *config = &flow->ni->fabric->config;
    bool again = entry->stamped;
    if (!again) {
        ni_flow_join(entry);
    } else {
        (*flow->ni->fabric->resent)++;
        trace_repeat(flow->ni->fabric->sim->trace, "GRIM message", flow->ni->host->name,
                     context->now);
    }
    entry->tries++;
    entry->sent = context->now;
    if (!again)
        entry->first_sent = entry->sent;
    cpu_machine_enterf(context, &grim_message_machine, &entry->machine, GRIM_SENT,
                       grim_entry_owner(entry), "%sto endpoint %u, token %u, sequence %u",
                       again ? "again " : "", entry->message.destination, entry->message.token,
                       entry->message.sequence);
    advance_resend(flow);
    advance_next(context, entry->channel);
    if (config->timeouts && !flow->timing)
        arm_timeout(flow, entry->sent + config->timeout);
}

// ---- Answers ----

// The message that an answer is about; NULL if it is no longer under way.
static struct grim_entry *answered_entry(const struct grim_ni *ni, const struct grim_header *header)
{
    const struct grim_channel *channel = grim_channel_find(ni->fabric, header->source);
    if (!channel || channel->ni != ni)
        return NULL;
    struct grim_entry *entry = channel->tokens[header->token];
    return entry && entry->message.sequence == header->sequence ? entry : NULL;
}

// Only with timers, or on a network that reorders, can a message be waiting to be sent again when
// its ACK comes.
static void mark(struct cpu_context *context, struct grim_entry *entry)
{
    struct grim_channel *channel = entry->channel;
    struct grim_ni *ni = channel->ni;
    if (entry->machine.state == GRIM_ACKNOWLEDGED)
        return;
    cpu_machine_enter(context, &grim_message_machine, &entry->machine, GRIM_ACKNOWLEDGED,
                      grim_entry_owner(entry), NULL);
    advance_resend(entry->flow);
    advance_next(context, channel);
    if (channel->front == entry && ni_queue_free(context, channel))
        ni_notify_room(context, channel, GRIM_ANY_ROOM);
    // A message that waited for a token or its turn may go, in whichever channel it is.
    ni_look(ni);
    grim_ni_retry(ni); // and a read that waits may find room for its reply
}

void ni_acknowledged(struct cpu_context *context, struct grim_ni *ni,
                     const struct grim_header *header)
{
    struct grim_entry *entry = answered_entry(ni, header);
    ni_spend(context, ni, ni->fabric->config.acknowledged, &take_ack_stage,
             entry ? entry->message.message : MESSAGE_NONE);
    if (entry)
        mark(context, entry);
}

void grim_acknowledge(struct cpu_context *context, struct grim_channel *channel, uint8_t token,
                      uint8_t sequence)
{
    struct grim_header header = {.token = token, .sequence = sequence, .source = channel->endpoint};
    ni_acknowledged(context, channel->ni, &header);
}

// Entries that the firmware checks when it rolls a flow back: those in flight, of the channel or of
// all channels.
static int64_t walked(const struct grim_entry *entry)
{
    const struct grim_channel *channel = entry->channel;
    const struct grim_ni *ni = channel->ni;
    if (ni->fabric->config.sequencing == GRIM_SEQUENCE_CHANNEL)
        return channel->tokens_all - channel->tokens_free;
    int64_t entries = 0;
    for (guint i = 0; i < ni->channels->len; i++) {
        channel = g_ptr_array_index(ni->channels, i);
        entries += channel->tokens_all - channel->tokens_free;
    }
    return entries;
}

// The message and those sent after it in its flow must be sent again.
static void roll_back(struct cpu_context *context, struct grim_entry *from, const char *why)
{
    struct grim_flow *flow = from->flow;
    struct grim_ni *ni = flow->ni;
    struct cost walk = ni->fabric->config.walk;
    int64_t entries = walked(from);
    for (int64_t i = 0; i < entries; i++)
        ni_spend(context, ni, walk, &walk_stage, from->message.message);
    for (struct grim_entry *entry = from; entry; entry = entry->flow_next) {
        struct grim_channel *channel = entry->channel;
        if (entry->machine.state != GRIM_SENT)
            continue;
        cpu_machine_enter(context, &grim_message_machine, &entry->machine, GRIM_NOT_SENT,
                          grim_entry_owner(entry), entry == from ? why : "behind it");
        if (!channel->next || entry->number < channel->next->number)
            channel->next = entry;
    }
    flow->resend = from;
}

void ni_refused(struct cpu_context *context, struct grim_ni *ni, const struct grim_header *header)
{
    const struct grim_ni_config *config = &ni->fabric->config;
    struct grim_entry *entry = answered_entry(ni, header);
    ni_spend(context, ni, config->refused, &take_nack_stage,
             entry ? entry->message.message : MESSAGE_NONE);
    if (!entry || entry->machine.state != GRIM_SENT)
        return;
    if (entry->refusals++ == 0)
        entry->refused_since = context->now;
    roll_back(context, entry, "NACK");
    if (config->nack_pause > 0) {
        entry->flow->paused = true;
        lanai_timer_set(ni->card, &entry->flow->pause, context->now + config->nack_pause);
    }
    ni_check_stalled(ni, entry, context->now, entry->refused_since);
    ni_look(ni);
}

// ---- Timers ----

// The oldest message of the flow that waits for its answer.
static struct grim_entry *oldest_sent(const struct grim_flow *flow)
{
    struct grim_entry *entry = flow->first;
    while (entry && entry->machine.state != GRIM_SENT)
        entry = entry->flow_next;
    return entry;
}

static void timed_out(struct cpu_context *context, struct grim_flow *flow)
{
    struct grim_ni *ni = flow->ni;
    const struct grim_ni_config *config = &ni->fabric->config;
    struct grim_entry *entry = oldest_sent(flow);
    flow->timing = false;
    if (!entry)
        return; // what is sent next sets it again
    if (entry->sent + config->timeout > context->now || flow->resend) {
        arm_timeout(flow, MAX(entry->sent + config->timeout, context->now + 1));
        return;
    }
    lanai_timer_trace(&flow->timeout, &resend_timer_stage, entry->sent, MESSAGE_NONE);
    (*ni->fabric->timed_out)++;
    roll_back(context, entry, "timeout");
    ni_check_stalled(ni, entry, context->now, entry->first_sent);
    ni_look(ni);
}

void ni_timeout_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_TIMEOUT, item))
        return;
    struct lanai_timer *timer = container_of(item, struct lanai_timer, item);
    timed_out(context, container_of(timer, struct grim_flow, timeout));
}

void ni_pause_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    (void)context;
    if (ni_defers(ni, GRIM_PAUSE, item))
        return;
    struct lanai_timer *timer = container_of(item, struct lanai_timer, item);
    container_of(timer, struct grim_flow, pause)->paused = false;
    ni_look(ni);
}
