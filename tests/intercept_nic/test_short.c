// SPDX-License-Identifier: GPL-3.0-or-later
// Short messages through the circular buffers of virtual NICs: times in closed form, order, full
// buffers, interrupts.
#include "tests/support/suite.h"
#include "tests/support/world_intercept.h"

#include <string.h>

#define VNIC 3

// A receiver that notes what comes, and takes it at once, later, or never.
struct receiver {
    struct icpt_process *process;
    struct vnic *vnic;
    bool keeps; // takes nothing
    int64_t seen[4096];
    int count;
    sim_time last;
    int interrupts;
    sim_time interrupted;
};

static bool take_all(struct cpu_context *context, void *process, void *argument)
{
    (void)process;
    struct receiver *receiver = argument;
    while (vnic_first(receiver->vnic))
        vnic_take(context, receiver->vnic);
    return true;
}

static void visible(void *owner)
{
    struct receiver *receiver = owner;
    receiver->last = sim_now(receiver->process->host->sim);
    receiver->count++;
    if (!receiver->keeps)
        world_do(receiver->process, take_all, receiver);
}

static void interrupt(struct cpu_context *context, void *owner)
{
    struct receiver *receiver = owner;
    receiver->interrupts++;
    receiver->interrupted = context->now;
}

static const struct vnic_ops polled = {.visible = visible};
static const struct vnic_ops with_interrupt = {.visible = visible, .interrupt = interrupt};

static struct receiver *receiver_new(struct world *world, int host, const struct vnic_ops *ops)
{
    struct receiver *receiver = world_keep(world, g_new0(struct receiver, 1));
    receiver->process = icpt_process(world, host);
    receiver->vnic = vnic_open(receiver->process->nic, VNIC, ops, receiver);
    return receiver;
}

// A job: so many messages into a TX-CB.
struct burst {
    struct vnic *vnic;
    struct intercept_sm message;
    int nth, count, sent, refused;
};

static bool send_burst(struct cpu_context *context, void *process, void *argument)
{
    (void)process;
    struct burst *burst = argument;
    for (int i = 0; i < burst->count; i++) {
        memcpy(burst->message.body, &burst->sent, sizeof burst->sent);
        if (vnic_send(context, burst->vnic, burst->nth, &burst->message))
            burst->sent++;
        else
            burst->refused++;
    }
    return true;
}

static struct burst *burst_new(struct world *world, int from, int to, int count, uint16_t bytes)
{
    static const struct vnic_ops none = {0};
    struct burst *burst = world_keep(world, g_new0(struct burst, 1));
    struct icpt_process *process = icpt_process(world, from);
    burst->vnic = vnic_open(process->nic, VNIC + 1, &none, NULL);
    burst->count = count;
    burst->message = (struct intercept_sm){.to = to, .vnic = VNIC, .bytes = bytes};
    return burst;
}

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
        struct receiver *receiver = receiver_new(world, 1, &polled);
        struct burst *burst = burst_new(world, 0, 1, 1, sizes[i]);
        world_do(icpt_process(world, 0), send_burst, burst);
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

// Data that lie elsewhere cost a bus read of their own.
static void test_indirect(void)
{
    struct world *world = icpt_world_new(ICPT_CABLE, NULL, NULL);
    const struct bus_config *bus = bus_of(world);
    struct receiver *receiver = receiver_new(world, 1, &polled);
    struct burst *burst = burst_new(world, 0, 1, 1, 120);
    burst->message.indirect = true;
    world_do(icpt_process(world, 0), send_burst, burst);
    world_run(world);
    SUITE_SAME_INTEGER(receiver->last,
                       one_message(world, 120) - 120 * TIME_NS - bus_time(bus, BUS_READ, 128) +
                           bus_time(bus, BUS_READ, 8) + bus_time(bus, BUS_READ, 120));
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one message", test_one},
        {"budget of a bus read", test_budget},
        {"indirect entry", test_indirect},
        {NULL, NULL},
    };
    (void)with_interrupt;
    return suite_run("intercept_nic: short messages", cases);
}
