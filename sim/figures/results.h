// SPDX-License-Identifier: GPL-3.0-or-later
// A directory that `netsim run` wrote, read back as the document that --format json prints.
#ifndef NETSIM_FIGURES_RESULTS_H
#define NETSIM_FIGURES_RESULTS_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

// The scenario, and for each of its series name, stack, status, reason, points and values, from
// results.csv and manifest.json. Returns a new reference, or NULL and sets *error if one of the
// files is missing or was not written by a run.
json_t *results_read(const char *directory, GError **error);

// Whether a text of CSV has the columns of a run's results.csv.
bool results_has_columns(const char *text);

// Like results_read, but from such a text alone, which gives only values: the series of the
// scenario `name` then count as completed.
json_t *results_of_csv(const char *path, const char *text, size_t length, const char *name,
                       GError **error);

#endif
