// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and one-sided operations at once, in both directions: a program in the manner of the
// synthetic test of thesis 004 (4.2, figure 4.3), of which the thesis gives no sizes and counts.
#ifndef NETSIM_MODELS_MPICH2_CH3_RMA_MIXED_H
#define NETSIM_MODELS_MPICH2_CH3_RMA_MIXED_H

#include "sim/benchmark/benchmark.h"

extern const struct param_table ch3_mixed_table;

// Automatic repetitions: rounds (struct benchmark_schema, repetitions_for).
int64_t ch3_mixed_rounds(const void *parameters, int64_t size);

// Bytes that both ranks move in a round (struct benchmark_report, bytes).
int64_t ch3_mixed_bytes(int64_t size, const struct workload *workload);

// The operations of a rank (struct benchmark, append).
void ch3_mixed_append(GPtrArray *body, int rank, int64_t size, const struct workload *workload);

// A row of a list of benchmarks.
#define CH3_MIXED_BENCHMARK                                                                        \
    {                                                                                              \
        BENCHMARK_OF_TWO("rma.mixed",                                                              \
                         "rounds of isends, puts and gets, both ways at once; MB is 10^6 B",       \
                         "round_us, bandwidth_MB_per_s", .sizeless = true, .overlapping = true,    \
                         .repetitions_for = ch3_mixed_rounds, .parameters = &ch3_mixed_table),     \
            .report = {.all_ranks = true,                                                          \
                       .messages = 1,                                                              \
                       .bytes = ch3_mixed_bytes,                                                   \
                       .time_metric = "round_us",                                                  \
                       .megabyte = BENCHMARK_MEGABYTE},                                            \
            .append = ch3_mixed_append                                                             \
    }

#endif
