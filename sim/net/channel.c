// SPDX-License-Identifier: GPL-3.0-or-later
// A channel between two store-and-forward ends: serialisation, the output queue, faults.
#include "sim/core/intern.h"
#include "sim/net/disorder.h"
#include "sim/net/fabric.h"
#include "sim/net/pause.h"
#include "sim/net/repeater.h"
#include "sim/net/wormhole.h"

#include <string.h>

static const struct stage propagation_stage = {"propagation", STAGE_PROPAGATION};
static const struct stage switch_stage = {"switch", STAGE_SWITCH};
const struct stage channel_waits_stage = {"waits", STAGE_BEHIND};
const struct stage channel_packet_stage = {"packet", STAGE_WIRE};
const struct stage channel_lost_stage = {"packet (lost)", STAGE_WIRE};

static const char *end_name(const struct channel *channel, const struct channel_end *end)
{
    if (end->node)
        return end->node->name;
    const struct topology *topology = channel->network->topology;
    return g_array_index(topology->hosts, struct topology_node, end->station->host).name;
}

char *channel_name(const struct channel *channel)
{
    GString *name = g_string_new(NULL);
    g_string_printf(name, "%s->%s", end_name(channel, &channel->from),
                    end_name(channel, &channel->to));
    if (channel->twin > 0)
        g_string_append_printf(name, "#%d", channel->twin + 1);
    return g_string_free(name, FALSE);
}

void channel_count_loss(const struct channel *channel, int64_t **counter, const char *what,
                        enum sim_loss kind)
{
    if (!*counter) {
        char *link = channel_name(channel);
        char *name = g_strconcat(what, link, NULL);
        *counter = sim_loss_counter(channel->network->sim, name, kind);
        g_free(name);
        g_free(link);
    }
    ++**counter;
}

static void channel_trace_init(struct channel *channel)
{
    struct trace *trace = channel->network->sim->trace;
    if (!trace)
        return;
    char *name = channel_name(channel);
    char *wire = g_strconcat("wire ", name, NULL);
    channel->wire_lane = trace_lane_add(
        trace, &(struct trace_lane_info){
                   .group = "network",
                   .name = wire,
                   .kind = TRACE_LINK,
                   .link = name,
                   .ends = {end_name(channel, &channel->from), end_name(channel, &channel->to)},
               });
    g_free(wire);
    g_free(name);
    if (!channel->from.node)
        return;
    char *queue =
        g_strdup_printf("port %d to %s", channel->from.port, end_name(channel, &channel->to));
    channel->queue_lane = trace_lane_add(trace, &(struct trace_lane_info){
                                                    .group = channel->from.node->name,
                                                    .name = queue,
                                                    .kind = TRACE_QUEUE,
                                                });
    g_free(queue);
}

static bool stores(const struct channel_end *end)
{
    return !end->node || end->node->discipline->stores;
}

static void channel_init_window(struct channel *channel, const struct link_config *config)
{
    struct link_faults *answers = repeater_answer_faults(channel, config);
    if (!stores(&channel->from) || !stores(&channel->to) || channel->faults || answers) {
        channel->repeater = repeater_new(channel, config, answers);
    } else {
        channel->window = ack_window_new(config);
        channel->faults = link_faults_none(config); // channel_judge judges each packet
    }
}

static void channel_init_faults(struct channel *channel, const struct link_config *config)
{
    char *name = channel_name(channel);
    char *stream = g_strconcat("link ", name, NULL);
    channel->faults = link_faults_new(config, channel->side, channel->network->sim->seed, stream);
    g_free(stream);
    g_free(name);
}

void channel_init(struct channel *channel, const struct link_config *config)
{
    struct fabric_switch *from = channel->from.node, *to = channel->to.node;
    channel->rate = config->rate;
    bool whole = 8 * TIME_S % config->rate == 0;
    channel->byte_time = whole ? 8 * TIME_S / config->rate : 0;
    channel->preamble = (uint16_t)config->preamble;
    channel->gap = (uint16_t)config->gap;
    channel->least_frame = (uint16_t)config->least_frame;
    channel->route_bytes = to ? (uint8_t)to->config->route_bytes : 0;
    channel->delay = config->propagation + (to ? to->config->latency : 0);
    channel->arrive = to ? to->discipline->arrive : station_arrive;
    if (from && from->discipline->stores) {
        channel->queue.limit = from->config->queue;
        channel->queue.byte_limit = from->config->queue_bytes;
    }
    if (link_has_faults(config))
        channel_init_faults(channel, config);
    if (link_faults_random(channel->faults))
        channel->risked = sim_counter(channel->network->sim, SIM_RISKED_PACKETS);
    // Jitter strikes every packet.
    channel->network->sim->faults |= channel->faults && config->jitter == 0;
    if (config->window > 0)
        channel_init_window(channel, config);
    else if (channel->faults && link_disorders(config))
        channel->disorder = disorder_new(channel, config);
    channel_trace_init(channel);
}

void channel_clear(struct channel *channel)
{
    link_faults_free(channel->faults);
    repeater_free(channel->repeater);
    disorder_free(channel->disorder);
    pausing_free(channel->pausing);
    g_free(channel->window);
    g_free(channel->queue.entries);
    g_free(channel->drop_notes);
    if (channel->meter.seldom && channel->meter.seldom->drops)
        g_array_unref(channel->meter.seldom->drops);
    g_free(channel->meter.seldom);
}

// ---- Loss ----

static char *drop_reason(const struct channel *channel, enum drop_cause cause)
{
    char *name = channel_name(channel), *text = NULL;
    switch (cause) {
    case DROP_LOST:
        text = g_strdup_printf("lost on link %s", name);
        break;
    case DROP_DOWN:
        text = g_strdup_printf("link %s down", name);
        break;
    case DROP_FULL:
        text = g_strdup_printf("queue full at %s", name);
        break;
    case DROP_CHECK:
        text = g_strdup_printf("FCS error at %s", end_name(channel, &channel->to));
        break;
    case DROP_UNWANTED:
        text = g_strdup_printf("no receiver at the end of %s", name);
        break;
    case DROP_CAUSES:
        break;
    }
    g_free(name);
    return text;
}

static const struct drop_note *channel_drop_note(struct channel *channel, enum drop_cause cause)
{
    if (!channel->drop_notes)
        channel->drop_notes = g_new0(struct drop_note, DROP_CAUSES);
    struct drop_note *note = &channel->drop_notes[cause];
    if (note->reason)
        return note;
    char *reason = drop_reason(channel, cause);
    char *counter = g_strconcat("packets dropped: ", reason, NULL);
    note->reason = intern_text(reason);
    note->count = sim_loss_counter(channel->network->sim, counter, LOSS_DROPPED);
    g_free(counter);
    g_free(reason);
    return note;
}

// The drops by one cause on one link, or its repeats.
struct clause {
    const void *of; // the counter of the drops, or the repeater
    int64_t count;
    char *text;
};

// Links into one switch share its counter.
static bool has_clause(const GArray *clauses, const void *of)
{
    for (guint i = 0; i < clauses->len; i++)
        if (g_array_index(clauses, struct clause, i).of == of)
            return true;
    return false;
}

static void add_drops(GArray *clauses, const struct drop_note *note, enum drop_cause cause)
{
    int64_t count = *note->count;
    struct clause clause = {
        .of = note->count,
        .count = count,
        .text = g_strdup_printf("%" G_GINT64_FORMAT " packet%s %s%s%s", count,
                                count == 1 ? "" : "s", cause == DROP_LOST ? "" : "dropped, ",
                                note->reason, cause == DROP_FULL ? " (switch.queue)" : ""),
    };
    g_array_append_val(clauses, clause);
}

static void add_repeats(GArray *clauses, struct repeater *repeater)
{
    struct clause clause = {.of = repeater};
    clause.text = repeater_describe(repeater, &clause.count);
    if (clause.text)
        g_array_append_val(clauses, clause);
}

static void add_clauses(GArray *clauses, const struct route *route)
{
    for (int i = 0; route && i < route->links; i++) {
        const struct drop_note *notes = route->channels[i]->drop_notes;
        struct repeater *repeater = route->channels[i]->repeater;
        for (int cause = 0; notes && cause < DROP_CAUSES; cause++)
            if (notes[cause].reason && !has_clause(clauses, notes[cause].count))
                add_drops(clauses, &notes[cause], (enum drop_cause)cause);
        if (repeater && !has_clause(clauses, repeater))
            add_repeats(clauses, repeater);
    }
}

static int compare_clauses(const void *a, const void *b)
{
    const struct clause *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return strcmp(left->text, right->text);
}

char *network_describe_drops(struct network *network, int from, int to)
{
    GArray *clauses = g_array_new(FALSE, FALSE, sizeof(struct clause));
    GString *text = g_string_new(NULL);
    add_clauses(clauses, route_find(network->routes, from, to));
    add_clauses(clauses, route_find(network->routes, to, from));
    g_array_sort(clauses, compare_clauses);
    for (guint i = 0; i < clauses->len; i++) {
        struct clause *clause = &g_array_index(clauses, struct clause, i);
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", clause->text);
        g_free(clause->text);
    }
    bool none = clauses->len == 0;
    g_array_unref(clauses);
    return g_string_free(text, none);
}

void channel_drop(struct channel *channel, struct packet *packet, enum drop_cause cause)
{
    struct network *network = channel->network;
    const struct drop_note *note = channel_drop_note(channel, cause);
    network->drops++;
    ++*note->count;
    channel_count_seldom(channel, (enum link_count)(LINK_LOST + (int)cause), 1);
    engine_fingerprint_add(network->engine, network->drops);
    packet_lose(network, packet, note->reason);
}

// A host or its card drops it: before it has begun on its first link, or after the last one.
void packet_drop(struct network *network, struct packet *packet, const char *reason)
{
    const struct route *route = packet->route;
    if (route)
        link_load_add_drop(
            &channel_seldom(route->channels[packet->hop ? packet->hop - 1 : 0])->drops, reason, 1);
    packet_lose(network, packet, reason);
}

struct seldom_counts *channel_seldom(struct channel *channel)
{
    struct link_meter *meter = &channel->meter;
    if (!meter->seldom)
        meter->seldom = g_new0(struct seldom_counts, 1);
    return meter->seldom;
}

void channel_count_seldom(struct channel *channel, enum link_count which, int64_t more)
{
    channel_seldom(channel)->counts[which - LINK_SELDOM] += more;
}

void channel_count_end(struct channel *channel, const struct packet *packet)
{
    if (packet->cut_on == PACKET_STOMPED) {
        channel_count_seldom(channel, LINK_DISCARDED, 1);
        return;
    }
    // Never this channel: an end that stores holds nothing back on its link, so that a packet cut
    // there is lost at once (channel_judge).
    struct channel *on = packet->cut_on ? &channel->network->channels[packet->cut_on - 1] : NULL;
    g_assert(on != channel);
    channel_count_arrived(channel, packet->corrupt || on);
    if (on && packet->begun)
        channel_count_arrived(on, true); // the rest of the packet cut there
}

bool channel_judge(struct channel *channel, struct packet *packet, sim_time start, sim_time end,
                   enum drop_cause *cause)
{
    if (channel->window) {
        sim_time room = ack_window_sent(channel->window, end);
        channel->busy_until = MAX(channel->busy_until, room);
    }
    int64_t bytes = channel_packet_bytes(channel, packet) - channel->preamble - packet->idle;
    if (channel->risked)
        ++*channel->risked;
    switch (link_faults_judge(channel->faults, start, end, bytes)) {
    case LINK_PASSES:
        return true;
    case LINK_CORRUPTS:
        packet->corrupt = true;
        return true;
    case LINK_LOSES:
        *cause = DROP_LOST;
        return false;
    case LINK_IS_DOWN:
        *cause = DROP_DOWN;
        return false;
    }
    return true;
}

// ---- The queue ----

static void output_queue_grow(struct output_queue *queue)
{
    uint32_t capacity = queue->capacity ? 2 * queue->capacity : 16;
    struct queue_entry *entries = g_new(struct queue_entry, capacity);
    uint32_t count = queue->tail - queue->head;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = queue->entries[(queue->head + i) & (queue->capacity - 1)];
    g_free(queue->entries);
    *queue = (struct output_queue){entries,           0,           count, capacity, queue->limit,
                                   queue->byte_limit, queue->bytes};
}

bool output_queue_fits(const struct output_queue *queue, int64_t bytes)
{
    return !(queue->limit && queue->tail - queue->head >= queue->limit) &&
           !(queue->byte_limit && queue->bytes + bytes > queue->byte_limit);
}

void output_queue_put(struct output_queue *queue, sim_time when, int64_t bytes)
{
    if (queue->tail - queue->head == queue->capacity)
        output_queue_grow(queue);
    queue->entries[queue->tail++ & (queue->capacity - 1)] = (struct queue_entry){when, bytes};
    queue->bytes += bytes;
}

sim_time output_queue_take(struct output_queue *queue)
{
    const struct queue_entry *entry = &queue->entries[queue->head++ & (queue->capacity - 1)];
    queue->bytes -= entry->bytes;
    return entry->when;
}

bool output_queue_admit(struct output_queue *queue, sim_time now, sim_time start, int64_t bytes)
{
    uint32_t mask = queue->capacity - 1;
    while (queue->head != queue->tail && queue->entries[queue->head & mask].when <= now)
        output_queue_take(queue);
    if (!output_queue_fits(queue, bytes))
        return false;
    output_queue_put(queue, start, bytes);
    return true;
}

void channel_trace_step(struct channel *channel, const struct packet *packet, sim_time when)
{
    struct trace *trace = channel->network->sim->trace;
    if (trace && packet->message.generation && packet->offset == 0)
        trace_flow(trace, channel->wire_lane, packet->message, TRACE_FLOW_STEP, when);
}

static const char *station_host_name(const struct network *network, int station)
{
    return g_array_index(network->topology->hosts, struct topology_node,
                         network->stations[station].host)
        .name;
}

void channel_trace_packet(const struct channel *channel, const struct packet *packet,
                          sim_time since, sim_time start)
{
    const struct network *network = channel->network;
    if (!network->sim->trace)
        return;
    const struct station *source = &network->stations[route_from(packet->route)];
    struct trace_packet traced = {
        .identity = packet,
        .hop = MAX(packet->hop, 1) - 1,
        .from = station_host_name(network, route_from(packet->route)),
        .to = station_host_name(network, route_to(packet->route)),
        .bytes = packet->wire_bytes,
        .offset = packet->offset,
        .length = packet->length,
        .latency = channel->to.node ? channel->to.node->config->latency : 0,
        .words = {.sequence = -1, .acknowledges = -1},
    };
    traced.propagation = channel->delay - traced.latency;
    if (source->words)
        source->words(source->words_owner, packet, &traced.words);
    trace_note(network->sim->trace, channel->wire_lane,
               &(struct trace_note){.kind = TRACE_PACKET,
                                    .name = traced.from,
                                    .packet = &traced,
                                    .from = since,
                                    .to = start,
                                    .message = packet->message});
}

void channel_trace_delay(const struct channel *channel, struct message_ref message, sim_time from)
{
    struct trace *trace = channel->network->sim->trace;
    if (!trace)
        return;
    sim_time latency = channel->to.node ? channel->to.node->config->latency : 0;
    sim_time end = from + channel->delay;
    trace_delay(trace, channel->wire_lane, &propagation_stage, from, end - latency, message);
    trace_delay(trace, channel->wire_lane, &switch_stage, end - latency, end, message);
}

static void channel_trace(struct channel *channel, const struct packet *packet,
                          const struct stage *stage, sim_time now, sim_time start, sim_time end,
                          sim_time free)
{
    struct trace *trace = channel->network->sim->trace;
    if (channel->from.node && start > now)
        trace_span(trace, channel->queue_lane, &channel_waits_stage, now, start, packet->message);
    trace_queued(trace, channel->wire_lane, now, start);
    channel_trace_packet(channel, packet, now, start);
    trace_span(trace, channel->wire_lane, stage, start, end, packet->message);
    trace_note(trace, channel->wire_lane,
               &(struct trace_note){.kind = TRACE_GAP, .from = end, .to = free});
    if (!channel->disorder)
        channel_trace_delay(channel, packet->message, end);
    channel_trace_step(channel, packet, start);
}

void channel_occupy(struct channel *channel, const struct packet *packet, sim_time start,
                    int64_t bytes)
{
    channel->busy_until = time_after(start, channel_time(channel, bytes + channel->gap));
    channel->network->hops++;
    channel_count_packet(channel, bytes, packet->idle);
    channel->meter.counts[LINK_BUSY] += channel->busy_until - start;
}

// The packet has the channel from `start`; it has waited since `since`.
static inline void channel_carry(struct channel *channel, struct packet *packet, sim_time since,
                                 sim_time start)
{
    struct network *network = channel->network;
    int64_t bytes = channel_packet_bytes(channel, packet);
    sim_time end = time_after(start, channel_time(channel, bytes));
    channel_occupy(channel, packet, start, bytes);
    sim_time free = channel->busy_until;
    if (packet->sent) {
        engine_schedule(network->engine, packet->sent, free);
        packet->sent = NULL;
    }
    enum drop_cause cause;
    bool lost = channel->faults && !channel_judge(channel, packet, start, end, &cause);
    if (network->sim->trace)
        channel_trace(channel, packet, lost ? &channel_lost_stage : &channel_packet_stage, since,
                      start, end, free);
    if (lost) {
        channel_drop(channel, packet, cause);
        return;
    }
    if (channel->faults && channel->disorder)
        disorder_pass(channel, packet, start);
    else
        channel_schedule_arrival(channel, packet, start, end);
}

void channel_start(struct channel *channel, struct packet *packet, sim_time since, sim_time start)
{
    channel_carry(channel, packet, since, start);
}

void channel_enter(struct channel *channel, struct packet *packet)
{
    struct network *network = channel->network;
    if (channel->worm) {
        worm_enter(channel, packet);
        return;
    }
    if (channel->pausing) {
        pausing_enter(channel, packet);
        return;
    }
    sim_time now = engine_now(network->engine);
    sim_time start = now > channel->busy_until ? now : channel->busy_until;
    if (start > now) {
        struct output_queue *queue = &channel->queue;
        if (!output_queue_admit(queue, now, start, packet->wire_bytes)) {
            channel_drop(channel, packet, DROP_FULL);
            return;
        }
        channel_count_queue(channel, queue->tail - queue->head, queue->bytes, now);
    }
    channel_carry(channel, packet, now, start);
}
