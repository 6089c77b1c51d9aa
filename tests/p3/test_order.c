// SPDX-License-Identifier: GPL-3.0-or-later
// Random mixes of messages among three nodes over a card that reorders packets: what holds of every
// one of them.
#include "tests/p3/world_p3.h"
#include "tests/support/suite.h"

// The made-up card and library stand in for the real ones in these tests only.
#include "tests/p3/world_p3.c" // NOLINT(bugprone-suspicious-include)

#define MIXES 120

static int64_t pick(struct random_stream *random, const int64_t *from, uint64_t count)
{
    return from[random_below(random, count)];
}

static void add_messages(struct p3_world *world, struct random_stream *random)
{
    static const int64_t sizes[] = {0, 1, 29, 416, 417, 900, 901, 5000, 8160, 8161, 20000};
    uint64_t count = 1 + random_below(random, 60);
    for (uint64_t i = 0; i < count; i++) {
        int from = (int)random_below(random, P3_WORLD_NODES);
        int to = (from + 1 + (int)random_below(random, P3_WORLD_NODES - 1)) % P3_WORLD_NODES;
        int64_t bytes = pick(random, sizes, G_N_ELEMENTS(sizes));
        if (random_chance(random, 0.1))
            p3_world_get(world, from, to, bytes);
        else
            p3_world_put(world, from, to, bytes);
    }
}

static struct p3_world_options any_options(struct random_stream *random, uint64_t seed)
{
    static const int64_t accepts[] = {INT64_MAX, INT64_MAX, 9000, 500, 0, P3_WORLD_NO_MATCH};
    static const int64_t grants[] = {16, 16, 1, 2, 3};
    static const int64_t rooms[] = {128, 128, 4, 1};
    struct p3_world_options options = p3_world_defaults();
    options.seed = seed;
    options.config.version = random_chance(random, 0.1) ? P3_HANDLER_CB : P3_HYBRID;
    options.config.poll = random_chance(random, 0.5);
    options.config.grant = pick(random, grants, G_N_ELEMENTS(grants));
    options.room = (int)pick(random, rooms, G_N_ELEMENTS(rooms));
    options.accept = pick(random, accepts, G_N_ELEMENTS(accepts));
    options.jitter = random_chance(random, 0.2) ? 0 : 60 * TIME_US;
    return options;
}

// Messages of a pair start in the order in which the program sent them.
static void expect_order(struct p3_world *world)
{
    int last[P3_WORLD_NODES][P3_WORLD_NODES] = {0};
    for (int i = 0; i < p3_world_messages(world); i++) {
        const struct p3_told *told = p3_world_told(world, i);
        CU_ASSERT(told->start_order > last[told->from][told->to]);
        last[told->from][told->to] = told->start_order;
    }
}

// icpt.portals.in_order_begin, icpt.short.message_order, icpt.short.offset_from_number: starts in
// order (I2); each byte once and in its place (I3: the ledger); exactly as many as are wanted (I9);
// the sender is notified of the end after the last copy (I10). expect_over checks the last three.
static void test_mixes(void)
{
    int64_t reordered = 0, postponed = 0;
    for (uint64_t seed = 1; seed <= MIXES; seed++) {
        struct random_stream *random = random_new(seed, "mix");
        struct p3_world_options options = any_options(random, seed);
        struct p3_world *world = p3_world_new(&options);
        add_messages(world, random);
        p3_world_run(world);
        p3_world_expect_over(world);
        expect_order(world);
        int64_t wanted = 0;
        for (int i = 0; i < p3_world_messages(world); i++)
            wanted += p3_world_told(world, i)->mlen;
        const struct ledger_totals totals = ledger_totals(p3_world_sim(world)->ledger);
        SUITE_SAME_INTEGER((long long)totals.delivered_bytes, wanted);
        SUITE_SAME_INTEGER((long long)(totals.duplicated + totals.misordered), 0);
        reordered += p3_world_counter(world, "RMPP: RTS kept for their turn");
        postponed += p3_world_counter(world, "RMPP: packets postponed");
        p3_world_free(world);
        random_free(random);
    }
    CU_ASSERT(reordered > 100);
    CU_ASSERT(postponed > 100);
}

static const struct suite_case cases[] = {
    {"random mixes", test_mixes},
    {0},
};

int main(void)
{
    return suite_run("p3: order", cases);
}
