// SPDX-License-Identifier: GPL-3.0-or-later
// netsim export ti: programs as time-independent traces. Of each series NAME.txt, which lists
// NAME_rank-0.txt and so on; nothing is written if a call cannot be.
#include "sim/cli/export.h"

#include "sim/benchmark/benchmark.h"
#include "sim/config/quantity.h"
#include "sim/model/model.h"
#include "sim/output/progress.h"
#include "sim/recording/ti_write.h"
#include "sim/scenario/replay.h"
#include "sim/source/recorded_calls.h"

#include <errno.h>

#define README "README.md"

// A series while it is written.
struct ti_series {
    const struct export_job *job;
    const struct scenario_case *test_case;
    const char *name;
    struct workload workload; // the case's, with one repetition if it sets none
    int64_t speed;
    const struct ti_series *all; // the first of the series
};

// ---- Calls ----

static struct op_source *source_of(const struct ti_series *series)
{
    const struct benchmark_schema *schema = series->workload.benchmark;
    const struct benchmark *benchmark =
        schema ? registry_benchmark(&model_registry, schema->name) : NULL;
    return workload_source(benchmark, &series->workload);
}

static void complain_of_series(const struct ti_series *series, const struct source_mark *mark,
                               int line, const char *call, int rank, const char *why)
{
    char *place =
        mark && mark->line > 0 ? g_strdup_printf("%s:%d: ", mark->file, line) : g_strdup("");
    cli_error(NULL, "%s%s of rank %d in %s: %s", place, call, rank, series->test_case->name, why);
    g_free(place);
}

// Writes the calls of a rank.
static enum cli_exit write_calls(const struct ti_series *series, struct recorded_calls *calls,
                                 int rank, FILE *out)
{
    struct ti_writer *writer = ti_writer_new(out, rank, calls->ranks);
    struct recorded_call call;
    struct source_mark mark = {NULL, 0, 0}; // of the last call
    enum cli_exit code = CLI_DONE;
    const char *why = NULL;
    int line;
    while (code == CLI_DONE && !ferror(out)) {
        enum source_next next = recorded_calls_next(calls, rank, &call);
        if (next == SOURCE_END)
            break;
        mark = *calls->from.mark;
        if (next == SOURCE_WRONG) {
            why = calls->why;
            code = calls->from.wrong == why ? CLI_RUN_FAILED : CLI_BAD_INPUT;
        } else if (!ti_writer_put(writer, &call, &why)) {
            code = CLI_BAD_INPUT;
        }
        if (code != CLI_DONE)
            complain_of_series(series, &mark, mark.line, calls->from.kind->name, rank, why);
    }
    if (code == CLI_DONE && !ferror(out) && !ti_writer_end(writer, &why, &line)) {
        complain_of_series(series, &mark, line, "a request", rank, why);
        code = CLI_BAD_INPUT;
    }
    ti_writer_free(writer);
    return code;
}

// ---- Files ----

static char *rank_name(const struct ti_series *series, int rank)
{
    return g_strdup_printf("%s_rank-%d.txt", series->name, rank);
}

static enum cli_exit failed(GError *error)
{
    return cli_refuse(error);
}

static enum cli_exit write_rank(const struct ti_series *series, struct recorded_calls *calls,
                                int rank)
{
    char *name = rank_name(series, rank);
    char *path = g_build_filename(series->job->directory, name, NULL);
    GError *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    struct file *file = file_begin(path, &error);
    if (file)
        code = write_calls(series, calls, rank, file_stream(file));
    if (!file || (code == CLI_DONE && !file_end(file, &error)))
        code = failed(error);
    else if (code != CLI_DONE)
        file_drop(file);
    g_free(path);
    g_free(name);
    return code;
}

// All calls, into files, or to see whether they can be written.
static enum cli_exit write_ranks(const struct ti_series *series, FILE *nowhere)
{
    struct recorded_calls calls = {
        .source = source_of(series), .ranks = series->workload.ranks, .speed = series->speed};
    enum cli_exit code = CLI_DONE;
    guint number = (guint)(series - series->all);
    for (int rank = 0; code == CLI_DONE && rank < calls.ranks; rank++) {
        // Each rank is unfolded twice: once to see whether it can be written.
        progress_update(series->job->progress, (int)number,
                        ((double)rank / calls.ranks + (nowhere ? 0 : 1)) / 2,
                        series->test_case->name);
        code =
            nowhere ? write_calls(series, &calls, rank, nowhere) : write_rank(series, &calls, rank);
    }
    op_source_free(calls.source);
    return code;
}

static enum cli_exit check_series(const struct ti_series *series)
{
    FILE *nowhere = fopen("/dev/null", "we");
    if (!nowhere) {
        cli_error(NULL, "/dev/null cannot be written: %s", g_strerror(errno));
        return CLI_BAD_INPUT;
    }
    enum cli_exit code = write_ranks(series, nowhere);
    fclose(nowhere);
    return code;
}

static enum cli_exit write_text(const char *directory, const char *name, const GString *text)
{
    GError *error = NULL;
    char *path = g_build_filename(directory, name, NULL);
    bool good = file_put(path, text->str, text->len, &error);
    g_free(path);
    return good ? CLI_DONE : failed(error);
}

static enum cli_exit write_trace_series(const struct ti_series *series)
{
    enum cli_exit code = write_ranks(series, NULL);
    GString *list = g_string_new(NULL);
    for (int rank = 0; rank < series->workload.ranks; rank++) {
        char *name = rank_name(series, rank);
        g_string_append_printf(list, "%s\n", name);
        g_free(name);
    }
    char *name = g_strconcat(series->name, ".txt", NULL);
    if (code == CLI_DONE)
        code = write_text(series->job->directory, name, list);
    if (code == CLI_DONE)
        cli_print("%s/%s: %s, %d rank%s\n", series->job->directory, name, series->test_case->name,
                  series->workload.ranks, series->workload.ranks == 1 ? "" : "s");
    g_free(name);
    g_string_free(list, TRUE);
    return code;
}

// ---- The README ----

static void readme_series(GString *text, const struct ti_series *series)
{
    char *speed = export_speed_text(series->speed);
    g_string_append_printf(text,
                           "## %s\n\n%d rank%s; the time of computations is counted at %s.\n\n"
                           "    smpirun -np %d -platform PLATFORM.xml -hostfile HOSTS.txt "
                           "-replay %s.txt\n\n"
                           "    workload: {replay: %s.txt, speed: %s}\n\n",
                           series->test_case->name, series->workload.ranks,
                           series->workload.ranks == 1 ? "" : "s", speed, series->workload.ranks,
                           series->name, series->name, speed);
    g_free(speed);
}

static enum cli_exit write_readme(const struct export_job *job, const struct ti_series *all)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(
        text,
        "# %s: SimGrid's time-independent traces\n\n"
        "Written by `netsim export ti`. NAME.txt lists the files of the ranks. SimGrid's smpirun "
        "(version 3.32) replays them, from this\ndirectory; the hosts of its platform compute as "
        "fast as is said below. `netsim export simgrid` makes a platform. netsim replays\nthem "
        "with the `workload` that is given.\n\n",
        job->scenario->name);
    for (guint i = 0; i < job->cases->len; i++)
        readme_series(text, &all[i]);
    g_string_truncate(text, text->len - 1);
    enum cli_exit code = write_text(job->directory, README, text);
    g_string_free(text, TRUE);
    return code;
}

enum cli_exit export_ti(const struct export_job *job)
{
    enum cli_exit code = CLI_DONE;
    struct ti_series *all = g_new0(struct ti_series, job->cases->len);
    for (guint i = 0; code == CLI_DONE && i < job->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(job->cases, i);
        all[i] =
            (struct ti_series){job, one, g_ptr_array_index(job->names, i), one->workload, 0, all};
        if (all[i].workload.repetitions == 0)
            all[i].workload.repetitions = 1;
        code = export_speed(job, &one->workload, &all[i].speed) ? check_series(&all[i])
                                                                : CLI_BAD_INPUT;
    }
    for (guint i = 0; code == CLI_DONE && i < job->cases->len; i++)
        code = write_trace_series(&all[i]);
    if (code == CLI_DONE)
        code = write_readme(job, all);
    g_free(all);
    return code;
}
