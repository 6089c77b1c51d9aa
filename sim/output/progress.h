// SPDX-License-Identifier: GPL-3.0-or-later
// How far a command is. On a terminal a bar: percent, the current work, elapsed time, redrawn at
// most ten times per second and erased at the end. Elsewhere a line after ten seconds and then one
// a minute; $NETSIM_PROGRESS is another number of seconds between them, or "off".
#ifndef NETSIM_OUTPUT_PROGRESS_H
#define NETSIM_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

struct progress;

// Returns NULL if `out` is no terminal and no lines are wanted; all other functions ignore NULL.
// `steps` is the number of series.
struct progress *progress_new(FILE *out, int steps);

// Series `step` has reached the fraction `done`. The signature is that of run_progress_fn; `owner`
// is the progress.
void progress_update(void *owner, int step, double done, const char *detail);

// The same work goes on: shows what the last update reported, with the time.
void progress_beat(struct progress *progress);

// Work whose end is not known: shows the detail ("17 runs") without a percentage.
void progress_detail(struct progress *progress, const char *detail);

// Erases the bar and frees it.
void progress_free(struct progress *progress);

// The bar's line, without control characters: "[#####-----]  50 %  VIA RPI: 64 KiB  1.2 s", cut to
// `width` columns; the current work is cut before the time. The caller frees it.
char *progress_line(double fraction, const char *detail, double seconds, int width);

#endif
