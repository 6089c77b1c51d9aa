// SPDX-License-Identifier: GPL-3.0-or-later
// Compares two scenarios or variants draw by draw (sim/scenario/draw.h): draw k is the same machine
// in both.
#ifndef NETSIM_COMPARE_COMPARE_DRAWS_H
#define NETSIM_COMPARE_COMPARE_DRAWS_H

#include "sim/compare/compare.h"

// Compares the results of all draws: struct compared *, NULL for a draw without one, as many in
// both. Returns a new reference:
//   {"same", "draws", "tolerances": [TEXT], "series": [{"series", "a", "b": draws that completed}],
//    "rows": [{"series", "metric", "rank", "size_bytes", "verdict": within|outside|undecided,
//              "n", "change", "change_low", "change_high", "sign_share", "told_apart",
//              "a", "b": {"median", "low", "high"}, "compared", "outside": draws}]}
// A change is relative to A. A draw is outside where B is beyond the tolerance, or only one of both
// has a value. A row is within if nearly no draw is outside (SHARE_RARE), outside if nearly all
// are, else undecided; "same" if every row is within.
json_t *compare_draws(const GPtrArray *a, const GPtrArray *b,
                      const struct compare_options *options);

// As text for people. The caller frees it.
char *compare_draws_text(const json_t *comparison);

// As JUnit XML: a suite of each series, with a case for each row, which fails unless it is within.
// The caller frees it (g_free).
char *compare_draws_junit(const json_t *comparison);

#endif
