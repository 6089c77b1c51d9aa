// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/leave_one_out.h"

#include "sim/statistics/weights.h"

#include <math.h>

double likelihood_of_drawn(enum drawn drawn)
{
    static const double likelihoods[] = {[DRAWN_HOLDS] = 1.0 - LIKELIHOOD_DOUBT,
                                         [DRAWN_LEVEL] = 0.5,
                                         [DRAWN_MISSES] = LIKELIHOOD_DOUBT,
                                         [DRAWN_FAILED] = 0.5,
                                         [DRAWN_NOT_RUN] = 0.5};
    return likelihoods[drawn];
}

double likelihood_of_numbers(const struct drawn_number *numbers, guint count)
{
    double sum = 0.0;
    for (guint i = 0; i < count; i++) {
        double z = numbers[i].off / fmax(numbers[i].tolerance, LIKELIHOOD_DISCREPANCY);
        sum += z * z;
    }
    return LIKELIHOOD_DOUBT + (1.0 - 2.0 * LIKELIHOOD_DOUBT) * exp(-sum / count / 2.0);
}

double likelihood_of_several(const double *likelihoods, guint count)
{
    double sum = 0.0;
    for (guint i = 0; i < count; i++)
        sum += log(likelihoods[i]);
    return count > 0 ? exp(sum / count) : likelihood_of_drawn(DRAWN_FAILED);
}

static bool is_judged(enum drawn drawn)
{
    return drawn < DRAWN_FAILED;
}

// Whether a fact was run in each draw in which another was judged.
static bool was_run_beside(const struct drawn_fact *fact, const struct drawn_fact *other,
                           guint draws)
{
    for (guint i = 0; i < draws; i++)
        if (is_judged(other->drawn[i]) && fact->drawn[i] == DRAWN_NOT_RUN)
            return false;
    return true;
}

// Adds to each draw's misfit that of the other facts, of which it returns the number.
static guint add_misfits(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                         double *misfits)
{
    guint others = 0;
    for (guint i = 0; i < count; i++) {
        if (i == left_out || !was_run_beside(&facts[i], &facts[left_out], draws))
            continue;
        others++;
        for (guint k = 0; k < draws; k++)
            if (is_judged(facts[left_out].drawn[k]))
                misfits[k] -= 2.0 * log(facts[i].likelihoods[k]);
    }
    return others;
}

// The number of draws in which a fact was judged, whose weights are set.
static guint weigh(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                   double *weights, guint *others)
{
    guint judged = 0;
    for (guint i = 0; i < draws; i++) {
        judged += is_judged(facts[left_out].drawn[i]);
        weights[i] = is_judged(facts[left_out].drawn[i]) ? 0.0 : INFINITY;
    }
    *others = add_misfits(facts, count, draws, left_out, weights);
    if (judged > 0)
        weights_of_misfits(weights, draws, weights);
    return judged;
}

bool left_out_weights(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                      double *weights)
{
    guint others;
    return weigh(facts, count, draws, left_out, weights, &others) > 0;
}

struct left_out leave_one_out(const struct drawn_fact *facts, guint count, guint draws,
                              guint left_out)
{
    struct left_out result = {0};
    const enum drawn *drawn = facts[left_out].drawn;
    double *weights = g_new(double, MAX(draws, 1));
    guint seen[DRAWN_NOT_RUN + 1] = {0};
    result.draws = weigh(facts, count, draws, left_out, weights, &result.others);
    if (result.draws == 0) {
        g_free(weights);
        return (struct left_out){0};
    }
    result.effective = weights_effective_size(weights, draws);
    for (guint i = 0; i < draws; i++) {
        seen[drawn[i]]++;
        result.holds += drawn[i] == DRAWN_HOLDS ? weights[i] : 0.0;
        result.level += drawn[i] == DRAWN_LEVEL ? weights[i] : 0.0;
    }
    g_free(weights);
    result.plain_holds = (double)seen[DRAWN_HOLDS] / result.draws;
    result.plain_level = (double)seen[DRAWN_LEVEL] / result.draws;
    result.moved = seen[DRAWN_HOLDS] < result.draws && seen[DRAWN_LEVEL] < result.draws &&
                   seen[DRAWN_MISSES] < result.draws;
    return result;
}
