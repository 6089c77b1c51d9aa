// SPDX-License-Identifier: GPL-3.0-or-later
// Leave-one-out: how often a fact of a source comes out in draws (sim/scenario/draw.h) that are
// weighted by all other facts of that source. Pure functions: what a fact is, and what a draw makes
// of it, is the caller's (theses.h).
//
// The likelihood of a fact in a draw, always between LIKELIHOOD_DOUBT and 1 - LIKELIHOOD_DOUBT:
//
//   order, shape, bound:  holds 0.95, misses 0.05, level 0.5. Once in twenty a source's statement
//     is taken to be misread, or the model to lack what makes it true; of curves that are level a
//     source may report either order.
//   numbers:  0.05 + 0.9 exp(-z^2 / 2) with the mean of z^2 over the numbers, where z is how far
//   one
//     is off in errors. Its error is the check's tolerance, or 2 % of the value if that is more:
//     the model's own discrepancy, by which orders count as level.
//   a draw in which the fact could not be judged:  0.5, as it is no evidence.
//
// So one fact shifts the odds of two draws by 19 at most: one that no draw meets can't decide alone
// which draws count. Several judgements of a fact are of the same simulated numbers and count as
// one: by their geometric mean. Known misses weigh as all facts do, as do facts that constants were
// chosen for or fitted to. Guesses and arithmetic do not. A draw in which another fact was not run
// has that fact's mean likelihood; so one that no draw moves has no part in the weights, in how
// many draws it may have been run.
//
// A mechanism that a model lacks shows in several facts at once, so the product of their
// likelihoods is too sure of itself, and with many facts it leaves a handful of draws. Where fewer
// than LEFT_OUT_FEW of LEFT_OUT_ENOUGH or more would be effective, the likelihood is taken to the
// largest power at which LEFT_OUT_FEW are (a coarsened posterior: Miller and Dunson, "Robust
// Bayesian inference via coarsening", J. Am. Stat. Assoc. 114, 2019). The power is chosen by the
// others alone.
#ifndef NETSIM_VALIDATE_LEAVE_ONE_OUT_H
#define NETSIM_VALIDATE_LEAVE_ONE_OUT_H

#include <glib.h>
#include <stdbool.h>

#define LIKELIHOOD_DOUBT 0.05
#define LIKELIHOOD_DISCREPANCY 0.02

// A fact comes out if it holds in at least this share of the weighted draws, a level one not being
// one that holds.
#define LEFT_OUT_SHARE 0.5
// With fewer effective draws the weighted share says little, and the unweighted one stands next to
// it.
#define LEFT_OUT_FEW 20.0
#define LEFT_OUT_ENOUGH 40 // draws of which so few can be asked for

// The outcome of a claim or fact in a draw.
enum drawn {
    DRAWN_HOLDS,
    DRAWN_LEVEL,
    DRAWN_MISSES,
    DRAWN_FAILED,  // it was run, and can't be judged: the run failed, or has no value
    DRAWN_NOT_RUN, // dear claims are run in some of the draws only
};

// A number that a check expects: how far the simulated one is off, and the check's tolerance, both
// as parts of the value or both in points. The tolerance is NAN if the check has none.
struct drawn_number {
    double off, tolerance;
};

double likelihood_of_drawn(enum drawn drawn);

// `count` is at least 1, and each has a tolerance.
double likelihood_of_numbers(const struct drawn_number *numbers, guint count);

// Of several judgements of the same fact; 0.5 without any.
double likelihood_of_several(const double *likelihoods, guint count);

struct drawn_fact {
    enum drawn *drawn;   // by draw
    double *likelihoods; // by draw; not read where it was not run
};

// Weights, which sum to 1, of the draws in which a fact was judged (0 in others), by the other
// facts. Draws between which no fact differs have equal weights.
// Returns false if the fact was judged in none; the weights mean nothing then.
bool left_out_weights(const struct drawn_fact *facts, guint count, guint draws, guint left_out,
                      double *weights);

struct left_out {
    guint draws;                     // in which it was judged
    guint others;                    // facts that weigh them
    double power;                    // of the others' likelihood: 1, or less to spare draws
    double effective;                // sample size of the weights: 1 / sum of their squares
    double holds, level;             // weighted shares
    double plain_holds, plain_level; // unweighted
    bool moved;                      // the draws differ in it
};

// All is 0 if the fact was judged in no draw.
struct left_out leave_one_out(const struct drawn_fact *facts, guint count, guint draws,
                              guint left_out);

#endif
