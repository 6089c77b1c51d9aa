// SPDX-License-Identifier: GPL-3.0-or-later
// Integer-valued expressions over named variables ("64 KiB * (i + 1)", "(rank + 1) % ranks"), with
// muParser.
//
// random(n, key, ...) is a whole number in 0 .. n - 1 that its arguments determine: the same ones
// give the same number on every machine and in every run, and other ones, in any order or number,
// an independent one. n is at least 1, and its fraction does not count.
#ifndef NETSIM_CONFIG_EXPRESSION_H
#define NETSIM_CONFIG_EXPRESSION_H

#include "sim/core/diag.h"

#include <stdint.h>

struct expression;

// Variables of an expression: their names, and their values during an evaluation.
struct expression_variables {
    int count;
    const char *const *names;
    double *values;
};

// Compiles `text`; size and duration units work as postfix operators (KiB gives bytes, us gives
// picoseconds). Returns NULL and sets *error (g_free) if it does not compile or names an unknown
// variable. `variables` must outlive the expression.
struct expression *expression_new(const char *text, const struct expression_variables *variables,
                                  char **error);
void expression_free(struct expression *expression);

// Returns the value, rounded to the nearest integer. *error (g_free) is set if the value is not
// finite or beyond int64. No allocation after the first call.
int64_t expression_value(struct expression *expression, char **error);

#endif
