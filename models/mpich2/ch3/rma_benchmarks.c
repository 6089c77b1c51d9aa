// SPDX-License-Identifier: GPL-3.0-or-later
// The test of thesis 004 (4.2): rank 0 puts into, or gets from, the window of rank 1, and the time
// of the fence that ends the epoch is measured. The call itself only queues and is not in the time.
// One repetition follows the other: the fences keep both ranks together, and a barrier
// precedes the first.
#include "models/mpich2/ch3/rma_benchmarks.h"

#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/ch3/rma_mixed.h"

#define PUT_GET_BUFFER INT64_C(0x40000000)
#define PUT_GET_WINDOW INT64_C(0x60000000)
#define PUT_GET_WARM_UPS 2

struct rma_config {
    int64_t loops;       // measured repetitions for each size below `large`
    int64_t large;       // bytes
    int64_t loops_large; // for each other
    bool window;         // rank 0's memory is of its window, too
};

#define R struct rma_config

static const struct param put_get_params[] = {
    PARAM(R, loops, PARAM_COUNT, .fallback = "100", .least = "1",
          .doc = "measured repetitions for each size below `large`",
          .source = "assumed: as the OSU benchmarks; thesis 004 does not say"),
    PARAM(R, large, PARAM_SIZE, .fallback = "2 MiB", .doc = "sizes from it on have loops_large",
          .source = "assumed"),
    PARAM(R, loops_large, PARAM_COUNT, .fallback = "20", .least = "1",
          .doc = "measured repetitions for each other size", .source = "assumed"),
    PARAM(R, window, PARAM_BOOL, .fallback = "true",
          .doc = "the memory of rank 0 lies in its window; false: it is other memory",
          .source = "thesis 004, 3.4.4: other memory is registered for each get"),
    {0},
};

static const struct param_table table =
    PARAM_TABLE(R, put_get_params, .name = "rma.*",
                .doc = "repetitions and memory of the test of one-sided operations");

static int64_t loops(const void *parameters, int64_t size)
{
    const struct rma_config *config = parameters;
    return size >= config->large ? config->loops_large : config->loops;
}

static void append_window(GPtrArray *body, int64_t size)
{
    struct op *create = op_append_kind(body, &ch3_rma_operations[CH3_WIN_CREATE]);
    op_common(create)->size = MAX(size, 1);
    op_common(create)->buffer = PUT_GET_WINDOW;
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FENCE]);
}

// An epoch of one operation of rank 0; its fence is measured, if `measured`.
static void append_epoch(GPtrArray *body, int rank, enum ch3_rma_kind kind, int64_t size,
                         const struct rma_config *config, bool measured)
{
    if (rank == 0) {
        struct op *op = op_append_kind(body, &ch3_rma_operations[kind]);
        op_common(op)->peer = 1;
        op_common(op)->size = size;
        op_common(op)->buffer = config->window ? PUT_GET_WINDOW : PUT_GET_BUFFER;
    }
    if (rank == 0 && measured)
        op_append(body, OP_MEASURE_START);
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FENCE]);
    if (rank == 0 && measured)
        benchmark_measure_stop(body, size, 1, 1);
}

static void append(GPtrArray *body, int rank, int64_t size, const struct workload *workload,
                   enum ch3_rma_kind kind)
{
    const struct rma_config *config = workload->parameters->values;
    append_window(body, size);
    op_append(body, OP_BARRIER);
    for (int i = 0; i < PUT_GET_WARM_UPS; i++)
        append_epoch(body, rank, kind, size, config, false);
    int64_t repetitions = benchmark_repetitions(workload, size);
    for (int64_t i = 0; i < repetitions; i++)
        append_epoch(body, rank, kind, size, config, true);
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FREE]);
}

static void append_put(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    append(body, rank, size, workload, CH3_PUT);
}

static void append_get(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    append(body, rank, size, workload, CH3_GET);
}

static void append_accumulate(GPtrArray *body, int rank, int64_t size,
                              const struct workload *workload)
{
    append(body, rank, size, workload, CH3_ACCUMULATE);
}

#define BENCHMARK(name_, call_, append_)                                                           \
    {                                                                                              \
        BENCHMARK_OF_TWO("rma." name_,                                                             \
                         "MPI_Win_fence after one " call_ " by rank 0; MB is 10^6 B",              \
                         BENCHMARK_EACH_POINT_METRICS, .sizes = "2 B .. 4 MiB",                    \
                         .repetitions_for = loops, .parameters = &table),                          \
            .report = {.each_repetition = true, .messages = 1, .megabyte = BENCHMARK_MEGABYTE},    \
            .append = (append_)                                                                    \
    }

const struct benchmark ch3_rma_benchmarks[] = {
    BENCHMARK("put", "MPI_Put", append_put),
    BENCHMARK("get", "MPI_Get", append_get),
    BENCHMARK("accumulate", "MPI_Accumulate", append_accumulate),
    CH3_MIXED_BENCHMARK,
    {.schema.name = NULL},
};
