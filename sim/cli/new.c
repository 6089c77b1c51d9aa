// SPDX-License-Identifier: GPL-3.0-or-later
// netsim new: writes a scenario with comments that passes `netsim check` and runs.
#include "sim/cli/new.h"

#include "sim/cli/cli.h"
#include "sim/config/reader.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/topology_read.h"
#include "sim/scenario/workload.h"

#include <string.h>

#define NEW_SUFFIX ".yaml"
#define NEEDED_OPERATION "sendrecv" // of the program that is written

struct new_arguments {
    char *hosts, *switches, *ranks, *stack, *benchmark, *nic, *testbed, *topology;
    gboolean force;
};

// ---- What there is to choose from ----

static const struct stack_schema *choose_stack(const struct scenario_schema *schema,
                                               const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    const struct stack_schema *found = NULL;
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++) {
        g_ptr_array_add(names, (gpointer)stack->name);
        if (strcmp(stack->name, name) == 0)
            found = stack;
    }
    g_ptr_array_add(names, NULL);
    char *hint = found ? NULL : cli_did_you_mean(name, (const char *const *)names->pdata);
    char *all = new_names_text((const char *const *)names->pdata);
    if (!found)
        cli_error(hint ? hint : all, "--stack: there is no stack `%s'", name);
    g_free(all);
    g_free(hint);
    g_ptr_array_unref(names);
    return found;
}

static bool has_program(const struct stack_schema *stack)
{
    return g_strv_contains(stack->benchmarks, WORKLOAD_PROGRAM) &&
           (!stack->operations || g_strv_contains(stack->operations, NEEDED_OPERATION));
}

static const struct benchmark_schema *benchmark_named(const struct scenario_schema *schema,
                                                      const char *name)
{
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}

// Sets *benchmark to the one of that name (NULL: the stack's first), or to NULL for a program.
// Returns false after a printed error.
static bool choose_benchmark(const struct scenario_schema *schema, const struct stack_schema *stack,
                             const char *name, const struct benchmark_schema **benchmark)
{
    const char *wanted = name ? name : stack->benchmarks[0];
    bool program = strcmp(wanted, WORKLOAD_PROGRAM) == 0;
    *benchmark = NULL;
    if (g_strv_contains(stack->benchmarks, wanted) && (!program || has_program(stack))) {
        *benchmark = program ? NULL : benchmark_named(schema, wanted);
        return true;
    }
    if (program && g_strv_contains(stack->benchmarks, wanted)) {
        cli_error("`netsim list scenarios` has examples",
                  "--benchmark program: one is written for stacks with the operation "
                  "%s, which %s lacks",
                  NEEDED_OPERATION, stack->name);
        return false;
    }
    char *hint = cli_did_you_mean(wanted, stack->benchmarks);
    char *all = new_names_text(stack->benchmarks);
    char *runs = g_strdup_printf("it runs %s", all);
    cli_error(hint ? hint : runs, "--benchmark: the stack %s has no benchmark `%s'", stack->name,
              wanted);
    g_free(runs);
    g_free(all);
    g_free(hint);
    return false;
}

static bool nic_is_driven(const struct scenario_schema *schema, const struct stack_schema *stack,
                          const char *nic)
{
    const char *const *driven = stack->nics ? stack->nics : schema->nics;
    if (!nic || g_strv_contains(driven, nic))
        return true;
    char *hint = cli_did_you_mean(nic, driven);
    char *all = new_names_text(driven);
    char *drives = g_strdup_printf("it drives %s", all);
    cli_error(hint ? hint : drives, "--nic: %s is no card that the stack %s drives", nic,
              stack->name);
    g_free(drives);
    g_free(all);
    g_free(hint);
    return false;
}

// ---- Ranks ----

// Returns how many ranks take part, or 0 after a printed error.
static int new_ranks_of(const struct new_request *request, const struct new_machine *machine)
{
    const struct benchmark_schema *benchmark = request->benchmark;
    int ranks = request->ranks > 0 ? request->ranks : machine->hosts;
    if (!benchmark)
        return ranks;
    if (request->ranks == 0 && benchmark->most_ranks > 0)
        ranks = MIN(ranks, benchmark->most_ranks);
    struct diag_list *diags = diag_list_new();
    struct param_values *values =
        benchmark->parameters
            ? param_read_part(benchmark->parameters, NULL, "workload", false, NULL, diags)
            : NULL;
    for (; benchmark->refusal && request->ranks == 0 && ranks > 0; ranks--) {
        char *why = benchmark->refusal(values ? values->values : NULL, ranks);
        bool runs = !why;
        g_free(why);
        if (runs)
            break;
    }
    param_values_free(values);
    diag_list_free(diags);
    if (ranks >= benchmark->least_ranks)
        return ranks;
    cli_error(NULL, "%s needs at least %d ranks, and %d hosts have %d", benchmark->name,
              benchmark->least_ranks, machine->hosts, ranks);
    return 0;
}

// ---- The file ----

// Whether the text compiles as the file's; prints the mistakes if not.
static bool text_is_right(const struct new_request *request, const char *text,
                          const struct scenario_schema *schema)
{
    struct diag_list *diags = diag_list_new();
    const struct scenario_options options = {.data_dir = cli_data_dir()};
    char *directory = g_path_get_dirname(request->file);
    struct scenario *scenario =
        scenario_parse(text, strlen(text), request->file, directory, schema, &options, diags);
    bool good = scenario != NULL;
    if (!good) {
        cli_error(NULL, "these choices do not go together, and nothing is written:");
        diag_print(diags, stderr);
    }
    scenario_free(scenario);
    g_free(directory);
    diag_list_free(diags);
    return good;
}

static const char *shape_name(const struct new_machine *machine)
{
    return machine->as_testbed                  ? "as the testbed has them"
           : machine->shape == NEW_SHAPE_DIRECT ? "back to back"
                                                : new_shape_names[machine->shape];
}

static enum cli_exit write_new(const struct new_request *request, const struct new_machine *machine,
                               const struct scenario_schema *schema)
{
    int ranks = new_ranks_of(request, machine);
    if (ranks == 0)
        return CLI_BAD_INPUT;
    char *text = new_text(request, machine, ranks, schema);
    GError *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    if (!text_is_right(request, text, schema)) {
        // printed
    } else if (!file_put(request->file, text, strlen(text), &error)) {
        cli_refuse(error);
    } else {
        cli_print("%s: %s over %s on %d rank%s; testbed %s, %d hosts, %d switch%s (%s)\n",
                  request->file,
                  request->benchmark ? request->benchmark->name : "a program that you can change",
                  request->stack->name, ranks, ranks == 1 ? "" : "s", machine->testbed->name,
                  machine->hosts, machine->switches, machine->switches == 1 ? "" : "es",
                  shape_name(machine));
        code = CLI_DONE;
    }
    g_free(text);
    return code;
}

static enum cli_exit new_requested(struct new_request *request,
                                   const struct new_arguments *arguments,
                                   const struct scenario_schema *schema)
{
    request->stack = choose_stack(schema, arguments->stack);
    if (!request->stack ||
        !choose_benchmark(schema, request->stack, arguments->benchmark, &request->benchmark) ||
        !nic_is_driven(schema, request->stack, request->nic))
        return CLI_BAD_INPUT;
    struct new_machine machine;
    enum cli_exit code = new_machine_choose(&machine, request, schema)
                             ? write_new(request, &machine, schema)
                             : CLI_BAD_INPUT;
    new_machine_clear(&machine);
    return code;
}

// Reads the numbers of the command line. Returns false after a printed error.
static bool read_numbers(struct new_request *request, const struct new_arguments *arguments)
{
    int shape = cli_choice("--topology", arguments->topology, new_shape_names);
    bool none = g_strcmp0(arguments->switches, "0") == 0;
    request->shape = (enum new_shape)shape;
    if (shape < 0 ||
        !cli_count("--hosts", arguments->hosts, TOPOLOGY_MOST_NODES, &request->hosts) ||
        !cli_count("--ranks", arguments->ranks, PROGRAM_MOST_RANKS, &request->ranks) ||
        (!none &&
         !cli_count("--switches", arguments->switches, TOPOLOGY_MOST_NODES, &request->switches)))
        return false;
    if (!arguments->switches)
        request->switches = -1;
    return true;
}

static enum cli_exit new_scenario(char **words, const void *data)
{
    const struct new_arguments *arguments = data;
    const char *argument = words[0];
    bool suffixed = g_str_has_suffix(argument, NEW_SUFFIX);
    char *file = g_strconcat(argument, suffixed ? "" : NEW_SUFFIX, NULL);
    char *name = g_path_get_basename(file);
    name[strlen(name) - strlen(NEW_SUFFIX)] = '\0';
    struct new_request request = {
        .name = name, .file = file, .testbed = arguments->testbed, .nic = arguments->nic};
    enum cli_exit code = CLI_BAD_INPUT;
    if (!reader_is_name(name)) {
        cli_error("a name has letters, digits, and - _ . inside, at most 64 characters",
                  "`%s' is no name for a scenario", name);
    } else if (!arguments->stack) {
        cli_error("`netsim list stacks` shows them, for example --stack lam_tcp",
                  "--stack is missing");
    } else if (!arguments->force && g_file_test(file, G_FILE_TEST_EXISTS)) {
        cli_error("--force writes over it", "%s is there already", file);
    } else if (read_numbers(&request, arguments)) {
        struct scenario_schema *schema = registry_schema(&model_registry);
        code = new_requested(&request, arguments, schema);
        registry_schema_free(schema);
    }
    g_free(name);
    g_free(file);
    return code;
}

const struct cli_option cli_new_options[] = {
    {.name = "stack",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, stack),
     .argument = "NAME",
     .words = CLI_WORDS_STACK,
     .summary = CLI_STACK_SUMMARY},
    {.name = "benchmark",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, benchmark),
     .argument = "NAME",
     .words = CLI_WORDS_BENCHMARK,
     .summary = CLI_BENCHMARK_SUMMARY,
     .more = "One that the stack runs; otherwise its first. `program` writes a small program of "
             "sends and receives as a start."},
    {.name = "hosts",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, hosts),
     .argument = "N",
     .summary = "number of hosts; otherwise as many as the testbed has"},
    {.name = "switches",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, switches),
     .argument = "N",
     .summary = "number of switches of each network, 0 joins two hosts back to back",
     .more = "Otherwise as few as have enough ports."},
    {.name = "topology",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, topology),
     .argument = "SHAPE",
     .choices = new_shape_names,
     .words = CLI_WORDS_CHOICE,
     .summary = "how the switches are joined",
     .more = "`auto` makes one switch a star, two a chain, and more a tree, or a Clos network of "
             "leaves and spines where they cut through."},
    {.name = "ranks",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, ranks),
     .argument = "N",
     .summary = "number of ranks; otherwise one a host, as far as the benchmark takes them"},
    {.name = "nic",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, nic),
     .argument = "NAME",
     .summary = "network card of the hosts; otherwise the testbed's"},
    {.name = "testbed",
     .value = CLI_TEXT,
     .offset = offsetof(struct new_arguments, testbed),
     .argument = "NAME",
     .words = CLI_WORDS_TESTBED,
     .summary = CLI_TESTBED_SUMMARY,
     .more = "Its costs hold. Otherwise it is the one on which most shipped scenarios run the "
             "stack. Without `--hosts`, "
             "`--switches`, `--topology` and `--nic` the scenario runs on that machine as it is."},
    {.name = "force",
     .value = CLI_FLAG,
     .offset = offsetof(struct new_arguments, force),
     .summary = "write over a file that is there"},
    CLI_OPTIONS_END,
};

enum cli_exit cli_new(const struct cli_command *command, int argc, char **argv)
{
    struct new_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, new_scenario);
}
