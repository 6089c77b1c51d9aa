// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the values that come closest to the targets: least squares of the residuals.
#ifndef NETSIM_CALIBRATE_FIT_H
#define NETSIM_CALIBRATE_FIT_H

#include "sim/calibrate/evaluate.h"

#include <gsl/gsl_matrix.h>

enum fit_method { FIT_AUTO, FIT_LEVENBERG_MARQUARDT, FIT_NELDER_MEAD };

struct fit {
    enum fit_method method; // the one whose values these are
    bool changed;           // FIT_AUTO had begun with Levenberg-Marquardt, which led nowhere
    double *values;         // by parameter, rounded to what is written down
    double *residuals;      // there
    double cost;            // the sum of their squares
    double start_cost;
    bool converged;
    json_t *document; // of the run at `values`
    // At `values`: by how much a residual changes for a change of ln(value), residuals x
    // parameters.
    gsl_matrix *jacobian;
    gsl_matrix *sensitivity; // of what is simulated for each target, targets x parameters
};

// Returns NULL and sets *error if any run fails, including the first. Free with fit_free.
struct fit *fit_search(struct evaluation *evaluation, enum fit_method method, GError **error);

// A fit that is known: its residuals and derivatives at `values`. NULL and *error as above.
struct fit *fit_at(struct evaluation *evaluation, const double *values, GError **error);
void fit_free(struct fit *fit);

#endif
