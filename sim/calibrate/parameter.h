// SPDX-License-Identifier: GPL-3.0-or-later
// A physical parameter that is fitted: where it stands, in which unit, between which bounds, and
// how the search sees it.
//
// The search works on a number u without bounds; the value is lo * (hi / lo)^s(u) with the logistic
// s, so that a step is a change in per cent, and no step leads out of the bounds. With a bound of 0
// it is hi * s(u).
#ifndef NETSIM_CALIBRATE_PARAMETER_H
#define NETSIM_CALIBRATE_PARAMETER_H

#include "sim/config/quantity.h"
#include "sim/scenario/scenario.h"

struct fit_parameter {
    char *path;              // "lam.request"
    enum quantity_kind kind; // its values are numbers of this kind's base unit
    double lo, hi;           // bounds, lo < hi
    double start;            // where the search starts; depends on the bounds and the table alone
    double current;          // the scenario's own value, which the search does not look at
    const char *doc;
};

// Reads "PATH" or "PATH=lo..hi" against a compiled scenario. Bounds that are not given are a tenth
// and ten times the table's default (the scenario's value if there is none), within the table's
// range. NULL and *error (with what was probably meant) if there is no such parameter, or it is no
// quantity. Free with fit_parameter_free.
struct fit_parameter *fit_parameter_read(const char *text, const struct scenario *scenario,
                                         GError **error);
void fit_parameter_free(struct fit_parameter *parameter);

double fit_parameter_value(const struct fit_parameter *parameter, double u);
double fit_parameter_u(const struct fit_parameter *parameter, double value);

// The value as text with unit, rounded to the base unit: what --set is given. The caller frees it.
char *fit_parameter_text(const struct fit_parameter *parameter, double value);

// The value rounded to four digits (and to the base unit), within the bounds: what is worth
// writing down.
double fit_parameter_round(const struct fit_parameter *parameter, double value);

#endif
