// SPDX-License-Identifier: GPL-3.0-or-later
// Moves draws towards data: the ensemble smoother with multiple data assimilation (Emerick and
// Reynolds, "Ensemble smoother with multiple data assimilation", Computers & Geosciences 55, 2013).
//
// Where the data are precise, next to no draw of the prior explains them, and weights are left with
// one or two draws. The smoother moves the draws instead: it assimilates the data A times, each
// time with errors sqrt(A) times as great, and draws are run again after each. With simulations
// that are linear in the parameters, a Gaussian prior and many members, the last ensemble is a
// sample of the posterior; else it is an approximation.
//
// Parameters are in a space in which their prior is standard normal, so that ranges hold.
//
// Chance alone correlates each parameter with each target by 1 / sqrt(members), which narrows the
// spread of parameters that the data have no part in by the share of targets / (2 members): keep
// members well above targets.
#ifndef NETSIM_STATISTICS_SMOOTHER_H
#define NETSIM_STATISTICS_SMOOTHER_H

#include <stddef.h>
#include <stdint.h>

#define SMOOTHER_ASSIMILATIONS 4

struct smoother {
    size_t members, parameters, targets;
    double *state;           // members x parameters; moved
    const double *simulated; // members x targets
    const double *measured;  // by target
    const double *errors;    // by target: standard deviations, above 0
    // members x targets: the part of `simulated` that comes from alternatives, which no update
    // moves; NULL: there are none. Covariances are those of the rest.
    const double *offsets;
    int assimilations; // in all, 1 or more
    uint64_t seed;     // of the perturbations of the data
};

// Makes one of the assimilations, `step` being its number, from 0. Deterministic. With fewer than
// two members nothing moves.
void smoother_update(const struct smoother *smoother, int step);

// Fills offsets (members x targets) by the groups that members belong to: groups[member * factors +
// factor] is a number from 0, below `members`. Each factor adds the mean of its group; a group
// whose mean is within three standard errors of that of all adds nothing.
void smoother_group_offsets(const double *simulated, size_t members, size_t targets,
                            const int *groups, size_t factors, double *offsets);

// Fills weights (by member; sum 1) with the likelihood of each member's alternatives, whatever the
// values of the parameters: that of the data under a normal distribution about its offsets.
void smoother_offset_weights(const struct smoother *smoother, double *weights);

#endif
