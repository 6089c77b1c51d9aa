// SPDX-License-Identifier: GPL-3.0-or-later
// Random programs of sends, writes and reads among two to four hosts, over paths that lose packets:
// all arrives, in order where order is due, and is reported once.
//
// A run depends on its number alone: `test_iwarp_random N` repeats run N.
#include "sim/core/random.h"
#include "tests/support/suite.h"
#include "tests/support/world_iwarp.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 40
#define OPERATIONS 20 // of a node, at most

struct plan {
    int sends[IWARP_WORLD_NODES]; // by the receiving node
    int entries, placed;
};

struct run {
    struct random_stream *random;
    struct iwarp_world *world;
    struct plan plans[IWARP_WORLD_NODES];
};

static int64_t below(struct run *run, int64_t limit)
{
    return (int64_t)random_below(run->random, (uint64_t)limit);
}

static int64_t size(struct run *run)
{
    static const int64_t edges[] = {0, 1, 40, 16383, 16384, 16385, 32768, 65536};
    if (below(run, 3) == 0)
        return edges[below(run, G_N_ELEMENTS(edges))];
    return below(run, below(run, 2) ? 2000 : 200000);
}

// The QP of `node` that leads to `peer`.
static int qp_to(int node, int peer)
{
    return node == 0 ? peer - 1 : 0;
}

static void post_receives(struct run *run, int node, int peer, int count)
{
    for (int i = 0; i < count; i++) {
        struct iwarp_work_request request =
            iwarp_request(run->world, node, -1, IWARP_RECEIVE, 0, 200000);
        request.stands_in = false;
        iwarp_post(run->world, node, qp_to(node, peer), &request);
    }
    run->plans[node].entries += count;
}

static void post_one(struct run *run, int node, int peer, enum iwarp_operation operation)
{
    struct iwarp_work_request request =
        iwarp_request(run->world, node, peer, operation, 0, size(run));
    request.silent = below(run, 4) == 0;
    run->plans[node].entries += !request.silent;
    if (operation == IWARP_READ)
        run->plans[node].placed++;
    if (operation == IWARP_WRITE)
        run->plans[peer].placed++;
    iwarp_post(run->world, node, qp_to(node, peer), &request);
}

// The operations of a node on another one; returns the number of sends.
static int post_some(struct run *run, int node, int peer, bool count_only, uint64_t seed)
{
    static const enum iwarp_operation operations[] = {IWARP_SEND, IWARP_WRITE, IWARP_READ};
    struct random_stream *choice = random_new(seed, "operations");
    int count = 1 + (int)random_below(choice, OPERATIONS), sends = 0;
    for (int i = 0; i < count; i++) {
        enum iwarp_operation operation = operations[random_below(choice, 3)];
        sends += operation == IWARP_SEND;
        if (!count_only)
            post_one(run, node, peer, operation);
    }
    random_free(choice);
    return sends;
}

static void close_sends(struct run *run, int node)
{
    struct ledger *ledger = run->world->world->sim->ledger;
    for (guint i = 0; i < run->world->nodes[node].entries->len; i++) {
        const struct iwarp_completion *entry = iwarp_entry(run->world, node, (int)i);
        SUITE_SAME_INTEGER(entry->status, IWARP_SUCCESS);
        if (entry->operation != IWARP_RECEIVE)
            continue;
        ledger_match(ledger, entry->message);
        ledger_complete(ledger, entry->message);
    }
}

static void start(struct run *run, uint64_t number)
{
    int nodes = run->world->count;
    for (int pass = 0; pass < 2; pass++) // receives first
        for (int i = 1; i < nodes; i++)
            for (int back = 0; back < 2; back++) {
                int from = back ? i : 0, to = back ? 0 : i;
                uint64_t seed = number * 100 + (uint64_t)(from * 10 + to);
                int sends = post_some(run, from, to, pass == 0, seed);
                if (pass == 0)
                    post_receives(run, to, from, sends);
            }
    for (int node = 0; node < nodes; node++)
        iwarp_poll(run->world, node, INT32_MAX, 0);
}

static void check(struct run *run, uint64_t number)
{
    for (int node = 0; node < run->world->count; node++) {
        const struct iwarp_node *own = &run->world->nodes[node];
        SUITE_SAME_INTEGER(own->entries->len, run->plans[node].entries);
        SUITE_SAME_INTEGER(own->placed, run->plans[node].placed);
        SUITE_SAME_INTEGER(own->rnic->queue.count, 0);
        for (guint i = 0; i < own->results->len; i++)
            SUITE_SAME_INTEGER(iwarp_result(run->world, node, (int)i), IWARP_OK);
        close_sends(run, node);
    }
    bool balanced = ledger_balanced(run->world->world->sim->ledger);
    CU_ASSERT(balanced);
    if (!balanced)
        fprintf(stderr, "run %d\n", (int)number);
}

static void run_one(uint64_t number)
{
    static const char *const losses[] = {"link.drop_probability=0", "link.drop_probability=0.01",
                                         "link.drop_probability=0.05"};
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007"};
    struct run run = {0};
    run.random = random_new(number, "run");
    const char *const sets[] = {losses[below(&run, 3)], profiles[below(&run, 2)],
                                below(&run, 2) ? "sctp.send_buffer=100 KiB" : "sctp.mtu=1500 B",
                                NULL};
    struct iwarp_config config = iwarp_world_defaults();
    config.segment = (int64_t)64 << below(&run, 11);
    config.stream_map = below(&run, 3) == 0 ? IWARP_STREAM_SINGLE : IWARP_STREAM_STAG;
    run.world = iwarp_world_new(2 + (int)below(&run, 3), sets, &config, NULL);
    sctp_wire(run.world->world)->wire.quiet = true;
    start(&run, number);
    iwarp_run(run.world, 400 * TIME_S);
    check(&run, number);
    iwarp_world_free(run.world);
    random_free(run.random);
}

static uint64_t first, count = RUNS;

static void test_runs(void)
{
    for (uint64_t number = first; number < first + count; number++)
        run_one(number);
}

static const struct suite_case cases[] = {
    {"random programs", test_runs},
    {0},
};

int main(int argc, char **argv)
{
    if (argc > 1) {
        first = strtoull(argv[1], NULL, 10);
        count = argc > 2 ? strtoull(argv[2], NULL, 10) - first : 1;
    }
    return suite_run("iwarp: random programs", cases);
}
