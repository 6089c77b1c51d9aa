// SPDX-License-Identifier: GPL-3.0-or-later
// Short messages through the circular buffers of virtual NICs: times in closed form, order, full
// buffers, interrupts.
#include "tests/support/suite.h"
#include "tests/support/world_intercept.h"

static const struct bus_config *bus_of(const struct world *world)
{
    return &world->cluster->hosts[0]->config.bus;
}

// From vnic_send to the write pointer: the driver, a bus read, the card twice, the link, two bus
// writes.
static sim_time one_message(const struct world *world, int64_t bytes)
{
    const struct bus_config *bus = bus_of(world);
    sim_time driver = (50 + 100 + bytes + 250) * TIME_NS;
    sim_time wire = (20 + bytes) * 4 * TIME_NS + 25 * TIME_NS;
    return driver + bus_time(bus, BUS_READ, 8 + bytes) + 2 * 500 * TIME_NS + wire +
           bus_time(bus, BUS_WRITE, 8 + bytes) + bus_time(bus, BUS_WRITE, 8);
}

static void test_one(void)
{
    static const uint16_t sizes[] = {0, 8, 120, 504};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
        struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
        struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1, sizes[i]);
        icpt_burst_start(burst);
        world_run(world);
        SUITE_SAME_INTEGER(receiver->count, 1);
        SUITE_SAME_INTEGER(receiver->last, one_message(world, sizes[i]));
        world_free(world);
    }
}

// The budget of thesis 002's round trip has 2.1 us for the bus read of an RTS of 117 B.
static void test_budget(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    double read = time_to_us(bus_time(bus_of(world), BUS_READ, 128));
    CU_ASSERT_DOUBLE_EQUAL(read, 2 * (0.12 + 63.3 * 0.015), 0.001);
    world_free(world);
}

// icpt.cb.direct_indirect: data that lie elsewhere cost a bus read of their own.
static void test_indirect(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct bus_config *bus = bus_of(world);
    struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1, 120);
    burst->message.indirect = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->last,
                       one_message(world, 120) - 120 * TIME_NS - bus_time(bus, BUS_READ, 128) +
                           bus_time(bus, BUS_READ, 8) + bus_time(bus, BUS_READ, 120));
    world_free(world);
}

// ---- Full buffers ----

// A TX-CB holds 128 of the longest messages; the next ones are refused at once.
static void test_tx_full(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 200, 504);
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(burst->sent, 128);
    SUITE_SAME_INTEGER(burst->refused, 72);
    SUITE_SAME_INTEGER(receiver->taken, 128);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept TX-CB full"), 72);
    SUITE_SAME_INTEGER(burst->rooms, 1);
    world_free(world);
}

// A refused sender is notified of room when the card has read the first entry.
static void test_tx_room(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 200, 504);
    burst->again = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(burst->sent, 200);
    SUITE_SAME_INTEGER(receiver->taken, 200);
    for (int i = 0; i < receiver->taken; i++)
        CU_ASSERT_EQUAL(receiver->numbers[i], i);
    CU_ASSERT(burst->rooms >= 1);
    world_free(world);
}

// A TX-CB that two messages fill to the byte: each one that the card has read makes room for the
// next.
static void test_tx_exact(void)
{
    const char *sets[] = {"intercept.tx_cb=1 KiB", NULL};
    struct world *world = icpt_world_new(ICPT_CABLE, sets, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 4, 504);
    burst->again = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(burst->sent, 4);
    SUITE_SAME_INTEGER(burst->rooms, 2);
    SUITE_SAME_INTEGER(receiver->taken, 4);
    world_free(world);
}

// An indirect entry takes a command only.
static void test_tx_indirect(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1000, 504);
    burst->message.indirect = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(burst->refused, 0);
    SUITE_SAME_INTEGER(receiver->taken, 1000);
    world_free(world);
}

// The two TX-CBs are separate, and the card reads them in turns.
static void test_two_cbs(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *first = icpt_burst_new(world, 0, 1, 128, 504);
    struct icpt_burst *second = icpt_burst_new(world, 0, 1, 128, 504);
    second->vnic = first->vnic;
    second->nth = 1;
    second->message.marked = true; // to distinguish them: no process is interrupted
    icpt_burst_start(first);
    icpt_burst_start(second);
    world_run(world);
    SUITE_SAME_INTEGER(first->refused + second->refused, 0);
    SUITE_SAME_INTEGER(receiver->taken, 256);
    // Once both have entries, which is after the first burst has been written: one by one.
    int last = receiver->numbers[255], before = receiver->numbers[254];
    CU_ASSERT_EQUAL(last, 127);
    CU_ASSERT(before == 126 || before == 127);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept interrupts"), 0);
    world_free(world);
}

// An RX-CB of 1 KiB holds two of the longest messages; the card keeps the others, in their order.
static void test_rx_full(void)
{
    const char *sets[] = {"intercept.rx_cb=1 KiB", NULL};
    struct world *world = icpt_world_new(ICPT_CABLE, sets, NULL);
    struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 5, 504);
    receiver->keeps = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->count, 2);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets held, RX-CB full"), 3);
    char *text = intercept_describe(receiver->process->nic);
    SUITE_SAME_TEXT(text, "node1's card: VNIC 3: 3 packets wait for room in the RX-CB "
                          "(intercept.rx_cb)");
    g_free(text);
    for (int i = 1; i <= 3; i++)
        icpt_receiver_take_at(receiver, i * TIME_MS);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, 5);
    for (int i = 0; i < receiver->taken; i++)
        CU_ASSERT_EQUAL(receiver->numbers[i], i);
    CU_ASSERT_PTR_NULL(intercept_describe(receiver->process->nic));
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets refused"), 0);
    world_free(world);
}

// Two of the longest messages leave 256 B: a short message would fit, but waits for a long one
// that does not.
static void test_rx_order(void)
{
    const char *sets[] = {"intercept.rx_cb=1280 B", NULL};
    struct world *world = icpt_world_new(ICPT_CABLE, sets, NULL);
    struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *longer = icpt_burst_new(world, 0, 1, 3, 504);
    struct icpt_burst *shorter = icpt_burst_new(world, 0, 1, 5, 8);
    shorter->sent = 3; // its numbers follow
    receiver->keeps = true;
    icpt_burst_start(longer);
    icpt_burst_start_at(shorter, TIME_MS);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->count, 2);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets held, RX-CB full"), 3);
    receiver->keeps = false;
    icpt_receiver_take_at(receiver, 2 * TIME_MS);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, 5);
    for (int i = 0; i < receiver->taken; i++)
        SUITE_SAME_INTEGER(receiver->numbers[i], i);
    world_free(world);
}

// Through a cut-through switch the full RX-CB holds packets in the network, and none is lost.
static void test_rx_full_switch(void)
{
    const char *sets[] = {"intercept.rx_cb=1 KiB", NULL};
    struct world *world =
        icpt_world_new(ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"
                                    "switches: [{name: plane}]\n"
                                    "switch: {discipline: cut_through, latency: 300 ns,\n"
                                    "         slack: 1 KiB}\n"
                                    "links: [{from: node, to: plane}]\n",
                       sets, NULL);
    struct icpt_receiver *receiver = icpt_receiver_new(world, 1, false);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 100, 504);
    receiver->keeps = true;
    icpt_burst_start(burst);
    world_run(world);
    // Two are in the RX-CB, four places of the plane's receive queue are taken.
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets held, RX-CB full"), 4);
    char *text = intercept_describe(burst->process->nic);
    SUITE_CONTAINS(text, "node0's card: plane 0: 4 packets wait for the link, and the card sends "
                         "nothing before they have gone");
    SUITE_CONTAINS(text, "B wait in TX-CB 0");
    g_free(text);
    receiver->keeps = false;
    icpt_receiver_take_at(receiver, 10 * TIME_MS);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, 100);
    for (int i = 0; i < receiver->taken; i++)
        CU_ASSERT_EQUAL(receiver->numbers[i], i);
    world_free(world);
}

// ---- Interrupts ----

// From the write pointer: the line, the handler's entry (0), two status reads, the rest.
static void test_interrupt(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, true);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1, 120);
    burst->message.marked = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->interrupts, 1);
    SUITE_SAME_INTEGER(receiver->interrupted,
                       receiver->last + (1500 + 1000 + 300 + 1000) * TIME_NS);
    world_free(world);
}

static void test_unmarked(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, true);
    icpt_burst_start(icpt_burst_new(world, 0, 1, 10, 120));
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, 10);
    SUITE_SAME_INTEGER(receiver->interrupts, 0);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept interrupts"), 0);
    world_free(world);
}

static void count_interrupt(struct cpu_context *context, void *owner);

// A virtual NIC may be interrupted by every message.
static void test_every(void)
{
    static const struct vnic_ops ops = {.interrupt = count_interrupt, .every = true};
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    int count = 0;
    vnic_open(icpt_process(world, 1)->nic, ICPT_VNIC, &ops, &count);
    icpt_burst_start(icpt_burst_new(world, 0, 1, 10, 504));
    world_run(world);
    SUITE_SAME_INTEGER(count, 10);
    world_free(world);
}

static void count_interrupt(struct cpu_context *context, void *owner)
{
    (void)context;
    ++*(int *)owner;
}

// Virtual NICs that have something at the same time share one interrupt; messages that come one
// after the other raise the line again.
static void test_demultiplexing(void)
{
    static const struct vnic_ops ops = {.interrupt = count_interrupt};
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    struct icpt_process *to = icpt_process(world, 1);
    int counts[2] = {0};
    for (int i = 0; i < 2; i++)
        vnic_open(to->nic, 8 + i, &ops, &counts[i]);
    for (int i = 0; i < 2; i++) {
        struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1, 8);
        burst->message.vnic = (uint8_t)(8 + i);
        burst->message.marked = true;
        icpt_burst_start(burst);
    }
    world_run(world);
    SUITE_SAME_INTEGER(counts[0], 1);
    SUITE_SAME_INTEGER(counts[1], 1);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept virtual interrupts"), 2);
    // The second message comes 1.1 us after the first, before the handler has read the status.
    SUITE_SAME_INTEGER(world_counter(world, "Intercept interrupts"), 1);
    world_free(world);
}

// A marked message for which the line is raised while the handler runs is not lost.
static void test_interrupts_in_a_row(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct icpt_receiver *receiver = icpt_receiver_new(world, 1, true);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 100, 8);
    burst->message.marked = true;
    icpt_burst_start(burst);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, 100);
    SUITE_SAME_INTEGER(world_counter(world, "Intercept virtual interrupts"), 100);
    CU_ASSERT(receiver->interrupts > 1 && receiver->interrupts < 100);
    CU_ASSERT(receiver->interrupted > receiver->last);
    world_free(world);
}

// ---- No receiver ----

static void test_not_open(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    struct icpt_burst *burst = icpt_burst_new(world, 0, 1, 1, 64);
    burst->message.message = ledger_open(world->sim->ledger, 0, 1, 40, 0);
    burst->message.length = 40;
    icpt_burst_start(burst);
    world_run(world);
    world_close_message(world, burst->message.message);
    char *line = world_ledger_line(world);
    SUITE_CONTAINS(line, "bytes 0..39 lost: virtual NIC not open");
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets refused"), 1);
    g_free(line);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one message", test_one},
        {"budget of a bus read", test_budget},
        {"indirect entry", test_indirect},
        {"TX-CB full", test_tx_full},
        {"room in a TX-CB", test_tx_room},
        {"TX-CB filled to the byte", test_tx_exact},
        {"indirect entries in a TX-CB", test_tx_indirect},
        {"two TX-CBs", test_two_cbs},
        {"RX-CB full", test_rx_full},
        {"no overtaking at a full RX-CB", test_rx_order},
        {"RX-CB full behind a switch", test_rx_full_switch},
        {"interrupt", test_interrupt},
        {"unmarked messages", test_unmarked},
        {"every message", test_every},
        {"demultiplexing", test_demultiplexing},
        {"interrupts in a row", test_interrupts_in_a_row},
        {"virtual NIC that is not open", test_not_open},
        {NULL, NULL},
    };
    return suite_run("intercept_nic: short messages", cases);
}
