// SPDX-License-Identifier: GPL-3.0-or-later
// Why a series did not complete, in words: the reason, what each rank waits for, and which messages
// are unaccounted for; and which the receivers have declined, which is no failure.
#ifndef NETSIM_OUTPUT_FAILURE_H
#define NETSIM_OUTPUT_FAILURE_H

#include "sim/measure/result.h"

#include <stdbool.h>

// Appends nothing for a series that completed. `mark` and `unmark` enclose the headline (colour
// codes, or "").
void failure_append(GString *out, const struct series_result *series, const char *mark,
                    const char *unmark);

// Which messages the receivers of a series have declined, and why, however the series ended: a line
// with their number, and some of them. Appends nothing if there are none.
void failure_append_declined(GString *out, const struct series_result *series);

// "ledger balanced: 12 messages", "ledger balanced: 12 messages, 3 declined" or "ledger NOT
// balanced: 12 messages, 1 lost, 2 misordered". The caller frees it.
char *failure_ledger_verdict(const struct ledger_totals *totals, bool balanced);

#endif
