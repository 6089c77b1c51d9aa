// SPDX-License-Identifier: GPL-3.0-or-later
// Packets that carry a list of parts of messages: each list is freed once, whatever becomes of its
// packet, and a drop is noted for every part.
#include "sim/net/network.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#define PARTS 3
#define PART_BYTES 400
#define PACKET_BYTES (PARTS * PART_BYTES)

// A packet's list: the same piece of each of PARTS messages. Each is allocated on its own, so that
// AddressSanitizer finds lists that are not freed, or freed twice.
struct list {
    struct message_ref messages[PARTS];
    int64_t offset;
    int *live; // lists that exist
};

struct loads {
    struct sim *sim;
    struct network *network;
    struct message_ref messages[PARTS];
    int live;
    int arrived, corrupt;
    int64_t next_offset;
};

static struct list *list_of(const struct packet *packet)
{
    return *packet_header((struct packet *)packet, struct list *);
}

static void list_drop(const struct packet *packet, struct ledger *ledger, const char *reason)
{
    const struct list *list = list_of(packet);
    for (int i = 0; i < PARTS; i++)
        ledger_drop(ledger, list->messages[i], list->offset, PART_BYTES, reason);
}

static void list_release(struct packet *packet)
{
    struct list *list = list_of(packet);
    --*list->live;
    g_free(list);
}

static void list_copy(struct packet *copy, const struct packet *of)
{
    struct list *list = g_memdup2(list_of(of), sizeof *list);
    ++*list->live;
    *packet_header(copy, struct list *) = list;
}

static const struct packet_load list_load = {list_drop, list_release, list_copy};

static void loads_receive(void *owner, struct packet *packet)
{
    struct loads *loads = owner;
    const struct list *list = list_of(packet);
    if (packet->corrupt) {
        loads->corrupt++;
        packet_drop(loads->network, packet, "check failed at the station");
        return;
    }
    loads->arrived++;
    for (int i = 0; i < PARTS; i++)
        ledger_deliver(loads->sim->ledger, list->messages[i], list->offset, PART_BYTES);
    packet_free(loads->network, packet);
}

// PARTS messages, each of a part per packet, from station 0 to station 1.
static struct loads loads_new(struct topology *topology, int packets)
{
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_FATAL(network_check(topology, diags));
    diag_list_free(diags);
    struct loads loads = {.sim = sim_new(1, NULL)};
    loads.network = network_new(loads.sim, topology);
    for (int i = 0; i < PARTS; i++)
        loads.messages[i] =
            ledger_open(loads.sim->ledger, 0, 1, (int64_t)packets * PART_BYTES, (uint64_t)i);
    return loads;
}

static void loads_send(struct loads *loads, int packets)
{
    for (int i = 0; i < packets; i++) {
        struct list *list = g_new(struct list, 1);
        memcpy(list->messages, loads->messages, sizeof list->messages);
        list->offset = loads->next_offset;
        list->live = &loads->live;
        loads->live++;
        loads->next_offset += PART_BYTES;
        struct packet *packet = packet_new(loads->network);
        packet->route = network_route(loads->network, 0, 1);
        packet->wire_bytes = PACKET_BYTES;
        packet->load = &list_load;
        *packet_header(packet, struct list *) = list;
        network_send(loads->network, packet, NULL);
    }
}

static struct ledger_totals loads_end(struct loads *loads)
{
    for (int i = 0; i < PARTS; i++) {
        ledger_match(loads->sim->ledger, loads->messages[i]);
        ledger_complete(loads->sim->ledger, loads->messages[i]);
    }
    struct ledger_totals totals = ledger_totals(loads->sim->ledger);
    network_free(loads->network);
    SUITE_SAME_INTEGER(loads->live, 0);
    sim_free(loads->sim);
    return totals;
}

static void loads_run(struct loads *loads, sim_time until)
{
    network_attach(loads->network, 1, loads_receive, loads);
    engine_run(loads->sim->engine, until);
}

static void nothing(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
}

// Runs until nothing is left, and lets the clock reach `until`.
static void loads_wait(struct loads *loads, sim_time until)
{
    struct event event;
    event_init(&event, nothing);
    engine_schedule(loads->sim->engine, &event, until);
    loads_run(loads, TIME_NEVER);
}

static void test_delivered(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    struct topology *topology = topology_row(1, &link, &node);
    struct loads loads = loads_new(topology, 20);
    loads_send(&loads, 20);
    SUITE_SAME_INTEGER(loads.live, 20);
    loads_run(&loads, TIME_NEVER);
    SUITE_SAME_INTEGER(loads.live, 0);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.delivered, PARTS);
    SUITE_SAME_INTEGER(totals.dropped_parts, 0);
    topology_free(topology);
}

// Every place where a store-and-forward network drops a packet: on the link, in the switch's check,
// in its queue, at a station that is not attached, on a cable that is pulled out.
static void test_dropped(void)
{
    struct link_config link = topology_link_defaults(), faulty = link;
    struct switch_config node = topology_switch_defaults();
    int64_t drops[] = {2}, corrupts[] = {4};
    faulty.drop_nth = (struct param_counts){drops, 1};
    faulty.corrupt_nth = (struct param_counts){corrupts, 1};
    struct param_window window = {TIME_S, 2 * TIME_S};
    faulty.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_new(2, 1);
    node.queue = 2;
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &faulty);
    link.rate /= 10;
    topology_add_link(topology, 2, 1, &link);
    struct loads loads = loads_new(topology, 14);
    loads_send(&loads, 12);
    loads_wait(&loads, TIME_S);
    loads_send(&loads, 1);
    loads_wait(&loads, 2 * TIME_S);
    loads_send(&loads, 1);
    network_attach(loads.network, 1, NULL, NULL);
    engine_run(loads.sim->engine, TIME_NEVER);
    SUITE_SAME_INTEGER(loads.live, 0);
    int64_t full = *sim_counter(loads.sim, "packets dropped: queue full at switch0->node1");
    CU_ASSERT(full > 0);
    SUITE_SAME_INTEGER(network_drops(loads.network), 4 + full);
    SUITE_SAME_INTEGER(loads.arrived, 14 - 4 - full);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.dropped_parts, PARTS * (4 + full));
    SUITE_SAME_INTEGER(totals.lost, PARTS);
    topology_free(topology);
}

// The run ends with packets in the queue, on the wire and at no component at all.
static void test_under_way(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    struct topology *topology = topology_row(1, &link, &node);
    struct loads loads = loads_new(topology, 20);
    loads_send(&loads, 20);
    loads_run(&loads, TIME_MS);
    CU_ASSERT(loads.arrived > 0 && loads.arrived < 20);
    struct packet *packet = packet_new(loads.network);
    struct list *list = g_new0(struct list, 1);
    list->live = &loads.live;
    loads.live++;
    packet->load = &list_load;
    *packet_header(packet, struct list *) = list;
    SUITE_SAME_INTEGER(loads.live, 20 - loads.arrived + 1);
    network_release(loads.network);
    SUITE_SAME_INTEGER(loads.live, 0);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.dropped_parts, 0);
    topology_free(topology);
}

// A link that repeats packets makes copies, and what is sent on before the error is known is
// stomped: all parts arrive once, and nothing is noted as dropped.
static void test_repeated(void)
{
    struct link_config link = topology_wormhole_link(), faulty;
    struct switch_config node = topology_wormhole_switch();
    node.slack = 4096;
    link.window = 7;
    faulty = link;
    faulty.bit_error_rate = 1e-5;
    faulty.drop_probability = 0.05;
    struct param_window window = {100 * TIME_US, 200 * TIME_US};
    faulty.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_new(2, 2);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &faulty);
    topology_add_link(topology, 2, 3, &faulty);
    topology_add_link(topology, 3, 1, &link);
    struct loads loads = loads_new(topology, 200);
    loads_send(&loads, 200);
    loads_run(&loads, TIME_NEVER);
    SUITE_SAME_INTEGER(loads.live, 0);
    SUITE_SAME_INTEGER(loads.arrived, 200);
    CU_ASSERT(network_repeats(loads.network) > 10);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.delivered, PARTS);
    SUITE_SAME_INTEGER(totals.duplicated, 0);
    SUITE_SAME_INTEGER(totals.dropped_parts, 0);
    topology_free(topology);
}

// Copies have loads of their own: dropped and delivered apart, and freed once each.
static void test_duplicated(void)
{
    struct link_config link = topology_link_defaults(), faulty = link;
    struct switch_config node = topology_switch_defaults();
    faulty.duplicate_probability = 0.5;
    faulty.reorder_probability = 0.2;
    link.drop_probability = 0.3;
    struct topology *topology = topology_new(2, 1);
    topology_set_switches(topology, &node);
    topology_add_link(topology, 0, 2, &faulty);
    topology_add_link(topology, 2, 1, &link);
    struct loads loads = loads_new(topology, 100);
    loads_send(&loads, 100);
    loads_run(&loads, TIME_NEVER);
    SUITE_SAME_INTEGER(loads.live, 0);
    int64_t copies = *sim_counter(loads.sim, "packets duplicated on link node0->switch0");
    int64_t drops = (int64_t)network_drops(loads.network);
    CU_ASSERT(copies > 20 && drops > 20);
    SUITE_SAME_INTEGER(loads.arrived, 100 + copies - drops);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.dropped_parts, PARTS * drops);
    CU_ASSERT(totals.duplicated > 0);
    topology_free(topology);
}

// The same without repeats, and a cable that is pulled out during a packet on cut-through switches.
static void test_wormhole_losses(void)
{
    struct link_config link = topology_wormhole_link();
    struct switch_config node = topology_wormhole_switch();
    link.drop_probability = 0.1;
    struct param_window window = {101 * TIME_US, 150 * TIME_US};
    link.down = (struct param_windows){&window, 1};
    struct topology *topology = topology_row(2, &link, &node);
    struct loads loads = loads_new(topology, 100);
    loads_send(&loads, 100);
    loads_run(&loads, TIME_NEVER);
    SUITE_SAME_INTEGER(loads.live, 0);
    int64_t drops = (int64_t)network_drops(loads.network);
    CU_ASSERT(drops > 10);
    SUITE_SAME_INTEGER(loads.arrived + loads.corrupt + drops, 100);
    struct ledger_totals totals = loads_end(&loads);
    SUITE_SAME_INTEGER(totals.dropped_parts, PARTS * (drops + loads.corrupt));
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a load ends with its packet", test_delivered},
        {"a drop is noted for each part", test_dropped},
        {"packets under way at the end of a run", test_under_way},
        {"links that repeat packets", test_repeated},
        {"losses on cut-through switches", test_wormhole_losses},
        {"links that deliver packets twice", test_duplicated},
        {NULL, NULL},
    };
    return suite_run("net: loads", cases);
}
