// SPDX-License-Identifier: GPL-3.0-or-later
// A bulk transfer allocates nothing per packet once it is warm: over one path, and with CMT over
// two, with and without losses. Heartbeats are off: one of them may be the first to fill a queue
// further than before.
#include "tests/support/allocations.h"
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

static void check(int networks, const char *const *sets)
{
    struct world *world = sctp_world(2, networks, sets, NULL);
    sctp_wire(world)->wire.quiet = true;
    world->sim->capture = NULL;
    sctp_transfer(world, TIME_S, 200000000, 8192);
    sctp_run_until(world, 6 * TIME_S); // a switch's queue has its peak at 5.6 s, after losses
    uint64_t before = allocations.count, events = engine_events(world->sim->engine);
    engine_run(world->sim->engine, 8 * TIME_S);
    CU_ASSERT(engine_events(world->sim->engine) - events > 10000);
    SUITE_SAME_INTEGER(allocations.count - before, 0);
    world_free(world);
}

static void test_one_path(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007"};
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
        check(1, (const char *const[]){profiles[i], "sctp.heartbeats=false", NULL});
}

static void test_cmt(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007"};
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
        check(2,
              (const char *const[]){profiles[i], "sctp.heartbeats=false", "sctp.cmt=true", NULL});
}

static void test_losses(void)
{
    check(1,
          (const char *const[]){"sctp.heartbeats=false", "links[0].drop_probability=0.005", NULL});
    check(2, (const char *const[]){"sctp.profile=s2007", "sctp.heartbeats=false", "sctp.cmt=true",
                                   "sctp.cmt_dac=true", "links[0].drop_probability=0.005",
                                   "links[1].drop_probability=0.005", NULL});
}

static const struct suite_case cases[] = {
    {"one path", test_one_path},
    {"CMT over two paths", test_cmt},
    {"with losses", test_losses},
    {0},
};

int main(void)
{
    return suite_run("sctp: allocations", cases);
}
