// SPDX-License-Identifier: GPL-3.0-or-later
// Whether JSON from outside has the form that json.h writes, before any value is taken from it.
#ifndef NETSIM_OUTPUT_JSON_CHECK_H
#define NETSIM_OUTPUT_JSON_CHECK_H

#include <jansson.h>

// Returns what is wrong with a series (from series_json or series_outcome_json) with its place
// within the series: "points[1].size_bytes: a whole number from 0 on is expected". Returns NULL if
// nothing is wrong; unknown members are allowed. The caller frees the text.
char *series_problem_json(const json_t *series);

// The error in a file that is not JSON: its place, and what is expected there. The text quotes
// nothing of the file, as it may be another than was meant. The caller frees it.
char *json_unread_problem(const char *path, const json_error_t *error);

// Like series_problem_json for a document or a manifest, which must have `series`, each with a
// unique name.
char *json_document_problem(const json_t *document);

#endif
