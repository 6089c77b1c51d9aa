// SPDX-License-Identifier: GPL-3.0-or-later
// Charges of the provider: the closed form of a message's path from the post to the receiver, and
// what each mode of waiting adds.
#include "models/ethernet/nics.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#define ROOM (1500 - 32)
#define FRAME (14 + 32 + 4)

static const struct kernel_config *kernel(const struct world *world)
{
    return &via_node(world, 0)->host->config.kernel;
}

static const struct nic_config *card(const struct world *world)
{
    return nic_config(ethernet_nic(world->cluster, 0, 0));
}

static sim_time cost(const struct world *world, struct cost cost)
{
    return cpu_cost(via_node(world, 0)->host->cores[0], cost);
}

// ---- Closed forms ----

static sim_time trap(const struct world *world)
{
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    bool fast = config->doorbell == MVIA_DOORBELL_FAST_TRAP;
    return cost(world, fast ? kernel(world)->fast_trap : kernel(world)->system_call);
}

static sim_time frame_cost(const struct world *world)
{
    return cost(world, vip_config(via_node(world, 0)->nic)->send_frame) +
           cost(world, card(world)->tx_frame);
}

// From VipPostSend to the doorbell of its first frame.
static sim_time doorbell_time(const struct world *world)
{
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    return cost(world, config->post) + trap(world) + cost(world, config->send_setup) +
           frame_cost(world) + cost(world, card(world)->doorbell);
}

// From the doorbell to the end of the interrupt handler's slice that completes a message of one
// frame, without waking a process.
static sim_time way_time(const struct world *world, int64_t length)
{
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    const struct host *host = via_node(world, 1)->host;
    const struct nic_config *nic = card(world);
    int64_t wire = FRAME + length;
    sim_time out = nic->tx_start + bus_time(&host->config.bus, BUS_READ,
                                            nic->descriptor + MIN(wire, nic->tx_threshold));
    sim_time in =
        bus_time(&host->config.bus, BUS_WRITE, nic->descriptor + MIN(wire, nic->rx_residue));
    sim_time interrupt = nic->rx_status + nic->interrupt_delay + kernel(world)->interrupt_latency +
                         kernel(world)->interrupt_ack +
                         cost(world, kernel(world)->interrupt_entry) +
                         cost(world, nic->status_read);
    sim_time handler = cost(world, nic->rx_frame) + cost(world, config->receive_frame) +
                       memory_copy_time(&host->config.memory, host->cores[0], length, COPY_COLD) +
                       cost(world, config->completion);
    return out + world_wire_time(world, wire) + in + interrupt + handler;
}

// ---- Waiting for one message ----

enum waiting { POLL, BLOCK, QUEUE };

struct wait_test {
    enum waiting how;
    int calls;
    sim_time called, taken; // when the call that found it began, and returned
};

static bool wait_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct wait_test *test = argument;
    struct vip_cq_entry entry;
    test->calls++;
    test->called = context->now;
    if (test->how == QUEUE && !vip_cq_wait(context, node->cq, &entry))
        return false;
    const struct vip_descriptor *descriptor = vip_recv_done(context, node->vi);
    if (!descriptor)
        vip_wait(context, node->vi, test->how == POLL);
    test->taken = context->now;
    return descriptor != NULL;
}

struct latency {
    sim_time sender, arrival,
        taken; // all from the start of the post: its end, the waiter called, the descriptor taken
};

static struct latency measure(struct world *world, enum waiting how, int64_t length, bool write)
{
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct wait_test test = {.how = how};
    via_connect(world, how == QUEUE);
    via_receive(b, 0, 2000);
    world_do(b, wait_job, &test);
    world_run(world);
    CU_ASSERT_EQUAL(test.calls, 1);
    struct via_transfer *transfer =
        write ? via_new_write(a, 0, length, 0) : via_new_send(a, 0, length);
    transfer->descriptor.immediate_flag = write;
    via_post(transfer);
    world_run(world);
    CU_ASSERT_EQUAL(test.calls, 2);
    return (struct latency){transfer->end - transfer->begun, test.called - transfer->begun,
                            test.taken - transfer->begun};
}

// One frame on an idle path, for a process that polls, blocks in VipRecvWait or in VipCQWait.
static void check_latency(enum waiting how, int64_t length, bool write)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    struct latency latency = measure(world, how, length, write);
    sim_time arrival = doorbell_time(world) + way_time(world, length);
    sim_time take = cost(world, config->dequeue);
    if (how != POLL) {
        arrival += cost(world, kernel(world)->wake_process);
        take += kernel(world)->wake_other + cost(world, kernel(world)->switch_process);
    }
    if (how == QUEUE)
        take += cost(world, config->queue_check);
    SUITE_SAME_INTEGER(latency.sender, doorbell_time(world));
    SUITE_SAME_INTEGER(latency.arrival, arrival);
    SUITE_SAME_INTEGER(latency.taken, arrival + take);
    world_free(world);
}

static void test_latency(void)
{
    static const int64_t lengths[] = {0, 1, 13, 14, 500, 1000, ROOM};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++)
        for (int how = POLL; how <= QUEUE; how++) {
            check_latency((enum waiting)how, lengths[i], false);
            check_latency((enum waiting)how, lengths[i], true);
        }
}

static bool take_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct vip_cq_entry entry;
    sim_time start = context->now;
    CU_ASSERT(vip_cq_done(context, node->cq, &entry));
    CU_ASSERT_PTR_NOT_NULL(vip_recv_done(context, node->vi));
    *(sim_time *)argument = context->now - start;
    return true;
}

// A process that does not wait is not woken, and pays for no wake-up: not the first time, and not
// after it has waited once.
static void test_no_wake_up(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    measure(world, QUEUE, 10, false);
    for (int i = 0; i < 3; i++) {
        sim_time time = 0;
        via_receive(via_node(world, 1), 0, 100);
        world_run(world);
        uint64_t before = cpu_usage(via_node(world, 1)->process.task.cpu).slices[CPU_USER];
        via_send(via_node(world, 0), 0, 10);
        world_run(world);
        CU_ASSERT_EQUAL(cpu_usage(via_node(world, 1)->process.task.cpu).slices[CPU_USER], before);
        world_do(via_node(world, 1), take_job, &time);
        world_run(world);
        SUITE_SAME_INTEGER(time, cost(world, config->queue_check) + cost(world, config->dequeue));
    }
    world_free(world);
}

// A poller sees the completion at the first turn of its loop that is not before it.
static void test_poll_period(void)
{
    static const char *const periods[] = {"mvia.poll_period=1 us", "mvia.poll_period=7 us"};
    static const sim_time lengths[] = {TIME_US, 7 * TIME_US};
    for (int i = 0; i < 2; i++) {
        const char *sets[] = {periods[i], NULL};
        struct world *world = world_new(&world_via, world_pair, sets, NULL);
        struct wait_test test = {.how = POLL};
        via_connect(world, false);
        via_receive(via_node(world, 1), 0, 100);
        world_do(via_node(world, 1), wait_job, &test);
        world_run(world);
        struct via_transfer *send = via_send(via_node(world, 0), 0, 10);
        world_run(world);
        sim_time complete = send->begun + doorbell_time(world) + way_time(world, 10);
        CU_ASSERT_EQUAL(test.called % lengths[i], 0);
        CU_ASSERT(test.called >= complete && test.called < complete + lengths[i]);
        world_free(world);
    }
}

// ---- Traps ----

static struct latency latency_with(const char *doorbell, int64_t length)
{
    const char *sets[] = {doorbell, NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct latency latency = measure(world, POLL, length, false);
    world_free(world);
    return latency;
}

// via.via.mvia_fast_trap: the library enters the agent by fast trap or by ioctl; the latency
// differs by the difference of the two costs, once, and so does the poster's time.
static void test_fast_trap(void)
{
    sim_time difference = (521 - 311) * TIME_NS;
    for (int64_t length = 0; length <= 1000; length += 250) {
        struct latency fast = latency_with("mvia.doorbell=fast_trap", length);
        struct latency slow = latency_with("mvia.doorbell=ioctl", length);
        SUITE_SAME_INTEGER(slow.arrival - fast.arrival, difference);
        SUITE_SAME_INTEGER(slow.taken - fast.taken, difference);
        SUITE_SAME_INTEGER(slow.sender - fast.sender, difference);
    }
}

// Cost of a post to its process: a frame's cost for each frame; a receive descriptor is posted
// through a trap as well.
static void test_posts(void)
{
    static const int64_t lengths[] = {0, ROOM, ROOM + 1, 10 * ROOM, 32768};
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    const struct mvia_config *config = vip_config(via_node(world, 0)->nic);
    via_connect(world, false);
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        struct via_transfer *receive = via_receive(via_node(world, 1), 0, 32768);
        world_run(world);
        struct via_transfer *send = via_send(via_node(world, 0), 0, lengths[i]);
        world_run(world);
        int64_t frames = MAX(1, (lengths[i] + ROOM - 1) / ROOM);
        SUITE_SAME_INTEGER(send->end - send->begun,
                           doorbell_time(world) + (frames - 1) * frame_cost(world));
        SUITE_SAME_INTEGER(receive->end - receive->begun, cost(world, config->post) + trap(world));
    }
    world_free(world);
}

// On one processor the interrupt handler takes its time from the process that posts: the rest of
// the post ends later, and nothing is lost.
static void test_one_processor(void)
{
    const char *sets[] = {"host.processor.cores=1", "mvia.send_frame=100 us", NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    for (int i = 0; i < 2; i++)
        via_receive(via_node(world, i), 0, 32768);
    world_run(world);
    struct via_transfer *longer = via_send(a, 0, 32768), *shorter = via_send(b, 0, 100);
    world_run(world);
    CU_ASSERT_EQUAL(longer->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT_EQUAL(shorter->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT_PTR_NOT_NULL(via_receive_done(a));
    CU_ASSERT_PTR_NOT_NULL(via_receive_done(b));
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"latency of one frame", test_latency},
        {"no wake-up without sleep", test_no_wake_up},
        {"poll period", test_poll_period},
        {"via.via.mvia_fast_trap", test_fast_trap},
        {"posts", test_posts},
        {"one processor", test_one_processor},
        {NULL, NULL},
    };
    return suite_run("via: provider, costs", cases);
}
