// SPDX-License-Identifier: GPL-3.0-or-later
// The VDMA engine: what a slice takes on the three buses that thesis 002 measured, the states of
// channels, one slice at a time, what has no channel.
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_intercept.h"

#include <string.h>

#define MIB INT64_C(1048576)
#define MOST 8

// Slices from one host to another (or the same), the channels of each, and what came of them.
struct transfer {
    struct icpt_process *from, *to;
    struct vdma_slice slice, expected;
    int send, receive; // channels
    bool received, sent;
    sim_time received_at, sent_at;
};

struct transfers {
    struct world *world;
    struct transfer items[MOST];
    int count;
};

static void received(struct cpu_context *context, void *owner, int channel)
{
    struct transfers *all = owner;
    for (int i = 0; i < all->count; i++) {
        struct transfer *transfer = &all->items[i];
        if (transfer->receive != channel || context->cpu != host_interrupt_core(transfer->to->host))
            continue;
        transfer->received = true;
        transfer->received_at = sim_now(transfer->to->host->sim);
        vdma_release(transfer->to->nic, channel);
    }
}

static void sent_any(struct transfers *all, const struct icpt_process *from, int channel)
{
    for (int i = 0; i < all->count; i++) {
        struct transfer *transfer = &all->items[i];
        if (transfer->send != channel || transfer->from != from)
            continue;
        transfer->sent = true;
        transfer->sent_at = sim_now(transfer->from->host->sim);
        vdma_release(transfer->from->nic, channel);
    }
}

static void sent_0(void *owner, int channel)
{
    struct transfers *all = owner;
    sent_any(all, icpt_process(all->world, 0), channel);
}

static void sent_1(void *owner, int channel)
{
    struct transfers *all = owner;
    sent_any(all, icpt_process(all->world, 1), channel);
}

static void sent_2(void *owner, int channel)
{
    struct transfers *all = owner;
    sent_any(all, icpt_process(all->world, 2), channel);
}

static struct transfers *transfers_new(const char *text, const char *const *sets,
                                       struct trace *trace)
{
    static const struct vdma_ops ops[] = {
        {received, sent_0}, {received, sent_1}, {received, sent_2}};
    struct world *world = icpt_world_new(text, sets, trace);
    struct transfers *all = world_keep(world, g_new0(struct transfers, 1));
    all->world = world;
    for (int host = 0; host < world->cluster->host_count; host++)
        vdma_open(icpt_process(world, host)->nic, &ops[host], all);
    return all;
}

static bool expect(struct cpu_context *context, void *process, void *argument)
{
    const struct icpt_process *at = process;
    const struct transfer *transfer = argument;
    vdma_expect(context, at->nic, transfer->receive, &transfer->expected);
    return true;
}

static bool send_slice(struct cpu_context *context, void *process, void *argument)
{
    const struct icpt_process *at = process;
    const struct transfer *transfer = argument;
    vdma_send(context, at->nic, transfer->send, intercept_iuca(transfer->to->nic),
              transfer->receive, &transfer->slice);
    return true;
}

static struct transfer *transfer_make(struct transfers *all, int from, int to, int64_t address,
                                      int64_t bytes)
{
    struct transfer *transfer = &all->items[all->count++];
    transfer->from = icpt_process(all->world, from);
    transfer->to = icpt_process(all->world, to);
    transfer->slice = (struct vdma_slice){
        .address = address,
        .bytes = bytes,
        .message = ledger_open(all->world->sim->ledger, from, to, bytes, (uint64_t)from),
    };
    transfer->send = vdma_reserve(transfer->from->nic);
    transfer->receive = vdma_reserve(transfer->to->nic);
    transfer->expected = transfer->slice;
    g_assert(transfer->send >= 0 && transfer->receive >= 0);
    return transfer;
}

// The sender starts after 1 ms, when the receiver has long been ready.
static void transfer_start(struct transfer *transfer)
{
    world_do(transfer->to, expect, transfer);
    world_do_at(transfer->from, TIME_MS, send_slice, transfer);
}

static struct transfer *transfer_add(struct transfers *all, int from, int to, int64_t address,
                                     int64_t bytes)
{
    struct transfer *transfer = transfer_make(all, from, to, address, bytes);
    transfer_start(transfer);
    return transfer;
}

static void run(struct transfers *all)
{
    world_run(all->world);
    for (int i = 0; i < all->count; i++)
        world_close_message(all->world, all->items[i].slice.message);
}

// ---- Times ----

// The bus and planes of a machine.
struct testbed_case {
    const char *name;
    const char *sets[8];
    int planes;
    double printed; // of two hosts, in `unit` a second
    double unit;
};

static const struct testbed_case machines[] = {
    {"system 1", {NULL}, 3, 56.8, 1048576},
    {"SCS",
     {"host.bus.clock=133.333333 MHz", "host.bus.rate=1066.666667 MB/s",
      "host.bus.read_burst=256 B", NULL},
     4,
     357,
     1e6},
    {"system 2",
     {"host.bus.clock=133.333333 MHz", "host.bus.rate=500 MB/s", "host.bus.read_burst=1 KiB", NULL},
     2,
     400,
     1e6},
    {"system 2, one plane",
     {"host.bus.clock=133.333333 MHz", "host.bus.rate=500 MB/s", "host.bus.read_burst=1 KiB", NULL},
     1,
     240,
     1e6},
};

static char *cables(int planes, int hosts)
{
    return g_strdup_printf(ICPT_MACHINE "hosts: [{name: node, count: %d}]\n"
                                        "links: [{from: node0, to: node%d, count: %d}]\n",
                           hosts, hosts - 1, planes);
}

// Time of a slice from the sender's table to the receiver's interrupt, less the driver's part.
static sim_time slice_time(struct transfers *all, int from, int to)
{
    struct transfer *transfer = transfer_add(all, from, to, 0, MIB);
    run(all);
    CU_ASSERT(transfer->received && transfer->sent);
    CU_ASSERT(transfer->sent_at < transfer->received_at);
    CU_ASSERT(ledger_balanced(all->world->sim->ledger));
    sim_time driver = (256 * 50 + 257 * 50 + 250) * TIME_NS;
    return transfer->received_at - TIME_MS - driver - 1500 * TIME_NS;
}

// Bus time of `packets` packets: each is written alone, and two are read at once.
static sim_time packets_time(const struct transfers *all, enum bus_way way, int64_t packets)
{
    int64_t together = way == BUS_READ ? 2 : 1;
    return packets / together *
           bus_time(&all->world->cluster->hosts[0]->config.bus, way, together * 512);
}

// A slice of one packet: table, command, data, card, link, card, memory, interrupt.
static void test_one_packet(void)
{
    static const int sizes[] = {24, 504, 512};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct transfers *all = transfers_new(ICPT_CABLE, NULL, NULL);
        const struct bus_config *bus = &all->world->cluster->hosts[0]->config.bus;
        const struct transfer *transfer = transfer_add(all, 0, 1, 0, sizes[i]);
        run(all);
        sim_time driver = (50 + 2 * 50 + 250) * TIME_NS, wire = (20 + sizes[i]) * 4 * TIME_NS;
        SUITE_SAME_INTEGER(transfer->received_at,
                           TIME_MS + driver + bus_time(bus, BUS_READ, 8) +
                               bus_time(bus, BUS_READ, sizes[i]) + 500 * TIME_NS + wire +
                               25 * TIME_NS + 500 * TIME_NS + bus_time(bus, BUS_WRITE, sizes[i]) +
                               1500 * TIME_NS);
        world_free(all->world);
    }
}

// Between two hosts the slowest of bus reads, bus writes and planes decides.
static void test_two_hosts(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        const struct testbed_case *machine = &machines[i];
        char *text = cables(machine->planes, 2);
        struct transfers *all = transfers_new(text, machine->sets, NULL);
        sim_time time = slice_time(all, 0, 1), plane = 2048 * 532 * 4 * TIME_NS / machine->planes;
        sim_time least =
            MAX(plane, MAX(packets_time(all, BUS_READ, 2048), packets_time(all, BUS_WRITE, 2048)));
        sim_time once = packets_time(all, BUS_READ, 2) + packets_time(all, BUS_WRITE, 2) +
                        (1000 + 532 * 4 + 25) * TIME_NS;
        CU_ASSERT(time > least && time < least + once);
        // With the driver, the GET and the interrupt: the tolerance is that of the claims.
        double second = (double)(time + 85 * TIME_US) / (double)TIME_S;
        CU_ASSERT_DOUBLE_EQUAL((double)MIB / second / machine->unit / machine->printed, 1, 0.06);
        world_free(all->world);
        g_free(text);
    }
}

// A card whose cables lead back to it reads and writes by turns on one bus, which decides even with
// one plane.
static void test_loop(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        const struct testbed_case *machine = &machines[i];
        char *text = cables(machine->planes, 1);
        struct transfers *all = transfers_new(text, machine->sets, NULL);
        sim_time time = slice_time(all, 0, 0);
        sim_time sum = packets_time(all, BUS_READ, 2048) + packets_time(all, BUS_WRITE, 2048);
        sim_time once = (1000 + 532 * 4 + 25) * TIME_NS;
        CU_ASSERT(time >= sum && time < sum + 2 * once);
        world_free(all->world);
        g_free(text);
    }
}

// ---- States ----

static struct transition_log *log_new(void)
{
    return transition_log_new("VDMA channel", false);
}

static void test_states(void)
{
    struct transition_log *log = log_new();
    struct transfers *all = transfers_new(ICPT_CABLE, NULL, &log->sink.trace);
    transfer_add(all, 0, 1, 4096, 4096 + 24);
    run(all);
    SUITE_SAME_TEXT(log->text->str, "node1 VDMA channel[0] FREE -> READY\n"
                                    "node0 VDMA channel[0] FREE -> QUEUED\n"
                                    "node0 VDMA channel[0] QUEUED -> SENDING\n"
                                    "node1 VDMA channel[0] READY -> ACTIVE\n"
                                    "node0 VDMA channel[0] SENDING -> DONE\n"
                                    "node0 VDMA channel[0] DONE -> FREE\n"
                                    "node1 VDMA channel[0] ACTIVE -> DONE\n"
                                    "node1 VDMA channel[0] DONE -> FREE\n");
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept packets sent"), 9);
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept interrupts"), 1);
    world_free(all->world);
    transition_log_free(log);
}

// A slice waits while another is sent, and its packets follow without a gap.
static void test_one_sent(void)
{
    struct transition_log *log = log_new();
    struct transfers *all = transfers_new(ICPT_CABLE, NULL, &log->sink.trace);
    for (int i = 0; i < 4; i++)
        transfer_add(all, 0, 1, i * MIB, 4096);
    CU_ASSERT_EQUAL(vdma_reserve(icpt_process(all->world, 0)->nic), -1);
    run(all);
    for (int i = 0; i < 4; i++) {
        const struct transfer *transfer = &all->items[i];
        CU_ASSERT(transfer->received && transfer->sent);
        CU_ASSERT(i == 0 || transfer->sent_at > all->items[i - 1].sent_at);
        char *line = g_strdup_printf("node0 VDMA channel[%d] SENDING -> DONE\n"
                                     "node0 VDMA channel[%d] QUEUED -> SENDING\n",
                                     i, i + 1);
        if (i < 3)
            SUITE_CONTAINS(log->text->str, line);
        g_free(line);
    }
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept VDMA interrupts"), 4);
    CU_ASSERT(ledger_balanced(all->world->sim->ledger));
    world_free(all->world);
    transition_log_free(log);
}

#define ICPT_STAR                                                                                  \
    ICPT_MACHINE "hosts: [{name: node, count: 3}]\n"                                               \
                 "switches: [{name: plane, count: 2}]\n"                                           \
                 "switch: {discipline: cut_through, latency: 300 ns, slack: 1 KiB}\n"              \
                 "links: [{from: node, to: plane}]\n"

// The most channels of a host that the log has in a state at once.
static int most_in(const char *text, const char *host, const char *state)
{
    char **lines = g_strsplit(text, "\n", -1);
    char *into = g_strdup_printf("-> %s", state), *out_of = g_strdup_printf("] %s ->", state);
    int in = 0, most = 0;
    for (char **line = lines; *line; line++) {
        if (!g_str_has_prefix(*line, host))
            continue;
        in += g_str_has_suffix(*line, into);
        in -= strstr(*line, out_of) != NULL;
        most = MAX(most, in);
    }
    g_free(into);
    g_free(out_of);
    g_strfreev(lines);
    return most;
}

// Of two senders that mix their packets, one is received first; the card keeps the other's.
static void test_one_received(void)
{
    struct transition_log *log = log_new();
    struct transfers *all = transfers_new(ICPT_STAR, NULL, &log->sink.trace);
    transfer_add(all, 0, 2, 0, 65536);
    transfer_add(all, 1, 2, 0, 65536);
    run(all);
    CU_ASSERT(all->items[0].received && all->items[1].received);
    SUITE_SAME_INTEGER(most_in(log->text->str, "node2", "ACTIVE"), 1);
    SUITE_SAME_INTEGER(most_in(log->text->str, "node2", "READY"), 2);
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept virtual interrupts"), 2);
    CU_ASSERT(ledger_balanced(all->world->sim->ledger));
    world_free(all->world);
    transition_log_free(log);
}

static int pick(struct random_stream *random, int least, int most)
{
    return least + (int)random_below(random, (uint64_t)(most - least) + 1);
}

// Slices of all lengths and places among three hosts, at about the same time.
static void try_slices(struct random_stream *random, struct transfers *all)
{
    for (int i = pick(random, 1, 6); i > 0; i--) {
        int from = pick(random, 0, 2), to = pick(random, 0, 2);
        int64_t bytes = 8 * pick(random, 3, pick(random, 0, 3) ? 600 : 131072);
        int64_t address = bytes > MIB - 4096 ? 0 : 8 * pick(random, 0, 1000);
        int used = 0;
        for (int k = 0; k < all->count; k++)
            for (int end = 0; end < 2; end++) {
                const struct transfer *other = &all->items[k];
                const struct icpt_process *at = end ? other->to : other->from;
                used += (at == icpt_process(all->world, from)) +
                        (from != to && at == icpt_process(all->world, to));
            }
        if (used <= INTERCEPT_CHANNELS - 2)
            transfer_add(all, from, to, address, bytes);
    }
    run(all);
}

static void test_random(void)
{
    struct random_stream *random = random_new(5, "slices");
    static const char *const hosts[] = {"node0", "node1", "node2"};
    for (int i = 0; i < 60; i++) {
        struct transition_log *log = log_new();
        char *mask = g_strdup_printf("intercept.plane_mask=%d", pick(random, 1, 3));
        char *queue = g_strdup_printf("intercept.receive_queue=%d", pick(random, 1, 5));
        const char *sets[] = {mask, queue, NULL};
        struct transfers *all = transfers_new(ICPT_STAR, sets, &log->sink.trace);
        try_slices(random, all);
        for (int k = 0; k < all->count; k++)
            CU_ASSERT(all->items[k].received && all->items[k].sent);
        CU_ASSERT(ledger_balanced(all->world->sim->ledger));
        SUITE_SAME_INTEGER(world_counter(all->world, "Intercept VDMA interrupts"), all->count);
        for (int host = 0; host < 3; host++) {
            CU_ASSERT(most_in(log->text->str, hosts[host], "ACTIVE") <= 1);
            CU_ASSERT(most_in(log->text->str, hosts[host], "SENDING") <= 1);
        }
        world_free(all->world);
        transition_log_free(log);
        g_free(mask);
        g_free(queue);
    }
    random_free(random);
}

// ---- The driver ----

// Pages of 16 KiB, as on an Itanium, need a quarter of the look-ups and as many entries.
static void test_pages(void)
{
    static const struct {
        const char *page;
        int64_t address, bytes;
        int walks, entries;
    } cases[] = {
        {"host.memory.page=4 KiB", 0, MIB, 256, 256},
        {"host.memory.page=16 KiB", 0, MIB, 64, 256},
        {"host.memory.page=4 KiB", 4088, 24, 2, 2},
        {"host.memory.page=16 KiB", 4088, 24, 1, 2},
        {"host.memory.page=4 KiB", 8, MIB - 8, 256, 256},
        {"host.memory.page=4 KiB", 4096, 32, 1, 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *sets[] = {cases[i].page, NULL};
        struct transfers *all = transfers_new(ICPT_CABLE, sets, NULL);
        transfer_add(all, 0, 1, cases[i].address, cases[i].bytes);
        run(all);
        const struct cpu *cpu = host_process_core(icpt_process(all->world, 1)->host, 0);
        SUITE_SAME_INTEGER(world_stage_time(cpu, "page look-up"), cases[i].walks * 50 * TIME_NS);
        SUITE_SAME_INTEGER(world_stage_time(cpu, "page table"),
                           (cases[i].entries + 1) * 50 * TIME_NS);
        world_free(all->world);
    }
}

// ---- Turns ----

// A short message among the packets of a slice waits for one read at most, and not for the slice.
static void test_turns(void)
{
    struct transfers *all = transfers_new(ICPT_CABLE, NULL, NULL);
    const struct bus_config *bus = &all->world->cluster->hosts[0]->config.bus;
    const struct icpt_receiver *receiver = icpt_receiver_new(all->world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(all->world, 0, 1, 1, 120);
    struct transfer *transfer = transfer_add(all, 0, 1, 0, MIB);
    sim_time start = 5 * TIME_MS + 321 * TIME_NS;
    icpt_burst_start_at(burst, start);
    run(all);
    CU_ASSERT(transfer->received_at > receiver->last + 10 * TIME_MS);
    sim_time alone = (50 + 100 + 120 + 250 + 1000 + 140 * 4 + 25) * TIME_NS +
                     bus_time(bus, BUS_READ, 128) + bus_time(bus, BUS_WRITE, 128) +
                     bus_time(bus, BUS_WRITE, 8);
    sim_time late = receiver->last - start - alone;
    CU_ASSERT(late >= 0);
    // A read, the two packets of the one before on the link, their writes.
    CU_ASSERT(late <= bus_time(bus, BUS_READ, 1024) + 2 * 532 * 4 * TIME_NS +
                          2 * bus_time(bus, BUS_WRITE, 512));
    world_free(all->world);
}

// ---- What has no place ----

static void test_not_set_up(void)
{
    struct transfers *all = transfers_new(ICPT_CABLE, NULL, NULL);
    struct transfer *transfer = transfer_make(all, 0, 1, 0, 4096);
    world_do_at(transfer->from, TIME_MS, send_slice, transfer);
    world_run(all->world);
    CU_ASSERT_FALSE(transfer->received);
    CU_ASSERT(transfer->sent);
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept packets refused"), 8);
    char *line = world_ledger_line(all->world);
    SUITE_CONTAINS(line, "VDMA channel not set up");
    g_free(line);
    world_free(all->world);
}

// The receiver has set up less than is sent.
static void test_beyond_table(void)
{
    struct transfers *all = transfers_new(ICPT_CABLE, NULL, NULL);
    struct transfer *transfer = transfer_make(all, 0, 1, 0, 4096);
    transfer->expected.bytes = 2048;
    transfer_start(transfer);
    world_run(all->world);
    CU_ASSERT(transfer->received);
    SUITE_SAME_INTEGER(world_counter(all->world, "Intercept packets refused"), 4);
    char *line = world_ledger_line(all->world);
    SUITE_CONTAINS(line, "2048..4095");
    g_free(line);
    world_free(all->world);
}

// The firmware of old: a buffer that does not begin at a page never arrives, without an error.
static void test_old_firmware(void)
{
    const char *sets[] = {"intercept.old_firmware=true", NULL};
    for (int address = 0; address <= 8; address += 8) {
        struct transfers *all = transfers_new(ICPT_CABLE, sets, NULL);
        struct transfer *transfer = transfer_add(all, 0, 1, address, MIB - 4096);
        world_run(all->world);
        CU_ASSERT_EQUAL(transfer->received, address == 0);
        CU_ASSERT_EQUAL(transfer->sent, address == 0);
        char *text = intercept_describe(transfer->from->nic);
        if (address == 0)
            CU_ASSERT_PTR_NULL(text);
        if (text)
            SUITE_SAME_TEXT(text,
                            "node0's card: VDMA channel 0 SENDING: 2040 of 2040 packets missing, "
                            "as its buffer does not begin at a page (intercept.old_firmware)");
        g_free(text);
        int packets;
        SUITE_SAME_INTEGER(vdma_missing(transfer->to->nic, 0, &packets), address ? 2040 : 0);
        SUITE_SAME_INTEGER(packets, 2040);
        world_free(all->world);
    }
}

// Only the receiver's buffer is off: the sender is done, the receiver never.
static void test_old_firmware_receiver(void)
{
    const char *sets[] = {"intercept.old_firmware=true", NULL};
    struct transfers *all = transfers_new(ICPT_CABLE, sets, NULL);
    struct transfer *transfer = transfer_make(all, 0, 1, 4096, 8192);
    transfer->expected.address = 8;
    transfer_start(transfer);
    world_run(all->world);
    CU_ASSERT(transfer->sent && !transfer->received);
    SUITE_SAME_INTEGER(vdma_missing(transfer->to->nic, 0, NULL), 16);
    world_free(all->world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a slice of one packet", test_one_packet},
        {"a slice between two hosts", test_two_hosts},
        {"a slice over a loopback cable", test_loop},
        {"states of channels", test_states},
        {"one slice is sent at a time", test_one_sent},
        {"one slice is received at a time", test_one_received},
        {"random slices", test_random},
        {"pages of a slice", test_pages},
        {"a short message in its turn", test_turns},
        {"a channel that is not set up", test_not_set_up},
        {"beyond the page table", test_beyond_table},
        {"old firmware", test_old_firmware},
        {"old firmware, at the receiver", test_old_firmware_receiver},
        {NULL, NULL},
    };
    return suite_run("intercept_nic: VDMA", cases);
}
