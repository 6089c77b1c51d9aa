// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/algorithm.h"

#include "sim/mpi/library.h"
#include "sim/run/schema.h"

#include <string.h>

struct search {
    const struct scenario_case *test_case;
    const struct scenario_schema *schema;
    GHashTable *measured; // struct operation_kind *
    GArray *choices;
};

// Operations between the start and the stop of a clock, or all if there is no clock. Returns true
// if the clock runs at the end.
static bool note_body(struct search *search, const GPtrArray *body, bool clock, bool runs)
{
    for (guint i = 0; i < body->len; i++) {
        const struct op *op = g_ptr_array_index(body, i);
        if (op_is(op, OP_MEASURE_START) || op_is(op, OP_MEASURE_STOP))
            runs = op_is(op, OP_MEASURE_START);
        else if (op_is(op, OP_LOOP))
            runs = note_body(search, op->body, clock, runs);
        else if (runs || !clock)
            g_hash_table_add(search->measured, (gpointer)op->kind);
    }
    return runs;
}

static void note_program(struct search *search, const struct program *program, bool clock)
{
    for (guint i = 0; i < program->parts->len; i++) {
        const struct program_part *part = g_ptr_array_index(program->parts, i);
        note_body(search, part->body, clock, false);
    }
}

static void note_operations(struct search *search, const struct registry *registry)
{
    const struct workload *workload = &search->test_case->workload;
    if (workload->recording) {
        int rank, line;
        for (int code = 0; operation_table[code].name; code++)
            if (recording_first(workload->recording, (enum op_code)code, &rank, &line))
                g_hash_table_add(search->measured, (gpointer)&operation_table[code]);
        return;
    }
    if (!workload->benchmark) {
        note_program(search, workload->program, false);
        return;
    }
    const struct benchmark *benchmark = registry_benchmark(registry, workload->benchmark->name);
    struct program *program = benchmark_program(benchmark, workload);
    note_program(search, program, true);
    program_free(program);
}

static bool is_known(const GArray *choices, const struct param *param)
{
    for (guint i = 0; i < choices->len; i++)
        if (g_array_index(choices, struct algorithm_choice, i).param == param)
            return true;
    return false;
}

// The choice of that name in a section that is read.
static void add_choice(struct search *search, const char *name, bool part)
{
    for (guint i = 0; i < search->test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(search->test_case->sections, i);
        int index = param_index(values->table, name);
        if (index < 0 || values->table->params[index].kind != PARAM_CHOICE ||
            !scenario_case_reads(search->test_case, search->schema, values->path))
            continue;
        struct algorithm_choice choice = {values, &values->table->params[index], part};
        if (!is_known(search->choices, choice.param))
            g_array_append_val(search->choices, choice);
    }
}

// The choices of the measured operations of a table.
static void add_choices(struct search *search, const struct operation_kind *kind)
{
    for (; kind->name; kind++)
        if (g_hash_table_contains(search->measured, kind))
            add_choice(search, kind->name, false);
}

GArray *algorithm_choices(const struct registry *registry, const struct scenario_case *test_case)
{
    struct scenario_schema *schema = registry_schema(registry);
    struct search search = {
        .test_case = test_case,
        .schema = schema,
        .measured = g_hash_table_new(NULL, NULL),
        .choices = g_array_new(FALSE, FALSE, sizeof(struct algorithm_choice)),
    };
    note_operations(&search, registry);
    add_choices(&search, operation_table);
    for (const struct operation_kind *const *table = schema->operations; *table; table++)
        add_choices(&search, *table);
    g_hash_table_destroy(search.measured);
    for (guint i = 0; i < search.choices->len; i++) {
        struct algorithm_choice choice = g_array_index(search.choices, struct algorithm_choice, i);
        const char *const *parts = mpi_rule_parts(choice.param->name, algorithm_value(&choice));
        for (; parts && *parts; parts++)
            add_choice(&search, *parts, true);
    }
    registry_schema_free(schema);
    return search.choices;
}

char *algorithm_path(const struct algorithm_choice *choice)
{
    return g_strdup_printf("%s.%s", choice->values->path, choice->param->name);
}

const char *algorithm_value(const struct algorithm_choice *choice)
{
    const char *fields = choice->values->values;
    int index;
    memcpy(&index, fields + choice->param->offset, sizeof index);
    return choice->param->choices[index];
}

char *algorithm_text(const struct algorithm_choice *choice)
{
    GString *text = g_string_new(NULL);
    const char *value = algorithm_value(choice), *before = " (or ";
    g_string_printf(text, "%s.%s=%s", choice->values->path, choice->param->name, value);
    for (const char *const *other = choice->param->choices; *other; other++) {
        if (strcmp(*other, value) == 0)
            continue;
        g_string_append_printf(text, "%s%s", before, *other);
        before = ", ";
    }
    g_string_append(text, *before == ',' ? ")" : "");
    return g_string_free(text, FALSE);
}
