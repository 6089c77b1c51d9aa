// SPDX-License-Identifier: GPL-3.0-or-later
// What transports share of a host's stack, with a transport that only counts what it gets.
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

// What has come, in order.
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

static const struct inet_protocol counted_protocol = {NUMBER, counted_receive, counted_write};

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
// ready. The order in which they come to host 1.
static char *order_of(struct inet_flow *flow, uint8_t number)
{
    struct world *world = tcp_world(NULL, NULL);
    tcp_wire(world)->quiet = true; // it reads TCP only
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

// What no transport of the host has the number of comes to none.
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

int main(void)
{
    static const struct suite_case cases[] = {
        {"flows keep their order", test_flows_keep_their_order},
        {"unknown protocol", test_unknown_protocol},
        {"addresses", test_addresses},
        {"buffers", test_buffers},
        {0}};
    return suite_run("inet: interfaces", cases);
}
