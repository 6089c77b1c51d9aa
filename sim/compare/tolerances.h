// SPDX-License-Identifier: GPL-3.0-or-later
// The tolerances of a comparison, by metric.
//
//   2%                 of A's value, every metric
//   0.5 us             every metric in a unit of this kind
//   latency=2%         one metric, by its name or the short form ("latency", "p99")
//   2% worse           only deviations for the worse count: longer times, lower rates
//   2% more, 2% less   only values above, or below, A's count
//
// Tolerances that name a metric replace, for it, those that name none. Where several apply to a
// metric, a deviation within one of them is no difference.
#ifndef NETSIM_COMPARE_TOLERANCES_H
#define NETSIM_COMPARE_TOLERANCES_H

#include <glib.h>
#include <stdbool.h>

struct tolerances;

// Reads the texts (NULL: none) for the metrics (const char *, interned) that the results have.
// Returns NULL and sets *error, with the remedy in *hint (g_free; may be NULL), after a mistake.
struct tolerances *tolerances_read(const char *const *texts, const GPtrArray *metrics,
                                   GError **error, char **hint);
void tolerances_free(struct tolerances *tolerances);

// Whether b stands for a. Without a tolerance (NULL: of no metric) only the same value does.
bool tolerances_allow(const struct tolerances *tolerances, const char *metric, double a, double b);

// The texts as given, NULL-terminated.
const char *const *tolerances_texts(const struct tolerances *tolerances);

#endif
