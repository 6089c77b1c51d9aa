// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/rma_mixed.h"

#include "models/mpich2/ch3/rma.h"

#define SEND_BUFFER INT64_C(0x40000000)
#define RECEIVE_BUFFER INT64_C(0x50000000)
#define MIXED_WINDOW INT64_C(0x60000000)
#define MIXED_BUFFER INT64_C(0x80000000) // of one-sided operations, outside of the window
#define MIXED_WARM_UPS 1                 // rounds

// Where a round waits for its messages.
enum mixed_wait { MIXED_AFTER_FENCE, MIXED_BEFORE_FENCE, MIXED_BETWEEN };

static const char *const mixed_waits[] = {"after_fence", "before_fence", "between", NULL};

struct mixed_config {
    int64_t rounds;
    int64_t sends;                 // of a rank in a round
    int64_t least_send, most_send; // bytes
    int64_t puts;                  // of a rank in a round, and as many gets
    int64_t least_put, most_put;   // bytes
    int wait;                      // enum mixed_wait
};

#define M struct mixed_config
#define DEFINED "assumed: thesis 004, 4.2, says only \"of various sizes\""

static const struct param mixed_params[] = {
    PARAM(M, rounds, PARAM_COUNT, .fallback = "20", .least = "1",
          .doc = "rounds, if `repetitions` does not say", .source = DEFINED),
    PARAM(M, sends, PARAM_COUNT, .fallback = "16", .least = "1", .most = "1000",
          .doc = "messages of a rank in a round, each with its own tag", .source = DEFINED),
    PARAM(M, least_send, PARAM_SIZE, .fallback = "1 KiB", .least = "1 B",
          .doc = "of the first message; the next ones double it", .source = DEFINED),
    PARAM(M, most_send, PARAM_SIZE, .fallback = "256 KiB", .least = "1 B", .most = "16 MiB",
          .doc = "after it the sizes begin again", .source = DEFINED),
    PARAM(M, puts, PARAM_COUNT, .fallback = "8", .least = "1", .most = "100",
          .doc = "puts of a rank in a round, and as many gets", .source = DEFINED),
    PARAM(M, least_put, PARAM_SIZE, .fallback = "64 KiB", .least = "1 B",
          .doc = "of the first put and get; the next ones double it", .source = DEFINED),
    PARAM(M, most_put, PARAM_SIZE, .fallback = "1 MiB", .least = "1 B", .most = "4 MiB",
          .doc = "after it the sizes begin again", .source = DEFINED),
    PARAM(M, wait, PARAM_CHOICE, .fallback = "between", .choices = mixed_waits,
          .doc = "where a round waits for its messages: after the fence; before it; between: for "
                 "the first half of them before the fence, for the others after it",
          .source = "thesis 004, 4.2: \"MPI_Waitall/Waitany functions and MPI_Win_fence are "
                    "placed in specific places to allow overlapping\"; "
                    "assumed: on both sides, since MPICH2 puts with the fence"),
    {0},
};

static void check(const void *values, const struct param_values *report)
{
    const struct mixed_config *config = values;
    if (config->least_send > config->most_send)
        param_complain(report, "least_send", NULL, "is above most_send");
    if (config->least_put > config->most_put)
        param_complain(report, "least_put", NULL, "is above most_put");
}

const struct param_table ch3_mixed_table =
    PARAM_TABLE(M, mixed_params, .name = "rma.mixed",
                .doc = "rounds of messages and one-sided operations", .check = check);

static const struct mixed_config *config_of(const struct workload *workload)
{
    return workload->parameters->values;
}

int64_t ch3_mixed_rounds(const void *parameters, int64_t size)
{
    (void)size;
    return ((const struct mixed_config *)parameters)->rounds;
}

// The size of number `i` (0 ..) of sizes that double from `least` to `most` and begin again.
static int64_t size_of(int64_t least, int64_t most, int64_t i)
{
    int64_t size = least;
    for (; i > 0; i--)
        size = size * 2 > most ? least : size * 2;
    return size;
}

int64_t ch3_mixed_bytes(int64_t size, const struct workload *workload)
{
    const struct mixed_config *config = config_of(workload);
    int64_t bytes = 0;
    (void)size;
    for (int64_t i = 0; i < config->sends; i++)
        bytes += size_of(config->least_send, config->most_send, i);
    for (int64_t i = 0; i < config->puts; i++)
        bytes += 2 * size_of(config->least_put, config->most_put, i);
    return 2 * bytes; // of both ranks
}

static void append_messages(GPtrArray *body, enum op_code code, int peer,
                            const struct mixed_config *config)
{
    bool sends = code == OP_ISEND;
    for (int64_t i = 0; i < config->sends; i++) {
        struct op *op = op_append(body, code);
        struct transfer_arguments *transfer = op->arguments;
        transfer->common.peer = peer;
        transfer->common.size = size_of(config->least_send, config->most_send, i);
        transfer->common.buffer = (sends ? SEND_BUFFER : RECEIVE_BUFFER) + i * config->most_send;
        transfer->tag = i;
        op->name = g_strdup_printf("%c%" G_GINT64_FORMAT, sends ? 's' : 'r', i);
    }
}

// Each has a place of its own in the window and in memory: those of puts, then those of gets.
static void append_one_sided(GPtrArray *body, enum ch3_rma_kind kind, int peer,
                             const struct mixed_config *config)
{
    int64_t first = kind == CH3_PUT ? 0 : config->puts;
    for (int64_t i = 0; i < config->puts; i++) {
        struct op *op = op_append_kind(body, &ch3_rma_operations[kind]);
        struct ch3_transfer_arguments *transfer = op->arguments;
        transfer->common.peer = peer;
        transfer->common.size = size_of(config->least_put, config->most_put, i);
        transfer->common.buffer = MIXED_BUFFER + (first + i) * config->most_put;
        transfer->offset = (first + i) * config->most_put;
    }
}

// Waits for the first `messages` messages of either direction.
static void append_wait(GPtrArray *body, int64_t messages)
{
    struct op *wait = op_append(body, OP_WAITALL);
    wait->names = g_new0(char *, 2 * messages + 1);
    for (int64_t i = 0; i < 2 * messages; i++)
        wait->names[i] = g_strdup_printf("%c%" G_GINT64_FORMAT, i % 2 ? 's' : 'r', i / 2);
}

// The messages are under way when the one-sided operations begin, for which the fence waits.
static void append_round(GPtrArray *body, int rank, const struct mixed_config *config)
{
    append_messages(body, OP_IRECV, 1 - rank, config);
    append_messages(body, OP_ISEND, 1 - rank, config);
    append_one_sided(body, CH3_PUT, 1 - rank, config);
    append_one_sided(body, CH3_GET, 1 - rank, config);
    if (config->wait == MIXED_BETWEEN && config->sends > 1)
        append_wait(body, config->sends / 2);
    if (config->wait == MIXED_BEFORE_FENCE)
        op_append(body, OP_WAITALL);
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FENCE]);
    if (config->wait != MIXED_BEFORE_FENCE)
        op_append(body, OP_WAITALL);
}

static void append_rounds(GPtrArray *body, int rank, const struct mixed_config *config,
                          int64_t rounds)
{
    append_round(op_append_loop(body, rounds, NULL)->body, rank, config);
}

void ch3_mixed_append(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    const struct mixed_config *config = config_of(workload);
    int64_t rounds = benchmark_repetitions(workload, size);
    struct op *create = op_append_kind(body, &ch3_rma_operations[CH3_WIN_CREATE]);
    op_common(create)->size = 2 * config->puts * config->most_put;
    op_common(create)->buffer = MIXED_WINDOW;
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FENCE]);
    append_rounds(body, rank, config, MIXED_WARM_UPS);
    op_append(body, OP_BARRIER);
    op_append(body, OP_MEASURE_START);
    append_rounds(body, rank, config, rounds);
    benchmark_measure_stop(body, size, rounds, 1);
    op_append_kind(body, &ch3_rma_operations[CH3_WIN_FREE]);
}
