// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided transfers, active messages and calls in programs: the requests to the library, and when
// the program goes on. The library is made up: it notes its requests, and each request is done
// after as many events as the operation's count (0: at once).
#include "sim/interpreter/interpreter.h"
#include "sim/source/program_source.h"
#include "tests/support/fake_operations.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"

#define RANKS 3

struct bench {
    struct sim *sim;
    struct mpi_process *process;
    struct interpreter *run;
    GString *log;
    sim_time measured;
};

struct held {
    int64_t events; // until it is done
};

static struct held *held_of(struct mpi_request *request)
{
    return (struct held *)(void *)request->device;
}

static void log_layout(GString *log, const struct data_layout *layout)
{
    for (int i = 0; layout->kind == DATA_STRIDED && i <= layout->levels; i++)
        g_string_append_printf(log, "%s%" G_GINT64_FORMAT, i ? "x" : " of ", layout->counts[i]);
    for (int i = 0; layout->kind == DATA_STRIDED && i < layout->levels; i++)
        g_string_append_printf(log, " every %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT,
                               layout->strides[i], layout->peer_strides[i]);
    for (int i = 0; layout->kind == DATA_VECTOR && i < layout->sets; i++)
        g_string_append_printf(log, "%s%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, i ? "+" : " of ",
                               layout->segments[i].count, layout->segments[i].bytes);
}

static void log_request(GString *log, const struct mpi_request *request)
{
    bool transfer = request->operation->code < FAKE_MESSAGE;
    const struct fake_transfer *data = transfer ? request->arguments : NULL;
    const struct fake_call *call = transfer ? NULL : request->arguments;
    const struct operation_arguments *common = request->arguments;
    int64_t channel = data ? data->channel : call->channel;
    g_string_append_printf(log, "%s", mpi_request_name(request));
    if (request->peer != RANK_ANY)
        g_string_append_printf(log, " %d", request->peer);
    g_string_append_printf(log, " %" G_GINT64_FORMAT " B", common->size);
    if (common->layout)
        log_layout(log, common->layout);
    if (channel > 0)
        g_string_append_printf(log, " channel %" G_GINT64_FORMAT, channel);
    if (data && data->peer_buffer)
        g_string_append_printf(log, " at %" G_GINT64_FORMAT, data->peer_buffer);
    if (data)
        g_string_append_printf(log, "%s%s%s", data->notify ? " notify" : "",
                               data->physical ? " physical" : "", data->paged ? " paged" : "");
    if (call && call->function)
        g_string_append_printf(log, " %s", call->function);
    g_string_append(log, request->blocking ? "; " : " (goes on); ");
}

static void finish(struct cpu_context *context, struct mpi_request *request)
{
    struct mpi_process *process = request->process;
    if (request->message.generation) {
        ledger_deliver(process->sim->ledger, request->message, 0, request->size);
        mpi_message_arrived(context, process, request->message);
    }
    mpi_request_done(context, request);
}

static void fake_start(struct cpu_context *context, struct mpi_request *request)
{
    struct bench *bench = request->process->device;
    log_request(bench->log, request);
    cpu_spend_time(context, TIME_US, stage_called("fake", STAGE_LIBRARY));
    held_of(request)->events = 0;
    if (request->operation->code >= FAKE_MESSAGE) {
        const struct fake_call *call = request->arguments;
        held_of(request)->events = call->count;
        if (g_strcmp0(call->function, "measure") == 0)
            request->process->reported = 7 * TIME_US;
    }
    if (held_of(request)->events == 0)
        finish(context, request);
}

static enum mpi_progress fake_advance(struct cpu_context *context, struct mpi_process *process,
                                      bool blocking)
{
    if (!process->active)
        return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
    if (!blocking)
        return PROGRESS_NOTHING;
    cpu_spend_time(context, TIME_US, stage_called("fake", STAGE_LIBRARY));
    for (struct mpi_request *request = process->active, *next; request; request = next) {
        next = request->active_next;
        if (--held_of(request)->events <= 0)
            finish(context, request);
    }
    return PROGRESS_EVENT;
}

static void fake_destroy(struct cpu_context *context, struct mpi_request *request)
{
    (void)context;
    struct bench *bench = request->process->device;
    g_string_append_printf(bench->log, "-%s; ", mpi_request_name(request));
}

static const struct mpi_device_ops all_ops = {
    .name = "fake",
    .request_size = sizeof(struct held),
    .start = fake_start,
    .advance = fake_advance,
    .destroy = fake_destroy,
};

static void on_measure(void *owner, int rank, const struct interpreter_measured *measured)
{
    CU_ASSERT_PTR_NULL(measured->times);
    (void)rank;
    ((struct bench *)owner)->measured = measured->elapsed;
}

static struct program *read_program(const char *operations)
{
    char *text = g_strdup_printf("[{ranks: 0, do: [%s]}]", operations);
    struct diag_list *diags = diag_list_new();
    struct node *list = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    struct program *program =
        list ? program_read(list, NULL, RANKS, &fake_library, "p", diags) : NULL;
    CU_ASSERT_FALSE(diag_any(diags));
    node_free(list);
    diag_list_free(diags);
    g_free(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    return program;
}

// Runs a program as rank 0; returns the requests to the library, or the run's error. Free with
// g_free.
static char *run_program(const struct program *program, struct bench *bench)
{
    static const struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    *bench = (struct bench){.sim = sim_new(1, NULL), .log = g_string_new(NULL)};
    struct host *host = host_new(bench->sim, 0, "node0", &config);
    bench->process = mpi_process_new(bench->sim, host, 0, 0, RANKS, interpreter_run);
    bench->process->ops = &all_ops;
    bench->process->device = bench;
    struct op_source *source = program_source_new(program, RANKS);
    bench->run = interpreter_new(bench->process, source, on_measure, bench);
    cpu_wake(&bench->process->task);
    engine_run(bench->sim->engine, TIME_NEVER);
    if (bench->sim->status != SIM_COMPLETED)
        g_string_assign(bench->log, json_string_value(json_object_get(bench->sim->reason, "text")));
    else
        CU_ASSERT(interpreter_ended(bench->run) && ledger_balanced(bench->sim->ledger));
    interpreter_free(bench->run);
    op_source_free(source);
    mpi_process_free(bench->process);
    host_free(host);
    sim_free(bench->sim);
    return g_string_free(bench->log, FALSE);
}

static void expect(const char *operations, const char *log)
{
    struct bench bench;
    struct program *program = read_program(operations);
    char *text = run_program(program, &bench);
    SUITE_SAME_TEXT(text, log);
    g_free(text);
    program_free(program);
}

static void test_kinds(void)
{
    expect("put: {to: 1, size: 64 B, peer_buffer: 8192, notify: true, channel: 2}",
           "put 1 64 B channel 2 at 8192 notify; -put; ");
    expect("get: {from: 2, size: 1 KiB, physical: true, paged: true}",
           "get 2 1024 B physical paged; -get; ");
    expect("accumulate: {to: rank + 1, size: 8 B * ranks}", "accumulate 1 24 B; -accumulate; ");
    expect("fetch_add: 1", "fetch_add 1 0 B; -fetch_add; ");
    expect("lock: 2", "lock 2 0 B; -lock; ");
    expect("fence: 1", "fence 1 0 B; -fence; ");
    expect("fence: all", "fence 0 B; -fence; ");
    expect("active_message: {to: 0, size: 0, handler: reply}",
           "active_message 0 0 B reply; -active_message; ");
    expect("poll: 0", "poll 0 B; -poll; ");
    expect("call: {name: reset, size: 3 B}", "call 3 B reset; -call; ");
}

static void test_layouts(void)
{
    expect("put: {to: 1, strided: {counts: [512 B, 3, ranks + 1], strides: [1 KiB, 8 KiB], "
           "peer_strides: [2 KiB, 16 KiB]}}",
           "put 1 6144 B of 512x3x4 every 1024/2048 every 8192/16384; -put; ");
    expect("get: {from: 1, strided: {counts: [8 B, 2], strides: [64 B]}}",
           "get 1 16 B of 8x2 every 64/64; -get; ");
    expect("put: {to: 1, segments: [{bytes: 8 B, count: 100}, {bytes: 512 B, count: 3}]}",
           "put 1 2336 B of 100x8+3x512; -put; ");
    // A loop's counter changes the layout from turn to turn.
    expect("loop: {count: 2, as: i, do: [{put: {to: 1, segments: [{bytes: 8 B, count: i + 1}]}}]}",
           "put 1 8 B of 1x8; -put; put 1 16 B of 2x8; -put; ");
}

// With a request the program goes on at once, and waits at its wait operation.
static void test_requests(void)
{
    expect("call: {name: f, count: 3, request: a}, put: {to: 1, size: 1 B, request: b}, wait: b, "
           "wait: a",
           "call 0 B f (goes on); put 1 1 B (goes on); -put; -call; ");
    expect("call: {name: f, count: 2, request: a}, call: {name: g, count: 1}, waitall: all",
           "call 0 B f (goes on); call 0 B g; -call; -call; ");
    expect("loop: {count: 2, do: [{call: {name: f, count: 1, request: a}}, {wait: a}]}",
           "call 0 B f (goes on); -call; call 0 B f (goes on); -call; ");
    // The same name twice.
    expect("loop: {count: 2, do: [{call: {name: f, count: 1, request: a}}]}, wait: a",
           "t.yaml:1:41: call, rank 0: request a is still open");
}

static void test_refused(void)
{
    expect("put: {to: rank + 5, size: 1 B}",
           "t.yaml:1:18: put, rank 0: there is no rank 5 (ranks: 0..2)");
    expect("put: {to: 1, size: 1 B * rank - 1 B}",
           "t.yaml:1:18: put, rank 0: -1 B is no size: the range is 0 .. 1024 GiB");
    expect("put: {to: 1, segments: [{bytes: 8 B, count: rank}]}",
           "t.yaml:1:18: put, rank 0: 0 is no number of segments of a layout");
    expect("put: {to: 1, strided: {counts: [8 B, 2], strides: [1 B * rank]}}",
           "t.yaml:1:18: put, rank 0: 0 is no stride of a layout");
    expect("put: {to: 1, strided: {counts: [1024 GiB, 2], strides: [1 B]}}",
           "t.yaml:1:18: put, rank 0: the layout has more than 1024 GiB");
}

// A benchmark may take the time that the library has measured instead of the clock's.
static void test_reported(void)
{
    for (int reported = 0; reported < 2; reported++) {
        struct bench bench;
        struct program *program = program_new();
        struct program_part *part = program_add_part(program);
        part->all = true;
        op_append(part->body, OP_MEASURE_START);
        struct fake_call *call = op_append_kind(part->body, &fake_operations[FAKE_CALL])->arguments;
        struct measure_arguments *stop = op_append(part->body, OP_MEASURE_STOP)->arguments;
        call->function = "measure";
        stop->count = 1;
        stop->parts = 1;
        stop->reported = reported;
        g_free(run_program(program, &bench));
        CU_ASSERT_EQUAL(bench.measured, (reported ? 7 : 1) * TIME_US);
        program_free(program);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"kinds", test_kinds},     {"layouts", test_layouts},   {"requests", test_requests},
        {"refused", test_refused}, {"reported", test_reported}, {0},
    };
    return suite_run("workload: operations", cases);
}
