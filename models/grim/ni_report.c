// SPDX-License-Identifier: GPL-3.0-or-later
// What the firmware has to say when a run does not end as it should.
#include "models/grim/ni_parts.h"

static const char *endpoint_name(const struct grim_fabric *fabric, uint16_t endpoint)
{
    const struct grim_channel *channel = grim_channel_find(fabric, endpoint);
    return channel ? channel->name : "nobody";
}

static char *entry_waits_for(const struct grim_entry *entry)
{
    const struct grim_ni *ni = entry->channel->ni;
    const char *to = endpoint_name(ni->fabric, entry->message.destination);
    const char *type = grim_type_name(entry->message.type);
    const char *again = entry->refusals > 0 ? ", which has been refused before," : "";
    switch (entry->state) {
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
                               ni->sending ? "" : "; grim_ni.timeouts would send it again");
    case GRIM_ACKNOWLEDGED:
    case GRIM_UNUSED:
        break;
    }
    return g_strdup("nothing");
}

static char *card_waits_for(const struct grim_ni *ni)
{
    if (ni->waiting)
        return g_strdup_printf("%s waits for the DMA of a header to %s, and looks at nothing else "
                               "(grim_ni.second_dma: chained would avoid it)",
                               ni->name, ni->sent_to);
    if (ni->closed)
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
        json_object_set_new(json, "injection_waits_for", json_string(channel->waits_for));
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
