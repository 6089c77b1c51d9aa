// SPDX-License-Identifier: GPL-3.0-or-later
// The host's side of the card: messages into a channel's queue, requests to the firmware.
#include "models/grim/ni/ni_internal.h"

#include <stdarg.h>
#include <string.h>

static const struct wait answers = {"credit: answers to messages that are outstanding",
                                    WAIT_CREDIT};
static const struct wait queue_room = {"room in the card's message queue", WAIT_BUFFER};

// ---- Words into SRAM ----

static void pio_event(struct engine *engine, struct event *event)
{
    struct grim_pio *pio = container_of(event, struct grim_pio, event);
    (void)engine;
    if (pio->on_bus) {
        pio->written(pio);
        return;
    }
    pio->on_bus = true;
    bus_transfer(pio->bus, BUS_WRITE, pio->bytes, event, &lanai_pio_stage, pio->message);
}

void ni_pio_write(struct cpu_context *context, struct grim_ni *ni, struct grim_pio *pio)
{
    int64_t words = (pio->bytes + GRIM_WORD_BYTES - 1) / GRIM_WORD_BYTES;
    sim_time word = cpu_cost(context->cpu, lanai_config(ni->card)->write_word);
    pio->bus = ni->bus;
    pio->on_bus = false;
    cpu_spend_message(context, time_times(words, word), &lanai_pio_stage, pio->message);
    event_init(&pio->event, pio_event);
    cpu_post(context, &pio->event);
}

// ---- Injection ----

static void room_event(struct engine *engine, struct event *event)
{
    struct grim_channel *channel = container_of(event, struct grim_channel, room_event);
    (void)engine;
    channel->wanted = false;
    if (channel->notify)
        channel->notify(channel->owner, GRIM_ROOM);
}

void ni_channel_init(struct grim_channel *channel)
{
    event_init(&channel->room_event, room_event);
    channel->wanted_index = GRIM_ANY_ROOM;
}

// The message is in the queue, or its header is.
static void entry_written(struct grim_pio *pio)
{
    struct grim_entry *entry = container_of(pio, struct grim_entry, pio);
    struct grim_ni *ni = entry->channel->ni;
    if (entry->fetch.bytes > 0) {
        entry->fetch.item.handler = GRIM_START_FETCH;
        lanai_arrive(ni->card, &entry->fetch.item);
        return;
    }
    entry->filled = true;
    ni_look(ni);
}

void ni_start_fetch_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_START_FETCH, item))
        return;
    ni_spend(context, ni, ni->fabric->config.fetch, ni_stage(ni, GRIM_START_FETCH), item->message);
    item->handler = GRIM_FINISH_FETCH;
    lanai_start(ni->card, container_of(item, struct lanai_transfer, item), context->now);
}

void ni_finish_fetch_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_FINISH_FETCH, item))
        return;
    struct grim_entry *entry =
        container_of(container_of(item, struct lanai_transfer, item), struct grim_entry, fetch);
    ni_spend(context, ni, ni->fabric->config.finish, ni_stage(ni, GRIM_FINISH_FETCH),
             item->message);
    entry->filled = true;
    ni_look(ni);
}

static bool refuse(struct grim_channel *channel, int index, const struct wait *waits_for)
{
    channel->wanted = true;
    channel->wanted_index = index;
    channel->waits_for = waits_for;
    return false;
}

G_GNUC_PRINTF(4, 5)
static void fail_message(const struct grim_channel *channel, const struct grim_message *message,
                         const char *kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    sim_fail(channel->ni->fabric->sim, SIM_FAILED, kind,
             json_pack("{s:i, s:i, s:i}", "from", channel->endpoint, "to", message->destination,
                       "bytes", (int)message->bytes),
             "%s sends a message of %" G_GINT64_FORMAT " B with its header to endpoint %u%s",
             channel->name, grim_message_bytes(message), message->destination, text);
    g_free(text);
}

// Whether the message can be sent at all; if not the run ends.
static bool check_size(const struct grim_channel *channel, const struct grim_message *message)
{
    const struct grim_fabric *fabric = channel->ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    static const char kind[] = "message_too_long";
    int64_t bytes = grim_message_bytes(message);
    if (message->bytes > GRIM_MOST_PAYLOAD || message->length > message->bytes)
        fail_message(channel, message, kind, "; the longest payload is %d B", GRIM_MOST_PAYLOAD);
    else if (!ni_queue_can_hold(channel, message))
        fail_message(channel, message, kind,
                     ", which its queue in SRAM (%s, %" G_GINT64_FORMAT
                     " B) can never hold; more grim_ni.queue or grim_ni.slot, or fewer "
                     "grim_ni.channels would avoid it",
                     fabric->style->name, channel->room);
    else if (bytes > config->receive_buffer)
        fail_message(channel, message, kind,
                     ", which no card can take; a grim_ni.receive_buffer of more than "
                     "%" G_GINT64_FORMAT " B would avoid it",
                     config->receive_buffer);
    else if (message->type == GRIM_ACTIVE_MESSAGE && bytes > config->endpoint_bytes)
        fail_message(channel, message, kind,
                     ", which no endpoint queue can take; grim_ni.endpoint_bytes of more than "
                     "%" G_GINT64_FORMAT " would avoid it",
                     config->endpoint_bytes);
    else
        return true;
    return false;
}

// The channel that a message goes to; NULL if it can't be sent, and the run has ended then.
static struct grim_channel *check_message(const struct grim_channel *channel,
                                          const struct grim_message *message)
{
    struct grim_channel *to = grim_channel_find(channel->ni->fabric, message->destination);
    if (!to) {
        fail_message(channel, message, "no_endpoint", ", which does not exist");
        return NULL;
    }
    if (to->ni == channel->ni) {
        fail_message(channel, message, "same_card",
                     " over their own card, which GRIM's firmware does not do; two hosts for them "
                     "would avoid it");
        return NULL;
    }
    return check_size(channel, message) ? to : NULL;
}

// On the card's lane, though the host may be the one to inject.
static void entry_injected(const struct cpu_context *context, struct grim_entry *entry)
{
    const struct grim_ni *ni = entry->channel->ni;
    struct trace *trace = ni->fabric->sim->trace;
    char event[64] = "";
    if (trace)
        g_snprintf(event, sizeof event, "%s to endpoint %u, %u B",
                   grim_type_name(entry->message.type), entry->message.destination,
                   entry->message.bytes);
    machine_enter(&grim_message_machine, &entry->machine, GRIM_NOT_SENT, grim_entry_owner(entry),
                  event, trace, cpu_lane(lanai_cpu(ni->card)), context->now);
    ni_queues_tell(entry->channel, context->now);
}

bool grim_channel_inject(struct cpu_context *context, struct grim_channel *channel,
                         const struct grim_message *message)
{
    struct grim_ni *ni = channel->ni;
    struct grim_fabric *fabric = ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    g_assert(fabric->started);
    struct grim_channel *to = check_message(channel, message);
    if (!to)
        return false;
    bool policed = channel->unanswered && message->type == GRIM_ACTIVE_MESSAGE;
    if (policed && channel->unanswered[to->index] >= config->outstanding)
        return refuse(channel, to->index, &answers);
    struct grim_entry *entry = ni_queue_append(channel, message, ni_flow(channel, to));
    if (!entry)
        return refuse(channel, GRIM_ANY_ROOM, &queue_room);
    if (policed)
        channel->unanswered[to->index]++;
    channel->wanted = false;
    channel->waits_for = NULL;
    bool fetched = message->bytes > 0 && message->bytes >= config->dma_threshold;
    uint32_t payload = grim_padded(message->bytes);
    entry->pio.bytes = GRIM_HEADER_BYTES + GRIM_WORD_BYTES * fabric->style->host_words +
                       (fetched ? 0 : (int64_t)payload);
    entry->pio.message = message->message;
    entry->pio.written = entry_written;
    entry->fetch.item.message = message->message;
    entry->fetch.move = LANAI_FROM_HOST;
    entry->fetch.bytes = fetched ? payload : 0;
    entry_injected(context, entry);
    ni_pio_write(context, ni, &entry->pio);
    fabric->progress = context->now;
    return true;
}

const struct wait *grim_channel_waits_for(const struct grim_channel *channel)
{
    static const struct wait nothing = {"nothing", WAIT_OTHER};
    return channel->waits_for ? channel->waits_for : &nothing;
}

int grim_channel_queued(const struct grim_channel *channel)
{
    return (int)channel->entries;
}

// ---- The firmware's own messages ----

struct grim_entry *grim_entry_reserve(struct cpu_context *context, struct grim_channel *channel,
                                      const struct grim_message *message)
{
    struct grim_channel *to = check_message(channel, message);
    struct grim_entry *entry = to ? ni_queue_append(channel, message, ni_flow(channel, to)) : NULL;
    channel->lacks_room = !entry;
    if (entry)
        entry_injected(context, entry);
    return entry;
}

void grim_entry_commit(struct cpu_context *context, struct grim_entry *entry)
{
    (void)context;
    entry->filled = true;
    ni_look(entry->channel->ni);
}

// ---- Requests ----

void ni_posted_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct grim_ni *ni = owner;
    if (ni_defers(ni, GRIM_POSTED, item))
        return;
    struct grim_post *post =
        container_of(container_of(item, struct lanai_write, item), struct grim_post, write);
    ni_spend(context, ni, ni->fabric->config.post, ni_stage(ni, GRIM_POSTED), item->message);
    post->run(context, ni, post);
}

void grim_ni_post(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post)
{
    post->write.item.handler = GRIM_POSTED;
    lanai_write(context, ni->card, &post->write);
}

static void scan_done(struct engine *engine, struct event *event)
{
    struct grim_scan *scan = container_of(event, struct grim_scan, event);
    (void)engine;
    scan->done(scan->owner, scan);
}

static void scan_run(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post)
{
    struct grim_scan *scan = container_of(post, struct grim_scan, post);
    sim_time start = context->now;
    cpu_spend_time(context, ni_scan_time(ni, scan->channels), &ni_scan_stage);
    scan->time = context->now - start;
    scan->clock = lanai_clock(ni->card, context->now) - lanai_clock(ni->card, start);
    event_init(&scan->event, scan_done);
    cpu_post(context, &scan->event);
}

void grim_ni_scan(struct cpu_context *context, struct grim_ni *ni, struct grim_scan *scan)
{
    g_assert(scan->channels > 0);
    memset(&scan->post, 0, sizeof scan->post);
    scan->post.write.bytes = GRIM_WORD_BYTES;
    scan->post.run = scan_run;
    grim_ni_post(context, ni, &scan->post);
}
