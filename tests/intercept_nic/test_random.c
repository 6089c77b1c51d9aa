// SPDX-License-Identifier: GPL-3.0-or-later
// Random machines and loads: what holds of every one. Each message comes once; over one plane those
// of a sender keep their order; turns spread packets evenly; the card asks for no memory once warm.
#include "sim/core/random.h"
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/world_intercept.h"

#define ROUNDS 120

struct testbed_case {
    int hosts, planes, mask;
    bool switches, turns;
    char *text;
};

static int pick(struct random_stream *random, int least, int most)
{
    return least + (int)random_below(random, (uint64_t)(most - least) + 1);
}

static void add_cables(GString *text, struct random_stream *random,
                       const struct testbed_case *machine)
{
    g_string_append(text, "links:\n");
    for (int plane = 0; plane < machine->planes; plane++) {
        char to[16] = "node1";
        if (machine->switches)
            g_snprintf(to, sizeof to, machine->planes == 1 ? "plane" : "plane%d", plane);
        g_string_append_printf(text, "  - {from: %s, to: %s, propagation: %d ns, window: %d}\n",
                               machine->switches ? "node" : "node0", to, pick(random, 0, 5000),
                               pick(random, 0, 1) * 7);
    }
}

static struct testbed_case machine_new(struct random_stream *random)
{
    struct testbed_case machine = {
        .planes = pick(random, 1, 4),
        .switches = pick(random, 0, 1),
        .turns = pick(random, 0, 3) > 0,
    };
    machine.hosts = machine.switches ? pick(random, 2, 5) : 2;
    machine.mask = pick(random, 1, (1 << machine.planes) - 1);
    GString *text = g_string_new(ICPT_MACHINE);
    g_string_append_printf(text, "hosts: [{name: node, count: %d}]\n", machine.hosts);
    if (machine.switches)
        g_string_append_printf(text,
                               "switches: [{name: plane, count: %d}]\n"
                               "switch: {discipline: cut_through, latency: %d ns, slack: %d B}\n",
                               machine.planes, pick(random, 50, 600), pick(random, 4000, 8000));
    add_cables(text, random, &machine);
    g_string_append_printf(text,
                           "intercept: {plane_mask: %d, striping: %s, plane_queue: %d,\n"
                           "            receive_queue: %d, rx_cb: %d B, tx_cb: %d B}\n",
                           machine.mask, machine.turns ? "round_robin" : "least_loaded",
                           pick(random, 1, 8), pick(random, 1, 8), pick(random, 1024, 8192),
                           pick(random, 1024, 8192));
    machine.text = g_string_free(text, FALSE);
    return machine;
}

// Messages of one sender, in the order in which they came.
static bool sender_in_order(const struct icpt_receiver *receiver, int sender)
{
    int last = -1;
    for (int i = 0; i < receiver->taken; i++) {
        if (receiver->senders[i] != sender)
            continue;
        if (receiver->numbers[i] < last)
            return false;
        last = receiver->numbers[i];
    }
    return true;
}

static bool one_bit(int mask)
{
    return (mask & (mask - 1)) == 0;
}

// All hosts but the last send to it.
static void try_machine(struct random_stream *random, const struct testbed_case *machine)
{
    struct world *world = icpt_world_new(machine->text, NULL, NULL);
    int to = machine->hosts - 1, expected = 0;
    const struct icpt_receiver *receiver = icpt_receiver_new(world, to, pick(random, 0, 1));
    for (int from = 0; from < to; from++) {
        struct icpt_burst *burst =
            icpt_burst_new(world, from, to, pick(random, 1, 120), (uint16_t)pick(random, 4, 504));
        burst->again = true;
        burst->message.marked = pick(random, 0, 1);
        burst->message.indirect = pick(random, 0, 1);
        expected += burst->count;
        icpt_burst_start(burst);
    }
    world_run(world);
    SUITE_SAME_INTEGER(receiver->taken, expected);
    for (int from = 0; from < to; from++) {
        const struct intercept_nic *nic = icpt_process(world, from)->nic;
        int64_t least = INT64_MAX, most = 0;
        for (int plane = 0; plane < machine->planes; plane++) {
            int64_t packets = intercept_plane_packets(nic, plane);
            if (!(machine->mask >> plane & 1)) {
                SUITE_SAME_INTEGER(packets, 0);
                continue;
            }
            least = MIN(least, packets);
            most = MAX(most, packets);
        }
        CU_ASSERT(!machine->turns || most - least <= 1);
        CU_ASSERT(!one_bit(machine->mask) || sender_in_order(receiver, from));
        CU_ASSERT_PTR_NULL(intercept_describe(nic));
    }
    SUITE_SAME_INTEGER(world_counter(world, "Intercept packets received"), expected);
    world_free(world);
}

static void test_random(void)
{
    struct random_stream *random = random_new(11, "cards");
    for (int i = 0; i < ROUNDS; i++) {
        struct testbed_case machine = machine_new(random);
        try_machine(random, &machine);
        g_free(machine.text);
    }
    random_free(random);
}

// ---- Memory ----

// A driver that never rests: a slice and a few messages at a time, in both directions.
struct driver {
    struct cpu_task task;
    struct intercept_nic *nic;
    struct vnic *vnic;
    int iuca, channel, peer_channel;
    bool ready; // the slice has ended, at both ends
    struct driver *peer;
    struct message_ref message;
    int64_t slices, taken;
};

static void driver_visible(void *owner)
{
    struct driver *driver = owner;
    cpu_wake(&driver->task);
}

static void driver_interrupt(struct cpu_context *context, void *owner)
{
    (void)context;
    (void)owner;
}

static void driver_received(struct cpu_context *context, void *owner, int channel)
{
    struct driver *driver = owner;
    struct ledger *ledger = cpu_sim(context->cpu)->ledger;
    (void)channel;
    ledger_match(ledger, driver->message);
    ledger_complete(ledger, driver->message);
    driver->slices++;
    driver->peer->ready = true;
    cpu_post_wake(context, &driver->peer->task);
}

static void driver_sent(void *owner, int channel)
{
    (void)owner;
    (void)channel;
}

// Starts the next slice to the peer, whose channel it sets up itself.
static void driver_slice(struct cpu_context *context, struct driver *driver)
{
    struct driver *to = driver->peer;
    struct vdma_slice slice = {.bytes = 64 * 1024};
    slice.message = ledger_open(cpu_sim(context->cpu)->ledger, driver->iuca, to->iuca, slice.bytes,
                                (uint64_t)driver->iuca);
    driver->ready = false;
    to->message = slice.message;
    vdma_expect(context, to->nic, to->peer_channel, &slice);
    vdma_send(context, driver->nic, driver->channel, to->iuca, to->peer_channel, &slice);
}

static enum cpu_next driver_run(struct cpu_context *context, struct cpu_task *task)
{
    struct driver *driver = container_of(task, struct driver, task);
    struct intercept_sm message = {
        .to = driver->peer->iuca, .vnic = ICPT_VNIC, .bytes = 200, .marked = true};
    while (vnic_first(driver->vnic)) {
        vnic_take(context, driver->vnic);
        driver->taken++;
        vnic_send(context, driver->vnic, 0, &message);
    }
    if (driver->ready)
        driver_slice(context, driver);
    return CPU_SLEEP;
}

static void driver_init(struct driver *driver, struct driver *peer, const struct icpt_process *on)
{
    static const struct vnic_ops ops = {.visible = driver_visible, .interrupt = driver_interrupt};
    static const struct vdma_ops vdma_ops = {driver_received, driver_sent};
    *driver = (struct driver){.nic = on->nic, .iuca = intercept_iuca(on->nic), .peer = peer};
    driver->vnic = vnic_open(on->nic, ICPT_VNIC, &ops, driver);
    vdma_open(on->nic, &vdma_ops, driver);
    driver->channel = vdma_reserve(on->nic);
    driver->peer_channel = vdma_reserve(on->nic);
    driver->ready = true;
    cpu_task_init(&driver->task, on->host->cores[1], CPU_KERNEL, driver_run);
}

static bool first_message(struct cpu_context *context, void *process, void *argument)
{
    (void)process;
    const struct driver *driver = argument;
    struct intercept_sm message = {.to = driver->peer->iuca, .vnic = ICPT_VNIC, .bytes = 200};
    for (int i = 0; i < 8; i++)
        vnic_send(context, driver->vnic, 0, &message);
    return true;
}

static void test_memory(void)
{
    struct world *world =
        icpt_world_new(ICPT_MACHINE "hosts: [{name: node, count: 2}]\n"
                                    "links: [{from: node0, to: node1, count: 4}]\n",
                       NULL, NULL);
    struct driver drivers[2];
    for (int i = 0; i < 2; i++)
        driver_init(&drivers[i], &drivers[1 - i], icpt_process(world, i));
    for (int i = 0; i < 2; i++)
        world_do(icpt_process(world, i), first_message, &drivers[i]);
    engine_run(world->sim->engine, 100 * TIME_MS);
    int64_t slices = drivers[0].slices, taken = drivers[0].taken;
    uint64_t before = allocations.count;
    engine_run(world->sim->engine, 400 * TIME_MS);
    SUITE_SAME_INTEGER(allocations.count, before);
    CU_ASSERT(drivers[0].slices > 3 * slices && drivers[0].taken > 3 * taken);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"random machines", test_random},
        {"no memory once warm", test_memory},
        {NULL, NULL},
    };
    return suite_run("intercept_nic: random loads", cases);
}
