// SPDX-License-Identifier: GPL-3.0-or-later
// The wormhole network against a byte-by-byte reference, on hundreds of small random cases: every
// start and end of every packet on every channel, and every arrival, must be the same to the
// picosecond.
//
// The reference knows no formula: it moves single bytes by the rules that stand at the heads of
// wormhole.c, credits.c and stop_go.c. In particular it asks of each byte whether it is there,
// which they leave out as always true, and moves each STOP and each GO.
#include "sim/net/fabric.h"
#include "sim/net/network.h"
#include "sim/net/wormhole.h"
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include "sim/core/random.h"

#include <CUnit/CUnit.h>

#define MOST_HOPS 8
#define MOST_PACKETS 14
#define CASES 6000
#define SYMBOL_CASES 6000

// ---- The reference ----

struct ref_packet {
    int from, to; // stations
    sim_time send;
    int hops;
    int64_t lengths[MOST_HOPS];      // on each channel: shorter by the route bytes taken off
    struct channel *path[MOST_HOPS]; // only for the route and the parameters
    sim_time *starts[MOST_HOPS];     // of each byte
    int64_t started[MOST_HOPS];      // bytes
    int64_t taken[MOST_HOPS];        // route bytes, out of the channel's buffer
    bool queued, granted[MOST_HOPS];
    sim_time grants[MOST_HOPS];
};

struct ref_channel {
    int holder, hop; // packet and its hop; holder -1: free
    sim_time free_at;
    int last_port;
    int64_t occupied; // bytes started on the channel and not yet on the next
    GQueue buffer;    // packets (index + 1) in the slack buffer, and the hop with which they came
    sim_time front_since; // the packet in front of the buffer stands there
    GQueue source;        // packets (index + 1) that wait at the station
    // With STOP and GO: times at which bytes will be in the buffer, and out of it; symbols by the
    // time of their arrival.
    GQueue in, out, symbols;
    int64_t level;
    bool said_stop, heard_stop;
};

struct reference {
    struct network *network;
    struct ref_packet *packets;
    int packet_count;
    struct ref_channel *channels;
    GTree *times; // at which something may happen
    sim_time now;
    bool symbols; // STOP and GO are sent
    int64_t stops, gos;
    int64_t overflows, gaps; // bytes that found no place, or were not there when their turn came
};

static gint time_order(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void ref_look_at(struct reference *ref, sim_time when)
{
    g_tree_insert(ref->times, g_memdup2(&when, sizeof when), NULL);
}

static struct ref_channel *ref_channel(struct reference *ref, const struct channel *channel)
{
    return &ref->channels[channel - ref->network->channels];
}

static int hop_on(const struct ref_packet *packet, const struct channel *channel)
{
    int hop = 0;
    while (packet->path[hop] != channel)
        hop++;
    return hop;
}

static const struct switch_config *buffer_at(const struct channel *channel)
{
    return channel->to.node ? channel->to.node->config : NULL;
}

static sim_time propagation(const struct channel *channel)
{
    const struct switch_config *buffer = buffer_at(channel);
    return channel->delay - (buffer ? buffer->latency : 0);
}

// ---- STOP and GO ----

static void ref_push(struct reference *ref, GQueue *times, sim_time when)
{
    g_queue_push_tail(times, g_memdup2(&when, sizeof when));
    ref_look_at(ref, when);
}

static int ref_pop_due(const struct reference *ref, GQueue *times)
{
    int due = 0;
    for (sim_time *when; (when = g_queue_peek_head(times)) && *when <= ref->now; due++)
        g_free(g_queue_pop_head(times));
    return due;
}

// Symbols are sent by what the buffers hold now, and those that are in are heeded.
static void ref_exchange_symbols(struct reference *ref)
{
    for (int i = 0; ref->symbols && i < ref->network->channel_count; i++) {
        const struct channel *channel = &ref->network->channels[i];
        const struct switch_config *buffer = buffer_at(channel);
        struct ref_channel *state = &ref->channels[i];
        if (!buffer)
            continue;
        state->level += ref_pop_due(ref, &state->in);
        state->level -= ref_pop_due(ref, &state->out);
        ref->overflows += state->level > buffer->slack;
        if (state->said_stop ? state->level <= buffer->go : state->level >= buffer->stop) {
            state->said_stop = !state->said_stop;
            *(state->said_stop ? &ref->stops : &ref->gos) += 1;
            ref_push(ref, &state->symbols, ref->now + channel->byte_time + propagation(channel));
        }
        if (ref_pop_due(ref, &state->symbols))
            state->heard_stop = !state->heard_stop;
    }
}

// ---- Bytes ----

static void ref_grant(struct reference *ref, int number, int hop)
{
    struct ref_packet *packet = &ref->packets[number];
    struct ref_channel *state = ref_channel(ref, packet->path[hop]);
    state->holder = number;
    state->hop = hop;
    state->free_at = ref->now;
    packet->granted[hop] = true;
    packet->grants[hop] = ref->now;
    if (!buffer_at(packet->path[hop]))
        return;
    if (g_queue_is_empty(&state->buffer))
        state->front_since = ref->now;
    g_queue_push_tail(&state->buffer, GINT_TO_POINTER(number + 1));
}

static void ref_pop(struct reference *ref, const struct channel *input)
{
    struct ref_channel *state = ref_channel(ref, input);
    sim_time take = input->byte_time * buffer_at(input)->route_bytes;
    g_queue_pop_head(&state->buffer);
    state->front_since = ref->now;
    for (sim_time when = 0; when <= take; when += input->byte_time)
        ref_look_at(ref, ref->now + when);
}

// The tail and the gap have left: the channel is free, and the buffer that the packet came from has
// lost it.
static void ref_releases(struct reference *ref)
{
    for (int i = 0; i < ref->network->channel_count; i++) {
        const struct channel *channel = &ref->network->channels[i];
        struct ref_channel *state = &ref->channels[i];
        if (state->holder < 0)
            continue;
        struct ref_packet *packet = &ref->packets[state->holder];
        sim_time tau = channel->byte_time;
        int64_t length = packet->lengths[state->hop];
        if (packet->started[state->hop] < length ||
            packet->starts[state->hop][length - 1] + tau * (1 + channel->gap) != ref->now)
            continue;
        if (state->hop > 0)
            ref_pop(ref, packet->path[state->hop - 1]);
        state->holder = -1;
    }
}

static void ref_sources(struct reference *ref)
{
    for (int i = 0; i < ref->packet_count; i++) {
        struct ref_packet *packet = &ref->packets[i];
        if (packet->send == ref->now && !packet->queued) {
            packet->queued = true;
            g_queue_push_tail(&ref_channel(ref, packet->path[0])->source, GINT_TO_POINTER(i + 1));
        }
    }
    for (int i = 0; i < ref->network->channel_count; i++) {
        struct ref_channel *state = &ref->channels[i];
        if (state->holder < 0 && !g_queue_is_empty(&state->source))
            ref_grant(ref, GPOINTER_TO_INT(g_queue_pop_head(&state->source)) - 1, 0);
    }
}

// When the packet's header will have been in for the switch's latency; TIME_NEVER: not yet known.
static sim_time ref_ready(const struct ref_packet *packet, int hop)
{
    const struct channel *input = packet->path[hop];
    int64_t header = MIN(packet->lengths[hop], input->preamble + buffer_at(input)->header);
    if (packet->started[hop] < header)
        return TIME_NEVER;
    sim_time in = packet->starts[hop][header - 1] + input->byte_time + propagation(input);
    return in + buffer_at(input)->latency;
}

// Takes the route bytes of packets in front out of the buffers, as far as they are due.
static void ref_take_route_bytes(struct reference *ref)
{
    for (int i = 0; i < ref->network->channel_count; i++) {
        const struct channel *input = &ref->network->channels[i];
        struct ref_channel *state = &ref->channels[i];
        if (!buffer_at(input) || g_queue_is_empty(&state->buffer))
            continue;
        struct ref_packet *packet =
            &ref->packets[GPOINTER_TO_INT(g_queue_peek_head(&state->buffer)) - 1];
        int hop = hop_on(packet, input);
        int64_t route_bytes = buffer_at(input)->route_bytes;
        sim_time ready = ref_ready(packet, hop), tau = input->byte_time;
        if (ready == TIME_NEVER || packet->taken[hop] == route_bytes)
            continue;
        sim_time due =
            MAX(ready - route_bytes * tau, state->front_since) + packet->taken[hop] * tau;
        if (due > ref->now)
            continue;
        packet->taken[hop]++;
        state->occupied--;
        ref_push(ref, &state->out, ref->now + tau);
        ref_look_at(ref, due + tau);
    }
}

// The packet in front of an input that asks for this output now, or -1.
static int ref_request(struct reference *ref, const struct channel *input,
                       const struct channel *output)
{
    struct ref_channel *state = ref_channel(ref, input);
    if (g_queue_is_empty(&state->buffer))
        return -1;
    int number = GPOINTER_TO_INT(g_queue_peek_head(&state->buffer)) - 1;
    const struct ref_packet *packet = &ref->packets[number];
    int hop = hop_on(packet, input);
    if (packet->path[hop + 1] != output || packet->granted[hop + 1])
        return -1;
    sim_time alone = state->front_since + buffer_at(input)->route_bytes * input->byte_time;
    return MAX(ref_ready(packet, hop), alone) <= ref->now ? number : -1;
}

static void ref_arbitrate(struct reference *ref)
{
    for (int i = 0; i < ref->network->channel_count; i++) {
        const struct channel *output = &ref->network->channels[i];
        struct ref_channel *state = &ref->channels[i];
        if (state->holder >= 0 || !output->from.node)
            continue;
        int ports = output->from.node->ports;
        for (int step = 1; step <= ports && state->holder < 0; step++) {
            int port = (state->last_port + step) % ports;
            const struct channel *back = output->from.node->out[port];
            const struct channel *input =
                &ref->network->channels[(back - ref->network->channels) ^ 1];
            int number = ref_request(ref, input, output);
            if (number < 0)
                continue;
            state->last_port = port;
            ref_grant(ref, number, hop_on(&ref->packets[number], output));
        }
    }
}

// The flow control lets the channel's next byte go.
static bool ref_may_send(const struct reference *ref, const struct channel *channel,
                         const struct ref_channel *state)
{
    const struct switch_config *buffer = buffer_at(channel);
    return !buffer || (ref->symbols ? !state->heard_stop : state->occupied < buffer->slack);
}

// Starts the next byte on a channel if the wire is free, the byte is there, and there is a place
// for it.
static bool ref_start_byte(struct reference *ref, int index)
{
    const struct channel *channel = &ref->network->channels[index];
    struct ref_channel *state = &ref->channels[index];
    if (state->holder < 0 || state->free_at > ref->now)
        return false;
    struct ref_packet *packet = &ref->packets[state->holder];
    int hop = state->hop;
    int64_t byte = packet->started[hop];
    if (byte == packet->lengths[hop])
        return false;
    if (!ref_may_send(ref, channel, state))
        return false;
    sim_time tau = channel->byte_time;
    if (hop > 0) {
        const struct channel *before = packet->path[hop - 1];
        int64_t behind = byte + buffer_at(before)->route_bytes;
        if (behind >= packet->started[hop - 1] ||
            packet->starts[hop - 1][behind] + tau + propagation(before) > ref->now) {
            ref->gaps++;
            return false;
        }
        g_assert(packet->taken[hop - 1] == buffer_at(before)->route_bytes);
        ref_channel(ref, before)->occupied--;
        ref_push(ref, &ref_channel(ref, before)->out, ref->now + tau);
    }
    if (buffer_at(channel)) {
        state->occupied++;
        ref_push(ref, &state->in, ref->now + tau + propagation(channel));
    }
    packet->starts[hop][byte] = ref->now;
    packet->started[hop]++;
    state->free_at = ref->now + tau;
    ref_look_at(ref, ref->now + tau);
    ref_look_at(ref, ref->now + tau * (1 + channel->gap));
    ref_look_at(ref, ref->now + tau + propagation(channel));
    ref_look_at(ref, ref->now + tau + channel->delay);
    if (buffer_at(channel))
        ref_look_at(ref, ref->now + tau + channel->delay - tau * buffer_at(channel)->route_bytes);
    return true;
}

static void ref_run(struct reference *ref)
{
    for (GTreeNode *first; (first = g_tree_node_first(ref->times));) {
        ref->now = *(const int64_t *)g_tree_node_key(first);
        g_tree_remove(ref->times, g_tree_node_key(first));
        ref_exchange_symbols(ref);
        ref_releases(ref);
        ref_sources(ref);
        ref_take_route_bytes(ref);
        ref_arbitrate(ref);
        for (bool moved = true; moved;) {
            moved = false;
            for (int i = 0; i < ref->network->channel_count; i++)
                moved |= ref_start_byte(ref, i);
        }
    }
}

static struct reference *ref_new(struct network *network, struct ref_packet *packets, int count)
{
    struct reference *ref = g_new0(struct reference, 1);
    ref->network = network;
    ref->packets = packets;
    ref->packet_count = count;
    ref->channels = g_new0(struct ref_channel, network->channel_count);
    ref->symbols = network->flow == &stop_go_flow_control;
    ref->times = g_tree_new_full(time_order, NULL, g_free, NULL);
    for (int i = 0; i < network->channel_count; i++)
        ref->channels[i].holder = ref->channels[i].last_port = -1;
    for (int i = 0; i < count; i++) {
        for (int hop = 0; hop < packets[i].hops; hop++)
            packets[i].starts[hop] = g_new(sim_time, packets[i].lengths[hop]);
        ref_look_at(ref, packets[i].send);
    }
    return ref;
}

static void ref_free(struct reference *ref)
{
    for (int i = 0; i < ref->packet_count; i++)
        for (int hop = 0; hop < ref->packets[i].hops; hop++)
            g_free(ref->packets[i].starts[hop]);
    for (int i = 0; i < ref->network->channel_count; i++) {
        g_queue_clear_full(&ref->channels[i].in, g_free);
        g_queue_clear_full(&ref->channels[i].out, g_free);
        g_queue_clear_full(&ref->channels[i].symbols, g_free);
    }
    g_tree_unref(ref->times);
    g_free(ref->channels);
    g_free(ref);
}

// ---- A random case ----

static const int64_t rates[] = {2000000000, 1280000000, 1000000000, 100000000};

static int64_t pick(struct random_stream *random, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(random, (uint64_t)(most - least + 1));
}

static struct link_config random_link(struct random_stream *random)
{
    struct link_config link = topology_wormhole_link();
    link.rate = rates[random_below(random, G_N_ELEMENTS(rates))];
    link.propagation = random_chance(random, 0.3) ? 0 : pick(random, 0, 60 * TIME_NS);
    if (random_chance(random, 0.5)) {
        link.preamble = pick(random, 0, 8);
        link.gap = pick(random, 0, 12);
        link.least_frame = pick(random, 0, 64);
    }
    return link;
}

// The least slack that network_check allows, or somewhat more.
static struct switch_config random_switch(struct random_stream *random,
                                          const struct link_config *link)
{
    struct switch_config node = topology_wormhole_switch();
    sim_time tau = time_of_bytes(1, link->rate);
    node.latency = random_chance(random, 0.3) ? 0 : pick(random, 0, 20 * tau);
    node.header = pick(random, 1, 4);
    if (random_chance(random, 0.7))
        node.route_bytes = pick(random, 0, node.header);
    node.route_bytes = MIN(node.route_bytes, node.latency / tau);
    sim_time wait = (link->preamble + node.header) * tau + link->propagation + node.latency;
    node.slack = (wait + tau - 1) / tau;
    if (random_chance(random, 0.7))
        node.slack += pick(random, 0, 100);
    return node;
}

// The least thresholds that network_check allows, or somewhat more.
static void random_thresholds(struct random_stream *random, const struct link_config *link,
                              struct switch_config *node)
{
    sim_time tau = time_of_bytes(1, link->rate);
    int64_t trip = (2 * (link->propagation + tau) + tau - 1) / tau;
    node->go = MAX(trip, link->preamble + node->header);
    if (random_chance(random, 0.5))
        node->go += pick(random, 0, 40);
    node->stop = node->go + (random_chance(random, 0.5) ? 1 : pick(random, 1, 60));
    node->slack = node->stop + trip - 1 + (random_chance(random, 0.5) ? 0 : pick(random, 0, 60));
    node->slack = MAX(node->slack, node->stop + 1);
}

// A tree of switches, now and then with two links between two of them: it can't deadlock.
static struct topology *random_tree(struct random_stream *random, bool symbols)
{
    struct link_config link = random_link(random);
    int switches = (int)pick(random, 1, 4), hosts = (int)pick(random, 2, 6);
    struct topology *topology = topology_new(hosts, switches);
    for (int i = 0; i < switches; i++) {
        struct switch_config node = random_switch(random, &link);
        if (symbols)
            random_thresholds(random, &link, &node);
        topology_set_switch(topology, i, &node);
    }
    for (int i = 1; i < switches; i++) {
        int other = random_chance(random, 0.6) ? i - 1 : (int)pick(random, 0, i - 1);
        for (int twins = random_chance(random, 0.2) ? 2 : 1; twins > 0; twins--)
            topology_add_link(topology, hosts + i, hosts + other, &link);
    }
    for (int i = 0; i < hosts; i++)
        topology_add_link(topology, i, hosts + (int)pick(random, 0, switches - 1), &link);
    return topology;
}

// A ring of switches with a host each, on which all packets go in one direction: they may end in a
// deadlock, and must do so in both.
static struct topology *random_ring(struct random_stream *random, bool symbols)
{
    struct link_config link = random_link(random);
    int count = (int)pick(random, 3, 5);
    struct topology *topology = topology_new(count, count);
    for (int i = 0; i < count; i++) {
        struct switch_config node = random_switch(random, &link);
        if (symbols)
            random_thresholds(random, &link, &node);
        topology_set_switch(topology, i, &node);
        topology_add_link(topology, i, count + i, &link);
        topology_add_link(topology, count + i, count + (i + 1) % count, &link);
    }
    int via[5], links[6] = {-1, -1, -1, -1, -1, -1};
    for (int from = 0; from < count; from++) {
        for (int hops = 1; hops < count; hops++) {
            for (int hop = 0; hop <= hops; hop++)
                via[hop] = count + (from + hop) % count;
            topology_add_route(topology, from, (from + hops) % count, hops + 1, via, links);
        }
    }
    return topology;
}

static void random_packet(struct random_stream *random, struct network *network,
                          struct ref_packet *packet, sim_time span)
{
    *packet = (struct ref_packet){0};
    packet->from = (int)pick(random, 0, network_stations(network) - 1);
    do
        packet->to = (int)pick(random, 0, network_stations(network) - 1);
    while (packet->to == packet->from);
    // A small set of times makes ties.
    packet->send =
        random_chance(random, 0.5) ? pick(random, 0, 4) * (span / 4) : pick(random, 0, span);
    const struct route *route = network_route(network, packet->from, packet->to);
    packet->hops = route->links;
    g_assert(packet->hops > 0 && packet->hops <= MOST_HOPS);
    for (int i = 0; i < packet->hops; i++)
        packet->path[i] = route->channels[i];
}

// ---- The simulation of the same case ----

struct sending {
    struct event event;
    struct network *network;
    const struct ref_packet *plan;
    uint32_t wire_bytes;
    struct message_ref message;
    sim_time arrived;
};

static void send_now(struct engine *engine, struct event *event)
{
    (void)engine;
    struct sending *sending = container_of(event, struct sending, event);
    struct packet *packet = packet_new(sending->network);
    packet->route = network_route(sending->network, sending->plan->from, sending->plan->to);
    packet->wire_bytes = sending->wire_bytes;
    packet->message = sending->message;
    *packet_header(packet, struct sending *) = sending;
    network_send(sending->network, packet, NULL);
}

static void note_arrival(void *owner, struct packet *packet)
{
    struct network *network = owner;
    (*packet_header(packet, struct sending *))->arrived = engine_now(network->engine);
    packet_free(network, packet);
}

// True if the packet was on the channel at the same times in both, or never left it in either.
static bool same_hop(const struct span_log *log, const struct sending *sending, int hop)
{
    const struct ref_packet *plan = sending->plan;
    const struct channel *channel = plan->path[hop];
    char *name = channel_name(channel), *lane = g_strconcat("wire ", name, NULL);
    const struct span *span = span_find(log, lane, sending->message);
    g_free(lane);
    g_free(name);
    int64_t length = plan->lengths[hop];
    if (!span || plan->started[hop] < length)
        return !span && plan->started[hop] < length;
    sim_time end = plan->starts[hop][length - 1] + channel->byte_time;
    return span->from == plan->grants[hop] && span->to == end;
}

static bool same_times(const struct span_log *log, const struct sending *sending)
{
    const struct ref_packet *plan = sending->plan;
    int last = plan->hops - 1;
    for (int hop = 0; hop <= last; hop++)
        if (!same_hop(log, sending, hop))
            return false;
    int64_t length = plan->lengths[last];
    if (plan->started[last] < length)
        return sending->arrived == -1;
    const struct channel *channel = plan->path[last];
    sim_time in = plan->starts[last][length - 1] + channel->byte_time + channel->delay;
    return sending->arrived == in;
}

struct tally {
    int packets, stalled, blocked, routed;
    int different;
    int64_t stops, gos;
    bool symbols; // the cases are of STOP and GO
};

static void tally_packet(struct tally *tally, const struct span_log *log,
                         const struct sending *sending)
{
    const struct ref_packet *packet = sending->plan;
    int last = packet->hops - 1;
    tally->packets++;
    tally->different += !same_times(log, sending);
    tally->blocked += packet->started[last] < packet->lengths[last];
    int64_t length = packet->lengths[0];
    sim_time unhindered = (length - 1) * packet->path[0]->byte_time;
    bool stalled = packet->started[0] == length &&
                   packet->starts[0][length - 1] - packet->starts[0][0] > unhindered;
    tally->stalled += stalled;
    tally->routed += stalled && length > packet->lengths[last];
}

// A packet is longer by the route bytes of the switches still ahead.
static void set_lengths(struct ref_packet *packet, int64_t bytes)
{
    for (int hop = packet->hops - 1; hop >= 0; hop--) {
        const struct switch_config *buffer = buffer_at(packet->path[hop]);
        bytes += buffer ? buffer->route_bytes : 0;
        packet->lengths[hop] = bytes;
    }
}

static void random_traffic(struct random_stream *random, struct sim *sim, struct network *network,
                           struct ref_packet *packets, struct sending *sendings, int count)
{
    sim_time span = pick(random, 0, 200) * network->channels[0].byte_time;
    for (int i = 0; i < count; i++) {
        random_packet(random, network, &packets[i], span);
        uint32_t wire_bytes = (uint32_t)pick(random, 1, random_chance(random, 0.5) ? 30 : 300);
        set_lengths(&packets[i], channel_bytes(packets[i].path[0], wire_bytes));
        sendings[i] = (struct sending){
            .network = network,
            .plan = &packets[i],
            .wire_bytes = wire_bytes,
            .message = ledger_open(sim->ledger, packets[i].from, packets[i].to, wire_bytes, 0),
            .arrived = -1,
        };
        event_init(&sendings[i].event, send_now);
        engine_schedule(sim->engine, &sendings[i].event, packets[i].send);
    }
}

static void note_deadlock(void *owner)
{
    *(bool *)owner = true;
}

static void run_case(uint64_t seed, struct tally *tally)
{
    struct random_stream *random = random_new(seed, "wormhole reference");
    struct topology *topology = random_chance(random, 0.3) ? random_ring(random, tally->symbols)
                                                           : random_tree(random, tally->symbols);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_TRUE_FATAL(network_check(topology, diags));
    struct span_log *log = span_log_new();
    struct sim *sim = sim_new(seed, &log->trace);
    struct network *network = network_new(sim, topology);
    for (int i = 0; i < network_stations(network); i++)
        network_attach(network, i, note_arrival, network);
    int count = (int)pick(random, 1, MOST_PACKETS), blocked = tally->blocked;
    struct ref_packet packets[MOST_PACKETS];
    struct sending sendings[MOST_PACKETS];
    random_traffic(random, sim, network, packets, sendings, count);
    bool told = false;
    network_on_deadlock(network, note_deadlock, &told);
    struct reference *ref = ref_new(network, packets, count);
    ref_run(ref);
    engine_run(sim->engine, TIME_NEVER);
    for (int i = 0; i < count; i++)
        tally_packet(tally, log, &sendings[i]);
    SUITE_SAME_INTEGER(ref->overflows, 0);
    SUITE_SAME_INTEGER(ref->gaps, 0);
    if (ref->symbols) {
        SUITE_SAME_INTEGER(*network->stops, ref->stops);
        SUITE_SAME_INTEGER(*network->gos, ref->gos);
    }
    tally->stops += ref->stops;
    tally->gos += ref->gos;
    GPtrArray *lines = network_describe_blocked(network);
    CU_ASSERT_EQUAL(lines != NULL && lines->len > 0, tally->blocked > blocked);
    CU_ASSERT_EQUAL(told, lines != NULL);
    if (lines)
        g_ptr_array_unref(lines);
    ref_free(ref);
    network_free(network);
    sim_free(sim);
    span_log_free(log);
    diag_list_free(diags);
    topology_free(topology);
    random_free(random);
}

static void test_random_cases(void)
{
    struct tally tally = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++)
        run_case(seed, &tally);
    SUITE_SAME_INTEGER(tally.different, 0);
    // Enough cases must hold back packets while they leave the station, some of them with route
    // bytes, and some must deadlock.
    CU_ASSERT(tally.stalled > CASES / 4);
    CU_ASSERT(tally.routed > CASES / 8);
    CU_ASSERT(tally.blocked > 0);
}

// Slack buffers with thresholds, often as small as network_check allows: no byte is lost in one,
// none is missing when its turn comes, and all times and the number of symbols are those of the
// reference.
static void test_random_symbols(void)
{
    struct tally tally = {.symbols = true};
    for (uint64_t seed = 1; seed <= SYMBOL_CASES; seed++)
        run_case(seed, &tally);
    SUITE_SAME_INTEGER(tally.different, 0);
    CU_ASSERT(tally.stalled > SYMBOL_CASES / 4);
    CU_ASSERT(tally.routed > SYMBOL_CASES / 8);
    CU_ASSERT(tally.blocked > 0);
    CU_ASSERT(tally.stops > SYMBOL_CASES);
    CU_ASSERT(tally.gos > SYMBOL_CASES / 2);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the same times as byte by byte", test_random_cases},
        {"STOP and GO as byte by byte", test_random_symbols},
        {NULL, NULL},
    };
    return suite_run("net: wormhole reference", cases);
}
