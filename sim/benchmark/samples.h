// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of the times of single repetitions (workload.samples): percentiles and spread, as
// metrics of a result besides the mean that the benchmark reports.
//
// A repetition's time is defined as the benchmark's: half a round trip if it reports that, else a
// call. It is taken from the rank whose mean is the benchmark's time, which is the slowest. So the
// mean of these times is the benchmark's time.
#ifndef NETSIM_BENCHMARK_SAMPLES_H
#define NETSIM_BENCHMARK_SAMPLES_H

#include "sim/measure/result.h"
#include "sim/scenario/case.h"

// Prefix of these metrics' names: "repetition_p99_us".
#define SAMPLES_METRIC "repetition_"

// Number of repetitions that a rank measures, over all sizes.
double samples_of_rank(const struct workload *workload);

// Memory for keeping them, bytes, at most.
double samples_bytes(const struct workload *workload);

// Appends the times of `count` repetitions of `parts` messages each, as a rank has measured them.
void samples_keep(GArray *samples, int rank, int64_t size, int64_t count, int64_t parts,
                  const sim_time *times);

// Adds the metrics repetition_p50_us, _p90_, _p99_, _min_, _max_ and _sd_ of `count` samples from
// `first` on to the result, for their size. No sd of a single one.
void samples_report(struct series_result *result, guint first, guint count);

// Adds repetition_min_us and _max_us alone, from seconds: what a benchmark that measures each
// repetition apart (benchmark_report.each_repetition) reports although no samples are kept.
void samples_report_range(struct series_result *result, int64_t size, double least, double most);

// The names of the metrics; ends with NULL.
extern const char *const samples_metrics[];

#endif
