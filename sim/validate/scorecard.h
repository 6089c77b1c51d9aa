// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard (validate.h) for people and for build servers.
#ifndef NETSIM_VALIDATE_SCORECARD_H
#define NETSIM_VALIDATE_SCORECARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Prints each claim with its standing, the expected and simulated values and the verdict; then the
// ranks, if any; the totals by kind and by standing; how many predicted claims hold; the known
// misses by cause and what comes of figures; the facts and numbers by thesis (theses.h); and last,
// with draws, what these make of claims and facts (drawn_facts.h).
// `brief`: one line per claim, without what was expected and why; where a `width` (0: any) has no
// room for it, without what was simulated, too.
void scorecard_print(const json_t *scorecard, bool brief, bool colour, int width, FILE *file);

// As JUnit XML: one suite per system and standing, one case per claim. A miss is a failure, and so
// is a claim that holds or is level although it is listed as a known miss. Other known misses,
// level claims, guesses that don't hold, claims that are not checkable and behaviours whose tests
// were not run are skipped, with the reason. The caller frees it (g_free).
char *scorecard_junit(const json_t *scorecard);

#endif
