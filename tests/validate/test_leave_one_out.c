// SPDX-License-Identifier: GPL-3.0-or-later
// Leave-one-out: likelihoods and weights by hand, and synthetic sources whose truth is known.
#include "sim/core/random.h"
#include "sim/validate/leave_one_out.h"
#include "tests/support/suite.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

// ---- Likelihoods ----

static void test_likelihoods(void)
{
    CU_ASSERT(near(likelihood_of_drawn(DRAWN_HOLDS), 0.95));
    CU_ASSERT(near(likelihood_of_drawn(DRAWN_MISSES), 0.05));
    CU_ASSERT(near(likelihood_of_drawn(DRAWN_LEVEL), 0.5));
    CU_ASSERT(near(likelihood_of_drawn(DRAWN_FAILED), 0.5));
    // At the value, at one error, and far off: 0.95, 0.05 + 0.9 e^-0.5, 0.05.
    const struct drawn_number at = {0.0, 0.1}, beside = {-0.1, 0.1}, far = {9.0, 0.1};
    CU_ASSERT(near(likelihood_of_numbers(&at, 1), 0.95));
    CU_ASSERT(near(likelihood_of_numbers(&beside, 1), 0.05 + 0.9 * exp(-0.5)));
    CU_ASSERT(near(likelihood_of_numbers(&far, 1), 0.05));
    // A tolerance below 2 % is 2 %.
    const struct drawn_number narrow = {0.02, 0.001};
    CU_ASSERT(near(likelihood_of_numbers(&narrow, 1), 0.05 + 0.9 * exp(-0.5)));
    // A table counts as one number, by the mean of its squares.
    const struct drawn_number table[] = {{0.1, 0.1}, {0.0, 0.1}, {0.1, 0.1}, {0.0, 0.1}};
    CU_ASSERT(near(likelihood_of_numbers(table, 4), 0.05 + 0.9 * exp(-0.25)));
    // Two claims on one number count as one, and none is no evidence.
    const double several[] = {0.2, 0.8};
    CU_ASSERT(near(likelihood_of_several(several, 2), 0.4));
    CU_ASSERT(near(likelihood_of_several(several, 0), 0.5));
}

// ---- Weights ----

#define H DRAWN_HOLDS
#define L DRAWN_LEVEL
#define M DRAWN_MISSES
#define F DRAWN_FAILED
#define N DRAWN_NOT_RUN

// Facts by hand: their verdicts in four draws; likelihoods are those of the verdicts.
struct by_hand {
    enum drawn drawn[4];
    double likelihoods[4];
};

static struct left_out left_out_by_hand(struct by_hand *facts, guint count, guint left_out)
{
    struct drawn_fact drawn[8];
    for (guint i = 0; i < count; i++) {
        for (guint k = 0; k < 4; k++)
            facts[i].likelihoods[k] = likelihood_of_drawn(facts[i].drawn[k]);
        drawn[i] = (struct drawn_fact){facts[i].drawn, facts[i].likelihoods};
    }
    return leave_one_out(drawn, count, 4, left_out);
}

static void test_weights(void)
{
    // The other fact holds in two draws: these weigh 19 times as much as the two in which it
    // misses.
    struct by_hand facts[] = {{{H, M, H, M}, {0}}, {{H, H, M, M}, {0}}};
    struct left_out out = left_out_by_hand(facts, 2, 0);
    CU_ASSERT(near(out.holds, 20.0 / 40.0));
    CU_ASSERT(near(out.effective, 40.0 * 40.0 / (2 * 19.0 * 19.0 + 2)));
    CU_ASSERT(out.moved);
    SUITE_SAME_INTEGER(out.others, 1);
    facts[0] = (struct by_hand){{H, H, M, L}, {0}};
    out = left_out_by_hand(facts, 2, 0);
    CU_ASSERT(near(out.holds, 38.0 / 40.0));
    CU_ASSERT(near(out.level, 1.0 / 40.0));
    CU_ASSERT(near(out.plain_holds, 0.5));
    CU_ASSERT(near(out.plain_level, 0.25));
    // A fact does not weigh its own draws: alone it leaves them as they are.
    out = left_out_by_hand(facts, 1, 0);
    CU_ASSERT(near(out.holds, 0.5));
    CU_ASSERT(near(out.effective, 4.0));
    SUITE_SAME_INTEGER(out.others, 0);
}

static void test_missing(void)
{
    // Draws in which the fact failed do not count; a failure of another is no evidence.
    struct by_hand facts[] = {{{H, F, M, M}, {0}}, {{H, H, F, M}, {0}}};
    struct left_out out = left_out_by_hand(facts, 2, 0);
    SUITE_SAME_INTEGER(out.draws, 3);
    CU_ASSERT(near(out.holds, 0.95 / (0.95 + 0.5 + 0.05)));
    // In draws in which a fact was not run it has its mean likelihood; otherwise it counts
    // where it was judged.
    facts[1] = (struct by_hand){{H, H, M, N}, {0}};
    facts[0] = (struct by_hand){{H, M, M, H}, {0}};
    out = left_out_by_hand(facts, 2, 0);
    SUITE_SAME_INTEGER(out.others, 1);
    SUITE_SAME_INTEGER(out.draws, 4);
    CU_ASSERT(near(out.holds, (0.95 + 0.65) / (2 * 0.95 + 0.05 + 0.65)));
    // One that no draw moves weighs nothing, and one that was run in none is no other.
    facts[1] = (struct by_hand){{M, N, N, M}, {0}};
    out = left_out_by_hand(facts, 2, 0);
    CU_ASSERT(near(out.effective, 4.0));
    facts[1] = (struct by_hand){{N, N, N, N}, {0}};
    SUITE_SAME_INTEGER(left_out_by_hand(facts, 2, 0).others, 0);
    facts[1] = (struct by_hand){{H, M, N, N}, {0}};
    facts[0] = (struct by_hand){{H, M, H, M}, {0}};
    out = left_out_by_hand(facts, 2, 1);
    SUITE_SAME_INTEGER(out.others, 1);
    SUITE_SAME_INTEGER(out.draws, 2);
    CU_ASSERT(near(out.holds, 0.95));
    // Judged in no draw.
    facts[0] = (struct by_hand){{F, F, N, N}, {0}};
    out = left_out_by_hand(facts, 2, 0);
    SUITE_SAME_INTEGER(out.draws, 0);
    CU_ASSERT(near(out.effective, 0.0));
    // The draws agree: no draw moves it.
    facts[0] = (struct by_hand){{M, M, F, M}, {0}};
    CU_ASSERT(!left_out_by_hand(facts, 2, 0).moved);
}

// `draws` draws of a fact that every other draw meets, and of three others that hold in half of the
// draws each, in all combinations.
static struct left_out of_three_others(guint draws)
{
    enum drawn drawn[4][80];
    double likelihoods[4][80];
    struct drawn_fact facts[4];
    for (guint i = 0; i < 4; i++) {
        for (guint k = 0; k < draws; k++) {
            drawn[i][k] = k >> i & 1 ? DRAWN_MISSES : DRAWN_HOLDS;
            likelihoods[i][k] = likelihood_of_drawn(drawn[i][k]);
        }
        facts[i] = (struct drawn_fact){drawn[i], likelihoods[i]};
    }
    return leave_one_out(facts, 4, draws, 0);
}

// The effective part of draws of which half weigh 19 times as much to a power, for three facts.
static double part_of_three(double power)
{
    double odds = pow(19.0, power);
    return pow((1 + odds) * (1 + odds) / 2 / (1 + odds * odds), 3);
}

// The likelihood of others is softened until 20 draws count, if there are enough of them.
static void test_power(void)
{
    struct left_out out = of_three_others(32);
    CU_ASSERT(near(out.power, 1.0));
    CU_ASSERT(near(out.effective, 32 * part_of_three(1.0)));
    out = of_three_others(80);
    CU_ASSERT(out.power > 0.1 && out.power < 0.9);
    CU_ASSERT_DOUBLE_EQUAL(out.effective, 20.0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(80 * part_of_three(out.power), 20.0, 1e-9);
    CU_ASSERT(near(out.holds, 0.5));
}

// ---- Synthetic sources ----

// Machines of CONSTANTS standard normal constants. A source states of one machine, the truth, the
// signs of ORDERS and the values of NUMBERS linear functions of them, the values with an error of
// 1. A bank of draws is judged against each of the truths.
#define CONSTANTS 3
#define ORDERS 6
#define NUMBERS 6
#define FACTS (ORDERS + NUMBERS)
#define BANK 400
#define TRUTHS 200

struct synthetic {
    double slopes[FACTS][CONSTANTS], offsets[FACTS];
    double bank[BANK][FACTS]; // the value of each function
};

static double normal(struct random_stream *stream)
{
    return gsl_cdf_ugaussian_Pinv((double)(random_bits(stream) >> 11) * 0x1p-53 + 0x1p-54);
}

static void draw_machine(const struct synthetic *synthetic, struct random_stream *stream,
                         double *values)
{
    double constants[CONSTANTS];
    for (int i = 0; i < CONSTANTS; i++)
        constants[i] = normal(stream);
    for (int i = 0; i < FACTS; i++) {
        values[i] = synthetic->offsets[i];
        for (int k = 0; k < CONSTANTS; k++)
            values[i] += synthetic->slopes[i][k] * constants[k];
    }
}

static struct synthetic *synthetic_new(struct random_stream *stream)
{
    struct synthetic *synthetic = g_new0(struct synthetic, 1);
    for (int i = 0; i < FACTS; i++) {
        synthetic->offsets[i] = i < ORDERS ? normal(stream) : 0.0;
        for (int k = 0; k < CONSTANTS; k++)
            synthetic->slopes[i][k] = normal(stream);
    }
    for (int i = 0; i < BANK; i++)
        draw_machine(synthetic, stream, synthetic->bank[i]);
    return synthetic;
}

struct judged_bank {
    struct drawn_fact facts[FACTS];
    enum drawn drawn[FACTS][BANK];
    double likelihoods[FACTS][BANK];
};

// The bank against what a source states of a truth.
static void judge_bank(const struct synthetic *synthetic, const double *stated,
                       struct judged_bank *judged)
{
    for (int i = 0; i < FACTS; i++) {
        judged->facts[i] = (struct drawn_fact){judged->drawn[i], judged->likelihoods[i]};
        for (int k = 0; k < BANK; k++) {
            double value = synthetic->bank[k][i];
            const struct drawn_number number = {value - stated[i], 1.0};
            bool holds = i < ORDERS ? value * stated[i] > 0.0 : fabs(number.off) <= 1.0;
            judged->drawn[i][k] = holds ? DRAWN_HOLDS : DRAWN_MISSES;
            judged->likelihoods[i][k] = i < ORDERS ? likelihood_of_drawn(judged->drawn[i][k])
                                                   : likelihood_of_numbers(&number, 1);
        }
    }
}

// Whether a value is within the central 90 % of weighted draws of a fact.
static bool is_in_band(const struct synthetic *synthetic, const double *weights, int fact,
                       double value)
{
    double below = 0.0;
    for (int i = 0; i < BANK; i++)
        below += synthetic->bank[i][fact] < value ? weights[i] : 0.0;
    return below >= 0.05 && below <= 0.95;
}

// Of all orders of all truths, how many are positive, in what share of the weighted draws, and how
// many come out; of all numbers, how many are in their band.
struct coverage {
    double orders, positive, expected, right;
    double numbers, inside;
    double narrower; // the weighted spread of a number over the unweighted one, summed
};

static double weighted_spread(const struct synthetic *synthetic, const double *weights, int fact)
{
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < BANK; i++) {
        double value = synthetic->bank[i][fact], weight = weights ? weights[i] : 1.0 / BANK;
        mean += weight * value;
        square += weight * value * value;
    }
    return sqrt(square - mean * mean);
}

static void cover_fact(const struct synthetic *synthetic, const struct judged_bank *judged,
                       const double *truth, int fact, struct coverage *coverage)
{
    double weights[BANK], positive = 0.0;
    CU_ASSERT_TRUE_FATAL(left_out_weights(judged->facts, FACTS, BANK, (guint)fact, weights));
    if (fact >= ORDERS) {
        coverage->numbers++;
        coverage->inside += is_in_band(synthetic, weights, fact, truth[fact]);
        coverage->narrower +=
            weighted_spread(synthetic, weights, fact) / weighted_spread(synthetic, NULL, fact);
        return;
    }
    for (int i = 0; i < BANK; i++)
        positive += synthetic->bank[i][fact] > 0.0 ? weights[i] : 0.0;
    coverage->orders++;
    coverage->positive += truth[fact] > 0.0;
    coverage->expected += positive;
    coverage->right +=
        leave_one_out(judged->facts, FACTS, BANK, (guint)fact).holds >= LEFT_OUT_SHARE;
}

// Truths that the bank has not, and what a source that measures with an error states of them.
static void test_coverage(void)
{
    struct random_stream *stream = random_new(31, "leave-one-out");
    struct synthetic *synthetic = synthetic_new(stream);
    struct judged_bank *judged = g_new(struct judged_bank, 1);
    struct coverage coverage = {0};
    for (int i = 0; i < TRUTHS; i++) {
        double truth[FACTS], stated[FACTS];
        draw_machine(synthetic, stream, truth);
        for (int k = 0; k < FACTS; k++)
            stated[k] = truth[k] + (k < ORDERS ? 0.0 : normal(stream));
        judge_bank(synthetic, stated, judged);
        for (int k = 0; k < FACTS; k++)
            cover_fact(synthetic, judged, truth, k, &coverage);
    }
    double inside = coverage.inside / coverage.numbers, right = coverage.right / coverage.orders;
    // 90 % bands hold the truth in 85 to 95 %, and are a good deal narrower than those of all
    // draws.
    CU_ASSERT(inside >= 0.85 && inside <= 0.95);
    CU_ASSERT(coverage.narrower / coverage.numbers < 0.75);
    // Shares are what they say: as many orders come out as they add up to.
    CU_ASSERT(fabs(coverage.expected - coverage.positive) / coverage.orders < 0.03);
    CU_ASSERT(right > 0.85);
    g_free(judged);
    g_free(synthetic);
    random_free(stream);
}

// A source whose statements do not follow from its constants: the others do not help, and half of
// the orders come out.
static void test_unrelated(void)
{
    struct random_stream *stream = random_new(32, "leave-one-out");
    struct synthetic *synthetic = synthetic_new(stream);
    struct judged_bank *judged = g_new(struct judged_bank, 1);
    double share = 0.0;
    for (int i = 0; i < TRUTHS; i++) {
        double stated[FACTS];
        for (int k = 0; k < FACTS; k++)
            stated[k] = normal(stream);
        judge_bank(synthetic, stated, judged);
        for (guint k = 0; k < ORDERS; k++)
            share += leave_one_out(judged->facts, FACTS, BANK, k).holds / (TRUTHS * ORDERS);
    }
    CU_ASSERT(fabs(share - 0.5) < 0.05);
    g_free(judged);
    g_free(synthetic);
    random_free(stream);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"likelihoods of orders and numbers", test_likelihoods},
        {"weights by hand", test_weights},
        {"draws that failed or were not run", test_missing},
        {"a power that spares draws", test_power},
        {"bands and shares of synthetic sources", test_coverage},
        {"a source that its constants do not explain", test_unrelated},
        {0}};
    return suite_run("validate: leave-one-out", cases);
}
