// SPDX-License-Identifier: GPL-3.0-or-later
// A process that polls all its VIs in a loop: it sees a completion at the first turn of its loop
// after it, and is not charged for having slept.
#include "models/via/vip/provider.h"
#include "tests/support/suite.h"
#include "tests/support/world_via.h"

struct poll {
    sim_time turn;
    sim_time woken; // 0: not yet asleep, or asleep
    bool asleep;
    sim_time seen; // after the Done call
};

static bool poll_job(struct cpu_context *context, void *process, void *argument)
{
    struct via_node *node = process;
    struct poll *poll = argument;
    if (!poll->asleep) {
        poll->asleep = true;
        vip_poll_all(node->nic, poll->turn);
        return false;
    }
    poll->woken = context->now;
    CU_ASSERT_PTR_NOT_NULL(vip_recv_done(context, node->vi));
    poll->seen = context->now;
    return true;
}

static void test_turns(void)
{
    sim_time last = 0;
    for (int turn = 1; turn <= 1000; turn *= 10) {
        struct world *world = world_new(&world_via, world_pair, NULL, NULL);
        struct poll poll = {.turn = turn * TIME_US};
        via_connect(world, false);
        via_receive(via_node(world, 1), 0, 64);
        world_do(via_node(world, 1), poll_job, &poll);
        via_send(via_node(world, 0), 0, 64);
        world_run(world);
        CU_ASSERT(poll.woken > 0);
        SUITE_SAME_INTEGER(poll.woken % poll.turn, 0);
        // A longer turn sees it later, by less than the turn.
        CU_ASSERT(poll.woken >= last);
        CU_ASSERT(last == 0 || poll.woken < last + poll.turn);
        last = last ? last : poll.woken;
        const struct cpu *cpu = via_node(world, 1)->process.task.cpu;
        SUITE_SAME_INTEGER(poll.seen - poll.woken,
                           cpu_cost(cpu, vip_config(via_node(world, 1)->nic)->dequeue));
        CU_ASSERT(!via_node(world, 1)->nic->polls_all);
        world_free(world);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {{"turns", test_turns}, {0}};
    return suite_run("via: polling all VIs", cases);
}
