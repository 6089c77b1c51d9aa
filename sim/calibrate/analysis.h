// SPDX-License-Identifier: GPL-3.0-or-later
// The properties of the fitted parameters that the targets determine, and those that they don't.
#ifndef NETSIM_CALIBRATE_ANALYSIS_H
#define NETSIM_CALIBRATE_ANALYSIS_H

#include "sim/calibrate/fit.h"

// Two parameters whose effects are this parallel can't be distinguished.
#define ANALYSIS_PARALLEL 0.995
// With a smaller probability the parameters do not describe the data.
#define ANALYSIS_LEAST_PROBABILITY 0.001
#define ANALYSIS_LEAST_SHOWN 1e-9
// Tolerances that a value may be off where there are as many parameters as values.
#define ANALYSIS_MOST_OFF 3.0

struct analysis {
    double condition; // of the scaled derivatives by the parameters that change something
    double *error;    // by parameter: share of its value that a residual of 1 is worth; infinite
    gsl_matrix *parallel;    // cosine of the angle between the effects of two parameters
    gsl_matrix *correlation; // of the estimates; NULL if those can't be determined
    // Of the targets that expect a number, with a tolerance as standard deviation; degrees: their
    // number less that of the parameters, 0 or less: chi_square is meaningless.
    double chi_square, probability; // probability: of so much or more, if all is as it should be
    int degrees;
    double worst;     // tolerances that one of them is off
    GPtrArray *notes; // char *: in words, what is not determined, and what else to know
};

// How many tolerances a target is off: the length of its residuals.
double analysis_off_by(const struct fit *fit, const struct evaluation *evaluation, guint index);

// Whether the targets refute that the model with these values describes them.
bool analysis_refutes(const struct analysis *analysis);

struct analysis *analysis_new(const struct fit *fit, const struct evaluation *evaluation);
void analysis_free(struct analysis *analysis);

#endif
