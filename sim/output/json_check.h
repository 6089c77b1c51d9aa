// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JSON that came from outside is what json.h writes, before anything takes values from it.
#ifndef NETSIM_OUTPUT_JSON_CHECK_H
#define NETSIM_OUTPUT_JSON_CHECK_H

#include <jansson.h>

// What is wrong with one of the series, from series_json or series_outcome_json: with its place
// below it, "points[1].size_bytes: a whole number from 0 on is expected". NULL if nothing is,
// beyond members that nobody knows. The caller frees it.
char *series_problem_json(const json_t *series);

// The same of a document or a manifest: that it has `series`, each with a name of its own.
char *json_document_problem(const json_t *document);

#endif
