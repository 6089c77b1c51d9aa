// SPDX-License-Identifier: GPL-3.0-or-later
// RDMA write, immediate data, and the protection of memory: the notifications of a target, and the
// accesses it is spared. The id of the claim that a test checks stands before it.
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#define LARGEST (INT64_C(32) << 10)

// ---- Operations ----

// via.via.no_rdma_read: what is neither a send nor an RDMA write can't be posted, and moves
// nothing; the same descriptor as a write can.
static void test_no_rdma_read(void)
{
    static const int operations[] = {VIP_RDMA_WRITE, VIP_RDMA_WRITE + 1, VIP_RDMA_WRITE + 2};
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
        struct world *world = world_new(&world_via, world_pair, NULL, NULL);
        struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
        bool writes = operations[i] == VIP_RDMA_WRITE;
        via_connect(world, false);
        world_run(world);
        uint64_t hops = network_hops(world->cluster->network);
        struct via_transfer *transfer = via_new_write(a, 0, 4000, 0);
        transfer->descriptor.operation = (enum vip_operation)operations[i];
        via_post(transfer);
        world_run(world);
        CU_ASSERT_EQUAL(transfer->posted, writes);
        CU_ASSERT_EQUAL(network_hops(world->cluster->network) > hops, writes);
        CU_ASSERT_EQUAL(b->placements->len > 0, writes);
        CU_ASSERT_EQUAL(a->placements->len, 0);
        world_free(world);
    }
}

// via.cfg.mvia_features: every other kind of transfer is there and works from end to end.
static void test_features(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receives[2] = {via_receive(b, 0, 4000), via_receive(b, 0, 0)};
    world_run(world);
    struct via_transfer *send = via_send(a, 0, 4000);
    struct via_transfer *write = via_write(a, 0, 4000, 0);
    struct via_transfer *immediate = via_new_write(a, 0, 4000, 4000);
    immediate->descriptor.immediate_flag = true;
    via_post(immediate);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[0]->descriptor);
    world_close_message(world, write->descriptor.message);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[1]->descriptor);
    CU_ASSERT_EQUAL(send->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT_EQUAL(write->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT_EQUAL(immediate->descriptor.status, VIP_STATUS_DONE);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// ---- Plain writes ----

struct sleeper {
    int calls;
    struct vip_cq_entry entry;
};

static bool queue_wait_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct sleeper *sleeper = argument;
    sleeper->calls++;
    return vip_cq_wait(context, node->cq, &sleeper->entry);
}

// via.via.rdma_write_silent: no descriptor of the target is used, nothing reaches its queues, and
// a process that waits there sleeps on.
static void test_rdma_write_silent(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct sleeper sleeper = {0};
    via_connect(world, true);
    struct via_transfer *receive = via_receive(b, 0, 100);
    world_do(b, queue_wait_job, &sleeper);
    world_run(world);
    for (int i = 0; i < 5; i++) {
        struct via_transfer *write = via_write(a, 0, 1000 * i, 5000);
        world_run(world);
        CU_ASSERT_EQUAL(write->descriptor.status, VIP_STATUS_DONE);
        world_close_message(world, write->descriptor.message);
    }
    CU_ASSERT_EQUAL(sleeper.calls, 1);
    CU_ASSERT_EQUAL(b->vi->receive.posted.count, 1);
    CU_ASSERT_EQUAL(b->vi->receive.done.count, 0);
    CU_ASSERT_EQUAL(receive->descriptor.status, VIP_STATUS_POSTED);
    // All the bytes are there, nonetheless.
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    CU_ASSERT_EQUAL(b->placements->len, 1 + 1 + 2 + 3 + 3);
    world_free(world);
}

// ---- Immediate data ----

// via.via.immediate_data: one descriptor is used, of which address and length do not count; it
// holds the word and is done only after all data are in place. Interrupts are slow here, so that
// the last frames are seen one by one.
static void check_immediate(int64_t length)
{
    const char *sets[] = {"host.kernel.interrupt_entry=100 us", "eepro100.rx_frame=50 us", NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receives[2];
    for (int i = 0; i < 2; i++) {
        receives[i] = via_new_receive(b, 0, 0);
        via_post(receives[i]);
        receives[i]->descriptor.handle.index = 0;
        receives[i]->descriptor.address = 0;
    }
    world_run(world);
    struct via_transfer *write = via_new_write(a, 0, length, 100);
    write->descriptor.immediate_flag = true;
    write->descriptor.immediate = UINT32_C(0xfedcba98);
    via_post(write);
    sim_time now = sim_now(world->sim);
    while (receives[0]->descriptor.status != VIP_STATUS_DONE &&
           engine_pending(world->sim->engine)) {
        engine_run(world->sim->engine, now += TIME_US);
        CU_ASSERT_EQUAL(b->vi->receive.done.count, 0);
    }
    // The handler that places the last frame marks it; the consumer sees it at the end of that.
    int64_t placed = 0;
    for (guint i = 0; i < b->placements->len; i++)
        placed += g_array_index(b->placements, struct via_placement, i).what.length;
    CU_ASSERT_EQUAL(placed, length);
    sim_time last = g_array_index(b->placements, struct via_placement, b->placements->len - 1).when;
    while (b->vi->receive.done.count == 0 && engine_pending(world->sim->engine))
        engine_run(world->sim->engine, now += TIME_US);
    CU_ASSERT(now >= last + 50 * TIME_US);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[0]->descriptor);
    const struct vip_descriptor *done = &receives[0]->descriptor;
    CU_ASSERT(done->immediate_flag);
    CU_ASSERT_EQUAL(done->immediate, UINT32_C(0xfedcba98));
    CU_ASSERT_EQUAL(done->length, length);
    CU_ASSERT_EQUAL(b->vi->receive.posted.count, 1);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

static void test_immediate_data(void)
{
    check_immediate(0);
    check_immediate(1);
    check_immediate(5000);
    check_immediate(LARGEST);
}

// A send may carry the word as well; a descriptor that was used with it shows none afterwards.
static void test_immediate_of_send(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    for (int i = 0; i < 2; i++) {
        struct via_transfer *receive = via_receive(b, 0, 100);
        receive->descriptor.immediate_flag = i == 1;
        world_run(world);
        struct via_transfer *send = via_new_send(a, 0, 10);
        send->descriptor.immediate_flag = i == 0;
        send->descriptor.immediate = 5;
        via_post(send);
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receive->descriptor);
        CU_ASSERT_EQUAL(receive->descriptor.immediate_flag, i == 0);
    }
    world_free(world);
}

// ---- Protection ----

// A change to a transfer that makes it wrong at one of its ends.
struct mistake {
    const char *what;
    enum vip_operation operation;
    int64_t local_offset, remote_offset;  // added
    uint32_t local_handle, remote_handle; // added
    bool posted;                          // the mistake is found at the target
    enum vip_error error;
    const char *reason;
};

static void make_mistake(const struct mistake *mistake)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_new_receive(b, 0, 3000), *transfer;
    if (mistake->operation == VIP_SEND) {
        receive->descriptor.address += mistake->remote_offset;
        receive->descriptor.handle.index += mistake->remote_handle;
        transfer = via_new_send(a, 0, 3000);
    } else {
        transfer = via_new_write(a, 0, 3000, mistake->remote_offset);
        transfer->descriptor.remote_handle.index += mistake->remote_handle;
    }
    transfer->descriptor.address += mistake->local_offset;
    transfer->descriptor.handle.index += mistake->local_handle;
    via_post(receive);
    world_run(world);
    via_post(transfer);
    world_run(world);
    bool found = transfer->posted == mistake->posted && (int)b->errors->len == mistake->posted;
    if (!found)
        fprintf(stderr, "not found: %s\n", mistake->what);
    CU_ASSERT_FATAL(found);
    CU_ASSERT_EQUAL(b->vi->machine.state, mistake->posted ? VIP_ERROR : VIP_CONNECTED);
    if (mistake->posted) {
        const struct via_error *seen = &g_array_index(b->errors, struct via_error, 0);
        char *line = world_ledger_line(world);
        SUITE_SAME_INTEGER(seen->error, mistake->error);
        SUITE_CONTAINS(line, mistake->reason);
        g_free(line);
    }
    CU_ASSERT_EQUAL(receive->descriptor.status, VIP_STATUS_POSTED);
    world_free(world);
}

#define AT_TARGET true, VIP_ERROR_PROTECTION, "lost: the target is not registered"

// via.via.registration_required, via.via.rdma_write_needs_handles: both ends lie in registered
// memory, to the byte, under the handle of that memory.
static void test_protection(void)
{
    static const struct mistake mistakes[] = {
        {"source a byte below", VIP_SEND, -1, 0, 0, 0, false, 0, NULL},
        {"source a byte above", VIP_SEND, VIA_BYTES - 2999, 0, 0, 0, false, 0, NULL},
        {"source's handle", VIP_SEND, 0, 0, 1, 0, false, 0, NULL},
        {"source of a write", VIP_RDMA_WRITE, -1, 0, 0, 0, false, 0, NULL},
        {"source's handle of a write", VIP_RDMA_WRITE, 0, 0, 7, 0, false, 0, NULL},
        {"receive a byte below", VIP_SEND, 0, -1, 0, 0, AT_TARGET},
        {"receive a byte above", VIP_SEND, 0, VIA_BYTES - 2999, 0, 0, AT_TARGET},
        {"receive's handle", VIP_SEND, 0, 0, 0, 1, AT_TARGET},
        {"target a byte below", VIP_RDMA_WRITE, 0, -1, 0, 0, AT_TARGET},
        {"target a byte above", VIP_RDMA_WRITE, 0, VIA_BYTES - 2999, 0, 0, AT_TARGET},
        {"target's handle", VIP_RDMA_WRITE, 0, 0, 0, 1, AT_TARGET},
        {"no target's handle", VIP_RDMA_WRITE, 0, 0, 0, UINT32_MAX, AT_TARGET},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++)
        make_mistake(&mistakes[i]);
}

struct tagged {
    int64_t address;
    bool same; // the tag of the VI
    struct vip_mem_handle handle;
};

static bool register_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct tagged *region = argument;
    uint32_t tag = region->same ? node->ptag : vip_create_ptag(node->nic);
    CU_ASSERT(vip_register_mem(context, node->nic, region->address, 4096, tag, &region->handle));
    return true;
}

enum tagged_end { SOURCE, SINK, TARGET };

// One end of a transfer lies in a region of its own.
static void check_tag(enum tagged_end end, bool same)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct tagged region = {.address = INT64_C(0x50000000), .same = same};
    via_connect(world, false);
    world_do(end == SOURCE ? a : b, register_job, &region);
    world_run(world);
    struct via_transfer *receive = via_new_receive(b, 0, 100);
    struct via_transfer *transfer =
        end == TARGET ? via_new_write(a, 0, 100, 0) : via_new_send(a, 0, 100);
    struct via_transfer *tagged = end == SINK ? receive : transfer;
    if (end == TARGET) {
        transfer->descriptor.remote_handle = region.handle;
        transfer->descriptor.remote_address = region.address;
    } else {
        tagged->descriptor.handle = region.handle;
        tagged->descriptor.address = region.address;
    }
    via_post(receive);
    via_post(transfer);
    world_run(world);
    CU_ASSERT_EQUAL(transfer->posted, same || end != SOURCE);
    CU_ASSERT_EQUAL(b->errors->len, same || end == SOURCE ? 0 : 1);
    if (b->errors->len > 0)
        SUITE_SAME_INTEGER(g_array_index(b->errors, struct via_error, 0).error,
                           VIP_ERROR_PROTECTION);
    world_free(world);
}

// Regions and VIs with different protection tags do not go together, at either end.
static void test_tags(void)
{
    for (int end = SOURCE; end <= TARGET; end++) {
        check_tag((enum tagged_end)end, true);
        check_tag((enum tagged_end)end, false);
    }
}

// The very ends of the registered memory are good.
static void test_edges(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_receive(b, VIA_BYTES - 3000, 3000);
    world_run(world);
    struct via_transfer *send = via_send(a, VIA_BYTES - 3000, 3000);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receive->descriptor);
    struct via_transfer *write = via_write(a, 0, 3000, VIA_BYTES - 3000);
    world_run(world);
    CU_ASSERT(send->posted && write->posted);
    world_close_message(world, write->descriptor.message);
    CU_ASSERT_EQUAL(b->errors->len, 0);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// A message that is longer than the descriptor it meets: another error, with the same end.
static void test_length_error(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    via_receive(b, 0, 2999);
    world_run(world);
    via_send(a, 0, 3000);
    world_run(world);
    CU_ASSERT_EQUAL_FATAL(b->errors->len, 1);
    SUITE_SAME_INTEGER(g_array_index(b->errors, struct via_error, 0).error, VIP_ERROR_LENGTH);
    CU_ASSERT_EQUAL(b->vi->machine.state, VIP_ERROR);
    char *line = world_ledger_line(world);
    SUITE_CONTAINS(line, "lost: longer than the receive descriptor");
    g_free(line);
    world_free(world);
}

static bool deregister_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    (void)argument;
    vip_deregister_mem(context, node->nic, node->memory);
    return true;
}

// via.via.registration_required: what was registered when the transfer was posted must still be
// when it arrives.
static void test_deregistered_meanwhile(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    via_write(a, 0, 100, 0);
    world_do(b, deregister_job, NULL);
    world_run(world);
    CU_ASSERT_EQUAL(b->errors->len, 1);
    // The sender's own memory counts when it posts.
    world_do(a, deregister_job, NULL);
    struct via_transfer *late = via_write(a, 0, 100, 0);
    world_run(world);
    CU_ASSERT_FALSE(late->posted);
    world_free(world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"via.via.no_rdma_read", test_no_rdma_read},
        {"via.cfg.mvia_features", test_features},
        {"via.via.rdma_write_silent", test_rdma_write_silent},
        {"via.via.immediate_data", test_immediate_data},
        {"via.via.immediate_data: of a send", test_immediate_of_send},
        {"via.via.registration_required, via.via.rdma_write_needs_handles", test_protection},
        {"protection tags", test_tags},
        {"via.via.registration_required: the edges", test_edges},
        {"a message longer than its descriptor", test_length_error},
        {"via.via.registration_required: deregistered meanwhile", test_deregistered_meanwhile},
        {NULL, NULL},
    };
    return suite_run("via: provider, RDMA and protection", cases);
}
