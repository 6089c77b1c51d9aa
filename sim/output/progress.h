// SPDX-License-Identifier: GPL-3.0-or-later
// A progress bar on a terminal: percent, what is being done, time so far. It is redrawn at most ten
// times a second and takes itself away at the end.
#ifndef NETSIM_OUTPUT_PROGRESS_H
#define NETSIM_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress;

// NULL if `out` is no terminal: every other function ignores NULL. `steps` is the number of series.
struct progress *progress_new(FILE *out, int steps);

// Series `step` is done to the fraction `done`. The signature is that of run_progress_fn; owner is
// the progress.
void progress_update(void *owner, int step, double done, const char *detail);

// Takes the bar off the terminal and frees it.
void progress_free(struct progress *progress);

// The bar's line, without control characters: "[#####-----]  50 %  VIA RPI: 64 KiB  1.2 s", cut to
// `width` columns, what is being done before the time. The caller frees it.
char *progress_line(double fraction, const char *detail, double seconds, int width);

#endif
