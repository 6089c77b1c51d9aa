// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of links, in random networks with random faults and traffic: a packet that leaves one
// end arrives at the other or is counted with a reason; one that arrives at a switch leaves it or
// is counted; the sums are the run's own counters; `netsim explain` measures the same from the
// trace. And a link that is never idle, against a closed form.
#include "sim/core/link_load.h"
#include "sim/explain/load.h"
#include "tests/support/random_net.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <string.h>

#define TOPOLOGIES 300

static const struct link_load *load_at(const GPtrArray *loads, guint i)
{
    return g_ptr_array_index(loads, i);
}

static int64_t sum_of(const GPtrArray *loads, enum link_count count)
{
    int64_t sum = 0;
    for (guint i = 0; i < loads->len; i++)
        sum += load_at(loads, i)->counts[count];
    return sum;
}

// No packet is left under way at the end.
static void check_ends(const GPtrArray *loads)
{
    for (guint i = 0; i < loads->len; i++) {
        const int64_t *counts = load_at(loads, i)->counts;
        CU_ASSERT_EQUAL(counts[LINK_PACKETS] + counts[LINK_DUPLICATED],
                        counts[LINK_ARRIVED] + counts[LINK_LOST] + counts[LINK_DOWN] +
                            counts[LINK_DISCARDED]);
        CU_ASSERT(counts[LINK_CORRUPT] <= counts[LINK_ARRIVED]);
    }
}

// A packet cut on a cable before a switch has left the switch; all others are counted at it.
static void check_switches(const GPtrArray *loads, const struct topology *topology)
{
    for (guint node = 0; node < topology->switches->len; node++) {
        const struct topology_switch *at = g_ptr_array_index(topology->switches, node);
        int64_t in = 0, out = 0, cut = sum_of(loads, LINK_DOWN);
        for (guint i = 0; i < loads->len; i++) {
            const struct link_load *load = load_at(loads, i);
            if (strcmp(load->to, at->name) == 0)
                in += load->counts[LINK_ARRIVED] - load->counts[LINK_CHECK];
            if (strcmp(load->from, at->name) == 0)
                out += load->counts[LINK_PACKETS] - load->counts[LINK_REPEATED] +
                       load->counts[LINK_FULL];
        }
        CU_ASSERT(in <= out && out <= in + cut);
    }
}

static void check_sums(const GPtrArray *loads, const struct probe *probe)
{
    int64_t drops = 0;
    for (int cause = LINK_LOST; cause <= LINK_UNWANTED; cause++)
        drops += sum_of(loads, (enum link_count)cause);
    CU_ASSERT_EQUAL(drops, (int64_t)network_drops(probe->network));
    CU_ASSERT_EQUAL(sum_of(loads, LINK_PACKETS), (int64_t)network_hops(probe->network));
    CU_ASSERT_EQUAL(sum_of(loads, LINK_REPEATED), (int64_t)network_repeats(probe->network));
    const struct sim_counter *stops = g_hash_table_lookup(probe->sim->counters, "STOP symbols");
    CU_ASSERT_EQUAL(sum_of(loads, LINK_STOPS), stops ? stops->value : 0);
}

// Busy time and longest queue as `netsim explain` finds them in the trace of the whole run.
static void check_explained(const GPtrArray *loads, struct record *record, sim_time end)
{
    record_settle(record);
    GArray *times = g_array_new(FALSE, FALSE, sizeof(struct measured_time));
    load_time_add(times, 0, end);
    GArray *explained = load_measure(record, times, NULL);
    int found = 0;
    for (guint i = 0; i < explained->len; i++) {
        const struct resource_load *other = &g_array_index(explained, struct resource_load, i);
        for (guint j = 0; other->link && j < loads->len; j++) {
            const struct link_load *load = load_at(loads, j);
            if (strcmp(load->name, other->link) != 0)
                continue;
            found++;
            CU_ASSERT_EQUAL(load->counts[LINK_BUSY], other->busy_time);
            CU_ASSERT_EQUAL(load->counts[LINK_QUEUE], other->longest_queue);
        }
    }
    CU_ASSERT(found > 0);
    g_array_unref(explained);
    g_array_unref(times);
}

struct seen {
    int64_t down, full, check, corrupt, repeated, held, stops, queue;
};

static void try(uint64_t seed, int64_t window, bool traced, struct seen *seen)
{
    struct random_net net;
    random_net_init(&net, seed, window);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(net.topology, diags));
    struct record *record = traced ? record_new() : NULL;
    struct probe *probe = probe_new(net.topology, seed, record ? &record->trace : NULL);
    random_net_traffic(&net, probe);
    probe_run(probe);
    GPtrArray *loads = network_link_loads(probe->network);
    check_ends(loads);
    check_switches(loads, net.topology);
    check_sums(loads, probe);
    if (record)
        check_explained(loads, record, sim_now(probe->sim) + TIME_S); // the last gap has ended
    seen->down += sum_of(loads, LINK_DOWN);
    seen->full += sum_of(loads, LINK_FULL);
    seen->check += sum_of(loads, LINK_CHECK);
    seen->corrupt += sum_of(loads, LINK_CORRUPT);
    seen->repeated += sum_of(loads, LINK_REPEATED);
    seen->held += sum_of(loads, LINK_HELD);
    seen->stops += sum_of(loads, LINK_STOPS);
    seen->queue += sum_of(loads, LINK_QUEUE);
    g_ptr_array_unref(loads);
    probe_free(probe);
    record_free(record);
    diag_list_free(diags);
    random_net_clear(&net);
}

static void test_conservation(void)
{
    struct seen seen = {0};
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++)
        try(seed, 0, false, &seen);
    // Each of these must have happened.
    CU_ASSERT(seen.down > 0 && seen.full > 0 && seen.check > 0 && seen.corrupt > 0);
    CU_ASSERT(seen.held > 0 && seen.stops > 0 && seen.queue > 0);
}

static void test_repeats(void)
{
    struct seen seen = {0};
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++)
        try(seed, 7, false, &seen);
    CU_ASSERT(seen.repeated > 0);
}

static void test_explained(void)
{
    struct seen seen = {0};
    for (uint64_t seed = 1; seed <= TOPOLOGIES / 3; seed++)
        try(seed, 0, true, &seen);
    CU_ASSERT(seen.queue > 0 && seen.held > 0);
}

#define MOST_CUTS 4

// Takes the counts at some times of a run, in turn into two parts.
struct cuts {
    struct event events[MOST_CUTS];
    struct network *network;
    GPtrArray *parts[2];
    int taken;
};

static struct cuts *the_cuts;

static void take_part(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
    network_take_loads(the_cuts->network, the_cuts->parts[the_cuts->taken++ % 2], false);
}

static void cuts_begin(struct cuts *cuts, struct probe *probe, sim_time end)
{
    *cuts = (struct cuts){.network = probe->network};
    the_cuts = cuts;
    for (int i = 0; i < 2; i++)
        cuts->parts[i] = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    for (int i = 0; i < MOST_CUTS; i++) {
        event_init(&cuts->events[i], take_part);
        engine_schedule(probe->sim->engine, &cuts->events[i], end * (i + 1) / (MOST_CUTS + 1));
    }
}

// The parts add up to what is counted without cuts, in each count of each link.
static void cuts_check(struct cuts *cuts, const GPtrArray *whole)
{
    network_take_loads(cuts->network, cuts->parts[0], true);
    GPtrArray *again = network_link_loads(cuts->network);
    CU_ASSERT_EQUAL(again->len, 0);
    g_ptr_array_unref(again);
    guint found = 0;
    for (guint slot = 0; slot < cuts->parts[0]->len; slot++) {
        struct link_load *one = g_ptr_array_index(cuts->parts[0], slot);
        const struct link_load *other =
            slot < cuts->parts[1]->len ? g_ptr_array_index(cuts->parts[1], slot) : NULL;
        if (one && other)
            link_load_add(one, other);
        const struct link_load *sum = one ? one : other;
        if (!sum)
            continue;
        SUITE_SAME_TEXT(sum->name, load_at(whole, found)->name);
        for (int i = 0; i < LINK_COUNTS; i++)
            CU_ASSERT_EQUAL(sum->counts[i], load_at(whole, found)->counts[i]);
        found++;
    }
    CU_ASSERT_EQUAL(found, whole->len);
}

static void test_parts(void)
{
    for (uint64_t seed = 1; seed <= TOPOLOGIES; seed++) {
        struct random_net net;
        random_net_init(&net, seed, seed % 2 ? 0 : 7);
        struct diag_list *diags = diag_list_new();
        CU_ASSERT_FATAL(network_check(net.topology, diags));
        struct probe *whole = probe_new(net.topology, seed, NULL);
        random_net_traffic(&net, whole);
        probe_run(whole);
        GPtrArray *loads = network_link_loads(whole->network);
        random_net_clear(&net);
        diag_list_free(diags);
        diags = diag_list_new();
        random_net_init(&net, seed, seed % 2 ? 0 : 7);
        CU_ASSERT_FATAL(network_check(net.topology, diags));
        struct probe *parted = probe_new(net.topology, seed, NULL);
        struct cuts cuts;
        cuts_begin(&cuts, parted, sim_now(whole->sim));
        random_net_traffic(&net, parted);
        probe_run(parted);
        CU_ASSERT_EQUAL(cuts.taken, MOST_CUTS);
        cuts_check(&cuts, loads);
        for (int i = 0; i < 2; i++)
            g_ptr_array_unref(cuts.parts[i]);
        g_ptr_array_unref(loads);
        probe_free(parted);
        probe_free(whole);
        diag_list_free(diags);
        random_net_clear(&net);
    }
}

// n packets of which each follows the one before: n times the time of preamble, frame and gap.
static void test_saturated(int discipline)
{
    enum { PACKETS = 50, WIRE_BYTES = 1000 };
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    node.discipline = discipline;
    node.queue = 0;
    struct topology *topology = topology_row(1, &link, &node);
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(topology, diags));
    struct probe *probe = probe_new(topology, 1, NULL);
    for (int i = 0; i < PACKETS; i++)
        probe_send(probe, 0, 0, 1, WIRE_BYTES);
    probe_run(probe);
    GPtrArray *loads = network_link_loads(probe->network);
    sim_time each = time_of_bytes(link.preamble + WIRE_BYTES + link.gap, link.rate);
    CU_ASSERT_EQUAL(loads->len, 2);
    for (guint i = 0; i < loads->len; i++) {
        const int64_t *counts = load_at(loads, i)->counts;
        CU_ASSERT_EQUAL(counts[LINK_PACKETS], PACKETS);
        CU_ASSERT_EQUAL(counts[LINK_BYTES], PACKETS * WIRE_BYTES);
        CU_ASSERT_EQUAL(counts[LINK_ARRIVED], PACKETS);
        CU_ASSERT_EQUAL(counts[LINK_BUSY], PACKETS * each);
    }
    // All but the first wait at the station, from the beginning.
    const int64_t *first = load_at(loads, 0)->counts;
    SUITE_SAME_TEXT(load_at(loads, 0)->from, "node0");
    CU_ASSERT_EQUAL(first[LINK_QUEUE], PACKETS - 1);
    CU_ASSERT_EQUAL(first[LINK_QUEUE_BYTES], (PACKETS - 1) * WIRE_BYTES);
    CU_ASSERT_EQUAL(first[LINK_QUEUE_WHEN], 0);
    g_ptr_array_unref(loads);
    probe_free(probe);
    diag_list_free(diags);
    topology_free(topology);
}

static void test_never_idle(void)
{
    test_saturated(SWITCH_STORE_AND_FORWARD);
    test_saturated(SWITCH_CUT_THROUGH);
}

// ---- Before the end ----

#define TAU (4 * TIME_NS) // a byte on a link of Myrinet

enum { HALFWAY_BYTES = 10000, HALFWAY_TIMES = 2 };

// Takes the counts of a run before its end, in both manners.
struct halfway {
    struct event events[HALFWAY_TIMES];
    struct network *network;
    GPtrArray *loads[HALFWAY_TIMES];
    int taken;
};

static struct halfway *the_halfway;

static void take_halfway(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
    the_halfway->loads[the_halfway->taken++] = network_link_loads(the_halfway->network);
}

static const int64_t *counts_of(const GPtrArray *loads, const char *link)
{
    for (guint i = 0; i < loads->len; i++)
        if (strcmp(load_at(loads, i)->name, link) == 0)
            return load_at(loads, i)->counts;
    CU_FAIL_FATAL("no such link");
    return NULL;
}

// The second of two packets to one host waits at the switch, and blocks all of its own link. Before
// the end, states that still last count up to then.
static void test_ongoing(void)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    struct topology *topology = topology_star(3, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    struct halfway halfway = {.network = probe->network};
    the_halfway = &halfway;
    sim_time length = HALFWAY_BYTES * TAU, head = 204 * TIME_NS, early = length / 2,
             late = length + length / 4;
    for (int i = 0; i < HALFWAY_TIMES; i++) {
        event_init(&halfway.events[i], take_halfway);
        engine_schedule(probe->sim->engine, &halfway.events[i], i == 0 ? early : late);
    }
    probe_send(probe, 0, 0, 2, HALFWAY_BYTES);
    probe_send(probe, 0, 1, 2, HALFWAY_BYTES);
    probe_run(probe);
    CU_ASSERT_EQUAL_FATAL(halfway.taken, HALFWAY_TIMES);
    const int64_t *first = counts_of(halfway.loads[0], "node0->switch0");
    const int64_t *second = counts_of(halfway.loads[1], "node1->switch0");
    const int64_t *out = counts_of(halfway.loads[0], "switch0->node2");
    SUITE_SAME_INTEGER(first[LINK_BUSY], early);
    SUITE_SAME_INTEGER(first[LINK_HELD], 0);
    SUITE_SAME_INTEGER(first[LINK_HELD_TIME], 0);
    SUITE_SAME_INTEGER(out[LINK_BUSY], early - head);
    SUITE_SAME_INTEGER(out[LINK_QUEUE], 1);
    SUITE_SAME_INTEGER(out[LINK_QUEUE_WHEN], head);
    SUITE_SAME_INTEGER(second[LINK_BUSY], late);
    SUITE_SAME_INTEGER(second[LINK_HELD], 1);
    SUITE_SAME_INTEGER(second[LINK_HELD_TIME], late - length);
    for (int i = 0; i < HALFWAY_TIMES; i++)
        g_ptr_array_unref(halfway.loads[i]);
    probe_free(probe);
    topology_free(topology);
}

// Without a credit of the far station a packet waits; the time counts before one comes.
static void test_no_credit(void)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    struct topology *topology = topology_star(2, &link, &node);
    struct probe *probe = probe_checked(topology, NULL);
    network_limit(probe->network, 1);
    probe_send(probe, 0, 0, 1, HALFWAY_BYTES);
    struct halfway halfway = {.network = probe->network};
    the_halfway = &halfway;
    sim_time when = HALFWAY_BYTES * TAU;
    event_init(&halfway.events[0], take_halfway);
    engine_schedule(probe->sim->engine, &halfway.events[0], when);
    probe_run(probe);
    CU_ASSERT_EQUAL_FATAL(halfway.taken, 1);
    const int64_t *out = counts_of(halfway.loads[0], "switch0->node1");
    SUITE_SAME_INTEGER(out[LINK_NO_CREDIT], when - 204 * TIME_NS);
    SUITE_SAME_INTEGER(out[LINK_PACKETS], 0);
    // The end of a part takes what goes on, too.
    GPtrArray *part = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    network_take_loads(probe->network, part, true);
    int64_t sum = 0;
    for (guint i = 0; i < part->len; i++)
        sum += part->pdata[i] ? load_at(part, i)->counts[LINK_NO_CREDIT] : 0;
    SUITE_SAME_INTEGER(sum, when - 204 * TIME_NS);
    g_ptr_array_unref(part);
    g_ptr_array_unref(halfway.loads[0]);
    probe_free(probe);
    topology_free(topology);
}

// ---- Cut packets ----

// Checks the counts of a link that has carried so many packets.
static void check_arrivals(const GPtrArray *loads, const char *link, int64_t packets,
                           int64_t arrived, int64_t down, int64_t corrupt)
{
    const int64_t *counts = counts_of(loads, link);
    SUITE_SAME_INTEGER(counts[LINK_PACKETS], packets);
    SUITE_SAME_INTEGER(counts[LINK_ARRIVED], arrived);
    SUITE_SAME_INTEGER(counts[LINK_DOWN], down);
    SUITE_SAME_INTEGER(counts[LINK_CORRUPT], corrupt);
}

// Three hosts at a switch; the link of `host` is another one.
static struct probe *unlike_star(struct topology **topology, int host,
                                 const struct link_config *unlike, const struct link_config *like)
{
    struct switch_config node = topology_wormhole_switch();
    *topology = topology_new(3, 1);
    topology_set_switches(*topology, &node);
    for (int i = 0; i < 3; i++)
        topology_add_link(*topology, i, 3, i == host ? unlike : like);
    return probe_checked(*topology, NULL);
}

static void no_begin(void *owner, struct packet *packet, sim_time last)
{
    (void)owner;
    (void)packet;
    (void)last;
}

// The cable of node1 is pulled out under a packet that is held back by another one, when its bytes
// would have passed otherwise. It is lost on that link, and its rest arrives on the next one; at a
// station that has used its head by then, it has arrived on both, damaged.
static void check_cut_before_the_switch(bool begins)
{
    struct param_window window = {HALFWAY_BYTES * TAU / 2, HALFWAY_BYTES * TAU / 2 + TIME_US};
    struct link_config link = topology_wormhole_link(), pulled = link;
    pulled.down = (struct param_windows){&window, 1};
    struct topology *topology;
    struct probe *probe = unlike_star(&topology, 1, &pulled, &link);
    if (begins)
        network_attach_head(probe->network, 2, 16, no_begin);
    probe_send(probe, 0, 0, 2, HALFWAY_BYTES);
    probe_send(probe, 0, 1, 2, 1000);
    probe_run(probe);
    GPtrArray *loads = network_link_loads(probe->network);
    check_arrivals(loads, "node0->switch0", 1, 1, 0, 0);
    check_arrivals(loads, "node1->switch0", 1, begins, !begins, begins);
    check_arrivals(loads, "switch0->node2", 2, 2, 0, 1);
    g_ptr_array_unref(loads);
    probe_free(probe);
    topology_free(topology);
}

static void test_cut_before_the_switch(void)
{
    check_cut_before_the_switch(false);
    check_cut_before_the_switch(true);
}

// The cable of the receiver is pulled out under a packet, which then does not count as arrived.
static void test_cut_before_the_receiver(void)
{
    struct param_window window = {HALFWAY_BYTES * TAU / 2, HALFWAY_BYTES * TAU / 2 + TIME_US};
    struct link_config link = topology_wormhole_link(), pulled = link;
    pulled.down = (struct param_windows){&window, 1};
    struct topology *topology;
    struct probe *probe = unlike_star(&topology, 2, &pulled, &link);
    probe_send(probe, 0, 0, 2, HALFWAY_BYTES);
    probe_run(probe);
    GPtrArray *loads = network_link_loads(probe->network);
    check_arrivals(loads, "node0->switch0", 1, 1, 0, 0);
    check_arrivals(loads, "switch0->node2", 1, 0, 1, 0);
    g_ptr_array_unref(loads);
    probe_free(probe);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what leaves one end arrives at the other", test_conservation},
        {"links that repeat packets", test_repeats},
        {"explain finds the same", test_explained},
        {"parts of a run add up to it", test_parts},
        {"a link that is never idle", test_never_idle},
        {"before the end: packets that hold links", test_ongoing},
        {"before the end: no credit", test_no_credit},
        {"a packet cut before the switch", test_cut_before_the_switch},
        {"a packet cut before the receiver", test_cut_before_the_receiver},
        {NULL, NULL},
    };
    return suite_run("net: loads of links", cases);
}
