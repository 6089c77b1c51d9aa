// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of the single repetitions of a measurement: the first, the longest with the timer
// that it waited for, and the median. Unlike struct laps it keeps no times, so it is always kept.
#ifndef NETSIM_MEASURE_REPETITIONS_H
#define NETSIM_MEASURE_REPETITIONS_H

#include "sim/core/sim.h"
#include "sim/measure/result.h"

#include <gsl/gsl_rstat.h>

// A repetition stands out if it takes so many times the median.
#define STANDOUT_TIMES 10.0
// The first one does if it differs from the mean of the others by this share of that mean, and
// leaving it out would change the reported mean by the other.
#define WARM_UP_DIFFERENCE 0.1
#define WARM_UP_EFFECT 0.01

struct repetitions {
    sim_time last; // end of the one before
    int64_t count;
    sim_time first, sum, longest;
    int64_t longest_at;     // its index, from 0
    struct sim_wait waited; // the timer of the longest; a NULL `what`: none took half of it
    gsl_rstat_quantile_workspace *median;
};

void repetitions_begin(struct repetitions *of, sim_time now);

// One from `from` to `to` has ended now. Allocates nothing but on the first call. sim: whose timers
// it may have waited for, or NULL.
void repetitions_add(struct repetitions *of, const struct sim *sim, sim_time from, sim_time to);
void repetitions_clear(struct repetitions *of);

// Adds what stands out to the result; repetitions of `parts` messages each, of that size.
void repetitions_judge(const struct repetitions *of, int rank, int64_t size, int64_t parts,
                       struct series_result *result);

#endif
