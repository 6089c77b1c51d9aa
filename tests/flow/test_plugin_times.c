// SPDX-License-Identifier: GPL-3.0-or-later
// Times of steps under SimGrid, against closed forms: a flow takes its latency and its bytes over
// the rate that it gets of its links, and nothing else.
#include "tests/flow/plugin_run.h"

#define SIZE 125000.0         // bytes of a message
#define WIRE (SIZE / RATE)    // s that it takes alone
#define FLOW (LATENCY + WIRE) // s from its start to its end

static void test_pingpong_is_the_sum_of_its_parts(void)
{
    const struct flow_step first[] = {BUSY(3e-6), SEND(1, 1, SIZE), WAIT(1), RECV(2, 1),
                                      WAIT(2),    BUSY(5e-6),       END};
    const struct flow_step second[] = {RECV(1, 0),       WAIT(1), BUSY(7e-6),
                                       SEND(2, 0, SIZE), WAIT(2), END};
    struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {first, second}};
    run_to_end(&run);
    same_seconds(run.end[0], 3e-6 + FLOW + 7e-6 + FLOW + 5e-6);
    same_seconds(run.end[1], 3e-6 + FLOW + 7e-6); // the send is buffered
    same_seconds(run.verdict.seconds, run.end[0]);
    SUITE_SAME_INTEGER(run.verdict.flows, 2);
    run_clear(&run);
}

// Bytes are counted in sixteenths, from one byte on.
static void test_a_flow_has_the_bytes_that_it_is_given(void)
{
    static const double bytes[] = {1,     1.0625, 15,  16,         17.5,
                                   65536, 1e6,    3e9, 268435456., 4294967295.};
    for (size_t i = 0; i < G_N_ELEMENTS(bytes); i++) {
        const struct flow_step first[] = {SSEND(1, 1, bytes[i]), WAIT(1), END};
        const struct flow_step second[] = {RECV(1, 0), WAIT(1), END};
        struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {first, second}};
        run_to_end(&run);
        same_seconds(run.end[0], LATENCY + bytes[i] / RATE);
        same_seconds(run.end[1], LATENCY + bytes[i] / RATE);
        run_clear(&run);
    }
}

static void test_a_buffered_flow_does_not_wait_for_its_receive(void)
{
    const struct flow_step sends[] = {SEND(1, 1, SIZE), WAIT(1), MARK(0), END};
    // While it is under way, and when it has long been there.
    const struct flow_step early[] = {BUSY(WIRE / 2), RECV(1, 0), WAIT(1), MARK(0), END};
    const struct flow_step late[] = {BUSY(1.0), RECV(1, 0), WAIT(1), MARK(0), END};
    struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {sends, early}};
    run_to_end(&run);
    same_seconds(run.mark[1][0], FLOW);
    CU_ASSERT(run.mark[0][0] == 0);
    run_clear(&run);
    run.steps[1] = late;
    run_to_end(&run);
    same_seconds(run.mark[1][0], 1.0);
    run_clear(&run);
}

static void test_any_other_flow_waits_for_its_receive(void)
{
    const struct flow_step sends[] = {SSEND(1, 1, SIZE), WAIT(1), END};
    const struct flow_step late[] = {BUSY(1.0), RECV(1, 0), WAIT(1), END};
    struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {sends, late}};
    run_to_end(&run);
    same_seconds(run.end[0], 1.0 + FLOW);
    same_seconds(run.end[1], 1.0 + FLOW);
    run_clear(&run);
}

static void test_two_flows_share_a_trunk(void)
{
    const struct flow_step to_2[] = {SEND(1, 2, SIZE), END}, to_3[] = {SEND(1, 3, SIZE), END};
    const struct flow_step from_0[] = {RECV(1, 0), WAIT(1), END};
    const struct flow_step from_1[] = {RECV(1, 1), WAIT(1), END};
    struct plugin_run run = {
        .ranks = 4, .spaces = 1, .trunk = true, .steps = {to_2, to_3, from_0, from_1}};
    run_to_end(&run);
    same_seconds(run.end[2], LATENCY + 2 * WIRE);
    same_seconds(run.end[3], LATENCY + 2 * WIRE);
    run_clear(&run);
}

// When the short one has ended, the long one has the trunk for itself.
static void test_shares_change_when_a_flow_ends(void)
{
    const struct flow_step to_2[] = {SEND(1, 2, SIZE), END};
    const struct flow_step to_3[] = {SEND(1, 3, 3 * SIZE), END};
    const struct flow_step from_0[] = {RECV(1, 0), WAIT(1), END};
    const struct flow_step from_1[] = {RECV(1, 1), WAIT(1), END};
    struct plugin_run run = {
        .ranks = 4, .spaces = 1, .trunk = true, .steps = {to_2, to_3, from_0, from_1}};
    run_to_end(&run);
    same_seconds(run.end[2], LATENCY + 2 * WIRE);
    same_seconds(run.end[3], LATENCY + 4 * WIRE);
    run_clear(&run);
}

static void test_both_directions_are_links_of_their_own(void)
{
    const struct flow_step first[] = {RECV(1, 1), SEND(2, 1, SIZE), WAIT(1, 2), END};
    const struct flow_step second[] = {RECV(1, 0), SEND(2, 0, SIZE), WAIT(1, 2), END};
    struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {first, second}};
    run_to_end(&run);
    same_seconds(run.end[0], FLOW);
    same_seconds(run.end[1], FLOW);
    run_clear(&run);
}

// Three senders to one: each has a third of its link.
static void test_an_incast_is_fair(void)
{
    const struct flow_step sends[] = {SEND(1, 0, SIZE), END};
    const struct flow_step receives[] = {RECV(1, 1), RECV(2, 2), RECV(3, 3), WAIT(1), MARK(0),
                                         WAIT(2),    MARK(1),    WAIT(3),    MARK(2), END};
    struct plugin_run run = {.ranks = 4, .spaces = 1, .steps = {receives, sends, sends, sends}};
    run_to_end(&run);
    for (int i = 0; i < 3; i++)
        same_seconds(run.mark[0][i], LATENCY + 3 * WIRE);
    run_clear(&run);
}

// Of a link that carries one flow at a time, each has its turn, in order. The latency of those that
// wait passes meanwhile.
static void test_one_by_one_is_in_order(void)
{
    const struct flow_step sends[] = {SEND(1, 1, SIZE), SEND(2, 2, SIZE), SEND(3, 3, SIZE), END};
    const struct flow_step receives[] = {RECV(1, 0), WAIT(1), END};
    struct plugin_run run = {.ranks = 4,
                             .spaces = 1,
                             .one_by_one = true,
                             .steps = {sends, receives, receives, receives}};
    run_to_end(&run);
    for (int i = 1; i < 4; i++)
        same_seconds(run.end[i], LATENCY + i * WIRE);
    run_clear(&run);
}

static void test_ranks_on_one_host_have_its_latency_only(void)
{
    const struct flow_step first[] = {SEND(1, 1, SIZE), RECV(2, 1), WAIT(2), END};
    const struct flow_step second[] = {RECV(1, 0), WAIT(1), SEND(2, 0, SIZE), END};
    struct plugin_run run = {
        .ranks = 2, .spaces = 1, .ranks_per_host = 2, .steps = {first, second}};
    run_to_end(&run);
    same_seconds(run.end[0], 2 * LOCAL);
    run_clear(&run);
}

static void test_a_rank_sends_to_itself(void)
{
    const struct flow_step self[] = {RECV(1, 0), SEND(2, 0, SIZE), WAIT(1, 2), END};
    struct plugin_run run = {.ranks = 1, .spaces = 1, .steps = {self}};
    run_to_end(&run);
    same_seconds(run.end[0], LOCAL);
    run_clear(&run);
}

// Doubles have 53 bits: after a day, they still resolve nanoseconds.
static void test_long_times_keep_their_digits(void)
{
    const struct flow_step first[] = {BUSY(86400.0), MARK(0), SEND(1, 1, SIZE), END};
    const struct flow_step second[] = {RECV(1, 0), WAIT(1), END};
    struct plugin_run run = {.ranks = 2, .spaces = 1, .steps = {first, second}};
    run_to_end(&run);
    CU_ASSERT(fabs(run.end[1] - run.mark[0][0] - FLOW) < 1e-9);
    run_clear(&run);
}

// Making communicators takes SMPI simulated time; the program has none of it.
static void test_spaces_cost_no_time(void)
{
    const struct flow_step first[] = {SEND_IN(2, 1, 1, 0, SIZE, true), END};
    const struct flow_step second[] = {RECV_IN(2, 1, 0, 0), WAIT(1), END};
    struct plugin_run run = {.ranks = 2, .spaces = 3, .steps = {first, second}};
    run_to_end(&run);
    same_seconds(run.end[1], FLOW);
    run_clear(&run);
}

// ---- Many ranks ----

#define RING 64
#define TURNS 10

// Each rank receives from the left and sends to the right, again and again.
static void next_of_ring(void *owner, int rank, struct flow_step *step)
{
    struct plugin_run *run = owner;
    static uint32_t of_rank[RING][2];
    uint32_t *awaited = of_rank[rank];
    int at = run->at[rank]++, turn = at / 3;
    uint32_t request = (uint32_t)turn * 2 + 1;
    awaited[0] = request;
    awaited[1] = request + 1;
    if (turn == TURNS)
        *step = (struct flow_step)END;
    else if (at % 3 == 0)
        *step = (struct flow_step)RECV(request, (rank + run->ranks - 1) % run->ranks);
    else if (at % 3 == 1)
        *step = (struct flow_step)SEND(request + 1, (rank + 1) % run->ranks, SIZE);
    else
        *step = (struct flow_step){.kind = FLOW_WAIT, .awaited = awaited, .awaited_count = 2};
}

static void test_a_ring_turns_evenly(void)
{
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        struct plugin_run run = {
            .ranks = RING, .spaces = 1, .one_by_one = one_by_one, .next = next_of_ring};
        run_to_end(&run);
        for (int rank = 0; rank < RING; rank++)
            same_seconds(run.end[rank], TURNS * FLOW);
        SUITE_SAME_INTEGER(run.verdict.flows, RING * TURNS);
        run_clear(&run);
    }
}

// A barrier by dissemination: in round i, to the rank that is 2^i further.
static void next_of_barrier(void *owner, int rank, struct flow_step *step)
{
    struct plugin_run *run = owner;
    static uint32_t of_rank[1000][1];
    uint32_t *awaited = of_rank[rank];
    int at = run->at[rank]++, round = at / 3, far = 1 << round;
    awaited[0] = (uint32_t)round * 2 + 1;
    if (far >= run->ranks)
        *step = (struct flow_step)END;
    else if (at % 3 == 0)
        *step =
            (struct flow_step)RECV_TAG(awaited[0], (rank + run->ranks - far) % run->ranks, round);
    else if (at % 3 == 1)
        *step = (struct flow_step)SEND_TAG(awaited[0] + 1, (rank + far) % run->ranks, round, 1);
    else
        *step = (struct flow_step){.kind = FLOW_WAIT, .awaited = awaited, .awaited_count = 1};
}

static void test_a_barrier_of_a_thousand_ranks(void)
{
    struct plugin_run run = {.ranks = 1000, .spaces = 1, .next = next_of_barrier};
    run_to_end(&run);
    for (int rank = 0; rank < run.ranks; rank++)
        same_seconds(run.end[rank], 10 * (LATENCY + 1 / RATE));
    run_clear(&run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a PingPong is the sum of its parts", test_pingpong_is_the_sum_of_its_parts},
        {"a flow has the bytes that it is given", test_a_flow_has_the_bytes_that_it_is_given},
        {"a buffered flow does not wait for its receive",
         test_a_buffered_flow_does_not_wait_for_its_receive},
        {"any other flow waits for its receive", test_any_other_flow_waits_for_its_receive},
        {"two flows share a trunk", test_two_flows_share_a_trunk},
        {"shares change when a flow ends", test_shares_change_when_a_flow_ends},
        {"both directions are links of their own", test_both_directions_are_links_of_their_own},
        {"an incast is fair", test_an_incast_is_fair},
        {"one by one is in order", test_one_by_one_is_in_order},
        {"ranks on one host have its latency only", test_ranks_on_one_host_have_its_latency_only},
        {"a rank sends to itself", test_a_rank_sends_to_itself},
        {"long times keep their digits", test_long_times_keep_their_digits},
        {"spaces cost no time", test_spaces_cost_no_time},
        {"a ring turns evenly", test_a_ring_turns_evenly},
        {"a barrier of a thousand ranks", test_a_barrier_of_a_thousand_ranks},
        {0},
    };
    int skipped = run_skipped();
    return skipped ? skipped : suite_run("flow: what steps take under SimGrid", cases);
}
