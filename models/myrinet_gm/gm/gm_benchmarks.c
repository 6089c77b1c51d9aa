// SPDX-License-Identifier: GPL-3.0-or-later
// gm.allsize: the measurements of GM's own test program gm_allsize, in its three forms. Those in
// one direction and in both keep a window of sends under way: each send waits for the callback of
// the one that many before it.
#include "models/myrinet_gm/gm/gm_stacks.h"

#include <glib.h>

struct allsize_config {
    int64_t window; // sends under way
};

#define A struct allsize_config

static const struct param allsize_params[] = {
    PARAM(A, window, PARAM_COUNT, .fallback = "4", .least = "1", .most = "61",
          .doc = "sends that a stream keeps under way",
          .source = "assumed: both ways, two windows may be on their way to one of 8 buffers each"),
    {0},
};

static const struct param_table allsize_table = PARAM_TABLE(
    struct allsize_config, allsize_params, .name = "gm.allsize", .doc = "streams of gm.allsize");

#define WARM_UPS 2

static struct op *append_transfer(GPtrArray *body, enum op_code code, int peer, int64_t size)
{
    struct op *op = op_append(body, code);
    struct transfer_arguments *transfer = op->arguments;
    transfer->common.peer = peer;
    transfer->common.size = size;
    transfer->tag = 0;
    return op;
}

// ---- Latency: half a round trip ----

static void append_exchanges(GPtrArray *body, int rank, int64_t size, int64_t count)
{
    struct op *loop = op_append_loop(body, count, NULL);
    append_transfer(loop->body, rank == 0 ? OP_SEND : OP_RECV, 1 - rank, size);
    append_transfer(loop->body, rank == 0 ? OP_RECV : OP_SEND, 1 - rank, size);
}

static void append_latency(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    benchmark_append_pingpong(body, rank, size, workload, WARM_UPS, append_exchanges);
}

// ---- Streams ----

static void append_isend(GPtrArray *body, int peer, int64_t size, int64_t slot)
{
    append_transfer(body, OP_ISEND, peer, size)->name =
        g_strdup_printf("send%" G_GINT64_FORMAT, slot);
}

static void append_wait(GPtrArray *body, int64_t slot)
{
    op_append(body, OP_WAIT)->name = g_strdup_printf("send%" G_GINT64_FORMAT, slot);
}

// Sends `count` (>= window) messages and waits for all callbacks. receives: one for each send.
static void append_stream(GPtrArray *body, int peer, int64_t size, int64_t count, int64_t window,
                          bool receives)
{
    for (int64_t slot = 0; slot < window; slot++)
        append_isend(body, peer, size, slot);
    struct op *loop = op_append_loop(body, count / window - 1, NULL);
    for (int64_t slot = 0; slot < window; slot++) {
        if (receives)
            append_transfer(loop->body, OP_RECV, peer, size);
        append_wait(loop->body, slot);
        append_isend(loop->body, peer, size, slot);
    }
    for (int64_t slot = 0; receives && slot < window; slot++)
        append_transfer(body, OP_RECV, peer, size);
    op_append(body, OP_WAITALL);
}

static void append_receives(GPtrArray *body, int peer, int64_t size, int64_t count)
{
    struct op *loop = op_append_loop(body, count, NULL);
    append_transfer(loop->body, OP_RECV, peer, size);
}

static int64_t window_of(const struct workload *workload)
{
    return ((const struct allsize_config *)workload->parameters->values)->window;
}

// Whole windows only.
static int64_t stream_count(const struct workload *workload, int64_t size)
{
    int64_t count = benchmark_repetitions(workload, size), window = window_of(workload);
    return MAX(2, (count + window - 1) / window) * window;
}

static void append_one_way(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    int64_t window = window_of(workload), messages = stream_count(workload, size);
    append_exchanges(body, rank, size, WARM_UPS);
    if (rank == 1) {
        append_receives(body, 0, size, messages);
        return;
    }
    op_append(body, OP_MEASURE_START);
    append_stream(body, 1, size, messages, window, false);
    benchmark_measure_stop(body, size, messages, 1);
}

static void append_both_ways(GPtrArray *body, int rank, int64_t size,
                             const struct workload *workload)
{
    int64_t window = window_of(workload), messages = stream_count(workload, size);
    append_exchanges(body, rank, size, WARM_UPS);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    append_stream(body, 1 - rank, size, messages, window, true);
    if (rank == 0)
        benchmark_measure_stop(body, size, messages, 1);
}

const struct benchmark gm_benchmarks[] = {
    {
        BENCHMARK_OF_TWO("gm.allsize.latency", "gm_allsize: half a round trip; MB is 10^6 B",
                         BENCHMARK_POINT_METRICS, ),
        BENCHMARK_POINTS(1),
        .append = append_latency,
    },
    {
        BENCHMARK_OF_TWO(
            "gm.allsize.one_way", "gm_allsize: a stream of sends, time per message; MB is 10^6 B",
            BENCHMARK_POINT_METRICS, .overlapping = true, .parameters = &allsize_table),
        BENCHMARK_POINTS(1),
        .append = append_one_way,
    },
    {
        BENCHMARK_OF_TWO("gm.allsize.both_ways",
                         "gm_allsize: streams in both directions at once; MB is 10^6 B, of both",
                         BENCHMARK_POINT_METRICS, .overlapping = true,
                         .parameters = &allsize_table),
        BENCHMARK_POINTS(2),
        .append = append_both_ways,
    },
    {.schema = {.name = NULL}},
};
