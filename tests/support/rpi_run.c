// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rpi_run.h"

#include "sim/workload/run.h"
#include "tests/support/suite.h"

#include <string.h>

struct rpi_line {
    int rank;
    const char *machine; // interned
    char *text;
};

// ---- The trace sink ----

struct rpi_trace {
    struct trace trace;
    GPtrArray *lines;
};

static void line_free(void *data)
{
    struct rpi_line *line = data;
    g_free(line->text);
    g_free(line);
}

static trace_lane sink_lane(struct trace *trace, const char *group, const char *name)
{
    (void)trace, (void)group, (void)name;
    return 0;
}

static void sink_span(struct trace *trace, trace_lane lane, const char *name, sim_time from,
                      sim_time to, struct message_ref message)
{
    (void)trace, (void)lane, (void)name, (void)from, (void)to, (void)message;
}

static void sink_flow(struct trace *trace, trace_lane lane, struct message_ref message, char phase,
                      sim_time when)
{
    (void)trace, (void)lane, (void)message, (void)phase, (void)when;
}

static char *transition_text(const struct trace_transition *transition)
{
    GString *text = g_string_new(transition->machine);
    // What is pinned has its address for a number: of no interest.
    if (strcmp(transition->machine, "pin") != 0 && strcmp(transition->machine, "dreg") != 0)
        g_string_append_printf(text, "[%" G_GINT64_FORMAT "]", transition->subject);
    if (transition->from)
        g_string_append_printf(text, " %s ->", transition->from);
    g_string_append_printf(text, " %s", transition->to);
    if (transition->detail)
        g_string_append_printf(text, " %s", transition->detail);
    return g_string_free(text, FALSE);
}

static void sink_transition(struct trace *trace, trace_lane lane, sim_time when,
                            const struct trace_transition *transition)
{
    (void)lane, (void)when;
    struct rpi_trace *sink = (struct rpi_trace *)(void *)trace;
    struct rpi_line *line = g_new(struct rpi_line, 1);
    int rank = -1;
    if (g_str_has_prefix(transition->where, "rank "))
        rank = (int)g_ascii_strtoll(transition->where + strlen("rank "), NULL, 10);
    *line = (struct rpi_line){
        .rank = rank,
        .machine = g_intern_string(transition->machine),
        .text = transition_text(transition),
    };
    g_ptr_array_add(sink->lines, line);
}

struct trace *rpi_trace_new(GPtrArray **lines)
{
    static const struct trace_ops ops = {
        .lane = sink_lane, .span = sink_span, .flow = sink_flow, .transition = sink_transition};
    struct rpi_trace *sink = g_new(struct rpi_trace, 1);
    sink->trace.ops = &ops;
    sink->lines = *lines = g_ptr_array_new_with_free_func(line_free);
    return &sink->trace;
}

void rpi_trace_free(struct trace *trace)
{
    g_free(trace);
}

// ---- The program ----

static char *scenario_text(const struct rpi_program *program)
{
    GString *text = g_string_new("schema: 1\nname: t\n");
    g_string_append_printf(text,
                           "hosts: [{name: node, count: %d}]\nswitches: [{name: switch}]\n"
                           "links: [{from: node, to: switch}]\nnic: eepro100\nstack: %s\n"
                           "host: {processor: {cores: 2}}\nworkload:\n  ranks: %d\n  program:\n",
                           program->ranks, program->stack ? program->stack : "lam_via",
                           program->ranks);
    for (int rank = 0; rank < program->ranks; rank++)
        if (program->ops[rank])
            g_string_append_printf(text, "    - {ranks: %d, do: [%s]}\n", rank, program->ops[rank]);
    if (program->all)
        g_string_append_printf(text, "    - {ranks: all, do: [%s]}\n", program->all);
    return g_string_free(text, FALSE);
}

static struct scenario *compile(const struct rpi_program *program,
                                const struct scenario_schema *schema, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {.sets = program->sets};
    char *text = scenario_text(program);
    struct scenario *scenario =
        scenario_parse(text, strlen(text), "t.yaml", NULL, schema, &options, diags);
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        g_string_append_printf(all, "%s: %s (%s)\n", diag->path ? diag->path : "", diag->message,
                               diag->hint ? diag->hint : "");
    }
    *complaints = g_string_free(all, FALSE);
    diag_list_free(diags);
    g_free(text);
    return scenario;
}

struct rpi_case rpi_case_new(const struct rpi_program *program)
{
    struct rpi_case compiled = {.schema = registry_schema(&model_registry)};
    char *complaints;
    compiled.scenario = compile(program, compiled.schema, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    if (!compiled.scenario)
        registry_schema_free(compiled.schema);
    CU_ASSERT_PTR_NOT_NULL_FATAL(compiled.scenario);
    compiled.test_case = g_ptr_array_index(compiled.scenario->cases, 0);
    return compiled;
}

void rpi_case_free(struct rpi_case *compiled)
{
    scenario_free(compiled->scenario);
    registry_schema_free(compiled->schema);
}

char *rpi_complaints(const struct rpi_program *program)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    char *complaints;
    scenario_free(compile(program, schema, &complaints));
    registry_schema_free(schema);
    return complaints;
}

// ---- A run ----

struct rpi_run *rpi_run(const struct rpi_program *program, uint64_t seed)
{
    struct rpi_case compiled = rpi_case_new(program);
    struct rpi_run *run = g_new(struct rpi_run, 1);
    struct trace *trace = rpi_trace_new(&run->lines);
    struct run_options options = {.trace = trace};
    run->result = run_case(&model_registry, compiled.test_case, 0, seed, &options);
    rpi_trace_free(trace);
    rpi_case_free(&compiled);
    return run;
}

void rpi_run_free(struct rpi_run *run)
{
    series_result_free(run->result);
    g_ptr_array_unref(run->lines);
    g_free(run);
}

char *rpi_run_text(const struct rpi_run *run, int rank, const char *machines)
{
    char **wanted = g_strsplit(machines, " ", -1);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < run->lines->len; i++) {
        const struct rpi_line *line = g_ptr_array_index(run->lines, i);
        if (line->rank == rank && g_strv_contains((const char *const *)wanted, line->machine))
            g_string_append_printf(text, "%s\n", line->text);
    }
    g_strfreev(wanted);
    return g_string_free(text, FALSE);
}

int rpi_run_count(const struct rpi_run *run, int rank, const char *part)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++) {
        const struct rpi_line *line = g_ptr_array_index(run->lines, i);
        count += line->rank == rank && strstr(line->text, part) != NULL;
    }
    return count;
}

void rpi_expect(const char *file, int line, const struct rpi_program *program, const char *machines,
                const char *const expected[RPI_MOST_RANKS])
{
    struct rpi_run *run = rpi_run(program, 1);
    suite_same_text(file, line, sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    for (int rank = 0; rank < program->ranks; rank++) {
        char *text = rpi_run_text(run, rank, machines);
        if (expected[rank])
            suite_same_text(file, line, text, expected[rank]);
        g_free(text);
    }
    rpi_run_free(run);
}

char *rpi_reason(const struct rpi_run *run, const char *member)
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

char *rpi_ledger_text(const struct rpi_run *run)
{
    GString *text = g_string_new(NULL);
    const GPtrArray *lines = run->result->ledger_report;
    for (guint i = 0; lines && i < lines->len; i++)
        g_string_append_printf(text, "%s\n", (const char *)g_ptr_array_index(lines, i));
    return g_string_free(text, FALSE);
}
