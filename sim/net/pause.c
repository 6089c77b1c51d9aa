// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/pause.h"

#include "sim/core/fifo.h"

#define PAUSE_FRAME_BYTES 64   // IEEE 802.3, 31B: a frame of least length
#define PAUSE_QUANTUM_BYTES 64 // 512 bit times

static const struct stage paused_stage = {"paused", STAGE_FOR_BUFFER};
static const struct stage pause_frame_stage = {"PAUSE frame", STAGE_WIRE};

struct pausing {
    struct channel *channel;
    struct pausing *reverse;    // of the link's other direction; NULL: no PAUSE frames on it
    struct packet *head, *tail; // that wait; channel->queue has since when
    struct event turn;          // the next frame can start
    sim_time until;             // the far end's pause
    sim_time since;             // its time up to here is counted
    struct event *again;        // of the station: it may send again
    bool sends;                 // PAUSE frames for `reverse` go out here
    int64_t quanta;             // of an XOFF
    bool wanted;                // `reverse` is to be paused
    bool off;                   // the last frame sent was XOFF
    bool due;                   // a frame is to be sent
    struct event renew;         // the XOFF ends soon
    int flying;                 // frames on the wire
    int reasons;                // queues of the switch here that want it
    int64_t high, low;          // marks of this channel's queue; 0: it asks for no pause
    bool *asks;                 // by port of the switch: this queue wants its link paused
    int asked;                  // how many
    uint64_t walk;              // the last search for a cycle that came here
};

static sim_time pausing_now(const struct pausing *pausing)
{
    return engine_now(pausing->channel->network->engine);
}

static sim_time pausing_free_at(const struct pausing *pausing)
{
    sim_time free = MAX(pausing->channel->busy_until, pausing->until);
    return MAX(free, pausing_now(pausing));
}

static bool pausing_idle(const struct pausing *pausing)
{
    return !pausing->head && !pausing->due && pausing_free_at(pausing) == pausing_now(pausing);
}

static void pausing_set(struct pausing *pausing, struct event *event, sim_time when)
{
    if (!event_pending(event) || event->when != when)
        engine_reschedule(pausing->channel->network->engine, event, when);
}

// Sets the time of the next turn, and of the station's next chance.
static void pausing_plan(struct pausing *pausing)
{
    struct engine *engine = pausing->channel->network->engine;
    sim_time now = engine_now(engine);
    if (pausing->due)
        pausing_set(pausing, &pausing->turn, MAX(pausing->channel->busy_until, now));
    else if (pausing->head)
        pausing_set(pausing, &pausing->turn, pausing_free_at(pausing));
    else
        engine_cancel(engine, &pausing->turn);
    if (pausing->again && event_pending(pausing->again))
        pausing_set(pausing, pausing->again, pausing_free_at(pausing));
}

// ---- PAUSE frames ----

void pausing_count(const struct channel *channel)
{
    struct pausing *pausing = channel->pausing;
    if (!pausing)
        return;
    sim_time now = pausing_now(pausing), end = MIN(now, pausing->until);
    if (end > pausing->since) {
        channel_count_seldom(pausing->channel, LINK_PAUSED, end - pausing->since);
        if (channel->from.node)
            trace_span(channel->network->sim->trace, channel->queue_lane, &paused_stage,
                       pausing->since, end, MESSAGE_NONE);
    }
    pausing->since = now;
}

static void pause_arrive(struct engine *engine, struct event *event)
{
    struct packet *packet = container_of(event, struct packet, event);
    struct pausing *from = packet->token, *to = from->reverse;
    struct channel *channel = from->channel;
    from->flying--;
    channel_count_arrived(channel, packet->corrupt);
    if (packet->corrupt) {
        channel_drop(channel, packet, DROP_CHECK);
        return;
    }
    channel_count_seldom(channel, LINK_PAUSES_ARRIVED, 1);
    int64_t quanta = *packet_header(packet, int64_t);
    packet_free(channel->network, packet);
    pausing_count(to->channel);
    to->until = engine_now(engine) + channel_time(to->channel, PAUSE_QUANTUM_BYTES * quanta);
    pausing_plan(to);
    if (quanta > 0 && pausing_in_cycle(to->channel))
        network_deadlocked(channel->network);
}

static struct packet *pause_frame(struct pausing *pausing)
{
    struct packet *packet = packet_new(pausing->channel->network);
    packet->wire_bytes = PAUSE_FRAME_BYTES;
    packet->token = pausing;
    *packet_header(packet, int64_t) = pausing->wanted ? pausing->quanta : 0;
    packet->event.run = pause_arrive;
    return packet;
}

static void pause_send(struct pausing *pausing)
{
    struct channel *channel = pausing->channel;
    struct engine *engine = channel->network->engine;
    struct packet *packet = pause_frame(pausing);
    pausing->off = pausing->wanted;
    pausing->due = false;
    int64_t bytes = channel_packet_bytes(channel, packet);
    sim_time start = engine_now(engine), end = start + channel_time(channel, bytes);
    sim_time quantum = channel_time(channel, PAUSE_QUANTUM_BYTES);
    channel_occupy(channel, packet, start, bytes);
    channel_count_seldom(channel, LINK_PAUSES, 1);
    trace_span(channel->network->sim->trace, channel->wire_lane, &pause_frame_stage, start, end,
               MESSAGE_NONE);
    if (pausing->wanted)
        engine_reschedule(engine, &pausing->renew,
                          channel->busy_until + quantum * pausing->quanta / 2);
    else
        engine_cancel(engine, &pausing->renew);
    enum drop_cause cause;
    if (channel->faults && !channel_judge(channel, packet, start, end, &cause)) {
        channel_drop(channel, packet, cause);
        return;
    }
    pausing->flying++;
    sim_time latency = channel->to.node ? channel->to.node->config->latency : 0;
    engine_schedule(engine, &packet->event, end + channel->delay - latency);
}

static void pause_renew(struct engine *engine, struct event *event)
{
    (void)engine;
    struct pausing *pausing = container_of(event, struct pausing, renew);
    pausing->due |= pausing->wanted;
    pausing_plan(pausing);
}

static void pause_want(struct pausing *pausing, bool wanted)
{
    pausing->wanted = wanted;
    pausing->due = wanted != pausing->off;
    pausing_plan(pausing);
}

// ---- A queue of a switch that asks for pauses ----

static struct pausing *pausing_of_port(const struct pausing *queue, int port)
{
    return queue->channel->from.node->out[port]->pausing;
}

// The queue is above its mark: the link that brings the packet is to be paused.
static void queue_ask(struct pausing *queue, const struct packet *packet)
{
    int port = packet->route->channels[packet->hop - 2]->to.port;
    struct pausing *toward = pausing_of_port(queue, port);
    if (!toward || !toward->sends || queue->asks[port])
        return;
    queue->asks[port] = true;
    queue->asked++;
    if (toward->reasons++ == 0)
        pause_want(toward, true);
}

static void queue_release(struct pausing *queue)
{
    for (int port = 0; queue->asked > 0; port++) {
        if (!queue->asks[port])
            continue;
        queue->asks[port] = false;
        queue->asked--;
        struct pausing *toward = pausing_of_port(queue, port);
        if (--toward->reasons == 0)
            pause_want(toward, false);
    }
}

// ---- Packets ----

static void pausing_start(struct pausing *pausing)
{
    struct channel *channel = pausing->channel;
    struct packet *packet = pausing->head;
    pausing->head = packet->next;
    sim_time since = output_queue_take(&channel->queue);
    if (pausing->asked > 0 && channel->queue.bytes < pausing->low)
        queue_release(pausing);
    channel_start(channel, packet, since, pausing_now(pausing));
}

static void pausing_turn(struct engine *engine, struct event *event)
{
    (void)engine;
    struct pausing *pausing = container_of(event, struct pausing, turn);
    if (pausing->due)
        pause_send(pausing);
    else
        pausing_start(pausing);
    pausing_plan(pausing);
}

void pausing_enter(struct channel *channel, struct packet *packet)
{
    struct pausing *pausing = channel->pausing;
    struct output_queue *queue = &channel->queue;
    sim_time now = pausing_now(pausing);
    if (event_pending(&pausing->turn) && pausing->turn.when == now) {
        engine_cancel(channel->network->engine, &pausing->turn);
        pausing_turn(channel->network->engine, &pausing->turn);
    }
    if (pausing_idle(pausing)) {
        channel_start(channel, packet, now, now);
        return;
    }
    if (pausing->high > 0 && queue->bytes + packet->wire_bytes > pausing->high)
        queue_ask(pausing, packet);
    if (!output_queue_fits(queue, packet->wire_bytes)) {
        channel_drop(channel, packet, DROP_FULL);
        return;
    }
    output_queue_put(queue, now, packet->wire_bytes);
    channel_count_queue(channel, queue->tail - queue->head, queue->bytes, now);
    FIFO_APPEND(pausing->head, pausing->tail, packet, next);
    pausing_plan(pausing);
}

// ---- Cycles of paused switches ----

// Nothing but a frame of the far end changes its state, and that comes only when a queue there has
// shrunk. A link that may lose the far end's renewals opens some time.
bool pausing_blocked(const struct channel *channel)
{
    const struct pausing *pausing = channel->pausing, *far = pausing ? pausing->reverse : NULL;
    return far && pausing->head && pausing->until > pausing_now(pausing) && far->reasons > 0 &&
           far->off && far->flying == 0 && !far->channel->faults;
}

static bool pausing_leads_to(const struct channel *from, const struct channel *to, uint64_t walk)
{
    const struct fabric_switch *node = from->to.node;
    for (int i = 0; i < node->ports; i++) {
        struct pausing *queue = node->out[i]->pausing;
        if (!queue || queue->asked == 0 || !queue->asks[from->to.port])
            continue;
        if (queue->walk == walk || !pausing_blocked(queue->channel))
            continue;
        queue->walk = walk;
        if (queue->channel == to || pausing_leads_to(queue->channel, to, walk))
            return true;
    }
    return false;
}

bool pausing_in_cycle(const struct channel *channel)
{
    return pausing_blocked(channel) &&
           pausing_leads_to(channel, channel, ++channel->network->walks);
}

char *pausing_describe(const struct channel *channel)
{
    uint32_t waiting = channel->queue.tail - channel->queue.head;
    char *name = channel_name(channel);
    char *text = g_strdup_printf("%s is paused by %s, with %u packet%s that wait", name,
                                 channel->to.node->name, waiting, waiting == 1 ? "" : "s");
    g_free(name);
    return text;
}

// ---- Stations ----

static bool end_may(const struct channel_end *end, enum pause_mode mode)
{
    int has = end->node ? end->node->config->pause : end->station->pause.mode;
    return (has & (int)mode) != 0;
}

bool network_sends_pause(const struct network *network, int station)
{
    const struct pausing *pausing = network->stations[station].out->pausing;
    return pausing && pausing->sends;
}

void network_pause(struct network *network, int station, bool hold)
{
    if (network_sends_pause(network, station))
        pause_want(network->stations[station].out->pausing, hold);
}

bool network_station_free(struct network *network, int station, struct event *again)
{
    struct pausing *pausing = network->stations[station].out->pausing;
    if (!pausing || pausing_idle(pausing))
        return true;
    pausing->again = again;
    pausing_set(pausing, again, pausing_free_at(pausing));
    return false;
}

// ---- Create and free ----

static struct pausing *pausing_need(struct channel *channel)
{
    struct pausing *pausing = channel->pausing;
    if (pausing)
        return pausing;
    pausing = channel->pausing = g_new0(struct pausing, 1);
    pausing->channel = channel;
    event_init(&pausing->turn, pausing_turn);
    event_init_background(&pausing->renew, pause_renew);
    return pausing;
}

// The other direction of the channel's link; NULL: a loopback cable has none.
static struct channel *channel_back(const struct channel *channel)
{
    struct channel *back = &channel->network->channels[2 * channel->link + !channel->side];
    return back->network ? back : NULL;
}

static bool link_has_pause(const struct channel *channel)
{
    const struct topology *topology = channel->network->topology;
    const struct topology_link *link = g_ptr_array_index(topology->links, (guint)channel->link);
    const struct link_config *config = link->values->values;
    return config->pause == LINK_PAUSE_NEGOTIATED && config->window == 0 && !channel->worm &&
           channel_back(channel);
}

// An end sends PAUSE frames if it can and the other obeys them.
static void pausing_settle(struct channel *channel)
{
    if (!link_has_pause(channel) || !end_may(&channel->from, PAUSE_SEND) ||
        !end_may(&channel->to, PAUSE_OBEY))
        return;
    struct pausing *out = pausing_need(channel), *back = pausing_need(channel_back(channel));
    out->sends = true;
    out->reverse = back;
    back->reverse = out;
    struct station *station = channel->from.station;
    out->quanta = station ? station->pause.quanta : channel->from.node->config->pause_time;
    if (station && station->pause.begin) {
        station->begin = station->pause.begin;
        station->head = station->pause.head;
    }
}

void network_offer_pause(struct network *network, int station, const struct pause_offer *offer)
{
    struct station *at = &network->stations[station];
    at->pause = *offer;
    pausing_settle(at->out);
    pausing_settle(at->in);
}

static void pausing_mark(struct channel *channel)
{
    const struct fabric_switch *node = channel->from.node;
    struct pausing *queue = pausing_need(channel);
    queue->high = switch_pause_high(node->config);
    queue->low = switch_pause_low(node->config);
    queue->asks = g_new0(bool, node->ports);
}

void pausing_build(struct network *network)
{
    for (int i = 0; i < network->channel_count; i++) {
        struct channel *channel = &network->channels[i];
        if (!channel->network || channel->worm)
            continue;
        if (channel->from.node && end_may(&channel->from, PAUSE_SEND))
            pausing_mark(channel);
        if (channel->from.node && channel->to.node)
            pausing_settle(channel);
    }
}

void pausing_free(struct pausing *pausing)
{
    if (!pausing)
        return;
    g_free(pausing->asks);
    g_free(pausing);
}

bool pausing_possible(const struct channel *channel)
{
    return channel->pausing && channel->pausing->reverse;
}
