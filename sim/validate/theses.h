// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard's rows by thesis (the start of an id: "via"): its facts, the numbers that it prints,
// its figures, and the causes of what misses. Rows, and what comes of them, are as validate.h has
// them. All return new references.
#ifndef NETSIM_VALIDATE_THESES_H
#define NETSIM_VALIDATE_THESES_H

#include <jansson.h>
#include <stdbool.h>

// The facts: claims that judge the same simulated numbers are one. A fact misses if a claim of it
// does, else it holds if one does, else it is level if one is; its standing is the greatest of its
// claims' (standing.h). Guesses and arithmetic don't decide where other claims do.
json_t *theses_facts(json_t *rows);

// Whether a row counts for a fact's verdict: guesses and arithmetic do if there are no others.
bool theses_decides(const json_t *row, const json_t *fact);

// For each thesis, and for all: how many predicted facts hold, are level and miss; the same of
// `others`, which were chosen or fitted, so that none that misses is lost; and how far printed
// numbers of predicted facts are off.
json_t *theses_summary(json_t *rows, json_t *facts);

// For each figure: how many statements about it hold, are level and miss, and the miss that is
// furthest off.
json_t *theses_figures(json_t *rows);

// For each thesis and cause the known misses of that cause; last those without one.
json_t *theses_causes(json_t *rows);

#endif
