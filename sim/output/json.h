// SPDX-License-Identifier: GPL-3.0-or-later
// A result as JSON: what --format json prints, and the parts that the manifest shares with it.
#ifndef NETSIM_OUTPUT_JSON_H
#define NETSIM_OUTPUT_JSON_H

#include "sim/workload/result.h"

#include <jansson.h>

// The document of --format json: scenario, status, reason (of the first series with the worst
// status, or null), series, run, ledger. New reference.
//
// A series has its name, stack, status, reason, points (one for each size, with every metric of all
// ranks together), values (what belongs to no size or to one rank), counters, ledger and
// unaccounted (lines on messages that did not arrive).
json_t *result_json(const struct result *result);

// One series of that document, new reference.
json_t *series_json(const struct series_result *series);

// The document again, made of series that series_json or an earlier document has told (a list of
// them; stays with the caller): what result_json gives but for wall time and events a second. A
// series may also have the status "crashed", which is worse than all others. New reference.
json_t *result_of_series_json(const char *scenario, uint64_t seed, json_t *series);

// Older versions wrote "completed" of a series whose ledger is not balanced: makes it "lost", with
// the reason that can be had. To be called on each series that is read from a file.
void series_judge_json(json_t *series);

// {"messages", "bytes", "delivered", "lost", "duplicated", "misordered"}, new reference.
json_t *ledger_json(const struct ledger_totals *totals);

// A series' counters in the order of their names: the table that they come from has none. New
// reference.
json_t *counters_json(json_t *counters);

// Status, reason, events, fingerprint, simulated time, ledger, unaccounted and counters of a
// series: all that two runs of one scenario and seed have in common, new reference.
json_t *series_outcome_json(const struct series_result *series);

// The document as text that ends in a line feed; keys in the order in which they were set. Frees
// `document`. The caller frees the text (g_free).
char *document_text(json_t *document);

#endif
