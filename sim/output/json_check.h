// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JSON from outside has the form that json.h writes, before any value is taken from it.
#ifndef NETSIM_OUTPUT_JSON_CHECK_H
#define NETSIM_OUTPUT_JSON_CHECK_H

#include <jansson.h>

// Returns what is wrong with a series (from series_json or series_outcome_json) with its place
// within the series: "points[1].size_bytes: a whole number from 0 on is expected". Returns NULL if
// nothing is wrong; unknown members are allowed. The caller frees the text.
char *series_problem_json(const json_t *series);

// The same for a document or a manifest, which must have `series`, each with a unique name.
char *json_document_problem(const json_t *document);

#endif
