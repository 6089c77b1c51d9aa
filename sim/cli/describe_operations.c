// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/describe_operations.h"

#include "sim/cli/cli.h"
#include "sim/config/param_kind.h"
#include "sim/output/text.h"
#include "sim/program/operations.h"

#include <limits.h>
#include <string.h>

#define ALL "operations"

// ---- Which ----

// The stacks that have the operation, ", " between them; NULL: it is one of sim/. g_free.
static char *stacks_of(const struct scenario_schema *schema, const struct operation_kind *kind)
{
    if (kind->class != CALL_OPERATION)
        return NULL;
    GString *names = g_string_new(NULL);
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (operation_find(stack->own, kind->name) == kind && stack->operations &&
            g_strv_contains(stack->operations, kind->name))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", stack->name);
    return g_string_free(names, FALSE);
}

static bool is_meant(const struct scenario_schema *schema, const struct operation_kind *kind,
                     const char *wanted)
{
    if (!wanted || strcmp(wanted, ALL) == 0 || strcmp(wanted, kind->name) == 0)
        return true;
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (strcmp(stack->name, wanted) == 0)
            return operation_find(stack->own, kind->name) == kind;
    return false;
}

typedef void visit_fn(GString *out, const struct operation_kind *kind, const char *stacks);

static void visit_table(GString *out, const struct scenario_schema *schema,
                        const struct operation_kind *kind, const char *wanted, visit_fn *visit)
{
    for (; kind->name; kind++) {
        if (kind->internal || !is_meant(schema, kind, wanted))
            continue;
        char *stacks = stacks_of(schema, kind);
        visit(out, kind, stacks);
        g_free(stacks);
    }
}

static void visit_all(GString *out, const struct scenario_schema *schema, const char *wanted,
                      visit_fn *visit)
{
    visit_table(out, schema, operation_table, wanted, visit);
    for (const struct operation_kind *const *table = schema->operations; table && *table; table++)
        visit_table(out, schema, *table, wanted, visit);
}

static void visit_name(GString *out, const struct operation_kind *kind, const char *stacks)
{
    (void)stacks;
    g_string_append_printf(out, "%s\n", kind->name);
}

bool describe_has_operations(const struct scenario_schema *schema, const char *wanted)
{
    GString *found = g_string_new(NULL);
    visit_all(found, schema, wanted, visit_name);
    bool any = found->len > 0;
    g_string_free(found, TRUE);
    return any;
}

static void add_names(GPtrArray *names, const struct operation_kind *kind)
{
    for (; kind->name; kind++)
        if (!kind->internal &&
            !g_ptr_array_find_with_equal_func(names, kind->name, g_str_equal, NULL))
            g_ptr_array_add(names, (gpointer)kind->name);
}

void describe_operation_names(const struct scenario_schema *schema, GPtrArray *names)
{
    add_names(names, operation_table);
    for (const struct operation_kind *const *table = schema->operations; table && *table; table++)
        add_names(names, *table);
}

// ---- A key in words ----

static const char *default_of(const struct operation_key *key)
{
    const char *fallback = key->param.fallback;
    return !fallback ? "must be given" : *fallback ? fallback : "none";
}

static const char *units_of(const struct operation_key *key)
{
    switch (key->form) {
    case OPERATION_VALUE:
        return param_kind_units(key->param.kind);
    case OPERATION_RANK:
        return "a rank";
    case OPERATION_NAME:
    case OPERATION_REQUEST:
    case OPERATION_AWAITED:
    case OPERATION_COUNTER:
    case OPERATION_COMMUNICATOR:
        return "a name";
    case OPERATION_AWAITED_ALL:
        return "names";
    case OPERATION_BODY:
        return "operations";
    case OPERATION_STRIDED:
    case OPERATION_SEGMENTS:
        break;
    }
    return "a layout";
}

// "1 .. 63", the choices, the word that stands for any; or nothing. g_free.
static char *range_of(const struct operation_key *key)
{
    const struct param *param = &key->param;
    if (param->choices)
        return g_strjoinv(", ", (char **)param->choices);
    if (!param->least && !param->most)
        return g_strdup(key->word ? key->word : "");
    const char *least, *most;
    param_bounds(param, &least, &most);
    return g_strdup_printf("%s%s%s .. %s", key->word ? key->word : "", key->word ? ", " : "", least,
                           most ? most : "");
}

// Describes the operation, and the collective that it begins with. g_free.
static char *meaning_of(const struct operation_kind *kind)
{
    const struct operation_kind *collective = kind->opening.collective;
    return collective ? g_strdup_printf("%s; begins with %s, which all ranks call together",
                                        kind->doc, collective->name)
                      : g_strdup(kind->doc);
}

// ---- Text ----

static void append_key_text(GString *out, const struct operation_key *key)
{
    char *range = range_of(key), *within = *range ? g_strdup_printf("[%s]", range) : NULL;
    const char *const parts[] = {within, units_of(key)};
    int page = cli_wrap_width(stdout);
    bool fits = true;
    gsize begin = out->len;
    g_string_append_printf(out, "  %s = %s", key->param.name, default_of(key));
    for (size_t i = within ? 0 : 1; i < G_N_ELEMENTS(parts); i++) {
        fits = fits && text_width(out->str + begin) + 3 + text_width(parts[i]) <= page;
        g_string_append(out, fits ? "   " : "\n      ");
        text_append_wrapped(out, parts[i], fits ? INT_MAX : page - 6, 6);
    }
    g_string_append(out, "\n      ");
    text_append_wrapped(out, key->param.doc, page - 6, 6);
    g_string_append_c(out, '\n');
    g_free(within);
    g_free(range);
}

static void append_text(GString *out, const struct operation_kind *kind, const char *stacks)
{
    char *meaning = meaning_of(kind);
    char *head = g_strdup_printf("operation %s%s%s: %s", kind->name, stacks ? " of " : "",
                                 stacks ? stacks : "", meaning);
    g_string_append(out, out->len > 0 ? "\n" : "");
    text_append_wrapped(out, head, cli_wrap_width(stdout) - 2, 2);
    g_free(head);
    g_free(meaning);
    g_string_append_c(out, '\n');
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        append_key_text(out, key);
}

void describe_operations_text(GString *out, const struct scenario_schema *schema,
                              const char *wanted)
{
    visit_all(out, schema, wanted, append_text);
}

// ---- Markdown ----

static void append_key_markdown(GString *out, const struct operation_key *key)
{
    char *range = range_of(key);
    g_string_append_printf(out, "| `%s` |", key->param.name);
    text_append_cell(out, default_of(key));
    text_append_cell(out, range);
    text_append_cell(out, units_of(key));
    text_append_cell(out, key->param.doc);
    g_string_append_c(out, '\n');
    g_free(range);
}

static void append_markdown(GString *out, const struct operation_kind *kind, const char *stacks)
{
    char *meaning = meaning_of(kind);
    g_string_append_printf(out, "\n### `%s`%s%s\n\n%s\n", kind->name, stacks ? " of " : "",
                           stacks ? stacks : "", meaning);
    g_free(meaning);
    if (!kind->keys)
        return;
    g_string_append(out, "\n| Key | Default | Range | Unit | Meaning |\n|---|---|---|---|---|\n");
    for (const struct operation_key *key = kind->keys; key->param.name; key++)
        append_key_markdown(out, key);
}

void describe_operations_markdown(GString *out, const struct scenario_schema *schema,
                                  const char *wanted)
{
    if (!describe_has_operations(schema, wanted))
        return;
    g_string_append(
        out,
        "\n## Operations of programs\n\n"
        "What the keys mean in a program: [scenarios.md](scenarios.md). An operation that names "
        "stacks is theirs alone.\n");
    visit_all(out, schema, wanted, append_markdown);
}
