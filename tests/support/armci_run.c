// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/armci_run.h"

#include "sim/workload/run.h"
#include "tests/support/suite.h"

#include <string.h>

// ---- The trace sink ----

struct sink {
    struct trace trace;
    GPtrArray *lines;
};

static void line_free(void *data)
{
    struct armci_line *line = data;
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
    struct sink *sink = (struct sink *)(void *)trace;
    struct armci_line *line = g_new(struct armci_line, 1);
    (void)lane;
    *line =
        (struct armci_line){when, g_intern_string(transition->where), transition_text(transition)};
    g_ptr_array_add(sink->lines, line);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    const struct armci_line *first = *(const struct armci_line *const *)a,
                            *second = *(const struct armci_line *const *)b;
    return first->when < second->when ? -1 : first->when > second->when;
}

// ---- The program ----

static char *scenario_text(const struct armci_program *program)
{
    GString *text = g_string_new("schema: 1\nname: t\n");
    g_string_append_printf(
        text,
        "hosts: [{name: node, count: %d}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch, rate: 1280 Mb/s, propagation: 15 ns, preamble: 0 B, "
        "gap: 1 B, least_frame: 0 B}]\n"
        "switch: {discipline: cut_through, ports: 16, latency: 150 ns, header: 1 B, "
        "route_bytes: 1 B}\n"
        "nic: lanai7\nstack: armci\nhost: {processor: {cores: 2, clock: 300 MHz}, "
        "memory: {copy_cached: 180 MB/s, copy_uncached: 84 MB/s, bus_rate: 168 MB/s, "
        "copy_traffic: 2}, bus: {rate: 132 MB/s}}\n"
        "workload:\n  ranks: %d\n  program:\n",
        program->hosts ? program->hosts : program->ranks, program->ranks);
    for (int rank = 0; rank < program->ranks; rank++)
        if (program->ops[rank])
            g_string_append_printf(text, "    - {ranks: %d, do: [%s]}\n", rank, program->ops[rank]);
    if (program->all)
        g_string_append_printf(text, "    - {ranks: all, do: [%s]}\n", program->all);
    return g_string_free(text, FALSE);
}

static struct scenario *compile(const struct armci_program *program,
                                const struct scenario_schema *schema)
{
    struct diag_list *diags = diag_list_new();
    struct scenario_options options = {.sets = program->sets};
    char *text = scenario_text(program);
    struct scenario *scenario =
        scenario_parse(text, strlen(text), "t.yaml", NULL, schema, &options, diags);
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        SUITE_SAME_TEXT(diag->message, "");
    }
    diag_list_free(diags);
    g_free(text);
    return scenario;
}

struct armci_run *armci_run(const struct armci_program *program)
{
    static const struct trace_ops ops = {
        .lane = sink_lane, .span = sink_span, .flow = sink_flow, .transition = sink_transition};
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario = compile(program, schema);
    if (!scenario)
        registry_schema_free(schema);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    struct armci_run *run = g_new(struct armci_run, 1);
    run->lines = g_ptr_array_new_with_free_func(line_free);
    struct sink sink = {{&ops}, run->lines};
    struct run_options options = {.trace = &sink.trace};
    run->result = run_case(&model_registry, g_ptr_array_index(scenario->cases, 0), 0, 1, &options);
    g_ptr_array_sort(run->lines, by_time); // stable
    scenario_free(scenario);
    registry_schema_free(schema);
    return run;
}

void armci_run_free(struct armci_run *run)
{
    series_result_free(run->result);
    g_ptr_array_unref(run->lines);
    g_free(run);
}

struct armci_run *armci_run_good(const struct armci_program *program)
{
    struct armci_run *run = armci_run(program);
    char *reason = armci_run_reason(run);
    SUITE_SAME_TEXT(reason, "");
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    SUITE_SAME_INTEGER(run->result->ledger.misordered, 0);
    SUITE_SAME_INTEGER(run->result->ledger.duplicated, 0);
    g_free(reason);
    return run;
}

// ---- What it said ----

static bool is_of(const struct armci_line *line, const char *where, const char *part)
{
    return strcmp(line->where, where) == 0 && strstr(line->text, part) != NULL;
}

int armci_run_count(const struct armci_run *run, const char *where, const char *part)
{
    int count = 0;
    for (guint i = 0; i < run->lines->len; i++)
        count += is_of(g_ptr_array_index(run->lines, i), where, part);
    return count;
}

sim_time armci_run_when(const struct armci_run *run, const char *where, const char *part, int nth)
{
    for (guint i = 0; i < run->lines->len; i++) {
        const struct armci_line *line = g_ptr_array_index(run->lines, i);
        if (is_of(line, where, part) && --nth == 0)
            return line->when;
    }
    return -1;
}

char *armci_run_text(const struct armci_run *run, const char *where, const char *machine)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < run->lines->len; i++) {
        const struct armci_line *line = g_ptr_array_index(run->lines, i);
        if (strcmp(line->where, where) == 0 && g_str_has_prefix(line->text, machine))
            g_string_append_printf(text, "%s\n", line->text);
    }
    return g_string_free(text, FALSE);
}

int64_t armci_run_counter(const struct armci_run *run, const char *name)
{
    return json_integer_value(json_object_get(run->result->counters, name));
}

char *armci_run_reason(const struct armci_run *run)
{
    const json_t *text = run->result->reason ? json_object_get(run->result->reason, "text") : NULL;
    return g_strdup(text ? json_string_value(text) : "");
}
