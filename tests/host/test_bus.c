// SPDX-License-Identifier: GPL-3.0-or-later
// The I/O bus: bursts, turns, and the closed form of a transaction.
#include "sim/core/random.h"
#include "sim/host/bus.h"
#include "tests/support/spans.h"
#include "tests/support/suite.h"

#include <glib.h>

// 10 ns a byte, 128 B in a burst, 240 ns before each.
static const struct bus_config config = {
    .rate = 100000000,
    .burst = 128,
    .burst_setup = 240 * TIME_NS,
};

#define BYTE (10 * TIME_NS)
#define SETUP (240 * TIME_NS)

// A device that asks for transactions and notes when they are done.
struct device {
    struct event ask, done;
    struct sim *sim;
    struct bus *bus;
    int64_t bytes;
    sim_time asked, end;
};

static void ask_event(struct engine *engine, struct event *event)
{
    struct device *device = container_of(event, struct device, ask);
    device->asked = engine_now(engine);
    bus_transfer(device->bus, device->bytes, &device->done, "test", MESSAGE_NONE);
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
    CU_ASSERT_EQUAL(bus_time(&config, 0), 0);
    CU_ASSERT_EQUAL(bus_time(&config, 1), SETUP + BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, 127), SETUP + 127 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, 128), SETUP + 128 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, 129), 2 * SETUP + 129 * BYTE);
    CU_ASSERT_EQUAL(bus_time(&config, 1534), 12 * SETUP + 1534 * BYTE);
    // A rate that does not divide: rounded up once, over the whole transaction.
    struct bus_config pci = {.rate = 132000000, .burst = 64, .burst_setup = 0};
    CU_ASSERT_EQUAL(bus_time(&pci, 1), 7576);
    CU_ASSERT_EQUAL(bus_time(&pci, 132), TIME_US);
}

// Who asks while the bus is busy waits behind all who asked before, whatever the lengths.
static void test_turns(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", &config);
    struct device devices[4];
    device_asks(&devices[0], sim, bus, 100 * TIME_NS, 256);
    device_asks(&devices[1], sim, bus, 200 * TIME_NS, 1);
    device_asks(&devices[2], sim, bus, 200 * TIME_NS, 64);
    device_asks(&devices[3], sim, bus, 100 * TIME_US, 10);
    engine_run(sim->engine, TIME_NEVER);
    sim_time first = 100 * TIME_NS + bus_time(&config, 256);
    CU_ASSERT_EQUAL(devices[0].end, first);
    CU_ASSERT_EQUAL(devices[1].end, first + bus_time(&config, 1));
    CU_ASSERT_EQUAL(devices[2].end, first + bus_time(&config, 1) + bus_time(&config, 64));
    // Idle again: it starts at once.
    CU_ASSERT_EQUAL(devices[3].end, 100 * TIME_US + bus_time(&config, 10));
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
    struct bus *bus = bus_new(sim, "host", &config);
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
                 time = bus_time(&config, devices[i].bytes);
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

// Load that is only noted delays nobody.
static void test_note(void)
{
    struct sim *sim = sim_new(1, NULL);
    struct bus *bus = bus_new(sim, "host", &config);
    struct device device;
    bus_note(bus, 1000);
    CU_ASSERT_EQUAL(bus_busy(bus), bus_time(&config, 1000));
    device_asks(&device, sim, bus, 0, 10);
    engine_run(sim->engine, TIME_NEVER);
    CU_ASSERT_EQUAL(device.end, bus_time(&config, 10));
    CU_ASSERT_EQUAL(bus_busy(bus), bus_time(&config, 1000) + bus_time(&config, 10));
    bus_free(bus);
    sim_free(sim);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"bursts", test_bursts},
        {"first come, first served", test_turns},
        {"random transactions", test_random},
        {"noted load", test_note},
        {NULL, NULL},
    };
    return suite_run("host: bus", cases);
}
