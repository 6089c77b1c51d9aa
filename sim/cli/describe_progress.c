// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/describe_progress.h"

#include "sim/model/model.h"
#include "sim/output/text.h"

#define RULE_WIDTH 80

static const struct mpi_progress_rule *rule_of(const char *name)
{
    const struct stack *stack = registry_stack(&model_registry, name);
    return stack && stack->device ? stack->device->progress : NULL;
}

static const char *order_text(const struct mpi_progress_rule *rule)
{
    return rule->in_order ? "its sends in order, then its receives" : "all at once";
}

// ---- Text ----

static void append_line(GString *out, const char *what, const char *text)
{
    char *line = g_strdup_printf("%s: %s", what, text);
    g_string_append(out, "  ");
    text_append_wrapped(out, line, RULE_WIDTH - 6, 6);
    g_string_append_c(out, '\n');
    g_free(line);
}

static void append_acts(GString *out, const char *call, const enum mpi_act *acts)
{
    char *text = mpi_acts_text(acts);
    append_line(out, call, text);
    g_free(text);
}

void describe_progress_text(GString *out, const struct scenario_schema *schema, const char *stack)
{
    const struct mpi_progress_rule *rule = NULL;
    for (const struct stack_schema *one = schema->stacks; stack && one->name; one++)
        if (g_strcmp0(one->name, stack) == 0)
            rule = rule_of(stack);
    if (!rule)
        return;
    g_string_append_printf(out, "\nprogress of %s:\n", rule->library);
    append_line(out, "a turn", rule->turn);
    append_acts(out, "MPI_Isend, MPI_Start", rule->send);
    append_acts(out, "MPI_Irecv", rule->receive);
    append_line(out, "MPI_Wait, MPI_Send, MPI_Recv", mpi_waits_text(rule));
    append_line(out, "MPI_Waitall", order_text(rule));
    append_acts(out, "MPI_Test", rule->test);
    append_acts(out, "MPI_Iprobe", rule->probe);
    append_line(out, "source", rule->source);
}

// ---- Markdown ----

static void append_acts_cell(GString *out, const enum mpi_act *acts)
{
    char *text = mpi_acts_text(acts);
    text_append_cell(out, text);
    g_free(text);
}

// "`ch3_sctp`, `ch3_sock`" with the same rule as the stack; NULL: an earlier one has it.
static char *stacks_with(const struct scenario_schema *schema, const struct stack_schema *stack)
{
    GString *names = g_string_new(NULL);
    for (const struct stack_schema *at = schema->stacks; at->name; at++) {
        if (rule_of(at->name) != rule_of(stack->name))
            continue;
        if (at < stack) {
            g_string_free(names, TRUE);
            return NULL;
        }
        g_string_append_printf(names, "%s`%s`", names->len ? ", " : "", at->name);
    }
    return g_string_free(names, FALSE);
}

static void append_rule(GString *out, const char *stacks, const struct mpi_progress_rule *rule)
{
    g_string_append_printf(out, "| %s |", stacks);
    text_append_cell(out, rule->library);
    text_append_cell(out, rule->turn);
    append_acts_cell(out, rule->send);
    append_acts_cell(out, rule->receive);
    text_append_cell(out, mpi_waits_text(rule));
    text_append_cell(out, order_text(rule));
    append_acts_cell(out, rule->test);
    append_acts_cell(out, rule->probe);
    text_append_cell(out, rule->source);
    g_string_append_c(out, '\n');
}

void describe_progress_markdown(GString *out, const struct scenario_schema *schema)
{
    g_string_append(out, "\n## Progress of libraries\n\n"
                         "A library makes progress inside its calls only, and each in its own way. "
                         "A bare provider's calls turn until one finds nothing.\n\n"
                         "| Stacks | Library | A turn | Isend, Start | Irecv | Wait, Send, Recv | "
                         "Waitall | Test | Iprobe | Source |\n"
                         "|---|---|---|---|---|---|---|---|---|---|\n");
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++) {
        char *stacks = rule_of(stack->name) ? stacks_with(schema, stack) : NULL;
        if (stacks)
            append_rule(out, stacks, rule_of(stack->name));
        g_free(stacks);
    }
}
