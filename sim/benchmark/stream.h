// SPDX-License-Identifier: GPL-3.0-or-later
// Benchmarks over time, as iperf does them: rank 0 writes buffers to rank 1 until a duration has
// passed, and the bytes that rank 1 has received are counted in bins of simulated time.
//
// The first write that begins after the duration is the last one: the reader reads on until it has
// that buffer, so that all that was written has been received at the end. Bytes received after the
// duration are in no bin. A buffer counts when the reader has all of it.
#ifndef NETSIM_BENCHMARK_STREAM_H
#define NETSIM_BENCHMARK_STREAM_H

#include "sim/benchmark/benchmark.h"
#include "sim/measure/result.h"

// The benchmark's own keys of the workload.
struct stream_config {
    int64_t write_size; // bytes of a buffer; 0: benchmark_schema.write_size
    sim_time start;     // when the first write may begin at the earliest
    sim_time duration;  // a multiple of bin, > 0
    sim_time bin;       // a multiple of 1 ms, > 0
};

// A stream while it runs: what its two ends know of each other.
struct stream {
    const struct stream_config *config;
    int64_t write_size;        // bytes of a buffer, > 0
    bool begun, ended;         // ended: the reader has the last buffer
    sim_time origin;           // of the bins: the first write
    int64_t written, received; // buffers
    int64_t last;              // number of the last buffer, from 1; 0: not yet written
    sim_time heard;            // when the buffer before was complete
    sim_time longest_gap;      // between two buffers, within the duration
    int64_t bins;
    int64_t *bytes; // of each bin
    // The bin of that number, from 0, and those before it have ended. NULL: no listener.
    void (*bin_over)(void *owner, int64_t bin);
    void *owner;
};

// `config` must outlive the stream. The caller frees it with stream_free.
struct stream *stream_new(const struct stream_config *config, int64_t write_size);
void stream_free(struct stream *stream); // NULL is ignored

// The writer is about to write a buffer. The first call is the origin of the bins.
void stream_write(struct stream *stream, sim_time now);

// Whether the writer has written its last buffer.
bool stream_is_written(const struct stream *stream);

// The reader has a buffer.
void stream_receive(struct stream *stream, sim_time now);

// Adds the rate of each bin, under the time of its beginning in the unit of stream_counts, and the
// mean and the longest gap, which belong to no bin. Nothing unless the stream has ended.
void stream_report(const struct stream *stream, struct series_result *result);

// Bytes of a buffer of a case with such a benchmark.
int64_t stream_write_size(const struct scenario_case *test_case);

// The unit of the result's sizes: COUNTS_SECONDS, or COUNTS_MS if the bins are no whole seconds.
const char *stream_counts(const struct stream_config *config);

// The program of such a benchmark (struct benchmark, build).
void stream_build(struct program *program, const struct workload *workload);

extern const struct param_table stream_table;
// Without a write_size the benchmark has one of its own (benchmark_schema.write_size).
extern const struct param_table stream_own_write_table;

#define STREAM_METRICS "rate_Mb_per_s, mean_rate_Mb_per_s, longest_gap_ms"

// A row of a list of benchmarks; of further members of the schema at least .parameters.
#define BENCHMARK_OF_STREAM(name_, doc_, ...)                                                      \
    {                                                                                              \
        .schema = {.name = (name_),                                                                \
                   .doc = (doc_),                                                                  \
                   .least_ranks = 2,                                                               \
                   .most_ranks = 2,                                                                \
                   .metrics = STREAM_METRICS,                                                      \
                   .sizeless = true,                                                               \
                   .counts = COUNTS_SECONDS,                                                       \
                   .over_time = true,                                                              \
                   .overlapping = true,                                                            \
                   __VA_ARGS__},                                                                   \
        .build = stream_build                                                                      \
    }

#endif
