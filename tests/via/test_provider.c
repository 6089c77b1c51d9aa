// SPDX-License-Identifier: GPL-3.0-or-later
// The VI provider's queues: descriptors, completion queues, and the calls that report a completion.
// The id of the claim that a test checks stands before it.
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

#include "sim/core/random.h"

// via.via.descriptor_flow: posted, processed while the poster goes on, marked complete, dequeued,
// used again.
static void test_descriptor_flow(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_receive(b, 0, 4096), *send = via_new_send(a, 100, 3000);
    world_run(world);
    CU_ASSERT_EQUAL(receive->descriptor.status, VIP_STATUS_POSTED);
    CU_ASSERT_EQUAL(send->descriptor.status, VIP_STATUS_FREE);
    send->descriptor.content.bytes[0] = 42;
    via_post(send);
    // The call returns long before the frames have left.
    engine_run(world->sim->engine, sim_now(world->sim) + 50 * TIME_US);
    CU_ASSERT(send->posted && send->end <= sim_now(world->sim));
    CU_ASSERT_EQUAL(send->descriptor.status, VIP_STATUS_POSTED);
    CU_ASSERT_PTR_NULL(b->vi->receive.done.head);
    struct vip_descriptor *done = via_receive_done(b);
    CU_ASSERT_PTR_EQUAL(done, &receive->descriptor);
    CU_ASSERT_EQUAL(done->status, VIP_STATUS_DONE);
    CU_ASSERT_EQUAL(done->length, 3000);
    CU_ASSERT_EQUAL(done->content.bytes[0], 42);
    CU_ASSERT_PTR_EQUAL(done->vi, b->vi);
    CU_ASSERT_PTR_EQUAL(via_send_done(a), &send->descriptor);
    CU_ASSERT_EQUAL(send->descriptor.status, VIP_STATUS_DONE);
    // Both queues are empty now.
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    CU_ASSERT_PTR_NULL(via_send_done(a));
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// via.via.descriptor_flow: the same descriptor serves any number of transfers.
static void test_reuse(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_receive(b, 0, 8192), *send = via_new_send(a, 0, 5000);
    send->descriptor.final = false;
    send->descriptor.message = MESSAGE_NONE;
    for (int i = 0; i < 20; i++) {
        via_post(send);
        CU_ASSERT_PTR_EQUAL_FATAL(via_receive_done(b), &receive->descriptor);
        CU_ASSERT_EQUAL(receive->descriptor.length, 5000);
        CU_ASSERT_PTR_EQUAL(via_send_done(a), &send->descriptor);
        receive = via_receive(b, 0, 8192);
        world_run(world);
    }
    SUITE_SAME_INTEGER(world_counter(world, "via transfers with a lost frame"), 0);
    world_free(world);
}

// ---- Order ----

// via.via.in_order_descriptors: completions follow the order of posting, on both sides, whatever
// the lengths and however short the card's ring.
static void check_order(const char *ring)
{
    enum { COUNT = 60 };
    const char *sets[] = {ring, NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct via_transfer *sends[COUNT], *receives[COUNT];
    struct random_stream *random = random_new(7, ring);
    via_connect(world, false);
    for (int i = 0; i < COUNT; i++)
        receives[i] = via_receive(b, 0, 32768);
    world_run(world);
    for (int i = 0; i < COUNT; i++) {
        bool small = random_chance(random, 0.5);
        sends[i] = via_send(a, 0, (int64_t)random_below(random, small ? 100 : 32769));
    }
    world_run(world);
    for (int i = 0; i < COUNT; i++) {
        CU_ASSERT_PTR_EQUAL(via_send_done(a), &sends[i]->descriptor);
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[i]->descriptor);
        CU_ASSERT_EQUAL(receives[i]->descriptor.length, sends[i]->descriptor.length);
        CU_ASSERT_EQUAL(receives[i]->descriptor.message.index, sends[i]->descriptor.message.index);
    }
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    random_free(random);
    world_free(world);
}

static void test_order(void)
{
    check_order("eepro100.tx_ring=64");
    check_order("eepro100.tx_ring=5");
    check_order("eepro100.tx_ring=2");
}

// ---- Completion queues ----

struct queue_test {
    struct vip_vi *vis[2]; // of one node, both with its completion queue
    struct vip_cq_entry entries[4];
    bool found[4];
    struct vip_descriptor *descriptors[2];
};

static bool create_second_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct via_node *peer = via_node(node->process.world, 1 - node->process.number);
    struct vip_vi **vi = argument;
    *vi = vip_create_vi(context, node->nic, node->ptag, node->cq, node->cq);
    vip_connect_peer_request(context, *vi, vip_agent_station(peer->agent), 1234);
    return true;
}

static bool queue_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct queue_test *test = argument;
    for (int i = 0; i < 4; i++)
        test->found[i] = vip_cq_done(context, node->cq, &test->entries[i]);
    for (int i = 0; i < 2; i++)
        test->descriptors[i] = vip_recv_done(context, test->vis[i]);
    return true;
}

// via.via.completion_queue: two VIs report to one queue; an entry names the VI, and the descriptor
// is still on the VI's own queue.
static void test_completion_queue(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct queue_test test = {0};
    struct vip_vi *second = NULL;
    via_connect(world, true);
    world_do(a, create_second_job, &second);
    world_do(b, create_second_job, &test.vis[0]);
    world_run(world);
    test.vis[1] = b->vi;
    struct via_transfer *receives[2] = {via_new_receive(b, 0, 100), via_receive(b, 100, 100)};
    receives[0]->vi = test.vis[0];
    via_post(receives[0]);
    world_run(world);
    // The first message goes to the second VI.
    struct via_transfer *first = via_new_send(a, 0, 10);
    first->vi = second;
    via_post(first);
    via_send(a, 0, 20);
    world_run(world);
    world_do(b, queue_job, &test);
    world_run(world);
    CU_ASSERT(test.found[0] && test.found[1] && !test.found[2] && !test.found[3]);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_PTR_EQUAL(test.entries[i].vi, test.vis[i]);
        CU_ASSERT(test.entries[i].receive);
        CU_ASSERT_PTR_EQUAL(test.descriptors[i], &receives[i]->descriptor);
    }
    // The sender's queue reports its sends.
    struct queue_test sender = {.vis = {second, a->vi}};
    world_do(a, queue_job, &sender);
    world_run(world);
    CU_ASSERT(sender.found[0] && sender.found[1] && !sender.found[2]);
    CU_ASSERT(sender.entries[0].vi == second && sender.entries[1].vi == a->vi);
    CU_ASSERT(!sender.entries[0].receive && !sender.entries[1].receive);
    CU_ASSERT_PTR_NULL(sender.descriptors[0]);
    world_free(world);
}

struct drained {
    struct vip_vi *vis[2]; // the entries name the second where `pattern` returns 1
    int seen, wrong;
};

static int pattern(int number)
{
    return number * number % 7 < 3;
}

static bool drain_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct drained *drained = argument;
    struct vip_cq_entry entry;
    for (; vip_cq_done(context, node->cq, &entry); drained->seen++)
        drained->wrong += !entry.receive || entry.vi != drained->vis[pattern(drained->seen)];
    return true;
}

// via.via.completion_queue: it holds any number of entries in their order; here it grows while its
// ring is wrapped.
static void test_long_queue(void)
{
    static const int batches[] = {40, 300, 10};
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct drained drained = {0};
    struct vip_vi *second = NULL;
    via_connect(world, true);
    world_do(a, create_second_job, &second);
    world_do(b, create_second_job, &drained.vis[1]);
    world_run(world);
    drained.vis[0] = b->vi;
    for (size_t batch = 0; batch < G_N_ELEMENTS(batches); batch++) {
        for (int i = 0; i < batches[batch]; i++) {
            struct via_transfer *receive = via_new_receive(b, 0, 100);
            receive->vi = drained.vis[pattern(i)];
            via_post(receive);
        }
        world_run(world);
        for (int i = 0; i < batches[batch]; i++) {
            struct via_transfer *send = via_new_send(a, 0, 1);
            send->vi = pattern(i) ? second : a->vi;
            via_post(send);
        }
        world_run(world);
        drained.seen = 0;
        world_do(b, drain_job, &drained);
        world_run(world);
        SUITE_SAME_INTEGER(drained.seen, batches[batch]);
    }
    SUITE_SAME_INTEGER(drained.wrong, 0);
    world_free(world);
}

// ---- Wait ----

struct wait_test {
    int calls;
    bool polling;
    sim_time first, last; // calls of the job
    struct vip_descriptor *descriptor;
    struct vip_cq_entry entry;
};

static bool receive_wait_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct wait_test *test = argument;
    if (test->calls++ == 0)
        test->first = context->now;
    test->last = context->now;
    test->descriptor = vip_recv_done(context, node->vi);
    if (!test->descriptor)
        vip_wait(context, node->vi, test->polling);
    return test->descriptor != NULL;
}

// via.via.notification_modes: Done does not block, Wait sleeps until the completion; a poller looks
// again after it.
static void test_done_and_wait(void)
{
    for (int polling = 0; polling < 2; polling++) {
        struct world *world = world_new(&world_via, world_pair, NULL, NULL);
        struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
        struct wait_test test = {.polling = polling};
        via_connect(world, false);
        struct via_transfer *receive = via_receive(b, 0, 100);
        world_run(world);
        CU_ASSERT_PTR_NULL(via_receive_done(b));
        world_do(b, receive_wait_job, &test);
        world_run(world);
        CU_ASSERT_EQUAL(test.calls, 1);
        via_send(a, 0, 10);
        world_run(world);
        CU_ASSERT_EQUAL(test.calls, 2);
        CU_ASSERT_PTR_EQUAL(test.descriptor, &receive->descriptor);
        // There is one to take: no waiting.
        via_receive(b, 0, 100);
        via_send(a, 0, 10);
        world_run(world);
        test.calls = 0;
        world_do(b, receive_wait_job, &test);
        world_run(world);
        CU_ASSERT_EQUAL(test.calls, 1);
        world_free(world);
    }
}

static bool queue_wait_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct wait_test *test = argument;
    test->calls++;
    test->last = context->now;
    return vip_cq_wait(context, node->cq, &test->entry);
}

// via.via.notification_modes: CQWait sleeps until any of the queue's VIs has a completion.
static void test_queue_wait(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct wait_test test = {0};
    via_connect(world, true);
    via_receive(b, 0, 100);
    world_do(b, queue_wait_job, &test);
    world_run(world);
    CU_ASSERT_EQUAL(test.calls, 1);
    via_send(a, 0, 10);
    world_run(world);
    CU_ASSERT_EQUAL(test.calls, 2);
    CU_ASSERT(test.entry.vi == b->vi && test.entry.receive);
    world_free(world);
}

// ---- Notify ----

struct notify_test {
    struct via_node *node;
    bool receive;
    int asked;        // times
    int calls, again; // again: asks for the next one from within, so often
    struct vip_descriptor *descriptors[8];
};

static void on_notify(struct cpu_context *context, void *owner, struct vip_descriptor *descriptor)
{
    struct notify_test *test = owner;
    CU_ASSERT_EQUAL(descriptor->status, VIP_STATUS_DONE);
    CU_ASSERT(context->now > sim_now(test->node->process.world->sim)); // it has been charged for
                                                                       // the switch
    test->descriptors[test->calls++] = descriptor;
    if (test->again-- > 0)
        (test->receive ? vip_recv_notify : vip_send_notify)(context, test->node->vi, on_notify,
                                                            test);
}

static bool notify_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct notify_test *test = argument;
    (test->receive ? vip_recv_notify : vip_send_notify)(context, node->vi, on_notify, test);
    test->asked++;
    return true;
}

// via.via.notification_modes: a handler is called with the completed descriptor, which then is on
// no queue; once, so that the next completion goes to the queue.
static void test_notify(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct notify_test received = {.node = b, .receive = true}, sent = {.node = a};
    struct via_transfer *receives[3], *sends[3];
    via_connect(world, false);
    for (int i = 0; i < 3; i++)
        receives[i] = via_receive(b, 0, 100);
    world_do(b, notify_job, &received);
    world_do(a, notify_job, &sent);
    world_run(world);
    CU_ASSERT_EQUAL(received.calls + sent.calls, 0);
    for (int i = 0; i < 3; i++)
        sends[i] = via_send(a, 0, 10);
    world_run(world);
    CU_ASSERT_EQUAL(received.calls, 1);
    CU_ASSERT_EQUAL(sent.calls, 1);
    CU_ASSERT_PTR_EQUAL(received.descriptors[0], &receives[0]->descriptor);
    CU_ASSERT_PTR_EQUAL(sent.descriptors[0], &sends[0]->descriptor);
    for (int i = 1; i < 3; i++) {
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[i]->descriptor);
        CU_ASSERT_PTR_EQUAL(via_send_done(a), &sends[i]->descriptor);
    }
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    world_free(world);
}

// via.via.notification_modes: completions that come while the library's thread is not there yet go
// to the queue, in order, and a handler that asks again gets them one after the other.
static void check_notify_burst(int again)
{
    const char *sets[] = {"host.kernel.switch_process=1 ms", NULL};
    struct world *world = world_new(&world_via, world_pair, sets, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct notify_test received = {.node = b, .receive = true, .again = again};
    struct via_transfer *receives[4];
    via_connect(world, false);
    for (int i = 0; i < 4; i++)
        receives[i] = via_receive(b, 0, 100);
    world_do(b, notify_job, &received);
    world_run(world);
    for (int i = 0; i < 4; i++)
        via_send(a, 0, 10);
    world_run(world);
    int handled = 1 + again;
    CU_ASSERT_EQUAL(received.calls, handled);
    for (int i = 0; i < handled; i++)
        CU_ASSERT_PTR_EQUAL(received.descriptors[i], &receives[i]->descriptor);
    for (int i = handled; i < 4; i++)
        CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[i]->descriptor);
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    world_free(world);
}

static void test_notify_burst(void)
{
    check_notify_burst(0);
    check_notify_burst(1);
    check_notify_burst(3);
}

static bool busy_notify_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    notify_job(context, node, argument);
    cpu_spend_time(context, TIME_MS, stage_called("compute", STAGE_COMPUTE));
    return true;
}

// via.via.notification_modes: a late request gets what is complete already, and that only: a
// completion before the handler has run goes to the queue.
static void test_notify_late(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    struct notify_test received = {.node = b, .receive = true};
    struct via_transfer *receives[2];
    via_connect(world, false);
    for (int i = 0; i < 2; i++)
        receives[i] = via_receive(b, 0, 100);
    via_send(a, 0, 10);
    world_run(world);
    world_do(b, busy_notify_job, &received);
    via_send(a, 0, 10);
    world_run(world);
    CU_ASSERT_EQUAL(received.calls, 1);
    CU_ASSERT_PTR_EQUAL(received.descriptors[0], &receives[0]->descriptor);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[1]->descriptor);
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    world_free(world);
}

// M-VIA sporadically complained about an empty send queue when a
// handler was registered right after a successful post. The cause is unknown, and this is not
// modelled: here the handler always gets its descriptor.
static void test_notify_after_post(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    for (int i = 0; i < 50; i++)
        via_receive(b, 0, 40000);
    world_run(world);
    for (int i = 0; i < 50; i++) {
        struct notify_test sent = {.node = a};
        struct via_transfer *send = via_send(a, 0, i * 50);
        world_do(a, notify_job, &sent);
        world_run(world);
        CU_ASSERT_EQUAL(sent.calls, 1);
        CU_ASSERT_PTR_EQUAL(sent.descriptors[0], &send->descriptor);
    }
    CU_ASSERT_EQUAL(a->errors->len, 0);
    world_free(world);
}

// ---- The receive queue ----

// via.via.preposted_receive: a message finds the descriptor that was queued before it, and none
// that is posted later.
static void test_preposted_receive(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    struct via_transfer *receive = via_receive(b, 0, 100);
    world_run(world);
    via_send(a, 0, 100);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receive->descriptor);
    via_send(a, 0, 100);
    world_run(world);
    via_receive(b, 0, 100);
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    CU_ASSERT_EQUAL(b->errors->len, 1);
    world_free(world);
}

// via.via.empty_receive_queue: the asynchronous error is raised, the message is lost, the
// connection is broken.
static void check_empty_queue(bool immediate)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, true);
    struct via_transfer *transfer =
        immediate ? via_new_write(a, 0, 2000, 0) : via_new_send(a, 0, 2000);
    transfer->descriptor.immediate_flag = immediate;
    via_post(transfer);
    world_run(world);
    CU_ASSERT_EQUAL_FATAL(b->errors->len, 1);
    const struct via_error *seen = &g_array_index(b->errors, struct via_error, 0);
    CU_ASSERT_PTR_EQUAL(seen->vi, b->vi);
    CU_ASSERT_EQUAL(seen->error, VIP_ERROR_RECEIVE_QUEUE_EMPTY);
    CU_ASSERT_EQUAL(seen->message.index, transfer->descriptor.message.index);
    CU_ASSERT_EQUAL(b->vi->machine.state, VIP_ERROR);
    // A write needs its descriptor with the last frame only; the earlier ones are in place.
    CU_ASSERT_EQUAL(b->placements->len, immediate ? 1 : 0);
    char *line = world_ledger_line(world);
    SUITE_CONTAINS(line, "lost: receive queue empty");
    g_free(line);
    // Nothing passes any more: not to b, and b can't post.
    via_receive(b, 0, 100);
    via_send(a, 0, 10);
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    struct via_transfer *answer = via_send(b, 0, 10);
    world_run(world);
    CU_ASSERT_FALSE(answer->posted);
    CU_ASSERT_EQUAL(b->errors->len, 1);
    SUITE_SAME_INTEGER(ledger_totals(world->sim->ledger).lost, 2);
    world_free(world);
}

static void test_empty_receive_queue(void)
{
    check_empty_queue(false);
    check_empty_queue(true);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"via.via.descriptor_flow", test_descriptor_flow},
        {"via.via.descriptor_flow: used again", test_reuse},
        {"via.via.in_order_descriptors", test_order},
        {"via.via.completion_queue", test_completion_queue},
        {"via.via.completion_queue: many entries", test_long_queue},
        {"via.via.notification_modes: Done and Wait", test_done_and_wait},
        {"via.via.notification_modes: CQWait", test_queue_wait},
        {"via.via.notification_modes: Notify", test_notify},
        {"via.via.notification_modes: Notify, a burst", test_notify_burst},
        {"via.via.notification_modes: Notify, late", test_notify_late},
        {"notify after a post", test_notify_after_post},
        {"via.via.preposted_receive", test_preposted_receive},
        {"via.via.empty_receive_queue", test_empty_receive_queue},
        {NULL, NULL},
    };
    return suite_run("via: provider", cases);
}
