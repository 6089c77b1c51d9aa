// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program_run.h"

#include "sim/core/intern.h"
#include "sim/run/run.h"
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"

#include <string.h>

// ---- The trace sink ----

struct program_trace {
    struct transition_sink sink;
    GPtrArray *lines;
};

static void line_free(void *data)
{
    struct program_line *line = data;
    g_free(line->text);
    g_free(line);
}

static char *transition_text(const struct trace_transition *transition)
{
    GString *text = g_string_new(transition->machine);
    // A pinned buffer has its address as its number, which is of no interest.
    if (strcmp(transition->machine, "pin") != 0 && strcmp(transition->machine, "dreg") != 0)
        g_string_append_printf(text, "[%" G_GINT64_FORMAT "]", transition->subject);
    if (transition->from)
        g_string_append_printf(text, " %s ->", transition->from);
    g_string_append_printf(text, " %s", transition->to);
    if (transition->detail)
        g_string_append_printf(text, " %s", transition->detail);
    return g_string_free(text, FALSE);
}

static void trace_take(struct transition_sink *sink, sim_time when,
                       const struct trace_transition *transition)
{
    struct program_trace *trace = (struct program_trace *)(void *)sink;
    struct program_line *line = g_new(struct program_line, 1);
    int rank = -1;
    if (g_str_has_prefix(transition->where, "rank "))
        rank = (int)g_ascii_strtoll(transition->where + strlen("rank "), NULL, 10);
    *line = (struct program_line){
        .when = when,
        .where = intern_text(transition->where),
        .rank = rank,
        .machine = intern_text(transition->machine),
        .text = transition_text(transition),
    };
    g_ptr_array_add(trace->lines, line);
}

struct trace *program_trace_new(GPtrArray **lines)
{
    struct program_trace *trace = g_new(struct program_trace, 1);
    trace->sink = transition_sink_make(trace_take);
    trace->lines = *lines = g_ptr_array_new_with_free_func(line_free);
    return &trace->sink.trace;
}

void program_trace_free(struct trace *trace)
{
    g_free(trace);
}

// ---- The program ----

static const char eepro100[] =
    "links: [{from: node, to: switch}]\nnic: eepro100\nhost: {processor: {cores: 2}}\n";

const char *program_machine(const char *stack)
{
    const char *source = g_getenv("NETSIM_SOURCE_DIR");
    char *path =
        g_build_filename(source ? source : ".", "tests", "cases", stack, "machine.yaml", NULL);
    char *text = NULL;
    g_assert(g_file_get_contents(path, &text, NULL, NULL));
    const char *kept = intern_text(text);
    g_free(text);
    g_free(path);
    return kept;
}

static char *scenario_text(const struct test_program *program)
{
    GString *text = g_string_new("schema: 1\nname: t\n");
    g_string_append_printf(text,
                           "hosts: [{name: node, count: %d}]\nswitches: [%s]\n"
                           "%sstack: %s\nworkload:\n  ranks: %d\n  program:\n",
                           program->hosts ? program->hosts : program->ranks,
                           program->switches ? program->switches : "{name: switch}",
                           program->machine ? program->machine : eepro100,
                           program->stack ? program->stack : "lam_via", program->ranks);
    for (int rank = 0; rank < program->ranks; rank++)
        if (program->ops[rank])
            g_string_append_printf(text, "    - {ranks: %d, do: [%s]}\n", rank, program->ops[rank]);
    if (program->all)
        g_string_append_printf(text, "    - {ranks: all, do: [%s]}\n", program->all);
    return g_string_free(text, FALSE);
}

static struct compiled compile(const struct test_program *program, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    char *text = scenario_text(program);
    struct compiled compiled = compiled_try(text, program->sets, diags);
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        g_string_append_printf(all, "%s: %s (%s)\n", diag->path ? diag->path : "", diag->message,
                               diag->hint ? diag->hint : "");
    }
    *complaints = g_string_free(all, FALSE);
    diag_list_free(diags);
    g_free(text);
    return compiled;
}

struct compiled program_compiled(const struct test_program *program)
{
    char *complaints;
    struct compiled compiled = compile(program, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    if (!compiled.scenario)
        compiled_free(&compiled);
    CU_ASSERT_PTR_NOT_NULL_FATAL(compiled.scenario);
    return compiled;
}

char *program_complaints(const struct test_program *program)
{
    char *complaints;
    struct compiled compiled = compile(program, &complaints);
    compiled_free(&compiled);
    return complaints;
}

// ---- A run ----

struct program_run *program_run(const struct test_program *program, uint64_t seed)
{
    return program_run_observed(program, seed, NULL);
}

static struct program_run *run_compiled(const struct scenario_case *test_case, uint64_t seed,
                                        struct mpi_observer *observer)
{
    struct program_run *run = g_new(struct program_run, 1);
    struct trace *trace = program_trace_new(&run->lines);
    struct run_options options = {.trace = trace, .observer = observer};
    run->result = run_case(&model_registry, test_case, 0, seed, &options);
    program_trace_free(trace);
    return run;
}

struct program_run *program_run_observed(const struct test_program *program, uint64_t seed,
                                         struct mpi_observer *observer)
{
    struct compiled compiled = program_compiled(program);
    struct program_run *run = run_compiled(compiled.test_case, seed, observer);
    compiled_free(&compiled);
    return run;
}

struct program_run *program_run_try(const struct test_program *program, uint64_t seed,
                                    char **complaints)
{
    struct compiled compiled = compile(program, complaints);
    struct program_run *run = NULL;
    if (compiled.scenario)
        run = run_compiled(compiled.test_case, seed, NULL);
    compiled_free(&compiled);
    return run;
}

struct program_run *program_run_lossy(const struct test_program *program, int nth)
{
    char *drop = g_strdup_printf("link.drop_nth=[%d]", nth);
    struct test_program lossy = *program;
    int sets = 0;
    while (lossy.sets[sets])
        sets++;
    lossy.sets[sets] = drop;
    lossy.sets[sets + 1] = "link.fault_direction=forward";
    struct program_run *run = program_run(&lossy, 1);
    g_free(drop);
    return run;
}

void program_run_free(struct program_run *run)
{
    series_result_free(run->result);
    g_ptr_array_unref(run->lines);
    g_free(run);
}

struct program_run *program_run_good(const struct test_program *program)
{
    struct program_run *run = program_run(program, 1);
    char *text = program_reason(run, "text"), *ledger = program_ledger_text(run);
    SUITE_SAME_TEXT(text, "");
    SUITE_SAME_TEXT(ledger, "");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    g_free(text);
    g_free(ledger);
    return run;
}

char *program_run_text(const struct program_run *run, int rank, const char *machines)
{
    char **wanted = g_strsplit(machines, " ", -1);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        if (line->rank == rank && g_strv_contains((const char *const *)wanted, line->machine))
            g_string_append_printf(text, "%s\n", line->text);
    }
    g_strfreev(wanted);
    return g_string_free(text, FALSE);
}

int program_run_count(const struct program_run *run, int rank, const char *part)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct program_line *line = g_ptr_array_index(run->lines, i);
        count += line->rank == rank && strstr(line->text, part) != NULL;
    }
    return count;
}

int64_t program_counter(const struct program_run *run, const char *name)
{
    return json_integer_value(json_object_get(run->result->counters, name));
}

char *program_reason(const struct program_run *run, const char *member)
{
    const json_t *value = run->result->reason ? json_object_get(run->result->reason, member) : NULL;
    if (!value)
        return g_strdup("");
    if (json_is_string(value))
        return g_strdup(json_string_value(value));
    char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char *text = g_strdup(dump);
    free(dump);
    return text;
}

char *program_ledger_text(const struct program_run *run)
{
    GString *text = g_string_new(NULL);
    const GPtrArray *lines = run->result->ledger_report;
    for (guint i = 0; lines && i < lines->len; i++)
        g_string_append_printf(text, "%s\n", (const char *)g_ptr_array_index(lines, i));
    return g_string_free(text, FALSE);
}
