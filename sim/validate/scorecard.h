// SPDX-License-Identifier: GPL-3.0-or-later
// A scorecard (validate.h) for people and for build servers.
#ifndef NETSIM_VALIDATE_SCORECARD_H
#define NETSIM_VALIDATE_SCORECARD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Each claim with its standing, what was expected, what came out and the verdict; the ranks if
// there are any; the totals by kind and by standing; last, how many predicted claims hold.
void scorecard_print(const json_t *scorecard, bool colour, FILE *file);

// As JUnit XML: a suite for each system and standing, a case for each claim. A miss is a failure,
// and so is a claim that holds though it is listed as a known miss; a known miss, what is not
// checkable and a behaviour whose tests were not run are skipped, with the reason. The caller frees
// it (g_free).
char *scorecard_junit(const json_t *scorecard);

#endif
