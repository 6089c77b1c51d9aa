// SPDX-License-Identifier: GPL-3.0-or-later
// The I/O bus: bursts, turns, and the closed form of a transaction.
#include "sim/core/random.h"
#include "sim/host/bus.h"
#include "tests/support/spans.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#include <glib.h>

// 10 ns per byte; a read has 128 B in a burst and 240 ns before each, a write 64 B and 50 ns.
static const struct bus_config config = {
    .clock = 100000000,
    .width = 1,
    .read_burst = 128,
    .read_setup = 24,
    .write_burst = 64,
    .write_setup = 5,
};

#define BYTE (10 * TIME_NS)
#define SETUP (240 * TIME_NS)

// A device that asks for transactions and notes when they are done.
struct device {
    struct event ask, done;
    struct sim *sim;
    struct bus *bus;
    enum bus_way way;
    int64_t bytes;
    sim_time asked, end;
};

static void ask_event(struct engine *engine, struct event *event)
{
    struct device *device = container_of(event, struct device, ask);
    device->asked = engine_now(engine);
    bus_transfer(device->bus, device->way, device->bytes, &device->done,
                 stage_called("test", STAGE_BUS), MESSAGE_NONE);
}

static void done_event(struct engine *engine, struct event *event)
{
    container_of(event, struct device, done)->end = engine_now(engine);
}

static void device_asks(struct device *device, struct sim *sim, struct bus *bus, sim_time when,
                        int64_t bytes)
{
    *device = (struct device){.sim = sim, .bus = bus, .bytes = bytes, .end = -1};
    event_init(&device->ask, ask_event);
    event_init(&device->done, done_event);
    engine_schedule(sim->engine, &device->ask, when);
}

static void test_bursts(void)
{
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 0), 0);
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 1), SETUP + BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 127), SETUP + 127 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 128), SETUP + 128 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 129), 2 * SETUP + 129 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, BUS_READ, 1534), 12 * SETUP + 1534 * BYTE);
    // A rate that does not divide: rounded up once, over the whole transaction.
    struct bus_config pci = {.clock = 33000000, .width = 4, .read_burst = 64};
    CU_ASSERT_EQUAL(bus_time(&pci, BUS_READ, 1), 7576);
    CU_ASSERT_EQUAL(bus_time(&pci, BUS_READ, 132), TIME_US);
}

// Reads and writes have bursts and set-ups of their own.
static void test_ways(void)
{
    SUITE_SAME_INTEGER(bus_time(&config, BUS_WRITE, 64), 50 * TIME_NS + 64 * BYTE);
    SUITE_SAME_INTEGER(bus_time(&config, BUS_WRITE, 65), 100 * TIME_NS + 65 * BYTE);
    SUITE_SAME_INTEGER(bus_burst(&config, BUS_READ), 128);
    SUITE_SAME_INTEGER(bus_burst(&config, BUS_WRITE), 64);
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", "bus", &config);
    bus_note(bus, BUS_WRITE, 65);
    SUITE_SAME_INTEGER(bus_busy(bus), 100 * TIME_NS + 65 * BYTE);
    bus_free(bus);
    sim_free(sim);
}

// Times in clocks halve at twice the clock: 8 of them 240 ns at 33.3 MHz and
// 120 ns at 66.7 MHz, on a bus of either width.
static void test_clocks(void)
{
    for (int64_t width = 4; width <= 8; width += 4) {
        struct bus_config pci = {
            .clock = 33333333, .width = width, .read_burst = 128, .read_setup = 8};
        sim_time data = time_at_rate(128, width * pci.clock);
        SUITE_SAME_INTEGER((bus_time(&pci, BUS_READ, 128) - data) / 1000, 240);
        pci.clock *= 2;
        data = time_at_rate(128, width * pci.clock);
        SUITE_SAME_INTEGER((bus_time(&pci, BUS_READ, 128) - data) / 1000, 120);
    }
    // A rate that is given is that of the data alone.
    struct bus_config slow = {
        .clock = 33000000, .width = 4, .rate = 1000000, .read_burst = 128, .read_setup = 33};
    SUITE_SAME_INTEGER(bus_time(&slow, BUS_READ, 128), 129 * TIME_US);
}

// A request on the busy bus waits for all earlier ones, whatever the lengths.
static void test_turns(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", "bus", &config);
    struct device devices[4];
    device_asks(&devices[0], sim, bus, 100 * TIME_NS, 256);
    device_asks(&devices[1], sim, bus, 200 * TIME_NS, 1);
    device_asks(&devices[2], sim, bus, 200 * TIME_NS, 64);
    device_asks(&devices[3], sim, bus, 100 * TIME_US, 10);
    engine_run(sim->engine, TIME_NEVER);
    sim_time first = 100 * TIME_NS + bus_time(&config, BUS_READ, 256);
    CU_ASSERT_EQUAL(devices[0].end, first);
    CU_ASSERT_EQUAL(devices[1].end, first + bus_time(&config, BUS_READ, 1));
    CU_ASSERT_EQUAL(devices[2].end,
                    first + bus_time(&config, BUS_READ, 1) + bus_time(&config, BUS_READ, 64));
    // Idle again: it starts at once.
    CU_ASSERT_EQUAL(devices[3].end, 100 * TIME_US + bus_time(&config, BUS_READ, 10));
    bus_free(bus);
    sim_free(sim);
}

// Random transactions: each starts when it is asked for or when the one before ends, and the busy
// time is their sum.
static void test_random(void)
{
    enum { COUNT = 500 };
    struct span_log *log = span_log_new();
    struct sim *sim = sim_new(1, &log->trace);
    struct bus *bus = bus_new(sim, "host", "bus", &config);
    struct random_stream *random = random_new(3, "bus");
    struct device *devices = g_new(struct device, COUNT);
    sim_time when = 0, expected = 0, busy = 0;
    for (int i = 0; i < COUNT; i++) {
        when += (sim_time)random_below(random, 20 * TIME_US);
        device_asks(&devices[i], sim, bus, when, (int64_t)random_below(random, 1600));
    }
    engine_run(sim->engine, TIME_NEVER);
    for (int i = 0; i < COUNT; i++) {
        sim_time start = MAX(expected, devices[i].asked),
                 time = bus_time(&config, BUS_READ, devices[i].bytes);
        const struct span *span = &g_array_index(log->spans, struct span, i);
        expected = start + time;
        busy += time;
        CU_ASSERT_EQUAL(devices[i].end, expected);
        CU_ASSERT(span->from == start && span->to == expected);
    }
    CU_ASSERT_EQUAL(log->spans->len, COUNT);
    CU_ASSERT_EQUAL(bus_busy(bus), busy);
    random_free(random);
    bus_free(bus);
    sim_free(sim);
    span_log_free(log);
    g_free(devices);
}

// Load that is only noted delays no transaction.
static void test_note(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", "bus", &config);
    struct device device;
    bus_note(bus, BUS_READ, 1000);
    CU_ASSERT_EQUAL(bus_busy(bus), bus_time(&config, BUS_READ, 1000));
    device_asks(&device, sim, bus, 0, 10);
    engine_run(sim->engine, TIME_NEVER);
    CU_ASSERT_EQUAL(device.end, bus_time(&config, BUS_READ, 10));
    CU_ASSERT_EQUAL(bus_busy(bus),
                    bus_time(&config, BUS_READ, 1000) + bus_time(&config, BUS_READ, 10));
    bus_free(bus);
    sim_free(sim);
}

// ---- PCI Express ----

// 1 ns per byte in each direction, 250 B in a burst and 10 B of it besides.
static const struct bus_config express = {
    .kind = BUS_PCIE,
    .lanes = 4,
    .lane_rate = 2000000000,
    .read_burst = 250,
    .write_burst = 500,
    .overhead = 10,
    .read_latency = 600 * TIME_NS,
    .write_latency = 200 * TIME_NS,
};

static void test_express_time(void)
{
    SUITE_SAME_INTEGER(bus_most_rate(&express), 1000000000);
    SUITE_SAME_INTEGER(bus_time(&express, BUS_READ, 1), 611 * TIME_NS);
    SUITE_SAME_INTEGER(bus_time(&express, BUS_READ, 250), 860 * TIME_NS);
    SUITE_SAME_INTEGER(bus_time(&express, BUS_READ, 251), 871 * TIME_NS);
    SUITE_SAME_INTEGER(bus_time(&express, BUS_WRITE, 500), 710 * TIME_NS);
    SUITE_SAME_INTEGER(bus_time(&express, BUS_WRITE, 501), 721 * TIME_NS);
    struct bus_config slow = express;
    slow.rate = 500000000;
    SUITE_SAME_INTEGER(bus_time(&slow, BUS_READ, 250), 1120 * TIME_NS);
}

// Three reads and two writes at once: the data of reads follow each other after one latency, and
// writes take nothing from them. With a memory bus that nothing else loads all is as without.
static void check_express_turns(int64_t memory_rate)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", "bus", &express);
    bus_share_memory(bus, &(struct memory_bus){.rate = memory_rate});
    struct device devices[6];
    for (int i = 0; i < 6; i++) {
        device_asks(&devices[i], sim, bus, i == 5 ? 10 * TIME_US : TIME_US, 240);
        devices[i].way = i == 1 || i == 3 ? BUS_WRITE : BUS_READ;
    }
    engine_run(sim->engine, TIME_NEVER);
    SUITE_SAME_INTEGER(devices[0].end, TIME_US + 850 * TIME_NS);
    SUITE_SAME_INTEGER(devices[2].end, TIME_US + 1100 * TIME_NS);
    SUITE_SAME_INTEGER(devices[4].end, TIME_US + 1350 * TIME_NS);
    SUITE_SAME_INTEGER(devices[1].end, TIME_US + 450 * TIME_NS);
    SUITE_SAME_INTEGER(devices[3].end, TIME_US + 700 * TIME_NS);
    SUITE_SAME_INTEGER(devices[5].end, 10 * TIME_US + 850 * TIME_NS);
    SUITE_SAME_INTEGER(bus_busy(bus), 6 * 250 * TIME_NS);
    bus_free(bus);
    sim_free(sim);
}

static void test_express_turns(void)
{
    check_express_turns(0);
    check_express_turns(INT64_C(1) << 50);
}

// A read that is asked for while the lanes carry an earlier one's data begins when both they and
// its own latency let it.
static void test_express_latency_hides(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", "bus", &express);
    struct device devices[3];
    device_asks(&devices[0], sim, bus, 0, 2500);             // its data: 600 .. 3200 ns
    device_asks(&devices[1], sim, bus, 1000 * TIME_NS, 240); // ready at 1600, begins at 3200
    device_asks(&devices[2], sim, bus, 3000 * TIME_NS, 240); // ready at 3600
    engine_run(sim->engine, TIME_NEVER);
    SUITE_SAME_INTEGER(devices[0].end, 3200 * TIME_NS);
    SUITE_SAME_INTEGER(devices[1].end, 3450 * TIME_NS);
    SUITE_SAME_INTEGER(devices[2].end, 3850 * TIME_NS);
    bus_free(bus);
    sim_free(sim);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"bursts", test_bursts},
        {"ways", test_ways},
        {"clocks", test_clocks},
        {"first come, first served", test_turns},
        {"random transactions", test_random},
        {"noted load", test_note},
        {"PCI Express: a transaction", test_express_time},
        {"PCI Express: directions and turns", test_express_turns},
        {"PCI Express: latencies that hide", test_express_latency_hides},
        {NULL, NULL},
    };
    return suite_run("host: bus", cases);
}
