// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of `netsim report`: report.c writes the page, report_page.c makes its document,
// report_run.c and report_sweep.c the parts that are a run and a sweep, report_table.c their
// tables.
//
//   {"page": 1, "version", "title", "command": [text], "notes": [text],
//    "together": picture (sim/figures/document.h) of all parts in one, or null,
//    "parts": [{"kind": "run" | "sweep", "word", "label", "scenario", "title", "source",
//               "pictures": [{"title", "document": picture}],
//               "tables": [{"name", "file", "columns": [text], "rows": [[text]], "left"}],
//               "notes": [text],
//               of a run: "manifest", "machine" (SVG or null), "claims": rows of a scorecard
//                         (sim/validate/validate.h), "explain": what `netsim explain --format json`
//                         prints, or null; "diagrams": what `netsim diagram --format json`
//                         prints, of one message of each of the series
//               of a sweep: "report" (sim/outcome/outcome_report.h), "command": text}]}
//
// "left" is the number of rows that a table lacks, so that the page stays bounded.
#ifndef NETSIM_CLI_REPORT_H
#define NETSIM_CLI_REPORT_H

#include "sim/cli/cli.h"

#include <jansson.h>

#define PAGE_MOST_ROWS 4000 // of a table

struct page_arguments {
    char *out;
    gboolean is_static, no_explain, quiet;
};

// The document of the page on all that the words name. Returns a new reference, or NULL after an
// error, which is in *error or has been printed.
json_t *page_document(char *const *words, int count, const struct page_arguments *arguments,
                      GError **error);

// The part of a directory that `netsim run` wrote. Returns NULL and sets *error if it has no
// results.
json_t *page_run(const char *directory, const struct page_arguments *arguments, GError **error);

// The part of the newest sweep of a database. Returns NULL and sets *error if it has none.
json_t *page_sweep(const char *database, GError **error);

// A table of CSV, from the text of `file`; NULL if that is malformed.
json_t *page_table(const char *name, const char *file, const char *text);

#endif
