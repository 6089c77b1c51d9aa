// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/bus.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <glib.h>

#define B struct bus_config

#define BITS_PER_BYTE 8
#define LEAST_CLOCK 1000 // Hz

#define PCIE_BENCH "pcie-bench (Neugebauer et al., SIGCOMM 2018)"

static const struct stage latency_stage = {"bus latency", STAGE_BUS};

#define BURST_SOURCE                                                                               \
    "prior: 32 data phases, the burst that Linux's tulip driver programs into a 21140"

static const char *const bus_kinds[] = {[BUS_PCI] = "pci", [BUS_PCIE] = "pcie", NULL};

// In the order of bus_kinds.
#define OF_PCI(value, none) PARAM_BY_PROFILE(value, none)
#define OF_PCIE(value, none) PARAM_BY_PROFILE(none, value)

static const struct param bus_params[] = {
    PARAM(B, kind, PARAM_CHOICE, .fallback = "pci", .choices = bus_kinds,
          .doc =
              "PCI, whose cards share clock and wires, or PCI Express, with lanes of its own for "
              "reads and for writes; other defaults follow from it",
          .source = "PCI 2.1; PCI Express Base 3.0"),
    PARAM(B, clock, PARAM_FREQUENCY, OF_PCI("33 MHz", "0 Hz"),
          .doc = "pci: clock of the bus; set-ups count on it",
          .source = "PCI 2.1: 33 MHz; 2.1 has 66"),
    PARAM(B, width, PARAM_SIZE, OF_PCI("4 B", "0 B"), .most = "64 B",
          .doc = "pci: bytes that move in a clock", .source = "PCI 2.1: 32 bit, or 64"),
    PARAM(B, lanes, PARAM_COUNT, OF_PCIE("16", "0"), .most = "32",
          .doc = "pcie: lanes of the slot, each with a wire pair per direction",
          .source = "PCI Express: 1, 2, 4, 8, 12, 16 or 32; slots of network cards have 8 or 16"),
    PARAM(B, lane_rate, PARAM_BIT_RATE, OF_PCIE("7.877 Gb/s", "0 b/s"), .most = "1000 Gb/s",
          .doc = "pcie: bits per second that a lane carries per direction, without its line code",
          .source = "PCI Express 3.0: 8 GT/s in 128b/130b; generations 1, 2, 4, 5: 2, 4, 15.754, "
                    "31.508 Gb/s"),
    PARAM(B, rate, PARAM_BYTE_RATE, .fallback = "0 B/s",
          .doc = "rate within a burst; 0: width times clock, or lanes times lane_rate",
          .source = "off: as PCI 2.1 and PCI Express have it"),
    PARAM(B, read_burst, PARAM_SIZE, OF_PCI("128 B", "256 B"), .least = "4 B",
          .doc = "longest burst in which a device reads host memory; pcie: payload of a completion",
          .source = BURST_SOURCE "; " PCIE_BENCH ": payloads of 256 B",
          .prior = "or 64 B: 0.25, 256 B: 0.25"),
    PARAM(B, read_setup, PARAM_REAL, OF_PCI("12", "0"), .most = "1000000",
          .doc = "pci: clocks before the data of a device's read: arbitration, address, first data",
          .source = "prior: 2 clocks of arbitration and 10 until a bridge of 1998..2001 has its "
                    "first data; PCI 2.1, 3.5.1.1, allows 16 and a host bridge 32"),
    PARAM(B, write_burst, PARAM_SIZE, OF_PCI("128 B", "256 B"), .least = "4 B",
          .doc = "longest burst in which a device writes to host memory; pcie: payload of a packet",
          .source = BURST_SOURCE "; " PCIE_BENCH ": payloads of 256 B",
          .prior = "or 64 B: 0.25, 256 B: 0.25", .with = "host.bus.read_burst"),
    PARAM(B, write_setup, PARAM_REAL, OF_PCI("5", "0"), .most = "1000000",
          .doc = "pci: clocks before the data of a write, which is posted, and after them",
          .source =
              "prior: 2 clocks of arbitration, address, medium decode (PCI 2.1, 3.6.1), idle"),
    PARAM(B, overhead, PARAM_SIZE, OF_PCIE("24 B", "0 B"), .most = "4 KiB",
          .doc =
              "pcie: bytes of each burst besides its data: framing, sequence number, header, CRC",
          .source = PCIE_BENCH ": 24 B of a write with 64-bit addresses; 20 of a completion"),
    PARAM(B, read_latency, PARAM_DURATION, OF_PCIE("550 ns", "0 s"), .most = "1 s",
          .doc = "pcie: from a device's request to read until the data's first byte, without queue",
          .source =
              PCIE_BENCH ": its data of a Xeon E5-2630 v4, median of reading 64 B that are in "
                         "the cache, 547 ns"),
    PARAM(B, write_latency, PARAM_DURATION, OF_PCIE("250 ns", "0 s"), .most = "1 s",
          .doc = "pcie: from a write's last byte on the lanes until the host's memory has it",
          .source =
              "prior: in the same data, writing 64 B and then reading them takes 227 ns more than "
              "reading"),
    {0},
};

// Parameters of one kind of bus alone: which of them it needs, and what others leave at 0.
static void bus_check(const void *values, const struct param_values *report)
{
    const struct bus_config *config = values;
    const struct {
        const char *name;
        enum bus_kind kind;
        bool set, enough;
        const char *least;
    } own[] = {
        {"clock", BUS_PCI, config->clock > 0, config->clock >= LEAST_CLOCK, "1 kHz"},
        {"width", BUS_PCI, config->width > 0, config->width > 0, "1 B"},
        {"read_setup", BUS_PCI, config->read_setup > 0, true, NULL},
        {"write_setup", BUS_PCI, config->write_setup > 0, true, NULL},
        {"lanes", BUS_PCIE, config->lanes > 0, config->lanes > 0, "1"},
        {"lane_rate", BUS_PCIE, config->lane_rate > 0, config->lane_rate >= BITS_PER_BYTE, "8 b/s"},
        {"overhead", BUS_PCIE, config->overhead > 0, true, NULL},
        {"read_latency", BUS_PCIE, config->read_latency > 0, true, NULL},
        {"write_latency", BUS_PCIE, config->write_latency > 0, true, NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++) {
        bool mine = (int)own[i].kind == config->kind;
        if (mine && !own[i].enough)
            param_complain(report, own[i].name, "leave it out for the default",
                           "a bus of kind %s has at least %s", bus_kinds[config->kind],
                           own[i].least);
        if (mine || !own[i].set)
            continue;
        char *hint = g_strdup_printf("kind: %s; or 0, or leave it out", bus_kinds[own[i].kind]);
        param_complain(report, own[i].name, hint, "a bus of kind %s has none",
                       bus_kinds[config->kind]);
        g_free(hint);
    }
}

static const struct reader_renamed bus_renamed[] = {
    {"burst", {"read_burst", "write_burst"}, NULL, "1.1.0"},
    {"burst_setup",
     {"read_setup", "write_setup"},
     "in clocks of the bus instead of a time",
     "1.1.0"},
    {0},
};

const struct param_table bus_table = PARAM_TABLE(struct bus_config, bus_params, .name = "bus",
                                                 .doc = "I/O bus shared by all devices of a host",
                                                 .check = bus_check, .renamed = bus_renamed);

const char *bus_kind_name(const struct bus_config *config)
{
    return bus_kinds[config->kind];
}

// A transaction that waits for its turn.
struct asked {
    enum bus_way way;
    int64_t bytes;
    struct event *done;
    const struct stage *stage;
    struct message_ref message;
    sim_time ready; // when its data may begin
};

// A mover of one transaction's data at a time: a PCI bus, or one direction of PCI Express.
struct bus_side {
    struct bus *bus;
    sim_time free_at; // when the data of the last requested transaction end

    // With a memory bus, whose load is only known when a transaction begins.
    GArray *asked; // struct asked, first in, first out
    guint taken;
    struct event next; // end of the current transaction, or when the next one is ready

    trace_lane lane;
};

#define BUS_SIDES 2

// What the time of a transaction of one direction depends on.
struct pace {
    sim_time setup; // of each burst
    int64_t burst, overhead, rate;
};

struct bus {
    struct sim *sim;
    struct bus_config config;
    struct pace paces[BUS_SIDES]; // by enum bus_way
    struct memory_bus memory;
    struct bus_side sides[BUS_SIDES];
    int side_count;
    sim_time busy;
};

int64_t bus_burst(const struct bus_config *config, enum bus_way way)
{
    return way == BUS_READ ? config->read_burst : config->write_burst;
}

int64_t bus_most_rate(const struct bus_config *config)
{
    return config->kind == BUS_PCIE ? config->lanes * config->lane_rate / BITS_PER_BYTE
                                    : config->width * config->clock;
}

// Time for which a transaction's bursts occupy the bus.
static sim_time data_time(const struct pace *pace, int64_t bytes)
{
    int64_t bursts = (bytes + pace->burst - 1) / pace->burst;
    return time_after(time_times(bursts, pace->setup),
                      time_at_rate(bytes + bursts * pace->overhead, pace->rate));
}

static struct pace pace_of(const struct bus_config *config, enum bus_way way)
{
    double clocks = way == BUS_READ ? config->read_setup : config->write_setup;
    double setup = clocks > 0 ? clocks * (double)TIME_S / (double)config->clock + 0.5 : 0;
    return (struct pace){
        .setup = (sim_time)setup,
        .burst = bus_burst(config, way),
        .overhead = config->overhead,
        .rate = config->rate > 0 ? config->rate : bus_most_rate(config),
    };
}

static void bus_next(struct engine *engine, struct event *event);

static void side_init(struct bus_side *side, struct bus *bus, const char *group, const char *name)
{
    side->bus = bus;
    side->lane = trace_lane_new(bus->sim->trace, group, name);
    side->asked = g_array_new(FALSE, FALSE, sizeof(struct asked));
    event_init(&side->next, bus_next);
}

struct bus *bus_new(struct sim *sim, const char *group, const char *name,
                    const struct bus_config *config)
{
    static const char *const directions[BUS_SIDES] = {[BUS_READ] = "read", [BUS_WRITE] = "write"};
    struct bus *bus = g_new0(struct bus, 1);
    bus->sim = sim;
    bus->config = *config;
    for (int way = 0; way < BUS_SIDES; way++)
        bus->paces[way] = pace_of(config, way);
    bus->side_count = config->kind == BUS_PCIE ? BUS_SIDES : 1;
    if (bus->side_count == 1) {
        side_init(&bus->sides[0], bus, group, name);
        return bus;
    }
    for (int i = 0; i < BUS_SIDES; i++) {
        char *label = g_strdup_printf("%s %s", name, directions[i]);
        side_init(&bus->sides[i], bus, group, intern_text(label));
        g_free(label);
    }
    return bus;
}

void bus_free(struct bus *bus)
{
    for (int i = 0; bus && i < bus->side_count; i++)
        g_array_free(bus->sides[i].asked, TRUE);
    g_free(bus);
}

const struct bus_config *bus_config(const struct bus *bus)
{
    return &bus->config;
}

// Until the data of a transaction begin, and after they have ended.
static sim_time latency_before(const struct bus_config *config, enum bus_way way)
{
    return way == BUS_READ ? config->read_latency : 0;
}

static sim_time latency_after(const struct bus_config *config, enum bus_way way)
{
    return way == BUS_WRITE ? config->write_latency : 0;
}

sim_time bus_time(const struct bus_config *config, enum bus_way way, int64_t bytes)
{
    struct pace pace = pace_of(config, way);
    return time_after(data_time(&pace, bytes),
                      latency_before(config, way) + latency_after(config, way));
}

void bus_share_memory(struct bus *bus, const struct memory_bus *memory)
{
    bus->memory = *memory;
}

// The data of a transaction move from `start` to `end`; schedules its `done`.
static void bus_move(struct bus_side *side, const struct asked *asked, sim_time start, sim_time end)
{
    struct bus *bus = side->bus;
    sim_time done = time_after(end, latency_after(&bus->config, asked->way));
    bus->busy += end - start;
    trace_span(bus->sim->trace, side->lane, asked->stage, start, end, asked->message);
    trace_queued(bus->sim->trace, side->lane, asked->ready, start);
    trace_delay(bus->sim->trace, side->lane, &latency_stage, end, done, asked->message);
    engine_schedule(bus->sim->engine, asked->done, done);
}

// The side is idle: starts its next transaction, once that is ready. The copies that it meets are
// known then.
static void side_begin(struct bus_side *side)
{
    struct bus *bus = side->bus;
    sim_time now = sim_now(bus->sim);
    if (side->taken == side->asked->len)
        return;
    struct asked asked = g_array_index(side->asked, struct asked, side->taken);
    if (asked.ready > now) {
        engine_schedule(bus->sim->engine, &side->next, asked.ready);
        return;
    }
    side->taken++;
    if (2 * side->taken >= side->asked->len) {
        g_array_remove_range(side->asked, 0, side->taken);
        side->taken = 0;
    }
    sim_time time = data_time(&bus->paces[asked.way], asked.bytes);
    time = time_after(time, memory_bus_meet(&bus->memory, asked.bytes, time));
    bus_move(side, &asked, now, now + time);
    engine_schedule(bus->sim->engine, &side->next, now + time);
}

static void bus_next(struct engine *engine, struct event *event)
{
    (void)engine;
    side_begin(container_of(event, struct bus_side, next));
}

void bus_transfer(struct bus *bus, enum bus_way way, int64_t bytes, struct event *done,
                  const struct stage *stage, struct message_ref message)
{
    struct bus_side *side = &bus->sides[bus->side_count == 1 ? 0 : (int)way];
    sim_time now = sim_now(bus->sim);
    sim_time ready = time_after(now, latency_before(&bus->config, way));
    struct asked asked = {way, bytes, done, stage, message, ready};
    trace_delay(bus->sim->trace, side->lane, &latency_stage, now, ready, message);
    if (bus->memory.rate > 0) {
        g_array_append_val(side->asked, asked);
        if (!event_pending(&side->next))
            side_begin(side);
        return;
    }
    sim_time start = MAX(side->free_at, ready);
    side->free_at = time_after(start, data_time(&bus->paces[way], bytes));
    bus_move(side, &asked, start, side->free_at);
}

void bus_note(struct bus *bus, enum bus_way way, int64_t bytes)
{
    const struct bus_side *side = &bus->sides[bus->side_count == 1 ? 0 : (int)way];
    sim_time time = data_time(&bus->paces[way], bytes), now = sim_now(bus->sim);
    bus->busy += time;
    trace_note(bus->sim->trace, side->lane,
               &(struct trace_note){.kind = TRACE_LOAD, .from = MAX(now - time, 0), .to = now});
}

sim_time bus_busy(const struct bus *bus)
{
    return bus->busy;
}
