// SPDX-License-Identifier: GPL-3.0-or-later
// Shares of the SRAM in closed form: MB/s and microseconds, so that 100 MB/s move 100 B in one.
#include "models/myrinet_gm/lanai/lanai_arbiter.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <glib.h>

#define MB INT64_C(1000000)

static const int64_t in_order[ARBITER_ENGINES] = {1, 2, 3}, equal[ARBITER_ENGINES] = {1, 1, 1};

static struct arbiter arbiter_of(int64_t rate, int64_t processor, const int64_t *ranks)
{
    struct arbiter arbiter;
    arbiter_init(&arbiter, rate * MB, processor * MB, ranks);
    return arbiter;
}

static void check_gets(const struct arbiter *arbiter, int64_t host, int64_t receive, int64_t send,
                       int64_t processor)
{
    SUITE_SAME_INTEGER(arbiter->users[ARBITER_HOST].gets, host * MB);
    SUITE_SAME_INTEGER(arbiter->users[ARBITER_RECEIVE].gets, receive * MB);
    SUITE_SAME_INTEGER(arbiter->users[ARBITER_SEND].gets, send * MB);
    SUITE_SAME_INTEGER(arbiter_left(arbiter), processor * MB);
}

// An engine that has the SRAM to itself is as fast as it can be, whatever that has.
static void test_alone(void)
{
    struct arbiter arbiter = arbiter_of(264, 132, in_order);
    SUITE_SAME_INTEGER(arbiter_next(&arbiter), TIME_NEVER);
    check_gets(&arbiter, 0, 0, 0, 132);
    arbiter_start(&arbiter, 5 * TIME_US, ARBITER_SEND, 1600, 160 * MB);
    check_gets(&arbiter, 0, 0, 160, 104);
    SUITE_SAME_INTEGER(arbiter_next(&arbiter), 15 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, ARBITER_SEND, 0), 15 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, ARBITER_SEND, 400), 12500 * TIME_NS);
    arbiter_settle(&arbiter, 14 * TIME_US);
    CU_ASSERT_FALSE(arbiter_over(&arbiter, ARBITER_SEND));
    // Of bytes that have moved: when they had.
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, ARBITER_SEND, 400), 12500 * TIME_NS);
    arbiter_settle(&arbiter, 15 * TIME_US);
    CU_ASSERT_TRUE(arbiter_over(&arbiter, ARBITER_SEND));
    arbiter_end(&arbiter, ARBITER_SEND);
    CU_ASSERT_FALSE(arbiter_busy(&arbiter, ARBITER_SEND));
}

// A LANai 4, 264 MB/s, with all three in progress: the last by rank gets the others' remainder, and
// their shares when they end.
static void check_loser(const int64_t *ranks, enum arbiter_user loser)
{
    static const int64_t asks[ARBITER_ENGINES] = {64, 160, 160};
    struct arbiter arbiter = arbiter_of(264, 132, ranks);
    int64_t others = 0;
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        arbiter_start(&arbiter, 0, (enum arbiter_user)i, asks[i] * 10, asks[i] * MB);
        if (i != (int)loser)
            others += asks[i];
    }
    int64_t left = MAX(264 - others, 0);
    for (int i = 0; i < ARBITER_ENGINES; i++)
        SUITE_SAME_INTEGER(arbiter.users[i].gets,
                           MIN(i == (int)loser ? left : asks[i], asks[i]) * MB);
    SUITE_SAME_INTEGER(arbiter_left(&arbiter), 0);
    // The others end at 10 us, and the loser has its full rate from then on.
    sim_time rest = time_at_rate((asks[loser] - left) * 10, asks[loser] * MB);
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, loser, 0), 10 * TIME_US + rest);
}

static void test_ranks(void)
{
    check_loser((const int64_t[]){1, 2, 3}, ARBITER_SEND);
    check_loser((const int64_t[]){1, 3, 2}, ARBITER_RECEIVE);
}

// The host engine last: the link's two directions take all of the SRAM, and share it as equals.
static void test_shut_out(void)
{
    struct arbiter arbiter = arbiter_of(264, 132, (const int64_t[]){2, 1, 1});
    arbiter_start(&arbiter, 0, ARBITER_RECEIVE, 1320, 160 * MB);
    arbiter_start(&arbiter, 0, ARBITER_SEND, 1320, 160 * MB);
    arbiter_start(&arbiter, 0, ARBITER_HOST, 1000, 100 * MB);
    check_gets(&arbiter, 0, 132, 132, 0);
    SUITE_SAME_INTEGER(arbiter_next(&arbiter), 10 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, ARBITER_HOST, 0), 20 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 0, TIME_US), 11 * TIME_US);
}

// Equal ranks: in proportion to their demands.
static void test_equal(void)
{
    struct arbiter arbiter = arbiter_of(210, 132, equal);
    arbiter_start(&arbiter, 0, ARBITER_HOST, 1000, 100 * MB);
    check_gets(&arbiter, 100, 0, 0, 110);
    arbiter_start(&arbiter, 0, ARBITER_RECEIVE, 1000, 160 * MB);
    arbiter_start(&arbiter, 0, ARBITER_SEND, 1000, 160 * MB);
    check_gets(&arbiter, 50, 80, 80, 0);
}

// Bytes that join a transfer follow its own.
static void test_added(void)
{
    struct arbiter arbiter = arbiter_of(100, 0, in_order);
    arbiter_add(&arbiter, 0, ARBITER_SEND, 1000, 200 * MB);
    arbiter_add(&arbiter, 4 * TIME_US, ARBITER_SEND, 500, 200 * MB);
    SUITE_SAME_INTEGER(arbiter_next(&arbiter), 15 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_when(&arbiter, ARBITER_SEND, 500), 10 * TIME_US);
}

// The processor gets the remainder, and all it asks for when the engines have ended: of 6 us of
// work it does a half in 6 us at half its rate, and the rest after that.
static void test_processor(void)
{
    struct arbiter arbiter = arbiter_of(264, 132, in_order);
    arbiter_start(&arbiter, 0, ARBITER_HOST, 990, 99 * MB);
    arbiter_start(&arbiter, 0, ARBITER_RECEIVE, 990, 99 * MB);
    SUITE_SAME_INTEGER(arbiter_left(&arbiter), 66 * MB);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 0, 3 * TIME_US), 6 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 4 * TIME_US, 3 * TIME_US), 10 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 4 * TIME_US, 6 * TIME_US), 13 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 40 * TIME_US, 6 * TIME_US), 46 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_done(&arbiter, 0), 0);
    SUITE_SAME_INTEGER(arbiter_done(&arbiter, 6 * TIME_US), 3 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_done(&arbiter, 14 * TIME_US), 9 * TIME_US);
    arbiter_start(&arbiter, 0, ARBITER_SEND, 660, 66 * MB);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 0, TIME_US), 11 * TIME_US);
    SUITE_SAME_INTEGER(arbiter_work(&arbiter, 0, 0), 0);
    SUITE_SAME_INTEGER(arbiter_done(&arbiter, 10 * TIME_US), 0);
}

// ---- Random traffic ----

struct tally {
    struct arbiter arbiter;
    struct random_stream *stream;
    sim_time now;
    int64_t bytes[ARBITER_ENGINES], rate[ARBITER_ENGINES]; // of transfers in progress
    sim_time began[ARBITER_ENGINES], promised[ARBITER_ENGINES];
    int64_t moved; // in all, of transfers that have ended
    sim_time busy; // while any was in progress
};

static void check_shares(const struct tally *tally)
{
    const struct arbiter *arbiter = &tally->arbiter;
    int64_t sum = 0;
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        const struct arbiter_share *user = &arbiter->users[i];
        CU_ASSERT(user->gets >= 0 && user->gets <= user->asks);
        sum += user->gets;
        // No user gets anything before one of a lesser rank has all it asks for.
        for (int k = 0; k < ARBITER_ENGINES; k++)
            if (arbiter->users[k].rank < user->rank && user->gets > 0)
                SUITE_SAME_INTEGER(arbiter->users[k].gets, arbiter->users[k].asks);
    }
    CU_ASSERT(sum <= arbiter->rate);
    CU_ASSERT(arbiter_left(arbiter) >= 0 && sum + arbiter_left(arbiter) <= arbiter->rate);
}

static void tally_end(struct tally *tally, enum arbiter_user user)
{
    sim_time took = tally->now - tally->began[user];
    CU_ASSERT(took >= time_at_rate(tally->bytes[user], tally->rate[user]));
    SUITE_SAME_INTEGER(tally->now, tally->promised[user]);
    tally->moved += tally->bytes[user];
    arbiter_end(&tally->arbiter, user);
}

// When the current transfers will end, if none starts.
static void promise(struct tally *tally)
{
    for (int i = 0; i < ARBITER_ENGINES; i++)
        if (arbiter_busy(&tally->arbiter, (enum arbiter_user)i))
            tally->promised[i] = arbiter_when(&tally->arbiter, (enum arbiter_user)i, 0);
}

static void tally_start(struct tally *tally, enum arbiter_user user)
{
    if (arbiter_busy(&tally->arbiter, user))
        return;
    tally->bytes[user] = 1 + (int64_t)random_below(tally->stream, 4096);
    tally->rate[user] = 1 + (int64_t)random_below(tally->stream, 300 * MB);
    tally->began[user] = tally->now;
    arbiter_start(&tally->arbiter, tally->now, user, tally->bytes[user], tally->rate[user]);
    promise(tally);
}

static void tally_step(struct tally *tally)
{
    sim_time until = tally->now + (sim_time)random_below(tally->stream, 10 * TIME_US);
    sim_time next = arbiter_next(&tally->arbiter), was = tally->now;
    tally->now = MIN(until, next);
    if (next != TIME_NEVER)
        tally->busy += tally->now - was;
    arbiter_settle(&tally->arbiter, tally->now);
    for (int i = 0; i < ARBITER_ENGINES; i++)
        if (arbiter_over(&tally->arbiter, (enum arbiter_user)i))
            tally_end(tally, (enum arbiter_user)i);
    if (tally->now == until)
        tally_start(tally, (enum arbiter_user)random_below(tally->stream, ARBITER_ENGINES));
    check_shares(tally);
}

// No engine gets more than it asks for, all together no more than there is, and each transfer ends
// at the time last predicted.
static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct tally tally = {.stream = random_new(seed, "arbiter")};
        int64_t ranks[ARBITER_ENGINES];
        for (int i = 0; i < ARBITER_ENGINES; i++)
            ranks[i] = 1 + (int64_t)random_below(tally.stream, 3);
        int64_t rate = 100 + (int64_t)random_below(tally.stream, 400);
        tally.arbiter = arbiter_of(rate, rate / 2, ranks);
        for (int step = 0; step < 1000; step++)
            tally_step(&tally);
        CU_ASSERT(tally.moved > 0);
        CU_ASSERT(time_at_rate(tally.moved, tally.arbiter.rate) <= tally.busy);
        random_free(tally.stream);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"an engine alone is as fast as it can be", test_alone},
        {"the last by rank gets what the others leave", test_ranks},
        {"one that is shut out waits for an end", test_shut_out},
        {"equal ranks share in proportion", test_equal},
        {"bytes that join a transfer", test_added},
        {"the processor gets what is left", test_processor},
        {"random traffic never gets more than there is", test_random},
        {0},
    };
    return suite_run("myrinet_gm: SRAM arbiter", cases);
}
