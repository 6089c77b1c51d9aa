// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/workload/stack.h"

#include "sim/workload/estimate.h"
#include "sim/workload/limit.h"

#include <string.h>

const struct stack *registry_stack(const struct registry *registry, const char *name)
{
    for (const struct stack *const *stack = registry->stacks; *stack; stack++)
        if (strcmp((*stack)->schema.name, name) == 0)
            return *stack;
    return NULL;
}

static const struct benchmark *find_benchmark(const struct benchmark *list, const char *name)
{
    for (; list->schema.name; list++)
        if (strcmp(list->schema.name, name) == 0)
            return list;
    return NULL;
}

const struct benchmark *registry_benchmark(const struct registry *registry, const char *name)
{
    const struct benchmark *found = find_benchmark(mpi_benchmarks, name);
    const struct benchmark *const *list = registry->benchmarks;
    for (; !found && list && *list; list++)
        found = find_benchmark(*list, name);
    return found;
}

static void append_benchmarks(GArray *schemas, const struct benchmark *list)
{
    for (; list->schema.name; list++)
        g_array_append_val(schemas, list->schema);
}

static void append_sections(GArray *sections, const struct scenario_section *section)
{
    for (; section->path; section++)
        g_array_append_val(sections, *section);
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    network_check(&test_case->topology, diags);
    estimate_check(test_case, diags);
}

struct scenario_schema *registry_schema(const struct registry *registry)
{
    struct scenario_schema *schema = g_new0(struct scenario_schema, 1);
    GArray *sections = g_array_new(TRUE, TRUE, sizeof(struct scenario_section));
    GArray *stacks = g_array_new(TRUE, TRUE, sizeof(struct stack_schema));
    GArray *benchmarks = g_array_new(TRUE, TRUE, sizeof(struct benchmark_schema));
    append_sections(sections, cluster_sections);
    append_sections(sections, limit_sections);
    append_benchmarks(benchmarks, mpi_benchmarks);
    for (const struct benchmark *const *list = registry->benchmarks; list && *list; list++)
        append_benchmarks(benchmarks, *list);
    for (const struct scenario_section *const *model = registry->sections; *model; model++)
        append_sections(sections, *model);
    for (const struct stack *const *stack = registry->stacks; *stack; stack++)
        g_array_append_val(stacks, (*stack)->schema);
    schema->sections = (const struct scenario_section *)(void *)g_array_free(sections, FALSE);
    schema->stacks = (const struct stack_schema *)(void *)g_array_free(stacks, FALSE);
    schema->link_table = &link_table;
    schema->switch_table = &switch_table;
    schema->benchmarks = (const struct benchmark_schema *)(void *)g_array_free(benchmarks, FALSE);
    schema->nics = registry->nics;
    schema->check = check_case;
    return schema;
}

void registry_schema_free(struct scenario_schema *schema)
{
    if (!schema)
        return;
    g_free((void *)schema->sections);
    g_free((void *)schema->stacks);
    g_free((void *)schema->benchmarks);
    g_free(schema);
}
