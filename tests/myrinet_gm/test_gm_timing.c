// SPDX-License-Identifier: GPL-3.0-or-later
// Where GM's time goes, on idle resources. A message of n bytes in one packet takes, from the call
// to gm_receive's answer at the other end,
//     send + 4 words + B(16)                                  the library, the token on the bus
//     + poll + start_sdma + read_setup + B(n)                 LANai, DMA
//     + finish_sdma + start_send + send_latency + W(25 + n)   LANai, wire
//     + receive_latency + finish_recv + start_send            LANai; the ACK goes first
//     + start_rdma + write_setup + B(n + 32)                  LANai, DMA with the event
//     + receive_check + receive_event                         the library
// if n <= 128; a longer one has B(n) there, and then finish_rdma + start_rdma + write_setup + B(32)
// for the event. A cycle of the LANai is 20 ns.
#include "models/myrinet_gm/gm/gm_internal.h"
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/world_gm.h"

#include <string.h>

#define NS TIME_NS
#define US TIME_US
#define MS TIME_MS

struct pair {
    struct world *world;
    struct gm_end *from, *to;
};

static struct pair pair_of(struct world *world)
{
    struct pair p = {world, gm_end_new(world, 0, 2), gm_end_new(world, 1, 2)};
    p.from->poll_turn = p.to->poll_turn = 1 * NS; // so that nothing is rounded
    return p;
}

static struct pair pair_new(const char *const *sets)
{
    return pair_of(world_new(&world_gm, gm_pair, sets, NULL));
}

// Sends one message, its buffer provided long before, and returns the time it took.
static sim_time one_message(struct pair *p, int64_t bytes)
{
    const struct gm_received *received;
    gm_end_provide(p->to, gm_min_size_for_length(bytes), 1, 0);
    gm_end_send(p->from, &(struct gm_send_job){.to = p->to, .bytes = bytes, .size = -1, .at = MS});
    world_run(p->world);
    gm_check(p->world);
    received = gm_end_received(p->to, 0);
    return received->when - MS;
}

static sim_time time_of(const char *const *sets, int64_t bytes)
{
    struct pair p = pair_new(sets);
    sim_time time = one_message(&p, bytes);
    world_free(p.world);
    return time;
}

// ---- The closed form ----

static sim_time bus(int64_t bytes)
{
    static const struct bus_config config = {
        .clock = 10000000, .rate = 100000000, .read_burst = 128, .read_setup = 2};
    int64_t hold = 1024;
    return bytes / hold * bus_time(&config, BUS_READ, hold) +
           bus_time(&config, BUS_READ, bytes % hold);
}

// One switch: the head takes 50 + 4 + 150 + 50 ns, every byte after it 4 ns.
static sim_time wire(int64_t bytes)
{
    return (254 + 4 * bytes) * NS;
}

static sim_time cycles(int64_t number)
{
    return number * 20 * NS;
}

static sim_time closed_form(int64_t n)
{
    sim_time time = (401 + 4 * 110) * NS + bus(16);
    time += cycles(83 + 121) + 700 * NS + bus(n);
    time += cycles(41 + 59) + 130 * NS + wire(25 + n);
    time += 170 * NS + cycles(151 + 59);
    if (n <= 128)
        time += cycles(79) + 300 * NS + bus(n + 32);
    else
        time += cycles(79) + 300 * NS + bus(n) + cycles(51 + 79) + 300 * NS + bus(32);
    return time + (31 + 149) * NS;
}

static void test_closed_form(void)
{
    static const int64_t sizes[] = {0, 1, 4, 127, 128, 129, 200, 1000, 1024, 1025, 4000, 4096};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        SUITE_SAME_INTEGER(time_of(NULL, sizes[i]), closed_form(sizes[i]));
}

// A faster LANai changes exactly what ran on it.
static void test_clock(void)
{
    sim_time slow = time_of(NULL, 128);
    sim_time fast = time_of((const char *const[]){"lanai7.clock=100 MHz", NULL}, 128);
    SUITE_SAME_INTEGER(slow - fast, cycles(83 + 121 + 41 + 59 + 151 + 59 + 79) / 2);
}

// ---- The token in SRAM ----

// armci.gm.descriptor_polling: a send enters no kernel and rings no doorbell: the library writes
// the descriptor into the card's memory, and the MCP's loop finds it, one per turn.
static void test_descriptor_polling(void)
{
    struct pair p = pair_new(NULL);
    gm_end_provide(p.to, 3, 9, 0);
    gm_end_send_to(p.from, p.to, 8, 7);
    world_run(p.world);
    const struct cpu *cpu = p.from->process.task.cpu;
    SUITE_SAME_INTEGER(world_stage_time(cpu, "trap"), 0);
    SUITE_SAME_INTEGER(world_stage_time(cpu, "PIO"), 7 * 4 * 110 * NS);
    SUITE_SAME_INTEGER(
        world_stage_time(lanai_cpu(gm_fabric_card(gm_fabric(p.world), 0)), "poll tokens"),
        7 * cycles(83));
    SUITE_SAME_INTEGER(world_counter(p.world, "GM interrupts"), 0);
    world_free(p.world);
    // The loop looks every 50 us only: the descriptor waits for that.
    sim_time waits = time_of((const char *const[]){"lanai7.idle_turn=50 us", NULL}, 8);
    CU_ASSERT(waits > closed_form(8) + 50 * US);
    CU_ASSERT(waits < closed_form(8) + 5 * 50 * US);
}

// ---- Polling and blocking ----

// A process that blocks is woken by an interrupt of the card, one that polls is not.
static void test_blocking(void)
{
    struct pair p = pair_new(NULL);
    p.to->blocks = true;
    sim_time time = one_message(&p, 64);
    SUITE_SAME_INTEGER(time - closed_form(64),
                       (1507 + 307 + 2003 + 1501 + 1013 + 1103 + 4001) * NS);
    SUITE_SAME_INTEGER(world_counter(p.world, "GM interrupts"), 1);
    // It slept twice, and did nothing meanwhile.
    SUITE_SAME_INTEGER(world_stage_time(p.to->process.task.cpu, "block"), 2 * 2011 * NS);
    SUITE_SAME_INTEGER(world_stage_time(p.to->process.task.cpu, "trap"), 2 * 521 * NS);
    SUITE_SAME_INTEGER(world_stage_time(p.to->process.task.cpu, "wake-up"), (1103 + 4001) * NS);
    world_free(p.world);
}

// A poller polls once per turn, counted from its first poll.
static void test_poll_turn(void)
{
    struct pair p = pair_new(NULL);
    p.to->poll_turn = 10 * US;
    sim_time when = MS + one_message(&p, 64);
    const struct gm_received *received = gm_end_received(p.to, 0);
    sim_time seen = when - (31 + 149) * NS;
    SUITE_SAME_INTEGER(received->when, when);
    sim_time since = 0; // provide, its PIO, and a poll that finds nothing
    since += (203 + 4 * 110 + 31) * NS;
    SUITE_SAME_INTEGER((seen - since) % (10 * US), 0);
    CU_ASSERT(when - MS >= closed_form(64) && when - MS < closed_form(64) + 10 * US);
    world_free(p.world);
}

// Events that are there already need no wake-up.
static void test_no_sleep(void)
{
    struct pair p = pair_new(NULL);
    p.to->blocks = true;
    p.to->work = 500 * US;
    gm_end_provide(p.to, 3, 10, 0);
    gm_end_send_to(p.from, p.to, 8, 10);
    world_run(p.world);
    gm_check(p.world);
    SUITE_SAME_INTEGER(world_counter(p.world, "GM interrupts"), 1);
    world_free(p.world);
}

// The receiving card sends the acknowledgement, whether or not its host ever polls (thesis 001,
// 3.1; the basis of armci.put.ack_before_copyr).
static void test_ack_before_host(void)
{
    struct pair p = pair_new(NULL);
    gm_end_provide(p.to, 13, 1, 0);
    p.to->work = 0;
    p.to->deaf = true;
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 8000, .size = -1, .at = MS});
    world_run(p.world);
    SUITE_SAME_INTEGER(p.to->received->len, 0);
    SUITE_SAME_INTEGER(gm_waiting(p.to->port), 1);
    SUITE_SAME_INTEGER(gm_end_count(p.from, GM_SUCCESS), 1);
    world_free(p.world);
}

// ---- Pipelining: the slowest stage sets the pace ----

// Time a packet, of the later half of a long message.
static sim_time pace(const char *const *sets)
{
    struct pair p = pair_new(sets);
    sim_time half, whole;
    gm_end_provide(p.to, 20, 1, 0);
    gm_end_provide(p.to, 19, 1, 0);
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 128 * 4096, .size = -1});
    gm_end_send(p.from, &(struct gm_send_job){.to = p.to, .bytes = 256 * 4096, .size = -1});
    world_run(p.world);
    gm_check(p.world);
    half = gm_end_received(p.to, 0)->when;
    whole = gm_end_received(p.to, 1)->when;
    world_free(p.world);
    return (whole - half) / 256;
}

static void about(sim_time actual, sim_time least, double more)
{
    CU_ASSERT(actual >= least);
    CU_ASSERT((double)actual <= (1 + more) * (double)least);
    if (actual < least || (double)actual > (1 + more) * (double)least)
        printf("pace %" G_GINT64_FORMAT ", bound %" G_GINT64_FORMAT "\n", actual, least);
}

static void test_pace(void)
{
    sim_time dma = 700 * NS + bus(4096);
    // SDMA: the next packet is fetched while the last one is sent; between two is the time of
    // SDMA's own handlers.
    about(pace((const char *const[]){"lanai7.clock=10 GHz", NULL}), dma, 0.02);
    about(pace(NULL), dma + cycles(41 + 121), 0.05);
    // The wire, at 200 Mb/s.
    about(pace((const char *const[]){"link.rate=200 Mb/s", "lanai7.clock=10 GHz", NULL}),
          time_of_bytes(4096 + 25, 200000000), 0.02);
    // The LANai, at 1 MHz, with a bus whose time is negligible and an SRAM that keeps up: the
    // sender's work for a packet and its ACK.
    about(pace((const char *const[]){"lanai7.clock=1 MHz", "lanai7.sram_accesses=0",
                                     "host.bus.rate=1 GB/s", "host.bus.read_setup=0",
                                     "host.bus.write_setup=0", NULL}),
          (121 + 41 + 59 + 31 + 151 + 13) * US, 0.05);
    // An SRAM of 40 MB/s: each byte enters and leaves it, and a LANai of 10 MHz has all of it while
    // it works.
    about(pace((const char *const[]){"lanai7.clock=10 MHz", "lanai7.sram_accesses=1",
                                     "lanai7.sram_word=4 B", NULL}),
          time_at_rate(2 * 4096 + 25 + 4 * (121 + 41 + 59 + 31 + 151 + 13), 40000000), 0.05);
    // One buffer for sending prevents the overlap.
    about(pace((const char *const[]){"lanai7.clock=10 GHz", "gm.send_buffers=1", NULL}),
          dma + 130 * NS + 4 * (4096 + 25) * NS, 0.02);
}

// ---- Myrinet below it ----

#define CHAIN "switches=[{name: switch, count: 2}]"

static const char two_switches[] =
    "links=[{from: node0, to: switch0}, {from: switch0, to: switch1}, {from: node1, to: switch1}]";

// armci.myri.cut_through: another switch on the route costs its latency, one route byte and the
// cable, however long the packet is; a store-and-forward switch costs the packet's time.
static void test_cut_through(void)
{
    const char *const chain[] = {CHAIN, two_switches, NULL};
    const char *const stores[] = {CHAIN, two_switches, "switch.discipline=store_and_forward", NULL};
    const char *const stores_one[] = {"switch.discipline=store_and_forward", NULL};
    static const int64_t sizes[] = {1, 100, 1000, 4096};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        sim_time more = time_of(chain, sizes[i]) - time_of(NULL, sizes[i]);
        SUITE_SAME_INTEGER(more, (50 + 150 + 4) * NS);
        sim_time stored = time_of(stores, sizes[i]) - time_of(stores_one, sizes[i]);
        CU_ASSERT(stored >= (4 * (sizes[i] + 25) + 200) * NS);
    }
}

static sim_time span_length(const struct span_log *log, const char *lane)
{
    sim_time longest = 0;
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, lane) == 0 && span->message.generation != 0)
            longest = MAX(longest, span->to - span->from);
    }
    return longest;
}

// armci.myri.source_routing: the packet begins with a route byte for each switch on its route, each
// of which removes the first one: on every link the packet is a byte shorter.
static void test_source_routing(void)
{
    const char *const chain[] = {CHAIN, two_switches, NULL};
    struct span_log *log = span_log_new();
    struct pair p = pair_of(world_new(&world_gm, gm_pair, chain, &log->trace));
    one_message(&p, 1000);
    sim_time first = span_length(log, "wire node0->switch0");
    sim_time second = span_length(log, "wire switch0->switch1");
    sim_time third = span_length(log, "wire switch1->node1");
    SUITE_SAME_INTEGER(third, 4 * 1025 * NS);
    SUITE_SAME_INTEGER(second, third + 4 * NS);
    SUITE_SAME_INTEGER(first, third + 8 * NS);
    world_free(p.world);
    span_log_free(log);
}

static const char star[] =
    "links=[{from: node0, to: switch0}, {from: node1, to: switch0}, {from: switch0, to: switch1}, "
    "{from: switch1, to: switch2}, {from: node2, to: switch1}, {from: node3, to: switch2}]";

// armci.myri.mcp: a process names a host; the MCP of its card turns that into the route to it.
static void test_mcp(void)
{
    static const int links[4] = {0, 2, 3, 4};
    struct world *world =
        world_new(&world_gm, gm_pair,
                  (const char *const[]){"switches=[{name: switch, count: 3}]",
                                        "hosts=[{name: node, count: 4}]", star, NULL},
                  NULL);
    struct gm_end *ends[4];
    for (int host = 0; host < 4; host++)
        ends[host] = gm_end_new(world, host, 2);
    for (int host = 1; host < 4; host++) {
        gm_end_provide(ends[host], 10, 1, 0);
        gm_end_send(ends[0], &(struct gm_send_job){
                                 .to = ends[host], .bytes = 1000 + host, .size = 10, .at = MS});
    }
    world_run(world);
    gm_check(world);
    for (int host = 1; host < 4; host++) {
        const struct route *route = gm_world_connection(&gm_fabric(world)->cards[0], host)->route;
        SUITE_SAME_INTEGER(route_to(route), network_station(world->cluster->network, host, 0));
        SUITE_SAME_INTEGER(route_links(route), links[host]);
        SUITE_SAME_INTEGER(gm_end_received(ends[host], 0)->event.length, 1000 + host);
    }
    world_free(world);
}

static void deadlocked(void *owner)
{
    struct world *world = owner;
    engine_stop(world->sim->engine);
}

static const char ring[] =
    "links=[{from: node0, to: switch0}, {from: node1, to: switch1}, {from: node2, to: switch2}, "
    "{from: node3, to: switch3}, {from: switch0, to: switch1}, {from: switch1, to: switch2}, "
    "{from: switch2, to: switch3}, {from: switch3, to: switch0}]";

#define RING "switches=[{name: switch, count: 4}]", "hosts=[{name: node, count: 4}]", ring

// Each of four hosts on a ring sends to the one opposite, all clockwise.
static const char clockwise[] =
    "routes=[{from: node0, to: node2, via: [switch0, switch1, switch2]}, "
    "{from: node1, to: node3, via: [switch1, switch2, switch3]}, "
    "{from: node2, to: node0, via: [switch2, switch3, switch0]}, "
    "{from: node3, to: node1, via: [switch3, switch0, switch1]}]";

static int ring_arrivals(const char *const *sets, bool *blocked)
{
    struct world *world = world_new(&world_gm, gm_pair, sets, NULL);
    struct gm_end *ends[4];
    int arrived = 0;
    network_on_deadlock(world->cluster->network, deadlocked, world);
    for (int host = 0; host < 4; host++) {
        ends[host] = gm_end_new(world, host, 2);
        gm_end_provide(ends[host], 12, 8, 0);
    }
    for (int host = 0; host < 4; host++)
        for (int i = 0; i < 30; i++)
            gm_end_send(ends[host],
                        &(struct gm_send_job){
                            .to = ends[(host + 2) % 4], .bytes = 4096, .size = -1, .at = MS});
    world_run(world);
    for (int host = 0; host < 4; host++)
        arrived += (int)ends[host]->received->len;
    GPtrArray *held = network_describe_blocked(world->cluster->network);
    *blocked = held != NULL;
    if (held)
        g_ptr_array_unref(held);
    else
        gm_check(world);
    world_free(world);
    return arrived;
}

// armci.myri.deadlock_free_mapping: routes that go round a ring block one another for ever, under
// GM's resend timer as well; those of the mapper's kind, up*/down*, never do.
static void test_mapping(void)
{
    bool blocked;
    CU_ASSERT(ring_arrivals((const char *const[]){RING, clockwise, NULL}, &blocked) < 120);
    CU_ASSERT(blocked);
    SUITE_SAME_INTEGER(ring_arrivals((const char *const[]){RING, NULL}, &blocked), 120);
    CU_ASSERT_FALSE(blocked);
}

static const struct suite_case cases[] = {
    {"one message, closed form", test_closed_form},
    {"the LANai's clock", test_clock},
    {"armci.gm.descriptor_polling", test_descriptor_polling},
    {"blocking by interrupt", test_blocking},
    {"polling by turns", test_poll_turn},
    {"no sleep while there are events", test_no_sleep},
    {"the card acknowledges, not the host", test_ack_before_host},
    {"the slowest stage sets the pace", test_pace},
    {"armci.myri.cut_through", test_cut_through},
    {"armci.myri.source_routing", test_source_routing},
    {"armci.myri.mcp", test_mcp},
    {"armci.myri.deadlock_free_mapping", test_mapping},
    {0},
};

int main(void)
{
    return suite_run("myrinet_gm: GM's times", cases);
}
