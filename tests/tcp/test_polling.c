// SPDX-License-Identifier: GPL-3.0-or-later
// A process that polls its sockets (inet_poll), and a listener among them: when it polls again, and
// what it pays.
#include "sim/host/stages.h"
#include "tests/support/suite.h"
#include "tests/support/world_tcp.h"

#define AROUND (50 * TIME_US)

struct poller {
    bool to_read;         // polls the connection, else the listener
    sim_time slept, call; // when it last found nothing, and what the call takes
    sim_time woken;
    int turns;
};

// Polls until there is something.
static bool poll_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct poller *poller = argument;
    sim_time before = context->now;
    struct inet_selected selected = {poller->to_read ? tcp_socket_inet(node->socket)
                                                     : tcp_listener_inet(node->listener),
                                     INET_READABLE, 0};
    if (inet_poll(context, &selected, 1, AROUND) > 0) {
        CU_ASSERT(selected.ready == INET_READABLE);
        poller->woken = before;
        return true;
    }
    poller->turns++;
    poller->slept = context->now;
    poller->call = context->now - before;
    return false;
}

// A turn is the call and what is around it. A process that has not slept is not charged a wake-up.
static void expect_turn(const struct world *world, const struct poller *poller)
{
    sim_time turn = poller->call + AROUND, since = poller->woken - poller->slept;
    SUITE_SAME_INTEGER(poller->turns, 1);
    CU_ASSERT(poller->call > 0 && since > 0);
    SUITE_SAME_INTEGER(since % turn, 0);
    const struct cpu *cpu = tcp_node(world, 1)->process.task.cpu;
    SUITE_SAME_INTEGER(world_stage_time(cpu, stage_wake_up.name), 0);
    SUITE_SAME_INTEGER(world_stage_time(cpu, stage_block.name), 0);
}

static void test_listener(void)
{
    struct poller poller = {0};
    struct world *world = tcp_world(NULL, NULL);
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), poll_job, &poller);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), 777 * TIME_US, tcp_connect_job, NULL);
    world_run(world);
    expect_turn(world, &poller);
    CU_ASSERT(poller.woken > 777 * TIME_US && poller.woken < TIME_S);
    CU_ASSERT_PTR_NOT_NULL(tcp_node(world, 1)->socket);
    SUITE_SAME_INTEGER(tcp_socket_peer(tcp_node(world, 1)->socket),
                       tcp_socket_own(tcp_node(world, 0)->socket));
    SUITE_SAME_INTEGER(tcp_socket_own(tcp_node(world, 1)->socket),
                       tcp_socket_peer(tcp_node(world, 0)->socket));
    world_free(world);
}

static void test_socket(void)
{
    struct poller poller = {.to_read = true};
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 100 * TIME_MS, poll_job, &poller);
    world_do_at(tcp_node(world, 0), 131 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_run(world);
    sim_time turn = poller.call + AROUND, since = poller.woken - poller.slept;
    SUITE_SAME_INTEGER(since % turn, 0);
    CU_ASSERT(poller.slept < 101 * TIME_MS);
    CU_ASSERT(poller.woken > 131 * TIME_MS && poller.woken < 132 * TIME_MS);
    world_free(world);
}

// A socket that is ready already needs no second turn.
static void test_ready(void)
{
    struct poller poller = {.to_read = true};
    struct world *world = tcp_world(NULL, NULL);
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 0), 100 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(100));
    world_do_at(tcp_node(world, 1), 200 * TIME_MS, poll_job, &poller);
    world_run(world);
    SUITE_SAME_INTEGER(poller.turns, 0);
    world_free(world);
}

// A write that ends within a run takes the rest of it next time.
static void test_advance(void)
{
    static const char content[] = "0123456789";
    struct tcp_run runs[3] = {
        {.length = 32, .content = content, .content_length = 10},
        {.length = 100, .message = {3, 1}, .offset = 7},
        {.length = 5},
    };
    SUITE_SAME_INTEGER(tcp_runs_advance(runs, 3, 4), 3);
    CU_ASSERT(runs[0].length == 28 && runs[0].content_length == 6);
    SUITE_SAME_INTEGER(((const char *)runs[0].content)[0], '4');
    SUITE_SAME_INTEGER(tcp_runs_advance(runs, 3, 28 + 40), 2);
    CU_ASSERT(runs[0].length == 60 && runs[0].offset == 47 && runs[0].message.index == 3);
    SUITE_SAME_INTEGER(tcp_runs_advance(runs, 2, 60), 1);
    SUITE_SAME_INTEGER(runs[0].length, 5);
    SUITE_SAME_INTEGER(tcp_runs_advance(runs, 1, 5), 0);
}

static const struct suite_case cases[] = {
    {"a listener", test_listener},
    {"a socket", test_socket},
    {"what is ready already", test_ready},
    {"the rest of a write", test_advance},
    {0},
};

int main(void)
{
    return suite_run("tcp: polling", cases);
}
