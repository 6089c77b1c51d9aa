// SPDX-License-Identifier: GPL-3.0-or-later
// Writes, reads and sends one after the other allocate nothing once they are warm.
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/world_iwarp.h"

struct pump {
    struct iwarp_world *world;
    int64_t done;
};

// Node 0 posts a write, a read and a send, and those again with each completion.
static void post(struct cpu_context *context, struct iwarp_node *node,
                 enum iwarp_operation operation)
{
    struct iwarp_work_request request =
        iwarp_request(node->world, node->number, -1, operation, 0, 20000);
    request.remote_stag = node->world->nodes[1 - node->number].stag;
    bool receives = operation == IWARP_READ || operation == IWARP_RECEIVE;
    SUITE_SAME_INTEGER(receives ? iwarp_qp_post_rq(context, node->qps[0], &request)
                                : iwarp_qp_post_sq(context, node->qps[0], &request),
                       IWARP_OK);
}

static void first_postings(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    (void)argument;
    if (node->number == 1) {
        for (int i = 0; i < 8; i++)
            post(context, node, IWARP_RECEIVE);
        return;
    }
    post(context, node, IWARP_WRITE);
    post(context, node, IWARP_READ);
    post(context, node, IWARP_SEND);
}

static bool pump_job(struct cpu_context *context, void *process, void *argument)
{
    struct pump *pump = argument;
    struct iwarp_node *node = &pump->world->nodes[((struct sctp_node *)process)->process.number];
    struct iwarp_completion completion;
    switch (iwarp_cq_poll(context, node->cq, &completion)) {
    case IWARP_POLL_ENTRY:
        pump->done++;
        post(context, node, completion.operation);
        break;
    case IWARP_POLL_PROGRESS:
        break;
    case IWARP_POLL_NOTHING:
        if (iwarp_cq_block(context, node->cq) == IWARP_AGAIN)
            return false;
    }
    cpu_post_wake(context, &node->node->process.task);
    return false;
}

static void test_warm(void)
{
    static const char *const sets[] = {"sctp.heartbeats=false", NULL};
    struct iwarp_world *world = iwarp_world_new(2, sets, NULL, NULL);
    struct pump pumps[2] = {{world, 0}, {world, 0}};
    sctp_wire(world->world)->wire.quiet = true;
    world->world->sim->capture = NULL;
    iwarp_call(world, 1, first_postings, NULL);
    iwarp_run(world, TIME_S);
    iwarp_call(world, 0, first_postings, NULL);
    for (int node = 0; node < 2; node++)
        world_do(world->nodes[node].node, pump_job, &pumps[node]);
    iwarp_run(world, 3 * TIME_S);
    uint64_t before = allocations.count;
    int64_t done = pumps[0].done;
    engine_run(world->world->sim->engine, sim_now(world->world->sim) + 2 * TIME_S);
    CU_ASSERT(pumps[0].done - done > 300);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    iwarp_world_free(world);
}

static const struct suite_case cases[] = {
    {"once warm, none", test_warm},
    {0},
};

int main(void)
{
    return suite_run("iwarp: allocations", cases);
}
