// SPDX-License-Identifier: GPL-3.0-or-later
// The Ethernet card: the costs of a frame on its path, and where frames wait or are lost.
//
// A frame of n bytes takes, from the doorbell to the protocol's callback at the other host,
//     tx_start + B(descriptor + min(n, tx_threshold)) + W(n) + B(min(n, rx_residue) + descriptor)
//     + rx_status + interrupt_delay + interrupt_entry + status_read + rx_frame
// with B the time of a bus transaction and W that of the links and switches between.
#include "models/ethernet/nic.h"
#include "models/ethernet/nics.h"
#include "sim/net/link.h"
#include "tests/support/spans.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world.h"

#include <glib.h>

#define ONE 0x1111
#define TWO 0x2222

struct bench;

// A protocol on both cards: frames are numbered, and each is a message of one byte per byte on the
// wire.
struct protocol {
    struct bench *bench;
    uint16_t number;
    sim_time work;  // spent in the callback
    GArray *frames; // struct arrival
    GPtrArray *sent;
};

struct arrival {
    int frame;
    sim_time when; // of the callback
};

struct bench {
    struct world *world;
    struct protocol one, two;
    GPtrArray *posts;
    int frames;
};

// A frame to be put into the transmit ring.
struct post {
    struct event event;
    struct bench *bench;
    int from, number;
    uint32_t wire_bytes;
    uint16_t protocol;
    bool token;
    struct message_ref message;
    int room; // in the ring before it
};

static void protocol_receive(struct cpu_context *context, void *owner, struct packet *packet)
{
    struct protocol *protocol = owner;
    struct world *world = protocol->bench->world;
    struct arrival arrival = {*packet_header(packet, int), context->now};
    CU_ASSERT_EQUAL(packet->protocol, protocol->number);
    CU_ASSERT_PTR_EQUAL(context->cpu, host_interrupt_core(world->cluster->hosts[1]));
    g_array_append_val(protocol->frames, arrival);
    ledger_match(world->sim->ledger, packet->message);
    ledger_deliver(world->sim->ledger, packet->message, packet->offset, packet->length);
    ledger_complete(world->sim->ledger, packet->message);
    cpu_spend_time(context, protocol->work, stage_called("protocol", STAGE_LIBRARY));
    packet_free(world->cluster->network, packet);
}

static void protocol_sent(struct cpu_context *context, void *owner, void *token)
{
    struct protocol *protocol = owner;
    CU_ASSERT_PTR_EQUAL(context->cpu,
                        host_interrupt_core(protocol->bench->world->cluster->hosts[0]));
    g_ptr_array_add(protocol->sent, token);
}

static const struct nic_protocol protocol_ops = {.receive = protocol_receive,
                                                 .sent = protocol_sent};

static void protocol_init(struct protocol *protocol, struct bench *bench, uint16_t number)
{
    *protocol = (struct protocol){.bench = bench, .number = number};
    protocol->frames = g_array_new(FALSE, FALSE, sizeof(struct arrival));
    protocol->sent = g_ptr_array_new();
    for (int host = 0; host < 2; host++)
        nic_register(ethernet_nic(bench->world->cluster, host, 0), number, &protocol_ops, protocol);
}

static struct bench *bench_new(const char *text, const char *const *sets, struct trace *trace)
{
    struct bench *bench = g_new0(struct bench, 1);
    bench->world = world_new(&world_cards, text, sets, trace);
    bench->posts = g_ptr_array_new_with_free_func(g_free);
    protocol_init(&bench->one, bench, ONE);
    protocol_init(&bench->two, bench, TWO);
    return bench;
}

static void bench_free(struct bench *bench)
{
    g_array_unref(bench->one.frames);
    g_array_unref(bench->two.frames);
    g_ptr_array_unref(bench->one.sent);
    g_ptr_array_unref(bench->two.sent);
    g_ptr_array_unref(bench->posts);
    world_free(bench->world);
    g_free(bench);
}

static void post_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct post *post = container_of(event, struct post, event);
    struct cluster *cluster = post->bench->world->cluster;
    struct nic *nic = ethernet_nic(cluster, post->from, 0);
    struct packet *packet = packet_new(cluster->network);
    post->message = ledger_open(cluster->sim->ledger, post->from, 1 - post->from, post->wire_bytes,
                                post->protocol);
    packet->route = network_route(cluster->network, nic_station(nic),
                                  nic_station(ethernet_nic(cluster, 1 - post->from, 0)));
    packet->wire_bytes = packet->length = post->wire_bytes;
    packet->protocol = post->protocol;
    packet->message = post->message;
    *packet_header(packet, int) = post->number;
    post->room = nic_tx_room(nic);
    nic_transmit(nic, packet, post->token ? post : NULL);
}

// Host 0's driver rings the doorbell for a frame.
static struct post *transmit(struct bench *bench, sim_time when, uint32_t wire_bytes)
{
    struct post *post = g_new0(struct post, 1);
    *post = (struct post){
        .bench = bench, .number = bench->frames++, .wire_bytes = wire_bytes, .protocol = ONE};
    event_init(&post->event, post_event);
    g_ptr_array_add(bench->posts, post);
    engine_schedule(bench->world->sim->engine, &post->event, when);
    return post;
}

static sim_time arrived(const struct protocol *protocol, guint nth)
{
    return nth < protocol->frames->len ? g_array_index(protocol->frames, struct arrival, nth).when
                                       : -1;
}

static int64_t counter(const struct bench *bench, const char *name)
{
    return *sim_counter(bench->world->sim, name);
}

static const struct nic_config *card(const struct bench *bench)
{
    return nic_config(ethernet_nic(bench->world->cluster, 0, 0));
}

// ---- Closed form ----

static sim_time bus(const struct bench *bench, int64_t bytes)
{
    return bus_time(&bench->world->cluster->hosts[0]->config.bus, BUS_READ, bytes);
}

static sim_time clock_cost(const struct bench *bench, struct cost cost)
{
    return cpu_cost(bench->world->cluster->hosts[0]->cores[0], cost);
}

static sim_time closed_form(const struct bench *bench, int64_t wire_bytes)
{
    const struct nic_config *nic = card(bench);
    const struct kernel_config *kernel = &bench->world->cluster->hosts[0]->config.kernel;
    sim_time out = nic->tx_start + bus(bench, nic->descriptor + MIN(wire_bytes, nic->tx_threshold));
    sim_time in = bus_time(&bench->world->cluster->hosts[0]->config.bus, BUS_WRITE,
                           MIN(wire_bytes, nic->rx_residue) + nic->descriptor);
    return out + world_wire_time(bench->world, wire_bytes) + in + nic->rx_status + nic->rx_latency +
           nic->interrupt_delay + kernel->interrupt_latency + kernel->interrupt_ack +
           clock_cost(bench, kernel->interrupt_entry) + clock_cost(bench, nic->status_read) +
           clock_cost(bench, nic->rx_frame);
}

static void check_way(const char *text, const char *const *sets)
{
    static const uint32_t sizes[] = {1,   50,  63,  64,   65,   127,  128, 129,
                                     511, 512, 513, 1000, 1517, 1518, 9018};
    struct bench *bench = bench_new(text, sets, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        transmit(bench, (sim_time)i * TIME_S + 17, sizes[i]);
    world_run(bench->world);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        SUITE_SAME_INTEGER(arrived(&bench->one, (guint)i) - (sim_time)i * TIME_S - 17,
                           closed_form(bench, sizes[i]));
    CU_ASSERT(ledger_balanced(bench->world->sim->ledger));
    SUITE_SAME_INTEGER(counter(bench, "nic interrupts"), G_N_ELEMENTS(sizes));
    bench_free(bench);
}

static void test_way(void)
{
    const char *tulip[] = {"nic=tulip", NULL};
    check_way(world_cable, NULL);
    check_way(world_pair, NULL);
    check_way(world_cable, tulip);
    check_way(world_pair, tulip);
}

// ---- The transmit side ----

// A ring full of frames leaves without a pause: the wire is the bottleneck, as on the real cards.
static void check_line_rate(uint32_t wire_bytes, const char *nic)
{
    enum { COUNT = 50 };
    const char *sets[] = {nic, NULL};
    struct span_log *log = span_log_new();
    struct bench *bench = bench_new(world_cable, sets, &log->trace);
    for (int i = 0; i < COUNT; i++)
        transmit(bench, i < 32 ? 0 : i * TIME_MS / 8, wire_bytes);
    world_run(bench->world);
    sim_time slot = network_station_time(bench->world->cluster->network, 0, wire_bytes);
    int wrong = 0;
    for (int i = 1; i < 32; i++) {
        const struct post *first = g_ptr_array_index(bench->posts, i - 1);
        const struct post *second = g_ptr_array_index(bench->posts, i);
        const struct span *a = span_find(log, "wire node0->node1", first->message);
        const struct span *b = span_find(log, "wire node0->node1", second->message);
        wrong += !a || !b || b->from - a->from != slot;
    }
    SUITE_SAME_INTEGER(wrong, 0);
    SUITE_SAME_INTEGER(bench->one.frames->len, COUNT);
    bench_free(bench);
    span_log_free(log);
}

static void test_line_rate(void)
{
    static const uint32_t sizes[] = {512, 700, 1000, 1024, 1100, 1400, 1518};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        check_line_rate(sizes[i], "nic=eepro100");
        check_line_rate(sizes[i], "nic=tulip");
    }
}

// The ring has its configured size, and a frame keeps its place until it has left.
static void test_ring_limit(void)
{
    const char *sets[] = {"eepro100.tx_ring=4", "eepro100.completion=sent", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    sim_time slot = network_station_time(bench->world->cluster->network, 0, 1518);
    sim_time start = card(bench)->tx_start + bus(bench, 16 + 512);
    struct post *posts[5];
    for (int i = 0; i < 4; i++)
        posts[i] = transmit(bench, i, 1518);
    posts[4] = transmit(bench, start + slot + 1, 1518);
    engine_run(bench->world->sim->engine, start + slot - 1);
    for (int i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(posts[i]->room, 4 - i);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 0);
    engine_run(bench->world->sim->engine, start + slot);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 1);
    world_run(bench->world);
    SUITE_SAME_INTEGER(posts[4]->room, 1);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 4);
    SUITE_SAME_INTEGER(bench->one.frames->len, 5);
    bench_free(bench);
}

// A card that is done with a frame once it is in the FIFO gives its place back then.
static void test_ring_limit_loaded(void)
{
    const char *sets[] = {"eepro100.tx_ring=2", "eepro100.completion=loaded", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    sim_time loaded = card(bench)->tx_start + bus(bench, 16 + 512) + bus(bench, 1000 - 512);
    transmit(bench, 0, 1000);
    struct nic *nic = ethernet_nic(bench->world->cluster, 0, 0);
    engine_run(bench->world->sim->engine, loaded - 1);
    SUITE_SAME_INTEGER(nic_tx_room(nic), 1);
    engine_run(bench->world->sim->engine, loaded);
    SUITE_SAME_INTEGER(nic_tx_room(nic), 2);
    world_run(bench->world);
    SUITE_SAME_INTEGER(nic_tx_room(nic), 2);
    bench_free(bench);
}

// Frames that are collected for one interrupt: the third of three brings it; alone, the first waits
// as long as the card lets it.
static void test_collected_interrupts(void)
{
    const char *sets[] = {"eepro100.coalesce_frames=3", "eepro100.coalesce_delay=700 us", NULL};
    for (int frames = 1; frames <= 4; frames++) {
        struct bench *bench = bench_new(world_cable, sets, NULL);
        for (int i = 0; i < frames; i++)
            transmit(bench, i, 1000);
        world_run(bench->world);
        SUITE_SAME_INTEGER(bench->one.frames->len, frames);
        SUITE_SAME_INTEGER(*sim_counter(bench->world->sim, "nic interrupts"), frames == 4 ? 2 : 1);
        bool waited = sim_now(bench->world->sim) > 700 * TIME_US;
        CU_ASSERT(waited == (frames != 3));
        bench_free(bench);
    }
}

// A FIFO that holds one frame and not the head of another: the second is fetched once the wire has
// drained so much of the first that its head fits, which is too late for line rate.
static void test_fifo_limit(void)
{
    const char *sets[] = {"eepro100.tx_fifo=1600 B", NULL};
    struct span_log *log = span_log_new();
    struct bench *bench = bench_new(world_cable, sets, &log->trace);
    struct post *first = transmit(bench, 0, 1518), *second = transmit(bench, 1, 1518);
    world_run(bench->world);
    sim_time start = card(bench)->tx_start + bus(bench, 16 + 512);
    sim_time drained = start + time_of_bytes(1518 + 512 - 1600, 100000000);
    GArray *bus_spans = g_array_new(FALSE, FALSE, sizeof(struct span));
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, "bus") == 0 && span->message.index == second->message.index &&
            strcmp(span->name, "send") == 0)
            g_array_append_val(bus_spans, *span);
    }
    CU_ASSERT_EQUAL_FATAL(bus_spans->len, 2);
    SUITE_SAME_INTEGER(g_array_index(bus_spans, struct span, 0).from, drained);
    SUITE_SAME_INTEGER(g_array_index(bus_spans, struct span, 0).to, drained + bus(bench, 16 + 512));
    SUITE_SAME_INTEGER(span_find(log, "wire node0->node1", first->message)->from, start);
    g_array_unref(bus_spans);
    bench_free(bench);
    span_log_free(log);
}

// A frame that is longer than the FIFO passes through it.
static void test_longer_than_fifo(void)
{
    const char *sets[] = {"eepro100.tx_fifo=600 B", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    transmit(bench, 0, 1518);
    transmit(bench, 0, 1518);
    world_run(bench->world);
    SUITE_SAME_INTEGER(arrived(&bench->one, 0), closed_form(bench, 1518));
    SUITE_SAME_INTEGER(bench->one.frames->len, 2);
    bench_free(bench);
}

// The sender of a frame with a token is notified once it has left, in order; other senders are not.
static void test_tokens(void)
{
    struct bench *bench = bench_new(world_cable, NULL, NULL);
    GPtrArray *expected = g_ptr_array_new();
    for (int i = 0; i < 40; i++) {
        struct post *post = transmit(bench, i < 20 ? 0 : i * TIME_MS, i % 3 ? 64 : 1518);
        post->token = i % 4 != 1;
        if (post->token)
            g_ptr_array_add(expected, post);
    }
    world_run(bench->world);
    CU_ASSERT_EQUAL_FATAL(bench->one.sent->len, expected->len);
    for (guint i = 0; i < expected->len; i++)
        CU_ASSERT_PTR_EQUAL(g_ptr_array_index(bench->one.sent, i), g_ptr_array_index(expected, i));
    g_ptr_array_unref(expected);
    bench_free(bench);
}

// ---- Underruns ----

#define UNDERRUNS "nic transmit underruns"

// Wire bytes of the nth packet that host 0 has sent, without preamble; -1 if there is none.
static int64_t nth_on_wire(const struct span_log *log, int nth)
{
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, "wire node0->node1") == 0 && nth-- == 0)
            return (span->to - span->from) / (80 * TIME_NS) - 8;
    }
    return -1;
}

// A bus of 4 MB/s under a wire of 12.5 MB/s. When the first frame starts, 512 bytes are in, and
// byte n of the rest is late if 250 ns (n + 1) + 241 ns for each burst so far > 80 ns (8 + 512 +
// n): from n = 241 on, so that 753 bytes go out. For the second frame the card waits for 1024
// bytes, and 1503 go out; for the third for all.
static void test_underrun(void)
{
    const char *sets[] = {"host.bus.rate=4 MB/s", NULL};
    static const int64_t expected[] = {753, 1518, 1503, 1518, 1518, -1};
    struct span_log *log = span_log_new();
    struct bench *bench = bench_new(world_cable, sets, &log->trace);
    for (int i = 0; i < 3; i++)
        transmit(bench, i * TIME_MS, 1518)->token = true;
    world_run(bench->world);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        SUITE_SAME_INTEGER(nth_on_wire(log, (int)i), expected[i]);
    // The first is sent again as soon as it is all in the FIFO.
    SUITE_SAME_INTEGER(arrived(&bench->one, 0), closed_form(bench, 1518) + bus(bench, 1518 - 512));
    SUITE_SAME_INTEGER(counter(bench, UNDERRUNS), 2);
    SUITE_SAME_INTEGER(counter(bench, "nic FCS errors"), 2);
    SUITE_SAME_INTEGER(bench->one.frames->len, 3);
    SUITE_SAME_INTEGER(bench->one.sent->len, 3);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 64);
    CU_ASSERT(ledger_balanced(bench->world->sim->ledger));
    bench_free(bench);
    span_log_free(log);
}

// A frame that is longer than the FIFO can't wait there: the card drops it, with the reason, and
// goes on.
static void check_underrun_too_long(const char *completion)
{
    const char *sets[] = {"host.bus.rate=4 MB/s", "eepro100.tx_fifo=1 KiB", completion, NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    transmit(bench, 0, 1518)->token = true;
    transmit(bench, TIME_MS, 1000)->token = true;
    world_run(bench->world);
    CU_ASSERT_EQUAL_FATAL(bench->one.frames->len, 1);
    SUITE_SAME_INTEGER(g_array_index(bench->one.frames, struct arrival, 0).frame, 1);
    SUITE_SAME_INTEGER(bench->one.sent->len, 2);
    SUITE_SAME_INTEGER(counter(bench, UNDERRUNS), 1);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 64);
    char *line = world_ledger_line(bench->world);
    SUITE_SAME_TEXT(line, "message 1, rank 0 to 1, 1518 B: bytes 0..1517 lost: underrun of the "
                          "transmit FIFO, which is too small to send the frame again");
    g_free(line);
    bench_free(bench);
}

static void test_underrun_too_long(void)
{
    check_underrun_too_long("eepro100.completion=loaded");
    check_underrun_too_long("eepro100.completion=sent");
}

struct occupation {
    struct event event, done;
    struct bench *bench;
    int64_t bytes;
};

static void occupation_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct occupation *other = container_of(event, struct occupation, event);
    bus_transfer(other->bench->world->cluster->hosts[0]->bus, BUS_READ, other->bytes, &other->done,
                 stage_called("other", STAGE_BUS), MESSAGE_NONE);
}

static void occupation_done(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
}

// Another device asks for a bus that is fast enough just before the card asks for the rest. How
// often the FIFO ran dry.
static int64_t underruns_beside(int64_t bytes, const char *memory)
{
    const char *sets[] = {memory, NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    struct occupation other = {.bench = bench, .bytes = bytes};
    event_init(&other.event, occupation_event);
    event_init(&other.done, occupation_done);
    transmit(bench, 0, 1518);
    sim_time head = card(bench)->tx_start + bus(bench, 16 + 512);
    engine_schedule(bench->world->sim->engine, &other.event, head - 1);
    world_run(bench->world);
    int64_t underruns = counter(bench, UNDERRUNS);
    SUITE_SAME_INTEGER(bench->one.frames->len, 1);
    // The frame waits until it is all in, if it has run dry, and if the card can't know whether it
    // would.
    sim_time waits = underruns || memory ? bus(bench, bytes) - 1 + bus(bench, 1518 - 512) + 1 : 0;
    SUITE_SAME_INTEGER(arrived(&bench->one, 0), closed_form(bench, 1518) + waits);
    CU_ASSERT(ledger_balanced(bench->world->sim->ledger));
    bench_free(bench);
    return underruns;
}

// The wire wants byte 512 after 41.6 us; the transaction that brings it must have the bus 251 ns
// before. A transaction of 3456 B takes 27 * 241 ns + 34.56 us = 41.067 us of that, one of 3488 B
// 28 bursts: 41.628 us.
static void test_underrun_contention(void)
{
    SUITE_SAME_INTEGER(underruns_beside(3456, NULL), 0);
    SUITE_SAME_INTEGER(underruns_beside(3488, NULL), 1);
    // Where copies may hold up the bus the card can't know in advance when it gets to the rest.
    SUITE_SAME_INTEGER(underruns_beside(3456, "host.memory.bus_rate=2000 MB/s"), 0);
    SUITE_SAME_INTEGER(underruns_beside(3488, "host.memory.bus_rate=2000 MB/s"), 0);
}

// How many bytes of a frame went out before the bus had brought them.
static int unbrought(const struct span_log *log, const struct bench *bench, const struct post *post)
{
    const struct bus_config *config = &bench->world->cluster->hosts[0]->config.bus;
    const struct span *wire = span_find(log, "wire node0->node1", post->message);
    int64_t descriptor = card(bench)->descriptor, at = -descriptor;
    int wrong = wire == NULL;
    for (guint i = 0; wire && i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, "bus") != 0 || strcmp(span->name, "send") != 0 ||
            span->message.index != post->message.index)
            continue;
        for (int64_t n = 1; span->from + bus_time(config, BUS_READ, n) <= span->to; n++, at++)
            if (at >= 0 && at < post->wire_bytes)
                wrong += span->from + bus_time(config, BUS_READ, n) >
                         wire->from + (8 + at) * 80 * TIME_NS;
    }
    return wrong + (at < post->wire_bytes);
}

// Whatever bus, threshold, and frames: none is lost, and no byte leaves before it is there.
static void test_underrun_random(void)
{
    GRand *random = g_rand_new_with_seed(4711);
    int64_t underruns = 0;
    int wrong = 0;
    for (int round = 0; round < 100; round++) {
        char *sets[] = {
            g_strdup_printf("host.bus.rate=%d kB/s", g_rand_int_range(random, 1000, 30000)),
            g_strdup_printf("host.bus.read_burst=%d B", 4 * g_rand_int_range(random, 1, 64)),
            g_strdup_printf("host.bus.read_setup=%d", g_rand_int_range(random, 0, 2000)),
            g_strdup_printf("eepro100.tx_threshold=%d B", g_rand_int_range(random, 1, 1600)),
            g_strdup("eepro100.rx_residue=1 B"),
            NULL,
        };
        struct span_log *log = span_log_new();
        struct bench *bench = bench_new(world_cable, (const char *const *)sets, &log->trace);
        for (int i = 0; i < 12; i++)
            transmit(bench, i * g_rand_int_range(random, 0, 400) * TIME_US,
                     (uint32_t)g_rand_int_range(random, 64, 1519))
                ->token = true;
        world_run(bench->world);
        for (guint i = 0; i < bench->posts->len; i++)
            wrong += unbrought(log, bench, g_ptr_array_index(bench->posts, i));
        underruns += counter(bench, UNDERRUNS);
        wrong += bench->one.frames->len != 12 || bench->one.sent->len != 12;
        wrong += !ledger_balanced(bench->world->sim->ledger);
        bench_free(bench);
        span_log_free(log);
        for (char **set = sets; *set; set++)
            g_free(*set);
    }
    SUITE_SAME_INTEGER(wrong, 0);
    CU_ASSERT(underruns > 50);
    g_rand_free(random);
}

// ---- Losses ----

static void test_fcs_error(void)
{
    const char *sets[] = {"link.corrupt_nth=[2]", "link.fault_direction=forward", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    for (int i = 0; i < 3; i++)
        transmit(bench, i * TIME_MS, 100);
    world_run(bench->world);
    SUITE_SAME_INTEGER(bench->one.frames->len, 2);
    SUITE_SAME_INTEGER(g_array_index(bench->one.frames, struct arrival, 1).frame, 2);
    SUITE_SAME_INTEGER(counter(bench, "nic FCS errors"), 1);
    // No interrupt for a frame that the card throws away itself.
    SUITE_SAME_INTEGER(counter(bench, "nic interrupts"), 2);
    char *line = world_ledger_line(bench->world);
    SUITE_SAME_TEXT(
        line, "message 2, rank 0 to 1, 100 B: bytes 0..99 lost: FCS error at the receiving NIC");
    g_free(line);
    bench_free(bench);
}

// A frame that its first link loses is gone before the card has loaded the rest of it; a frame that
// is made meanwhile may stand in its place. Each is still reported once to its sender.
static void test_lost_while_loading(void)
{
    const char *sets[] = {"link.drop_nth=[1]", "link.fault_direction=forward", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    sim_time head = card(bench)->tx_start + bus(bench, 16 + 512);
    struct post *lost = transmit(bench, 0, 1518);
    struct post *untold = transmit(bench, head + 1, 1518);
    lost->token = true;
    world_run(bench->world);
    CU_ASSERT_EQUAL_FATAL(bench->one.sent->len, 1);
    CU_ASSERT_PTR_EQUAL(g_ptr_array_index(bench->one.sent, 0), lost);
    SUITE_SAME_INTEGER(nic_tx_room(ethernet_nic(bench->world->cluster, 0, 0)), 64);
    CU_ASSERT_EQUAL_FATAL(bench->one.frames->len, 1);
    SUITE_SAME_INTEGER(g_array_index(bench->one.frames, struct arrival, 0).frame, untold->number);
    bench_free(bench);
}

// While the protocol works on one frame, four more arrive: two find a place in the ring.
static void test_ring_overflow(void)
{
    const char *sets[] = {"eepro100.rx_ring=2", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    bench->one.work = 10 * TIME_MS;
    for (int i = 0; i < 5; i++)
        transmit(bench, i * TIME_MS, 100);
    transmit(bench, 50 * TIME_MS, 100);
    world_run(bench->world);
    static const int expected[] = {0, 1, 2, 5};
    CU_ASSERT_EQUAL_FATAL(bench->one.frames->len, G_N_ELEMENTS(expected));
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        SUITE_SAME_INTEGER(g_array_index(bench->one.frames, struct arrival, i).frame, expected[i]);
    SUITE_SAME_INTEGER(counter(bench, "nic receive ring full"), 2);
    SUITE_SAME_INTEGER(ledger_totals(bench->world->sim->ledger).lost, 2);
    char *line = world_ledger_line(bench->world);
    SUITE_SAME_TEXT(line, "message 4, rank 0 to 1, 100 B: bytes 0..99 lost: receive ring full");
    g_free(line);
    bench_free(bench);
}

// ---- Interrupts ----

// Frames that arrive while the service routine runs cost no interrupt of their own, and nothing
// between two of them but the driver.
static void test_coalescing(void)
{
    struct bench *bench = bench_new(world_cable, NULL, NULL);
    bench->one.work = 5 * TIME_MS;
    for (int i = 0; i < 4; i++)
        transmit(bench, i * TIME_MS, 100);
    transmit(bench, 100 * TIME_MS, 100);
    world_run(bench->world);
    sim_time first = closed_form(bench, 100),
             next = bench->one.work + clock_cost(bench, card(bench)->rx_frame);
    CU_ASSERT_EQUAL_FATAL(bench->one.frames->len, 5);
    for (guint i = 0; i < 4; i++)
        SUITE_SAME_INTEGER(arrived(&bench->one, i), first + i * next);
    SUITE_SAME_INTEGER(arrived(&bench->one, 4), 100 * TIME_MS + first);
    SUITE_SAME_INTEGER(counter(bench, "nic interrupts"), 2);
    bench_free(bench);
}

// A card whose frame is taken by a routine that runs already asks for no interrupt, not even a late
// one.
static void test_no_late_interrupt(void)
{
    const char *sets[] = {"eepro100.interrupt_delay=50 us", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    bench->one.work = 20 * TIME_US;
    transmit(bench, 0, 100);
    transmit(bench, 60 * TIME_US, 100);
    world_run(bench->world);
    sim_time next = bench->one.work + clock_cost(bench, card(bench)->rx_frame);
    SUITE_SAME_INTEGER(arrived(&bench->one, 1), closed_form(bench, 100) + next);
    SUITE_SAME_INTEGER(counter(bench, "nic interrupts"), 1);
    bench_free(bench);
}

// A frame that arrives while the interrupt routine exits is not forgotten: a second interrupt
// follows.
static void test_frame_during_exit(void)
{
    const char *sets[] = {"host.kernel.interrupt_exit=1 ms", NULL};
    struct bench *bench = bench_new(world_cable, sets, NULL);
    const struct kernel_config *kernel = &bench->world->cluster->hosts[0]->config.kernel;
    transmit(bench, 0, 100);
    transmit(bench, 500 * TIME_US, 100);
    world_run(bench->world);
    sim_time again = clock_cost(bench, kernel->interrupt_exit) + kernel->interrupt_unmask +
                     kernel->interrupt_ack + clock_cost(bench, kernel->interrupt_entry) +
                     clock_cost(bench, card(bench)->status_read) +
                     clock_cost(bench, card(bench)->rx_frame);
    SUITE_SAME_INTEGER(arrived(&bench->one, 1), closed_form(bench, 100) + again);
    SUITE_SAME_INTEGER(counter(bench, "nic interrupts"), 2);
    bench_free(bench);
}

// A frame takes its time through the card; others follow it as they leave the wire.
static void test_through_the_card(void)
{
    const char *sets[] = {"eepro100.rx_latency=50 us", NULL};
    struct bench *plain = bench_new(world_cable, NULL, NULL),
                 *late = bench_new(world_cable, sets, NULL);
    struct bench *both[] = {plain, late};
    for (int i = 0; i < 2; i++) {
        for (int nth = 0; nth < 4; nth++)
            transmit(both[i], 0, 1000);
        world_run(both[i]->world);
        SUITE_SAME_INTEGER(both[i]->one.frames->len, 4);
    }
    SUITE_SAME_INTEGER(arrived(&late->one, 0), closed_form(late, 1000));
    for (guint nth = 0; nth < 4; nth++)
        SUITE_SAME_INTEGER(arrived(&late->one, nth) - arrived(&plain->one, nth), 50 * TIME_US);
    bench_free(late);
    bench_free(plain);
}

// ---- Sharing ----

static void test_two_protocols(void)
{
    struct bench *bench = bench_new(world_cable, NULL, NULL);
    for (int i = 0; i < 6; i++) {
        struct post *post = transmit(bench, i * TIME_US, 100 + (uint32_t)i);
        post->token = true;
        post->protocol = i % 2 ? TWO : ONE;
    }
    world_run(bench->world);
    CU_ASSERT_EQUAL_FATAL(bench->one.frames->len, 3);
    CU_ASSERT_EQUAL_FATAL(bench->two.frames->len, 3);
    for (guint i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(g_array_index(bench->one.frames, struct arrival, i).frame, 2 * i);
        SUITE_SAME_INTEGER(g_array_index(bench->two.frames, struct arrival, i).frame, 2 * i + 1);
        CU_ASSERT_PTR_EQUAL(g_ptr_array_index(bench->one.sent, i),
                            g_ptr_array_index(bench->posts, 2 * i));
        CU_ASSERT_PTR_EQUAL(g_ptr_array_index(bench->two.sent, i),
                            g_ptr_array_index(bench->posts, 2 * i + 1));
    }
    CU_ASSERT(ledger_balanced(bench->world->sim->ledger));
    bench_free(bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one frame's way", test_way},
        {"back to back at line rate", test_line_rate},
        {"the transmit ring's limit", test_ring_limit},
        {"the ring's limit, done when loaded", test_ring_limit_loaded},
        {"interrupts that are collected", test_collected_interrupts},
        {"the FIFO's limit", test_fifo_limit},
        {"a frame longer than the FIFO", test_longer_than_fifo},
        {"tokens of sent frames", test_tokens},
        {"a bus slower than the wire", test_underrun},
        {"underrun of a frame longer than the FIFO", test_underrun_too_long},
        {"a bus that others take", test_underrun_contention},
        {"no byte leaves before it is there", test_underrun_random},
        {"FCS error", test_fcs_error},
        {"lost while it is loaded", test_lost_while_loading},
        {"receive ring full", test_ring_overflow},
        {"interrupts are coalesced", test_coalescing},
        {"no late interrupts", test_no_late_interrupt},
        {"a frame while the routine ends", test_frame_during_exit},
        {"through the card", test_through_the_card},
        {"two protocols", test_two_protocols},
        {NULL, NULL},
    };
    return suite_run("cluster: NIC", cases);
}
