// SPDX-License-Identifier: GPL-3.0-or-later
// Draws that are weighed by data: importance weights, what is left of a sample then, its moments
// and quantiles, and draws of equal weight in its place.
//
// Each draw comes from the prior and is weighed by its likelihood (importance sampling with the
// prior as the proposal). Errors are Gaussian: that of a target is what its source states and what
// the model itself may be off (its discrepancy; Kennedy and O'Hagan, "Bayesian calibration of
// computer models", J. R. Stat. Soc. B 63, 2001).
#ifndef NETSIM_STATISTICS_WEIGHTS_H
#define NETSIM_STATISTICS_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

// With an implausibility of at least 3 a draw does not explain a target: at most 5 % of any
// unimodal distribution lie beyond (Pukelsheim's three sigma rule; the bound of history matching,
// Craig, Goldstein, Seheult and Smith, "Pressure matching for hydrocarbon reservoirs", 1997).
#define WEIGHTS_IMPLAUSIBLE 3.0

// The standard deviation of a target's error: of independent parts, each 0 or more.
double weights_error(double stated, double discrepancy);

// How many standard deviations a simulated value is away from what was measured: 0 or more.
double weights_implausibility(double simulated, double measured, double error);

// Fills weights (sum: 1) from each draw's misfit, the sum of the squares of its implausibilities:
// weight ~ exp(-misfit / 2). A draw whose misfit is infinite has weight 0; if all are, all weights
// are equal. weights may be misfits.
void weights_of_misfits(const double *misfits, size_t count, double *weights);

// The number of equal draws that are worth as much: 1 / sum(weights^2) (Kish, "Survey sampling",
// 1965), 1 .. count.
double weights_effective_size(const double *weights, size_t count);

double weights_mean(const double *values, const double *weights, size_t count);

// The coefficient of correlation; 0 if one of both is constant.
double weights_correlation(const double *one, const double *other, const double *weights,
                           size_t count);

// The quantile at `share` (0 .. 1) of weighted values, which need not be sorted: with equal weights
// that of type 7; a value of weight 0 has no part in it (Akinshin, "Weighted quantile estimators",
// arXiv 2304.07265, 2023: type 7 with Kish's effective size). NaN if count is 0.
double weights_quantile(const double *values, const double *weights, size_t count, double share);

// Chooses `wanted` draws, each by its weight to less than one (systematic resampling: Kitagawa, J.
// Comput. Graph. Stat. 5, 1996; without its random offset). chosen[i] is a number below count. The
// first few of the chosen are spread over the draws as all are, so that a user may take the first
// 20 of 200.
void weights_resample(const double *weights, size_t count, size_t wanted, size_t *chosen);

#endif
