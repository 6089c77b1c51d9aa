// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/measure/steady.h"

#include <glib.h>

#define KEPT 128 // ends of turns that a rank keeps, a power of two

// The turns of a rank's loop.
struct steady_rank {
    guint loop; // its number, from 0
    int64_t done;
    int64_t known;       // those that it had ended when the loop was found to be steady
    sim_time ends[KEPT]; // of turn t at t % KEPT, t from 1
    int64_t as_before[STEADY_LONGEST]; // turns in a row that took as long as period + 1 turns ago
};

// A loop, of all ranks that share it.
struct steady_loop {
    int64_t turns, ended; // of all ranks together
    int64_t last;         // the turn after which all leave; 0: not known yet
    int period;           // then
    int left;             // ranks that have left it
};

struct steady {
    int count, alike;
    GArray *loops; // struct steady_loop
    struct steady_rank *ranks;
};

struct steady *steady_new(int ranks, int alike)
{
    struct steady *steady = g_new0(struct steady, 1);
    steady->count = ranks;
    steady->alike = alike;
    steady->loops = g_array_new(FALSE, TRUE, sizeof(struct steady_loop));
    steady->ranks = g_new0(struct steady_rank, ranks);
    return steady;
}

void steady_free(struct steady *steady)
{
    if (!steady)
        return;
    g_array_unref(steady->loops);
    g_free(steady->ranks);
    g_free(steady);
}

static sim_time steady_end(const struct steady_rank *rank, int64_t turn)
{
    return rank->ends[turn % KEPT];
}

// The time of a turn that was kept; not of the first.
static sim_time steady_time(const struct steady_rank *rank, int64_t turn)
{
    return steady_end(rank, turn) - steady_end(rank, turn - 1);
}

static void steady_note(struct steady_rank *rank, sim_time now)
{
    int64_t turn = ++rank->done;
    rank->ends[turn % KEPT] = now;
    for (int period = 1; period <= STEADY_LONGEST; period++) {
        int64_t *as_before = &rank->as_before[period - 1];
        bool equal =
            turn - period > 1 && steady_time(rank, turn) == steady_time(rank, turn - period);
        *as_before = equal ? *as_before + 1 : 0;
    }
}

// Whether the rank's last turns are so many equal periods, and part enough of the loop's turns.
static bool has_period(const struct steady *steady, const struct steady_rank *rank, int64_t turns,
                       int period)
{
    int64_t equal = rank->as_before[period - 1];
    return equal >= (int64_t)(steady->alike - 1) * period && equal + period >= turns / STEADY_PART;
}

static bool share_period(const struct steady *steady, guint number, int64_t turns, int period,
                         sim_time duration)
{
    for (int i = 0; i < steady->count; i++) {
        const struct steady_rank *rank = &steady->ranks[i];
        if (rank->loop != number || rank->done == 0)
            continue; // it has no such loop
        if (!has_period(steady, rank, turns, period) ||
            steady_end(rank, rank->done) - steady_end(rank, rank->done - period) != duration)
            return false;
    }
    return true;
}

// Whether all ranks that share the loop are in it; *most: turns that the first of them has ended.
static bool are_together(const struct steady *steady, guint number, int sharers, int64_t *most)
{
    int64_t least = INT64_MAX;
    int together = 0;
    *most = 0;
    for (int i = 0; i < steady->count; i++) {
        const struct steady_rank *rank = &steady->ranks[i];
        if (rank->loop != number || rank->done == 0)
            continue;
        together++;
        *most = MAX(*most, rank->done);
        least = MIN(least, rank->done);
    }
    // A rank that lags far would not keep its period until it leaves.
    return together == sharers && *most - least < KEPT - 2 * STEADY_LONGEST;
}

// All ranks leave the loop after the first turn that none of them has ended.
static void steady_found(struct steady *steady, guint number, int64_t most, int period)
{
    struct steady_loop *loop = &g_array_index(steady->loops, struct steady_loop, number);
    loop->last = most + 1;
    loop->period = period;
    for (int i = 0; i < steady->count; i++)
        steady->ranks[i].known = steady->ranks[i].done;
}

// Looks for a period that all ranks have, as the rank ends a turn.
static void steady_look(struct steady *steady, const struct steady_rank *rank,
                        const struct steady_turn *turn)
{
    int64_t most = 0;
    bool together = false;
    for (int period = 1; period <= STEADY_LONGEST; period++) {
        if (!has_period(steady, rank, turn->turns, period))
            continue;
        together = together || are_together(steady, rank->loop, turn->sharers, &most);
        if (!together)
            return;
        sim_time duration = steady_end(rank, rank->done) - steady_end(rank, rank->done - period);
        if (share_period(steady, rank->loop, turn->turns, period, duration)) {
            steady_found(steady, rank->loop, most, period);
            return;
        }
    }
}

// The time of so many turns after those that were known, if the period goes on.
static sim_time time_foreseen(const struct steady_rank *rank, int period, int64_t turns)
{
    sim_time first = steady_end(rank, rank->known - period);
    sim_time whole = steady_end(rank, rank->known) - first;
    sim_time part = steady_end(rank, rank->known - period + turns % period) - first;
    return turns / period * whole + part;
}

static sim_time time_left_out(const struct steady_rank *rank, const struct steady_loop *loop)
{
    return time_foreseen(rank, loop->period, loop->turns - rank->known) -
           time_foreseen(rank, loop->period, rank->done - rank->known);
}

static struct steady_loop *loop_of(struct steady *steady, guint number, int64_t turns)
{
    if (number >= steady->loops->len)
        g_array_set_size(steady->loops, number + 1);
    struct steady_loop *loop = &g_array_index(steady->loops, struct steady_loop, number);
    loop->turns = turns;
    return loop;
}

bool steady_leaves(struct steady *steady, int number, const struct steady_turn *turn, sim_time now,
                   sim_time *left_out)
{
    struct steady_rank *rank = &steady->ranks[number];
    struct steady_loop *loop = loop_of(steady, rank->loop, turn->turns);
    steady_note(rank, now);
    // Once per turn of all, or the ranks would look at each other too often.
    if (++loop->ended % turn->sharers == 0 && loop->last == 0 && loop->left == 0)
        steady_look(steady, rank, turn);
    bool leaves = loop->last > 0 && rank->done >= loop->last && rank->done < turn->turns;
    *left_out = leaves ? time_left_out(rank, loop) : 0;
    if (leaves || rank->done == turn->turns) {
        loop->left++;
        rank->loop++;
        rank->done = 0;
    }
    return leaves;
}

int64_t steady_turns(const struct steady *steady)
{
    int64_t turns = 0;
    for (guint i = 0; i < steady->loops->len; i++)
        turns += g_array_index(steady->loops, struct steady_loop, i).turns;
    return turns;
}

int64_t steady_turns_run(const struct steady *steady)
{
    int64_t turns = 0;
    for (guint i = 0; i < steady->loops->len; i++) {
        const struct steady_loop *loop = &g_array_index(steady->loops, struct steady_loop, i);
        turns += loop->last > 0 ? MIN(loop->last, loop->turns) : loop->turns;
    }
    return turns;
}
