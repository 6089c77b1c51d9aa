// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks, as programs of the same operations that free programs are made of.
#ifndef NETSIM_WORKLOAD_BENCHMARK_H
#define NETSIM_WORKLOAD_BENCHMARK_H

#include "sim/config/scenario.h"

// All benchmarks; ends with a NULL name.
extern const struct benchmark_schema benchmark_schemas[];

// What is made of a benchmark's times.
struct benchmark_report {
    // Every rank measures: the time is that of the slowest, and the fastest and the average are
    // reported too. Otherwise one rank measures.
    bool all_ranks;
    // Messages of `size` that a repetition's bandwidth counts; 0: none is reported.
    int64_t messages;
};

struct benchmark_report benchmark_report(const struct benchmark_schema *benchmark);

// The program of a benchmark workload; the caller frees it.
struct program *benchmark_program(const struct workload *workload);

// Repetitions for a message size by the rule of the Pallas MPI Benchmarks 2.2: 1000, but no more
// than 40 MiB of payload a size, and at least one.
int64_t pallas_repetitions(int64_t size);

#endif
