// SPDX-License-Identifier: GPL-3.0-or-later
// osu_bw, osu_bibw and osu_latency of version 2: their loops, tags and two buffers. Left out: the
// buffers are touched before each size, which happens outside of the clock.
#include "sim/benchmark/osu.h"

#define OSU_SEND_BUFFER INT64_C(0x40000000)
#define OSU_RECEIVE_BUFFER INT64_C(0x60000000)

#define ANSWER_SIZE 4 // bytes, of the message that ends a window
#define BANDWIDTH_TAG 100
#define ANSWER_TAG 101
#define LATENCY_TAG 1

#define O struct osu_config
#define LOOPS(loops_, skip_, loops_large_, skip_large_)                                            \
    PARAM(O, loops, PARAM_COUNT, .fallback = (loops_), .least = "1",                               \
          .doc = "measured repetitions for each size up to `large`",                               \
          .source = "OSU benchmarks 2.0"),                                                         \
        PARAM(O, skip, PARAM_COUNT, .fallback = (skip_),                                           \
              .doc = "repetitions before them, to warm up", .source = "OSU benchmarks 2.0"),       \
        PARAM(O, large, PARAM_SIZE, .fallback = "8 KiB",                                           \
              .doc = "larger sizes have loops_large and skip_large",                               \
              .source = "OSU benchmarks 2.0"),                                                     \
        PARAM(O, loops_large, PARAM_COUNT, .fallback = (loops_large_), .least = "1",               \
              .doc = "measured repetitions for each larger size", .source = "OSU benchmarks 2.0"), \
        PARAM(O, skip_large, PARAM_COUNT, .fallback = (skip_large_),                               \
              .doc = "repetitions before those", .source = "OSU benchmarks 2.0")

static const struct param window_params[] = {
    PARAM(O, window, PARAM_COUNT, .fallback = "64", .least = "1", .most = "1000",
          .doc = "messages that a sender has under way together", .source = "OSU benchmarks 2.0"),
    LOOPS("100", "10", "20", "2"),
    {0},
};

static const struct param latency_params[] = {
    LOOPS("10000", "1000", "100", "10"),
    {0},
};

const struct param_table osu_window_table = PARAM_TABLE(
    O, window_params, .name = "osu.bandwidth", .doc = "windows of osu.bandwidth, osu.bibandwidth");
const struct param_table osu_latency_table =
    PARAM_TABLE(O, latency_params, .name = "osu.latency", .doc = "loops of osu.latency");

// ---- Pieces of programs ----

static const struct osu_config *config_of(const struct workload *workload)
{
    return workload->parameters->values;
}

int64_t osu_loops(const void *parameters, int64_t size)
{
    const struct osu_config *config = parameters;
    return size > config->large ? config->loops_large : config->loops;
}

static int64_t skip_of(const struct workload *workload, int64_t size)
{
    const struct osu_config *config = config_of(workload);
    return size > config->large ? config->skip_large : config->skip;
}

static struct op *osu_append_transfer(GPtrArray *body, enum op_code code, int peer, int64_t size,
                                      int64_t tag)
{
    bool sends = code == OP_SEND || code == OP_ISEND;
    struct op *op = op_append(body, code);
    struct transfer_arguments *transfer = op->arguments;
    transfer->common.peer = peer;
    transfer->common.size = size;
    transfer->common.buffer = sends ? OSU_SEND_BUFFER : OSU_RECEIVE_BUFFER;
    transfer->tag = tag;
    return op;
}

// The requests "s0", "s1" … or "r0", "r1" … of a window.
static void append_window(GPtrArray *body, enum op_code code, int peer, int64_t size,
                          int64_t window)
{
    for (int64_t i = 0; i < window; i++)
        osu_append_transfer(body, code, peer, size, BANDWIDTH_TAG)->name =
            g_strdup_printf("%c%" G_GINT64_FORMAT, code == OP_ISEND ? 's' : 'r', i);
}

static void append_waitall(GPtrArray *body, char letter, int64_t window)
{
    struct op *op = op_append(body, OP_WAITALL);
    op->names = g_new0(char *, window + 1);
    for (int64_t i = 0; i < window; i++)
        op->names[i] = g_strdup_printf("%c%" G_GINT64_FORMAT, letter, i);
}

typedef void turn_fn(GPtrArray *body, int rank, int64_t size, int64_t window);

// The turns that warm up, then those that rank 0 measures, of `messages` each.
static void append_turns(GPtrArray *body, int rank, int64_t size, const struct workload *workload,
                         turn_fn *turn, int64_t messages)
{
    int64_t window = config_of(workload)->window, loops = benchmark_repetitions(workload, size);
    turn(op_append_loop(body, skip_of(workload, size), NULL)->body, rank, size, window);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    turn(op_append_loop(body, loops, NULL)->body, rank, size, window);
    benchmark_repeats(body, 2);
    if (rank == 0)
        benchmark_measure_stop(body, size, loops, messages);
}

// ---- What a turn of each does ----

static void turn_one_way(GPtrArray *body, int rank, int64_t size, int64_t window)
{
    append_window(body, rank == 0 ? OP_ISEND : OP_IRECV, 1 - rank, size, window);
    append_waitall(body, rank == 0 ? 's' : 'r', window);
    osu_append_transfer(body, rank == 0 ? OP_RECV : OP_SEND, 1 - rank, ANSWER_SIZE, ANSWER_TAG);
}

static void turn_both_ways(GPtrArray *body, int rank, int64_t size, int64_t window)
{
    append_window(body, OP_IRECV, 1 - rank, size, window);
    append_window(body, OP_ISEND, 1 - rank, size, window);
    append_waitall(body, 's', window);
    append_waitall(body, 'r', window);
}

static void turn_ping_pong(GPtrArray *body, int rank, int64_t size, int64_t window)
{
    (void)window;
    osu_append_transfer(body, rank == 0 ? OP_SEND : OP_RECV, 1 - rank, size, LATENCY_TAG);
    osu_append_transfer(body, rank == 0 ? OP_RECV : OP_SEND, 1 - rank, size, LATENCY_TAG);
}

void osu_append_bandwidth(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    append_turns(body, rank, size, workload, turn_one_way, config_of(workload)->window);
}

void osu_append_bibandwidth(GPtrArray *body, int rank, int64_t size,
                            const struct workload *workload)
{
    append_turns(body, rank, size, workload, turn_both_ways, config_of(workload)->window);
}

void osu_append_latency(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    op_append(body, OP_BARRIER);
    append_turns(body, rank, size, workload, turn_ping_pong, 2);
}
