// SPDX-License-Identifier: GPL-3.0-or-later
// A size is measured as ARMCI's own test did it: a loop of calls between two fences and barriers,
// none of which is in the time. The time of a call is that until it returns to the client.
//
// Strided data are a section of a two-dimensional array of doubles, as square as the size allows:
// the number of rows is the largest divisor of the number of doubles that is not above its root.
// Sizes of 8 n^2 B (1,548,800 B: n = 440) are squares.
#include "models/armci/benchmarks.h"

#include "models/armci/armci.h"
#include "models/armci/operations.h"

#define BUFFER INT64_C(0x40000000) // allocated once
#define WARM_UPS 2
#define DOUBLE 8

struct benchmark_config {
    int layout;
    int64_t columns; // of the array, for each column of the section
};

enum { LAYOUT_CONTIGUOUS, LAYOUT_STRIDED };
static const char *const layouts[] = {"contiguous", "strided", NULL};

#define B struct benchmark_config

static const struct param benchmark_params[] = {
    PARAM(B, layout, PARAM_CHOICE, .fallback = "contiguous", .choices = layouts,
          .doc = "how the data lie at both ends", .source = "thesis 001, 3.4: both are measured"),
    PARAM(B, columns, PARAM_COUNT, .fallback = "2", .least = "1", .most = "1000",
          .doc = "layout strided: the array is so many times as wide as the section",
          .source = "assumed"),
    {0},
};

static const struct param_table table =
    PARAM_TABLE(struct benchmark_config, benchmark_params, .name = "armci.*",
                .doc = "layout of what ARMCI's benchmarks transfer");

static int64_t rows_of(int64_t elements)
{
    int64_t rows = 1;
    for (int64_t divisor = 1; divisor * divisor <= elements; divisor++)
        if (elements % divisor == 0)
            rows = divisor;
    return rows;
}

static void append_call(GPtrArray *body, enum armci_kind kind,
                        const struct benchmark_config *config, int64_t size)
{
    struct op *op = op_append_kind(body, &armci_operations[kind]);
    op_common(op)->peer = 1;
    op_common(op)->buffer = BUFFER;
    int64_t rows = size > 0 && size % DOUBLE == 0 ? rows_of(size / DOUBLE) : 1;
    if (config->layout == LAYOUT_CONTIGUOUS || rows == 1) {
        op_common(op)->size = size;
        return;
    }
    int64_t counts[] = {size / rows, rows}, strides[] = {size / rows * config->columns};
    op_set_strided(op, 1, counts, strides, NULL);
}

static void append_calls(GPtrArray *body, enum armci_kind kind,
                         const struct benchmark_config *config, int64_t size, int64_t count)
{
    append_call(op_append_loop(body, count, NULL)->body, kind, config, size);
}

static void append_fence(GPtrArray *body)
{
    op_append_kind(body, &armci_operations[ARMCI_FENCE]); // of all
}

static void build(struct program *program, const struct workload *workload, enum armci_kind kind)
{
    const struct benchmark_config *config = workload->parameters->values;
    for (int rank = 0; rank < workload->ranks; rank++) {
        struct program_part *part = program_add_part(program);
        g_array_append_val(part->ranks, rank);
        for (guint i = 0; i < workload->sizes->len; i++) {
            int64_t size = g_array_index(workload->sizes, int64_t, i),
                    repetitions = benchmark_repetitions(workload, size);
            if (rank == 0) {
                append_calls(part->body, kind, config, size, WARM_UPS);
                append_fence(part->body);
            }
            op_append(part->body, OP_BARRIER);
            if (rank > 0)
                continue;
            op_append(part->body, OP_MEASURE_START);
            append_calls(part->body, kind, config, size, repetitions);
            benchmark_measure_stop(part->body, size, repetitions, 1);
            append_fence(part->body);
        }
        op_append(part->body, OP_BARRIER);
    }
}

static void build_put(struct program *program, const struct workload *workload)
{
    build(program, workload, ARMCI_PUT);
}

static void build_get(struct program *program, const struct workload *workload)
{
    build(program, workload, ARMCI_GET);
}

static void build_accumulate(struct program *program, const struct workload *workload)
{
    build(program, workload, ARMCI_ACCUMULATE);
}

#define BENCHMARK(name_, what, build_)                                                             \
    {                                                                                              \
        BENCHMARK_OF_TWO("armci." name_, what ": a loop of calls by rank 0, MB is 10^6 B",         \
                         BENCHMARK_POINT_METRICS, .parameters = &table),                           \
            BENCHMARK_POINTS(1), .build = build_,                                                  \
    }

const struct benchmark armci_benchmarks[] = {
    BENCHMARK("put", "ARMCI_Put and ARMCI_PutS", build_put),
    BENCHMARK("get", "ARMCI_Get and ARMCI_GetS", build_get),
    BENCHMARK("accumulate", "ARMCI_Acc and ARMCI_AccS", build_accumulate),
    {.schema.name = NULL},
};
