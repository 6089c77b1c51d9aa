// SPDX-License-Identifier: GPL-3.0-or-later
// STOP and GO, on cases small enough to be worked out by hand. test_wormhole_reference.c has the
// large number of cases.
//
// Links of 4 ns per byte and 46 ns, the longest that 80 B of slack with STOP at 56 B and GO at 40 B
// allow; switches that need 1 byte and 150 ns: a head takes 200 ns per hop, a symbol 50 ns back.
#include "sim/net/fabric.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"
#include "tests/support/transition_log.h"

#define TAU (4 * TIME_NS)
#define WIRE (46 * TIME_NS)
#define HOP (200 * TIME_NS)
#define SYMBOL (50 * TIME_NS)
#define SLACK 80
#define STOP 56
#define GO 40

static struct link_config link;
static struct switch_config node;

static void setup(void)
{
    link = topology_wormhole_link();
    link.propagation = WIRE;
    node = topology_wormhole_switch();
    node.slack = SLACK;
    node.stop = STOP;
    node.go = GO;
}

// ---- A sink that keeps transitions as text ----

struct symbol_log {
    struct transition_sink sink;
    GString *text; // "switch0.1 STOP at 270 ns\n"
};

static void symbol_take(struct transition_sink *sink, sim_time when,
                        const struct trace_transition *transition)
{
    GString *text = ((struct symbol_log *)(void *)sink)->text;
    SUITE_CONTAINS(transition->machine, "slack buffer");
    CU_ASSERT_STRING_NOT_EQUAL(transition->from, transition->to);
    g_string_append_printf(text, "%s.%d %s at %d ns\n", transition->where, (int)transition->subject,
                           transition->to, (int)(when / TIME_NS));
}

static struct symbol_log *symbol_log_new(void)
{
    struct symbol_log *log = g_new(struct symbol_log, 1);
    *log = (struct symbol_log){transition_sink_make(symbol_take), g_string_new(NULL)};
    return log;
}

static void finish(struct probe *probe, struct topology *topology, struct symbol_log *log)
{
    CU_ASSERT_PTR_NULL(network_describe_blocked(probe->network));
    probe_free(probe);
    topology_free(topology);
    g_string_free(log->text, TRUE);
    g_free(log);
}

// ---- Cases ----

// node1's packet waits for node0's: STOP when 56 B are in, which leaves the 24 B under way to come;
// GO when 40 B of 80 are out again, and the rest 50 ns later. All of it arrives as if the sender
// had known at once; only its tail has left later.
static void test_one_buffer(void)
{
    setup();
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_star(3, &link, &node);
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    struct probe_packet *holder = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *waits = probe_send(probe, 0, 1, 2, 500);
    probe_run(probe);
    sim_time freed = HOP + 1000 * TAU, stop = WIRE + STOP * TAU;
    sim_time go = freed + (SLACK - GO) * TAU;
    SUITE_SAME_INTEGER(holder->arrived, freed + WIRE);
    SUITE_SAME_INTEGER(waits->arrived, freed + 500 * TAU + WIRE);
    SUITE_SAME_INTEGER((stop + SYMBOL) / TAU, SLACK); // bytes sent before STOP is in
    SUITE_SAME_INTEGER(waits->left, go + SYMBOL + (500 - SLACK) * TAU);
    SUITE_SAME_TEXT(log->text->str, "switch0.1 STOP at 270 ns\n"
                                    "switch0.1 GO at 4360 ns\n");
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "STOP symbols"), 1);
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "GO symbols"), 1);
    finish(probe, topology, log);
}

// node0 - switch0 - switch1 - node1, and node2 at switch1, whose packet holds node1's link: STOP
// goes back switch by switch to the station, and so does GO.
static void test_back_to_the_station(void)
{
    setup();
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_new(3, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 3, &link);
    topology_add_link(topology, 3, 4, &link);
    topology_add_link(topology, 4, 1, &link);
    topology_add_link(topology, 2, 4, &link);
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    probe_send(probe, 0, 2, 1, 1000);
    struct probe_packet *packet = probe_send(probe, 0, 0, 1, 500);
    probe_run(probe);
    sim_time freed = HOP + 1000 * TAU, resumed = freed + (SLACK - GO) * TAU + SYMBOL;
    sim_time left = resumed + (SLACK - GO) * TAU + SYMBOL + (500 - 2 * SLACK) * TAU;
    SUITE_SAME_TEXT(log->text->str, "switch1.0 STOP at 470 ns\n"
                                    "switch0.0 STOP at 590 ns\n"
                                    "switch1.0 GO at 4360 ns\n"
                                    "switch0.0 GO at 4570 ns\n");
    SUITE_SAME_INTEGER(packet->left, left);
    SUITE_SAME_INTEGER(packet->arrived, freed + 500 * TAU + WIRE);
    finish(probe, topology, log);
}

// node1's packet waits for node0's, and is lost when it gets the link of node2, while STOP holds
// its tail back. The cable under that tail is pulled out for a moment. The tail belongs to no
// packet then, and the packet that node3 makes just then, perhaps in the same memory, is
// unaffected.
static void test_lost_ahead_of_its_tail(void)
{
    setup();
    int64_t second[] = {2};
    struct param_window window = {3000 * TIME_NS, 3100 * TIME_NS};
    struct link_config pulled = link, faulty = link;
    pulled.down = (struct param_windows){&window, 1};
    faulty.drop_nth = (struct param_counts){second, 1};
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_new(4, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 4, &link);
    topology_add_link(topology, 1, 4, &pulled);
    topology_add_link(topology, 2, 4, &faulty);
    topology_add_link(topology, 3, 4, &link);
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    sim_time freed = HOP + 1000 * TAU, resumed = freed + (SLACK - GO) * TAU + SYMBOL;
    struct probe_packet *holder = probe_send(probe, 0, 0, 2, 1000);
    struct probe_packet *lost = probe_send(probe, 0, 1, 2, 500);
    struct probe_packet *later = probe_send(probe, freed + WIRE / 2, 3, 0, 500);
    probe_run(probe);
    SUITE_SAME_INTEGER(holder->arrived, freed + WIRE);
    SUITE_SAME_INTEGER(lost->left, resumed + (500 - SLACK) * TAU);
    SUITE_SAME_INTEGER(lost->arrived, -1);
    SUITE_SAME_INTEGER(later->arrived, freed + WIRE / 2 + HOP + 500 * TAU + WIRE);
    SUITE_SAME_INTEGER(*sim_counter(probe->sim, "packets dropped: lost on link switch0->node2"), 1);
    SUITE_SAME_INTEGER((int64_t)network_drops(probe->network), 1);
    finish(probe, topology, log);
}

// Unhindered: the bytes that a buffer holds while a head is routed are fewer than STOP, and the
// times are those of the network without symbols.
static void test_unhindered(void)
{
    setup();
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_row(3, &link, &node);
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    struct probe_packet *packets[3];
    for (int i = 0; i < 3; i++)
        packets[i] = probe_send(probe, 0, 0, 1, 4096);
    probe_run(probe);
    for (int i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(packets[i]->left, (i + 1) * 4096 * TAU);
        SUITE_SAME_INTEGER(packets[i]->arrived, 3 * HOP + (i + 1) * 4096 * TAU + WIRE);
    }
    SUITE_SAME_TEXT(log->text->str, "");
    finish(probe, topology, log);
}

// A switch that is slower than its STOP level stops every packet, and loses no time by it.
static void test_slow_switch(void)
{
    setup();
    node.latency = 400 * TIME_NS;
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_row(1, &link, &node);
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    struct probe_packet *packet = probe_send(probe, 0, 0, 1, 300);
    probe_run(probe);
    SUITE_SAME_TEXT(log->text->str, "switch0.0 STOP at 270 ns\n"
                                    "switch0.0 GO at 610 ns\n");
    SUITE_SAME_INTEGER(packet->arrived, TAU + WIRE + node.latency + 300 * TAU + WIRE);
    finish(probe, topology, log);
}

static uint64_t events_with(uint32_t bytes)
{
    struct symbol_log *log = symbol_log_new();
    struct topology *topology = topology_row(3, &link, &node);
    topology_add_link(topology, 0, 3, &link); // node0's second station, at switch1
    struct probe *probe = probe_checked(topology, &log->sink.trace);
    for (int i = 0; i < 10; i++) {
        probe_send(probe, 0, 0, 2, bytes);
        probe_send(probe, 0, 1, 2, bytes);
    }
    probe_run(probe);
    SUITE_SAME_INTEGER(probe->arrivals->len, 20);
    uint64_t events = engine_events(probe->sim->engine);
    finish(probe, topology, log);
    return events;
}

// A packet's events go by its hops, not by its bytes.
static void test_events(void)
{
    setup();
    SUITE_SAME_INTEGER(events_with(1000), events_with(100000));
}

// ---- What is refused ----

static void check_star_refused(const char *message, const char *hint)
{
    struct topology *topology = topology_star(2, &link, &node);
    topology_refused(topology, message, hint);
    topology_free(topology);
}

static bool accepted(void)
{
    struct diag_list *diags = diag_list_new();
    struct topology *topology = topology_star(2, &link, &node);
    bool good = network_check(topology, diags);
    topology_free(topology);
    diag_list_free(diags);
    return good;
}

static void test_cable_too_long(void)
{
    setup();
    CU_ASSERT(accepted());
    link.propagation = WIRE + 1;
    CU_ASSERT_FALSE(accepted());
    link.propagation = 50 * TIME_NS;
    check_star_refused("26 B come in at switch0 over link node0-switch0 while STOP or GO goes back",
                       "propagation of at most 46 ns (9.2 m of cable at 5 ns/m), or go of 27 B and "
                       "a slack of 26 B above stop");
    // A byte of 6.25 ns leaves more time.
    link.rate = 1280000000;
    link.propagation = 50 * TIME_NS;
    CU_ASSERT(accepted());
}

static void test_thresholds(void)
{
    setup();
    node.go = STOP;
    check_star_refused("go of 56 B, stop of 56 B and slack of 80 B", "go < stop < slack");
    setup();
    node.stop = SLACK;
    check_star_refused("stop of 80 B and slack of 80 B", "go < stop < slack");
    setup();
    node.stop = 0;
    check_star_refused("go of 40 B, stop of 0 B", "go < stop < slack");
    setup();
    link.preamble = 40;
    check_star_refused("a header of 41 B, go of 40 B", "header <= go");
    setup();
    link.rate = 1234567891;
    check_star_refused("need a byte time of whole picoseconds", "2 Gb/s");
}

// STOP and GO in one switch only.
static void test_all_or_none(void)
{
    setup();
    struct topology *topology = topology_row(2, &link, &node);
    struct switch_config without = topology_wormhole_switch();
    topology_set_switch(topology, 1, &without);
    topology_refused(topology, "of the cut-through switches switch0 and switch1 only one has stop",
                     "or none");
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one buffer", test_one_buffer},
        {"back to the station", test_back_to_the_station},
        {"lost ahead of its tail", test_lost_ahead_of_its_tail},
        {"nothing in the way", test_unhindered},
        {"a slow switch", test_slow_switch},
        {"events go by hops", test_events},
        {"a cable that is too long", test_cable_too_long},
        {"thresholds that do not rise", test_thresholds},
        {"all switches or none", test_all_or_none},
        {NULL, NULL},
    };
    return suite_run("net: STOP and GO", cases);
}
