// SPDX-License-Identifier: GPL-3.0-or-later
// Connections between VIs: when each side may send, requests that are lost, and the states that a
// VI goes through.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_via.h"

#define RETRY (100 * TIME_MS)

static void ask_and_wait(struct world *world, int from, sim_time when)
{
    struct via_node *node = via_node(world, from);
    world_do_at(node, when, via_request_job, via_node(world, 1 - from));
    world_do_at(node, when, via_wait_job, NULL);
}

static bool try_send(struct via_node *node)
{
    struct via_transfer *transfer = via_send(node, 0, 10);
    // A refused one is no message.
    engine_run(node->process.world->sim->engine, sim_now(node->process.world->sim) + TIME_MS);
    return transfer->posted;
}

// via.via.connection_oriented: nothing can be posted before there is a connection, and nothing
// after it; while there is one, data go in both directions.
static void test_only_connected(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_set_up(a, false);
    via_set_up(b, false);
    world_run(world);
    CU_ASSERT_EQUAL(a->vi->machine.state, VIP_IDLE);
    CU_ASSERT_FALSE(try_send(a));
    ask_and_wait(world, 0, sim_now(world->sim));
    CU_ASSERT_FALSE(try_send(a));
    CU_ASSERT_EQUAL(a->vi->machine.state, VIP_CONNECT_PENDING);
    ask_and_wait(world, 1, sim_now(world->sim));
    world_run(world);
    struct via_transfer *receives[2] = {via_receive(a, 0, 100), via_receive(b, 0, 100)};
    world_run(world);
    CU_ASSERT(try_send(a));
    CU_ASSERT(try_send(b));
    CU_ASSERT_PTR_EQUAL(via_receive_done(a), &receives[0]->descriptor);
    CU_ASSERT_PTR_EQUAL(via_receive_done(b), &receives[1]->descriptor);
    world_do(a, via_disconnect_job, NULL);
    world_run(world);
    CU_ASSERT_FALSE(try_send(a));
    CU_ASSERT_FALSE(try_send(b));
    SUITE_SAME_INTEGER(world_counter(world, "nic FCS errors"), 0);
    world_free(world);
}

// Data under way when the connection is taken down are discarded at the other end.
static void test_late_data(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct via_node *a = via_node(world, 0), *b = via_node(world, 1);
    via_connect(world, false);
    via_receive(b, 0, 100);
    world_run(world);
    via_send(a, 0, 10);
    world_do(b, via_disconnect_job, NULL);
    CU_ASSERT_PTR_NULL(via_receive_done(b));
    CU_ASSERT_EQUAL(a->vi->machine.state, VIP_DISCONNECTED);
    char *line = world_ledger_line(world);
    SUITE_CONTAINS(line, "lost: the VI is not connected");
    g_free(line);
    world_free(world);
}

// ---- Pairs ----

#define PAIRS 5

struct pairs {
    struct vip_vi *vis[PAIRS];
    const uint64_t *keys;
};

static bool pairs_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct pairs *pairs = argument;
    const struct via_node *peer = via_node(node->process.world, 1 - node->process.number);
    for (int i = 0; i < PAIRS; i++) {
        pairs->vis[i] = vip_create_vi(context, node->nic, node->ptag, NULL, NULL);
        vip_connect_peer_request(context, pairs->vis[i], vip_agent_station(peer->agent),
                                 pairs->keys[i]);
    }
    return true;
}

// via.via.connection_oriented: a connection pairs exactly two VIs, those that asked with the same
// discriminator.
static void test_pairs(void)
{
    static const uint64_t keys[2][PAIRS] = {{1, 2, 3, 4, UINT64_C(1) << 40},
                                            {3, UINT64_C(1) << 40, 1, 2, 4}};
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    struct pairs pairs[2];
    for (int i = 0; i < 2; i++) {
        pairs[i].keys = keys[i];
        via_set_up(via_node(world, i), false);
        world_do(via_node(world, i), pairs_job, &pairs[i]);
    }
    world_run(world);
    for (int i = 0; i < PAIRS; i++) {
        const struct vip_vi *vi = pairs[0].vis[i], *other = NULL;
        for (int k = 0; k < PAIRS; k++)
            if (keys[1][k] == keys[0][i])
                other = pairs[1].vis[k];
        CU_ASSERT_EQUAL(vi->machine.state, VIP_CONNECTED);
        CU_ASSERT_EQUAL(vi->remote_number, other->number);
        CU_ASSERT_EQUAL(other->remote_number, vi->number);
    }
    // A message on one of them completes there, and nowhere else.
    struct via_transfer *receive = via_new_receive(via_node(world, 1), 0, 100);
    struct via_transfer *send = via_new_send(via_node(world, 0), 0, 50);
    receive->vi = pairs[1].vis[3];
    send->vi = pairs[0].vis[1];
    via_post(receive);
    world_run(world);
    via_post(send);
    world_run(world);
    for (int k = 0; k < PAIRS; k++)
        CU_ASSERT_EQUAL(pairs[1].vis[k]->receive.done.count, k == 3);
    CU_ASSERT_EQUAL(via_node(world, 1)->errors->len, 0);
    world_free(world);
}

// ---- Requests ----

struct outcome {
    sim_time connected; // when both jobs that wait had ended
    int frames;
};

// Connects with the given times of asking and faults; returns when the later of the two went on.
static struct outcome connect_with(const char *const *sets, sim_time ask0, sim_time ask1)
{
    struct world *world = world_new(&world_via, world_cable, sets, NULL);
    struct outcome outcome;
    for (int i = 0; i < 2; i++)
        via_set_up(via_node(world, i), false);
    ask_and_wait(world, 0, ask0);
    ask_and_wait(world, 1, ask1);
    world_run(world);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(via_node(world, i)->vi->machine.state, VIP_CONNECTED);
        CU_ASSERT(g_queue_is_empty(&via_node(world, i)->process.jobs));
    }
    outcome.connected = sim_now(world->sim);
    outcome.frames = (int)world_counter(world, "via frames sent");
    world_free(world);
    return outcome;
}

static void test_who_asks_first(void)
{
    struct outcome together = connect_with(NULL, TIME_MS, TIME_MS);
    CU_ASSERT(together.connected < 2 * TIME_MS);
    // The second has heard of the first when it asks: its request is the answer as well.
    struct outcome after = connect_with(NULL, TIME_MS, 2 * TIME_MS);
    CU_ASSERT(after.connected < 3 * TIME_MS);
    CU_ASSERT_EQUAL(after.frames, 2);
    struct outcome before = connect_with(NULL, 2 * TIME_MS, TIME_MS);
    CU_ASSERT_EQUAL(before.frames, 2);
    // A lone side asks again until the other one connects.
    struct outcome late = connect_with(NULL, 0, 10 * RETRY + TIME_MS);
    CU_ASSERT(late.connected < 10 * RETRY + 2 * TIME_MS);
    CU_ASSERT_EQUAL(late.frames, 11 + 1);
}

// Requests that are lost are made again after connect_retry.
static void test_lost_requests(void)
{
    const char *one_way[] = {"link.drop_nth=[1]", "link.fault_direction=forward", NULL};
    // The other's own request brings it about at once.
    CU_ASSERT(connect_with(one_way, TIME_MS, TIME_MS).connected < 2 * TIME_MS);
    const char *both[] = {"link.drop_nth=[1]", NULL};
    struct outcome once = connect_with(both, 0, 0);
    CU_ASSERT(once.connected > RETRY && once.connected < RETRY + TIME_MS);
    const char *thrice[] = {"link.drop_nth=[1, 2, 3]", "mvia.connect_retry=7 ms", NULL};
    struct outcome later = connect_with(thrice, 0, 0);
    CU_ASSERT(later.connected > 21 * TIME_MS && later.connected < 22 * TIME_MS);
    // Only the answer is lost: the side that still waits asks again, and is answered.
    const char *answer[] = {"link.drop_nth=[1]", "link.fault_direction=backward", NULL};
    struct outcome answered = connect_with(answer, 0, TIME_MS);
    CU_ASSERT(answered.connected > RETRY && answered.connected < RETRY + TIME_MS);
}

// Whatever is lost, in the end both are connected.
static void test_lossy_wire(void)
{
    for (int seed = 1; seed <= 60; seed++) {
        char *set = g_strdup_printf("seed=%d", seed);
        const char *sets[] = {set, "link.drop_probability=0.6", NULL};
        connect_with(sets, 0, seed * TIME_MS);
        g_free(set);
    }
}

// Asks from one side only, under settings; returns the world after `until`.
static struct world *ask_alone(const char *const *sets, sim_time until)
{
    struct world *world = world_new(&world_via, world_cable, sets, NULL);
    via_set_up(via_node(world, 0), false);
    via_set_up(via_node(world, 1), false);
    ask_and_wait(world, 0, 0);
    engine_run(world->sim->engine, until);
    return world;
}

// A side without an answer gives up after connect_timeout, and reports the fate of the requests.
static void test_gives_up(void)
{
    const char *lossy[] = {"link.drop_probability=1", "mvia.connect_timeout=1.05 s", NULL};
    struct world *world = ask_alone(lossy, 10 * TIME_S);
    CU_ASSERT_EQUAL(world->sim->status, SIM_FAILED);
    const json_t *reason = world->sim->reason;
    const char *text = json_string_value(json_object_get(reason, "text"));
    SUITE_SAME_TEXT(json_string_value(json_object_get(reason, "kind")), "connection_timeout");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(reason, "requests")), 11);
    SUITE_CONTAINS(text, "to node1: 11 requests in 1.05 s had no answer");
    SUITE_CONTAINS(text, "11 packets lost on link node0->node1");
    sim_time now = sim_now(world->sim);
    CU_ASSERT(now > 1050 * TIME_MS && now < 1051 * TIME_MS);
    world_free(world);

    const char *alone[] = {"mvia.connect_timeout=1 s", NULL};
    world = ask_alone(alone, 10 * TIME_S);
    CU_ASSERT_EQUAL(world->sim->status, SIM_FAILED);
    SUITE_CONTAINS(json_string_value(json_object_get(world->sim->reason, "text")),
                   "no packet was dropped on the way, so nobody asks there");
    world_free(world);

    const char *for_ever[] = {"link.drop_probability=1", "mvia.connect_timeout=0", NULL};
    world = ask_alone(for_ever, 600 * TIME_S);
    CU_ASSERT_EQUAL(world->sim->status, SIM_COMPLETED);
    CU_ASSERT(event_pending(&via_node(world, 0)->vi->retry));
    world_free(world);
}

// A process that asked and waits is woken in the interrupt, not before and not by itself.
static void test_waiter_sleeps(void)
{
    struct world *world = world_new(&world_via, world_pair, NULL, NULL);
    via_set_up(via_node(world, 0), false);
    via_set_up(via_node(world, 1), false);
    ask_and_wait(world, 0, 0);
    engine_run(world->sim->engine, TIME_S);
    CU_ASSERT_FALSE(g_queue_is_empty(&via_node(world, 0)->process.jobs));
    ask_and_wait(world, 1, TIME_S);
    world_run(world);
    CU_ASSERT(g_queue_is_empty(&via_node(world, 0)->process.jobs));
    world_free(world);
}

// ---- States ----

static struct world *logged_world(struct transition_log **log, const char *const *sets)
{
    *log = transition_log_new("vi", true);
    struct world *world = world_new(&world_via, world_cable, sets, &(*log)->sink.trace);
    via_set_up(via_node(world, 0), false);
    via_set_up(via_node(world, 1), false);
    ask_and_wait(world, 0, TIME_MS);
    ask_and_wait(world, 1, 2 * TIME_MS);
    world_run(world);
    return world;
}

static void test_states(void)
{
    struct transition_log *log;
    struct world *world = logged_world(&log, NULL);
    SUITE_SAME_TEXT(log->text->str, "node0 vi[1] idle -> connect_pending\n"
                                    "node1 vi[1] idle -> connect_pending\n"
                                    "node1 vi[1] connect_pending -> connected\n"
                                    "node0 vi[1] connect_pending -> connected\n");
    g_string_truncate(log->text, 0);
    world_do(via_node(world, 1), via_disconnect_job, NULL);
    world_run(world);
    SUITE_SAME_TEXT(log->text->str, "node1 vi[1] connected -> disconnected\n"
                                    "node0 vi[1] connected -> disconnected\n");
    g_string_truncate(log->text, 0);
    world_do(via_node(world, 0), via_disconnect_job, NULL); // after its peer
    world_run(world);
    SUITE_SAME_TEXT(log->text->str, "node0 vi[1] disconnected -> disconnected\n");
    world_free(world);
    transition_log_free(log);
}

// A VI that has asked and found no peer gives up its request.
static void test_states_of_pending(void)
{
    struct transition_log *log = transition_log_new("vi", true);
    struct world *world = world_new(&world_via, world_cable, NULL, &log->sink.trace);
    struct via_node *alone = via_node(world, 0);
    via_set_up(alone, false);
    world_do_at(alone, TIME_MS, via_request_job, via_node(world, 1));
    world_do_at(alone, 50 * TIME_MS, via_disconnect_job, NULL);
    engine_run(world->sim->engine, TIME_S);
    SUITE_SAME_TEXT(log->text->str, "node0 vi[1] idle -> connect_pending\n"
                                    "node0 vi[1] connect_pending -> disconnected\n");
    CU_ASSERT_FALSE(event_pending(&alone->vi->retry));
    world_free(world);
    transition_log_free(log);
}

static void test_states_after_loss(void)
{
    const char *sets[] = {"link.drop_nth=[1, 2]", NULL};
    struct transition_log *log;
    struct world *world = logged_world(&log, sets);
    SUITE_SAME_TEXT(log->text->str, "node0 vi[1] idle -> connect_pending\n"
                                    "node1 vi[1] idle -> connect_pending\n"
                                    "node1 vi[1] connect_pending -> connected\n"
                                    "node0 vi[1] connect_pending -> connected\n");
    world_free(world);
    transition_log_free(log);
}

static void test_states_of_error(void)
{
    struct transition_log *log;
    struct world *world = logged_world(&log, NULL);
    g_string_truncate(log->text, 0);
    via_send(via_node(world, 0), 0, 10);
    world_run(world);
    SUITE_SAME_TEXT(log->text->str, "node1 vi[1] connected -> error (receive queue empty)\n");
    g_string_truncate(log->text, 0);
    world_do(via_node(world, 1), via_disconnect_job, NULL);
    world_run(world);
    // The broken side has no peer left to notify.
    SUITE_SAME_TEXT(log->text->str, "node1 vi[1] error -> disconnected\n");
    CU_ASSERT_EQUAL(via_node(world, 0)->vi->machine.state, VIP_CONNECTED);
    world_free(world);
    transition_log_free(log);
}

static void test_state_names(void)
{
    static const char *const names[] = {
        [VIP_IDLE] = "idle",
        [VIP_CONNECT_PENDING] = "connect_pending",
        [VIP_CONNECTED] = "connected",
        [VIP_ERROR] = "error",
        [VIP_DISCONNECTED] = "disconnected",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        SUITE_SAME_TEXT(vip_vi_machine.states[i].name, names[i]);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"via.via.connection_oriented", test_only_connected},
        {"via.via.connection_oriented: late data", test_late_data},
        {"via.via.connection_oriented: pairs", test_pairs},
        {"who asks first", test_who_asks_first},
        {"lost requests", test_lost_requests},
        {"a lossy wire", test_lossy_wire},
        {"who gets no answer gives up", test_gives_up},
        {"who waits sleeps", test_waiter_sleeps},
        {"states: connect and disconnect", test_states},
        {"states: a request without an answer", test_states_of_pending},
        {"states: lost requests", test_states_after_loss},
        {"states: error", test_states_of_error},
        {"names of states", test_state_names},
        {NULL, NULL},
    };
    return suite_run("via: provider, connections", cases);
}
