// SPDX-License-Identifier: GPL-3.0-or-later
// netsim validate: do the claims of the sources hold for what is simulated?
#include "sim/cli/cli.h"

#include "sim/output/file.h"
#include "sim/output/json.h"
#include "sim/output/progress.h"
#include "sim/output/table.h"
#include "sim/validate/scorecard.h"
#include "sim/validate/validate.h"

#include <string.h>

#define VALIDATE_DATABASE "results/validate.sqlite"
#define TESTS "tests.xml" // as tests/run_suite.py leaves it in the build directory

static const char *const validate_formats[] = {"table", "brief", "json", "junit", NULL};
enum validate_format { VALIDATE_TABLE, VALIDATE_BRIEF, VALIDATE_JSON, VALIDATE_JUNIT };

struct validate_arguments {
    char *format, *database, *out, *tests;
    char *draws; // as given; NULL: none
    char **claims;
    gboolean all, all_run, top40, quiet, run_again, wide;
    int jobs;
};

// Events that a processor of 2020 simulates in a second, of the scenarios that claims read.
#define EVENTS_PER_S 9e6
#define LEAST_ESTIMATE_S 10.0 // that is printed

// A bar for the runs without draws, and one for those in draws.
struct bar {
    struct progress *progress;
    bool quiet;
    int jobs;
};

static void show_claims_progress(void *owner, int done, int total, const char *name)
{
    struct bar *bar = owner;
    if (!bar->progress && !bar->quiet)
        bar->progress = progress_new(stderr, 1);
    progress_update(bar->progress, 0, (double)done / MAX(total, 1), name);
}

// "70 s", "12 min". The caller frees it.
static char *span_text(double seconds)
{
    return seconds < 100.0 ? g_strdup_printf("%.0f s", seconds)
                           : g_strdup_printf("%.0f min", seconds / 60.0);
}

// Says before a long run how long it takes.
static void show_estimate(void *owner, const struct drawn_estimate *estimate)
{
    struct bar *bar = owner;
    progress_free(bar->progress);
    bar->progress = NULL;
    double speed = EVENTS_PER_S * bar->jobs, most = estimate->most_events / speed;
    if (bar->quiet || most < LEAST_ESTIMATE_S)
        return;
    char *from = span_text(estimate->least_events / speed), *to = span_text(most);
    bool one = strcmp(from, to) == 0;
    cli_error("what the database has is not run again",
              "the draws are up to %d runs, about %s%s%s at %.0f million events a second on each "
              "of %d processors",
              estimate->cases, one ? "" : from, one ? "" : " to ", to, EVENTS_PER_S / 1e6,
              bar->jobs);
    g_free(to);
    g_free(from);
}

static char *scorecard_text(json_t *scorecard, enum validate_format format)
{
    return format == VALIDATE_JSON ? document_text(json_incref(scorecard))
                                   : scorecard_junit(scorecard);
}

// Prints the scorecard, or writes it to a file. False after an error.
static bool deliver(json_t *scorecard, enum validate_format format, const char *path)
{
    GError *error = NULL;
    struct file *file = path ? file_begin(path, &error) : NULL;
    FILE *out = file ? file_stream(file) : stdout;
    if (!error) {
        if (format == VALIDATE_TABLE || format == VALIDATE_BRIEF) {
            bool brief = format == VALIDATE_BRIEF;
            scorecard_print(scorecard, brief, table_wants_colour(out), cli_width(out), out);
        } else {
            char *text = scorecard_text(scorecard, format);
            fputs(text, out);
            g_free(text);
        }
        if (file)
            file_end(file, &error);
    }
    if (!error)
        return true;
    cli_refuse(error);
    return false;
}

// NULL after an error that has been reported, with the exit code in *code.
static json_t *score(const struct validate_arguments *arguments, char **patterns, int draws,
                     enum cli_exit *code)
{
    struct bar bar = {.quiet = arguments->quiet,
                      .jobs = arguments->jobs > 0 ? arguments->jobs : (int)g_get_num_processors()};
    char *tests = arguments->tests ? g_strdup(arguments->tests) : cli_beside_program(TESTS);
    struct validate_options options = {
        .data_dir = cli_data_dir(),
        .patterns = (const char *const *)patterns,
        .claims = (const char *const *)arguments->claims,
        .behaviours = arguments->all,
        .top40 = arguments->top40,
        .draws = {.draws = (guint)draws, .planned = show_estimate, .owner = &bar},
        .tests = tests,
        .campaign = {.database = arguments->database ? arguments->database : VALIDATE_DATABASE,
                     .jobs = arguments->jobs,
                     .run_again = arguments->run_again,
                     .progress = show_claims_progress,
                     .progress_owner = &bar},
    };
    struct diag_list *diags = diag_list_new();
    GError *error = NULL;
    char *directory = g_path_get_dirname(options.campaign.database);
    json_t *scorecard = NULL;
    if (file_make_directory(directory, &error))
        scorecard = validate_scorecard(&model_registry, &options, diags, &error);
    progress_free(bar.progress);
    diag_print(diags, stderr);
    diag_list_free(diags);
    *code = cli_exit_of(error, CLI_BAD_INPUT);
    if (error)
        cli_error(NULL, "%s", error->message);
    g_clear_error(&error);
    g_free(directory);
    g_free(tests);
    return scorecard;
}

static enum cli_exit validate(char **patterns, const void *data)
{
    const struct validate_arguments *arguments = data;
    int format = cli_choice("--format", arguments->format, validate_formats);
    int draws;
    if (format < 0 || !cli_count("--draws", arguments->draws, CLI_MOST_DRAWS, &draws))
        return CLI_BAD_INPUT;
    if (arguments->tests && !g_file_test(arguments->tests, G_FILE_TEST_IS_REGULAR)) {
        cli_error("`netsim test' leaves its results in build/tests.xml", "--tests %s: no such file",
                  arguments->tests);
        return CLI_BAD_INPUT;
    }
    if (arguments->claims && arguments->top40) {
        cli_error(NULL, "--top40 is about claims that are shipped, and --claims about others");
        return CLI_BAD_INPUT;
    }
    enum cli_exit code;
    json_t *scorecard = score(arguments, patterns, draws, &code);
    if (!scorecard)
        return code;
    bool failed = validate_failed(scorecard) ||
                  (arguments->all_run && validate_not_run(scorecard)) ||
                  (arguments->claims && validate_unjudged(scorecard));
    code = failed ? CLI_CHECK_FAILED : CLI_DONE;
    if (!deliver(scorecard, (enum validate_format)format, arguments->out))
        code = CLI_BAD_INPUT;
    json_decref(scorecard);
    return code;
}

const struct cli_option cli_validate_options[] = {
    {.name = "top40",
     .value = CLI_FLAG,
     .offset = offsetof(struct validate_arguments, top40),
     .summary = "only the most important claims, and how many of those results hold",
     .more = "A result of `references/top40.yaml` holds if all its claims do."},
    {.name = "all",
     .value = CLI_FLAG,
     .offset = offsetof(struct validate_arguments, all),
     .summary = "also list the behaviours, which tests cover",
     .more = "They are counted without this, too, and those that miss are listed."},
    {.name = "claims",
     .value = CLI_LIST,
     .offset = offsetof(struct validate_arguments, claims),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "judge the claims of this file instead of the shipped ones (repeatable)",
     .more = "A YAML file with the keys that `netsim describe file claims` prints. A check names a "
             "shipped scenario, or the file of one."},
    {.name = "draws",
     .value = CLI_TEXT,
     .offset = offsetof(struct validate_arguments, draws),
     .argument = "N",
     .summary = "also judge the claims on N machines that the uncertain constants allow",
     .more = "For each claim in what share of the draws it holds: robust, undecided, robustly "
             "missed; for each predicted fact whether it comes out when the others are known. With "
             "`--all` of behaviours and of comparisons of packets with flows, too. The verdicts "
             "and the exit code are those without draws."},
    {.name = "tests",
     .value = CLI_TEXT,
     .offset = offsetof(struct validate_arguments, tests),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "results of `netsim test' instead of " TESTS " beside the program",
     .more = "Those of another build count for nothing."},
    {.name = "all-run",
     .value = CLI_FLAG,
     .offset = offsetof(struct validate_arguments, all_run),
     .summary = "end with 2 also if a behaviour's test was not run for this build"},
    CLI_WIDE_OPTION(struct validate_arguments, wide),
    CLI_FORMAT_OPTION(struct validate_arguments, format, validate_formats,
                      "A scorecard for people, in full or with one line per claim; for programs; "
                      "or JUnit XML for a build server."),
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct validate_arguments, out),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "write it to this file"},
    CLI_DATABASE_OPTION(struct validate_arguments, database, " instead of " VALIDATE_DATABASE),
    CLI_JOBS_OPTION(struct validate_arguments, jobs),
    CLI_AGAIN_OPTION(struct validate_arguments, run_again),
    CLI_QUIET_OPTION(struct validate_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_validate(const struct cli_command *command, int argc, char **argv)
{
    struct validate_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, validate);
}
