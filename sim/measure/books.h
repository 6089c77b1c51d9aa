// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the ledger's totals of a run that has ended.
#ifndef NETSIM_MEASURE_BOOKS_H
#define NETSIM_MEASURE_BOOKS_H

#include "sim/measure/result.h"

// A program that came to its end while the books are open has not moved the data it was to move:
// its times are no result. Sets the status SIM_LOST and the reason, if the result is completed and
// its ledger is not balanced.
void books_judge(struct series_result *result);

#endif
