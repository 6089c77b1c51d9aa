// SPDX-License-Identifier: GPL-3.0-or-later
// The point-to-point tests of the OSU benchmarks 2.x, for two ranks: latency, and bandwidth of
// windows of messages, unidirectional and bidirectional.
#ifndef NETSIM_BENCHMARK_OSU_H
#define NETSIM_BENCHMARK_OSU_H

#include "sim/benchmark/benchmark.h"

// The benchmarks' own keys of the workload. `repetitions` replaces both numbers of loops, if it is
// not automatic.
struct osu_config {
    int64_t window; // messages that are under way together; unused by the latency
    int64_t loops, skip;
    int64_t large; // above this size in bytes loops_large and skip_large count
    int64_t loops_large, skip_large;
};

extern const struct param_table osu_window_table, osu_latency_table;

// Automatic repetitions for a size (struct benchmark_schema, repetitions_for).
int64_t osu_loops(const void *parameters, int64_t size);

// Append the operations of a rank for one size (struct benchmark, append).
void osu_append_bandwidth(GPtrArray *body, int rank, int64_t size, const struct workload *workload);
void osu_append_bibandwidth(GPtrArray *body, int rank, int64_t size,
                            const struct workload *workload);
void osu_append_latency(GPtrArray *body, int rank, int64_t size, const struct workload *workload);

#define OSU_METRICS "message_us, bandwidth_MB_per_s, rate_Mb_per_s"

// A row of a list of benchmarks for windows of messages, `messages_` of which are under way for
// each that a rank sends.
#define BENCHMARK_OF_OSU_WINDOWS(name_, doc_, messages_, append_)                                  \
    {                                                                                              \
        BENCHMARK_OF_TWO("osu." name_, doc_, OSU_METRICS, .sizes = "1 B .. 4 MiB",                 \
                         .overlapping = true, .repetitions_for = osu_loops,                        \
                         .parameters = &osu_window_table),                                         \
            .report = {.messages = (messages_),                                                    \
                       .megabyte = BENCHMARK_MEGABYTE,                                             \
                       .time_metric = "message_us",                                                \
                       .bits = true},                                                              \
            .append = (append_)                                                                    \
    }

#endif
