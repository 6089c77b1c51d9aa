// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/benchmark.h"

#include <string.h>

#define PALLAS_REPETITIONS 1000
#define PALLAS_VOLUME (INT64_C(40) << 20)
#define PALLAS_WARM_UPS 2
#define PALLAS_BARRIERS 2

// Where a benchmark's send and receive buffers lie: allocated once, as the benchmarks do, and apart
// from the heap.
#define SEND_BUFFER INT64_C(0x40000000)
#define RECEIVE_BUFFER INT64_C(0x60000000)

#define PINGPONG_TAG 1
#define POINT_METRICS "latency_us, bandwidth_MB_per_s"

const struct benchmark_schema benchmark_schemas[] = {
    {
        .name = "pmb.pingpong",
        .doc = "PingPong of the Pallas MPI Benchmarks 2.2: half the round trip, MB is 2^20 B",
        .least_ranks = 2,
        .most_ranks = 2,
        .metrics = POINT_METRICS,
    },
    {
        .name = "native.pingpong",
        .doc = "the same exchange on the bare provider, without an MPI library",
        .least_ranks = 2,
        .most_ranks = 2,
        .metrics = POINT_METRICS,
    },
    {0},
};

int64_t pallas_repetitions(int64_t size)
{
    if (size == 0)
        return PALLAS_REPETITIONS;
    return CLAMP(PALLAS_VOLUME / size, 1, PALLAS_REPETITIONS);
}

static void append_transfer(GPtrArray *body, enum op_kind kind, int peer, int64_t size)
{
    struct op *op = op_append(body, kind);
    op->peer = op_value_of(peer);
    op->size = op_value_of(size);
    op->tag = op_value_of(PINGPONG_TAG);
    op->buffer = op_value_of(kind == OP_SEND ? SEND_BUFFER : RECEIVE_BUFFER);
}

static void append_exchanges(GPtrArray *body, int rank, int64_t size, int64_t count)
{
    struct op *loop = op_append(body, OP_LOOP);
    loop->count = op_value_of(count);
    append_transfer(loop->body, rank == 0 ? OP_SEND : OP_RECV, 1 - rank, size);
    append_transfer(loop->body, rank == 0 ? OP_RECV : OP_SEND, 1 - rank, size);
}

static void append_point(GPtrArray *body, int rank, int64_t size, int64_t repetitions,
                         bool barriers)
{
    append_exchanges(body, rank, size, PALLAS_WARM_UPS);
    for (int i = 0; barriers && i < PALLAS_BARRIERS; i++)
        op_append(body, OP_BARRIER);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    append_exchanges(body, rank, size, repetitions);
    if (rank != 0)
        return;
    struct op *stop = op_append(body, OP_MEASURE_STOP);
    stop->size = op_value_of(size);
    stop->count = op_value_of(repetitions);
    stop->parts = 2;
}

struct program *benchmark_program(const struct workload *workload)
{
    struct program *program = program_new();
    bool barriers = strcmp(workload->benchmark->name, "native.pingpong") != 0;
    for (int rank = 0; rank < 2; rank++) {
        struct program_part *part = program_add_part(program);
        part->all = false;
        g_array_append_val(part->ranks, rank);
        for (guint i = 0; i < workload->sizes->len; i++) {
            int64_t size = g_array_index(workload->sizes, int64_t, i);
            int64_t repetitions =
                workload->repetitions ? workload->repetitions : pallas_repetitions(size);
            append_point(part->body, rank, size, repetitions, barriers);
        }
    }
    return program;
}
