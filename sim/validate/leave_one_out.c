// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/leave_one_out.h"

#include "sim/statistics/weights.h"

#include <math.h>

#define POWER_STEPS 40 // of a bisection

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

// The likelihood of a fact in draws in which it was not run: the mean of those in which it was, as
// a draw that nothing is known of is any of them. Returns NAN if it was run in none.
static double likelihood_unseen(const struct drawn_fact *fact, guint draws)
{
    double sum = 0.0;
    guint run = 0;
    for (guint i = 0; i < draws; i++) {
        if (fact->drawn[i] == DRAWN_NOT_RUN)
            continue;
        sum += fact->likelihoods[i];
        run++;
    }
    return run > 0 ? sum / run : NAN;
}

// Adds to each draw's misfit that of the other facts, of which it returns the number.
static guint add_misfits(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                         double *misfits)
{
    guint others = 0;
    for (guint i = 0; i < count; i++) {
        double unseen = i == left_out ? NAN : likelihood_unseen(&facts[i], draws);
        if (isnan(unseen))
            continue;
        others++;
        for (guint k = 0; k < draws; k++)
            misfits[k] -=
                2.0 * log(facts[i].drawn[k] == DRAWN_NOT_RUN ? unseen : facts[i].likelihoods[k]);
    }
    return others;
}

static void weigh_by_power(const double *misfits, guint draws, double power, double *weights)
{
    for (guint i = 0; i < draws; i++)
        weights[i] = isinf(misfits[i]) ? misfits[i] : power * misfits[i];
    weights_of_misfits(weights, draws, weights);
}

// Weighs draws by the largest power of their likelihood, 1 at most, that leaves LEFT_OUT_FEW of
// them effective, and returns it. The effective number never grows with the power.
static double weigh_and_spare(const double *misfits, guint draws, guint judged, double *weights)
{
    double low = 0.0, high = 1.0;
    weigh_by_power(misfits, draws, high, weights);
    if (judged < LEFT_OUT_ENOUGH || weights_effective_size(weights, draws) >= LEFT_OUT_FEW)
        return high;
    for (int step = 0; step < POWER_STEPS; step++) {
        double middle = (low + high) / 2.0;
        weigh_by_power(misfits, draws, middle, weights);
        if (weights_effective_size(weights, draws) >= LEFT_OUT_FEW)
            low = middle;
        else
            high = middle;
    }
    weigh_by_power(misfits, draws, low, weights);
    return low;
}

// The number of draws in which a fact was judged, whose weights are set.
static guint weigh(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                   double *weights, struct left_out *result)
{
    guint judged = 0;
    double *misfits = g_new(double, MAX(draws, 1));
    for (guint i = 0; i < draws; i++) {
        judged += is_judged(facts[left_out].drawn[i]);
        misfits[i] = is_judged(facts[left_out].drawn[i]) ? 0.0 : INFINITY;
    }
    result->others = add_misfits(facts, count, draws, left_out, misfits);
    if (judged > 0)
        result->power = weigh_and_spare(misfits, draws, judged, weights);
    g_free(misfits);
    return judged;
}

bool left_out_weights(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                      double *weights)
{
    struct left_out ignored = {0};
    return weigh(facts, count, draws, left_out, weights, &ignored) > 0;
}

struct left_out leave_one_out(const struct drawn_fact *facts, guint count, guint draws,
                              guint left_out)
{
    struct left_out result = {0};
    const enum drawn *drawn = facts[left_out].drawn;
    double *weights = g_new(double, MAX(draws, 1));
    guint seen[DRAWN_NOT_RUN + 1] = {0};
    result.draws = weigh(facts, count, draws, left_out, weights, &result);
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
