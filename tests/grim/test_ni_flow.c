// SPDX-License-Identifier: GPL-3.0-or-later
// Flow control in the cards against credit between endpoints (thesis 003, 4.2.4 and Fig. 4.6).
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <string.h>

// ---- What is refused ----

// grim.flow.reject_only_if_full: the card refuses messages that find no room in their endpoint's
// queue, by number or by bytes, and no others, however many are in flight.
static void test_only_if_full(void)
{
    struct grim_world_options options = grim_world_defaults(4, 1);
    options.ni.endpoint_messages = 150;
    struct world *world = grim_world_new(&options);
    grim_end(world, 0)->polls_from = 50 * TIME_MS;
    for (int from = 1; from <= 3; from++)
        grim_world_send(world, from, 0, 100, 50);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: messages refused"), 0);
    world_free(world);

    options.ni.nack_pause = 1 * TIME_MS;
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        options.ni.endpoint_messages = by_bytes ? 150 : 149;
        options.ni.endpoint_bytes = by_bytes ? 150 * 132 - 1 : 1 << 20;
        world = grim_world_new(&options);
        grim_end(world, 0)->polls_from = 50 * TIME_MS;
        for (int from = 1; from <= 3; from++)
            grim_world_send(world, from, 0, 100, 50);
        grim_world_run(world);
        CU_ASSERT_TRUE(grim_world_complete(world));
        CU_ASSERT_TRUE(world_counter(world, "GRIM: messages refused") > 40);
        CU_ASSERT_TRUE(grim_end(world, 0)->taken == 150);
        world_free(world);
    }
}

// grim.flow.reject_only_if_full: room that one endpoint does not use is not kept from others:
// without a limit all of the card's memory is there for any sender. With one each direction has its
// share, and no more.
static void test_dynamic(void)
{
    for (int64_t limit = 0; limit <= 8; limit += 8) {
        struct grim_world_options options = grim_world_defaults(2, 1);
        options.ni.outstanding = limit;
        struct world *world = grim_world_new(&options); // no endpoint answers
        grim_world_send(world, 0, 1, 0, 100);
        grim_world_run(world);
        SUITE_SAME_INTEGER(grim_end(world, 1)->taken, limit ? 8 : 100);
        if (limit) {
            char *waits = grim_world_report(world, 0, "injection_waits_for");
            SUITE_SAME_TEXT(waits, "credit: answers to messages that are outstanding");
            g_free(waits);
        }
        world_free(world);
    }
}

// ---- Fig. 4.6 ----

// grim.flow.benchmark: a burst of null messages that the peer returns as soon as they arrive, and
// the time that it takes to inject them, by message; us.
static double overhead(int64_t limit, int burst, int64_t queue, sim_time *drain)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    grim_world_lanai4(&options);
    options.ni.outstanding = limit;
    options.ni.queue = queue;
    options.ni.endpoint_messages = 20000;
    options.ni.endpoint_bytes = 1 << 20;
    struct world *world = grim_world_new(&options);
    grim_end(world, 0)->polls_last = true;
    grim_end(world, 1)->replies = true;
    grim_world_send(world, 0, 1, 0, burst);
    grim_world_run(world);
    CU_ASSERT_TRUE(grim_world_complete(world));
    SUITE_SAME_INTEGER(grim_end(world, 0)->taken, burst);
    double result = time_to_us(grim_end(world, 0)->last_injection) / burst;
    if (drain)
        *drain = grim_end(world, 1)->last_taken / burst;
    world_free(world);
    return result;
}

// grim.cfg.policing_limits: from 4 on, and none; grim.inject.low_until_limit,
// grim.inject.knee_moves_with_limit, grim.inject.sharp_rise,
// grim.inject.rise_not_instant.
static void test_policing(void)
{
    static const int limits[] = {4, 16, 64};
    double low = overhead(0, 2, 128 * 1024, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        int limit = limits[i];
        for (int burst = 1; burst <= limit; burst *= 2)
            CU_ASSERT_DOUBLE_EQUAL(overhead(limit, burst, 128 * 1024, NULL), low, 0.05 * low);
        double twice = overhead(limit, 2 * limit, 128 * 1024, NULL);
        double four = overhead(limit, 4 * limit, 128 * 1024, NULL);
        double steady = overhead(limit, 64 * limit, 128 * 1024, NULL);
        double end = overhead(limit, 100 * limit, 128 * 1024, NULL);
        CU_ASSERT_TRUE(twice > 2 * low);                     // sharp
        CU_ASSERT_TRUE(twice < four);                        // not at once
        CU_ASSERT_TRUE(four < steady);                       //
        CU_ASSERT_TRUE(end > steady && end < 1.02 * steady); // and then it is steady
    }
}

// grim.inject.unbounded_knee: without a limit it stays low until the queue on the card is full,
// which is when as many messages wait there as fit in; meanwhile some have left.
static void test_unbounded(void)
{
    for (int64_t queue = 32 * 1024; queue <= 128 * 1024; queue *= 2) {
        int fits = (int)(queue / 32);
        sim_time drain;
        double low = overhead(0, 2, queue, NULL), full = overhead(0, fits, queue, &drain);
        double knee = fits / (1 - low / time_to_us(drain));
        CU_ASSERT_DOUBLE_EQUAL(full, low, 0.08 * low);
        double before = overhead(0, (int)(0.96 * knee), queue, NULL);
        CU_ASSERT_DOUBLE_EQUAL(before, low, 0.08 * low);
        double behind = overhead(0, (int)(1.5 * knee), queue, NULL);
        CU_ASSERT_TRUE(behind > 2 * low);
        if (queue == 128 * 1024)
            printf(" (knee at %.0f messages) ", knee);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.flow.reject_only_if_full: by number and by bytes", test_only_if_full},
        {"grim.flow.reject_only_if_full: nothing is reserved", test_dynamic},
        {"grim.flow.benchmark: policing by a limit", test_policing},
        {"grim.inject.unbounded_knee: the card's memory", test_unbounded},
        {0},
    };
    return suite_run("grim: flow control", cases);
}
