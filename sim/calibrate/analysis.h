// SPDX-License-Identifier: GPL-3.0-or-later
// What the targets determine about the fitted parameters, and what they don't.
#ifndef NETSIM_CALIBRATE_ANALYSIS_H
#define NETSIM_CALIBRATE_ANALYSIS_H

#include "sim/calibrate/fit.h"

// Two parameters whose effects are this parallel can't be told apart.
#define ANALYSIS_PARALLEL 0.995

struct analysis {
    double condition; // of the scaled derivatives by the parameters that change something
    double *error;    // by parameter: share of its value that a residual of 1 is worth; infinite
    gsl_matrix *parallel;    // cosine of the angle between the effects of two parameters
    gsl_matrix *correlation; // of the estimates; NULL if those can't be determined
    GPtrArray *notes;        // char *: in words, what is not determined, and what else to know
};

struct analysis *analysis_new(const struct fit *fit, const struct evaluation *evaluation);
void analysis_free(struct analysis *analysis);

#endif
