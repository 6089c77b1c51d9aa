// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks, as programs of the same operations as free programs. Those of MPI are here; models
// bring their own (struct model).
#ifndef NETSIM_BENCHMARK_BENCHMARK_H
#define NETSIM_BENCHMARK_BENCHMARK_H

#include "sim/scenario/case.h"
#include "sim/source/source.h"

// How a benchmark's times are reported.
struct benchmark_report {
    // Every rank measures: the time is that of the slowest, and the fastest and the average are
    // reported too. Otherwise one rank measures.
    bool all_ranks;
    // Every repetition is measured apart: one OP_MEASURE_START and one benchmark_measure_stop of
    // count 1 for each of benchmark_repetitions(), so that what lies between two repetitions (a
    // pause, what the peer still does) is not measured. The time is their mean, and the least and
    // the greatest are reported too. Excludes all_ranks and an own time_metric.
    bool each_repetition;
    // Number of messages of `size` per repetition for the bandwidth; 0: no bandwidth is reported.
    int64_t messages;
    // Bytes of such a message of a given size, if they are others: what the program itself counts.
    // NULL: `size`.
    int64_t (*bytes)(int64_t size, const struct workload *workload);
    // Name of the time, in us: "overhead_us". NULL: "latency_us". Only that is accompanied by a
    // least and an average.
    const char *time_metric;
    int64_t megabyte; // bytes per MB of the bandwidth; 0: 2^20, as in Pallas
    bool bits;        // the bandwidth is reported as rate_Mb_per_s, of 10^6 bit, too
    // Operations of a run by the benchmark's own count. Then the time is time_s, in seconds, and
    // operations_Mop_per_s is reported besides. NULL: no such count.
    double (*operations)(const struct workload *workload);
};

struct benchmark {
    struct benchmark_schema schema;
    struct benchmark_report report;
    // Appends the operations of each rank to an empty program: for each of workload->sizes its
    // operations, an OP_MEASURE_START, and an OP_MEASURE_STOP with that size
    // (benchmark_measure_stop). workload->parameters->values is the struct of the benchmark's own
    // table.
    void (*build)(struct program *program, const struct workload *workload);
    // Instead of `build`: appends a rank's operations for one size. Called for each rank and size.
    void (*append)(GPtrArray *body, int rank, int64_t size, const struct workload *workload);
};

// Metrics of a benchmark with one measuring rank and a bandwidth.
#define BENCHMARK_POINT_METRICS "latency_us, bandwidth_MB_per_s"
// Those of a benchmark with each_repetition, and with a bandwidth if it reports one.
#define BENCHMARK_EACH_METRICS "latency_us, repetition_min_us, repetition_max_us"
#define BENCHMARK_EACH_POINT_METRICS                                                               \
    "latency_us, bandwidth_MB_per_s, repetition_min_us, repetition_max_us"
// Those of a benchmark with a count of operations.
#define BENCHMARK_OPERATIONS_METRICS "time_s, operations_Mop_per_s"
#define BENCHMARK_MEGABYTE 1000000 // 10^6 B, as all but Pallas count

// For the row of a benchmark of two ranks: its schema, of which more members may follow.
#define BENCHMARK_OF_TWO(name_, doc_, metrics_, ...)                                               \
    .schema = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .least_ranks = 2,                                                                   \
               .most_ranks = 2,                                                                    \
               .metrics = (metrics_),                                                              \
               __VA_ARGS__}
// Its report, with a bandwidth of that many messages per repetition.
#define BENCHMARK_POINTS(messages_)                                                                \
    .report = {.messages = (messages_), .megabyte = BENCHMARK_MEGABYTE}

// The benchmarks of MPI and of bare providers; ends with a NULL schema.name.
extern const struct benchmark mpi_benchmarks[];

// The program of a benchmark workload; the caller frees it.
struct program *benchmark_program(const struct benchmark *benchmark,
                                  const struct workload *workload);

// Returns a source of the calls of a workload's program, or of its benchmark (NULL: it has none).
// The workload must outlive it. The caller frees it with op_source_free.
struct op_source *workload_source(const struct benchmark *benchmark,
                                  const struct workload *workload);

// ---- For benchmarks' builders ----

// Appends the end of a measurement: the time since OP_MEASURE_START, over `count` repetitions of
// `parts` messages each, is reported for `size`. To use the time that the library reports instead
// of the clock's, set `reported` of the result.
struct measure_arguments *benchmark_measure_stop(GPtrArray *body, int64_t size, int64_t count,
                                                 int64_t parts);

// Repetitions for a message size by the rule of the Pallas MPI Benchmarks 2.2: 1000, but at most 40
// MiB of payload per size, and at least one.
int64_t pallas_repetitions(int64_t size);

// The loop that a rank's body ends with is the benchmark's repetitions, which so many ranks run,
// the same turn after the same: workload.steady may end it early. Not for ranks that go ahead of
// what they cause, as a stream of puts does.
void benchmark_repeats(GPtrArray *body, int ranks);

// The workload's repetitions. If they are automatic: by the benchmark's own rule, if it has one,
// else pallas_repetitions.
int64_t benchmark_repetitions(const struct workload *workload, int64_t size);

// Appends a rank's part of a ping-pong of two ranks for one size: `warm_ups` exchanges, then those
// that rank 0 measures, as half of a round trip. `exchanges` appends `count` of them.
void benchmark_append_pingpong(GPtrArray *body, int rank, int64_t size,
                               const struct workload *workload, int64_t warm_ups,
                               void (*exchanges)(GPtrArray *body, int rank, int64_t size,
                                                 int64_t count));

#endif
