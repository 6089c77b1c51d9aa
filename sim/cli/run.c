// SPDX-License-Identifier: GPL-3.0-or-later
// netsim run: a scenario becomes a table, a CSV file, a manifest and the records that are asked
// for.
#include "sim/cli/run.h"

#include "sim/benchmark/samples.h"
#include "sim/cli/run_draws.h"
#include "sim/flow/flow.h"
#include "sim/measure/clocks.h"
#include "sim/output/csv.h"
#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/links.h"
#include "sim/output/manifest.h"
#include "sim/output/progress.h"
#include "sim/output/table.h"
#include "sim/output/text.h"
#include "sim/run/estimate.h"
#include "sim/run/limit.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "sim/scenario/workload.h"

#include <math.h>
#include <signal.h>
#include <string.h>

static const char *const run_link_tables[] = {"busiest", "all", NULL};
static const char *const run_formats[] = {"table", "csv", "json", NULL};
static const char *const run_sensitivities[] = {"ranks", "total", NULL};
enum run_format { RUN_TABLE, RUN_CSV, RUN_JSON };

struct run_arguments {
    char **sets, **series;
    char *out, *seed, *format, **metrics;
    char *records[RECORD_KINDS]; // paths; NULL: not asked for
    struct cli_pcap pcap;
    char *trace_from_text, *trace_to_text;
    sim_time trace_from, trace_to;
    struct cli_limits limits;
    char *stop;       // as given; NULL: not given
    sim_time stop_at; // 0: none
    char *links;
    char *draws; // as given; NULL: none
    char *sensitivity, *causes;
    int jobs;
    gboolean quiet, allow_unused, wide;
};

// Warns of an unusual series before it is run.
static void warn(const struct scenario_case *test_case)
{
    struct estimate estimate = estimate_of(test_case);
    char *text = estimate_warning(&estimate);
    if (text)
        cli_error("netsim check says so beforehand; --time-limit ends it", "warning: %s: %s",
                  test_case->name, text);
    g_free(text);
}

// Prints a note if most of a machine is idle, unless the user has asked for that.
static void note_ranks(const struct scenario *scenario)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        if (!case_ranks_are_fewest(test_case))
            continue;
        cli_error("workload.ranks says how many", "note: %d of %u hosts take part",
                  test_case->workload.ranks, test_case->topology.hosts->len);
        return;
    }
}

// ---- Interrupts ----

// While series run, a signal to end waits until signal_waiting finds it, so that finished series
// can be kept.
static void signals_wait(sigset_t *before)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigprocmask(SIG_BLOCK, &ending, before);
}

// The signal that waits; 0: none.
static int signal_waiting(void)
{
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) ? SIGINT : sigismember(&waiting, SIGTERM) ? SIGTERM : 0;
}

static bool interrupted(void)
{
    return signal_waiting() != 0;
}

// Polled during a run, of which a part may take long without an update.
static bool goes_on(void *progress)
{
    progress_beat(progress);
    return false;
}

// Runs the series one after the other, up to an interrupt: that one is left out.
static void run_series(const struct scenario *scenario, const struct recorders *recorders,
                       struct progress *progress, const struct run_options *options,
                       struct result *result)
{
    for (guint i = 0; i < scenario->cases->len && !interrupted(); i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        recorders_begin(recorders, (int)i, test_case->name);
        progress_update(progress, (int)i, 0.0, test_case->name);
        struct series_result *series =
            flow_or_packets(&model_registry, test_case, (int)i, scenario->seed, options);
        const char *kind = json_string_value(json_object_get(series->reason, "kind"));
        bool cut = g_strcmp0(kind, SIM_INTERRUPTED) == 0;
        recorders_end(recorders, !cut);
        if (cut)
            series_result_free(series);
        else
            g_ptr_array_add(result->series, series);
    }
}

static struct result *run_simulate(const struct scenario *scenario,
                                   const struct recorders *recorders,
                                   const struct run_arguments *arguments, struct run_ending *ending)
{
    for (guint i = 0; i < scenario->cases->len; i++)
        warn(g_ptr_array_index(scenario->cases, i));
    if (!arguments->quiet)
        note_ranks(scenario);
    struct result *result = result_new(scenario->name, scenario->seed);
    struct progress *progress =
        arguments->quiet ? NULL : progress_new(stderr, (int)scenario->cases->len);
    struct run_options options = {
        .link_sizes = true,
        .trace = recorders->trace,
        .capture = recorders->capture,
        .progress = progress ? progress_update : NULL,
        .progress_owner = progress,
        .stop_at = arguments->stop_at,
        .time_limit_s = arguments->limits.seconds,
        .wall_end = arguments->limits.end,
        .interrupt = interrupted,
        .enough = progress ? goes_on : NULL,
        .enough_owner = progress,
    };
    const struct run_parallel parallel = {
        .scenario = scenario,
        .jobs = arguments->jobs,
        .stop_at = arguments->stop_at,
        .limits = &arguments->limits,
        .recorders = recorders,
        .progress = progress,
    };
    if (arguments->jobs != 1 && scenario->cases->len > 1) {
        *ending = run_parallel(&parallel, result);
    } else {
        run_series(scenario, recorders, progress, &options, result);
        *ending = (struct run_ending){.signal = signal_waiting()};
    }
    progress_free(progress);
    return result;
}

static bool write_results(const char *directory, const struct scenario *scenario,
                          const struct result *result, const struct manifest_execution *execution,
                          GError **error)
{
    GString *csv = csv_text(result, NULL);
    GString *extras[MANIFEST_EXTRAS] = {
        [MANIFEST_SAMPLES] = csv_samples(result),
        [MANIFEST_LINKS] = links_csv(result),
        [MANIFEST_LINKS_BY_SIZE] = links_csv_by_size(result),
    };
    json_t *manifest = manifest_json(scenario, result, execution, csv->str);
    bool other, written = manifest_write(directory, manifest, csv->str,
                                         (const GString *const *)extras, &other, error);
    if (other)
        cli_error("--out DIR keeps both",
                  "note: %s had results of another scenario, settings or "
                  "seed, which these replace",
                  directory);
    json_decref(manifest);
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++)
        if (extras[extra])
            g_string_free(extras[extra], TRUE);
    g_string_free(csv, TRUE);
    return written;
}

static void print_result(const struct result *result, enum run_format format,
                         const struct run_arguments *arguments, const char *directory)
{
    switch (format) {
    case RUN_TABLE: {
        struct table_options options = {.colour = table_wants_colour(stdout),
                                        .width = cli_width(stdout),
                                        .summary = !arguments->quiet,
                                        .directory = directory,
                                        .metrics = (const char *const *)arguments->metrics,
                                        .links = arguments->links != NULL,
                                        .all_links = g_strcmp0(arguments->links, "all") == 0,
                                        .captures = arguments->records[RECORD_CAPTURES]};
        table_print(result, &options, stdout);
        return;
    }
    case RUN_CSV: {
        GString *csv = csv_text(result, (const char *const *)arguments->metrics);
        fwrite(csv->str, 1, csv->len, stdout);
        g_string_free(csv, TRUE);
        return;
    }
    case RUN_JSON: {
        char *json = document_text(result_json(result));
        fputs(json, stdout);
        g_free(json);
        return;
    }
    }
}

// Formats for programs go to stdout alone; failures are also reported on stderr.
static void print_failures(const struct result *result)
{
    for (guint i = 0; i < result->series->len; i++) {
        const struct series_result *series = g_ptr_array_index(result->series, i);
        const char *text = json_string_value(json_object_get(series->reason, "text"));
        if (series->status != SIM_COMPLETED)
            cli_error(NULL, "%s: %s: %s", series->name, sim_status_name(series->status),
                      text ? text : "no reason was given");
    }
}

static void note_idle(const struct scenario *scenario, char **sets, struct result *result)
{
    run_find_idle(scenario, sets, result);
    for (guint i = 0; i < result->idle_settings->len; i++)
        cli_error(NULL, "note: --set %s changed nothing: every result is the same without it",
                  (const char *)g_ptr_array_index(result->idle_settings, i));
}

static enum cli_exit run_code(const struct result *result)
{
    switch (result_status(result)) {
    case SIM_COMPLETED:
        return CLI_DONE;
    case SIM_LOST:
        return CLI_CHECK_FAILED;
    case SIM_DEADLOCK:
    case SIM_FAILED:
        return CLI_RUN_FAILED;
    }
    return CLI_RUN_FAILED;
}

static bool outputs_differ(const struct scenario *scenario, const struct recorders *recorders,
                           const char *directory)
{
    char *csv = directory ? g_build_filename(directory, "results.csv", NULL) : NULL;
    char *manifest = directory ? g_build_filename(directory, "manifest.json", NULL) : NULL;
    char *extras[MANIFEST_EXTRAS] = {NULL};
    for (int extra = 0; directory && extra < MANIFEST_EXTRAS; extra++)
        extras[extra] =
            g_build_filename(directory, manifest_extra_file((enum manifest_extra)extra), NULL);
    const struct file_use uses[] = {
        {"the results", csv, true},
        {"the times of repetitions", extras[MANIFEST_SAMPLES], true},
        {"the links", extras[MANIFEST_LINKS], true},
        {"the links by size", extras[MANIFEST_LINKS_BY_SIZE], true},
        {"the manifest", manifest, true},
    };
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct file_use));
    g_array_append_vals(all, uses, G_N_ELEMENTS(uses));
    recorders_append_uses(recorders, all);
    bool differ =
        cli_files_differ(scenario, (const struct file_use *)(void *)all->data, (int)all->len);
    g_array_unref(all);
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++)
        g_free(extras[extra]);
    g_free(manifest);
    g_free(csv);
    return differ;
}

// Returns the directory of the results: a format for programs writes files only into --out. NULL:
// none. The caller frees it.
static char *directory_of(const struct scenario *scenario, const struct run_arguments *arguments,
                          enum run_format format)
{
    if (arguments->out)
        return g_strdup(arguments->out);
    return format == RUN_TABLE ? file_results_directory(scenario->name) : NULL;
}

// After an interrupt, or if a process died: prints how much is kept. Returns the exit code.
static enum cli_exit end_cut(const struct scenario *scenario, const struct result *result,
                             const char *directory, const struct run_ending *ending)
{
    bool kept = directory && result->series->len > 0;
    cli_error(NULL, "%s%u of %u series are finished%s%s", ending->signal ? "interrupted: " : "",
              result->series->len, scenario->cases->len, kept ? ", and in " : "",
              kept ? directory : "");
    return ending->signal ? (enum cli_exit)(128 + ending->signal) : CLI_CHECK_FAILED;
}

// Whether options that record packets have some to record.
static bool packets_exist(const struct scenario *scenario, const struct run_arguments *arguments)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        if (arguments->records[i] && !cli_packets_exist(scenario, NULL, recorders_option(i)))
            return false;
    return !arguments->stop || cli_packets_exist(scenario, NULL, "--stop-at");
}

// Makes the recorders and opens the outputs, so that a failure is found before a long run.
// Returns false after a printed error.
static bool outputs_open(const struct scenario *scenario, const struct run_arguments *arguments,
                         const char *directory, struct recorders *recorders)
{
    const struct recorders_request request = {arguments->records,    &arguments->pcap.options,
                                              &model_registry,       scenario,
                                              arguments->trace_from, arguments->trace_to};
    GError *error = NULL;
    bool good = packets_exist(scenario, arguments) && recorders_plan(recorders, &request, &error) &&
                outputs_differ(scenario, recorders, directory) &&
                recorders_open(recorders, &error) &&
                (!directory || file_ready_directory(directory, &error));
    if (error)
        cli_refuse(error);
    if (!good)
        recorders_drop(recorders);
    return good;
}

// Ends all files; false if one of them is not whole, which has been reported.
static bool outputs_close(struct recorders *recorders)
{
    char **mistakes = recorders_close(recorders);
    for (char **mistake = mistakes; mistake && *mistake; mistake++)
        cli_error(NULL, "%s", *mistake);
    g_strfreev(mistakes);
    return !mistakes;
}

// Runs a scenario that is right and writes all that was asked for.
static enum cli_exit run_and_write(const struct scenario *scenario,
                                   const struct run_arguments *arguments, enum run_format format,
                                   struct manifest_execution *execution)
{
    GError *error = NULL;
    struct recorders recorders = {.tees = NULL};
    char *directory = directory_of(scenario, arguments, format);
    enum cli_exit code = CLI_BAD_INPUT;
    if (!outputs_open(scenario, arguments, directory, &recorders)) {
        g_free(directory);
        return code;
    }
    execution->started = g_get_real_time();
    sigset_t before;
    signals_wait(&before);
    struct run_ending ending;
    struct result *result = run_simulate(scenario, &recorders, arguments, &ending);
    bool cut = result->series->len < scenario->cases->len;
    json_t *files = recorders_files(&recorders, result);
    execution->files = files;
    bool whole = !ending.broken;
    if (cut && result->series->len == 0)
        recorders_drop(&recorders);
    else
        whole = outputs_close(&recorders) && whole;
    bool written = !directory || result->series->len == 0 ||
                   write_results(directory, scenario, result, execution, &error);
    execution->files = NULL;
    json_decref(files);
    if (!written)
        cli_refuse(error);
    else if (whole)
        code = run_code(result);
    if (!cut && !arguments->quiet)
        note_idle(scenario, arguments->sets, result);
    if (result->series->len > 0 || !cut)
        print_result(result, format, arguments, written ? directory : NULL);
    if (format != RUN_TABLE)
        print_failures(result);
    if (cut && written && (ending.signal || ending.crashed))
        code = end_cut(scenario, result, directory, &ending);
    result_free(result);
    g_free(directory);
    return code;
}

// The metrics that a case reports; the caller frees them (g_strfreev).
static char **metrics_of(const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    GPtrArray *metrics = g_ptr_array_new();
    char **own =
        g_strsplit(workload->benchmark ? workload->benchmark->metrics : "program_us", ", ", -1);
    for (char **metric = own; *metric; metric++)
        g_ptr_array_add(metrics, *metric);
    g_free(own);
    for (int i = 0; workload->samples && samples_metrics[i]; i++)
        if (!g_ptr_array_find_with_equal_func(metrics, samples_metrics[i], g_str_equal, NULL))
            g_ptr_array_add(metrics, g_strdup(samples_metrics[i]));
    if (workload->program)
        clocks_append_metrics(metrics, workload->program);
    g_ptr_array_add(metrics, NULL);
    return (char **)g_ptr_array_free(metrics, FALSE);
}

// Whether each metric that was asked for is one of some series; complains if not.
static bool run_metrics_are_right(const struct scenario *scenario, char **asked)
{
    bool right = true;
    for (; right && asked && *asked; asked++) {
        char *there = NULL;
        right = false;
        for (guint i = 0; !right && i < scenario->cases->len; i++) {
            char **metrics = metrics_of(g_ptr_array_index(scenario->cases, i));
            for (char **metric = metrics; *metric; metric++)
                right |= text_metric_is(*metric, *asked);
            if (!there)
                there = g_strjoinv(", ", metrics);
            g_strfreev(metrics);
        }
        if (!right)
            cli_error("workload.samples=true adds those of single repetitions",
                      "--metric %s: there are %s", *asked, there);
        g_free(there);
    }
    return right;
}

// Reads --draws (0: not given), with which nothing is recorded.
static bool draws_are_right(const struct run_arguments *arguments, int *draws)
{
    *draws = 0;
    const char *more = arguments->sensitivity ? "--sensitivity"
                       : arguments->causes    ? "--causes"
                                              : NULL;
    if (more && !arguments->draws)
        cli_error("--draws 100", "%s goes with --draws", more);
    if (!arguments->draws)
        return !more;
    if (!cli_count("--draws", arguments->draws, CLI_MOST_DRAWS, draws) ||
        (arguments->causes && !cli_can_draw("--causes", arguments->causes)))
        return false;
    bool records = arguments->links || arguments->stop || arguments->out;
    for (int kind = 0; kind < RECORD_KINDS; kind++)
        records |= arguments->records[kind] != NULL;
    if (records)
        cli_error("run --set draw=K records what one of them does",
                  "--draws prints a table, and writes no results, links or records");
    return !records;
}

// --draws, in place of the run itself.
static enum cli_exit draw_and_write(const struct scenario *scenario,
                                    const struct scenario_schema *schema,
                                    const struct run_arguments *arguments, enum run_format format,
                                    uint64_t seed, int draws)
{
    const struct run_draws run = {.scenario = scenario,
                                  .schema = schema,
                                  .sets = arguments->sets,
                                  .seed = seed,
                                  .draws = draws,
                                  .total = g_strcmp0(arguments->sensitivity, "total") == 0,
                                  .jobs = arguments->jobs,
                                  .time_limit_s = (int)ceil(arguments->limits.seconds),
                                  .quiet = arguments->quiet};
    const struct file_use picture = {"--causes", arguments->causes, true};
    json_t *document = cli_files_differ(scenario, &picture, 1) ? run_draws(&run) : NULL;
    if (!document)
        return CLI_BAD_INPUT;
    char *text = format == RUN_CSV    ? run_draws_csv(document, arguments->metrics)
                 : format == RUN_JSON ? document_text(json_incref(document))
                                      : run_draws_text(document, arguments->metrics);
    if (format == RUN_TABLE)
        cli_print_text(text);
    else
        fputs(text, stdout);
    g_free(text);
    enum cli_exit code = run_draws_failed(document) ? CLI_RUN_FAILED : CLI_DONE;
    if (arguments->causes) {
        char *json = document_text(json_incref(document));
        if (!cli_draw("causes.py", json, arguments->causes))
            code = CLI_BAD_INPUT;
        g_free(json);
    }
    json_decref(document);
    return code;
}

static enum cli_exit run_scenario_argument(const char *scenario_argument,
                                           const struct run_arguments *arguments,
                                           struct manifest_execution *execution)
{
    int format = cli_choice("--format", arguments->format, run_formats);
    int links = cli_choice("--links", arguments->links, run_link_tables);
    uint64_t seed;
    int draws;
    if (format < 0 || links < 0 ||
        cli_choice("--sensitivity", arguments->sensitivity, run_sensitivities) < 0 ||
        !cli_seed(arguments->seed, &seed) || !draws_are_right(arguments, &draws))
        return CLI_BAD_INPUT;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario =
        cli_scenario(schema, scenario_argument, arguments->sets, arguments->allow_unused, seed);
    enum cli_exit code = CLI_BAD_INPUT;
    if (scenario) {
        if (cli_series_keep(scenario, arguments->series) &&
            run_metrics_are_right(scenario, arguments->metrics))
            code = draws ? draw_and_write(scenario, schema, arguments, (enum run_format)format,
                                          seed, draws)
                         : run_and_write(scenario, arguments, (enum run_format)format, execution);
        scenario_free(scenario);
    }
    registry_schema_free(schema);
    return code;
}

#define RUN_RECORDER_OPTION(end, kind, option, kind_of_words, of_value, text, sentences)           \
    {.name = (option),                                                                             \
     .value = CLI_TEXT,                                                                            \
     .offset = offsetof(struct run_arguments, records[RECORD_##end]),                              \
     .argument = (of_value),                                                                       \
     .words = CLI_WORDS_##kind_of_words,                                                           \
     .summary = (text),                                                                            \
     .more = (sentences)},
const struct cli_option cli_run_options[] = {
    CLI_SERIES_OPTION(struct run_arguments, series),
    CLI_SETTING_OPTIONS(struct run_arguments),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, out),
     .argument = "DIR",
     .words = CLI_WORDS_DIRECTORY,
     .summary = "directory for the results instead of results/NAME"},
    CLI_SEED_OPTION(struct run_arguments, seed),
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, draws),
     .argument = "N",
     .summary = "run on N machines that the uncertain constants allow, for error bars",
     .more = "The table has the median of each value and the central 90 %. Draw K alone is `--set "
             "draw=K`. Nothing else is recorded."},
    {.name = "sensitivity",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, sensitivity),
     .argument = "HOW",
     .choices = run_sensitivities,
     .words = CLI_WORDS_CHOICE,
     .summary = "with --draws: how the constants that bands come from are found (ranks)",
     .more = "`ranks`: by regression on ranks, from the same draws. `total`: by Sobol's indices of "
             "each section of constants, alone and together with others, for which (sections + 2) "
             "x N machines more are run."},
    {.name = "causes",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, causes),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "with --draws: also draw what the bands come from (png, svg or pdf)",
     .more = "A bar for each of the constants with its share, for each series; with `--sensitivity "
             "total` what each section does alone and with others."},
    CLI_FORMAT_OPTION(struct run_arguments, format, run_formats,
                      "With `csv` or `json` it is one document and nothing else, and no file is "
                      "written without `--out`."),
    {.name = "metric",
     .value = CLI_LIST,
     .offset = offsetof(struct run_arguments, metrics),
     .argument = "NAME",
     .summary = "only this metric (repeatable)",
     .more = "In the table and in CSV, which then has no counters: `latency_us`, `latency`, or "
             "with `workload.samples` `p50`, `p90`, "
             "`p99`, `min`, `max` "
             "and `sd` of single repetitions."},
    CLI_WIDE_OPTION(struct run_arguments, wide),
    {.name = "links",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, links),
     .argument = "WHICH",
     .choices = run_link_tables,
     .words = CLI_WORDS_CHOICE,
     .optional = true,
     .summary = "also print what passed over each direction of each link",
     .more = "Busiest first: packets, bytes, how long it was busy, the longest queue and when, and "
             "what was lost, held back or without credit. `links.csv` and the JSON have them "
             "always."},
    // clang-format off
    RECORDERS(RUN_RECORDER_OPTION)
    // clang-format on
    {.name = "trace-from",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, trace_from_text),
     .argument = "TIME",
     .summary = "leave out of the timeline what ends before this simulated time"},
    {.name = "trace-to",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, trace_to_text),
     .argument = "TIME",
     .summary = "leave out of the timeline what begins at this simulated time or later"},
    {.name = "pcap-at",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, pcap.at),
     .argument = "NODES",
     .summary = "capture at these nodes only",
     .more = "Names of hosts, with commas between them: node0,node3."},
    {.name = "pcap-from",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, pcap.from),
     .argument = "TIME",
     .summary = "capture from this simulated time of a series on"},
    {.name = "pcap-to",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, pcap.to),
     .argument = "TIME",
     .summary = "capture what comes before this simulated time of a series"},
    {.name = "pcap-snap",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, pcap.snap),
     .argument = "SIZE",
     .summary = "keep so much of each frame (128 B)"},
    CLI_PROCESSES_OPTION(struct run_arguments, jobs, "", "; 1 if not given"),
    CLI_LIMIT_OPTIONS(struct run_arguments, limits),
    {.name = "stop-at",
     .value = CLI_TEXT,
     .offset = offsetof(struct run_arguments, stop),
     .argument = "TIME",
     .summary = "stop each series after so much simulated time, and report its state",
     .more = "The report has what each rank waits for and who holds it, the ports that packets "
             "hold, and the state of each state machine with the time of its last step; the JSON "
             "has them as `reason`. A series that ends before is not affected."},
    CLI_QUIET_OPTION(struct run_arguments, quiet),
    CLI_OPTIONS_END,
};

// The bounds of the timeline, which only --trace has.
static bool run_stretch_read(struct run_arguments *arguments)
{
    const char *given = arguments->trace_from_text ? "--trace-from"
                        : arguments->trace_to_text ? "--trace-to"
                                                   : NULL;
    if (given && !arguments->records[RECORD_TIMELINE]) {
        cli_error("--trace FILE names the timeline's file", "%s needs --trace", given);
        return false;
    }
    return cli_stretch_read("--trace-from", arguments->trace_from_text, "--trace-to",
                            arguments->trace_to_text, &arguments->trace_from, &arguments->trace_to);
}

enum cli_exit cli_run(const struct cli_command *command, int argc, char **argv)
{
    struct run_arguments arguments = {.jobs = 1};
    char **given = g_strdupv(argv);
    struct manifest_execution execution = {
        .version = NETSIM_VERSION,
        .argc = argc,
        .argv = given,
    };
    enum cli_exit code;
    if (cli_parse(command, &arguments, &argc, &argv, &code))
        code = !cli_time_read("--stop-at", arguments.stop, &arguments.stop_at) ||
                       !run_stretch_read(&arguments) ||
                       !cli_pcap_read(&arguments.pcap, arguments.records[RECORD_CAPTURES])
                   ? CLI_BAD_INPUT
                   : run_scenario_argument(argv[1], &arguments, &execution);
    g_strfreev(given);
    cli_pcap_clear(&arguments.pcap);
    cli_clear(command, &arguments);
    return code;
}
