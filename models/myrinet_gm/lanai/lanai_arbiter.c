// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/lanai/lanai_arbiter.h"

#include <glib.h>

// ---- Shares ----

// Of those that ask, the least rank above `rank`; false if there is none.
static bool next_rank(const struct arbiter *arbiter, int64_t *rank)
{
    int64_t next = G_MAXINT64;
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        const struct arbiter_share *user = &arbiter->users[i];
        if (user->asks > 0 && user->rank > *rank && user->rank < next)
            next = user->rank;
    }
    *rank = next;
    return next != G_MAXINT64;
}

// Gives the users of one rank, of which at least one asks, as much as they ask for, or all that is
// left, `rate`; returns their sum.
static int64_t serve(struct arbiter *arbiter, int64_t rank, int64_t rate)
{
    int64_t asked = 0;
    for (int i = 0; i < ARBITER_ENGINES; i++)
        if (arbiter->users[i].rank == rank)
            asked += arbiter->users[i].asks;
    g_assert(asked > 0 && rate >= 0);
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        struct arbiter_share *user = &arbiter->users[i];
        if (user->rank != rank)
            continue;
        user->gets = asked <= rate ? user->asks : (int64_t)((__int128)user->asks * rate / asked);
    }
    return MIN(asked, rate);
}

static void share_out(struct arbiter *arbiter)
{
    int64_t rate = arbiter->rate;
    for (int64_t rank = G_MININT64; next_rank(arbiter, &rank);)
        rate -= serve(arbiter, rank, rate);
}

void arbiter_init(struct arbiter *arbiter, int64_t rate, int64_t processor,
                  const int64_t ranks[ARBITER_ENGINES])
{
    g_assert(rate > 0 && processor >= 0 && processor <= rate);
    *arbiter = (struct arbiter){.rate = rate, .processor = processor};
    for (int i = 0; i < ARBITER_ENGINES; i++)
        arbiter->users[i].rank = ranks[i];
}

void arbiter_settle(struct arbiter *arbiter, sim_time now)
{
    g_assert(now >= arbiter->settled);
    for (int i = 0; i < ARBITER_ENGINES; i++)
        if (arbiter->users[i].asks > 0)
            arbiter->users[i].left -= (__int128)arbiter->users[i].gets * (now - arbiter->settled);
    arbiter->settled = now;
}

void arbiter_start(struct arbiter *arbiter, sim_time now, enum arbiter_user user, int64_t bytes,
                   int64_t asks)
{
    struct arbiter_share *share = &arbiter->users[user];
    g_assert(share->asks == 0 && asks > 0 && bytes > 0);
    arbiter_settle(arbiter, now);
    share->asks = asks;
    share->left = (__int128)bytes * TIME_S;
    share_out(arbiter);
}

void arbiter_add(struct arbiter *arbiter, sim_time now, enum arbiter_user user, int64_t bytes,
                 int64_t asks)
{
    if (!arbiter_busy(arbiter, user)) {
        arbiter_start(arbiter, now, user, bytes, asks);
        return;
    }
    arbiter_settle(arbiter, now);
    arbiter->users[user].left = MAX(arbiter->users[user].left, 0) + (__int128)bytes * TIME_S;
}

bool arbiter_busy(const struct arbiter *arbiter, enum arbiter_user user)
{
    return arbiter->users[user].asks > 0;
}

bool arbiter_over(const struct arbiter *arbiter, enum arbiter_user user)
{
    return arbiter_busy(arbiter, user) && arbiter->users[user].left <= 0;
}

void arbiter_end(struct arbiter *arbiter, enum arbiter_user user)
{
    arbiter->users[user].asks = arbiter->users[user].gets = 0;
    share_out(arbiter);
}

int64_t arbiter_left(const struct arbiter *arbiter)
{
    int64_t rate = arbiter->rate;
    for (int i = 0; i < ARBITER_ENGINES; i++)
        rate -= arbiter->users[i].gets;
    return MIN(rate, arbiter->processor);
}

// ---- What is to come ----

static sim_time time_of(__int128 left, int64_t rate)
{
    __int128 time = (left + rate - 1) / rate;
    return time < TIME_END ? (sim_time)time : TIME_END;
}

sim_time arbiter_next(const struct arbiter *arbiter)
{
    sim_time next = TIME_NEVER;
    for (int i = 0; i < ARBITER_ENGINES; i++) {
        const struct arbiter_share *user = &arbiter->users[i];
        if (user->asks > 0 && user->left <= 0)
            return arbiter->settled;
        if (user->gets > 0)
            next = MIN(next, time_after(arbiter->settled, time_of(user->left, user->gets)));
    }
    return next;
}

// Goes on to `until`, or to the end of the next transfer if that is earlier, and ends those that
// have finished.
static void go_on(struct arbiter *arbiter, sim_time until)
{
    arbiter_settle(arbiter, MIN(until, arbiter_next(arbiter)));
    for (int i = 0; i < ARBITER_ENGINES; i++)
        if (arbiter_over(arbiter, (enum arbiter_user)i))
            arbiter_end(arbiter, (enum arbiter_user)i);
}

sim_time arbiter_when(const struct arbiter *arbiter, enum arbiter_user user, int64_t left)
{
    struct arbiter coming = *arbiter;
    const struct arbiter_share *share = &coming.users[user];
    g_assert(arbiter_busy(arbiter, user) && left >= 0);
    __int128 goal = (__int128)left * TIME_S;
    if (share->left <= goal)
        return coming.settled - (sim_time)((goal - share->left) / share->asks);
    for (;;) {
        sim_time when = TIME_NEVER;
        if (share->gets > 0)
            when = time_after(coming.settled, time_of(share->left - goal, share->gets));
        sim_time next = arbiter_next(&coming);
        if (when <= next)
            return when;
        go_on(&coming, next);
    }
}

sim_time arbiter_work(const struct arbiter *arbiter, sim_time from, sim_time time)
{
    struct arbiter coming = *arbiter;
    while (coming.settled < from)
        go_on(&coming, from);
    __int128 work = (__int128)time * coming.processor;
    for (;;) {
        int64_t rate = arbiter_left(&coming);
        if (rate == coming.processor || work <= 0)
            break;
        sim_time next = arbiter_next(&coming);
        __int128 done = (__int128)rate * (next - coming.settled);
        if (rate > 0 && done >= work)
            return time_after(coming.settled, time_of(work, rate));
        work -= done;
        go_on(&coming, next);
    }
    return coming.processor > 0 ? time_after(coming.settled, time_of(work, coming.processor))
                                : time_after(coming.settled, time);
}

sim_time arbiter_done(const struct arbiter *arbiter, sim_time until)
{
    struct arbiter coming = *arbiter;
    __int128 done = 0;
    if (coming.processor == 0)
        return until - coming.settled;
    while (coming.settled < until) {
        sim_time from = coming.settled;
        int64_t rate = arbiter_left(&coming);
        go_on(&coming, until);
        done += (__int128)rate * (coming.settled - from);
    }
    return (sim_time)(done / coming.processor);
}
