// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/bus.h"

#include "sim/config/reader.h"

#include <glib.h>

#define B struct bus_config

#define BURST_SOURCE                                                                               \
    "prior: 32 data phases, the burst that Linux's tulip driver programs into a 21140"

static const struct param bus_params[] = {
    PARAM(B, clock, PARAM_FREQUENCY, .fallback = "33 MHz", .least = "1 kHz",
          .doc = "clock of the bus; set-ups count on it", .source = "PCI 2.1: 33 MHz; 2.1 has 66"),
    PARAM(B, width, PARAM_SIZE, .fallback = "4 B", .least = "1 B", .most = "64 B",
          .doc = "bytes that move in a clock", .source = "PCI 2.1: 32 bit, or 64"),
    PARAM(B, rate, PARAM_BYTE_RATE, .fallback = "0 B/s",
          .doc = "rate within a burst; 0: width times clock", .source = "off: as PCI 2.1 has it"),
    PARAM(B, read_burst, PARAM_SIZE, .fallback = "128 B", .least = "4 B",
          .doc = "longest burst in which a device reads host memory", .source = BURST_SOURCE),
    PARAM(B, read_setup, PARAM_REAL, .fallback = "12", .most = "1000000",
          .doc = "clocks before the data of a device's read: arbitration, address, first data",
          .source = "prior: 2 clocks of arbitration and 10 until a bridge of 1998..2001 has its "
                    "first data; PCI 2.1, 3.5.1.1, allows 16 and a host bridge 32"),
    PARAM(B, write_burst, PARAM_SIZE, .fallback = "128 B", .least = "4 B",
          .doc = "longest burst in which a device writes to host memory", .source = BURST_SOURCE),
    PARAM(B, write_setup, PARAM_REAL, .fallback = "5", .most = "1000000",
          .doc = "clocks before the data of a write, which is posted, and after them",
          .source =
              "prior: 2 clocks of arbitration, address, medium decode (PCI 2.1, 3.6.1), idle"),
    {0},
};

static const struct reader_renamed bus_renamed[] = {
    {"burst", {"read_burst", "write_burst"}, NULL, "0.2.0"},
    {"burst_setup",
     {"read_setup", "write_setup"},
     "in clocks of the bus instead of a time",
     "0.2.0"},
    {0},
};

const struct param_table bus_table =
    PARAM_TABLE(struct bus_config, bus_params, .name = "bus",
                .doc = "I/O bus shared by all devices of a host", .renamed = bus_renamed);

// A transaction that waits for its turn.
struct asked {
    enum bus_way way;
    int64_t bytes;
    struct event *done;
    const struct stage *stage;
    struct message_ref message;
    sim_time when;
};

struct bus {
    struct sim *sim;
    struct bus_config config;
    sim_time free_at; // when the last requested transaction ends

    // With a memory bus, whose load is only known when a transaction begins.
    struct memory_bus memory;
    GArray *asked; // struct asked, first in, first out
    guint taken;
    struct event next; // end of the current transaction

    sim_time busy;
    trace_lane lane;
};

static void bus_next(struct engine *engine, struct event *event);

struct bus *bus_new(struct sim *sim, const char *group, const char *name,
                    const struct bus_config *config)
{
    struct bus *bus = g_new0(struct bus, 1);
    bus->sim = sim;
    bus->config = *config;
    bus->lane = trace_lane_new(sim->trace, group, name);
    bus->asked = g_array_new(FALSE, FALSE, sizeof(struct asked));
    event_init(&bus->next, bus_next);
    return bus;
}

void bus_free(struct bus *bus)
{
    if (bus)
        g_array_free(bus->asked, TRUE);
    g_free(bus);
}

const struct bus_config *bus_config(const struct bus *bus)
{
    return &bus->config;
}

int64_t bus_burst(const struct bus_config *config, enum bus_way way)
{
    return way == BUS_READ ? config->read_burst : config->write_burst;
}

sim_time bus_time(const struct bus_config *config, enum bus_way way, int64_t bytes)
{
    double clocks = way == BUS_READ ? config->read_setup : config->write_setup;
    sim_time setup = (sim_time)(clocks * (double)TIME_S / (double)config->clock + 0.5);
    int64_t burst = bus_burst(config, way), bursts = (bytes + burst - 1) / burst;
    int64_t rate = config->rate > 0 ? config->rate : config->width * config->clock;
    return time_after(time_times(bursts, setup), time_at_rate(bytes, rate));
}

void bus_share_memory(struct bus *bus, const struct memory_bus *memory)
{
    bus->memory = *memory;
}

// The bus is idle and starts a transaction. The copies that it meets are known now.
static void bus_begin(struct bus *bus, const struct asked *asked)
{
    sim_time now = sim_now(bus->sim), time = bus_time(&bus->config, asked->way, asked->bytes);
    time = time_after(time, memory_bus_meet(&bus->memory, asked->bytes, time));
    bus->busy += time;
    trace_span(bus->sim->trace, bus->lane, asked->stage, now, now + time, asked->message);
    trace_queued(bus->sim->trace, bus->lane, asked->when, now);
    engine_schedule(bus->sim->engine, asked->done, now + time);
    engine_schedule(bus->sim->engine, &bus->next, now + time);
}

static void bus_next(struct engine *engine, struct event *event)
{
    (void)engine;
    struct bus *bus = container_of(event, struct bus, next);
    if (bus->taken == bus->asked->len)
        return;
    struct asked asked = g_array_index(bus->asked, struct asked, bus->taken++);
    if (2 * bus->taken >= bus->asked->len) {
        g_array_remove_range(bus->asked, 0, bus->taken);
        bus->taken = 0;
    }
    bus_begin(bus, &asked);
}

void bus_transfer(struct bus *bus, enum bus_way way, int64_t bytes, struct event *done,
                  const struct stage *stage, struct message_ref message)
{
    if (bus->memory.rate > 0) {
        struct asked asked = {way, bytes, done, stage, message, sim_now(bus->sim)};
        if (event_pending(&bus->next))
            g_array_append_val(bus->asked, asked);
        else
            bus_begin(bus, &asked);
        return;
    }
    sim_time time = bus_time(&bus->config, way, bytes);
    sim_time start = MAX(bus->free_at, sim_now(bus->sim));
    bus->free_at = time_after(start, time);
    bus->busy += bus->free_at - start;
    trace_span(bus->sim->trace, bus->lane, stage, start, bus->free_at, message);
    trace_queued(bus->sim->trace, bus->lane, sim_now(bus->sim), start);
    engine_schedule(bus->sim->engine, done, bus->free_at);
}

void bus_note(struct bus *bus, enum bus_way way, int64_t bytes)
{
    sim_time time = bus_time(&bus->config, way, bytes), now = sim_now(bus->sim);
    bus->busy += time;
    trace_note(bus->sim->trace, bus->lane,
               &(struct trace_note){.kind = TRACE_LOAD, .from = MAX(now - time, 0), .to = now});
}

sim_time bus_busy(const struct bus *bus)
{
    return bus->busy;
}
