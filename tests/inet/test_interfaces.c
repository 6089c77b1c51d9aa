// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a host's stack that transports share, with a transport that only counts its packets.
#include "models/ethernet/nics.h"
#include "models/inet/inet.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#include <string.h>

enum { NUMBER = 200, UNKNOWN = 201, BYTES = 100 };

// Its header in a packet.
struct counted {
    struct inet_header ip;
    int which;
};

// Arrivals, in order.
static GString *come;

static void counted_receive(struct cpu_context *context, void *owner,
                            struct inet_interface *interface, struct packet *packet)
{
    (void)context;
    (void)owner;
    g_string_append_printf(come, "%d", packet_header(packet, struct counted)->which);
    inet_packet_free(interface, packet);
}

static void counted_write(const struct packet *packet, const struct inet_addresses *addresses,
                          uint8_t *bytes, uint32_t room)
{
    (void)packet;
    (void)addresses;
    memset(bytes, 0, room);
}

static const struct inet_protocol counted_protocol = {
    .number = NUMBER, .receive = counted_receive, .write = counted_write};

// A task that spends time and then sends one packet.
struct sender {
    struct cpu_task task;
    struct inet_interface *interface;
    const struct route *route;
    struct inet_flow *flow;
    sim_time first;
    uint8_t number;
    int which;
    bool done;
};

static enum cpu_next send_one(struct cpu_context *context, struct cpu_task *task)
{
    static const struct stage stage = {"test", STAGE_COMPUTE};
    struct sender *sender = container_of(task, struct sender, task);
    if (sender->done)
        return CPU_SLEEP;
    sender->done = true;
    cpu_spend_time(context, sender->first, &stage);
    struct packet *packet = inet_packet_new(sender->interface, sender->route, BYTES);
    packet_header(packet, struct counted)->which = sender->which;
    inet_send(context, sender->interface, sender->number, sender->flow, packet);
    return CPU_SLEEP;
}

// Two processors of host 0 send a packet each: the one that is made first is the later one to be
// ready. The order in which they reach host 1.
static char *order_of(struct inet_flow *flow, uint8_t number)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_wire(world)->wire.quiet = true; // it reads TCP only
    struct inet_host *from = tcp_node(world, 0)->host->inet, *to = tcp_node(world, 1)->host->inet;
    struct inet_interface *interface = inet_interface_to(from, inet_peer_station(from, to));
    inet_register(from, &counted_protocol, NULL);
    inet_register(to, &counted_protocol, NULL);
    come = g_string_new(NULL);
    struct sender senders[2];
    for (int i = 0; i < 2; i++) {
        senders[i] = (struct sender){
            .interface = interface,
            .route = network_route(from->cluster->network, inet_station(interface),
                                   inet_peer_station(from, to)),
            .flow = flow,
            .first = i == 0 ? 100 * TIME_US : 0,
            .number = number,
            .which = i,
        };
        cpu_task_init(&senders[i].task, from->host->cores[i], CPU_USER, send_one);
        cpu_wake(&senders[i].task);
    }
    world_run(world);
    world_free(world);
    return g_string_free(come, FALSE);
}

static void test_flows_keep_their_order(void)
{
    struct inet_flow flow = {0};
    char *order = order_of(&flow, NUMBER);
    SUITE_SAME_TEXT(order, "01");
    CU_ASSERT_PTR_NULL(flow.head);
    g_free(order);
    order = order_of(NULL, NUMBER);
    SUITE_SAME_TEXT(order, "10");
    g_free(order);
}

// A packet whose number no transport of the host has is dropped.
static void test_unknown_protocol(void)
{
    char *order = order_of(NULL, UNKNOWN);
    SUITE_SAME_TEXT(order, "");
    g_free(order);
}

static void test_addresses(void)
{
    SUITE_SAME_INTEGER(inet_address(2, 0, 0), 0x0a000001);
    SUITE_SAME_INTEGER(inet_address(2, 1, 3), 0x0a000302);
    SUITE_SAME_INTEGER(inet_address(254, 253, 1), 0x0a0001fe);
    // With more, no two cards of different hosts have one address.
    SUITE_SAME_INTEGER(inet_address(255, 254, 0), 0x0a0000ff);
    SUITE_SAME_INTEGER(inet_address(255, 0, 1), 0x0a010001);
    SUITE_SAME_INTEGER(inet_address(65535, 65534, 1), 0x0a01ffff);
}

// SO_SNDBUF and SO_RCVBUF as Linux 2.4 sets them (socket(7)).
static void test_buffers(void)
{
    static const struct {
        int64_t asked;
        bool doubling;
        int64_t size;
    } rows[] = {{0, true, 16384},    {1000, true, 2048},    {5000, true, 10000},
                {5000, false, 5000}, {90000, true, 131070}, {90000, false, 65535}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct inet_config config = {.buffer_limit = 65535,
                                           .buffer_doubling = rows[i].doubling};
        struct inet_buffer buffer = {.used = 5};
        inet_buffer_init(&buffer, &config, rows[i].asked, 16384, 2048);
        SUITE_SAME_INTEGER(buffer.size, rows[i].size);
        SUITE_SAME_INTEGER(buffer.used, 0);
        CU_ASSERT_EQUAL(buffer.locked, rows[i].asked > 0);
    }
}

// ---- Several interfaces ----

#define TWO_CARDS                                                                                  \
    "schema: 1\nstack: tcp\nworkload: {benchmark: native.pingpong, sizes: [1 B], ranks: 2}\n"      \
    "hosts: [{name: n, count: 3, nics: [{name: x, nic: eepro100}, {name: y, nic: tulip}]}]\n"
#define ONE_NETWORK TWO_CARDS "switches: [{name: s}]\nlinks: [{from: n, to: s, count: 2}]\n"
#define TWO_NETWORKS                                                                               \
    TWO_CARDS "switches: [{name: s}, {name: t}]\nlinks: [{from: n.x, to: s}, {from: n.y, to: "     \
              "t}]\n"
#define THREE_CARDS                                                                                \
    "schema: 1\nstack: tcp\nworkload: {benchmark: native.pingpong, sizes: [1 B], ranks: 2}\n"      \
    "hosts: [{name: n, count: 2, nics: [{name: x, nic: tulip}, {name: y, nic: tulip}, "            \
    "{name: z, nic: eepro100}]}]\nswitches: [{name: s}, {name: t}]\n"                              \
    "links: [{from: n.x, to: s}, {from: n.y, to: t}, {from: n.z, to: t}]\n"

// All cards are used, as of a multihomed transport.
static void build_all(struct world *world)
{
    for (int station = 0; station < network_stations(world->cluster->network); station++)
        world->cluster->cards[station].idle = false;
    ethernet_add_nics(world->cluster, world->test_case);
}

static const struct world_provider all_cards = {.build = build_all};

struct homes {
    struct world *world;
    struct inet_host *hosts[3];
};

static const struct inet_config plain_config = {
    .mtu = 1500, .tick = TIME_MS, .queue = 100, .transmit_interrupt = 16};

// Arrivals, and their interfaces: "0>1 " for card 0 of host 0 to card 1.
static void noted_receive(struct cpu_context *context, void *owner,
                          struct inet_interface *interface, struct packet *packet)
{
    (void)context;
    const struct inet_host *host = owner;
    int nth = 0;
    while (inet_interface_at(host, nth) != interface)
        nth++;
    CU_ASSERT_EQUAL(inet_station(interface), route_to(packet->route));
    g_string_append_printf(come, "%d>%d ", packet_header(packet, struct counted)->which, nth);
    inet_packet_free(interface, packet);
}

static const struct inet_protocol noted_protocol = {
    .number = NUMBER, .receive = noted_receive, .write = counted_write};

static struct homes homes_new(const char *text)
{
    struct homes homes = {.world = world_new(&all_cards, text, NULL, NULL)};
    struct cluster *cluster = homes.world->cluster;
    for (int i = 0; i < cluster->host_count; i++) {
        homes.hosts[i] = inet_host_new(cluster, cluster->hosts[i], &plain_config, "test drops");
        inet_register(homes.hosts[i], &noted_protocol, homes.hosts[i]);
    }
    come = g_string_new(NULL);
    return homes;
}

static void homes_free(struct homes *homes)
{
    for (int i = 0; i < homes->world->cluster->host_count; i++)
        inet_host_free(homes->hosts[i]);
    world_free(homes->world);
    g_string_free(come, TRUE);
}

// Every card of host 0 sends to every card of the last host that it has a route to.
static void expect_arrivals(const char *text, const char *arrivals)
{
    struct homes homes = homes_new(text);
    struct inet_host *from = homes.hosts[0];
    int last = homes.world->cluster->host_count - 1, stations[3];
    int count = inet_stations(homes.world->cluster, last, stations, 3);
    SUITE_SAME_INTEGER(count, inet_interfaces(homes.hosts[last]));
    for (int i = 0; i < inet_interfaces(from); i++) {
        for (int k = 0; k < count; k++) {
            struct sender *sender = world_keep(homes.world, g_new(struct sender, 1));
            *sender = (struct sender){
                .interface = inet_interface_at(from, i),
                .route = inet_route(inet_interface_at(from, i), stations[k]),
                .first = (1 + 3 * i + k) * TIME_MS,
                .number = NUMBER,
                .which = i,
            };
            if (!sender->route)
                continue;
            cpu_task_init(&sender->task, from->host->cores[0], CPU_USER, send_one);
            cpu_wake(&sender->task);
        }
    }
    world_run(homes.world);
    SUITE_SAME_TEXT(come->str, arrivals);
    homes_free(&homes);
}

static void test_arrivals(void)
{
    expect_arrivals(ONE_NETWORK, "0>0 0>1 1>0 1>1 ");
    expect_arrivals(TWO_NETWORKS, "0>0 1>1 ");
    expect_arrivals(THREE_CARDS, "0>0 1>1 1>2 2>1 2>2 ");
}

// Its own stations, those of a peer, and which of its interfaces a station is reached by.
static void expect_ways(const char *text, int cards, const int *toward)
{
    struct homes homes = homes_new(text);
    const struct cluster *cluster = homes.world->cluster;
    const struct inet_host *from = homes.hosts[0];
    int stations[3] = {-1, -1, -1};
    SUITE_SAME_INTEGER(inet_interfaces(from), cards);
    SUITE_SAME_INTEGER(inet_stations(cluster, 1, stations, 1), cards);
    CU_ASSERT_EQUAL(stations[1], -1);
    SUITE_SAME_INTEGER(inet_stations(cluster, 1, stations, 3), cards);
    for (int i = 0; i < cards; i++) {
        struct inet_interface *own = inet_interface_at(from, i);
        SUITE_SAME_INTEGER(inet_station(own), network_station(cluster->network, 0, i));
        SUITE_SAME_INTEGER(stations[i], network_station(cluster->network, 1, i));
        SUITE_SAME_INTEGER(inet_subnet(cluster, stations[i]), i);
        CU_ASSERT_PTR_EQUAL(inet_interface_of(from, inet_station(own)), own);
        CU_ASSERT_PTR_NULL(inet_interface_of(from, stations[i]));
        CU_ASSERT_PTR_EQUAL(inet_interface_toward(from, stations[i]),
                            inet_interface_at(from, toward[i]));
    }
    CU_ASSERT_PTR_NULL(inet_interface_at(from, cards));
    CU_ASSERT_PTR_NULL(inet_interface_at(from, -1));
    homes_free(&homes);
}

static void test_ways(void)
{
    static const int own_subnet[] = {0, 1, 2};
    expect_ways(ONE_NETWORK, 2, own_subnet);
    expect_ways(TWO_NETWORKS, 2, own_subnet);
    expect_ways(THREE_CARDS, 3, own_subnet);
    // Crosswise: the subnet leads nowhere, so the card that has a route does.
    static const int crossed[] = {1, 0};
    expect_ways(TWO_CARDS "switches: [{name: s}, {name: t}]\n"
                          "links: [{from: n0.x, to: s}, {from: n0.y, to: t}, {from: n1.x, to: t}, "
                          "{from: n1.y, to: s}, {from: n2, to: s}]\n",
                2, crossed);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"flows keep their order", test_flows_keep_their_order},
        {"unknown protocol", test_unknown_protocol},
        {"addresses", test_addresses},
        {"arrivals on several interfaces", test_arrivals},
        {"ways over several interfaces", test_ways},
        {"buffers", test_buffers},
        {0}};
    return suite_run("inet: interfaces", cases);
}
