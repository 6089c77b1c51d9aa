// SPDX-License-Identifier: GPL-3.0-or-later
// The document of a picture: all that plots/draw.py draws, as numbers and texts; the script
// computes nothing.
//
//   {"figure": 1, "id", "number", "file", "title", "source", "notes": [text],
//    "panels": [{"kind": "lines" | "bars" | "heat", "title",
//                "x": {"label", "unit", "scale"}, "y": {"label", "unit", "scale", "range", "zero"},
//                "series": [{"name", "stack", "scenario", "points": [[x, y]],
//                            "intervals": [[x, from, to, n]], "failure": null | {"status",
//                            "text"}}],
//                "marks": [{"kind", "x", "y", "from", "to", "text", "note", "source", "claim"}]}]}
//
// intervals belong to means over n seeds: the 95 % confidence interval of the point at the same x.
// With "band": true they are the central 90 % of n draws, and the points are medians.
// The member is missing where there are none. For measured points, which are drawn without a line,
// they are the errors that the user gives, and n is 1.
// A series with "steps": true keeps each value until its next point, and is drawn without signs.
// A heat panel has one series with points [x, y, value], and "value" besides "x" and "y".
#ifndef NETSIM_FIGURES_DOCUMENT_H
#define NETSIM_FIGURES_DOCUMENT_H

#include "sim/figures/choice.h"
#include "sim/figures/spec.h"
#include "sim/validate/runs.h"

// Registers with `runs` all that the figure needs.
void figure_need(const struct figure_spec *spec, struct runs *runs);

// Registers a result with `runs` (of runs_new_empty) as that of the scenario with its name or, if
// the figure has no scenario of that name, of the figure's main scenario. The figure's other
// scenarios stay without a result.
void figure_given(const struct figure_spec *spec, struct runs *runs, json_t *result);

// The picture of a figure, after runs_run. A missing series is left out, and a note in the document
// has its name and the reason. Returns a new reference.
json_t *figure_document(const struct figure_spec *spec, const struct runs *runs);

// Removes panels without series, unless all panels have none.
void figure_drop_empty_panels(json_t *document);

// How many results of a document belong to runs that lost data; such a document is no picture of
// results. Set by the code that makes a document.
int figure_lost(const json_t *document);
void figure_set_lost(json_t *document, int lost);

// The number of series of a document, and how many of them failed.
int figure_count_series(json_t *document, int *failed);

// The picture of the chosen part of a result for which there is no figure (the document of `netsim
// run --format json`): a panel per metric over message sizes, and bars for values without a size.
// Returns a new reference.
json_t *figure_of_result(json_t *all, struct choice *choice);

#endif
