// SPDX-License-Identifier: GPL-3.0-or-later
// The result of a series as a text that another process reads: every value to the last bit.
#ifndef NETSIM_MEASURE_RESULT_TEXT_H
#define NETSIM_MEASURE_RESULT_TEXT_H

#include "sim/measure/result.h"

// All of a result but its name and stack, which the reader knows. The caller frees it.
char *result_text_of(const struct series_result *series);

// The result that such a text tells, of a series with this name and stack; NULL if it is none. The
// caller frees it.
struct series_result *result_text_read(const char *text, const char *name, const char *stack);

#endif
