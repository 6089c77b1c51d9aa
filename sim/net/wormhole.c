// SPDX-License-Identifier: GPL-3.0-or-later
// Wormhole channels, a few events a hop whatever the packet's length.
//
// What is modelled, byte by byte: a channel sends the bytes of the packet that holds it one after
// the other; a byte can start when the one before it has left and when the slack buffer at the far
// end, of B bytes, has a place for it (STOP and GO act at once: a place counts as taken from the
// byte's start on the wire until its start on the next channel). The buffer is first in, first out.
// When a packet stands in front, its header has been in for the switch's latency, and the port has
// sent the packet before it, it asks for its output; an output serves the inputs that ask round
// robin, and is held from the grant until the tail and the gap behind it have left. All that
// happens at one time is known before a grant of that time.
//
// Of a packet in front, a switch that is source-routed first takes the route bytes out of the
// buffer, one in a byte time, as all bytes leave it; the latency has this in it. So a packet asks R
// byte times after the one before it has left at the earliest, and its route bytes leave the buffer
// in the R byte times before it asks. On the next channel it is shorter by R bytes.
//
// How it is computed: let F(c, P, n) be the time at which n bytes of P have left channel c, granted
// at g. Then
//     F(c, P, n) = max(g + n byte times, F(c', Q, m)),
// where Q's m-th byte is the one that stands B bytes before P's n-th in the stream through the
// buffer behind c (it may be P's own, and is then n - B), less R, for Q is shorter there, and c'
// the channel that Q takes from there. If Q's byte is a route byte, the second term is the time at
// which it has been taken out. What has left the buffer for good no longer counts. So the end of a
// transmission is a chain of a term a hop downstream, known as soon as all packets in the chain are
// granted; a grant can only change the channels upstream of it, one a hop. The formula supposes
// that a byte is always there when its turn comes, which holds if B bytes take at least as long as
// header, propagation and switch latency; network_check sees to it.
//
// Not modelled: STOP and GO thresholds with their delay on the wire (worm_left is the place for
// them); a link that goes down under a packet that is held back (windows are compared with the time
// the packet would take unhindered).
#include "sim/net/wormhole.h"

// A packet in a slack buffer, wholly or in part.
struct slack_entry {
    struct packet *packet; // only valid until it is granted its next channel
    int64_t length;
    sim_time ready; // its header is in, and the latency has passed
};

struct worm {
    struct channel *channel;

    // The sending end.
    bool held;
    bool buffered;         // what is sent goes into the slack buffer at the far end
    sim_time granted;      // when the holder got the channel
    int64_t length;        // bytes of the holder
    struct packet *packet; // the holder; only valid while its tail is held back
    struct message_ref message;
    const char *span;       // what the trace calls it
    struct event *sent;     // of network_send
    struct event release;   // tail and gap have left
    uint64_t walk;          // of worm_left, that came by here last
    int64_t walk_bytes;     // and asked for so many bytes
    struct event arbitrate; // at the end of an instant at which it became free or was asked for

    // Who wants it: inputs of its switch, or packets of a station or a store-and-forward switch.
    struct channel *feeder;  // the input that the holder comes from; NULL: none
    struct channel *waiting; // inputs that ask, through next_waiting
    int last_port;           // the input served last
    struct packet *first, *last;
    int64_t queued, queued_bytes;

    // The far end, if it cuts through: the slack buffer of that input.
    struct slack_entry *entries; // ring; capacity is a power of two
    uint32_t head, tail, capacity;
    int64_t slack;                // B
    int64_t header;               // bytes before a packet can be switched
    int64_t route_bytes;          // R
    struct channel *front_out;    // granted to the packet in front; NULL: not yet
    struct channel *next_waiting; // beside this input at an output
    sim_time asked;               // when the packet in front asks, or has asked
};

static void worm_release(struct engine *engine, struct event *event);
static void worm_arbitrate(struct engine *engine, struct event *event);

static bool cuts_through(const struct channel_end *end)
{
    return end->node && !end->node->discipline->stores;
}

struct worm *worm_new(struct channel *channel)
{
    struct worm *worm = g_new0(struct worm, 1);
    worm->channel = channel;
    worm->last_port = -1;
    event_init(&worm->release, worm_release);
    event_init(&worm->arbitrate, worm_arbitrate);
    if (cuts_through(&channel->to)) {
        worm->slack = channel->to.node->config->slack;
        worm->header = channel->preamble + channel->to.node->config->header;
        worm->route_bytes = channel->to.node->config->route_bytes;
    }
    return worm;
}

void worm_free(struct worm *worm)
{
    if (worm)
        g_free(worm->entries);
    g_free(worm);
}

// ---- The slack buffer ----

static struct slack_entry *slack_at(const struct worm *worm, uint32_t index)
{
    return &worm->entries[index & (worm->capacity - 1)];
}

static void slack_grow(struct worm *worm)
{
    uint32_t capacity = worm->capacity ? 2 * worm->capacity : 4;
    struct slack_entry *entries = g_new(struct slack_entry, capacity);
    for (uint32_t i = worm->head; i != worm->tail; i++)
        entries[i & (capacity - 1)] = *slack_at(worm, i);
    g_free(worm->entries);
    worm->entries = entries;
    worm->capacity = capacity;
}

static void worm_ask(struct channel *input, struct packet *packet);

// The packet that is now in front asks for its output as soon as it may.
static void slack_front(struct channel *channel)
{
    struct worm *worm = channel->worm;
    const struct slack_entry *front = slack_at(worm, worm->head);
    struct engine *engine = channel->network->engine;
    sim_time now = engine_now(engine);
    worm->asked = MAX(front->ready, now + channel_time(channel, worm->route_bytes));
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
    int64_t header = MIN(worm->header, worm->length);
    channel_trace_delay(channel, packet->message, worm->granted + channel_time(channel, header));
    *slack_at(worm, worm->tail++) = (struct slack_entry){
        .packet = packet,
        .length = worm->length,
        .ready = worm->granted + channel_time(channel, header) + channel->delay,
    };
    if (worm->tail - worm->head == 1)
        slack_front(channel);
}

// ---- When a packet leaves ----

// When the first n bytes of the channel's holder have left it: F of the head comment. False if that
// depends on a grant that is still to come, or on itself: around a cycle of full buffers every byte
// waits for the next.
static bool worm_left(const struct channel *channel, int64_t n, sim_time *when)
{
    uint64_t walk = ++channel->network->walks;
    *when = 0;
    for (;;) {
        struct worm *worm = channel->worm;
        if (worm->walk == walk && worm->walk_bytes <= n)
            return false;
        worm->walk = walk;
        worm->walk_bytes = n;
        *when = MAX(*when, worm->granted + channel_time(channel, n));
        if (!worm->buffered)
            return true;
        // The byte that has to leave the buffer before the n-th can enter it.
        n -= worm->slack;
        uint32_t entry = worm->tail - 1;
        while (n < 1 && entry != worm->head)
            n += slack_at(worm, --entry)->length;
        if (n < 1)
            return true;
        if (entry != worm->head)
            return false;
        n -= worm->route_bytes;
        if (n < 1) {
            *when = MAX(*when, worm->asked - channel_time(channel, -n));
            return true;
        }
        if (!worm->front_out)
            return false;
        channel = worm->front_out;
    }
}

// Schedules the holder's end, as far as it is known. False if it was known before: it is final, and
// nothing upstream changes either. (It could not even be computed again, for packets that it
// depends on may have left the buffer.)
static bool worm_schedule_release(struct channel *channel)
{
    struct worm *worm = channel->worm;
    sim_time when;
    if (event_pending(&worm->release))
        return false;
    if (worm_left(channel, worm->length, &when))
        engine_schedule(channel->network->engine, &worm->release,
                        when + channel_time(channel, channel->gap));
    return true;
}

// Schedules the ends of the holders upstream of `origin`, whose end or first in the slack buffer
// has become known; in a cycle of held channels that comes back to it.
static void worm_schedule_upstream(const struct channel *origin, struct channel *channel)
{
    while (channel && channel != origin && channel->worm->held && worm_schedule_release(channel))
        channel = channel->worm->feeder;
}

// ---- Grants ----

// The packet in front has left the buffer. The route bytes of the next one leave without a grant,
// which may be what the tail behind them waits for.
static void slack_pop(struct channel *channel)
{
    struct worm *worm = channel->worm;
    worm->head++;
    worm->front_out = NULL;
    if (worm->head == worm->tail)
        return;
    slack_front(channel);
    if (worm->route_bytes && worm->held && worm_schedule_release(channel))
        worm_schedule_upstream(channel, worm->feeder);
}

// The packet on its way: to the slack buffer of the next switch, or in whole to where it is stored.
static void worm_forward(struct channel *channel, struct packet *packet)
{
    struct worm *worm = channel->worm;
    struct engine *engine = channel->network->engine;
    sim_time end = worm->granted + channel_time(channel, worm->length);
    enum drop_cause cause;
    worm->span = "packet";
    worm->buffered = false;
    if (channel->faults && !channel_judge(channel, packet, worm->granted, end, &cause)) {
        // It takes its time on the channel all the same.
        worm->span = "packet (lost)";
        channel_drop(channel, packet, cause);
        if (channel->to.station && channel->to.station->limited)
            channel->to.station->places++;
    } else if (cuts_through(&channel->to)) {
        worm->buffered = true;
        slack_append(channel, packet);
    } else {
        packet->event.run = channel->arrive;
        engine_schedule(engine, &packet->event, end + channel->delay);
        channel_trace_delay(channel, packet->message, end);
    }
}

static void worm_grant(struct channel *channel, struct packet *packet, struct channel *feeder)
{
    struct worm *worm = channel->worm;
    struct network *network = channel->network;
    worm->held = true;
    worm->granted = engine_now(network->engine);
    worm->length = channel_packet_bytes(channel, packet);
    if (channel->to.station && channel->to.station->limited)
        channel->to.station->places--;
    worm->packet = packet;
    worm->message = packet->message;
    worm->sent = packet->sent;
    packet->sent = NULL;
    worm->feeder = feeder;
    network->hops++;
    channel_trace_step(channel, packet, worm->granted);
    worm_forward(channel, packet);
    worm_schedule_release(channel);
    worm_schedule_upstream(channel, feeder);
    worm_look_for_cycle(channel);
}

// One more packet waits for the channel at its sender, or one less.
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
        worm_grant(channel, packet, NULL);
        return;
    }
    const struct output_queue *queue = &channel->queue;
    if ((queue->limit && worm->queued >= queue->limit) ||
        (queue->byte_limit && worm->queued_bytes + packet->wire_bytes > queue->byte_limit)) {
        channel_drop(channel, packet, DROP_FULL);
        return;
    }
    packet->next = NULL;
    if (worm->first)
        worm->last->next = packet;
    else
        worm->first = packet;
    worm->last = packet;
    worm->queued++;
    worm->queued_bytes += packet->wire_bytes;
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
    worm_trace_queue(channel, TRACE_LEAVE);
    worm_grant(channel, packet, NULL);
}

static void worm_wake(struct channel *channel)
{
    struct worm *worm = channel->worm;
    struct engine *engine = channel->network->engine;
    if (!worm->held && !worm_closed(channel) && !event_pending(&worm->arbitrate))
        engine_schedule(engine, &worm->arbitrate, engine_now(engine));
}

bool worm_closed(const struct channel *channel)
{
    const struct station *to = channel->to.station;
    return to && to->limited && to->places == 0;
}

void worm_open(struct channel *channel)
{
    if (channel->worm->waiting)
        worm_wake(channel);
}

// The packet in front of an input asks for its output.
static void worm_ask(struct channel *input, struct packet *packet)
{
    struct channel *output = packet->route->channels[packet->hop];
    input->worm->asked = engine_now(input->network->engine);
    input->worm->next_waiting = output->worm->waiting;
    output->worm->waiting = input;
    worm_wake(output);
    worm_look_for_cycle(input);
}

void worm_head_arrive(struct engine *engine, struct event *event)
{
    (void)engine;
    struct packet *packet = container_of(event, struct packet, event);
    worm_ask(packet->route->channels[packet->hop - 1], packet);
}

// Takes from those that wait the input that is next after the one served last.
static struct channel *worm_choose(struct channel *output)
{
    struct worm *worm = output->worm;
    int ports = output->from.node->ports, nearest = ports;
    struct channel **chosen = NULL;
    for (struct channel **input = &worm->waiting; *input; input = &(*input)->worm->next_waiting) {
        int distance = ((*input)->to.port - worm->last_port - 1 + ports) % ports;
        if (distance < nearest) {
            nearest = distance;
            chosen = input;
        }
    }
    g_assert(chosen);
    struct channel *input = *chosen;
    *chosen = input->worm->next_waiting;
    worm->last_port = input->to.port;
    return input;
}

// Runs behind all releases and requests of its time: these are scheduled ahead, and this for the
// current time.
static void worm_arbitrate(struct engine *engine, struct event *event)
{
    struct worm *worm = container_of(event, struct worm, arbitrate);
    struct channel *output = worm->channel;
    struct channel *input = worm_choose(output);
    struct packet *packet = slack_at(input->worm, input->worm->head)->packet;
    sim_time now = engine_now(engine);
    if (now > input->worm->asked)
        trace_span(output->network->sim->trace, output->queue_lane, "waits", input->worm->asked,
                   now, packet->message);
    trace_queued(output->network->sim->trace, output->wire_lane, input->worm->asked, now);
    input->worm->front_out = output;
    packet->hop++;
    packet->route_bytes -= (uint16_t)input->worm->route_bytes;
    worm_grant(output, packet, input);
}

static void worm_release(struct engine *engine, struct event *event)
{
    struct worm *worm = container_of(event, struct worm, release);
    struct channel *channel = worm->channel;
    sim_time now = engine_now(engine);
    trace_span(channel->network->sim->trace, channel->wire_lane, worm->span, worm->granted,
               now - channel_time(channel, channel->gap), worm->message);
    trace_note(channel->network->sim->trace, channel->wire_lane,
               &(struct trace_note){.kind = TRACE_GAP,
                                    .from = now - channel_time(channel, channel->gap),
                                    .to = now});
    worm->held = false;
    if (worm->sent)
        engine_schedule(engine, worm->sent, now);
    if (worm->feeder)
        slack_pop(worm->feeder);
    if (!cuts_through(&channel->from))
        worm_next_queued(channel);
    else if (worm->waiting)
        worm_wake(channel);
}

// ---- What is blocked ----

bool worm_blocked(const struct channel *channel)
{
    const struct worm *worm = channel->worm;
    return worm && worm->held && !event_pending(&worm->release);
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
    describe_packet(text, channel, worm->packet);
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
    }
    g_free(name);
    g_free(next);
    return g_string_free(text, FALSE);
}
