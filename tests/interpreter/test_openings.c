// SPDX-License-Identifier: GPL-3.0-or-later
// Operations of a model that begin with a collective: its ranks and number of bytes, that the
// operation starts after it, and when it is left out. The library is made up: a message is with its
// receiver at once.
#include "sim/flatten/flatten.h"
#include "sim/model/job.h"
#include "sim/mpi/arrival.h"
#include "sim/run/flatten_case.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "tests/support/call_log.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

// ---- The model's operations ----

enum lab_code { LAB_WINDOW, LAB_FENCE, LAB_PUT };

struct lab_fence {
    struct operation_arguments common;
    bool first; // nothing has preceded
    int64_t counters;
};

static const struct operation_key window_keys[] = {
    OPERATION_KEY_COMM, OPERATION_KEY_REQUEST, {.param = {.name = NULL}}};
static const struct operation_key fence_keys[] = {
    {.param = PARAM(struct lab_fence, first, PARAM_BOOL, .fallback = "false", .doc = "no epoch")},
    {.param = PARAM(struct lab_fence, counters, PARAM_COUNT, .fallback = "1", .doc = "of 4 B")},
    OPERATION_KEY_COMM,
    {.param = {.name = NULL}}};
static const struct operation_key put_keys[] = {
    OPERATION_KEY_TO, OPERATION_KEY_SIZE, OPERATION_KEY_COMM, {.param = {.name = NULL}}};

static int64_t fence_bytes(const struct operation_arguments *arguments)
{
    const struct lab_fence *fence = (const struct lab_fence *)(const void *)arguments;
    return fence->first ? OPERATION_ANY : 4 * fence->counters;
}

static const struct operation_kind lab_operations[] = {
    [LAB_WINDOW] = {.name = "window",
                    .doc = "begins with an allgather",
                    .keys = window_keys,
                    .code = LAB_WINDOW,
                    .plain = true,
                    .opening = {.collective = &operation_table[OP_ALLGATHER], .size = 16}},
    [LAB_FENCE] = {.name = "fence",
                   .doc = "begins with an allreduce, but for the first",
                   .keys = fence_keys,
                   .size = sizeof(struct lab_fence),
                   .code = LAB_FENCE,
                   .opening = {.collective = &operation_table[OP_ALLREDUCE],
                               .size_of = fence_bytes}},
    [LAB_PUT] = {.name = "put",
                 .doc = "a message",
                 .keys = put_keys,
                 .code = LAB_PUT,
                 .moves = OPERATION_TO_PEER},
    {.name = NULL}};

// ---- Its device ----

struct lab_message {
    struct mpi_envelope envelope;
    struct message_ref message;
};

struct lab_device {
    GArray *inbox; // struct lab_message
    int fences;
};

static struct lab_device *device_of(const struct mpi_process *process)
{
    return process->device;
}

static void lab_send(struct cpu_context *context, struct mpi_request *send)
{
    struct mpi_process *peer = send->process->peers[send->peer];
    struct lab_message message = {mpi_send_envelope(send), send->message};
    ledger_deliver(send->process->sim->ledger, send->message, 0, send->size);
    g_array_append_val(device_of(peer)->inbox, message);
    cpu_wake(&peer->task);
    mpi_finish(context, send);
}

static void lab_start(struct cpu_context *context, struct mpi_request *request)
{
    if (request->kind != REQUEST_OPERATION) {
        mpi_matched_start(context, request);
        return;
    }
    if (request->operation->code == LAB_FENCE)
        device_of(request->process)->fences++;
    if (request->operation->code == LAB_PUT) {
        ledger_deliver(request->process->sim->ledger, request->message, 0, request->size);
        mpi_message_arrived(context, request->process, request->message);
    }
    mpi_request_done(context, request);
}

static enum mpi_progress lab_advance(struct cpu_context *context, struct mpi_process *process,
                                     bool blocking)
{
    GArray *inbox = device_of(process)->inbox;
    if (inbox->len == 0)
        return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
    struct lab_message first = g_array_index(inbox, struct lab_message, 0);
    g_array_remove_index(inbox, 0);
    mpi_arrived_whole(context, process, &first.envelope, first.message);
    return PROGRESS_EVENT;
}

// The fifth fence of a process has no collective: a matter of the device's state.
static bool lab_opens(const struct mpi_process *process, const struct operation_kind *kind,
                      const void *arguments)
{
    (void)arguments;
    return kind->code != LAB_FENCE || device_of(process)->fences != 4;
}

static const struct mpi_arrival_ops lab_arrival = {.send = lab_send, PLAIN_ARRIVAL};

static const struct mpi_device_ops lab_ops = {
    .name = "lab",
    .arrival = &lab_arrival,
    .machine = &mpi_plain_machine,
    .start = lab_start,
    .advance = lab_advance,
    .opens = lab_opens,
};

static void lab_attach(struct job *job, struct mpi_process *process)
{
    (void)job;
    device_of(process)->inbox = g_array_new(FALSE, FALSE, sizeof(struct lab_message));
}

static void lab_detach(struct job *job, struct mpi_process *process)
{
    (void)job;
    g_array_free(device_of(process)->inbox, TRUE);
}

static const struct stack lab_stack = {
    .schema = {.name = "lab",
               .doc = "messages without time",
               .benchmarks = (const char *const[]){"program", NULL},
               .nics = (const char *const[]){NULL},
               .operations =
                   (const char *const[]){OPERATIONS_OF_MPI, "window", "fence", "put", NULL}},
    .device = &lab_ops,
    .process_size = sizeof(struct lab_device),
    .process_init = lab_attach,
    .process_clear = lab_detach,
};

static const struct model lab_model = {
    .name = "lab",
    .stacks = (const struct stack *const[]){&lab_stack, NULL},
    .operations = lab_operations,
};

static const struct registry registry = {(const struct model *const[]){&lab_model, NULL}};

// ---- Running ----

#define RANKS 4

struct trial {
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct diag_list *diags;
    struct call_log *log;
    struct result *result;
    const struct series_result *series;
};

static struct trial compile(const char *operations)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nstack: lab\nhosts: [{name: n, count: 4}]\n"
        "switches: [{name: s}]\nlinks: [{from: n, to: s}]\n"
        "workload: {ranks: 4, communicators: {pair: [3, 1]}, program: [{ranks: all, do: [%s]}]}\n",
        operations);
    struct trial trial = {.schema = registry_schema(&registry), .diags = diag_list_new()};
    trial.scenario =
        scenario_parse(text, strlen(text), "t.yaml", NULL, trial.schema, NULL, trial.diags);
    diag_print(trial.diags, stderr);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trial.scenario);
    g_free(text);
    return trial;
}

static struct trial run(const char *operations, enum sim_status status)
{
    struct trial trial = compile(operations);
    trial.log = call_log_new();
    trial.result = run_scenario(&registry, trial.scenario,
                                &(struct run_options){.observer = &trial.log->observer});
    trial.series = g_ptr_array_index(trial.result->series, 0);
    SUITE_SAME_TEXT(sim_status_name(trial.series->status), sim_status_name(status));
    return trial;
}

static void trial_clear(struct trial *trial)
{
    if (trial->result)
        result_free(trial->result);
    if (trial->log)
        call_log_free(trial->log);
    scenario_free(trial->scenario);
    diag_list_free(trial->diags);
    registry_schema_free(trial->schema);
}

// Bytes that a rank has sent in collectives, and into how many it has gone, of that name.
static int64_t sent_by(const struct trial *trial, int rank, const char *collective, int *entered)
{
    int64_t bytes = 0;
    *entered = 0;
    for (guint i = 0; i < trial->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(trial->log->entries, struct logged, i);
        if (entry->rank != rank || entry->what != OBSERVED_START)
            continue;
        if (entry->of == LOGGED_COLLECTIVE)
            *entered += strcmp(entry->collective, collective) == 0;
        else if (entry->kind == REQUEST_SEND &&
                 mpi_context_kind(entry->context) == CONTEXT_COLLECTIVE)
            bytes += entry->size;
    }
    return bytes;
}

// When a rank started an operation of that name, the nth; -1: it did not.
static sim_time started(const struct trial *trial, int rank, const char *operation, int nth)
{
    for (guint i = 0; i < trial->log->entries->len; i++) {
        const struct logged *entry = &g_array_index(trial->log->entries, struct logged, i);
        if (entry->rank == rank && entry->what == OBSERVED_START && logged_is(entry, operation) &&
            nth-- == 0)
            return entry->when;
    }
    return -1;
}

// No rank starts its operation before all have entered the allgather, and each block is 16 B.
static void test_window(void)
{
    struct trial trial =
        run("{compute: {time: \"1 ms * rank\"}}, window: {request: a}, wait: a", SIM_COMPLETED);
    int64_t bytes = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        int entered;
        bytes += sent_by(&trial, rank, "allgather", &entered);
        SUITE_SAME_INTEGER(entered, 1);
        CU_ASSERT(started(&trial, rank, "window", 0) >= 3 * TIME_MS);
    }
    // No library: gather to rank 0, and a broadcast of all from it.
    SUITE_SAME_INTEGER(bytes, 3 * 16 + 3 * 64);
    trial_clear(&trial);
}

// In a communicator only its ranks take part, and its peers are its own ranks.
static void test_communicator(void)
{
    struct trial trial =
        run("{loop: {count: \"pair_ranks > 0 ? 1 : 0\", do: [{window: {comm: pair}}, "
            "{put: {to: 0, size: 8 B, comm: pair}}]}}",
            SIM_COMPLETED);
    for (int rank = 0; rank < RANKS; rank++) {
        int entered;
        int64_t bytes = sent_by(&trial, rank, "allgather", &entered);
        SUITE_SAME_INTEGER(entered, rank % 2);
        // Rank 3 is the root.
        SUITE_SAME_INTEGER(bytes, rank == 3 ? 32 : rank == 1 ? 16 : 0);
        CU_ASSERT_EQUAL(started(&trial, rank, "window", 0) >= 0, rank % 2 == 1);
    }
    for (guint i = 0; i < trial.log->entries->len; i++) {
        const struct logged *entry = &g_array_index(trial.log->entries, struct logged, i);
        if (logged_is(entry, "put"))
            SUITE_SAME_INTEGER(entry->peer, 3);
    }
    trial_clear(&trial);
}

// The arguments and the device's state determine whether there is a collective, and its size.
static void test_left_out(void)
{
    struct trial trial = run("{fence: {first: true}}, {compute: {time: \"1 ms * rank\"}}, "
                             "{fence: {counters: 3}}, {fence: {counters: \"1 + 0 * rank\"}}, "
                             "{fence: {}}, {compute: {time: \"1 ms * rank\"}}, {fence: {}}",
                             SIM_COMPLETED);
    for (int rank = 0; rank < RANKS; rank++) {
        int entered;
        int64_t bytes = sent_by(&trial, rank, "allreduce", &entered);
        SUITE_SAME_INTEGER(entered, 3);
        // To rank 0, and from it to the others.
        SUITE_SAME_INTEGER(bytes, (rank == 0 ? 3 : 1) * (12 + 4 + 4));
        CU_ASSERT(started(&trial, rank, "fence", 0) < 1 * TIME_MS);
        CU_ASSERT(started(&trial, rank, "fence", 1) >= 3 * TIME_MS);
        CU_ASSERT(started(&trial, rank, "fence", 4) >= 0);
    }
    CU_ASSERT(started(&trial, 0, "fence", 4) < 4 * TIME_MS);
    trial_clear(&trial);
}

// One that a rank does not call blocks the others, in the collective.
static void test_missing(void)
{
    struct trial trial = run("{loop: {count: \"rank < 3 ? 1 : 0\", do: [window]}}", SIM_DEADLOCK);
    char *reason = json_dumps(trial.series->reason, JSON_COMPACT);
    SUITE_CONTAINS(reason, "t.yaml:7:");
    SUITE_CONTAINS(reason, ": window\"");
    CU_ASSERT_EQUAL(started(&trial, 0, "window", 0), -1);
    free(reason);
    trial_clear(&trial);
}

// Unfolded, the collective's requests precede the operation.
static void test_flattened(void)
{
    struct trial trial = compile("{fence: {first: true}}, {fence: {counters: 2}}");
    const struct scenario_case *test_case = g_ptr_array_index(trial.scenario->cases, 0);
    struct flatten *flatten = flatten_case(&registry, test_case, NULL);
    GString *text = g_string_new(NULL);
    struct flat_op op;
    while (flatten_next(flatten, 1, &op) == SOURCE_CALL)
        g_string_append_printf(text, "%s %" G_GINT64_FORMAT ", ", flat_kind_name(op.kind), op.size);
    SUITE_SAME_TEXT(text->str, "other 0, wait 0, isend 8, wait 0, irecv 8, wait 0, other 0, "
                               "wait 0, ");
    g_string_free(text, TRUE);
    flatten_free(flatten);
    trial_clear(&trial);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"an allgather before the operation", test_window},
        {"in a communicator", test_communicator},
        {"what has no collective", test_left_out},
        {"a rank that does not call it", test_missing},
        {"unfolded", test_flattened},
        {0},
    };
    return suite_run("workload: operations that begin with a collective", cases);
}
