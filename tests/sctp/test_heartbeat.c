// SPDX-License-Identifier: GPL-3.0-or-later
// Heartbeats: their contents, their times in each system, and what unanswered ones do (RFC 9260,
// 8.3).
#include "tests/support/suite.h"
#include "tests/support/timers.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

static struct sctp_path *path(const struct world *world, int number)
{
    return &sctp_node_association(world, 0)->paths[number - 1];
}

// The time from the n-th heartbeat of node 0 over a card to the next one, in ms; -1: there are not
// so many.
static double gap_after(const struct world *world, int card, int nth)
{
    int index = -1;
    for (int i = 0; i <= nth; i++)
        if ((index = sctp_log_find(world, index + 1, 0, card, SCTP_HEARTBEAT)) < 0)
            return -1;
    int next = sctp_log_find(world, index + 1, 0, card, SCTP_HEARTBEAT);
    if (next < 0)
        return -1;
    return time_to_us(sctp_log_at(world, next)->when - sctp_log_at(world, index)->when) / 1000;
}

static struct world *up(const char *const *sets, int networks)
{
    struct world *world = sctp_world(2, networks, sets, NULL);
    sctp_world_up(world);
    return world;
}

// ---- RFC 9260 and ns-2 ----

// HB.interval + RTO * (0.5 .. 1.5) between heartbeats of an idle path, and not always the same. RTO
// is RTO.Min.
static void test_rfc_period(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=ns2"};
    for (size_t p = 0; p < G_N_ELEMENTS(profiles); p++) {
        struct world *world =
            up((const char *const[]){profiles[p], "sctp.heartbeat_interval=5 s", NULL}, 2);
        sctp_run_until(world, 120 * TIME_S);
        double least = INFINITY, most = 0;
        for (int card = 0; card < 2; card++) {
            // The first one of the second path confirmed it.
            for (int i = card; gap_after(world, card, i) > 0; i++) {
                double gap = gap_after(world, card, i);
                least = MIN(least, gap);
                most = MAX(most, gap);
            }
        }
        CU_ASSERT(least >= 5500 && most <= 6503); // ticks and the path to the wire
        CU_ASSERT(least < 5800 && most > 6200);
        SUITE_SAME_INTEGER(path(world, 1)->errors + path(world, 2)->errors, 0);
        world_free(world);
    }
}

// A path that has sent DATA in the period is not probed.
static void test_rfc_idle_only(void)
{
    struct world *world = sctp_world(
        2, 2, (const char *const[]){"sctp.heartbeat_interval=500 ms", "sctp.profile=rfc9260", NULL},
        NULL);
    sctp_transfer(world, 2 * TIME_S, 120000000, 10000); // 10 s at 100 Mb/s
    sctp_run_until(world, 11 * TIME_S);
    CU_ASSERT(sctp_log_between(world, 10 * TIME_S, 11 * TIME_S, 0, 0, SCTP_DATA) > 1000);
    SUITE_SAME_INTEGER(sctp_log_between(world, 4 * TIME_S, 11 * TIME_S, 0, 0, SCTP_HEARTBEAT), 0);
    CU_ASSERT(sctp_log_between(world, 4 * TIME_S, 11 * TIME_S, 0, 1, SCTP_HEARTBEAT) >= 3);
    sctp_run_until(world, 20 * TIME_S); // the transfer has ended
    CU_ASSERT(sctp_log_between(world, 15 * TIME_S, 20 * TIME_S, 0, 0, SCTP_HEARTBEAT) >= 2);
    world_free(world);
}

// Each one that is not answered within RTO counts as an error and doubles RTO.
static void test_rfc_unanswered(void)
{
    struct world *world =
        up((const char *const[]){"sctp.profile=rfc9260", "sctp.heartbeat_interval=1 s",
                                 "sctp.path_retries=2", "sctp.heartbeat_burst=1",
                                 "links[1].down=[{from: 10 s, to: 60 s}]", NULL},
           2);
    sctp_run_until(world, 10 * TIME_S);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "ACTIVE");
    int64_t rto = 1000, errors = 0;
    while (sim_now(world->sim) < 59 * TIME_S && path(world, 2)->machine.state == SCTP_PATH_ACTIVE) {
        sctp_run_until(world, sim_now(world->sim) + 100 * TIME_MS);
        if (path(world, 2)->errors == errors)
            continue;
        SUITE_SAME_INTEGER(path(world, 2)->errors, ++errors);
        SUITE_SAME_INTEGER(path(world, 2)->rto.rto, rto *= 2);
    }
    SUITE_SAME_INTEGER(errors, 3);                                  // Path.Max.Retrans and one
    expect_timer(world->sim, "sctp time-outs: heartbeat", 6, NULL); // of both ends
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "INACTIVE");
    // The path is back: within a period of the RTO that it has by then.
    sim_time period = TIME_S + path(world, 2)->rto.rto * 2 * TIME_MS;
    sctp_run_until(world, 60 * TIME_S + 2 * period);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "ACTIVE");
    SUITE_SAME_INTEGER(path(world, 2)->rto.rto, 1000);
    world_free(world);
}

// Unconfirmed paths are probed every RTO until one answers; HB.Max.Burst at once.
static void test_rfc_probing(void)
{
    static const struct {
        const char *burst;
        int at_once, after_rto;
    } rows[] = {{"sctp.heartbeat_burst=1", 1, 2}, {"sctp.heartbeat_burst=8", 3, 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct world *world =
            up((const char *const[]){"sctp.profile=rfc9260", rows[i].burst,
                                     "sctp.rto_initial=500 ms", "sctp.rto_least=500 ms", NULL},
               4);
        int sent = sctp_log_between(world, 0, 100 * TIME_MS, 0, -1, SCTP_HEARTBEAT);
        SUITE_SAME_INTEGER(sent, rows[i].at_once);
        SUITE_SAME_INTEGER(sctp_log_between(world, 0, 600 * TIME_MS, 0, -1, SCTP_HEARTBEAT),
                           rows[i].after_rto);
        SUITE_SAME_INTEGER(sctp_log_between(world, 0, 1100 * TIME_MS, 0, -1, SCTP_HEARTBEAT), 3);
        for (int number = 1; number <= 4; number++)
            SUITE_SAME_TEXT(sctp_path_state_name(path(world, number)), "ACTIVE");
        world_free(world);
    }
}

static void test_rfc_probing_fails(void)
{
    struct world *world = up((const char *const[]){"sctp.profile=rfc9260", "sctp.path_retries=3",
                                                   "sctp.heartbeat_interval=30 s",
                                                   "links[1].down=[{from: 0 s, to: never}]", NULL},
                             2);
    // At 0, 1, 3 and 7 s; the last one is given up at 15 s, and from then on it is not every RTO.
    sctp_run_until(world, 15 * TIME_S + 100 * TIME_MS);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 16 * TIME_S, 0, 1, SCTP_HEARTBEAT), 4);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "INACTIVE");
    SUITE_SAME_INTEGER(sctp_node_association(world, 0)->errors, 0);
    sctp_run_until(world, 45 * TIME_S);
    SUITE_SAME_INTEGER(sctp_log_between(world, 16 * TIME_S, 45 * TIME_S, 0, 1, SCTP_HEARTBEAT), 0);
    world_free(world);
}

// ---- The BSD stack of 2007 ----

// One timer: HB.interval + 3000 ms + 0 .. 255 ms, whatever the RTO, and one path per tick: with two
// idle paths each one's turn comes every second tick.
static void test_s2007_period(void)
{
    struct world *world =
        up((const char *const[]){"sctp.profile=s2007", "sctp.heartbeat_interval=2 s",
                                 "sctp.rto_least=100 ms", NULL},
           2);
    sctp_run_until(world, 300 * TIME_S);
    double least = INFINITY, most = 0;
    int previous = -1, count = 0, turns[2] = {0};
    for (int i = sctp_log_find(world, 0, 0, -1, SCTP_HEARTBEAT); i >= 0;
         i = sctp_log_find(world, i + 1, 0, -1, SCTP_HEARTBEAT)) {
        turns[sctp_log_at(world, i)->card]++;
        if (count++ > 1) { // after the probing
            double gap =
                time_to_us(sctp_log_at(world, i)->when - sctp_log_at(world, previous)->when) / 1000;
            least = MIN(least, gap);
            most = MAX(most, gap);
        }
        previous = i;
    }
    CU_ASSERT(count > 50);
    CU_ASSERT(least >= 4999 && most <= 5257);
    CU_ASSERT(least < 5060 && most > 5190);
    CU_ASSERT(ABS(turns[0] - turns[1]) <= 2);
    world_free(world);
}

// The error is counted when the next heartbeat goes, and RTO stays as it is.
static void test_s2007_unanswered(void)
{
    struct world *world =
        up((const char *const[]){"sctp.profile=s2007", "sctp.heartbeat_interval=1 s",
                                 "sctp.path_retries=2", "links[1].down=[{from: 10 s, to: never}]",
                                 NULL},
           2);
    int sent = 0, errors = 0;
    sctp_run_until(world, 10 * TIME_S + 500 * TIME_US); // not where timers expire
    while (path(world, 2)->machine.state == SCTP_PATH_ACTIVE &&
           sim_now(world->sim) < 100 * TIME_S) {
        sctp_run_until(world, sim_now(world->sim) + 100 * TIME_MS);
        sent = sctp_log_between(world, 10 * TIME_S, TIME_NEVER, 0, 1, SCTP_HEARTBEAT);
        errors = path(world, 2)->errors;
        SUITE_SAME_INTEGER(errors, MAX(0, sent - 1));
        SUITE_SAME_INTEGER(path(world, 2)->rto.rto, 1000);
    }
    SUITE_SAME_INTEGER(errors, 3);
    expect_timer(world->sim, "sctp time-outs: heartbeat", 5, NULL); // of both ends
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "INACTIVE");
    // The other path's answers show that the peer is there.
    SUITE_SAME_TEXT(sctp_state_name(sctp_node_association(world, 0)), "ESTABLISHED");
    world_free(world);
}

// The first tick comes with the association, and probes up to four paths.
static void test_s2007_probing(void)
{
    struct world *world = up((const char *const[]){"sctp.profile=s2007", NULL}, 7);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 100 * TIME_MS, 0, -1, SCTP_HEARTBEAT), 4);
    // The next tick does not wait for HB.interval.
    sctp_run_until(world, 3300 * TIME_MS);
    SUITE_SAME_INTEGER(
        sctp_log_between(world, 2900 * TIME_MS, 3300 * TIME_MS, 0, -1, SCTP_HEARTBEAT), 2);
    for (int number = 1; number <= 7; number++)
        SUITE_SAME_TEXT(sctp_path_state_name(path(world, number)), "ACTIVE");
    world_free(world);
}

// After the first tick, at 3.3 to 3.555 s, a path has its turn when it has been silent for an RTO,
// in whole seconds of the time of day: of as long a period they count 3 or 4.
static void test_s2007_seconds(void)
{
    static const struct {
        const char *phase;
        int heartbeats;
    } cases[] = {{"host.phase.second=0.4", 1},
                 {"host.phase.second=0.44", 1},
                 {"host.phase.second=0.7", 0},
                 {"host.phase.second=0.85", 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world *world =
            up((const char *const[]){"sctp.profile=s2007", "sctp.rto_least=3500 ms",
                                     "sctp.rto_initial=3300 ms", "sctp.heartbeat_interval=1 ms",
                                     cases[i].phase, NULL},
               1);
        sctp_run_until(world, 7200 * TIME_MS);
        SUITE_SAME_INTEGER(
            sctp_log_between(world, 3300 * TIME_MS, 3600 * TIME_MS, 0, -1, SCTP_HEARTBEAT), 1);
        SUITE_SAME_INTEGER(
            sctp_log_between(world, 6600 * TIME_MS, 7200 * TIME_MS, 0, -1, SCTP_HEARTBEAT),
            cases[i].heartbeats);
        world_free(world);
    }
}

// ---- All ----

// As the BSD stack has it: a chunk of 52 bytes, echoed.
static void test_chunk(void)
{
    struct world *world = up(NULL, 2);
    int sent = sctp_log_find(world, 0, 0, 1, SCTP_HEARTBEAT);
    int answered = sctp_log_find(world, 0, 1, 1, SCTP_HEARTBEAT_ACK);
    SUITE_SAME_INTEGER(sctp_log_at(world, sent)->length, 52);
    SUITE_SAME_INTEGER(sctp_log_at(world, answered)->length, 52);
    CU_ASSERT(sctp_log_at(world, answered)->when > sctp_log_at(world, sent)->when);
    SUITE_SAME_INTEGER(world_counter(world, "sctp heartbeats sent"), 2); // one by each end
    world_free(world);
}

static void test_off(void)
{
    struct world *world =
        up((const char *const[]){"sctp.heartbeats=false", "sctp.heartbeat_interval=1 s", NULL}, 2);
    sctp_run_until(world, 60 * TIME_S);
    // Probing is not a matter of choice.
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, 60 * TIME_S, 0, -1, SCTP_HEARTBEAT), 1);
    SUITE_SAME_TEXT(sctp_path_state_name(path(world, 2)), "ACTIVE");
    world_free(world);
}

// Idle associations do not keep a run going.
static void test_run_ends(void)
{
    static const char *const profiles[] = {"sctp.profile=rfc9260", "sctp.profile=s2007",
                                           "sctp.profile=ns2"};
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++) {
        struct world *world = sctp_world(2, 2, (const char *const[]){profiles[i], NULL}, NULL);
        sctp_connect_nodes(world);
        world_run(world);
        CU_ASSERT(sim_now(world->sim) < TIME_S);
        world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"RFC 9260: periods", test_rfc_period},
    {"RFC 9260: idle paths only", test_rfc_idle_only},
    {"RFC 9260: unanswered", test_rfc_unanswered},
    {"RFC 9260: probing", test_rfc_probing},
    {"RFC 9260: probing in vain", test_rfc_probing_fails},
    {"BSD: periods", test_s2007_period},
    {"BSD: unanswered", test_s2007_unanswered},
    {"BSD: probing", test_s2007_probing},
    {"BSD: whole seconds of silence", test_s2007_seconds},
    {"the chunk", test_chunk},
    {"switched off", test_off},
    {"a run ends", test_run_ends},
    {0},
};

int main(void)
{
    return suite_run("sctp: heartbeats", cases);
}
