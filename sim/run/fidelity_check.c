// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/fidelity_check.h"

#include "sim/model/model.h"

#define HINT "fidelity: packet runs it"
#define MOST_BY_16_BITS 65536

struct checking {
    const struct scenario_case *test_case;
    struct diag_list *diags;
    bool told; // of an operation: one of them is enough
};

static void complain(const struct checking *checking, struct source_mark mark, const char *path,
                     const char *format, ...) G_GNUC_PRINTF(4, 5);

static void complain(const struct checking *checking, struct source_mark mark, const char *path,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    diag_add(checking->diags, mark, path, HINT, "%s", message);
    g_free(message);
}

// ---- Operations ----

// Why flows do not have an operation; NULL: they do.
static const char *refusal_of(const struct operation_kind *kind)
{
    switch (kind->class) {
    case CALL_OPERATION:
        return "flows have messages of MPI only";
    case CALL_MEMORY:
        return "flows know nothing of registered memory";
    case CALL_STREAM:
        return "flows have no streams";
    default:
        return NULL;
    }
}

static void check_body(struct checking *checking, const GPtrArray *body)
{
    for (guint i = 0; i < body->len && !checking->told; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        const char *why = refusal_of(op->kind);
        if (why)
            complain(checking, op->mark, "workload.program", "%s: %s", op->kind->name, why);
        checking->told = why != NULL;
        if (op->body)
            check_body(checking, op->body);
    }
}

static void check_program(struct checking *checking, const struct program *program)
{
    for (guint i = 0; i < program->parts->len; i++)
        check_body(checking,
                   ((const struct program_part *)g_ptr_array_index(program->parts, i))->body);
}

static void check_recording(const struct checking *checking, const struct recording *recording)
{
    for (int code = 0; code < OP_CODES; code++) {
        const struct operation_kind *kind = &operation_table[code];
        const char *why = refusal_of(kind);
        int rank, line;
        if (!why || !recording_first(recording, (enum op_code)code, &rank, &line))
            continue;
        struct source_mark mark = {recording_file(recording, rank), line, 1};
        complain(checking, mark, "workload.replay", "%s: %s", kind->name, why);
        return;
    }
}

// ---- The rest of a case ----

static void check_workload(struct checking *checking)
{
    const struct workload *workload = &checking->test_case->workload;
    const struct benchmark_schema *benchmark = workload->benchmark;
    if (workload->ranks < 2)
        complain(checking, workload->mark, "workload.ranks", "flows need two ranks");
    if (workload->samples)
        complain(checking, workload->mark, "workload.samples",
                 "flows repeat exactly: single repetitions are not kept");
    if (benchmark && benchmark->over_time)
        complain(checking, workload->mark, "workload.benchmark", "%s: flows have no streams",
                 benchmark->name);
    if (workload->program)
        check_program(checking, workload->program);
    if (workload->recording)
        check_recording(checking, workload->recording);
}

// Routes number the switches next to one, and packets stations and ports, by 16 bits.
static void check_numbers(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct topology *topology = &test_case->topology;
    struct source_mark mark = test_case->workload.mark;
    if (topology->switches->len > MOST_BY_16_BITS)
        diag_add(diags, mark, "switches", NULL, "more than %d switches", MOST_BY_16_BITS);
    if (test_case->fidelity == FIDELITY_PACKET &&
        (test_case->workload.ranks > MOST_BY_16_BITS || topology->hosts->len > MOST_BY_16_BITS))
        diag_add(diags, mark, "workload.ranks", "fidelity: flow runs more",
                 "packets have at most %d ranks and hosts", MOST_BY_16_BITS);
}

void fidelity_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    struct checking checking = {.test_case = test_case, .diags = diags};
    check_numbers(test_case, diags);
    if (test_case->fidelity == FIDELITY_PACKET)
        return;
    if (!registry_stack(&model_registry, test_case->stack->name)->library_section) {
        complain(&checking, test_case->fidelity_mark, "fidelity",
                 "the stack %s is no MPI library: flows have no place for what it does",
                 test_case->stack->name);
        return;
    }
    check_workload(&checking);
    const struct topology_link *faulty = network_faulty_link(&test_case->topology);
    if (faulty)
        complain(&checking, faulty->mark, "links", "flows lose nothing: links have no faults");
}
