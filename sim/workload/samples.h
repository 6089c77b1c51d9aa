// SPDX-License-Identifier: GPL-3.0-or-later
// What the times of single repetitions say (workload.samples): percentiles and spread, as metrics
// of a result beside the mean that the benchmark reports.
//
// A repetition's time is the benchmark's own: half a round trip where it reports that, else a call,
// of the rank whose mean is the benchmark's time, which is the slowest. So the mean of these times
// is that time.
#ifndef NETSIM_WORKLOAD_SAMPLES_H
#define NETSIM_WORKLOAD_SAMPLES_H

#include "sim/scenario/case.h"
#include "sim/workload/result.h"

// What names of these metrics begin with: "repetition_p99_us".
#define SAMPLES_METRIC "repetition_"

// How many repetitions of all sizes a rank measures.
double samples_of_rank(const struct workload *workload);

// Bytes that keeping them takes, at most.
double samples_bytes(const struct workload *workload);

// Appends the times of `count` repetitions of `parts` messages each, as a rank has measured them.
void samples_keep(GArray *samples, int rank, int64_t size, int64_t count, int64_t parts,
                  const sim_time *times);

// Adds the metrics repetition_p50_us, _p90_, _p99_, _min_, _max_ and _sd_ of `count` samples from
// `first` on to the result, for their size. No sd of a single one.
void samples_report(struct series_result *result, guint first, guint count);

// The names of the metrics; ends with NULL.
extern const char *const samples_metrics[];

#endif
