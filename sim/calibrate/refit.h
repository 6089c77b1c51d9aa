// SPDX-License-Identifier: GPL-3.0-or-later
// Fits in draws: what the fitted parameters are in machines whose uncertain constants have other
// values (sim/scenario/draw.h), as an ensemble (sim/scenario/ensemble.h) has them.
//
// Each draw starts from the fit of the medians and its derivatives, with which a Newton step (by
// least squares where there are more targets than parameters) comes close; Broyden's updates learn
// the rest (Broyden, "A class of methods for solving nonlinear simultaneous equations",
// Mathematics of Computation 19, 1965). Draws are run side by side, a step of each at a time. Only
// targets that are numbers are solved for. A parameter that none of them depends on keeps the
// medians' value as long as orders and crossovers are met no worse than there, else several values
// between its bounds are tried. Where the steps lead nowhere, the search of a fit begins anew
// (fit.h).
#ifndef NETSIM_CALIBRATE_REFIT_H
#define NETSIM_CALIBRATE_REFIT_H

#include "sim/calibrate/fit.h"

// The search begins anew where the numbers are off by so many tolerances more than without draws
// (root mean square).
#define REFIT_GOOD_OFF 1.0
// There is no fit where a number is off by so many tolerances more than without draws, and by so
// great a share of its value. Costs below are of fits of stairs, none of whose steps is at the
// target.
#define REFIT_MOST_OFF 3.0
#define REFIT_MOST_SHARE 0.02

struct refit_draw {
    int64_t draw;
    double *values; // by parameter
    double off;     // of the targets that are numbers, in tolerances, root mean square
    double orders;  // of all others
    char *fault;    // why there is no fit; NULL: there is one
    bool searched;  // the search began anew
    bool tried;     // a parameter that only orders depend on had to move
};

struct refit {
    struct evaluation *evaluation;
    enum fit_method method; // of a search
    struct fit *medians;    // owned
    bool known;             // the medians' values are those of the scenario
    double off, orders;     // there
    gsl_matrix *slopes;     // d residual / d (value / scale) of the numbers, there
    double *scales;         // by parameter
    bool *by_numbers;       // by parameter: a number depends on it
    GArray *numbers;        // int: which residuals are numbers
};

// The fit of the medians: the scenario's values, if no step betters them, else a search. NULL and
// *error if a run fails. Free with refit_free.
struct refit *refit_new(struct evaluation *evaluation, enum fit_method method, GError **error);
void refit_free(struct refit *refit);

// Fits in draws, whose numbers are filled in. False and *error if the user has interrupted.
bool refit_run(const struct refit *refit, struct refit_draw *draws, int count, GError **error);
void refit_draw_clear(struct refit_draw *draw);

#endif
