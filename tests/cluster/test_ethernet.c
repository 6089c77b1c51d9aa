// SPDX-License-Identifier: GPL-3.0-or-later
// The plain Ethernet card on PCI Express: a frame's time is the sum of its parts, throughput is
// that of the wire or of the lanes, and every frame arrives or is counted as lost.
#include "models/ethernet/nics.h"
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

#include <glib.h>

#define PLAIN_TYPE 0x2222
#define PLAIN_MOST_SETS 32
#define PLAIN_MOST_FRAMES 2000

// Frames from host 0 to host 1, on processors that take no time.
struct plain_bench {
    struct world *world;
    GArray *arrivals, *completions; // sim_time, of the callbacks at host 1 and host 0
    GPtrArray *posts;
    int64_t bytes; // of the frames that have arrived
};

struct plain_post {
    struct event event;
    struct plain_bench *bench;
    uint32_t wire_bytes;
};

static void plain_received(struct cpu_context *context, void *owner, struct packet *packet)
{
    struct plain_bench *bench = owner;
    g_array_append_val(bench->arrivals, context->now);
    bench->bytes += packet->wire_bytes;
    packet_free(bench->world->cluster->network, packet);
}

static void plain_sent(struct cpu_context *context, void *owner, void *token)
{
    struct plain_bench *bench = owner;
    (void)token;
    g_array_append_val(bench->completions, context->now);
}

static const struct nic_protocol plain_protocol = {.receive = plain_received, .sent = plain_sent};

static struct plain_bench *plain_new(const char *const *more)
{
    static const char *const common[] = {"stack=tcp",
                                         "nic=ethernet",
                                         "host.bus.kind=pcie",
                                         "host.bus.clock=0 Hz",
                                         "host.bus.rate=0 B/s",
                                         "host.bus.read_setup=0",
                                         "host.bus.write_setup=0",
                                         "link.rate=100 Gb/s",
                                         "ethernet.rx_frame=0",
                                         "ethernet.tx_done=0",
                                         "ethernet.status_read=0",
                                         "host.kernel.interrupt_latency=0 s",
                                         "host.kernel.interrupt_ack=0 s",
                                         "host.kernel.interrupt_entry=0",
                                         "host.kernel.interrupt_exit=0",
                                         "host.kernel.interrupt_unmask=0 s"};
    const char *sets[PLAIN_MOST_SETS] = {0};
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(common); i++)
        sets[count++] = common[i];
    for (int i = 0; more && more[i]; i++)
        sets[count++] = more[i];
    struct plain_bench *bench = g_new0(struct plain_bench, 1);
    bench->world = world_new(&world_cards, world_cable, sets, NULL);
    bench->arrivals = g_array_sized_new(FALSE, FALSE, sizeof(sim_time), PLAIN_MOST_FRAMES);
    bench->completions = g_array_sized_new(FALSE, FALSE, sizeof(sim_time), PLAIN_MOST_FRAMES);
    bench->posts = g_ptr_array_new_with_free_func(g_free);
    for (int host = 0; host < 2; host++)
        nic_register(ethernet_nic(bench->world->cluster, host, 0), PLAIN_TYPE, &plain_protocol,
                     bench);
    return bench;
}

static void plain_free(struct plain_bench *bench)
{
    g_array_unref(bench->arrivals);
    g_array_unref(bench->completions);
    g_ptr_array_unref(bench->posts);
    world_free(bench->world);
    g_free(bench);
}

static void plain_post_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct plain_post *post = container_of(event, struct plain_post, event);
    const struct cluster *cluster = post->bench->world->cluster;
    struct packet *packet = packet_new(cluster->network);
    packet->route = network_route(cluster->network, nic_station(ethernet_nic(cluster, 0, 0)),
                                  nic_station(ethernet_nic(cluster, 1, 0)));
    packet->wire_bytes = post->wire_bytes;
    packet->protocol = PLAIN_TYPE;
    nic_transmit(ethernet_nic(cluster, 0, 0), packet, post);
}

static void plain_transmit(struct plain_bench *bench, sim_time when, uint32_t wire_bytes)
{
    struct plain_post *post = g_new0(struct plain_post, 1);
    *post = (struct plain_post){.bench = bench, .wire_bytes = wire_bytes};
    event_init(&post->event, plain_post_event);
    g_ptr_array_add(bench->posts, post);
    engine_schedule(bench->world->sim->engine, &post->event, when);
}

static sim_time plain_arrival(const struct plain_bench *bench, guint nth)
{
    return nth < bench->arrivals->len ? g_array_index(bench->arrivals, sim_time, nth) : -1;
}

static int64_t plain_counter(const struct plain_bench *bench, const char *name)
{
    return *sim_counter(bench->world->sim, name);
}

static const struct nic_config *plain_config(const struct plain_bench *bench)
{
    return nic_config(ethernet_nic(bench->world->cluster, 0, 0));
}

static sim_time plain_bus(const struct plain_bench *bench, enum bus_way way, int64_t bytes)
{
    return bus_time(&bench->world->cluster->hosts[0]->config.bus, way, bytes);
}

// From the doorbell until the first bytes may be asked for.
static sim_time plain_start(const struct plain_bench *bench)
{
    const struct nic_config *nic = plain_config(bench);
    return nic->tx_start + plain_bus(bench, BUS_READ, nic->descriptor);
}

// From a frame's first bit on the wire until the receiver's driver has it.
static sim_time plain_over(const struct plain_bench *bench, int64_t wire_bytes)
{
    const struct nic_config *nic = plain_config(bench);
    return world_wire_time(bench->world, wire_bytes) +
           plain_bus(bench, BUS_WRITE, wire_bytes + nic->descriptor) + nic->rx_status +
           nic->interrupt_delay;
}

// Frames that arrive alone: the sum of the parts, and the card's whole wait for further frames.
static void check_alone(const char *delay, sim_time waits)
{
    static const uint32_t sizes[] = {64, 256, 1518, 9018, 9234};
    const char *sets[] = {delay, "ethernet.coalesce_frames=2", NULL};
    struct plain_bench *bench = plain_new(sets);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        plain_transmit(bench, (sim_time)(i + 1) * 5 * TIME_MS, sizes[i]);
    world_run(bench->world);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        SUITE_SAME_INTEGER(plain_arrival(bench, (guint)i) - (sim_time)(i + 1) * 5 * TIME_MS,
                           plain_start(bench) + plain_bus(bench, BUS_READ, sizes[i]) +
                               plain_over(bench, sizes[i]) + waits);
    plain_free(bench);
}

static void test_plain_alone(void)
{
    check_alone("ethernet.coalesce_delay=0 s", 0);
    check_alone("ethernet.coalesce_delay=8 us", 8 * TIME_US);
    check_alone("ethernet.coalesce_delay=1 ms", TIME_MS);
}

// The second frame completes a group of one interrupt; a third waits for its own time.
static void test_plain_frames_collected(void)
{
    static const char *const sets[] = {"ethernet.coalesce_frames=2",
                                       "ethernet.coalesce_delay=100 us", NULL};
    struct plain_bench *bench = plain_new(sets);
    for (int i = 0; i < 3; i++)
        plain_transmit(bench, i * 10 * TIME_US, 1000);
    world_run(bench->world);
    sim_time alone =
        plain_start(bench) + plain_bus(bench, BUS_READ, 1000) + plain_over(bench, 1000);
    SUITE_SAME_INTEGER(plain_arrival(bench, 0), alone + 10 * TIME_US);
    SUITE_SAME_INTEGER(plain_arrival(bench, 1), alone + 10 * TIME_US);
    SUITE_SAME_INTEGER(plain_arrival(bench, 2), alone + 20 * TIME_US + 100 * TIME_US);
    plain_free(bench);
}

// ---- Throughput ----

enum plain_limit { PLAIN_WIRE, PLAIN_LANES, PLAIN_LATENCY };

// When the last of many frames arrives is known to the picosecond: each takes its slot on the wire,
// or its time on the lanes, or, with one read at a time, the whole of a read.
static void check_throughput(const char *const *more, uint32_t wire_bytes, enum plain_limit limit)
{
    enum { FRAMES = 300 };
    const char *sets[8] = {"ethernet.coalesce_delay=0 s", "ethernet.coalesce_frames=1",
                           "ethernet.interrupt_delay=0 s"}; // that others would share
    for (int i = 0; more[i]; i++)
        sets[i + 3] = more[i];
    struct plain_bench *bench = plain_new(sets);
    for (int i = 0; i < FRAMES; i++)
        plain_transmit(bench, 0, wire_bytes);
    world_run(bench->world);
    const struct bus_config *bus = &bench->world->cluster->hosts[0]->config.bus;
    sim_time read = plain_bus(bench, BUS_READ, wire_bytes + plain_config(bench)->descriptor);
    sim_time first = plain_start(bench) + plain_bus(bench, BUS_READ, wire_bytes);
    const sim_time each[] = {
        [PLAIN_WIRE] = network_station_time(bench->world->cluster->network, 0, wire_bytes),
        [PLAIN_LANES] = read - bus->read_latency,
        [PLAIN_LATENCY] = read,
    };
    for (size_t i = 0; i < G_N_ELEMENTS(each); i++)
        CU_ASSERT(i == PLAIN_LATENCY || each[i] <= each[limit]);
    SUITE_SAME_INTEGER(bench->arrivals->len, FRAMES);
    SUITE_SAME_INTEGER(plain_arrival(bench, FRAMES - 1),
                       first + (FRAMES - 1) * each[limit] + plain_over(bench, wire_bytes));
    plain_free(bench);
}

static void test_plain_throughput(void)
{
    static const uint32_t sizes[] = {512, 1518, 9018};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        check_throughput((const char *const[]){"link.rate=100 Gb/s", NULL}, sizes[i], PLAIN_WIRE);
        check_throughput((const char *const[]){"link.rate=10 Mb/s", NULL}, sizes[i], PLAIN_WIRE);
        // A card of 100 Gb/s in a slot of 4 lanes, and one of 400 Gb/s in one of 16.
        check_throughput((const char *const[]){"host.bus.lanes=4", NULL}, sizes[i], PLAIN_LANES);
        check_throughput((const char *const[]){"link.rate=400 Gb/s", NULL}, sizes[i], PLAIN_LANES);
        // One read under way hides no latency.
        check_throughput((const char *const[]){"ethernet.reads=1", NULL}, sizes[i], PLAIN_LATENCY);
    }
    // A FIFO of one frame neither.
    check_throughput((const char *const[]){"ethernet.tx_fifo=9018 B", "host.bus.read_latency=0 s",
                                           "host.bus.lanes=1", "link.rate=400 Gb/s", NULL},
                     64, PLAIN_LANES);
}

// ---- Losses ----

// A frame that finds no descriptor before the driver is notified is lost, and counted.
static void test_plain_ring(void)
{
    static const char *const sets[] = {"ethernet.rx_ring=4", "ethernet.coalesce_frames=100",
                                       "ethernet.coalesce_delay=1 ms", NULL};
    struct plain_bench *bench = plain_new(sets);
    for (int i = 0; i < 10; i++)
        plain_transmit(bench, 0, 1518);
    plain_transmit(bench, 5 * TIME_MS, 1518);
    world_run(bench->world);
    SUITE_SAME_INTEGER(bench->arrivals->len, 4 + 1);
    SUITE_SAME_INTEGER(plain_counter(bench, "nic receive ring full"), 6);
    SUITE_SAME_INTEGER(bench->completions->len, 11);
    plain_free(bench);
}

// A bus at the receiver that is slower than the wire fills its FIFO.
static void test_plain_fifo(void)
{
    static const char *const sets[] = {"ethernet.rx_fifo=32 KiB", "host.bus.write_burst=8 B",
                                       NULL}; // 8 of 32 B on the lanes are data
    struct plain_bench *bench = plain_new(sets);
    for (int i = 0; i < 100; i++)
        plain_transmit(bench, 0, 9018);
    world_run(bench->world);
    int64_t lost = plain_counter(bench, "nic receive FIFO full");
    CU_ASSERT(lost > 50 && lost < 97);
    SUITE_SAME_INTEGER(bench->arrivals->len + lost, 100);
    plain_free(bench);
}

// Whatever the arrivals and the card's sizes: each frame arrives, in order, or is counted; each is
// completed; and the ring is empty in the end.
static void test_plain_conservation(void)
{
    GRand *random = g_rand_new_with_seed(7);
    for (int run = 0; run < 60; run++) {
        char *own[] = {
            g_strdup_printf("ethernet.reads=%d", g_rand_int_range(random, 1, 9)),
            g_strdup_printf("ethernet.tx_fifo=%d B", g_rand_int_range(random, 9234, 40000)),
            g_strdup_printf("ethernet.rx_ring=%d", g_rand_int_range(random, 2, 64)),
            g_strdup_printf("ethernet.coalesce_frames=%d", g_rand_int_range(random, 1, 20)),
            g_strdup_printf("host.bus.lanes=%d", g_rand_int_range(random, 1, 17)),
            g_strdup_printf("ethernet.completion=%s", run % 2 ? "sent" : "loaded"),
            g_strdup_printf("host.memory.bus_rate=%d GB/s", run % 3 ? 0 : 3),
            NULL};
        struct plain_bench *bench = plain_new((const char *const *)own);
        int frames = g_rand_int_range(random, 1, 300);
        int64_t bytes = 0, room = nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0));
        for (int i = 0; i < frames; i++) {
            uint32_t size = (uint32_t)g_rand_int_range(random, 64, 9235);
            plain_transmit(bench, g_rand_int_range(random, 0, 200) * TIME_US, size);
            bytes += size;
        }
        world_run(bench->world);
        int64_t lost = plain_counter(bench, "nic receive ring full") +
                       plain_counter(bench, "nic receive FIFO full");
        SUITE_SAME_INTEGER(bench->arrivals->len + lost, frames);
        CU_ASSERT(lost > 0 ? bench->bytes < bytes : bench->bytes == bytes);
        SUITE_SAME_INTEGER(bench->completions->len, frames);
        SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), room);
        plain_free(bench);
        for (size_t i = 0; own[i]; i++)
            g_free(own[i]);
    }
    g_rand_free(random);
}

// Once as many frames have been under way, a frame asks the system for no memory.
static void test_plain_allocations(void)
{
    struct plain_bench *bench = plain_new((const char *const[]){"ethernet.rx_ring=1024", NULL});
    for (int i = 0; i < 800; i++)
        plain_transmit(bench, i < 400 ? 0 : 5 * TIME_MS, 1518);
    engine_run(bench->world->sim->engine, 4 * TIME_MS);
    SUITE_SAME_INTEGER(bench->arrivals->len, 400);
    uint64_t before = allocations.count;
    engine_run(bench->world->sim->engine, TIME_NEVER);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    SUITE_SAME_INTEGER(bench->arrivals->len, 800);
    plain_free(bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a frame alone", test_plain_alone},     {"frames collected", test_plain_frames_collected},
        {"throughput", test_plain_throughput},   {"receive ring", test_plain_ring},
        {"receive FIFO", test_plain_fifo},       {"conservation", test_plain_conservation},
        {"allocations", test_plain_allocations}, {NULL, NULL},
    };
    return suite_run("cluster: plain Ethernet card", cases);
}
