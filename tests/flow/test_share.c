// SPDX-License-Identifier: GPL-3.0-or-later
// Sharing of links, step by step, against a plain solver that fills all links anew each time.
#include "sim/core/random.h"
#include "sim/flow/share.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#define CASES 10000
#define MOST_LINKS 24
#define MOST_FLOWS 40
#define MOST_ROUTE 6
#define STEPS 12 // settlings of a case

struct shared_flow {
    struct share_flow flow; // first: found by it
    bool here;
    uint32_t links[MOST_ROUTE];
    int count;
    double reported; // the rate as `changed` has it
    double plain;
};

struct shared_case {
    struct random_stream *random;
    double capacity[MOST_LINKS];
    int links;
    struct shared_flow flows[MOST_FLOWS];
    struct share *share;
    uint64_t calls; // of `changed`, mixed with their order
};

// ---- The plain solver ----

static bool crosses(const struct shared_flow *flow, uint32_t link)
{
    for (int i = 0; i < flow->count; i++)
        if (flow->links[i] == link)
            return true;
    return false;
}

// The rate up to which all open flows of a link can grow.
static double plain_level(const struct shared_case *one, const bool *fixed, uint32_t link)
{
    double left = one->capacity[link];
    int open = 0;
    for (int i = 0; i < MOST_FLOWS; i++) {
        const struct shared_flow *flow = &one->flows[i];
        if (!flow->here || !crosses(flow, link))
            continue;
        left -= fixed[i] ? flow->plain : 0;
        open += !fixed[i];
    }
    return open > 0 ? fmax(left, 0) / open : INFINITY;
}

static void plain_solve(struct shared_case *one)
{
    bool fixed[MOST_FLOWS] = {false};
    for (;;) {
        double least = INFINITY;
        uint32_t at = 0;
        for (uint32_t link = 0; link < (uint32_t)one->links; link++) {
            double level = plain_level(one, fixed, link);
            at = level < least ? link : at;
            least = fmin(level, least);
        }
        if (isinf(least))
            return;
        for (int i = 0; i < MOST_FLOWS; i++) {
            struct shared_flow *flow = &one->flows[i];
            if (!flow->here || fixed[i] || !crosses(flow, at))
                continue;
            flow->plain = least;
            fixed[i] = true;
        }
    }
}

// ---- Cases ----

static int below(struct shared_case *one, int bound)
{
    return (int)random_below(one->random, (uint64_t)bound);
}

static void flow_changed(void *owner, struct share_flow *flow)
{
    struct shared_case *one = owner;
    struct shared_flow *changed = (struct shared_flow *)flow;
    CU_ASSERT(changed->here);
    changed->reported = flow->rate;
    one->calls = one->calls * 31 + (uint64_t)(changed - one->flows) + 1;
}

static void join(struct shared_case *one, struct shared_flow *flow)
{
    flow->count = 0;
    for (int i = 1 + below(one, MOST_ROUTE); i > 0; i--) {
        uint32_t link = (uint32_t)below(one, one->links);
        if (!crosses(flow, link))
            flow->links[flow->count++] = link;
    }
    flow->here = true;
    flow->reported = 0;
    share_join(one->share, &flow->flow, flow->links, flow->count);
}

static void step(struct shared_case *one)
{
    for (int i = 1 + below(one, 5); i > 0; i--) {
        struct shared_flow *flow = &one->flows[below(one, MOST_FLOWS)];
        if (!flow->here) {
            join(one, flow);
        } else {
            share_leave(one->share, &flow->flow);
            flow->here = false;
        }
    }
    share_settle(one->share, flow_changed, one);
    CU_ASSERT(!share_unsettled(one->share));
}

// Returns the greatest relative difference of a rate from that of the plain solver.
static double worst_of(struct shared_case *one)
{
    double worst = 0;
    plain_solve(one);
    for (int i = 0; i < MOST_FLOWS; i++) {
        const struct shared_flow *flow = &one->flows[i];
        if (flow->here)
            worst = fmax(worst, fmax(fabs(flow->flow.rate / flow->plain - 1),
                                     fabs(flow->reported / flow->plain - 1)));
    }
    return worst;
}

// Few links have many flows each; capacities are equal, or not.
static void case_begin(struct shared_case *one, uint64_t seed)
{
    memset(one, 0, sizeof *one);
    one->random = random_new(seed, "share");
    one->links = 1 + below(one, MOST_LINKS);
    bool equal = below(one, 2) == 0;
    for (int i = 0; i < one->links; i++)
        one->capacity[i] = equal ? 125e6 : 1e6 * (1 + below(one, 1000));
    one->share = share_new(one->capacity, one->links);
}

static void case_end(struct shared_case *one)
{
    share_free(one->share);
    random_free(one->random);
}

static void test_like_a_plain_solver(void)
{
    struct shared_case one;
    double worst = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        case_begin(&one, seed);
        for (int i = 0; i < STEPS; i++) {
            step(&one);
            worst = fmax(worst, worst_of(&one));
        }
        case_end(&one);
    }
    CU_ASSERT(worst < 1e-6);
}

static void test_the_same_order_each_time(void)
{
    struct shared_case one;
    uint64_t calls[2];
    for (int turn = 0; turn < 2; turn++) {
        case_begin(&one, 7);
        for (int i = 0; i < 200; i++)
            step(&one);
        calls[turn] = one.calls;
        case_end(&one);
    }
    CU_ASSERT(calls[0] == calls[1]);
}

// Two flows that share no link, or one that neither fills, know nothing of each other.
static void test_only_what_changes_is_solved(void)
{
    struct shared_case one = {.capacity = {1e6, 1e6, 1e9}, .links = 3};
    one.share = share_new(one.capacity, one.links);
    for (uint32_t i = 0; i < 2; i++) {
        struct shared_flow *flow = &one.flows[i];
        *flow = (struct shared_flow){.here = true, .links = {i, 2}, .count = 2};
        share_join(one.share, &flow->flow, flow->links, flow->count);
        share_settle(one.share, flow_changed, &one);
    }
    SUITE_SAME_INTEGER((long long)share_solved(one.share), 2);
    SUITE_SAME_INTEGER(share_flows_on(one.share, 2), 2);
    CU_ASSERT_DOUBLE_EQUAL(share_used(one.share, 2), 2e6, 1);
    share_leave(one.share, &one.flows[0].flow);
    share_settle(one.share, flow_changed, &one);
    SUITE_SAME_INTEGER((long long)share_solved(one.share), 2);
    share_free(one.share);
}

static void test_gone_before_it_is_settled(void)
{
    struct shared_case one = {.capacity = {1e6}, .links = 1};
    one.share = share_new(one.capacity, one.links);
    struct shared_flow *flow = &one.flows[0];
    *flow = (struct shared_flow){.here = true, .count = 1};
    share_join(one.share, &flow->flow, flow->links, flow->count);
    CU_ASSERT(share_unsettled(one.share));
    share_leave(one.share, &flow->flow);
    share_settle(one.share, flow_changed, &one);
    CU_ASSERT(one.calls == 0 && share_flows_on(one.share, 0) == 0);
    share_free(one.share);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"like a plain solver, in 10,000 cases", test_like_a_plain_solver},
        {"the same order each time", test_the_same_order_each_time},
        {"only what changes is solved", test_only_what_changes_is_solved},
        {"gone before it is settled", test_gone_before_it_is_settled},
        {0},
    };
    return suite_run("flow: sharing of links", cases);
}
