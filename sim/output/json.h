// SPDX-License-Identifier: GPL-3.0-or-later
// A result as JSON: the output of --format json, and the parts that the manifest shares with it.
#ifndef NETSIM_OUTPUT_JSON_H
#define NETSIM_OUTPUT_JSON_H

#include "sim/measure/result.h"

#include <jansson.h>

// Returns the document of --format json as a new reference: scenario, status, reason (of the first
// series with the worst status, or null), series, run, ledger.
//
// A series has its name, stack, status, reason, points (one per size, with every metric of all
// ranks together), values (those that belong to no size or to one rank), counters, ledger and
// unaccounted (lines on messages that did not arrive); and if there are any,
// declined (lines on messages that their receivers did not want). It has links (links_json) unless
// it was simulated on flows.
json_t *result_json(const struct result *result);

// One series of that document, without `links`, as a new reference.
json_t *series_json(const struct series_result *series);

// The same document made from a list of series of series_json or of an earlier document; the caller
// keeps the list. It equals that of result_json but for wall time and events per second. A series
// may also have the status "crashed", which is worse than all others. Returns a new reference.
json_t *result_of_series_json(const char *scenario, uint64_t seed, json_t *series);

// Older versions wrote "completed" for a series whose ledger is not balanced: changes that to
// "lost", with the reason as far as it is known. To be called on each series that is read from a
// file.
void series_judge_json(json_t *series);

// {"messages", "bytes", "delivered", "lost", "duplicated", "misordered"}, and if there are any,
// "declined" (messages) and "declined_bytes". New reference.
json_t *ledger_json(const struct ledger_totals *totals);

// A series' counters sorted by name, as the hash table that they come from is unordered. Returns a
// new reference.
json_t *counters_json(json_t *counters);

// Status, reason, events, fingerprint, simulated time, ledger, unaccounted and counters of a
// series: all that must be equal for two runs of one scenario and seed. Returns a new reference.
json_t *series_outcome_json(const struct series_result *series);

// The document as text that ends in a line feed; keys in the order in which they were set. Frees
// `document`. The caller frees the text (g_free).
char *document_text(json_t *document);

#define JSON_EXACT_DIGITS 15 // decimal digits that a double always keeps

// Appends the document on one line, as json_dumps with JSON_COMPACT and reals of so many digits (0:
// those that keep the double).
void document_append_line(GString *out, json_t *document, size_t digits);

#endif
