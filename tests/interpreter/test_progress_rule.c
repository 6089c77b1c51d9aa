// SPDX-License-Identifier: GPL-3.0-or-later
// How the interpreter obeys a rule of progress (sim/mpi/progress.h). The library is made up: what
// its turns do is a script, a letter for each `advance`, and the log has what the interpreter asked
// for.
//
// Script: n nothing, e a turn, p a part of one; a digit: a turn in which the request of that number
// is done; a capital letter: a part in which the request is done (A: 1). At its end there is
// nothing. Log: the letter, after - for an `advance` that must not wait, and after the number of
// the library's own request and a colon; g for what goes on; (1 and )1 for a request's start and
// end.
#include "sim/interpreter/interpreter.h"
#include "sim/program/operations.h"
#include "sim/program/program.h"
#include "sim/source/program_source.h"
#include "tests/support/suite.h"

#include <string.h>

#define RANKS 2

struct bench {
    struct sim *sim;
    struct mpi_process *process;
    const char *script;
    int left; // for go_on
    GString *log;
};

static void finish(struct cpu_context *context, struct mpi_process *process, uint32_t number)
{
    struct mpi_request *request = process->active;
    while (request && request->number != number)
        request = request->active_next;
    CU_ASSERT_PTR_NOT_NULL_FATAL(request);
    if (request->kind != REQUEST_SEND) {
        const struct mpi_envelope envelope = {.source = 1, .tag = request->tag};
        struct message_ref message = ledger_open(process->sim->ledger, 1, 0, 0, number);
        ledger_deliver(process->sim->ledger, message, 0, 0);
        mpi_request_match(request, &envelope, message);
    }
    mpi_request_done(context, request);
}

static void scripted_start(struct cpu_context *context, struct mpi_request *request)
{
    struct bench *bench = request->process->device;
    (void)context;
    g_string_append_printf(bench->log, "(%u ", request->number);
    bench->left = request->synchronous ? 2 : 0;
}

static enum mpi_progress scripted_go_on(struct cpu_context *context, struct mpi_process *process)
{
    struct bench *bench = process->device;
    (void)context;
    if (bench->left == 0)
        return PROGRESS_NOTHING;
    bench->left--;
    g_string_append(bench->log, "g ");
    return PROGRESS_EVENT;
}

static enum mpi_progress scripted_advance(struct cpu_context *context, struct mpi_process *process,
                                          bool blocking)
{
    struct bench *bench = process->device;
    char letter = *bench->script ? *bench->script++ : 'n';
    if (process->own)
        g_string_append_printf(bench->log, "%u:", process->own->number);
    g_string_append_printf(bench->log, "%s%c ", blocking ? "" : "-", letter);
    if (g_ascii_isdigit(letter))
        finish(context, process, (uint32_t)(letter - '0'));
    else if (g_ascii_isupper(letter))
        finish(context, process, (uint32_t)(letter - 'A' + 1));
    if (letter == 'p' || g_ascii_isupper(letter))
        return PROGRESS_PART;
    if (letter == 'n')
        return blocking ? PROGRESS_BLOCKED : PROGRESS_NOTHING;
    return PROGRESS_EVENT;
}

static void scripted_destroy(struct cpu_context *context, struct mpi_request *request)
{
    struct bench *bench = request->process->device;
    (void)context;
    g_string_append_printf(bench->log, ")%u ", request->number);
}

static const struct mpi_progress_rule leaves = {
    .test = {MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .waits = MPI_WAITS_LEAVE,
};

static const struct mpi_progress_rule exhausts = {
    .send = {MPI_TURNS},
    .receive = {MPI_TURN},
    .test = {MPI_TURNS, MPI_LOOKS},
    .probe = {MPI_TURNS},
    .waits = MPI_WAITS_EXHAUST,
};

static const struct mpi_progress_rule in_order = {
    .send = {MPI_TURNS},
    .test = {MPI_TURN, MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN},
    .waits = MPI_WAITS_LEAVE,
    .in_order = true,
};

#define ISEND(name) "{isend: {to: 1, size: 0 B, request: " #name "}}, "
#define ISSEND(name) "{issend: {to: 1, size: 0 B, request: " #name "}}, "
#define IRECV(name) "{irecv: {from: 1, size: 0 B, request: " #name "}}, "
#define IPROBE "{iprobe: {from: 1, tag: 1}}, "

static const struct {
    const struct mpi_progress_rule *rule;
    const char *operations, *script, *log;
} rows[] = {
    // Nothing as a request starts, a wait leaves after the turn that brings it, or its last part.
    {&leaves, ISEND(a) "{wait: a}", "1e", "(1 1 )1 "},
    {&leaves, ISEND(a) "{wait: a}", "pep1e", "(1 p e p 1 )1 "},
    {&leaves, ISEND(a) "{wait: a}", "Ape", "(1 A -p -e )1 "},
    // A wait for what is done looks and leaves.
    {&leaves, ISEND(a) ISEND(b) "{wait: b}, {wait: a}", "12e", "(1 (2 1 2 )2 )1 "},
    {&leaves, ISEND(a) ISEND(b) "{waitany: [a, b]}, {wait: a}", "21", "(1 (2 2 )2 1 )1 "},
    // Steps that the device has left go on all the same, before anything else.
    {&leaves, ISSEND(a) "{wait: a}", "1", "(1 g g 1 )1 "},
    // A test makes one turn and looks, whatever it finds; a probe leaves if it finds something.
    {&leaves, ISEND(a) "{test: a}, {test: a}, {wait: a}", "pe1", "(1 -p -e -1 )1 "},
    {&leaves, IRECV(a) IPROBE "{wait: a}", "e1", "(1 (2 -e )2 1 )1 "},
    // Until nothing is left, as a send starts; one turn as a receive does.
    {&exhausts, ISEND(a) "{wait: a}", "een1e", "(1 -e -e -n 1 -e -n )1 "},
    {&exhausts, IRECV(a) "{wait: a}", "pe1", "(1 -p -e 1 -n )1 "},
    {&exhausts, ISEND(a) "{test: a}", "nee1", "(1 -n -e -e -1 -n )1 "},
    {&exhausts, ISEND(a) "{wait: a}", "1e", "(1 -1 -e -n )1 "},
    // Sends in their order, then the others in theirs.
    {&in_order, IRECV(a) ISEND(b) IRECV(c) ISEND(d) "{waitall: [d, c, b, a]}", "nn1342",
     "(1 (2 -n (3 (4 -n 4:1 4:3 4:4 2:2 )4 )3 )2 )1 "},
    {&in_order, IRECV(a) IRECV(b) "{waitall: all}", "21", "(1 (2 1:2 1:1 )1 )2 "},
    {&in_order, IRECV(a) "{test: a}, {wait: a}", "ee1", "(1 -e -e 1:1 )1 "},
    {&in_order, IRECV(a) "{test: a}", "1e", "(1 -1 )1 "},
    // As without a rule.
    {NULL, ISEND(a) "{wait: a}", "1ee", "(1 -1 -e -e -n -n )1 "},
};

static struct program *rank_0(const char *operations)
{
    static const char *const all[] = {OPERATIONS_OF_MPI, NULL};
    static const struct op_library library = {.name = "scripted", .operations = all};
    char *text = g_strdup_printf("[{ranks: 0, do: [%s]}]", operations);
    struct diag_list *diags = diag_list_new();
    struct node *list = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    struct program *program = program_read(list, NULL, RANKS, &library, "p", diags);
    CU_ASSERT_FALSE(diag_any(diags));
    node_free(list);
    diag_list_free(diags);
    g_free(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    return program;
}

static char *play(size_t row)
{
    static const struct host_config config = {
        .processor = {.cores = 1, .clock = 1000000000, .cycle_ratio = 1},
        .memory = {.page = 4096},
        .bus = {.clock = 33000000, .width = 4, .read_burst = 128, .write_burst = 128},
    };
    const struct mpi_device_ops ops = {
        .name = "scripted",
        .start = scripted_start,
        .progress = rows[row].rule,
        .go_on = scripted_go_on,
        .advance = scripted_advance,
        .destroy = scripted_destroy,
    };
    struct bench bench = {
        .sim = sim_new(1, NULL), .script = rows[row].script, .log = g_string_new(NULL)};
    struct host *host = host_new(bench.sim, 0, "node0", &config);
    struct program *program = rank_0(rows[row].operations);
    bench.process = mpi_process_new(bench.sim, host, 0, 0, RANKS, interpreter_run);
    bench.process->ops = &ops;
    bench.process->device = &bench;
    struct op_source *source = program_source_new(program, RANKS);
    struct interpreter *run = interpreter_new(bench.process, source, NULL, NULL);
    cpu_wake(&bench.process->task);
    engine_run(bench.sim->engine, TIME_NEVER);
    interpreter_free(run);
    op_source_free(source);
    program_free(program);
    mpi_process_free(bench.process);
    host_free(host);
    sim_free(bench.sim);
    return g_string_free(bench.log, FALSE);
}

static void test_rules(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *log = play(i);
        SUITE_SAME_TEXT(log, rows[i].log);
        g_free(log);
    }
}

int main(void)
{
    const struct suite_case cases[] = {{"rules", test_rules}, {0}};
    return suite_run("interpreter: rules of progress", cases);
}
