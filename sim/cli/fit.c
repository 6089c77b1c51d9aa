// SPDX-License-Identifier: GPL-3.0-or-later
// netsim fit: a calibration to measured points, whose scenario it builds and whose parameters it
// proposes (sim/calibrate/propose.h).
#include "sim/cli/calibrate_input.h"
#include "sim/cli/calibrate_posterior.h"
#include "sim/cli/fit_picture.h"
#include "sim/cli/fit_scenario.h"

#include "sim/calibrate/overlay.h"
#include "sim/calibrate/posterior_report.h"
#include "sim/calibrate/propose.h"
#include "sim/calibrate/report.h"
#include "sim/core/shown.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/run/schema.h"
#include "sim/scenario/ensemble.h"

#include <math.h>
#include <string.h>

#define FIT_DRAWS "100" // without --draws
#define FIT_RESULTS "results"

static const char *const fit_formats[] = {"table", "json", NULL};
static const int bound_deviations[] = {3, 2, 1}; // of the prior, as far as the table allows

struct fit_arguments {
    char *testbed, *scenario, *benchmark, **stacks, **fits, **sets;
    char *draws, *discrepancy, *out, *picture, *format, *seed, *database;
    struct cli_limits limits;
    int jobs;
    gboolean allow_unused, quiet, wide;
};

// A fit while it is made.
struct fit_work {
    const struct fit_arguments *arguments;
    const char *file; // of the points
    char *name, *command;
    char *scenario_file, *overlay_file, *ensemble_file, *picture_file;
    struct measured_points *points;
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct target_list *targets;
    struct uncertain_list *constants;
    struct campaign *campaign;
    struct progress *progress;
    const char *stage; // for the progress
    struct calibrate_posterior draws;
    json_t *proposal;      // NULL: --fit names the parameters
    GPtrArray *parameters; // struct fit_parameter *
    struct fit *fit;
    struct analysis *analysis;
    struct posterior *posterior;
    json_t *learnt; // posterior_json()
};

// ---- Input ----

static bool fit_arguments_are_right(const struct fit_arguments *arguments)
{
    if (!arguments->testbed == !arguments->scenario)
        cli_error("--testbed NAME, of `netsim list testbeds`, or --scenario SCENARIO",
                  arguments->testbed ? "--testbed and --scenario: give one of them"
                                     : "on which machine was it measured?");
    else if (arguments->scenario && (arguments->stacks || arguments->benchmark))
        cli_error(NULL, "--%s: the scenario has its own",
                  arguments->stacks ? "stack" : "benchmark");
    else
        return true;
    return false;
}

static char *fit_command(const char *file, const struct fit_arguments *arguments)
{
    const struct {
        const char *option, *word;
    } words[] = {
        {"--testbed", arguments->testbed},
        {"--scenario", arguments->scenario},
        {"--benchmark", arguments->benchmark},
        {"--draws", arguments->draws},
        {"--discrepancy", arguments->discrepancy},
        {"--seed", arguments->seed},
        {"--out", arguments->out},
    };
    const struct {
        const char *option;
        char **list;
    } lists[] = {
        {"--stack", arguments->stacks}, {"--fit", arguments->fits}, {"--set", arguments->sets}};
    GString *text = g_string_new("netsim fit");
    calibrate_append_word(text, "", file);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (words[i].word)
            calibrate_append_word(text, words[i].option, words[i].word);
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        for (int k = 0; lists[i].list && lists[i].list[k]; k++)
            calibrate_append_word(text, lists[i].option, lists[i].list[k]);
    return g_string_free(text, FALSE);
}

static void name_files(struct fit_work *work)
{
    char *own = g_strconcat(work->name, "_fit", NULL);
    char *directory = work->arguments->out ? g_strdup(work->arguments->out)
                                           : g_build_filename(FIT_RESULTS, own, NULL);
    const struct {
        char **file;
        const char *ending;
    } files[] = {{&work->scenario_file, ".yaml"},
                 {&work->overlay_file, ".fit.yaml"},
                 {&work->ensemble_file, ".draws"},
                 {&work->picture_file, ".svg"}};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        char *name = g_strconcat(work->name, files[i].ending, NULL);
        *files[i].file = g_build_filename(directory, name, NULL);
        g_free(name);
    }
    if (work->arguments->picture) {
        g_free(work->picture_file);
        work->picture_file = g_strdup(work->arguments->picture);
    }
    g_free(directory);
    g_free(own);
}

static bool read_points(struct fit_work *work)
{
    GError *error = NULL;
    char *text = NULL;
    gsize length;
    if (g_file_get_contents(work->file, &text, &length, &error))
        work->points = measured_read(work->file, text, length, &error);
    g_free(text);
    if (error)
        cli_refuse(error);
    return work->points != NULL;
}

// Writes the scenario of a testbed, which includes `overlay` (NULL: nothing).
static bool write_scenario(const struct fit_work *work, const char *overlay)
{
    const struct fit_machine machine = {.name = work->name,
                                        .testbed = work->arguments->testbed,
                                        .stacks = work->arguments->stacks,
                                        .benchmark = work->arguments->benchmark,
                                        .command = work->command};
    char *text = fit_scenario_text(&machine, work->points, work->schema, overlay);
    bool good = text && calibrate_write(work->scenario_file, text) == CLI_DONE;
    g_free(text);
    return good;
}

// Removes the series that the points are not of.
static bool keep_series_of_points(struct fit_work *work)
{
    GPtrArray *names = target_list_series(work->targets);
    bool good = cli_series_keep(work->scenario, (char **)names->pdata);
    g_ptr_array_unref(names);
    return good;
}

static bool read_scenario(struct fit_work *work, uint64_t seed)
{
    const struct fit_arguments *arguments = work->arguments;
    if (arguments->testbed && !write_scenario(work, NULL))
        return false;
    work->scenario =
        cli_scenario(work->schema, arguments->testbed ? work->scenario_file : arguments->scenario,
                     arguments->sets, arguments->allow_unused, seed);
    if (!work->scenario)
        return false;
    work->targets = calibrate_targets(work->scenario, work->file);
    if (!work->targets || !keep_series_of_points(work))
        return false;
    struct diag_list *diags = diag_list_new();
    work->constants = uncertain_list_new(work->scenario, work->schema, work->draws.draws, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    return work->constants != NULL;
}

// ---- Runs ----

static void show_fit_runs(void *owner, int done, int total, const char *name)
{
    const struct fit_work *work = owner;
    char *text = g_strdup_printf("%s: %d of %d, %s", work->stage, done, total, name);
    progress_detail(work->progress, text);
    g_free(text);
}

static bool open_campaign(struct fit_work *work, GError **error)
{
    const struct fit_arguments *arguments = work->arguments;
    work->progress = arguments->quiet ? NULL : progress_new(stderr, 1);
    struct campaign_options options = {
        .database = arguments->database,
        .data_dir = cli_data_dir(),
        .jobs = arguments->jobs,
        .time_limit_s = (int)ceil(arguments->limits.seconds),
        .what_if = true, // the search passes through values that no machine has
        .progress = work->progress ? show_fit_runs : NULL,
        .progress_owner = work,
    };
    work->campaign = campaign_open(&model_registry, &options, error);
    return work->campaign != NULL;
}

static struct evaluation fit_evaluation(const struct fit_work *work, GPtrArray *parameters)
{
    struct evaluation evaluation = {
        .campaign = work->campaign,
        .file = work->scenario->file,
        .sets = (const char *const *)work->arguments->sets,
        .seed = work->scenario->seed,
        .targets = work->targets,
        .parameters = parameters,
    };
    evaluation_init(&evaluation);
    return evaluation;
}

// "PATH=LO..HI" of a constant, within its prior as far as the scenario takes it. NULL: it can't be
// fitted. The caller frees it.
static char *bounded_text(const struct fit_work *work, const struct uncertain_constant *constant)
{
    char *text = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(bound_deviations) && !text && constant->number; i++) {
        char *lo = uncertain_rounded_text(constant, -bound_deviations[i]);
        char *hi = uncertain_rounded_text(constant, bound_deviations[i]);
        text = g_strdup_printf("%s=%s..%s", constant->drawn->path, lo, hi);
        struct fit_parameter *parameter = fit_parameter_read(text, work->scenario, NULL);
        if (!parameter)
            g_clear_pointer(&text, g_free);
        fit_parameter_free(parameter);
        g_free(lo);
        g_free(hi);
    }
    return text;
}

// The parameters of --fit; those without bounds of their own have the bounds of their priors.
static GPtrArray *named_parameters(const struct fit_work *work)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; work->arguments->fits[i]; i++) {
        char *text = NULL;
        for (guint k = 0; k < work->constants->constants->len && !text; k++) {
            const struct uncertain_constant *constant = uncertain_at(work->constants, k);
            if (strcmp(constant->drawn->path, work->arguments->fits[i]) == 0)
                text = bounded_text(work, constant);
        }
        g_ptr_array_add(texts, text ? text : g_strdup(work->arguments->fits[i]));
    }
    g_ptr_array_add(texts, NULL);
    GPtrArray *parameters = calibrate_parameters((char **)texts->pdata, work->scenario);
    g_ptr_array_unref(texts);
    return parameters;
}

static void free_bounded(void *parameter)
{
    fit_parameter_free(parameter);
}

static bool propose(struct fit_work *work, GError **error)
{
    GPtrArray *none = g_ptr_array_new();
    struct evaluation evaluation = fit_evaluation(work, none);
    work->stage = "which constants matter";
    struct proposal *proposal = proposal_new(&evaluation, work->constants, error);
    work->parameters = g_ptr_array_new_with_free_func(free_bounded);
    for (guint i = 0; proposal && i < proposal->chosen; i++) {
        const struct proposed *one = &g_array_index(proposal->list, struct proposed, i);
        char *text = bounded_text(work, uncertain_at(work->constants, one->constant));
        struct fit_parameter *parameter =
            text ? fit_parameter_read(text, work->scenario, NULL) : NULL;
        if (parameter)
            g_ptr_array_add(work->parameters, parameter);
        g_free(text);
    }
    if (proposal)
        work->proposal = proposal_json(proposal, &evaluation, work->constants);
    if (proposal && work->parameters->len == 0)
        g_set_error(error, EVALUATION_ERROR, EVALUATION_LOST,
                    "no uncertain constant of this scenario moves the points: --fit PATH=LO..HI "
                    "names one");
    proposal_free(proposal);
    evaluation_clear(&evaluation);
    g_ptr_array_unref(none);
    return work->parameters->len > 0;
}

static bool search_values(struct fit_work *work, GError **error)
{
    struct evaluation evaluation = fit_evaluation(work, work->parameters);
    work->stage = "fit";
    work->fit = fit_search(&evaluation, FIT_AUTO, error);
    if (work->fit)
        work->analysis = analysis_new(work->fit, &evaluation);
    evaluation_clear(&evaluation);
    return work->fit != NULL;
}

static bool weigh(struct fit_work *work, GError **error)
{
    GPtrArray *none = g_ptr_array_new();
    struct evaluation evaluation = fit_evaluation(work, none);
    const struct posterior_options options = {
        .draws = work->draws.draws,
        .discrepancy = work->draws.discrepancy,
        .seed = work->scenario->seed,
    };
    work->stage = "draws";
    work->posterior = posterior_new(&evaluation, work->constants, &options, error);
    if (work->posterior)
        work->learnt = posterior_json(work->posterior);
    evaluation_clear(&evaluation);
    g_ptr_array_unref(none);
    return work->posterior != NULL;
}

static enum cli_exit run_fit(struct fit_work *work)
{
    GError *error = NULL;
    bool good = open_campaign(work, &error);
    if (good && work->arguments->fits)
        work->parameters = named_parameters(work);
    else if (good)
        good = propose(work, &error);
    good = good && work->parameters && search_values(work, &error) && weigh(work, &error);
    progress_free(work->progress);
    work->progress = NULL;
    return cli_exit_with(error, good ? CLI_DONE : error ? CLI_RUN_FAILED : CLI_BAD_INPUT);
}

// ---- Output ----

static enum cli_exit write_fit(const struct fit_work *work)
{
    struct evaluation evaluation = fit_evaluation(work, work->parameters);
    char *overlay = overlay_text(work->fit, &evaluation, work->command);
    char *ensemble = g_path_get_basename(work->ensemble_file);
    char *included = g_path_get_basename(work->overlay_file);
    bool draws = work->arguments->draws != NULL;
    char *whole =
        draws ? g_strdup_printf("%s" ENSEMBLE_KEY ": %s\n", overlay, ensemble) : g_strdup(overlay);
    enum cli_exit code = calibrate_write(work->overlay_file, whole);
    if (code == CLI_DONE && draws) {
        char *text = posterior_ensemble(work->posterior, work->command);
        code = calibrate_write(work->ensemble_file, text);
        g_free(text);
    }
    if (code == CLI_DONE && work->arguments->testbed && !write_scenario(work, included))
        code = CLI_BAD_INPUT;
    evaluation_clear(&evaluation);
    g_free(whole);
    g_free(included);
    g_free(ensemble);
    g_free(overlay);
    return code;
}

// "mine.csv on cluster1".
static char *fit_title(const struct fit_work *work)
{
    char *file = g_path_get_basename(work->file);
    char *machine = g_path_get_basename(work->arguments->testbed ? work->arguments->testbed
                                                                 : work->arguments->scenario);
    char *dot = strrchr(machine, '.');
    if (dot && dot > machine)
        *dot = '\0';
    char *title = g_strdup_printf("%s, fitted on %s", file, machine);
    g_free(machine);
    g_free(file);
    return title;
}

// "chi square 3.1 for 2 degrees of freedom: the fitted curve describes the points". The caller
// frees it.
static char *goodness_text(const struct analysis *analysis)
{
    if (analysis->degrees <= 0)
        return g_strdup("as many constants as points: that they agree shows nothing");
    return g_strdup_printf("chi square %.3g for %d degree%s of freedom, %.3g each: the fitted "
                           "values %s",
                           analysis->chi_square, analysis->degrees,
                           analysis->degrees == 1 ? "" : "s",
                           analysis->chi_square / analysis->degrees,
                           analysis_refutes(analysis) ? "do not describe the points"
                                                      : "describe the points within their errors");
}

static void draw_fit(struct fit_work *work)
{
    char *title = fit_title(work), *goodness = goodness_text(work->analysis);
    json_t *document = fit_picture(work->name, title, work->scenario, work->targets,
                                   work->fit->document, work->learnt);
    json_array_insert_new(json_object_get(document, "notes"), 0, json_string(goodness));
    char *text = document_text(document);
    if (!cli_draw("draw.py", text, work->picture_file))
        g_clear_pointer(&work->picture_file, g_free);
    g_free(text);
    g_free(goodness);
    g_free(title);
}

static json_t *files_json(const struct fit_work *work)
{
    return json_pack("{s:s?, s:s, s:s?, s:s?}", "scenario",
                     work->arguments->testbed ? work->scenario_file : NULL, "overlay",
                     work->overlay_file, "ensemble",
                     work->arguments->draws ? work->ensemble_file : NULL, "picture",
                     work->picture_file);
}

static void print_fit_json(const struct fit_work *work, const struct evaluation *evaluation)
{
    json_t *document = json_pack("{s:O?, s:o, s:O, s:o}", "proposal", work->proposal, "fit",
                                 calibrate_json(work->fit, work->analysis, evaluation), "posterior",
                                 work->learnt, "files", files_json(work));
    char *text = document_text(document);
    fputs(text, stdout);
    g_free(text);
}

static void print_fit_files(const struct fit_work *work, FILE *out)
{
    char *goodness = goodness_text(work->analysis);
    fprintf(out, "\n%s\n", goodness);
    fprintf(out, "fitted values: %s\n", work->overlay_file);
    if (work->arguments->draws)
        fprintf(out, "ensemble: %s\n", work->ensemble_file);
    if (work->arguments->testbed)
        fprintf(out, "scenario with them: %s\n", work->scenario_file);
    if (work->picture_file)
        fprintf(out, "picture: %s\n", work->picture_file);
    g_free(goodness);
}

static void print_fit(const struct fit_work *work)
{
    struct evaluation evaluation = fit_evaluation(work, work->parameters);
    if (g_strcmp0(work->arguments->format, "json") == 0) {
        print_fit_json(work, &evaluation);
    } else {
        struct cli_text text = cli_text_begin();
        if (work->proposal)
            proposal_print(work->proposal, text.file);
        calibrate_print_fit(work->fit, work->analysis, &evaluation, text.file);
        fputs("\nthe uncertain constants as the points leave them\n", text.file);
        posterior_print(work->learnt, NULL, text.file);
        print_fit_files(work, text.file);
        cli_text_print(&text);
    }
    evaluation_clear(&evaluation);
}

// ---- The command ----

static void fit_work_clear(struct fit_work *work)
{
    json_decref(work->learnt);
    json_decref(work->proposal);
    posterior_free(work->posterior);
    analysis_free(work->analysis);
    fit_free(work->fit);
    if (work->parameters)
        g_ptr_array_unref(work->parameters);
    campaign_close(work->campaign);
    uncertain_list_free(work->constants);
    target_list_free(work->targets);
    scenario_free(work->scenario);
    registry_schema_free(work->schema);
    measured_free(work->points);
    char *texts[] = {work->name,         work->command,       work->scenario_file,
                     work->overlay_file, work->ensemble_file, work->picture_file};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
}

static enum cli_exit fit_argument(char **words, const void *data)
{
    const struct fit_arguments *arguments = data;
    const char *file = words[0];
    struct fit_work work = {.arguments = arguments, .file = file};
    uint64_t seed;
    if (cli_choice("--format", arguments->format, fit_formats) < 0 ||
        !cli_seed(arguments->seed, &seed) || !fit_arguments_are_right(arguments) ||
        !calibrate_posterior_read(arguments->draws ? arguments->draws : FIT_DRAWS,
                                  arguments->discrepancy, &work.draws))
        return CLI_BAD_INPUT;
    work.name = fit_scenario_name(file);
    work.command = fit_command(file, arguments);
    work.schema = registry_schema(&model_registry);
    name_files(&work);
    enum cli_exit code = CLI_BAD_INPUT;
    if (read_points(&work) && read_scenario(&work, seed))
        code = run_fit(&work);
    if (work.posterior) {
        code = write_fit(&work);
        draw_fit(&work);
        print_fit(&work);
    }
    fit_work_clear(&work);
    return code;
}

const struct cli_option cli_fit_options[] = {
    {.name = "testbed",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, testbed),
     .argument = "NAME",
     .words = CLI_WORDS_SHIPPED,
     .summary = CLI_TESTBED_SUMMARY,
     .more = "It may be a file, too. A scenario is written for it, with a series for each series "
             "of the points."},
    {.name = "scenario",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, scenario),
     .argument = "SCENARIO",
     .words = CLI_WORDS_SCENARIO,
     .summary = "instead: a scenario that has the series of the points"},
    {.name = "stack",
     .value = CLI_LIST,
     .offset = offsetof(struct fit_arguments, stacks),
     .argument = "NAME",
     .words = CLI_WORDS_STACK,
     .summary = CLI_STACK_SUMMARY,
     .more = "It was measured; several series have one each, `SERIES=NAME` (repeatable). A series "
             "that is called as a "
             "stack needs none."},
    {.name = "benchmark",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, benchmark),
     .argument = "NAME",
     .words = CLI_WORDS_BENCHMARK,
     .summary = CLI_BENCHMARK_SUMMARY,
     .more = "It was measured; PingPong by default."},
    {.name = "fit",
     .value = CLI_LIST,
     .offset = offsetof(struct fit_arguments, fits),
     .argument = "PATH[=LO..HI]",
     .words = CLI_WORDS_PARAMETER,
     .summary = "parameter to fit, with bounds (repeatable)",
     .more = "Instead of those that are proposed."},
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, draws),
     .argument = "N",
     .summary = "weigh N draws instead of " FIT_DRAWS ", and write them as an ensemble",
     .more = "The overlay names it, so that predictions have the band that the points leave."},
    {.name = "discrepancy",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, discrepancy),
     .argument = "SHARE",
     .summary = "error of the model itself, 2% of each value by default",
     .more = "It is added, in squares, to the errors of the points where draws are weighed."},
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, out),
     .argument = "DIR",
     .words = CLI_WORDS_DIRECTORY,
     .summary = "directory of the results instead of " FIT_RESULTS "/NAME_fit"},
    {.name = "picture",
     .value = CLI_TEXT,
     .offset = offsetof(struct fit_arguments, picture),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "the picture's file, .svg, .png or .pdf, instead of NAME.svg there"},
    CLI_FIT_OPTIONS(struct fit_arguments),
    CLI_WIDE_OPTION(struct fit_arguments, wide),
    CLI_FORMAT_OPTION(struct fit_arguments, format, fit_formats, NULL),
    CLI_QUIET_OPTION(struct fit_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_fit(const struct cli_command *command, int argc, char **argv)
{
    struct fit_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, fit_argument);
}
