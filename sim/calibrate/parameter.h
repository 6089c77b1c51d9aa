// SPDX-License-Identifier: GPL-3.0-or-later
// A fitted physical parameter: its path, its unit, its bounds, and how the search sees it.
//
// The search uses an unbounded number u; the value is lo * (hi / lo)^s(u) with the logistic
// function s, so that a step is a relative change, and no step leaves the bounds. With a lower
// bound of 0 the value is hi * s(u).
#ifndef NETSIM_CALIBRATE_PARAMETER_H
#define NETSIM_CALIBRATE_PARAMETER_H

#include "sim/config/quantity.h"
#include "sim/scenario/scenario.h"

struct fit_parameter {
    char *path;              // "lam.request"
    enum quantity_kind kind; // its values are numbers of this kind's base unit
    double lo, hi;           // bounds, lo < hi
    double start;            // where the search starts; depends only on the bounds and the table
    double current;          // the scenario's own value, which the search ignores
    const char *doc;
};

// Reads "PATH" or "PATH=lo..hi" for a compiled scenario. Bounds that are not given are a tenth of
// and ten times the table's default (the scenario's value if there is none), within the table's
// range. Returns NULL and sets *error (with a suggestion) if there is no such parameter or it is no
// quantity. Free with fit_parameter_free.
struct fit_parameter *fit_parameter_read(const char *text, const struct scenario *scenario,
                                         GError **error);
void fit_parameter_free(struct fit_parameter *parameter);

double fit_parameter_value(const struct fit_parameter *parameter, double u);
double fit_parameter_u(const struct fit_parameter *parameter, double value);

// The value as text with unit, rounded to the base unit, as --set takes it. The caller frees it.
char *fit_parameter_text(const struct fit_parameter *parameter, double value);

// The value that such a text has. False if it is none of this kind.
bool fit_parameter_number(const struct fit_parameter *parameter, const char *text, double *value);

// The value rounded to four digits (and to the base unit), within the bounds: the precision worth
// writing down.
double fit_parameter_round(const struct fit_parameter *parameter, double value);

#endif
