// SPDX-License-Identifier: GPL-3.0-or-later
// Databases of sweeps with made-up results, for tests of reports, comparisons and plots of sweeps.
#ifndef NETSIM_TESTS_SUPPORT_MADE_SWEEP_H
#define NETSIM_TESTS_SUPPORT_MADE_SWEEP_H

#include "sim/outcome/outcome.h"

#include <glib.h>
#include <stdbool.h>

struct made_sweep {
    const char *axes[6];   // "link.rate=1 Mb/s|2 Mb/s", ends with NULL
    bool zip;              // all axes are one
    int seeds;             // 0: they do not vary
    int draws;             // 0: there are none
    const char *series[6]; // names, ends with NULL
    const char *counts;    // what sizes are numbers of; NULL: bytes
    // The result of one of the series at a point, which the caller frees: "completed; t_us:4=1.5
    // drops@2=3", "failed|overrun|the text; ", "unbalanced|line" for one that completed and lost
    // something, "missing", NULL if the point has no such series. "impossible|why", asked of the
    // first of the series, is of the point.
    char *(*result)(int point, int series);
};

// Writes the sweep "made" as made.sqlite into a directory; the caller frees its path.
char *made_sweep(const struct made_sweep *sweep, const char *directory);

// The outcome of such a sweep; what can't be read fails the running case and ends it. The caller
// frees it.
struct outcome *made_outcome(const struct made_sweep *sweep);

#endif
