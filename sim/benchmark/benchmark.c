// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/benchmark/benchmark.h"

#include "sim/benchmark/osu.h"
#include "sim/benchmark/stream.h"
#include "sim/source/program_source.h"
#include "sim/source/recording_source.h"

#include <string.h>

#define PALLAS_WARM_UPS 2
#define PALLAS_BARRIERS 2

// Where a benchmark's send and receive buffers lie: allocated once, as the benchmarks do, and apart
// from the heap.
#define PMB_SEND_BUFFER INT64_C(0x40000000)
#define PMB_RECEIVE_BUFFER INT64_C(0x60000000)

#define PINGPONG_TAG 1
#define SPREAD_METRICS "latency_us, latency_min_us, latency_avg_us"

// The loops' counter, and expressions that contain it.
#define COUNTER "i"
#define NEXT_ROOT COUNTER " % ranks"
#define RIGHT "(rank + 1) % ranks"
#define LEFT "(rank + ranks - 1) % ranks"

static struct op *append_sized(GPtrArray *body, enum op_code code, int64_t size)
{
    struct op *op = op_append(body, code);
    op_common(op)->size = size;
    op_common(op)->buffer = PMB_SEND_BUFFER;
    if (operation_key(op->kind, "receive_buffer"))
        op_set(op, "receive_buffer", PMB_RECEIVE_BUFFER);
    return op;
}

static void append_barriers(GPtrArray *body)
{
    for (int i = 0; i < PALLAS_BARRIERS; i++)
        op_append(body, OP_BARRIER);
}

// ---- PingPong: rank 0 measures ----

static struct op *benchmark_append_transfer(GPtrArray *body, enum op_code code, int peer,
                                            int64_t size)
{
    struct op *op = op_append(body, code);
    struct transfer_arguments *transfer = op->arguments;
    transfer->common.peer = peer;
    transfer->common.size = size;
    transfer->common.buffer = code == OP_RECV ? PMB_RECEIVE_BUFFER : PMB_SEND_BUFFER;
    transfer->tag = PINGPONG_TAG;
    return op;
}

static void append_exchanges(GPtrArray *body, int rank, int64_t size, int64_t count)
{
    struct op *loop = op_append_loop(body, count, NULL);
    benchmark_append_transfer(loop->body, rank == 0 ? OP_SEND : OP_RECV, 1 - rank, size);
    benchmark_append_transfer(loop->body, rank == 0 ? OP_RECV : OP_SEND, 1 - rank, size);
}

static void append_point(GPtrArray *body, int rank, int64_t size, int64_t repetitions,
                         bool barriers)
{
    append_exchanges(body, rank, size, PALLAS_WARM_UPS);
    if (barriers)
        append_barriers(body);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    append_exchanges(body, rank, size, repetitions);
    benchmark_repeats(body, 2);
    if (rank == 0)
        benchmark_measure_stop(body, size, repetitions, 2);
}

// ---- What a repetition of the others does: the same on every rank ----

typedef void repetition_fn(GPtrArray *body, int64_t size);

static void repeat_sendrecv(GPtrArray *body, int64_t size)
{
    struct op *op = append_sized(body, OP_SENDRECV, size);
    op_compute(op, "to", RIGHT);
    op_compute(op, "from", LEFT);
}

static void append_half(GPtrArray *body, enum op_code code, const char *peer, int64_t size)
{
    struct op *op = benchmark_append_transfer(body, code, 0, size);
    op_compute(op, code == OP_ISEND ? "to" : "from", peer);
    if (code == OP_ISEND)
        op->name = g_strdup(strcmp(peer, RIGHT) == 0 ? "right" : "left");
}

static void repeat_exchange(GPtrArray *body, int64_t size)
{
    append_half(body, OP_ISEND, RIGHT, size);
    append_half(body, OP_ISEND, LEFT, size);
    append_half(body, OP_RECV, LEFT, size);
    append_half(body, OP_RECV, RIGHT, size);
    op_append(body, OP_WAITALL);
}

// The root sends from its send buffer, the others receive into their receive buffer.
static void repeat_bcast(GPtrArray *body, int64_t size)
{
    struct op *op = op_append(body, OP_BCAST);
    char *buffer = g_strdup_printf("rank == (%s) ? %" G_GINT64_FORMAT " : %" G_GINT64_FORMAT,
                                   NEXT_ROOT, PMB_SEND_BUFFER, PMB_RECEIVE_BUFFER);
    op_common(op)->size = size;
    op_compute(op, "root", NEXT_ROOT);
    op_compute(op, "buffer", buffer);
    g_free(buffer);
}

static void repeat_reduce(GPtrArray *body, int64_t size)
{
    op_compute(append_sized(body, OP_REDUCE, size), "root", NEXT_ROOT);
}

static void repeat_allreduce(GPtrArray *body, int64_t size)
{
    append_sized(body, OP_ALLREDUCE, size);
}

static void repeat_allgather(GPtrArray *body, int64_t size)
{
    append_sized(body, OP_ALLGATHER, size);
}

static void repeat_alltoall(GPtrArray *body, int64_t size)
{
    append_sized(body, OP_ALLTOALL, size);
}

static void repeat_barrier(GPtrArray *body, int64_t size)
{
    (void)size;
    op_append(body, OP_BARRIER);
}

static void repeat_copy(GPtrArray *body, int64_t size)
{
    op_common(op_append(body, OP_COPY))->size = size;
}

static void append_repetitions(GPtrArray *body, repetition_fn *repeat, int64_t size, int64_t count)
{
    repeat(op_append_loop(body, count, COUNTER)->body, size);
}

static void append_loop(GPtrArray *body, repetition_fn *repeat, int64_t size,
                        const struct workload *workload, bool barriers)
{
    int64_t repetitions = benchmark_repetitions(workload, size);
    append_repetitions(body, repeat, size, PALLAS_WARM_UPS);
    if (barriers)
        append_barriers(body);
    op_append(body, OP_MEASURE_START);
    append_repetitions(body, repeat, size, repetitions);
    benchmark_repeats(body, workload->ranks);
    benchmark_measure_stop(body, size, repetitions, 1);
}

// Each registration costs the same, and what is registered must be taken back before the next: one
// is measured.
static void append_registration(GPtrArray *body, int64_t size)
{
    if (size == 0)
        return;
    op_append(body, OP_MEASURE_START);
    append_sized(body, OP_REGISTER, size);
    benchmark_measure_stop(body, size, 1, 1);
    append_sized(body, OP_DEREGISTER, size);
}

// ---- Which benchmark is made of what ----

// Builds for every rank the same loop of one thing.
static void build_loop(struct program *program, const struct workload *workload,
                       repetition_fn *repeat, bool barriers)
{
    struct program_part *part = program_add_part(program);
    part->all = true;
    for (guint i = 0; i < workload->sizes->len; i++) {
        int64_t size = g_array_index(workload->sizes, int64_t, i);
        append_loop(part->body, repeat, size, workload, barriers);
    }
}

static void build_points(struct program *program, const struct workload *workload, bool barriers)
{
    for (int rank = 0; rank < workload->ranks; rank++) {
        struct program_part *part = program_add_part(program);
        g_array_append_val(part->ranks, rank);
        for (guint i = 0; i < workload->sizes->len; i++) {
            int64_t size = g_array_index(workload->sizes, int64_t, i);
            append_point(part->body, rank, size, benchmark_repetitions(workload, size), barriers);
        }
    }
}

static void build_pingpong(struct program *program, const struct workload *workload)
{
    build_points(program, workload, true);
}

static void build_native_pingpong(struct program *program, const struct workload *workload)
{
    build_points(program, workload, false);
}

static void build_copy(struct program *program, const struct workload *workload)
{
    build_loop(program, workload, repeat_copy, false);
}

static void build_registration(struct program *program, const struct workload *workload)
{
    struct program_part *part = program_add_part(program);
    part->all = true;
    for (guint i = 0; i < workload->sizes->len; i++)
        append_registration(part->body, g_array_index(workload->sizes, int64_t, i));
}

#define LOOP(name)                                                                                 \
    static void build_##name(struct program *program, const struct workload *workload)             \
    {                                                                                              \
        build_loop(program, workload, repeat_##name, true);                                        \
    }

LOOP(sendrecv)
LOOP(exchange)
LOOP(bcast)
LOOP(reduce)
LOOP(allreduce)
LOOP(allgather)
LOOP(alltoall)
LOOP(barrier)

#define PALLAS(name_, what, metrics_, ...)                                                         \
    .schema = {.name = "pmb." name_,                                                               \
               .doc = what ", of the Pallas MPI Benchmarks 2.2",                                   \
               .least_ranks = 2,                                                                   \
               .metrics = metrics_,                                                                \
               __VA_ARGS__}

const struct benchmark mpi_benchmarks[] = {
    {
        .schema = {.name = "pmb.pingpong",
                   .doc = "PingPong of the Pallas MPI Benchmarks 2.2: half the round trip, MB is "
                          "2^20 B",
                   .least_ranks = 2,
                   .most_ranks = 2,
                   .metrics = BENCHMARK_POINT_METRICS},
        .report = {.messages = 1},
        .build = build_pingpong,
    },
    {
        PALLAS("sendrecv", "Sendrecv: to the right and from the left, in a ring",
               SPREAD_METRICS ", bandwidth_MB_per_s"),
        .report = {.all_ranks = true, .messages = 2},
        .build = build_sendrecv,
    },
    {
        PALLAS("exchange", "Exchange: with both neighbours in a ring",
               SPREAD_METRICS ", bandwidth_MB_per_s"),
        .report = {.all_ranks = true, .messages = 4},
        .build = build_exchange,
    },
    // Pallas 2.2's source was not found; its successor rotates the root (IMB 3.1, src/IMB_bcast.c
    // 165, "CHANGE THE ROOT NODE"; intel/mpi-benchmarks 30b5e37f, src/IMB_bcast.c).
    {
        PALLAS("bcast", "Bcast: the root changes with each repetition", SPREAD_METRICS,
               .peers = BENCHMARK_PEERS_CHANGE),
        .report = {.all_ranks = true},
        .build = build_bcast,
    },
    {
        PALLAS("reduce", "Reduce: sum of floats, the root changes with each repetition",
               SPREAD_METRICS, .peers = BENCHMARK_PEERS_CHANGE),
        .report = {.all_ranks = true},
        .build = build_reduce,
    },
    {
        PALLAS("allreduce", "Allreduce: sum of floats", SPREAD_METRICS),
        .report = {.all_ranks = true},
        .build = build_allreduce,
    },
    {
        PALLAS("allgather", "Allgather: sizes are of one rank's block", SPREAD_METRICS),
        .report = {.all_ranks = true},
        .build = build_allgather,
    },
    {
        PALLAS("alltoall", "Alltoall: sizes are of the block for one rank", SPREAD_METRICS,
               .peers = BENCHMARK_PEERS_ALL),
        .report = {.all_ranks = true},
        .build = build_alltoall,
    },
    {
        .schema = {.name = "pmb.barrier",
                   .doc = "Barrier of the Pallas MPI Benchmarks 2.2",
                   .least_ranks = 2,
                   .metrics = SPREAD_METRICS,
                   .sizeless = true},
        .report = {.all_ranks = true},
        .build = build_barrier,
    },
    BENCHMARK_OF_OSU_WINDOWS("bandwidth",
                             "osu_bw 2.x: windows of isends, each answered by 4 B; MB is 10^6 B", 1,
                             osu_append_bandwidth),
    BENCHMARK_OF_OSU_WINDOWS("bibandwidth",
                             "osu_bibw 2.x: windows in both directions at once; MB is 10^6 B, of "
                             "both",
                             2, osu_append_bibandwidth),
    {
        BENCHMARK_OF_TWO("osu.latency", "osu_latency 2.x: half the round trip of blocking calls",
                         "latency_us", .repetitions_for = osu_loops,
                         .parameters = &osu_latency_table),
        .append = osu_append_latency,
    },
    {
        .schema = {.name = "native.pingpong",
                   .doc = "the same exchange on the bare provider, without an MPI library",
                   .least_ranks = 2,
                   .most_ranks = 2,
                   .metrics = BENCHMARK_POINT_METRICS},
        .report = {.messages = 1},
        .build = build_native_pingpong,
    },
    {
        .schema = {.name = "native.copy",
                   .doc = "one copy in memory, of data that the processor has touched before",
                   .least_ranks = 1,
                   .most_ranks = 1,
                   .metrics = BENCHMARK_POINT_METRICS},
        .report = {.messages = 1},
        .build = build_copy,
    },
    {
        .schema = {.name = "native.register",
                   .doc = "one registration of memory with the provider (nothing for 0 B)",
                   .least_ranks = 1,
                   .most_ranks = 1,
                   .metrics = "latency_us"},
        .build = build_registration,
    },
    BENCHMARK_OF_STREAM("native.stream",
                        "writes on the bare provider for a time, and what is received by second",
                        .parameters = &stream_table),
    {.build = NULL},
};

static void append_sizes(struct program *program, const struct benchmark *benchmark,
                         const struct workload *workload)
{
    for (int rank = 0; rank < workload->ranks; rank++) {
        struct program_part *part = program_add_part(program);
        g_array_append_val(part->ranks, rank);
        for (guint i = 0; i < workload->sizes->len; i++)
            benchmark->append(part->body, rank, g_array_index(workload->sizes, int64_t, i),
                              workload);
    }
}

struct program *benchmark_program(const struct benchmark *benchmark,
                                  const struct workload *workload)
{
    struct program *program = program_new();
    if (benchmark->append)
        append_sizes(program, benchmark, workload);
    else
        benchmark->build(program, workload);
    return program;
}

struct op_source *workload_source(const struct benchmark *benchmark,
                                  const struct workload *workload)
{
    if (workload->recording)
        return recording_source_new(workload->recording, workload->parameters->values);
    return benchmark
               ? program_source_owning(benchmark_program(benchmark, workload), workload->ranks)
               : program_source_new(workload->program, workload->ranks);
}
