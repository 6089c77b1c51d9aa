// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks, as programs of the same operations that free programs are made of. Those of MPI are
// here; models bring their own along (struct registry).
#ifndef NETSIM_WORKLOAD_BENCHMARK_H
#define NETSIM_WORKLOAD_BENCHMARK_H

#include "sim/scenario/case.h"
#include "sim/workload/source.h"

// What is made of a benchmark's times.
struct benchmark_report {
    // Every rank measures: the time is that of the slowest, and the fastest and the average are
    // reported too. Otherwise one rank measures.
    bool all_ranks;
    // Messages of `size` that a repetition's bandwidth counts; 0: none is reported.
    int64_t messages;
    // Name of the time, in us: "overhead_us". NULL: "latency_us". Only that has a least and an
    // average beside it.
    const char *time_metric;
    int64_t megabyte; // bytes of the bandwidth's MB; 0: 2^20, as Pallas counts
};

struct benchmark {
    struct benchmark_schema schema;
    struct benchmark_report report;
    // Appends to an empty program what each rank does: for each of workload->sizes the operations,
    // an OP_MEASURE_START, and an OP_MEASURE_STOP with that size (benchmark_measure_stop).
    // workload->parameters->values is the struct of the benchmark's own table.
    void (*build)(struct program *program, const struct workload *workload);
    // In place of `build`: appends what a rank does for one size. Called for each rank, and there
    // for each size.
    void (*append)(GPtrArray *body, int rank, int64_t size, const struct workload *workload);
};

// Metrics of a benchmark whose one rank measures, and whose messages count.
#define BENCHMARK_POINT_METRICS "latency_us, bandwidth_MB_per_s"
#define BENCHMARK_MEGABYTE 1000000 // 10^6 B, as all but Pallas count

// The benchmarks of MPI and of bare providers; ends with a NULL schema.name.
extern const struct benchmark mpi_benchmarks[];

// The program of a benchmark workload; the caller frees it.
struct program *benchmark_program(const struct benchmark *benchmark,
                                  const struct workload *workload);

// The calls of a workload's ranks, as its program has them, or its benchmark (NULL: it has none).
// The workload must outlive it; the caller frees it (op_source_free).
struct op_source *workload_source(const struct benchmark *benchmark,
                                  const struct workload *workload);

// ---- For those who build ----

// Appends the end of a measurement: the time since OP_MEASURE_START, over `count` repetitions of
// `parts` messages each, is what is reported of `size`. The time that the library reports instead
// of the clock's: set `reported` of what is returned.
struct measure_arguments *benchmark_measure_stop(GPtrArray *body, int64_t size, int64_t count,
                                                 int64_t parts);

// Repetitions for a message size by the rule of the Pallas MPI Benchmarks 2.2: 1000, but no more
// than 40 MiB of payload a size, and at least one.
int64_t pallas_repetitions(int64_t size);

// The repetitions that the workload asks for, else pallas_repetitions.
int64_t benchmark_repetitions(const struct workload *workload, int64_t size);

#endif
