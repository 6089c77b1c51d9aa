// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/fit_scenario.h"

#include "sim/calibrate/overlay.h"
#include "sim/config/reader.h"

#include <string.h>

static const char *const usual_benchmarks[] = {"pmb.pingpong", "native.pingpong", NULL};

#define LONGEST_STEM 40

char *fit_scenario_name(const char *file)
{
    char *name = g_path_get_basename(file), *dot = strrchr(name, '.');
    if (dot && dot > name)
        *dot = '\0';
    g_strcanon(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-", '_');
    if (strlen(name) > LONGEST_STEM)
        name[LONGEST_STEM] = '\0';
    if (reader_is_name(name))
        return name;
    g_free(name);
    return g_strdup("points");
}

// The names of the points' series, each once; "" stands for none.
static GPtrArray *names_of_points(const struct measured_points *points)
{
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < points->points->len; i++) {
        const char *name = measured_point_at(points, i)->series;
        name = name ? name : "";
        if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
            g_ptr_array_add(names, (gpointer)name);
    }
    return names;
}

// ---- Stacks ----

static const struct stack_schema *stack_called(const struct scenario_schema *schema,
                                               const char *name)
{
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        if (strcmp(stack->name, name) == 0)
            return stack;
    return NULL;
}

// The stack that --stack gives a series; NULL: none.
static const char *stack_given(const struct fit_machine *machine, const char *series)
{
    const char *of_all = NULL;
    for (int i = 0; machine->stacks && machine->stacks[i]; i++) {
        const char *equals = strrchr(machine->stacks[i], '=');
        size_t length = equals ? (size_t)(equals - machine->stacks[i]) : 0;
        if (!equals)
            of_all = machine->stacks[i];
        else if (strlen(series) == length && strncmp(machine->stacks[i], series, length) == 0)
            return equals + 1;
    }
    return of_all;
}

static const struct stack_schema *no_stack(const struct scenario_schema *schema, const char *series,
                                           const char *given)
{
    GPtrArray *names = g_ptr_array_new();
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        g_ptr_array_add(names, (gpointer)stack->name);
    g_ptr_array_add(names, NULL);
    char *all = g_strjoinv(", ", (char **)names->pdata);
    char *hint =
        given ? cli_did_you_mean(given, (const char *const *)names->pdata)
              : g_strdup_printf("--stack %s%sSTACK, one of %s", series, *series ? "=" : "", all);
    if (given)
        cli_error(hint ? hint : all, "--stack %s: there is no such stack", given);
    else
        cli_error(hint, "which stack is %s of?", *series ? series : "the measured curve");
    g_free(hint);
    g_free(all);
    g_ptr_array_unref(names);
    return NULL;
}

// NULL after an error that has been printed.
static const struct stack_schema *stack_of_series(const struct fit_machine *machine,
                                                  const struct scenario_schema *schema,
                                                  const char *series)
{
    const char *given = stack_given(machine, series);
    const struct stack_schema *stack = stack_called(schema, given ? given : series);
    return stack ? stack : no_stack(schema, series, given);
}

// Whether each --stack SERIES=STACK is of a series of the file.
static bool stacks_are_of_series(const struct fit_machine *machine, const GPtrArray *names)
{
    for (int i = 0; machine->stacks && machine->stacks[i]; i++) {
        const char *equals = strrchr(machine->stacks[i], '=');
        char *series =
            equals ? g_strndup(machine->stacks[i], (gsize)(equals - machine->stacks[i])) : NULL;
        bool there = !series || g_ptr_array_find_with_equal_func((GPtrArray *)names, series,
                                                                 g_str_equal, NULL);
        if (!there) {
            GString *all = g_string_new("it has ");
            for (guint k = 0; k < names->len; k++)
                g_string_append_printf(all, "%s%s", k ? ", " : "",
                                       *(const char *)g_ptr_array_index(names, k)
                                           ? (const char *)g_ptr_array_index(names, k)
                                           : "one series without a name");
            cli_error(all->str, "--stack %s: the file has no such series", machine->stacks[i]);
            g_string_free(all, TRUE);
        }
        g_free(series);
        if (!there)
            return false;
    }
    return true;
}

// ---- Benchmarks ----

// NULL after an error that has been printed.
static const char *benchmark_of_stack(const struct fit_machine *machine,
                                      const struct stack_schema *stack)
{
    if (machine->benchmark && g_strv_contains(stack->benchmarks, machine->benchmark))
        return machine->benchmark;
    for (int i = 0; !machine->benchmark && usual_benchmarks[i]; i++)
        if (g_strv_contains(stack->benchmarks, usual_benchmarks[i]))
            return usual_benchmarks[i];
    char *all = g_strjoinv(", ", (char **)stack->benchmarks);
    char *hint = g_strdup_printf("it has %s", all);
    if (machine->benchmark)
        cli_error(hint, "--benchmark %s: %s has no such benchmark", machine->benchmark,
                  stack->name);
    else
        cli_error(hint, "give the benchmark that was measured: --benchmark");
    g_free(hint);
    g_free(all);
    return NULL;
}

// ---- The text ----

// The series; that of the first one is the benchmark of all.
static bool append_fit_series(GString *out, const struct fit_machine *machine,
                              const struct scenario_schema *schema, const GPtrArray *names)
{
    const char *common = NULL;
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        const struct stack_schema *stack = stack_of_series(machine, schema, name);
        const char *benchmark = stack ? benchmark_of_stack(machine, stack) : NULL;
        if (!benchmark)
            return false;
        if (!common)
            g_string_append_printf(out, "workload: {benchmark: %s, steady: 3}\nseries:\n",
                                   common = benchmark);
        g_string_append(out, "  - {name: ");
        overlay_append_quoted(out, *name ? name : stack->name);
        g_string_append_printf(out, ", stack: %s", stack->name);
        if (strcmp(common, benchmark) != 0)
            g_string_append_printf(out, ", set: {workload.benchmark: %s}", benchmark);
        g_string_append(out, "}\n");
    }
    return true;
}

char *fit_scenario_text(const struct fit_machine *machine, const struct measured_points *points,
                        const struct scenario_schema *schema, const char *overlay)
{
    GString *out =
        g_string_new("# The machine of measured points; made by the command below.\n#\n");
    GPtrArray *names = names_of_points(points);
    // The scenario is written to another directory than the user is in.
    char *testbed = g_file_test(machine->testbed, G_FILE_TEST_IS_REGULAR)
                        ? g_canonicalize_filename(machine->testbed, NULL)
                        : g_strdup(machine->testbed);
    g_string_append_printf(out, "#     %s\n#\nschema: 1\nname: %s\ntestbed: ", machine->command,
                           machine->name);
    overlay_append_quoted(out, testbed);
    g_string_append_c(out, '\n');
    if (overlay)
        g_string_append_printf(out, "include: %s\n", overlay);
    bool good =
        stacks_are_of_series(machine, names) && append_fit_series(out, machine, schema, names);
    g_free(testbed);
    g_ptr_array_unref(names);
    return g_string_free(out, !good);
}
