// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of values over time, as `netsim run --values` writes them (sim/output/values.h): a
// panel per connection or path of a series, a stepped line per quantity.
#ifndef NETSIM_FIGURES_OVER_TIME_H
#define NETSIM_FIGURES_OVER_TIME_H

#include "sim/figures/choice.h"

// Reads the text of such a file; `path` is its name in errors, and `name` the picture's.
// The choice's series are those of the run, its metrics the quantities. Of more connections than
// can be shown those with the most changes are, and a note reports it. Returns a new reference, or
// NULL and sets *error.
json_t *over_time_document(const char *path, const char *text, size_t length, const char *name,
                           struct choice *choice, GError **error);

#endif
