// SPDX-License-Identifier: GPL-3.0-or-later
// Where retransmissions go: CMT's five policies (Iyengar, Amer, Stewart 2006), and without CMT the
// alternate (RFC 9260, 6.4). Windows of an idle association are set by hand and asked about.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#define TIMES 200

struct question {
    int lossy; // number of the path that lost a chunk
    bool timeout;
    int counts[3]; // of TIMES answers
};

static struct sctp_path *path(const struct world *world, int number)
{
    return &sctp_node_association(world, 0)->paths[number - 1];
}

static void ask(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct question *question = argument;
    const struct sctp_association *association = node->host->associations->pdata[0];
    for (int i = 0; i < TIMES; i++)
        question->counts[sctp_retransmission_path(context, &association->paths[question->lossy - 1],
                                                  question->timeout)
                             ->number]++;
}

// All answers are this path.
static void expect(struct world *world, int lossy, bool timeout, int answer)
{
    struct question question = {.lossy = lossy, .timeout = timeout};
    sctp_world_call(world, 0, ask, &question);
    SUITE_SAME_INTEGER(question.counts[answer - 1], TIMES);
}

// The answers are these two paths, each about as often as the other.
static void expect_tie(struct world *world, int lossy, int one, int other)
{
    struct question question = {.lossy = lossy};
    sctp_world_call(world, 0, ask, &question);
    SUITE_SAME_INTEGER(question.counts[one - 1] + question.counts[other - 1], TIMES);
    CU_ASSERT(question.counts[one - 1] > TIMES / 4 && question.counts[other - 1] > TIMES / 4);
}

static struct world *world_with(const char *set, bool cmt)
{
    struct world *world = sctp_world(2, 3,
                                     (const char *const[]){"sctp.profile=s2007",
                                                           cmt ? "sctp.cmt=true" : "sctp.cmt=false",
                                                           "sctp.heartbeats=false", set, NULL},
                                     NULL);
    sctp_world_up(world);
    return world;
}

static void set_windows(const struct world *world, const int64_t values[3])
{
    for (int i = 1; i <= 3; i++)
        path(world, i)->cc.cwnd = values[i - 1];
}

static void test_same(void)
{
    struct world *world = world_with("sctp.cmt_policy=same", true);
    for (int i = 1; i <= 3; i++)
        expect(world, i, i == 2, i);
    path(world, 2)->machine.state = SCTP_PATH_INACTIVE;
    expect(world, 2, true, 3);
    world_free(world);
}

static void test_asap(void)
{
    struct world *world = world_with("sctp.cmt_policy=asap", true);
    set_windows(world, (const int64_t[]){3000, 4500, 6000});
    path(world, 1)->flight = 3000; // no room
    expect_tie(world, 1, 2, 3);
    path(world, 3)->flight = 6000;
    expect(world, 1, false, 2);
    path(world, 2)->flight = 4500; // no room anywhere: its own
    expect(world, 1, false, 1);
    for (int i = 1; i <= 3; i++)
        path(world, i)->flight = 0;
    world_free(world);
}

static void test_cwnd(void)
{
    struct world *world = world_with("sctp.cmt_policy=cwnd", true);
    set_windows(world, (const int64_t[]){3000, 6000, 4500});
    for (int i = 1; i <= 3; i++)
        expect(world, i, i == 1, 2);
    set_windows(world, (const int64_t[]){6000, 3000, 6000});
    expect_tie(world, 1, 1, 3); // even the path that lost it
    path(world, 1)->machine.state = SCTP_PATH_PF;
    expect(world, 1, true, 3);
    world_free(world);
}

static void test_ssthresh(void)
{
    struct world *world = world_with("sctp.cmt_policy=ssthresh", true);
    set_windows(world, (const int64_t[]){9000, 3000, 3000});
    for (int i = 1; i <= 3; i++)
        path(world, i)->cc.ssthresh = i * 10000;
    expect(world, 1, false, 3);
    path(world, 2)->cc.ssthresh = 30000;
    expect_tie(world, 1, 2, 3);
    world_free(world);
}

// A path's loss rate forgets: what was lost long ago counts less.
static void test_lossrate(void)
{
    struct world *world = world_with("sctp.cmt_policy=lossrate", true);
    for (int i = 0; i < 10; i++) {
        sctp_path_fate(path(world, 1), i % 2 == 0);
        sctp_path_fate(path(world, 2), i == 0);
        sctp_path_fate(path(world, 3), i % 3 == 0);
    }
    for (int i = 1; i <= 3; i++)
        expect(world, i, false, 2);
    double before = path(world, 2)->cmt.loss_rate;
    for (int i = 0; i < 1000; i++)
        sctp_path_fate(path(world, 1), false);
    CU_ASSERT(path(world, 1)->cmt.loss_rate < before);
    expect(world, 2, false, 1);
    for (int i = 0; i < 1000; i++)
        sctp_path_fate(path(world, 1), i % 10 == 0);
    CU_ASSERT_DOUBLE_EQUAL(path(world, 1)->cmt.loss_rate, 0.1, 0.05);
    world_free(world);
}

// Without CMT: T3-rtx sends elsewhere, fast retransmit on the same path, or elsewhere too.
static void test_without_cmt(void)
{
    struct world *world = world_with("sctp.fast_to_alternate=false", false);
    expect(world, 1, true, 2);
    expect(world, 3, true, 1);
    expect(world, 1, false, 1);
    path(world, 2)->machine.state = SCTP_PATH_INACTIVE;
    expect(world, 1, true, 3);
    path(world, 3)->machine.state = SCTP_PATH_INACTIVE;
    expect(world, 1, true, 1);
    world_free(world);
    world = world_with("sctp.fast_to_alternate=true", false);
    expect(world, 1, false, 2);
    world_free(world);
    world = world_with("sctp.t3_to_alternate=false", false);
    expect(world, 1, true, 1);
    world_free(world);
}

static const struct suite_case cases[] = {
    {"RTX-SAME", test_same},
    {"RTX-ASAP", test_asap},
    {"RTX-CWND", test_cwnd},
    {"RTX-SSTHRESH", test_ssthresh},
    {"RTX-LOSSRATE", test_lossrate},
    {"without CMT", test_without_cmt},
    {0},
};

int main(void)
{
    return suite_run("sctp: retransmission policies", cases);
}
