// SPDX-License-Identifier: GPL-3.0-or-later
// netsim calibrate: fits physical parameters to reference points and writes an overlay, or weighs
// draws by them (calibrate_posterior.h).
#include "sim/cli/calibrate_posterior.h"

#include "sim/calibrate/overlay.h"
#include "sim/calibrate/report.h"
#include "sim/cli/calibrate_draws.h"
#include "sim/cli/calibrate_input.h"
#include "sim/core/shown.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/run/schema.h"
#include "sim/scenario/ensemble.h"

#include <math.h>
#include <string.h>

static const char *const calibrate_formats[] = {"table", "json", NULL};
enum calibrate_format { CALIBRATE_TABLE, CALIBRATE_JSON };
static const char *const methods[] = {"auto", "lm", "nelder-mead", NULL}; // enum fit_method

struct calibrate_arguments {
    char **fits, **sets;
    char *to, *out, *check, *method, *format, *seed, *database, *draws, *discrepancy;
    struct cli_limits limits;
    int jobs;
    gboolean allow_unused, posterior, again, wide;
};

// ---- What is asked for ----

static bool arguments_are_right(const struct calibrate_arguments *arguments)
{
    if (arguments->posterior && (arguments->check || arguments->method))
        cli_error(NULL, "--posterior does not go with %s",
                  arguments->check ? "--check" : "--method");
    else if (arguments->discrepancy && !arguments->posterior)
        cli_error("add --posterior", "--discrepancy is for draws that are weighed");
    else if (!arguments->fits && !arguments->posterior)
        cli_error("--fit PATH=lo..hi, as often as there are parameters", "what is to be fitted?");
    else if (!arguments->to)
        cli_error("--to references/calibration/NAME.yaml", "what is it to be fitted to?");
    else if (arguments->out && arguments->check)
        cli_error(NULL, "--out writes a file and --check compares with one: give one of them");
    else if (arguments->again && (!arguments->draws || arguments->posterior))
        cli_error(NULL, "--again is about the draws that a file has, as --draws fits them");
    else
        return true;
    return false;
}

// The command as far as it shapes the result.
static char *command_text(const char *scenario, const struct calibrate_arguments *arguments)
{
    GString *text = g_string_new("netsim calibrate");
    calibrate_append_word(text, "", scenario);
    for (int i = 0; arguments->fits && arguments->fits[i]; i++)
        calibrate_append_word(text, "--fit", arguments->fits[i]);
    calibrate_append_word(text, "--to", arguments->to);
    if (arguments->posterior)
        g_string_append(text, " --posterior");
    if (arguments->discrepancy)
        calibrate_append_word(text, "--discrepancy", arguments->discrepancy);
    for (int i = 0; arguments->sets && arguments->sets[i]; i++)
        calibrate_append_word(text, "--set", arguments->sets[i]);
    if (arguments->seed)
        calibrate_append_word(text, "--seed", arguments->seed);
    if (arguments->method)
        calibrate_append_word(text, "--method", arguments->method);
    if (arguments->draws)
        calibrate_append_word(text, "--draws", arguments->draws);
    if (arguments->out)
        calibrate_append_word(text, "--out", arguments->out);
    return g_string_free(text, FALSE);
}

// ---- Results ----

// "NAME.draws" next to the overlay NAME.fit.yaml, if it is there; NULL: it is not. The caller frees
// it.
static char *ensemble_beside(const char *overlay)
{
    static const char ending[] = ".fit.yaml";
    if (!overlay || !g_str_has_suffix(overlay, ending))
        return NULL;
    char *stem = g_strndup(overlay, strlen(overlay) - strlen(ending));
    char *file = g_strconcat(stem, ".draws", NULL);
    char *name = g_file_test(file, G_FILE_TEST_EXISTS) ? g_path_get_basename(file) : NULL;
    g_free(file);
    g_free(stem);
    return name;
}

// The overlay as a file has it: it goes on naming the ensemble that is there.
static char *overlay_file(const struct fit *fit, const struct evaluation *evaluation,
                          const char *command, const char *out)
{
    char *text = overlay_text(fit, evaluation, command), *name = ensemble_beside(out);
    char *whole = name ? g_strdup_printf("%s" ENSEMBLE_KEY ": %s\n", text, name) : g_strdup(text);
    g_free(name);
    g_free(text);
    return whole;
}

static enum cli_exit check_overlay(const char *path, const struct fit *fit,
                                   const struct evaluation *evaluation)
{
    struct diag_list *diags = diag_list_new();
    GPtrArray *lines = overlay_differences(path, fit, evaluation, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    if (!lines)
        return CLI_BAD_INPUT;
    for (guint i = 0; i < lines->len; i++)
        cli_error(NULL, "%s: %s", path, (const char *)g_ptr_array_index(lines, i));
    enum cli_exit code = lines->len ? CLI_CHECK_FAILED : CLI_DONE;
    g_ptr_array_unref(lines);
    return code;
}

// Below a table, to be read by netsim: not folded.
static void print_as_file(const char *text)
{
    putchar('\n');
    shown_print(text, SHOWN_TEXT, stdout);
}

static enum cli_exit present(const struct fit *fit, const struct evaluation *evaluation,
                             const struct calibrate_arguments *arguments,
                             enum calibrate_format format, const char *command)
{
    struct analysis *analysis = analysis_new(fit, evaluation);
    char *overlay = overlay_file(fit, evaluation, command, arguments->out);
    if (format == CALIBRATE_JSON) {
        char *json = document_text(calibrate_json(fit, analysis, evaluation));
        fputs(json, stdout);
        g_free(json);
    } else {
        struct cli_text text = cli_text_begin();
        calibrate_print(fit, analysis, evaluation, text.file);
        cli_text_print(&text);
        if (!arguments->out && !arguments->check)
            print_as_file(overlay);
    }
    enum cli_exit code = CLI_DONE;
    if (arguments->out)
        code = calibrate_write(arguments->out, overlay);
    else if (arguments->check)
        code = check_overlay(arguments->check, fit, evaluation);
    g_free(overlay);
    analysis_free(analysis);
    return code;
}

// ---- The search ----

static void show_runs(void *owner, int runs)
{
    char *text = g_strdup_printf("calibrate: %d runs", runs);
    progress_detail(owner, text);
    g_free(text);
}

// The request, read.
struct calibration {
    const char *name; // of the scenario, as given
    const struct scenario *scenario;
    const struct scenario_schema *schema;
    const struct calibrate_arguments *arguments;
    enum calibrate_format format;
    enum fit_method method;
    int draws; // 0: none
};

static enum cli_exit search_in_draws(const struct calibration *asked, struct evaluation *evaluation,
                                     const char *command)
{
    struct progress *progress = progress_new(stderr, 1);
    const struct calibrate_draws draws = {
        .evaluation = evaluation,
        .scenario = asked->scenario,
        .schema = asked->schema,
        .method = asked->method,
        .draws = asked->draws,
        .command = command,
        .out = asked->arguments->out,
        .check = asked->arguments->check,
        .again = asked->arguments->again,
        .json = asked->format == CALIBRATE_JSON,
        .progress = progress,
    };
    enum cli_exit code = calibrate_draws(&draws);
    progress_free(progress);
    return code;
}

static enum cli_exit search(const struct calibration *asked, struct evaluation *evaluation,
                            const char *command)
{
    GError *error = NULL;
    struct progress *progress = progress_new(stderr, 1);
    evaluation->progress = progress ? show_runs : NULL;
    evaluation->progress_owner = progress;
    struct fit *fit = fit_search(evaluation, asked->method, &error);
    progress_free(progress);
    evaluation->progress = NULL;
    enum cli_exit code = g_error_matches(error, EVALUATION_ERROR, EVALUATION_LOST)
                             ? CLI_CHECK_FAILED
                             : cli_exit_of(error, CLI_RUN_FAILED);
    if (fit)
        code = present(fit, evaluation, asked->arguments, asked->format, command);
    else
        cli_refuse(error);
    fit_free(fit);
    return code;
}

static enum cli_exit evaluate_and_search(const struct calibration *asked, struct campaign *campaign,
                                         const struct target_list *targets, GPtrArray *parameters)
{
    struct evaluation evaluation = {
        .campaign = campaign,
        .file = asked->scenario->file,
        .sets = (const char *const *)asked->arguments->sets,
        .seed = asked->scenario->seed,
        .targets = targets,
        .parameters = parameters,
    };
    char *command = command_text(asked->name, asked->arguments);
    evaluation_init(&evaluation);
    enum cli_exit code = asked->draws ? search_in_draws(asked, &evaluation, command)
                                      : search(asked, &evaluation, command);
    evaluation_clear(&evaluation);
    g_free(command);
    return code;
}

static enum cli_exit calibrate_scenario(const struct calibration *asked)
{
    GError *error = NULL;
    const struct calibrate_arguments *arguments = asked->arguments;
    struct target_list *targets = calibrate_targets(asked->scenario, arguments->to);
    GPtrArray *parameters = targets ? calibrate_parameters(arguments->fits, asked->scenario) : NULL;
    struct campaign_options options = {
        .database = arguments->database,
        .data_dir = cli_data_dir(),
        .jobs = arguments->jobs,
        .time_limit_s = (int)ceil(arguments->limits.seconds),
        .what_if = true, // the search passes through values that no machine has
    };
    struct campaign *campaign =
        parameters ? campaign_open(&model_registry, &options, &error) : NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    if (campaign)
        code = evaluate_and_search(asked, campaign, targets, parameters);
    else if (error)
        cli_refuse(error);
    campaign_close(campaign);
    if (parameters)
        g_ptr_array_unref(parameters);
    target_list_free(targets);
    return code;
}

// ---- Draws ----

// The scenario under the user's settings and the ranges of --fit. Takes the scenario without the
// latter. NULL after an error.
static struct scenario *with_ranges(struct scenario *scenario, const struct scenario_schema *schema,
                                    const char *name, const struct calibrate_arguments *arguments,
                                    GPtrArray *sets, GPtrArray *named, uint64_t seed)
{
    for (int i = 0; arguments->sets && arguments->sets[i]; i++)
        g_ptr_array_add(sets, g_strdup(arguments->sets[i]));
    guint before = sets->len;
    bool good = scenario && calibrate_posterior_fits(arguments->fits, scenario, sets, named);
    bool again = good && sets->len > before;
    g_ptr_array_add(sets, NULL);
    g_ptr_array_add(named, NULL);
    if (good && !again)
        return scenario;
    scenario_free(scenario);
    return again ? cli_scenario(schema, name, (char **)sets->pdata, arguments->allow_unused, seed)
                 : NULL;
}

static enum cli_exit weigh_draws(const char *name, const struct scenario_schema *schema,
                                 struct scenario *scenario,
                                 const struct calibrate_arguments *arguments,
                                 struct calibrate_posterior *request, uint64_t seed)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *named = g_ptr_array_new_with_free_func(g_free);
    char *command = command_text(name, arguments);
    scenario = with_ranges(scenario, schema, name, arguments, sets, named, seed);
    struct target_list *targets = scenario ? calibrate_targets(scenario, arguments->to) : NULL;
    request->scenario = scenario;
    request->schema = schema;
    request->targets = targets;
    request->sets = (char **)sets->pdata;
    request->named = named->len > 1 ? (char **)named->pdata : NULL;
    request->out = arguments->out;
    request->command = command;
    request->database = arguments->database;
    request->jobs = arguments->jobs;
    request->time_limit_s = (int)ceil(arguments->limits.seconds);
    enum cli_exit code = targets ? calibrate_posterior(request) : CLI_BAD_INPUT;
    target_list_free(targets);
    scenario_free(scenario);
    g_free(command);
    g_ptr_array_unref(named);
    g_ptr_array_unref(sets);
    return code;
}

static enum cli_exit calibrate_argument(char **words, const void *data)
{
    const struct calibrate_arguments *arguments = data;
    const char *name = words[0];
    struct calibration asked = {.name = name, .arguments = arguments};
    int format = cli_choice("--format", arguments->format, calibrate_formats);
    int method = cli_choice("--method", arguments->method, methods);
    const struct file_use uses[] = {{"--out", arguments->out, true},
                                    {"--to", arguments->to, false}};
    uint64_t seed;
    struct calibrate_posterior request = {.json = format == CALIBRATE_JSON};
    if (format < 0 || method < 0 || !cli_seed(arguments->seed, &seed) ||
        !arguments_are_right(arguments) || !cli_files_differ(NULL, uses, G_N_ELEMENTS(uses)) ||
        (arguments->posterior
             ? !calibrate_posterior_read(arguments->draws, arguments->discrepancy, &request)
             : !cli_count("--draws", arguments->draws, CLI_MOST_DRAWS, &asked.draws)))
        return CLI_BAD_INPUT;
    asked.format = (enum calibrate_format)format;
    asked.method = (enum fit_method)method;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, name, arguments->sets, arguments->allow_unused, seed);
    asked.schema = schema;
    asked.scenario = scenario;
    enum cli_exit code = CLI_BAD_INPUT;
    const struct file_use files[] = {{"--out", arguments->out, true},
                                     {"the scenario", scenario ? scenario->file : NULL, false}};
    if (!scenario || !cli_files_differ(NULL, files, G_N_ELEMENTS(files)))
        code = CLI_BAD_INPUT;
    else if (arguments->posterior)
        code = weigh_draws(name, schema, g_steal_pointer(&scenario), arguments, &request, seed);
    else
        code = calibrate_scenario(&asked);
    scenario_free(scenario);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_calibrate_options[] = {
    {.name = "fit",
     .value = CLI_LIST,
     .offset = offsetof(struct calibrate_arguments, fits),
     .argument = "PATH[=LO..HI]",
     .words = CLI_WORDS_PARAMETER,
     .summary = "parameter to fit, with bounds (repeatable)",
     .more = "Without bounds, a tenth and ten times its default."},
    {.name = "to",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, to),
     .argument = "REFERENCE",
     .words = CLI_WORDS_FILE,
     .summary = "reference points, orders and crossovers",
     .more =
         "A YAML file, or measured points as FILE.csv with the columns size, value and, if there "
         "are any, series, metric, unit and error."},
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, out),
     .argument = "OVERLAY",
     .words = CLI_WORDS_FILE,
     .summary = "write the overlay to this file",
     .more = "It is for the `include` of a testbed; each value says what it is fitted to."},
    {.name = "check",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, check),
     .argument = "OVERLAY",
     .words = CLI_WORDS_FILE,
     .summary = "compare with an overlay instead; ends with 2 if a value differs",
     .more = "With --draws: with an ensemble."},
    {.name = "posterior",
     .value = CLI_FLAG,
     .offset = offsetof(struct calibrate_arguments, posterior),
     .summary = "weigh draws of the uncertain constants by the targets",
     .more = "Prints the band of each constant before and after; `--out` writes an ensemble of "
             "draws, for the `ensemble` of a testbed. `--fit` names the constants to list, "
             "PATH=LO..HI gives one a range."},
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, draws),
     .argument = "N",
     .summary = "fit again in each of N draws of the uncertain constants",
     .more = "--out writes an ensemble, which a testbed names with `ensemble`. Draws that the file "
             "has are kept. With --posterior: so many draws are weighed."},
    CLI_AGAIN_OPTION(struct calibrate_arguments, again),
    {.name = "discrepancy",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, discrepancy),
     .argument = "SHARE",
     .summary = "error of the model itself, 2% of each value by default",
     .more = "It is added, in squares, to the tolerances of the targets."},
    {.name = "method",
     .value = CLI_TEXT,
     .offset = offsetof(struct calibrate_arguments, method),
     .argument = "METHOD",
     .words = CLI_WORDS_CHOICE,
     .summary = "how to search",
     .more = "`lm` is Levenberg-Marquardt, for points alone; `auto` takes it where there are "
             "no orders and crossovers.",
     .choices = methods},
    CLI_FIT_OPTIONS(struct calibrate_arguments),
    CLI_WIDE_OPTION(struct calibrate_arguments, wide),
    CLI_FORMAT_OPTION(struct calibrate_arguments, format, calibrate_formats, NULL),
    CLI_OPTIONS_END,
};

enum cli_exit cli_calibrate(const struct cli_command *command, int argc, char **argv)
{
    struct calibrate_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, calibrate_argument);
}
