// SPDX-License-Identifier: GPL-3.0-or-later
// The sending half of the firmware: it scans the logical channels round robin for the next message
// and starts the send engine, one message at a time, so that an ACK or NACK that waits goes before
// the next message (thesis 003, 4.2.3 and 4.3.4).
//
// An idle firmware scans all the time. The scan is charged when it finds something, from the place
// that it has reached by then; a round that finds nothing is charged when something has happened
// that could have brought a message.
#include "models/grim/ni/ni_internal.h"

static const struct stage scoreboard_stage = {"scoreboard", STAGE_NIC};
static const struct stage second_dma_stage = {"second DMA", STAGE_NIC};

// ---- The link ----

void ni_finish_send_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    (void)item;
    ni->sending = false;
    if (ni_waits(ni))
        ni_resume(ni);
    if (ni->sending_control)
        ni_control_left(context, ni);
    if (!ni_control_next(context, ni))
        lanai_ready(ni->card, GRIM_SEND);
}

// ---- Scanning ----

// The place that the scan has reached, having continued since it last ended.
static int64_t scan_place(const struct grim_ni *ni, sim_time now)
{
    sim_time round = ni_scan_time(ni, ni->scanned);
    if (round == 0)
        return ni->scan_at;
    sim_time phase = (now - ni->scan_end) % round;
    return (ni->scan_at + phase * ni->scanned / round) % ni->scanned;
}

// Returns the next message in the order of the round, or NULL. Charges each channel that is
// checked, among them configured ones without an endpoint.
static struct grim_entry *scan(struct cpu_context *context, struct grim_ni *ni)
{
    const struct grim_scan_config *costs = &ni->scan_costs;
    int64_t place = scan_place(ni, context->now);
    struct grim_entry *found = NULL;
    for (int64_t i = 0; i < ni->scanned && !found; i++) {
        if (place == 0)
            ni_spend(context, ni, costs->scan, &ni_scan_stage, MESSAGE_NONE);
        ni_spend(context, ni, costs->scan_channel, &ni_scan_stage, MESSAGE_NONE);
        if (place < ni->channels->len) {
            const struct grim_channel *channel = g_ptr_array_index(ni->channels, (guint)place);
            if (channel->next && ni_may_send(channel->next)) {
                found = channel->next;
                *ni->fabric->most_empty = MAX(*ni->fabric->most_empty, i);
            }
        }
        place = (place + 1) % ni->scanned;
    }
    ni->scan_at = (int)place;
    ni->scan_end = context->now;
    return found;
}

// ---- Sending ----

static void send_entry(struct cpu_context *context, struct grim_ni *ni, struct grim_entry *entry)
{
    const struct grim_fabric *fabric = ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    const struct grim_message *message = &entry->message;
    const struct grim_channel *to = grim_channel_find(fabric, message->destination);
    ni_spend(context, ni,
             config->sequencing == GRIM_SEQUENCE_NI ? config->sequence_ni
                                                    : config->sequence_channel,
             &ni_sequence_stage, message->message);
    ni_spend(context, ni, config->send, ni_stage(ni, GRIM_SEND), message->message);
    if (fabric->style->scoreboard && !entry->stamped)
        ni_spend(context, ni, config->record, &scoreboard_stage, message->message);
    ni_stamp(context, entry);
    bool second = fabric->style->second_dma && message->bytes > 0;
    if (second && config->second_dma == GRIM_SECOND_CHAINED)
        ni_spend(context, ni, config->second, &second_dma_stage, message->message);
    struct grim_header header = grim_header_of(message, (uint16_t)to->number);
    struct packet *packet = ni_packet(ni, to->ni, &header, grim_message_bytes(message));
    packet->message = message->message;
    packet->offset = message->offset;
    packet->length = message->length;
    packet_header(packet, struct grim_packet)->content = message->content;
    ni_start_send(context, ni, packet, false, to->ni->name);
    if (second && config->second_dma == GRIM_SECOND_WAITS) {
        cpu_machine_enter(context, &grim_firmware_machine, &ni->firmware, GRIM_FIRMWARE_WAITING,
                          (struct machine_owner){.where = ni->name, .subject = entry->number},
                          "for the header's DMA");
    }
}

void ni_send_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    g_assert(!item);
    if (ni_defers(ni, GRIM_SEND, item) || ni->sending)
        return; // the end of what is sent calls again
    struct grim_entry *entry = scan(context, ni);
    if (entry)
        send_entry(context, ni, entry);
}
