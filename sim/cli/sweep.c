// SPDX-License-Identifier: GPL-3.0-or-later
// netsim sweep: all combinations of parameter values, run in parallel into one database.
#include "sim/cli/sweep.h"

#include "sim/campaign/batch_task.h"
#include "sim/campaign/mpi_workers.h"
#include "sim/campaign/points.h"
#include "sim/core/intern.h"
#include "sim/core/shown.h"
#include "sim/outcome/outcome_report.h"
#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/output/text.h"
#include "sim/run/schema.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_SHARDS 1000000

static const char *const sweep_formats[] = {"table", "json", "csv", NULL};

struct arguments {
    char **sets;
    char *out, *seeds, *draws, *shard, *format;
    int jobs;
    struct cli_limits limits;
    gboolean zip, csv, dry_run, report, again, quiet, allow_unused, wide;
};

// The arguments, read.
struct plan {
    const struct arguments *arguments;
    int seeds, draws; // 0: not given
    int time_limit, jobs, shard, shards;
    const char *batch; // the system of which this is a task; NULL: none
    int format;
};

// ---- Arguments ----

static bool read_shard(const char *text, struct plan *plan)
{
    char **parts = g_strsplit(text ? text : "1/1", "/", 2);
    guint64 shard = 1, shards = 1;
    bool good = parts[0] && parts[1] &&
                g_ascii_string_to_unsigned(parts[1], 10, 1, MOST_SHARDS, &shards, NULL) &&
                g_ascii_string_to_unsigned(parts[0], 10, 1, shards, &shard, NULL);
    g_strfreev(parts);
    if (!good)
        cli_error("--shard 1/4 .. --shard 4/4", "--shard %s: it must be K/N with K from 1 to N",
                  text);
    plan->shard = (int)shard;
    plan->shards = (int)shards;
    return good;
}

static bool read_plan(const struct arguments *arguments, struct plan *plan)
{
    *plan = (struct plan){.arguments = arguments};
    plan->format = cli_choice("--format", arguments->format, sweep_formats);
    bool good = plan->format >= 0 &&
                cli_count("--seeds", arguments->seeds, SWEEP_MOST_SEEDS, &plan->seeds) &&
                cli_count("--draws", arguments->draws, SWEEP_MOST_DRAWS, &plan->draws) &&
                read_shard(arguments->shard, plan);
    plan->time_limit = (int)ceil(arguments->limits.seconds);
    plan->jobs = arguments->jobs;
    return good;
}

// ---- The sweep ----

// Returns the scenario's sweep, extended by the arguments, or NULL after mistakes.
static struct sweep *sweep_of(const struct scenario *scenario, const struct plan *plan,
                              const struct scenario_schema *schema, struct diag_list *diags)
{
    struct sweep *sweep = scenario->sweep ? sweep_copy(scenario->sweep) : sweep_new();
    for (char **set = plan->arguments->sets; set && *set; set++)
        sweep_add(sweep, *set, schema, diags);
    if (plan->arguments->zip)
        sweep->mode = SWEEP_ZIP;
    if (plan->seeds)
        sweep->seeds = plan->seeds;
    if (plan->draws)
        sweep->draws = plan->draws;
    if (sweep->axes->len == 0 && !sweep->seeds && !sweep->draws && !diag_any(diags)) {
        struct source_mark mark = {.file = intern_text(scenario->file)};
        diag_add(diags, mark, "sweep", "--set PATH=VALUE,VALUE,..., --seeds N or --draws N",
                 "there is nothing to vary");
    }
    if (!diag_any(diags))
        sweep_check(sweep, diags);
    if (!diag_any(diags))
        return sweep;
    sweep_free(sweep);
    return NULL;
}

static enum cli_exit print_points(const struct points *points)
{
    for (int point = 0; point < points->count; point++) {
        char *text = points_describe(points, point);
        cli_print("%d  %s%s%s\n", point, text, points->problems[point] ? "  not possible: " : "",
                  points->problems[point] ? points->problems[point] : "");
        g_free(text);
    }
    return CLI_DONE;
}

// ---- Progress ----

struct watch {
    struct progress *bar; // NULL: none
    gint64 started;
};

static void watch_start(struct watch *watch, const struct plan *plan, int steps)
{
    bool shown = !plan->arguments->quiet && mpi_workers_rank() == 0;
    watch->bar = shown ? progress_new(stderr, steps) : NULL;
    watch->started = g_get_monotonic_time();
}

static void watch_end(struct watch *watch)
{
    progress_free(watch->bar);
    watch->bar = NULL;
}

// "0:07", "1:02:03". The caller frees it.
static char *clock_text(double seconds)
{
    long long all = (long long)seconds;
    if (all < 3600)
        return g_strdup_printf("%lld:%02lld", all / 60, all % 60);
    return g_strdup_printf("%lld:%02lld:%02lld", all / 3600, all / 60 % 60, all % 60);
}

static void on_progress(void *owner, int done, int total, const char *name)
{
    struct watch *watch = owner;
    if (!watch->bar)
        return;
    double so_far = (double)(g_get_monotonic_time() - watch->started) / G_USEC_PER_SEC;
    char *left = clock_text(done ? so_far / done * (total - done) : 0.0);
    char *detail = g_strdup_printf("%d of %d, %s%s%s", done, total, done ? left : "",
                                   done ? " left, " : "", name);
    progress_update(watch->bar, done, 0.0, detail);
    g_free(detail);
    g_free(left);
}

// ---- Results ----

// Prints the warnings, too, also when the CSV goes to a file.
static void print_summary(const json_t *report, int runs, int done, const char *database)
{
    const json_t *ends = json_object_get(report, "ends"), *count, *warning;
    const char *name, *before = "";
    size_t i;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s: %d points, %d runs, %d of them new: ",
                           json_string_value(json_object_get(report, "scenario")),
                           (int)json_integer_value(json_object_get(report, "points")), runs, done);
    json_object_foreach((json_t *)ends, name, count)
    {
        if (json_integer_value(count) == 0)
            continue;
        g_string_append_printf(out, "%s%d %s", before, (int)json_integer_value(count), name);
        before = ", ";
    }
    g_string_append_printf(out, "\n%s (netsim sweep --report tells what is in it)\n", database);
    cli_print_text(out->str);
    g_string_free(out, TRUE);
    json_array_foreach(json_object_get(report, "warnings"), i, warning)
    {
        cli_print("warning: %s\n", json_string_value(warning));
    }
}

static enum cli_exit conclude(struct campaign *campaign, const struct points *points,
                              const struct plan *plan, int done, const char *database)
{
    GError *error = NULL;
    char *id = points_digest(points, campaign);
    struct outcome *outcome = outcome_read_sweep(campaign_store(campaign), id, &error);
    g_free(id);
    if (!outcome) {
        return cli_refuse(error);
    }
    json_t *report = outcome_report_json(outcome);
    enum cli_exit code = sweep_exit(report);
    if (plan->arguments->csv)
        sweep_print_csv(outcome, false);
    else if (!plan->arguments->quiet)
        print_summary(report, campaign_pieces(campaign), done, database);
    json_decref(report);
    outcome_free(outcome);
    return code;
}

// ---- Running ----

static enum cli_exit run_points(struct campaign *campaign, const struct points *points,
                                const struct plan *plan, struct watch *watch, const char *database)
{
    GError *error = NULL;
    if (!points_keep(points, campaign, &error)) {
        cli_refuse(error);
        mpi_workers_give_up(CLI_BAD_INPUT);
        return CLI_BAD_INPUT;
    }
    int missing = campaign_missing(campaign);
    watch_start(watch, plan, missing);
    on_progress(watch, 0, missing, points->name); // the first run may take long
    bool good = campaign_run(campaign, &error);
    watch_end(watch);
    if (good)
        return conclude(campaign, points, plan, missing, database);
    cli_error("the same command goes on from there", "%s", error->message);
    enum cli_exit code = cli_exit_of(error, CLI_BAD_INPUT);
    g_error_free(error);
    mpi_workers_give_up((int)code);
    return code;
}

// All ranks of an MPI job call this; all but the first only lend their processors.
static enum cli_exit run_or_serve(struct campaign *campaign, const struct points *points,
                                  const struct plan *plan, struct watch *watch,
                                  const char *database, struct diag_list *diags)
{
    bool quiet;
    char *digest = points ? points_digest(points, campaign) : g_strdup("");
    bool ready = mpi_workers_agree(points, digest, &quiet);
    g_free(digest);
    if (!quiet)
        diag_print(diags, stderr);
    if (!ready || !points)
        return CLI_BAD_INPUT;
    if (plan->arguments->dry_run)
        return mpi_workers_rank() == 0 ? print_points(points) : CLI_DONE;
    if (mpi_workers_rank() == 0)
        return run_points(campaign, points, plan, watch, database);
    campaign_run(campaign, NULL);
    return CLI_DONE;
}

static enum cli_exit sweep_in(const char *directory, const struct scenario *scenario,
                              const struct sweep *sweep, const struct plan *plan,
                              struct diag_list *diags)
{
    GError *error = NULL;
    bool keeps = !plan->arguments->dry_run && mpi_workers_rank() == 0;
    char *database = g_build_filename(directory, SWEEP_DATABASE, NULL);
    struct watch watch = {0};
    struct campaign_options options = {
        .database = keeps ? database : NULL,
        .data_dir = cli_data_dir(),
        .jobs = plan->jobs,
        .time_limit_s = plan->time_limit,
        .run_again = plan->arguments->again,
        .progress = on_progress,
        .progress_owner = &watch,
    };
    struct campaign *campaign = NULL;
    struct points *points = NULL;
    // The directory is made when the points are known to be right, so that a slip leaves nothing.
    struct campaign_options nowhere = options;
    nowhere.database = NULL;
    if (!keeps || file_check_directory(directory, &error))
        campaign = campaign_open(&model_registry, &nowhere, &error);
    if (campaign && sweep) {
        struct points_watcher watcher = {on_progress, &watch};
        watch_start(&watch, plan, sweep_points(sweep));
        points = points_new(campaign, scenario->file, scenario->name, sweep,
                            plan->arguments->allow_unused, &watcher, diags);
        if (points)
            points->description = g_strdup(scenario->description);
        watch_end(&watch);
    }
    if (points && keeps &&
        !(file_make_directory(directory, &error) && campaign_keep(campaign, database, &error))) {
        points_free(points);
        points = NULL;
    }
    if (error)
        cli_refuse(error);
    if (campaign)
        campaign_take_shard(campaign, plan->shard, plan->shards);
    enum cli_exit code = run_or_serve(campaign, points, plan, &watch, database, diags);
    points_free(points);
    campaign_close(campaign);
    g_free(database);
    return code;
}

// Whether this process is one of an MPI program, or alone; false after a message. Tasks that a
// batch system has started without MPI take a share each.
static bool join_others(struct plan *plan)
{
    GError *error = NULL;
    struct batch_task task = {0};
    bool joined = mpi_workers_start(&error);
    if (plan->arguments->shard)
        g_clear_error(&error); // shards need no connection to each other
    else if (!plan->arguments->dry_run && mpi_workers_size() == 1 &&
             batch_task_read(&task, joined ? &error : NULL) && task.system)
        g_clear_error(&error);
    if (error) {
        cli_error("give each its --shard K/N, or all of it by --shard 1/1", "%s", error->message);
        g_error_free(error);
        return false;
    }
    if (task.system) {
        plan->batch = task.system;
        plan->shard = task.task;
        plan->shards = task.tasks;
        plan->jobs = plan->jobs ? plan->jobs : task.processors;
    }
    return true;
}

// The directory of the results; the caller frees it. Tasks of a batch system have one each, as they
// may run on several machines at once.
static char *directory_of_plan(const struct scenario *scenario, const struct plan *plan)
{
    char *directory = sweep_directory(scenario, plan->arguments->out);
    if (!plan->batch)
        return directory;
    char *name = g_strdup_printf("shard-%d", plan->shard);
    char *own = g_build_filename(directory, name, NULL);
    if (!plan->arguments->quiet)
        fprintf(stderr,
                "netsim: task %d of %d of %s does the runs of --shard %d/%d, into %s; then:\n"
                "        netsim sweep merge %s/" SWEEP_DATABASE " %s/shard-*/\n",
                plan->shard, plan->shards, plan->batch, plan->shard, plan->shards, own, directory,
                directory);
    g_free(name);
    g_free(directory);
    return own;
}

static enum cli_exit sweep_scenario(const char *argument, struct plan *plan)
{
    if (!join_others(plan))
        return CLI_BAD_INPUT;
    if (strcmp(argument, CLI_STDIN) == 0 && mpi_workers_size() > 1) {
        cli_error("write it into a file", "mpirun gives standard input to one rank only, and "
                                          "each reads the scenario");
        return CLI_BAD_INPUT;
    }
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct scenario *scenario = cli_scenario(schema, argument, NULL, true, 0);
    enum cli_exit code = CLI_BAD_INPUT;
    bool quiet;
    if (!scenario) {
        mpi_workers_agree(false, "", &quiet);
    } else {
        struct diag_list *diags = diag_list_new();
        struct sweep *sweep = sweep_of(scenario, plan, schema, diags);
        char *directory = directory_of_plan(scenario, plan);
        code = sweep_in(directory, scenario, sweep, plan, diags);
        g_free(directory);
        sweep_free(sweep);
        diag_list_free(diags);
        scenario_free(scenario);
    }
    registry_schema_free(schema);
    return code;
}

static enum cli_exit misplaced_format(void)
{
    cli_error("netsim sweep --report --format json SWEEP_DATABASE", "--format is of --report");
    return CLI_BAD_INPUT;
}

// --report runs nothing, and so refuses options on running.
static enum cli_exit report_sweep(const char *argument, const struct plan *plan)
{
    const struct arguments *given = plan->arguments;
    if (!given->sets && !given->zip && !given->seeds && !given->draws && !given->shard &&
        !given->dry_run && !given->again)
        return sweep_report(argument, given->out, given->csv, sweep_formats[plan->format]);
    cli_error("sweep first, and report then",
              "--report runs nothing, so it takes no --set, --zip, --seeds, --draws, --shard, "
              "--dry-run or --again");
    return CLI_BAD_INPUT;
}

const struct cli_option cli_sweep_options[] = {
    {.name = "set",
     .value = CLI_LIST,
     .offset = offsetof(struct arguments, sets),
     .argument = "PATH=VALUE,...",
     .words = CLI_WORDS_PARAMETER,
     .summary = "vary a parameter; A .. B doubles; beats the file (repeatable)",
     .more = "`1 KiB .. 16 KiB` stands for 1, 2, 4, 8 and 16 KiB. Commas within brackets and "
             "quotes do not separate. Once for each path; it replaces an axis of the "
             "scenario's own sweep. Without a value (`PATH=`) it removes the key, so that the "
             "default holds."},
    CLI_UNUSED_OPTION(struct arguments, allow_unused),
    {.name = "zip",
     .value = CLI_FLAG,
     .offset = offsetof(struct arguments, zip),
     .summary = "first values together, second values together, ...",
     .more = "Instead of all combinations."},
    {.name = "seeds",
     .value = CLI_TEXT,
     .offset = offsetof(struct arguments, seeds),
     .argument = "N",
     .summary = "each point with the seeds 1 .. N",
     .more = "They are replications: the report gives means over them with their 95 % confidence "
             "intervals."},
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct arguments, draws),
     .argument = "N",
     .summary = "each point in the draws 1 .. N of the uncertain constants",
     .more = "The report gives medians and the central 90 % of what the draws give, in which of "
             "them a point is the best, and changes draw by draw, each with the share of the draws "
             "that have its sign. With `--seeds` the seeds of a draw are averaged first."},
    CLI_JOBS_OPTION(struct arguments, jobs),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct arguments, out),
     .argument = "DIR",
     .words = CLI_WORDS_DIRECTORY,
     .summary = "directory of " SWEEP_DATABASE " instead of results/NAME"},
    {.name = "csv",
     .value = CLI_FLAG,
     .offset = offsetof(struct arguments, csv),
     .summary = "print all values as CSV",
     .more = "A row for each point, draw, seed, series, size and metric."},
    {.name = "report",
     .value = CLI_FLAG,
     .offset = offsetof(struct arguments, report),
     .summary = "print best, worst and effects of a sweep that was run, and run nothing"},
    CLI_WIDE_OPTION(struct arguments, wide),
    CLI_FORMAT_OPTION(struct arguments, format, sweep_formats,
                      "Of `--report` alone. As `csv` it is the means over seeds, with "
                      "their number, interval, standard deviation, least and greatest value; of a "
                      "sweep in draws, the medians with their bands."),
    {.name = "dry-run",
     .value = CLI_FLAG,
     .offset = offsetof(struct arguments, dry_run),
     .summary = "only list the points"},
    {.name = "shard",
     .value = CLI_TEXT,
     .offset = offsetof(struct arguments, shard),
     .argument = "K/N",
     .summary = "only the K-th of N shares of the runs",
     .more = "Tasks of srun, and of an array of Slurm or Grid Engine, take one each without it, "
             "into DIR/shard-K."},
    CLI_AGAIN_OPTION(struct arguments, again),
    CLI_LIMIT_OPTIONS_EACH(struct arguments, limits),
    CLI_QUIET_OPTION(struct arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_sweep(const struct cli_command *command, int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return sweep_merge(command, argc - 1, argv + 1);
    struct arguments arguments = {0};
    enum cli_exit code;
    struct plan plan;
    if (cli_parse(command, &arguments, &argc, &argv, &code) && read_plan(&arguments, &plan)) {
        if (arguments.format && !arguments.report)
            code = misplaced_format();
        else if (arguments.report)
            code = report_sweep(argv[1], &plan);
        else
            code = sweep_scenario(argv[1], &plan);
    }
    cli_clear(command, &arguments);
    return code;
}
