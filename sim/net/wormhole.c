// SPDX-License-Identifier: GPL-3.0-or-later
// Wormhole channels, with a few events per hop whatever the packet's length.
//
// The model, byte by byte: a channel sends the bytes of the packet that holds it one after another,
// as far as the flow control allows. The slack buffer at its end is first in, first out. A
// packet requests its output when it is the front packet, its header has been in for the switch's
// latency, and the port has sent the packet before it. An output serves requesting inputs round
// robin, and is held from the grant until the tail and the gap after it have left. All other events
// of an instant precede its grants.
//
// A source-routed switch first takes the route bytes of the front packet out of the buffer, one per
// byte time, as all bytes leave it; the latency includes this. So a packet requests its output at
// the earliest R byte times after the one before it has left, and its route bytes leave the buffer
// in the R byte times before the request. On the next channel it is shorter by R bytes.
//
// A packet for a link whose cable is out is sent and lost, since its switch does not know: it takes
// its time on the channel. A packet that is held back on a cable when the cable is pulled out is
// lost as well. It leaves the channels that it holds as if it were whole, and STOP and GO still
// pass, so that the packets after it move on at the same times.
//
// Not modelled: the bandwidth that STOP and GO take in the other direction; the end of a cut packet
// that the far switch makes up itself; and the time-out of a port that is blocked for long.
#include "sim/net/wormhole.h"

#include "sim/core/fifo.h"
#include "sim/net/repeater.h"

static void worm_release(struct engine *engine, struct event *event);
static void worm_arbitrate(struct engine *engine, struct event *event);
static bool worm_keeps(struct channel *channel, sim_time now);
static void worm_keep(struct channel *channel);

static bool end_cuts_through(const struct channel_end *end)
{
    return end->node && !end->node->discipline->stores;
}

static struct channel *channel_of(struct event *event)
{
    return container_of(event, struct worm, event)->channel;
}

bool worm_wanted(const struct channel *channel)
{
    return end_cuts_through(&channel->from) || end_cuts_through(&channel->to) || channel->repeater;
}

void worm_init(struct worm *worm, struct channel *channel)
{
    channel->worm = worm;
    worm->channel = channel;
    worm->from_cuts = end_cuts_through(&channel->from);
    worm->to_cuts = end_cuts_through(&channel->to);
    worm->repeats = channel->repeater != NULL;
    worm->careful = channel->faults || channel->repeater;
    worm->last_port = -1;
    worm->closed_since = TIME_NEVER;
    worm->entries = worm->first_entries;
    worm->capacity = SLACK_ENTRIES;
    worm->port = (uint16_t)channel->to.port;
    worm->ports = channel->from.node ? (uint16_t)channel->from.node->ports : 0;
    event_init(&worm->event, NULL);
    if (worm->to_cuts) {
        const struct switch_config *config = channel->to.node->config;
        worm->slack = config->slack;
        worm->header = channel->preamble + (uint32_t)config->header;
    }
}

void worm_clear(struct worm *worm)
{
    if (worm->entries != worm->first_entries)
        g_free(worm->entries);
}

// ---- The slack buffer ----

static void slack_grow(struct worm *worm)
{
    uint32_t capacity = 2 * worm->capacity;
    struct slack_entry *entries = g_new(struct slack_entry, capacity);
    for (uint32_t i = worm->head; i != worm->tail; i++)
        entries[i & (capacity - 1)] = *slack_at(worm, i);
    if (worm->entries != worm->first_entries)
        g_free(worm->entries);
    worm->entries = entries;
    worm->capacity = capacity;
}

static void worm_ask(struct channel *input, struct packet *packet);

// Lets the new front packet request its output as soon as it may.
static void slack_front(struct channel *channel)
{
    struct worm *worm = channel->worm;
    const struct slack_entry *front = slack_at(worm, worm->head);
    struct engine *engine = channel->network->engine;
    sim_time now = engine_now(engine);
    if (front->ready == TIME_NEVER)
        return; // slack_ready will call again
    worm->asked = MAX(front->ready, now + channel_time(channel, channel->route_bytes));
    channel->network->flow->fronted(channel);
    if (worm->asked > now) {
        front->packet->event.run = channel->arrive;
        engine_schedule(engine, &front->packet->event, worm->asked);
    } else {
        worm_ask(channel, front->packet);
    }
}

static void slack_append(struct channel *channel, struct packet *packet)
{
    struct worm *worm = channel->worm;
    if (worm->tail - worm->head == worm->capacity)
        slack_grow(worm);
    *slack_at(worm, worm->tail++) = (struct slack_entry){packet, worm->length, TIME_NEVER};
}

void slack_ready(struct channel *channel, sim_time ready)
{
    struct worm *worm = channel->worm;
    struct slack_entry *last = slack_at(worm, worm->tail - 1);
    last->ready = ready;
    if (ready != TIME_NEVER && channel->network->sim->trace)
        channel_trace_delay(channel, worm->message, ready - channel->delay);
    if (worm->tail - worm->head > 1)
        return;
    if (ready == TIME_NEVER)
        engine_cancel(channel->network->engine, &last->packet->event);
    else
        slack_front(channel);
}

// ---- Counts ----

// As many more wait for the channel. A queue that is left at once has not been one.
static void worm_count_waiting(struct channel *channel, int change, int64_t bytes)
{
    struct worm *worm = channel->worm;
    sim_time now = engine_now(channel->network->engine);
    if (worm->waiting_since < now) {
        channel_count_queue(channel, worm->waiting_packets, worm->waiting_bytes,
                            worm->waiting_since);
        worm->waiting_since = now;
    }
    worm->waiting_packets += change;
    worm->waiting_bytes += change * bytes;
}

// Packets no longer wait for the station's credit.
static void worm_count_closed(struct channel *channel, sim_time now)
{
    struct worm *worm = channel->worm;
    if (worm->closed_since < now)
        channel_count_seldom(channel, LINK_NO_CREDIT, now - worm->closed_since);
    worm->closed_since = TIME_NEVER;
}

// How long the holder, whose tail left at `end`, was held back.
static sim_time worm_held_back(const struct channel *channel, sim_time end)
{
    const struct worm *worm = channel->worm;
    return MAX(0, end - (worm->granted + channel_time(channel, worm->length)));
}

bool worm_has_waiting(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    return worm && (worm->waiting_packets > 0 || worm->closed_since != TIME_NEVER);
}

void worm_count_ongoing(const struct channel *channel, int64_t *counts)
{
    const struct worm *worm = channel->worm;
    sim_time now = engine_now(channel->network->engine);
    if (!worm)
        return;
    if (worm->waiting_since < now && worm->waiting_packets > counts[LINK_QUEUE]) {
        counts[LINK_QUEUE] = worm->waiting_packets;
        counts[LINK_QUEUE_WHEN] = worm->waiting_since;
        counts[LINK_QUEUE_BYTES] = MAX(counts[LINK_QUEUE_BYTES], worm->waiting_bytes);
    }
    if (worm->closed_since != TIME_NEVER)
        counts[LINK_NO_CREDIT] += now - worm->closed_since;
    if (worm->held && !worm->kept) {
        sim_time held = worm_held_back(channel, now);
        counts[LINK_HELD_TIME] += held;
        counts[LINK_HELD] += held > 0;
        counts[LINK_BUSY] += now - worm->granted;
    }
}

// ---- Grants ----

// The front packet has left the buffer.
static void slack_pop(struct channel *channel)
{
    struct worm *worm = channel->worm;
    worm->head++;
    worm->front_out = NULL;
    if (worm->head == worm->tail) {
        worm->head = worm->tail = 0; // so that one place is used mostly
        return;
    }
    slack_front(channel);
    channel->network->flow->popped(channel);
}

// A lost packet's tail still comes through the channels upstream: they must not touch the packet
// any more.
static void worm_forget_packet(struct channel *channel, const struct packet *packet)
{
    while (channel && channel->worm->held && channel->worm->packet == packet) {
        channel->worm->packet = NULL;
        channel = channel->worm->feeder;
    }
}

// Returns what goes on to the channel's end: the packet, or NULL if it is lost; on a link that
// repeats packets maybe a duplicate.
static struct packet *worm_judge(struct channel *channel, struct packet *packet, sim_time end)
{
    struct worm *worm = channel->worm;
    enum drop_cause cause;
    if (worm->repeats) {
        packet = repeater_send(channel->repeater, packet, worm->granted, end);
        if (!packet)
            channel_count_seldom(channel, LINK_DISCARDED, 1);
        return packet;
    }
    if (channel_judge(channel, packet, worm->granted, end, &cause))
        return packet;
    worm_forget_packet(channel, packet);
    channel_drop(channel, packet, cause);
    if (worm->to_limited)
        channel->to.station->credits++;
    return NULL;
}

// Sends the packet on: to the slack buffer of the next switch, or in whole to an end that stores
// it.
static inline void worm_forward(struct channel *channel, struct packet *packet)
{
    struct worm *worm = channel->worm;
    sim_time end = worm->granted + channel_time(channel, worm->length);
    worm->buffered = false;
    if (worm->careful)
        packet = worm_judge(channel, packet, end);
    worm->lost = !packet;
    if (worm->lost)
        return; // it takes its time on the channel nevertheless
    worm->packet = packet;
    worm->corrupt = packet->corrupt;
    if (worm->to_cuts) {
        worm->buffered = true;
        slack_append(channel, packet);
    } else {
        channel_schedule_arrival(channel, packet, worm->granted, end);
        channel_trace_delay(channel, packet->message, end);
    }
}

// since: when the packet reached the channel's sender.
static void worm_grant(struct channel *channel, struct packet *packet, struct channel *feeder,
                       sim_time since)
{
    struct worm *worm = channel->worm;
    struct network *network = channel->network;
    channel_trace_packet(channel, packet, since, engine_now(network->engine));
    worm->held = true;
    worm->cut = false;
    worm->granted = engine_now(network->engine);
    worm->length = channel_packet_bytes(channel, packet);
    channel_count_packet(channel, worm->length, packet->idle);
    if (worm->to_limited) {
        channel->to.station->credits--;
        worm_count_closed(channel, worm->granted);
    }
    worm->packet = packet;
    worm->notifies = packet->sent != NULL;
    if (worm->notifies) {
        worm->sent = packet->sent;
        packet->sent = NULL;
    }
    if (network->sim->trace)
        worm->message = packet->message;
    worm->feeder = feeder;
    network->hops++;
    channel_trace_step(channel, packet, worm->granted);
    worm_forward(channel, packet);
    network->flow->start(channel);
    worm_look_for_cycle(channel);
}

// The packet is cut if the cable is pulled out before its last byte leaves at `when`.
static void worm_note_cut(struct channel *channel, sim_time when)
{
    struct worm *worm = channel->worm;
    if (!worm->packet || !link_faults_cut(channel->faults, worm->granted, when))
        return;
    if (worm->repeats) {
        repeater_cut(channel->repeater, worm->packet);
        return;
    }
    struct packet *packet = worm->packet;
    if (packet->cut_on && packet->cut_on != PACKET_STOMPED)
        channel_count_arrived(&channel->network->channels[packet->cut_on - 1], true); // cut again
    packet->cut_on = 1 + (uint32_t)(channel - channel->network->channels);
    worm->cut = true;
}

void worm_ends(struct channel *channel, sim_time when)
{
    struct worm *worm = channel->worm;
    if (channel->faults)
        worm_note_cut(channel, when);
    worm->event.run = worm_release;
    engine_schedule(channel->network->engine, &worm->event,
                    when + channel_time(channel, channel->gap));
}

// Records that one more packet, or one less, waits for the channel at its sender.
static void worm_trace_queue(const struct channel *channel, enum trace_note_kind kind)
{
    const struct sim *sim = channel->network->sim;
    trace_note(sim->trace, channel->wire_lane,
               &(struct trace_note){.kind = kind, .from = sim_now(sim), .to = sim_now(sim)});
}

void worm_enter(struct channel *channel, struct packet *packet)
{
    struct worm *worm = channel->worm;
    if (!worm->held) {
        worm_grant(channel, packet, NULL, engine_now(channel->network->engine));
        return;
    }
    const struct output_queue *queue = &channel->queue;
    if ((queue->limit && worm->queued >= queue->limit) ||
        (queue->byte_limit && worm->queued_bytes + packet->wire_bytes > queue->byte_limit)) {
        channel_drop(channel, packet, DROP_FULL);
        return;
    }
    FIFO_APPEND(worm->first, worm->last, packet, next);
    worm->queued++;
    worm->queued_bytes += packet->wire_bytes;
    worm_count_waiting(channel, 1, packet->wire_bytes);
    worm_trace_queue(channel, TRACE_JOIN);
}

static void worm_next_queued(struct channel *channel)
{
    struct worm *worm = channel->worm;
    struct packet *packet = worm->first;
    if (!packet)
        return;
    worm->first = packet->next;
    worm->queued--;
    worm->queued_bytes -= packet->wire_bytes;
    worm_count_waiting(channel, -1, packet->wire_bytes);
    worm_trace_queue(channel, TRACE_LEAVE);
    // At a station it has waited since it was sent, at a switch since it arrived.
    worm_grant(channel, packet, NULL, channel->from.node ? packet->event.when : packet->born);
}

static void worm_wake(struct channel *channel)
{
    struct worm *worm = channel->worm;
    struct engine *engine = channel->network->engine;
    if (!worm->held && worm_closed(channel) && worm->closed_since == TIME_NEVER)
        worm->closed_since = engine_now(engine);
    if (worm->held || worm_closed(channel) || event_pending(&worm->event))
        return;
    worm->event.run = worm_arbitrate;
    engine_schedule(engine, &worm->event, engine_now(engine));
}

bool worm_closed(const struct channel *channel)
{
    return channel->worm->to_limited &&
           (channel->to.station->credits == 0 || channel->to.station->held);
}

void worm_open(struct channel *channel)
{
    if (channel->worm->waiting)
        worm_wake(channel);
}

// The front packet of an input requests its output.
static void worm_ask(struct channel *input, struct packet *packet)
{
    struct channel *output = packet->route->channels[packet->hop];
    input->worm->asked = engine_now(input->network->engine);
    input->worm->next_waiting = output->worm->waiting;
    output->worm->waiting = input;
    worm_count_waiting(output, 1, packet->wire_bytes);
    worm_wake(output);
    worm_look_for_cycle(input);
}

void worm_head_arrive(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    worm_ask(packet->route->channels[packet->hop - 1], packet);
}

// Removes from the waiting inputs the next one after the input served last.
static struct channel *worm_choose(struct channel *output)
{
    struct worm *worm = output->worm;
    int ports = worm->ports, nearest = ports;
    struct channel **chosen = &worm->waiting;
    g_assert(worm->waiting);
    bool several = worm->waiting->worm->next_waiting != NULL;
    for (struct channel **input = chosen; several && *input;
         input = &(*input)->worm->next_waiting) {
        int distance = ((*input)->worm->port - worm->last_port - 1 + ports) % ports;
        if (distance < nearest) {
            nearest = distance;
            chosen = input;
        }
    }
    struct channel *input = *chosen;
    *chosen = input->worm->next_waiting;
    worm->last_port = (int16_t)input->worm->port;
    return input;
}

static void worm_trace_packet(const struct channel *channel, sim_time now)
{
    struct trace *trace = channel->network->sim->trace;
    const struct worm *worm = channel->worm;
    if (!trace)
        return;
    sim_time end = now - channel_time(channel, channel->gap);
    sim_time least = worm->granted + channel_time(channel, worm->length);
    if (end > least)
        trace_note(trace, channel->wire_lane,
                   &(struct trace_note){.kind = TRACE_STALL, .from = least, .to = end});
    trace_span(trace, channel->wire_lane, worm->lost ? &channel_lost_stage : &channel_packet_stage,
               worm->granted, end, worm->message);
    trace_note(trace, channel->wire_lane,
               &(struct trace_note){.kind = TRACE_GAP, .from = end, .to = now});
}

// Runs after all releases and requests of its time: those are scheduled in advance, this for the
// current time.
static void worm_arbitrate(struct engine *engine, struct event *event)
{
    struct channel *output = channel_of(event);
    struct channel *input = worm_choose(output);
    struct packet *packet = slack_at(input->worm, input->worm->head)->packet;
    sim_time now = engine_now(engine), ready = slack_at(input->worm, input->worm->head)->ready;
    worm_count_waiting(output, -1, packet->wire_bytes);
    if (now > input->worm->asked)
        trace_span(output->network->sim->trace, output->queue_lane, &channel_waits_stage,
                   input->worm->asked, now, packet->message);
    trace_queued(output->network->sim->trace, output->wire_lane, input->worm->asked, now);
    trace_note(output->network->sim->trace, output->wire_lane,
               &(struct trace_note){.kind = TRACE_ASKED, .from = input->worm->asked});
    input->worm->front_out = output;
    packet->hop++;
    packet->route_bytes -= input->route_bytes;
    worm_grant(output, packet, input, ready);
}

static void worm_serve_next(struct channel *channel)
{
    if (!channel->worm->from_cuts)
        worm_next_queued(channel);
    else if (channel->worm->waiting)
        worm_wake(channel);
}

static void worm_release(struct engine *engine, struct event *event)
{
    struct channel *channel = channel_of(event);
    struct worm *worm = channel->worm;
    sim_time now = engine_now(engine);
    worm_trace_packet(channel, now);
    channel->meter.counts[LINK_BUSY] += now - worm->granted;
    sim_time held = worm_held_back(channel, now - channel_time(channel, channel->gap));
    if (held > 0) {
        channel_count_seldom(channel, LINK_HELD_TIME, held);
        channel_count_seldom(channel, LINK_HELD, 1);
    }
    if (worm->buffered && !worm->lost && !worm->cut)
        channel_count_arrived(channel, worm->corrupt);
    worm->held = false;
    if (worm->repeats)
        worm->held = worm->kept = worm_keeps(channel, now);
    if (worm->notifies)
        engine_schedule(engine, worm->sent, now);
    if (worm->feeder)
        slack_pop(worm->feeder);
    if (worm->held)
        worm_keep(channel);
    else
        worm_serve_next(channel);
}

// ---- Repeats ----

// A copy has left a channel with a repeater. Returns true if no new packet may start now.
static bool worm_keeps(struct channel *channel, sim_time now)
{
    struct repeater *repeater = channel->repeater;
    repeater_left(repeater, now - channel_time(channel, channel->gap));
    return repeater_due(repeater) || repeater_opens(repeater) > now;
}

// The bytes come from the repeater, not from a slack buffer.
static void worm_repeat(struct channel *channel)
{
    struct worm *worm = channel->worm;
    struct network *network = channel->network;
    struct repeater_copy copy = repeater_next(channel->repeater);
    worm->kept = false;
    worm->held = true;
    worm->cut = false;
    worm->granted = engine_now(network->engine);
    worm->length = copy.length;
    channel_count_packet(channel, copy.length, 0);
    worm->packet = copy.packet;
    worm->message = copy.message;
    worm->notifies = false;
    worm->feeder = NULL;
    network->hops++;
    if (copy.packet)
        channel_trace_packet(channel, copy.packet, worm->granted, worm->granted);
    worm_forward(channel, copy.packet);
    network->flow->start(channel);
    worm_look_for_cycle(channel);
}

static void worm_window_opens(struct engine *engine, struct event *event)
{
    (void)engine;
    struct channel *channel = channel_of(event);
    channel->worm->held = channel->worm->kept = false;
    worm_serve_next(channel);
}

// Holds the channel for a repeat, or until the window has room.
static void worm_keep(struct channel *channel)
{
    struct worm *worm = channel->worm;
    struct engine *engine = channel->network->engine;
    sim_time opens = repeater_opens(channel->repeater);
    worm->feeder = NULL;
    worm->packet = NULL;
    if (repeater_due(channel->repeater)) {
        worm_repeat(channel);
    } else if (opens != TIME_NEVER) {
        worm->event.run = worm_window_opens;
        engine_schedule(engine, &worm->event, opens);
    }
}

void worm_go_back(struct channel *channel)
{
    struct worm *worm = channel->worm;
    if (worm->held && !worm->kept)
        return; // worm_release
    engine_cancel(channel->network->engine, &worm->event);
    worm_repeat(channel);
}

// ---- What is blocked ----

bool worm_blocked(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    return worm && worm->held && !worm->kept && channel->network->flow->blocked(channel);
}

// A blocked channel becomes free only after the one that it waits for, and so on: around a cycle
// none ever does.
void worm_look_for_cycle(struct channel *channel)
{
    struct network *network = channel->network;
    if (!network->on_deadlock)
        return;
    // More steps than channels: the walk is in a cycle that excludes this channel.
    const struct channel *at = channel;
    for (int step = 0; step <= network->channel_count; step++) {
        if (!worm_blocked(at))
            return;
        at = worm_waits_for(at);
        if (at == channel)
            break;
    }
    network_deadlocked(network);
}

struct channel *worm_waits_for(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    if (worm->front_out)
        return worm->front_out;
    const struct packet *front = slack_at(worm, worm->head)->packet;
    return front->route->channels[front->hop];
}

static void describe_packet(GString *text, const struct channel *channel,
                            const struct packet *packet)
{
    const struct network *network = channel->network;
    const struct topology *topology = network->topology;
    int from = network->stations[route_from(packet->route)].host;
    int to = network->stations[route_to(packet->route)].host;
    g_string_append_printf(text, "packet from %s to %s",
                           g_array_index(topology->hosts, struct topology_node, from).name,
                           g_array_index(topology->hosts, struct topology_node, to).name);
}

char *worm_describe(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    char *name = channel_name(channel), *next = channel_name(worm_waits_for(channel));
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s is held by the ", name);
    if (worm->packet)
        describe_packet(text, channel, worm->packet);
    else
        g_string_append(text, "end of a packet that is lost");
    if (worm->front_out) {
        g_string_append_printf(text, ", which is held back on %s", next);
    } else {
        const struct packet *front = slack_at(worm, worm->head)->packet;
        g_string_append(text, front == worm->packet ? ", which waits for " : ", behind the ");
        if (front != worm->packet) {
            describe_packet(text, channel, front);
            g_string_append(text, ", which waits for ");
        }
        g_string_append(text, next);
        if (worm_closed(worm_waits_for(channel)))
            g_string_append(text, ", whose station has no place for it");
        else if (worm_waits_for(channel)->worm->kept)
            g_string_append(text, ", whose window is full");
    }
    g_free(name);
    g_free(next);
    return g_string_free(text, FALSE);
}
