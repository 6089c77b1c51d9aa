// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/schema.h"

#include "sim/run/estimate.h"
#include "sim/run/fidelity_check.h"
#include "sim/run/length_check.h"
#include "sim/run/limit.h"

#include <string.h>

static void append_benchmarks(GArray *schemas, const struct benchmark *list)
{
    for (; list && list->schema.name; list++)
        g_array_append_val(schemas, list->schema);
}

static void append_sections(GArray *sections, const struct scenario_section *section)
{
    for (; section->path; section++)
        g_array_append_val(sections, *section);
}

// The names of the cards of that kind, of all for NULL, NULL-terminated; free with g_free.
static const char *const *cards_of(const struct registry *registry, const char *kind)
{
    GPtrArray *names = g_ptr_array_new();
    for (const struct model *const *model = registry->models; *model; model++)
        for (const struct card *card = (*model)->cards; card && card->name; card++)
            if ((!kind || strcmp(card->kind, kind) == 0) &&
                !g_ptr_array_find_with_equal_func(names, card->name, g_str_equal, NULL))
                g_ptr_array_add(names, (gpointer)card->name);
    g_ptr_array_add(names, NULL);
    return (const char *const *)g_ptr_array_free(names, FALSE);
}

// A schema with the lists that were made for it.
struct made_schema {
    struct scenario_schema schema;
    GPtrArray *lists;
};

static void append_stacks(GArray *schemas, GPtrArray *lists, const struct registry *registry,
                          const struct model *model)
{
    static const char *const no_card[] = {NULL};
    for (const struct stack *const *stack = model->stacks; stack && *stack; stack++) {
        struct stack_schema schema = (*stack)->schema;
        if (!schema.nics)
            schema.nics = no_card;
        if ((*stack)->card)
            g_ptr_array_add(lists, (gpointer)(schema.nics = cards_of(registry, (*stack)->card)));
        schema.own = model->operations;
        g_array_append_val(schemas, schema);
    }
}

// The link rates of NIC models, in their order; free with g_free.
static const struct card_rates *const *rates_of(const struct registry *registry,
                                                const char *const *nics)
{
    GPtrArray *rates = g_ptr_array_new();
    for (; *nics; nics++)
        g_ptr_array_add(rates, (gpointer)registry_card(registry, *nics, NULL)->rates);
    g_ptr_array_add(rates, NULL);
    return (const struct card_rates *const *)g_ptr_array_free(rates, FALSE);
}

// The kinds of bus that NIC models plug into, in their order; free with g_free.
static const char *const *buses_of(const struct registry *registry, const char *const *nics)
{
    GPtrArray *buses = g_ptr_array_new();
    for (; *nics; nics++)
        g_ptr_array_add(buses, (gpointer)registry_card(registry, *nics, NULL)->bus);
    g_ptr_array_add(buses, NULL);
    return (const char *const *)g_ptr_array_free(buses, FALSE);
}

// The tables of rules, NULL-terminated; free with g_free.
static const struct scenario_rule *const *rules_of(const struct registry *registry)
{
    GPtrArray *rules = g_ptr_array_new();
    g_ptr_array_add(rules, (gpointer)cluster_rules);
    for (const struct model *const *model = registry->models; *model; model++)
        if ((*model)->rules)
            g_ptr_array_add(rules, (gpointer)(*model)->rules);
    g_ptr_array_add(rules, NULL);
    return (const struct scenario_rule *const *)g_ptr_array_free(rules, FALSE);
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    network_check(&test_case->topology, diags);
    estimate_check(test_case, diags);
    length_check(test_case, diags);
    fidelity_check(test_case, diags);
}

struct scenario_schema *registry_schema(const struct registry *registry)
{
    struct made_schema *made = g_new0(struct made_schema, 1);
    struct scenario_schema *schema = &made->schema;
    made->lists = g_ptr_array_new_with_free_func(g_free);
    GArray *sections = g_array_new(TRUE, TRUE, sizeof(struct scenario_section));
    GArray *stacks = g_array_new(TRUE, TRUE, sizeof(struct stack_schema));
    GArray *benchmarks = g_array_new(TRUE, TRUE, sizeof(struct benchmark_schema));
    GPtrArray *operations = g_ptr_array_new();
    append_sections(sections, cluster_sections);
    append_sections(sections, limit_sections);
    append_benchmarks(benchmarks, mpi_benchmarks);
    for (const struct model *const *model = registry->models; *model; model++) {
        const struct scenario_section *const *list = (*model)->sections;
        for (; list && *list; list++)
            append_sections(sections, *list);
        append_benchmarks(benchmarks, (*model)->benchmarks);
        append_stacks(stacks, made->lists, registry, *model);
        if ((*model)->operations && !g_ptr_array_find(operations, (*model)->operations, NULL))
            g_ptr_array_add(operations, (gpointer)(*model)->operations);
    }
    schema->sections = (const struct scenario_section *)(void *)g_array_free(sections, FALSE);
    schema->stacks = (const struct stack_schema *)(void *)g_array_free(stacks, FALSE);
    schema->link_table = &link_table;
    schema->switch_table = &switch_table;
    schema->bus_table = &bus_table;
    schema->benchmarks = (const struct benchmark_schema *)(void *)g_array_free(benchmarks, FALSE);
    g_ptr_array_add(operations, NULL);
    schema->operations =
        (const struct operation_kind *const *)(void *)g_ptr_array_free(operations, FALSE);
    schema->nics = cards_of(registry, NULL);
    schema->nic_rates = rates_of(registry, schema->nics);
    schema->nic_buses = buses_of(registry, schema->nics);
    schema->rules = rules_of(registry);
    schema->check = check_case;
    return schema;
}

void registry_schema_free(struct scenario_schema *schema)
{
    if (!schema)
        return;
    struct made_schema *made = container_of(schema, struct made_schema, schema);
    g_ptr_array_unref(made->lists);
    g_free((void *)schema->nics);
    g_free((void *)schema->nic_rates);
    g_free((void *)schema->nic_buses);
    g_free((void *)schema->rules);
    g_free((void *)schema->sections);
    g_free((void *)schema->stacks);
    g_free((void *)schema->benchmarks);
    g_free((void *)schema->operations);
    g_free(made);
}
