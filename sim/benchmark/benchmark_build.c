// SPDX-License-Identifier: GPL-3.0-or-later
// Functions that builders of benchmarks share.
#include "sim/benchmark/benchmark.h"

#define PALLAS_REPETITIONS 1000
#define PALLAS_VOLUME (INT64_C(40) << 20)

int64_t pallas_repetitions(int64_t size)
{
    if (size == 0)
        return PALLAS_REPETITIONS;
    return CLAMP(PALLAS_VOLUME / size, 1, PALLAS_REPETITIONS);
}

int64_t benchmark_repetitions(const struct workload *workload, int64_t size)
{
    const struct benchmark_schema *benchmark = workload->benchmark;
    if (workload->repetitions)
        return workload->repetitions;
    return benchmark && benchmark->repetitions_for
               ? benchmark->repetitions_for(workload->parameters->values, size)
               : pallas_repetitions(size);
}

void benchmark_repeats(GPtrArray *body, int ranks)
{
    struct op *loop = g_ptr_array_index(body, body->len - 1);
    g_assert(op_is(loop, OP_LOOP));
    ((struct loop_arguments *)loop->arguments)->sharers = ranks;
}

void benchmark_append_pingpong(GPtrArray *body, int rank, int64_t size,
                               const struct workload *workload, int64_t warm_ups,
                               void (*exchanges)(GPtrArray *body, int rank, int64_t size,
                                                 int64_t count))
{
    int64_t count = benchmark_repetitions(workload, size);
    exchanges(body, rank, size, warm_ups);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    exchanges(body, rank, size, count);
    benchmark_repeats(body, 2);
    if (rank == 0)
        benchmark_measure_stop(body, size, count, 2);
}

// ---- Pieces of programs ----

struct measure_arguments *benchmark_measure_stop(GPtrArray *body, int64_t size, int64_t count,
                                                 int64_t parts)
{
    struct measure_arguments *stop = op_append(body, OP_MEASURE_STOP)->arguments;
    stop->common.size = size;
    stop->count = count;
    stop->parts = parts;
    return stop;
}
