// SPDX-License-Identifier: GPL-3.0-or-later
// The document of a picture: all that plots/draw.py draws, as numbers and texts. It computes
// nothing more.
//
//   {"figure": 1, "id", "number", "file", "title", "source", "notes": [text],
//    "panels": [{"kind": "lines" | "bars" | "heat", "title",
//                "x": {"label", "unit", "scale"}, "y": {"label", "unit", "scale", "range", "zero"},
//                "series": [{"name", "stack", "scenario", "points": [[x, y]],
//                            "intervals": [[x, from, to, n]], "failure": null | {"status",
//                            "text"}}],
//                "marks": [{"kind", "x", "y", "from", "to", "text", "note", "source", "claim"}]}]}
//
// intervals are of means over n seeds: the 95 % confidence interval of the point at the same x. The
// member is missing where there are none. Of measured points, which are drawn without a line, they
// are what the user gives as their error, and n is 1.
// A heat panel has one series with points [x, y, value], and "value" beside "x" and "y".
#ifndef NETSIM_FIGURES_DOCUMENT_H
#define NETSIM_FIGURES_DOCUMENT_H

#include "sim/figures/choice.h"
#include "sim/figures/spec.h"
#include "sim/validate/runs.h"

// Registers with `runs` all that the figure needs.
void figure_need(const struct figure_spec *spec, struct runs *runs);

// Registers a result with `runs` (of runs_new_empty) in the place of the scenario of its name, or
// if the figure has none of that name, of the scenario that the figure is about. The figure's other
// scenarios stay without a result.
void figure_given(const struct figure_spec *spec, struct runs *runs, json_t *result);

// The picture of a figure, after runs_run. A series that is not there is left out, and a note in
// the document says which and why. New reference.
json_t *figure_document(const struct figure_spec *spec, const struct runs *runs);

// Takes out panels in which no series is left, unless that is all.
void figure_drop_empty_panels(json_t *document);

// How many results of a document are of runs that lost data: it is no picture of results then. Set
// by whoever makes a document.
int figure_lost(const json_t *document);
void figure_set_lost(json_t *document, int lost);

// How many series a document has, and of how many it says that they failed.
int figure_count_series(json_t *document, int *failed);

// The picture of a result that no figure is made for (the document of `netsim run --format json`),
// as far as it is chosen: a panel for each metric over message sizes, and bars for what has no
// size. New reference.
json_t *figure_of_result(json_t *all, struct choice *choice);

#endif
