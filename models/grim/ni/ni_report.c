// SPDX-License-Identifier: GPL-3.0-or-later
// The firmware's reports on runs that do not end as they should.
#include "models/grim/ni/ni_internal.h"

static const char *endpoint_name(const struct grim_fabric *fabric, uint16_t endpoint)
{
    const struct grim_channel *channel = grim_channel_find(fabric, endpoint);
    return channel ? channel->name : "nobody";
}

// ---- Full queues that wait for one another ----

// Whether a message of the flow that goes before this one has been refused and comes again, or this
// one has.
static bool refused_before(const struct grim_entry *entry)
{
    for (const struct grim_entry *at = entry->flow->first; at; at = at->flow_next) {
        if (at->refusals > 0 && at->machine.state != GRIM_ACKNOWLEDGED)
            return true;
        if (at == entry)
            break;
    }
    return false;
}

// Whether the message has come to the channel and is not taken, or is kept from coming there.
static bool stands_at(const struct grim_channel *to, const struct grim_entry *entry)
{
    const struct grim_message *message = &entry->message;
    for (const struct grim_arrival *at = to->incoming_first; at; at = at->next)
        if (at->message.source == message->source && at->message.token == message->token &&
            at->message.sequence == message->sequence)
            return true;
    return refused_before(entry);
}

// The oldest reply of `from` to the channel that is not acknowledged; or NULL.
static const struct grim_entry *reply_of(const struct grim_channel *from,
                                         const struct grim_channel *channel)
{
    for (const struct grim_entry *at = from->front; at; at = at->next)
        if (at->message.type == GRIM_READ_REPLY && at->message.destination == channel->endpoint &&
            at->machine.state != GRIM_ACKNOWLEDGED)
            return at;
    return NULL;
}

// Whether a reply of `from` has come to the channel and is not taken, or is kept from coming.
static bool reply_stands(const struct grim_channel *channel, const struct grim_channel *from)
{
    for (const struct grim_arrival *at = channel->incoming_first; at; at = at->next)
        if (at->message.source == from->endpoint && at->message.type == GRIM_READ_REPLY)
            return true;
    const struct grim_entry *reply = reply_of(from, channel);
    return reply && refused_before(reply);
}

// The reason for which the front of a channel's queue waits.
struct hold {
    const struct grim_channel *by; // whose queue has to move first; NULL: it is another matter
    const char *what;              // that its card is to do
};

static struct hold hold_of(const struct grim_channel *channel)
{
    const struct grim_entry *entry = channel->front;
    const struct grim_channel *to =
        entry ? grim_channel_find(channel->ni->fabric, entry->message.destination) : NULL;
    if (!to)
        return (struct hold){0};
    if (stands_at(to, entry))
        return (struct hold){to->lacks_room ? to : NULL, "take it"};
    if (!entry->stamped || entry->message.type != GRIM_READ_VIRTUAL)
        return (struct hold){0};
    if (reply_stands(channel, to))
        return (struct hold){channel->lacks_room ? channel : NULL, "take the reply"};
    const struct grim_entry *reply = reply_of(to, channel);
    if (reply && reply->machine.state == GRIM_NOT_SENT && reply->filled)
        return (struct hold){to, "send the reply"};
    return (struct hold){0};
}

// A channel of a circle, or NULL.
static const struct grim_channel *find_circle(const struct grim_fabric *fabric)
{
    for (guint i = 0; i < fabric->channels->len; i++) {
        const struct grim_channel *at = g_ptr_array_index(fabric->channels, i);
        for (guint step = 0; at && step < fabric->channels->len; step++)
            at = hold_of(at).by;
        if (at)
            return at;
    }
    return NULL;
}

// Says what a channel of a circle waits for; returns the circle's next one, which is never NULL.
static const struct grim_channel *append_step(GString *text, const struct grim_channel *channel)
{
    const struct grim_fabric *fabric = channel->ni->fabric;
    const struct grim_message *message = &channel->front->message;
    struct hold hold = hold_of(channel);
    g_assert(hold.by);
    g_string_append_printf(text,
                           "%s's queue on %s (%" G_GINT64_FORMAT " messages, %" G_GINT64_FORMAT
                           " B) is held by its %s to %s, which waits for %s to %s, and that for "
                           "%s's queue to move; ",
                           channel->name, channel->ni->name, channel->entries, channel->used,
                           grim_type_name(message->type),
                           grim_channel_find(fabric, message->destination)->name, hold.by->ni->name,
                           hold.what, hold.by->name);
    return hold.by;
}

char *grim_fabric_circle(const struct grim_fabric *fabric)
{
    const struct grim_channel *first = find_circle(fabric), *at = first;
    if (!first)
        return NULL;
    GString *text = g_string_new(NULL);
    do
        at = append_step(text, at);
    while (at != first);
    static const char *const bounds[] = {
        [GRIM_QUEUE_APPEND] = "",
        [GRIM_QUEUE_SLOTTED] = " over grim_ni.slot, 128 slots at most",
        [GRIM_QUEUE_HYBRID] = " and grim_ni.in_flight, 128 headers at most",
    };
    g_string_append_printf(text,
                           "what avoids it: queues with room for all reads and all replies that "
                           "are under way at once (grim_ni.queue%s), or fewer reads at once (gets "
                           "with notify wait for their data)",
                           bounds[fabric->config.queue_style]);
    return g_string_free(text, FALSE);
}

// ---- Messages and cards ----

// Returns the reason for which the answer to a sent message does not come.
static const char *sent_but(const struct grim_entry *entry)
{
    const struct grim_ni *ni = entry->channel->ni;
    const struct grim_channel *to = grim_channel_find(ni->fabric, entry->message.destination);
    if (to && stands_at(to, entry))
        return to->lacks_room ? "; it is there, where the queue has no room for an answer"
                              : "; it is there, and not taken";
    if (to && reply_stands(entry->channel, to))
        return "; the answer is here, behind a message that is not taken";
    return ni->sending ? "" : "; grim_ni.timeouts would send it again";
}

static char *entry_waits_for(const struct grim_entry *entry)
{
    const struct grim_ni *ni = entry->channel->ni;
    const char *to = endpoint_name(ni->fabric, entry->message.destination);
    const char *type = grim_type_name(entry->message.type);
    const char *again = entry->refusals > 0 ? ", which has been refused before," : "";
    switch ((enum grim_entry_state)entry->machine.state) {
    case GRIM_NOT_SENT:
        if (!entry->filled)
            return g_strdup_printf("%s to %s waits for its payload", type, to);
        if (ni->sending)
            return g_strdup_printf("%s to %s%s waits for the link, which is held by a message to "
                                   "%s",
                                   type, to, again, ni->sent_to);
        return g_strdup_printf("%s to %s%s waits for its turn", type, to, again);
    case GRIM_SENT:
        return g_strdup_printf("%s to %s%s is sent (token %u, sequence %u) and waits for its ACK%s",
                               type, to, again, entry->message.token, entry->message.sequence,
                               sent_but(entry));
    case GRIM_ACKNOWLEDGED:
    case GRIM_UNUSED:
        break;
    }
    return g_strdup("nothing");
}

static char *card_waits_for(const struct grim_ni *ni)
{
    if (ni_waits(ni))
        return g_strdup_printf("%s waits for the DMA of a header to %s, and looks at nothing else "
                               "(grim_ni.second_dma: chained would avoid it)",
                               ni->name, ni->sent_to);
    if (ni_closed(ni))
        return g_strdup_printf("%s accepts nothing before its ACK or NACK has left, and its link "
                               "is held by a message to %s (grim_ni.control_queue or more of "
                               "grim_ni.control_entries would avoid it)",
                               ni->name, ni->sent_to);
    if (ni->sending)
        return g_strdup_printf("%s sends to %s, and the network does not take it", ni->name,
                               ni->sent_to);
    return NULL;
}

json_t *grim_channel_describe(const struct grim_channel *channel)
{
    const struct grim_ni *ni = channel->ni;
    json_t *json =
        json_pack("{s:i, s:I, s:I, s:I, s:I}", "channel", channel->number, "queued",
                  (json_int_t)channel->entries, "queued_bytes", (json_int_t)channel->used,
                  "endpoint_messages", (json_int_t)channel->endpoint_messages, "endpoint_bytes",
                  (json_int_t)channel->endpoint_bytes);
    if (channel->front) {
        char *text = entry_waits_for(channel->front);
        json_object_set_new(json, "oldest", json_string(text));
        g_free(text);
    }
    if (channel->wanted)
        json_object_set_new(json, "injection_waits_for", json_string(channel->waits_for->text));
    char *card = card_waits_for(ni);
    if (card)
        json_object_set_new(json, "why", json_string(card));
    g_free(card);
    int held = lanai_held(ni->card);
    if (held > 0)
        json_object_set_new(json, "packets_held", json_integer(held));
    return json;
}

void grim_fabric_on_stalled(struct grim_fabric *fabric, void (*stalled)(void *owner), void *owner)
{
    fabric->stalled = stalled;
    fabric->stalled_owner = owner;
}

void ni_check_stalled(struct grim_ni *ni, const struct grim_entry *entry, sim_time now,
                      sim_time since)
{
    const struct grim_fabric *fabric = ni->fabric;
    sim_time limit = fabric->config.stalled;
    if (now - MAX(since, fabric->progress) < limit)
        return;
    char *circle = grim_fabric_circle(fabric);
    if (circle)
        sim_fail(fabric->sim, SIM_DEADLOCK, "deadlock", NULL, "nothing has moved for %.0f us: %s",
                 time_to_us(limit), circle);
    g_free(circle);
    if (fabric->stalled)
        fabric->stalled(fabric->stalled_owner);
    const struct grim_channel *to = grim_channel_find(fabric, entry->message.destination);
    bool refused = entry->refusals > 0;
    json_t *detail = json_pack("{s:o, s:o}", "sender", grim_channel_describe(entry->channel),
                               "receiver", grim_channel_describe(to));
    sim_fail(fabric->sim, refused ? SIM_DEADLOCK : SIM_FAILED, refused ? "deadlock" : "unreachable",
             detail,
             "%s %s %s to %s (sequence %u) %" G_GINT64_FORMAT
             " times, and nothing has moved for %.0f us; %s",
             ni->name, refused ? "got a NACK for its" : "sent its",
             grim_type_name(entry->message.type), to->name, entry->message.sequence,
             refused ? entry->refusals : entry->tries, time_to_us(limit),
             refused ? "an endpoint that polls, more grim_ni.endpoint_messages and "
                       "grim_ni.endpoint_bytes, or a longer grim_ni.stalled would avoid it"
                     : "a longer grim_ni.stalled would wait longer for the network");
}
