// SPDX-License-Identifier: GPL-3.0-or-later
// PAUSE frames: one paused stream in closed form, expiry and renewal, what is negotiated, queues
// that ask for pauses, and switches that pause each other in a circle.
#include "sim/core/link_load.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <string.h>

#define PAUSE_BYTES 64
#define QUANTA 100

static struct link_config gigabit(void)
{
    struct link_config link = topology_link_defaults();
    link.rate = 1000000000;
    return link;
}

static struct switch_config pausing_switch(int mode)
{
    struct switch_config node = topology_switch_defaults();
    node.queue = 0;
    node.pause = mode;
    node.pause_time = QUANTA;
    return node;
}

static void offer(struct probe *probe, int station, int mode, int64_t quanta)
{
    const struct pause_offer offer = {.mode = mode, .quanta = quanta};
    network_offer_pause(probe->network, station, &offer);
}

// ---- One paused stream ----

struct hold {
    struct event event;
    struct probe *probe;
    int station;
    bool hold;
};

static void hold_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct hold *hold = container_of(event, struct hold, event);
    network_pause(hold->probe->network, hold->station, hold->hold);
}

static void hold_at(struct hold *hold, struct probe *probe, sim_time when, int station, bool on)
{
    *hold = (struct hold){.probe = probe, .station = station, .hold = on};
    event_init(&hold->event, hold_event);
    engine_schedule(probe->sim->engine, &hold->event, when);
}

static const struct link_load *load_of(const GPtrArray *loads, const char *name)
{
    for (guint i = 0; i < loads->len; i++) {
        const struct link_load *load = g_ptr_array_index(loads, i);
        if (strcmp(load->name, name) == 0)
            return load;
    }
    return NULL;
}

enum { FRAMES = 60, BYTES = 1518, SLOT = 1538 * 8000, PAUSE_SLOT = 84 * 8000 };

struct stream {
    struct topology *topology;
    struct probe *probe;
    struct link_config link;
    sim_time first; // when its first frame begins on the second link
    struct hold holds[2];
};

// FRAMES from node0 to node1, and the pause of node1 (or of the switch, if it is `at` node0).
static void stream_new(struct stream *stream, int switch_mode, int station_mode)
{
    struct switch_config node = pausing_switch(switch_mode);
    node.pause_high = 1000000;
    stream->topology = topology_new(2, 1);
    topology_set_switches(stream->topology, &node);
    struct link_config plain = gigabit();
    topology_add_link(stream->topology, 0, 2, &plain);
    topology_add_link(stream->topology, 1, 2, &stream->link);
    stream->probe = probe_checked(stream->topology, NULL);
    offer(stream->probe, 1, station_mode, QUANTA);
    for (int i = 0; i < FRAMES; i++)
        probe_send(stream->probe, 0, 0, 1, BYTES);
    stream->first = time_of_bytes(8 + BYTES, plain.rate) + plain.propagation + node.latency;
}

static void stream_free(struct stream *stream)
{
    CU_ASSERT(ledger_balanced(stream->probe->sim->ledger));
    probe_free(stream->probe);
    topology_free(stream->topology);
}

// Frames that would begin at or after `from` wait until `to`.
static void check_stream(const struct stream *stream, sim_time from, sim_time to)
{
    sim_time start = stream->first;
    int wrong = 0;
    for (guint i = 0; i < FRAMES; i++, start += SLOT) {
        const struct probe_packet *packet = g_ptr_array_index(stream->probe->packets, i);
        if (start >= from && start < to)
            start = to;
        wrong += packet->arrived !=
                 start + time_of_bytes(8 + BYTES, stream->link.rate) + stream->link.propagation;
    }
    SUITE_SAME_INTEGER(wrong, 0);
}

// From the request at an idle link until it has arrived.
static sim_time pause_way(const struct stream *stream)
{
    return time_of_bytes(8 + PAUSE_BYTES, stream->link.rate) + stream->link.propagation;
}

static void test_stream(void)
{
    static const sim_time lengths[] = {10 * TIME_US, 40 * TIME_US, 500 * TIME_US};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct stream stream = {.link = gigabit()};
        stream_new(&stream, PAUSE_OBEY, PAUSE_FULL);
        CU_ASSERT(network_sends_pause(stream.probe->network, 1));
        sim_time from = stream.first + 10 * SLOT + SLOT / 3;
        hold_at(&stream.holds[0], stream.probe, from, 1, true);
        hold_at(&stream.holds[1], stream.probe, from + lengths[i], 1, false);
        probe_run(stream.probe);
        check_stream(&stream, from + pause_way(&stream), from + lengths[i] + pause_way(&stream));
        GPtrArray *loads = network_link_loads(stream.probe->network);
        const struct link_load *back = load_of(loads, "node1->switch0");
        const struct link_load *there = load_of(loads, "switch0->node1");
        sim_time half = PAUSE_SLOT + QUANTA * 512 * TIME_NS / 2;
        int64_t frames = 2 + (lengths[i] - 1) / half;
        SUITE_SAME_INTEGER(back->counts[LINK_PAUSES], frames);
        SUITE_SAME_INTEGER(back->counts[LINK_PAUSES_ARRIVED], frames);
        SUITE_SAME_INTEGER(back->counts[LINK_PACKETS], frames);
        SUITE_SAME_INTEGER(back->counts[LINK_ARRIVED], frames);
        SUITE_SAME_INTEGER(there->counts[LINK_PAUSES], 0);
        SUITE_SAME_INTEGER(there->counts[LINK_PAUSED], lengths[i]);
        SUITE_SAME_INTEGER(there->counts[LINK_BUSY], FRAMES * (int64_t)SLOT);
        g_ptr_array_unref(loads);
        stream_free(&stream);
    }
}

// XON and the renewals are lost: the pause ends by itself.
static void test_expiry(void)
{
    int64_t lost[100];
    for (int i = 0; i < 100; i++)
        lost[i] = i + 2;
    struct stream stream = {.link = gigabit()};
    stream.link.drop_nth = (struct param_counts){lost, 100};
    stream.link.fault_direction = LINK_FAULTS_FORWARD;
    stream_new(&stream, PAUSE_OBEY, PAUSE_FULL);
    sim_time from = stream.first + 20 * SLOT + SLOT / 3, arrived = from + pause_way(&stream);
    hold_at(&stream.holds[0], stream.probe, from, 1, true);
    hold_at(&stream.holds[1], stream.probe, from + TIME_MS, 1, false);
    probe_run(stream.probe);
    check_stream(&stream, arrived, arrived + QUANTA * 512 * TIME_NS);
    stream_free(&stream);
}

// A damaged one is not obeyed.
static void test_corrupt(void)
{
    int64_t damaged[] = {1};
    struct stream stream = {.link = gigabit()};
    stream.link.corrupt_nth = (struct param_counts){damaged, 1};
    stream.link.fault_direction = LINK_FAULTS_FORWARD;
    stream_new(&stream, PAUSE_OBEY, PAUSE_FULL);
    sim_time from = stream.first + 20 * SLOT;
    hold_at(&stream.holds[0], stream.probe, from, 1, true);
    hold_at(&stream.holds[1], stream.probe, from + 10 * TIME_US, 1, false);
    probe_run(stream.probe);
    check_stream(&stream, from, from);
    stream_free(&stream);
}

// A PAUSE frame follows the frame on the wire, and goes before those that wait.
static void test_behind_a_frame(void)
{
    struct stream stream = {.link = gigabit()};
    stream_new(&stream, PAUSE_OBEY, PAUSE_FULL);
    sim_time from = stream.first + 20 * SLOT + SLOT / 3, length = 100 * TIME_US;
    for (int i = 0; i < 5; i++)
        probe_send(stream.probe, from - TIME_US, 1, 0, BYTES);
    hold_at(&stream.holds[0], stream.probe, from, 1, true);
    hold_at(&stream.holds[1], stream.probe, from + length, 1, false);
    probe_run(stream.probe);
    sim_time arrived = from - TIME_US + SLOT + pause_way(&stream);
    check_stream(&stream, arrived, from + length + pause_way(&stream));
    for (guint i = 0; i < 5; i++) {
        const struct probe_packet *packet = g_ptr_array_index(stream.probe->packets, FRAMES + i);
        SUITE_SAME_INTEGER(packet->left, from - TIME_US + (i + 1) * SLOT +
                                             (i > 0 ? PAUSE_SLOT : 0) + (i == 4 ? PAUSE_SLOT : 0));
    }
    stream_free(&stream);
}

// ---- Negotiation ----

// Whether the station comes to send, by what both ends do: IEEE 802.3, table 28B-3.
static void test_negotiation(void)
{
    for (int of_switch = PAUSE_NONE; of_switch <= PAUSE_FULL; of_switch++) {
        for (int of_station = PAUSE_NONE; of_station <= PAUSE_FULL; of_station++) {
            bool sends = (of_station & PAUSE_SEND) && (of_switch & PAUSE_OBEY);
            struct stream stream = {.link = gigabit()};
            stream_new(&stream, of_switch, of_station);
            CU_ASSERT_EQUAL(network_sends_pause(stream.probe->network, 1), sends);
            CU_ASSERT(!network_sends_pause(stream.probe->network, 0));
            probe_run(stream.probe);
            check_stream(&stream, 0, 0);
            stream_free(&stream);
        }
    }
    struct stream stream = {.link = gigabit()};
    stream.link.pause = LINK_PAUSE_NONE;
    stream_new(&stream, PAUSE_FULL, PAUSE_FULL);
    CU_ASSERT(!network_sends_pause(stream.probe->network, 1));
    probe_run(stream.probe);
    stream_free(&stream);
}

static void test_cable(void)
{
    struct link_config link = gigabit();
    struct topology *topology = topology_new(2, 0);
    topology_add_link(topology, 0, 1, &link);
    struct probe *probe = probe_checked(topology, NULL);
    offer(probe, 0, PAUSE_FULL, QUANTA);
    CU_ASSERT(!network_sends_pause(probe->network, 0));
    offer(probe, 1, PAUSE_OBEY, QUANTA);
    CU_ASSERT(network_sends_pause(probe->network, 0));
    CU_ASSERT(!network_sends_pause(probe->network, 1));
    probe_free(probe);
    topology_free(topology);
}

// ---- Queues ----

// Random traffic in a star: the times of all packets, and -1 of those that are lost.
static GArray *random_times(int mode, uint32_t seed)
{
    enum { HOSTS = 5, PACKETS = 2000 };
    struct switch_config node = pausing_switch(mode);
    struct link_config link = gigabit();
    node.queue = 7;
    node.queue_bytes = 9000;
    struct topology *topology = topology_star(HOSTS, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < HOSTS; i++)
        offer(probe, i, PAUSE_FULL, QUANTA);
    GRand *random = g_rand_new_with_seed(seed);
    for (int i = 0; i < PACKETS; i++) {
        int from = g_rand_int_range(random, 0, HOSTS);
        int to = (from + g_rand_int_range(random, 1, HOSTS)) % HOSTS;
        // To the picosecond, without ties: those are in the order of events.
        sim_time when = (sim_time)(g_rand_double(random) * 3e9);
        probe_send(probe, when, from, to, (uint32_t)g_rand_int_range(random, 64, 1519));
    }
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len + network_drops(probe->network), PACKETS);
    GArray *times = g_array_new(FALSE, FALSE, sizeof(sim_time));
    for (int i = 0; i < PACKETS; i++) {
        const struct probe_packet *packet = g_ptr_array_index(probe->packets, (guint)i);
        g_array_append_val(times, packet->arrived);
    }
    g_rand_free(random);
    probe_free(probe);
    topology_free(topology);
    return times;
}

// As long as nothing pauses, a link that could carry PAUSE frames is like any other.
static void test_same_without(void)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        GArray *with = random_times(PAUSE_OBEY, seed), *without = random_times(PAUSE_NONE, seed);
        int lost = 0, wrong = 0;
        for (guint i = 0; i < with->len; i++) {
            lost += g_array_index(with, sim_time, i) < 0;
            wrong += g_array_index(with, sim_time, i) != g_array_index(without, sim_time, i);
        }
        CU_ASSERT(lost > 0);
        SUITE_SAME_INTEGER(wrong, 0);
        g_array_unref(with);
        g_array_unref(without);
    }
}

// The bytes that may still come over a link after its pause was asked for: the PAUSE frame waits
// for a longest frame, its sender finishes one, and others are on the cable and in the switch.
static int64_t under_way(const struct link_config *link, const struct switch_config *node,
                         int64_t frame)
{
    sim_time longest = time_of_bytes(20 + frame, link->rate);
    sim_time time = 2 * longest + PAUSE_SLOT + 2 * link->propagation + node->latency;
    return time / (8 * TIME_NS) + frame;
}

// All hosts send to one and back. Returns the packets lost.
static uint64_t incast(int mode, uint32_t seed)
{
    enum { HOSTS = 6, PACKETS = 3000, FRAME = 9018 };
    struct switch_config node = pausing_switch(mode);
    struct link_config link = gigabit();
    node.pause_high = 20000;
    node.pause_time = 4096; // its renewal may wait for a longest frame
    node.queue_bytes = node.pause_high + (HOSTS - 1) * under_way(&link, &node, FRAME);
    struct topology *topology = topology_star(HOSTS, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    GRand *random = g_rand_new_with_seed(seed);
    for (int i = 0; i < HOSTS; i++)
        offer(probe, i, PAUSE_FULL, g_rand_int_range(random, 1, 4000));
    for (int i = 0; i < PACKETS; i++) {
        int other = g_rand_int_range(random, 1, HOSTS);
        bool back = g_rand_int_range(random, 0, 8) == 0;
        probe_send(probe, g_rand_int_range(random, 0, 20000) * TIME_US, back ? 0 : other,
                   back ? other : 0, (uint32_t)g_rand_int_range(random, 64, FRAME + 1));
    }
    probe_run(probe);
    uint64_t lost = network_drops(probe->network);
    SUITE_SAME_INTEGER(probe->arrivals->len, PACKETS - lost);
    g_rand_free(random);
    probe_free(probe);
    topology_free(topology);
    return lost;
}

static void test_incast(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        SUITE_SAME_INTEGER(incast(PAUSE_FULL, seed), 0);
        CU_ASSERT(incast(PAUSE_OBEY, seed) > 0);
    }
}

static void test_refused(void)
{
    struct link_config link = gigabit();
    struct switch_config node = pausing_switch(PAUSE_FULL);
    struct topology *topology = topology_star(2, &link, &node);
    topology_refused(topology,
                     "switch switch0 sends PAUSE frames, and has neither pause_high nor "
                     "queue_bytes: no queue would ask for any",
                     "set queue_bytes, of which half is the mark, or pause_high");
    node.pause_high = 3000;
    node.pause_low = 3001;
    topology_set_switches(topology, &node);
    topology_refused(topology,
                     "switch switch0 sends PAUSE frames, and has a pause_low above pause_high",
                     "end a pause below the mark at which it begins");
    node.queue_bytes = 2999;
    topology_set_switches(topology, &node);
    topology_refused(
        topology, "switch switch0 sends PAUSE frames, and has a pause_high above its queue_bytes",
        "leave room above the mark for what is under way");
    topology_free(topology);
}

// ---- Circles ----

enum { RING = 4 };

// Each host of a ring sends to the second next one, all in the same sense.
static struct topology *ring(const struct switch_config *node)
{
    struct link_config link = gigabit();
    struct topology *topology = topology_new(RING, RING);
    int between[RING], down[RING];
    topology_set_switches(topology, node);
    for (int i = 0; i < RING; i++)
        down[i] = topology_add_link(topology, i, RING + i, &link);
    for (int i = 0; i < RING; i++)
        between[i] = topology_add_link(topology, RING + i, RING + (i + 1) % RING, &link);
    for (int i = 0; i < RING; i++) {
        int next = (i + 1) % RING, last = (i + 2) % RING;
        topology_add_route(topology, i, last, 3, (const int[]){RING + i, RING + next, RING + last},
                           (const int[]){down[i], between[i], between[next], down[last]});
    }
    return topology;
}

static void stop(void *owner)
{
    struct probe *probe = owner;
    engine_stop(probe->sim->engine);
}

static struct probe *ring_run(const struct topology *topology, int station_mode)
{
    struct probe *probe = probe_checked(topology, NULL);
    for (int i = 0; i < RING; i++)
        offer(probe, i, station_mode, 4096);
    network_on_deadlock(probe->network, stop, probe);
    for (int i = 0; i < RING; i++)
        for (int k = 0; k < 200; k++)
            probe_send(probe, i, i, (i + 2) % RING, BYTES);
    probe_run(probe);
    return probe;
}

// Each switch waits for the next one's queue, for ever: the pauses are renewed.
static void test_circle(void)
{
    struct switch_config node = pausing_switch(PAUSE_FULL);
    node.queue_bytes = 60000;
    struct topology *topology = ring(&node);
    struct probe *probe = ring_run(topology, PAUSE_OBEY);
    CU_ASSERT(engine_stopped(probe->sim->engine));
    CU_ASSERT(network_blocked_in_cycle(probe->network));
    GPtrArray *lines = network_describe_blocked(probe->network);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lines);
    SUITE_SAME_INTEGER(lines->len, RING);
    SUITE_CONTAINS(g_ptr_array_index(lines, 0), "switch0->switch1 is paused by switch1, with ");
    SUITE_CONTAINS(g_ptr_array_index(lines, 3), "switch3->switch0 is paused by switch0, with ");
    g_ptr_array_unref(lines);
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    engine_run(probe->sim->engine, sim_now(probe->sim) + 100 * TIME_US); // those on the last links
    guint arrived = probe->arrivals->len;
    engine_run(probe->sim->engine, sim_now(probe->sim) + TIME_S);
    SUITE_SAME_INTEGER(probe->arrivals->len, arrived); // it was the end
    probe_free(probe);
    topology_free(topology);
}

// Ports that only obey pause nothing, so nothing is ever blocked; and a queue that no circle feeds
// moves on.
static void test_no_circle(void)
{
    struct switch_config node = pausing_switch(PAUSE_OBEY);
    struct topology *topology = ring(&node);
    struct probe *probe = ring_run(topology, PAUSE_FULL);
    CU_ASSERT(!engine_stopped(probe->sim->engine));
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    SUITE_SAME_INTEGER(probe->arrivals->len, 200 * RING);
    probe_free(probe);
    topology_free(topology);

    node = pausing_switch(PAUSE_FULL);
    node.queue_bytes = 60000;
    struct link_config link = gigabit();
    topology = topology_row(4, &link, &node);
    probe = probe_checked(topology, NULL);
    offer(probe, 0, PAUSE_FULL, 4096);
    offer(probe, 1, PAUSE_FULL, 4096);
    network_on_deadlock(probe->network, stop, probe);
    struct hold holds[2];
    hold_at(&holds[0], probe, 100 * TIME_US, 1, true);
    hold_at(&holds[1], probe, 20 * TIME_MS, 1, false);
    for (int k = 0; k < 200; k++)
        probe_send(probe, 0, 0, 1, BYTES);
    probe_run(probe);
    CU_ASSERT(!engine_stopped(probe->sim->engine));
    SUITE_SAME_INTEGER(network_drops(probe->network), 0);
    SUITE_SAME_INTEGER(probe->arrivals->len, 200);
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {{"a paused stream", test_stream},
                                              {"a pause that runs out", test_expiry},
                                              {"a damaged PAUSE frame", test_corrupt},
                                              {"after the frame on the wire", test_behind_a_frame},
                                              {"negotiation", test_negotiation},
                                              {"a cable", test_cable},
                                              {"without a pause", test_same_without},
                                              {"incast", test_incast},
                                              {"marks that are refused", test_refused},
                                              {"a circle of switches", test_circle},
                                              {"no circle", test_no_circle},
                                              {0}};
    return suite_run("net: PAUSE frames", cases);
}
