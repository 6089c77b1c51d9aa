// SPDX-License-Identifier: GPL-3.0-or-later
// Used by every handler of the firmware: time spent, work put off while another handler waits, and
// what a handler wakes.
#include "models/grim/ni/ni_internal.h"

const struct stage ni_scan_stage = {"scan", STAGE_NIC};
const struct stage ni_sequence_stage = {"sequence number", STAGE_NIC};

void ni_spend(struct cpu_context *context, const struct grim_ni *ni, struct cost cost,
              const struct stage *stage, struct message_ref message)
{
    cpu_spend_message(context, cpu_cost(lanai_cpu(ni->card), cost), stage, message);
}

bool ni_defers(struct grim_ni *ni, enum grim_handler handler, struct lanai_item *item)
{
    if (!ni_waits(ni))
        return false;
    if (item) {
        item->next = ni->deferred;
        ni->deferred = item;
    } else {
        ni->deferred_calls |= UINT32_C(1) << handler;
    }
    return true;
}

void ni_resume(struct grim_ni *ni)
{
    struct lanai_item *item = ni->deferred, *first = NULL;
    ni->deferred = NULL;
    machine_enter(&grim_firmware_machine, &ni->firmware, GRIM_FIRMWARE_RUNNING,
                  (struct machine_owner){.where = ni->name}, NULL, NULL, 0,
                  0); // traces have no ends
    while (item) {    // the list has the last one first
        struct lanai_item *next = item->next;
        item->next = first;
        first = item;
        item = next;
    }
    while (first) {
        struct lanai_item *next = first->next;
        lanai_arrive(ni->card, first);
        first = next;
    }
    for (int handler = 0; handler < GRIM_HANDLERS; handler++)
        if (ni->deferred_calls >> handler & 1)
            lanai_ready(ni->card, handler);
    ni->deferred_calls = 0;
    if (ni->arrived)
        lanai_ready(ni->card, GRIM_RECEIVED);
}

struct grim_channel *grim_channel_find(const struct grim_fabric *fabric, uint16_t endpoint)
{
    return endpoint < fabric->endpoints->len ? fabric->endpoints->pdata[endpoint] : NULL;
}

// ---- What a handler wakes ----

void ni_look(struct grim_ni *ni)
{
    for (guint i = 0; i < ni->channels->len && !ni->sending; i++) {
        const struct grim_channel *channel = g_ptr_array_index(ni->channels, i);
        if (channel->next) {
            lanai_ready(ni->card, GRIM_SEND);
            return;
        }
    }
}

void ni_look_incoming(const struct grim_channel *channel)
{
    if (channel->incoming_first)
        lanai_ready(channel->ni->card, GRIM_INCOMING);
}

void grim_ni_retry(struct grim_ni *ni)
{
    if (ni->fabric->config.buffering == GRIM_BUFFER_BOTH)
        lanai_ready(ni->card, GRIM_INCOMING);
}

void ni_notify_room(struct cpu_context *context, struct grim_channel *channel, int index)
{
    if (channel->wanted && channel->wanted_index == index && !event_pending(&channel->room_event))
        cpu_post(context, &channel->room_event);
}

sim_time ni_scan_time(const struct grim_ni *ni, int64_t channels)
{
    const struct cpu *cpu = lanai_cpu(ni->card);
    const struct grim_scan_config *scan = &ni->scan_costs;
    return cpu_cost(cpu, scan->scan) + time_times(channels, cpu_cost(cpu, scan->scan_channel));
}
