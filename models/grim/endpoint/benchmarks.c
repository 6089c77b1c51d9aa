// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/benchmarks.h"

#include "models/grim/endpoint/handlers.h"
#include "models/grim/endpoint/operations.h"

#include <glib.h>

#define WARM_UPS 2

// ---- Operations ----

static void append_message(GPtrArray *body, int peer, int64_t size, const char *handler)
{
    struct grim_active_message *message =
        op_append_kind(body, &grim_operations[GRIM_OPERATION_MESSAGE])->arguments;
    message->common.peer = peer;
    message->common.size = size;
    message->handler = handler;
}

static void append_poll(GPtrArray *body, int64_t count)
{
    struct grim_poll *poll = op_append_kind(body, &grim_operations[GRIM_OPERATION_POLL])->arguments;
    poll->count = count;
}

static void append_call(GPtrArray *body, enum grim_function_called called, const char *name,
                        int64_t count)
{
    struct grim_call *call = op_append_kind(body, &grim_operations[GRIM_OPERATION_CALL])->arguments;
    call->called = called;
    call->name = name;
    call->count = count;
}

static void append_notified(GPtrArray *body)
{
    append_call(body, GRIM_CALL_NOTIFIED, "notified", 1);
}

// ---- grim.inject: the time to inject a burst (thesis 003, 4.2.4) ----

// Rank 1 sends each message back as soon as it is received. The time is that of rank 0's calls, in
// which it handles the replies that have arrived meanwhile; it takes the others after the
// measurement. One burst of each size is measured whatever `repetitions` is: the next would find
// queues that are not empty.
static void append_inject(GPtrArray *body, int rank, int64_t burst, const struct workload *workload)
{
    (void)workload;
    op_append(body, OP_BARRIER);
    if (rank == 1) {
        append_poll(body, burst);
        return;
    }
    op_append(body, OP_MEASURE_START);
    append_message(op_append_loop(body, burst, NULL)->body, 1, 0, grim_reply_name());
    benchmark_measure_stop(body, burst, burst, 1);
    append_poll(body, burst);
}

// ---- grim.scan: the card looks through empty channels (4.3.4) ----

static void append_scan(GPtrArray *body, int rank, int64_t channels,
                        const struct workload *workload)
{
    (void)workload;
    if (rank != 0)
        return;
    op_append(body, OP_MEASURE_START);
    append_call(body, GRIM_CALL_SCAN, "scan", channels);
    benchmark_measure_stop(body, channels, 1, 1)->reported = true;
}

// ---- grim.latency: half a round trip of active messages ----

static void append_exchanges(GPtrArray *body, int rank, int64_t size, int64_t count)
{
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    if (rank == 1)
        append_poll(loop, 1);
    append_message(loop, 1 - rank, size, grim_nop_name());
    if (rank == 0)
        append_poll(loop, 1);
}

static void append_latency(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    benchmark_append_pingpong(body, rank, size, workload, WARM_UPS, append_exchanges);
}

// ---- grim.remote: remote memory (4.5) ----

enum remote_operation { REMOTE_WRITE, REMOTE_READ };
enum remote_address { REMOTE_VIRTUAL, REMOTE_PHYSICAL };
enum remote_memory { REMOTE_CONTIGUOUS, REMOTE_PAGED };
enum remote_notify { REMOTE_INSIDE, REMOTE_SECOND };

struct remote_config {
    int operation, address, memory, notify;
};

#define R struct remote_config

static const char *const benchmark_operations[] = {"write", "read", NULL};
static const char *const addresses[] = {"virtual", "physical", NULL};
static const char *const memories[] = {"contiguous", "paged", NULL};
static const char *const notifies[] = {"inside", "second", NULL};

static const struct param remote_params[] = {
    PARAM(R, operation, PARAM_CHOICE, .fallback = "write", .choices = benchmark_operations,
          .doc = "write: half a round trip; read: from the call to the word after the data",
          .source = "thesis 003, 4.5.3 and 4.5.4"),
    PARAM(R, address, PARAM_CHOICE, .fallback = "virtual", .choices = addresses,
          .doc = "RM-V or RM-P writes; reads are virtual", .source = "thesis 003, 4.5.3"),
    PARAM(R, memory, PARAM_CHOICE, .fallback = "contiguous", .choices = memories,
          .doc = "how the target's memory was registered", .source = "thesis 003, 4.5.1"),
    PARAM(R, notify, PARAM_CHOICE, .fallback = "inside", .choices = notifies,
          .doc = "a write names the word of notification, or a second write of no data does",
          .source = "thesis 003, 4.5.5"),
    {0},
};

static const struct param_table remote_table =
    PARAM_TABLE(struct remote_config, remote_params, .name = "grim.remote",
                .doc = "what grim.remote transfers");

static struct grim_transfer *append_transfer(GPtrArray *body, enum grim_operation operation,
                                             int peer, int64_t size,
                                             const struct remote_config *config)
{
    struct grim_transfer *transfer = op_append_kind(body, &grim_operations[operation])->arguments;
    transfer->common.peer = peer;
    transfer->common.size = size;
    transfer->physical = config->address == REMOTE_PHYSICAL && operation == GRIM_OPERATION_PUT;
    transfer->paged = config->memory == REMOTE_PAGED;
    transfer->notify = true;
    return transfer;
}

static void append_write(GPtrArray *body, int peer, int64_t size,
                         const struct remote_config *config)
{
    struct grim_transfer *data = append_transfer(body, GRIM_OPERATION_PUT, peer, size, config);
    if (config->notify == REMOTE_INSIDE)
        return;
    data->notify = false;
    append_transfer(body, GRIM_OPERATION_PUT, peer, 0, config);
}

static void append_writes(GPtrArray *body, int rank, int64_t size, int64_t count,
                          const struct remote_config *config)
{
    GPtrArray *loop = op_append_loop(body, count, NULL)->body;
    if (rank == 1)
        append_notified(loop);
    append_write(loop, 1 - rank, size, config);
    if (rank == 0)
        append_notified(loop);
}

static void append_transfers(GPtrArray *body, int rank, int64_t size, int64_t count,
                             const struct remote_config *config)
{
    if (config->operation == REMOTE_WRITE)
        append_writes(body, rank, size, count, config);
    else if (rank == 0)
        append_transfer(op_append_loop(body, count, NULL)->body, GRIM_OPERATION_GET, 1, size,
                        config);
}

static void append_remote(GPtrArray *body, int rank, int64_t size, const struct workload *workload)
{
    const struct remote_config *config = workload->parameters->values;
    int64_t count = benchmark_repetitions(workload, size);
    append_transfers(body, rank, size, WARM_UPS, config);
    if (rank == 0)
        op_append(body, OP_MEASURE_START);
    append_transfers(body, rank, size, count, config);
    if (config->operation == REMOTE_WRITE)
        benchmark_repeats(body, 2);
    else if (rank == 0)
        benchmark_repeats(body, 1);
    if (rank == 0)
        benchmark_measure_stop(body, size, count, config->operation == REMOTE_WRITE ? 2 : 1);
}

const struct benchmark grim_benchmarks[] = {
    {
        BENCHMARK_OF_TWO("grim.inject",
                         "time to inject a burst of null active messages, which the peer sends "
                         "back, over the burst's messages",
                         "overhead_us", .counts = "messages", .sizes = "1 .. 16384"),
        .report = {.time_metric = "overhead_us"},
        .append = append_inject,
    },
    {
        BENCHMARK_OF_TWO("grim.scan", "time in which a card looks through empty logical channels",
                         "scan_us", .counts = "channels", .sizes = "1 .. 32"),
        .report = {.time_metric = "scan_us"},
        .append = append_scan,
    },
    {
        BENCHMARK_OF_TWO("grim.latency", "half a round trip of active messages; MB is 10^6 B",
                         BENCHMARK_POINT_METRICS, .sizes = "0 B .. 32 KiB"),
        BENCHMARK_POINTS(1),
        .append = append_latency,
    },
    {
        BENCHMARK_OF_TWO(
            "grim.remote", "remote memory writes and reads with notification; MB is 10^6 B",
            BENCHMARK_POINT_METRICS, .sizes = "4 B .. 1 MiB", .parameters = &remote_table),
        BENCHMARK_POINTS(1),
        .append = append_remote,
    },
    {.schema = {.name = NULL}},
};
