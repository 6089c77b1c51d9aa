// SPDX-License-Identifier: GPL-3.0-or-later
// netsim export simgrid: the machine and the MPI library of a series as a platform of SimGrid, on
// which smpirun runs MPI programs as they are. Of one series platform.xml, hostfile and README.md
// in the directory; of several, each in a directory of its name.
#include "sim/cli/export.h"

#include "sim/config/quantity.h"
#include "sim/config/tolerance.h"
#include "sim/flow/curve_benchmark.h"
#include "sim/flow/pieces.h"
#include "sim/flow/platform_xml.h"
#include "sim/flow/smpi.h"
#include "sim/flow/smpi_collectives.h"
#include "sim/model/model.h"
#include "sim/output/progress.h"

#include <math.h>
#include <string.h>

#define TOLERANCE "3%"
#define LEAST_TOLERANCE 0.01
#define MOST_TOLERANCE 0.5
#define OF_TOLERANCE (2.0 / 3) // part that the fit may use

// A series while it is exported.
struct platform_series {
    const struct export_job *job;
    const struct scenario_case *test_case;
    guint number; // among those that are exported
    double tolerance;
    struct flow_curve *curve;
    struct smpi_model *model;
    GArray *collectives; // struct smpi_collective
    double worst;        // deviation of the factors from the curve
    int64_t worst_size;
    double local_worst; // of those within a host
    int ranks;          // of the command line
    int64_t speed;      // flop/s
    char *xml, *hosts, *readme;
};

// ---- Options ----

static bool read_tolerance(const char *text, double *tolerance)
{
    struct tolerance read;
    enum tolerance_fault fault = tolerance_parse(text, NULL, &read);
    *tolerance = read.amount;
    if (fault == TOLERANCE_GOOD && read.amount >= LEAST_TOLERANCE && read.amount <= MOST_TOLERANCE)
        return true;
    char *hint = fault == TOLERANCE_BARE ? tolerance_remedy(text, NULL) : NULL;
    cli_error(hint ? hint : "write 3%",
              "--tolerance %s: a relative deviation from 1 %% to 50 %% is expected", text);
    g_free(hint);
    return false;
}

// ---- What is exported ----

static const struct mpi_library_config *library_of(const struct scenario_case *test_case)
{
    const struct stack *stack = registry_stack(&model_registry, test_case->stack->name);
    return scenario_section_values(test_case, stack->library_section);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the list owns it
static void add_option(GArray *options, const char *name, char *value)
{
    struct smpi_option option = {name, value};
    g_array_append_val(options, option);
}

static GArray *options_of(const struct platform_series *series)
{
    GArray *options = smpi_options(series->model);
    for (guint i = 0; i < series->collectives->len; i++) {
        const struct smpi_collective *one =
            &g_array_index(series->collectives, struct smpi_collective, i);
        if (one->option && one->algorithm)
            add_option(options, one->option, g_strdup(one->algorithm));
    }
    add_option(options, "smpi/host-speed", g_strdup_printf("%" G_GINT64_FORMAT "f", series->speed));
    return options;
}

static void note_sizes(const struct platform_series *series, int sizes, const char *of)
{
    char *detail = g_strdup_printf("%s (%u of %u): %d sizes of the %s", series->test_case->name,
                                   series->number + 1, series->job->cases->len, sizes, of);
    progress_detail(series->job->progress, detail);
    g_free(detail);
}

static void note_curve_sizes(void *owner, int sizes)
{
    note_sizes(owner, sizes, "curve");
}

static void note_benchmark_sizes(void *owner, int sizes)
{
    note_sizes(owner, sizes, "benchmark");
}

static bool fit_series(struct platform_series *series, char **error)
{
    const struct curve_watch curve = {note_curve_sizes, series};
    const struct curve_watch benchmark = {note_benchmark_sizes, series};
    series->curve = flow_curve_measure(&model_registry, series->test_case, &curve, error);
    if (!series->curve)
        return false;
    if (series->curve->from == series->curve->to) {
        *error = g_strdup("all ranks are on one host, and no network is between them");
        return false;
    }
    if (!curve_benchmark(&model_registry, series->test_case, series->curve, &benchmark, error))
        return false;
    // Where the curve was not measured, it may itself be off.
    series->model = smpi_fit(series->curve, series->tolerance * OF_TOLERANCE);
    series->worst = smpi_worst(series->model, series->curve, &series->worst_size);
    series->collectives = smpi_collectives(library_of(series->test_case), series->ranks);
    return true;
}

static bool write_xml(struct platform_series *series, char **error)
{
    struct platform_plan plan = {.latency = series->model->latency,
                                 .speed = (double)series->speed,
                                 .options = options_of(series)};
    if (series->curve->local)
        smpi_loopback(series->model, series->curve, &plan.loopback_latency, &plan.loopback_rate,
                      &series->local_worst);
    struct flow_cluster *machine = flow_cluster_new(series->test_case);
    series->xml = platform_xml(machine, series->test_case, series->curve, &plan, error);
    flow_cluster_free(machine);
    g_array_unref((GArray *)(void *)plan.options);
    return series->xml != NULL;
}

// ---- README.md ----

static void readme_command(GString *text, const struct platform_series *series)
{
    char *speed = export_speed_text(series->speed);
    g_string_append_printf(
        text,
        "# %s, %s: a platform of SimGrid\n\n"
        "Written by `netsim export simgrid`. An MPI program, as it is, on this machine and MPI "
        "library, with SimGrid 3.32:\n\n"
        "    smpicc -O2 PROGRAM.c -o PROGRAM\n"
        "    smpirun -platform platform.xml -hostfile hostfile "
        "--cfg=smpi/host-speed:%" G_GINT64_FORMAT "f -np %d ./PROGRAM\n\n"
        "`platform.xml` has the hosts, links and routes and, in its `<config>`, all of SMPI's "
        "options; one on the command line takes\nprecedence. `hostfile` has a host for each "
        "rank.\n\n"
        "SMPI measures computations on the machine that runs `smpirun`. Hosts of the platform "
        "compute at %s; `smpi/host-speed` says how\nfast that machine is in the same "
        "measure, here equally fast. One that is twice as fast has twice that number. Without\n"
        "computations, and always with the same result: `--cfg=smpi/simulate-computation:no`. "
        "With `-trace-ti -trace-file trace.txt`,\n`smpirun` records the program, and netsim "
        "replays it with `workload: {replay: trace.txt, speed: %s}`.\n\n",
        series->job->scenario->name, series->test_case->name, series->speed, series->ranks, speed,
        speed);
    g_free(speed);
}

// The largest message that was measured; g_free.
static char *largest_text(const struct flow_curve *curve)
{
    const GArray *points = curve->points;
    int64_t size = g_array_index(points, struct flow_curve_point, points->len - 1).size;
    return quantity_format(QUANTITY_SIZE, (struct quantity){.integer = size});
}

static void readme_fit(GString *text, const struct platform_series *series)
{
    char *largest = largest_text(series->curve);
    g_string_append_printf(
        text,
        "## Messages\n\nThe factors are fitted to netsim's own PingPong of %s. From 1 B to %s "
        "they are at worst %+.2f %% off (at %" G_GINT64_FORMAT " B).\n",
        series->test_case->stack->name, largest, 100 * series->worst, series->worst_size);
    if (series->curve->beyond)
        g_string_append_printf(text,
                               "netsim ends at a larger message (%s).\nSMPI sends it as the last "
                               "piece goes on, which nothing vouches for. ",
                               series->curve->beyond);
    else
        g_string_append(text, "Beyond, the last piece goes on. ");
    g_free(largest);
}

static void readme_curve(GString *text, const struct platform_series *series)
{
    const struct smpi_model *model = series->model;
    readme_fit(text, series);
    if (model->eager < 0)
        g_string_append(text, "No message is sent before its receive is there.\n\n");
    else if (model->eager >= 1 << 30)
        g_string_append(text, "All messages are sent whether or not their receive is there.\n\n");
    else
        g_string_append_printf(text,
                               "Messages up to %" G_GINT64_FORMAT
                               " B are sent whether or not their receive is there.\n\n",
                               model->eager);
    g_string_append(text, "| from (B) | to (B) | us | us per KiB |\n|---|---|---|---|\n");
    for (guint i = 0; i < model->pieces->len; i++) {
        const struct flow_piece *piece = &g_array_index(model->pieces, struct flow_piece, i);
        g_string_append_printf(text,
                               "| %" G_GINT64_FORMAT " | %" G_GINT64_FORMAT " | %.3f | %.4f |\n",
                               piece->first, piece->last, piece->base * 1e6, piece->slope * 1024e6);
    }
    if (series->curve->local)
        g_string_append_printf(text,
                               "\nMessages within a host have the same factors and a loopback "
                               "link of their own, which is right for the smallest\nand the "
                               "largest; between them they are up to %+.0f %% off netsim's.\n",
                               100 * series->local_worst);
    g_string_append_c(text, '\n');
}

static void readme_collectives(GString *text, const struct platform_series *series)
{
    g_string_append_printf(text,
                           "## Collectives\n\nSMPI's algorithms for the library's, as it chooses "
                           "them for %d ranks.\n\n"
                           "| collective | library | SMPI | differs |\n|---|---|---|---|\n",
                           series->ranks);
    for (guint i = 0; i < series->collectives->len; i++) {
        const struct smpi_collective *one =
            &g_array_index(series->collectives, struct smpi_collective, i);
        g_string_append_printf(text, "| %s | %s | %s | %s |\n", one->name, one->rule,
                               one->algorithm ? one->algorithm : "its own",
                               one->note ? one->note : "");
    }
    g_string_append_c(text, '\n');
}

static void readme_limits(GString *text)
{
    g_string_append(
        text,
        "## What flows are not\n\n"
        "- SMPI's messages are flows that share links as fluids do. Nothing is lost, no queue is "
        "full, and no window or credit holds a\n  sender back: where netsim's packets drop or "
        "wait, as many senders to one receiver make them, `smpirun` is too fast, and by a\n  "
        "multiple. A program that ends here may fail there.\n"
        "- Flows out of one host share its link; a card sends message after message. Collectives "
        "with several messages at once from a\n  rank are up to a third slower than in netsim, "
        "whose `fidelity: flow` has one flow at a time.\n"
        "- A processor's part of an eager message is time in which its rank waits; what a kernel "
        "does meanwhile for another message is\n  not in it.\n"
        "- The factors are those of one route. On longer ones each link and switch adds what the "
        "smallest frame takes there, times the\n  factor of the message's size.\n"
        "- MPI_Test and MPI_Iprobe take SMPI's own time (`smpi/test`, `smpi/iprobe`).\n");
}

static char *readme_of(const struct platform_series *series)
{
    GString *text = g_string_new(NULL);
    readme_command(text, series);
    readme_curve(text, series);
    readme_collectives(text, series);
    readme_limits(text);
    return g_string_free(text, FALSE);
}

// ---- Files ----

static enum cli_exit write_files(const struct platform_series *series, const char *directory)
{
    const struct file_text files[] = {
        {"platform.xml", series->xml, strlen(series->xml)},
        {"hostfile", series->hosts, strlen(series->hosts)},
        {"README.md", series->readme, strlen(series->readme)},
    };
    GError *error = NULL;
    if (file_ready_directory(directory, &error) &&
        file_put_all(directory, files, G_N_ELEMENTS(files), &error))
        return CLI_DONE;
    return cli_refuse(error);
}

static enum cli_exit write_platform_series(const struct platform_series *series,
                                           const char *directory)
{
    enum cli_exit code = write_files(series, directory);
    if (code != CLI_DONE)
        return code;
    guint pieces = series->model->pieces->len, hosts = series->test_case->topology.hosts->len;
    cli_print("%s/platform.xml: %s, %u host%s; PingPong in %u piece%s, at worst %+.2f %% off at "
              "%" G_GINT64_FORMAT " B\n",
              directory, series->test_case->name, hosts, hosts == 1 ? "" : "s", pieces,
              pieces == 1 ? "" : "s", 100 * series->worst, series->worst_size);
    if (series->curve->beyond) {
        char *largest = largest_text(series->curve);
        cli_print("%s/platform.xml: nothing vouches for messages of more than %s, at which netsim "
                  "ends: %s\n",
                  directory, largest, series->curve->beyond);
        g_free(largest);
    }
    return fabs(series->worst) <= series->tolerance ? CLI_DONE : CLI_CHECK_FAILED;
}

static void series_clear(struct platform_series *series)
{
    if (series->curve)
        flow_curve_free(series->curve);
    if (series->collectives)
        g_array_unref(series->collectives);
    smpi_free(series->model);
    g_free(series->xml);
    g_free(series->hosts);
    g_free(series->readme);
}

// number: of the series among those that are exported.
static enum cli_exit export_series(struct platform_series *series, guint number)
{
    const struct export_job *job = series->job;
    char *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    char *directory =
        job->cases->len == 1
            ? g_strdup(job->directory)
            : g_build_filename(job->directory, (char *)g_ptr_array_index(job->names, number), NULL);
    // As many as the case has, and as many as it has hosts for.
    const struct workload *workload = &series->test_case->workload;
    series->ranks = MAX(workload->ranks, (int)workload->placement->len);
    series->number = number;
    if (fit_series(series, &error) && write_xml(series, &error)) {
        series->hosts = platform_hosts(series->test_case);
        series->readme = readme_of(series);
        code = write_platform_series(series, directory);
    } else {
        cli_error(NULL, "%s: %s", series->test_case->name, error);
    }
    g_free(error);
    g_free(directory);
    return code;
}

// Whether a series can have a platform; prints an error or a note if it can't.
static bool has_library(const struct scenario_case *test_case, guint series)
{
    const char *name = test_case->stack->name;
    if (registry_stack(&model_registry, name)->library_section)
        return true;
    if (series == 1)
        cli_error(NULL, "%s: the stack %s is no MPI library", test_case->name, name);
    else
        cli_print("no platform of %s: the stack %s is no MPI library\n", test_case->name, name);
    return false;
}

enum cli_exit export_simgrid(const struct export_job *job)
{
    double tolerance;
    enum cli_exit code = CLI_DONE;
    bool any = false;
    const char *given = job->arguments->tolerance;
    if (!read_tolerance(given ? given : TOLERANCE, &tolerance))
        return CLI_BAD_INPUT;
    for (guint i = 0; code == CLI_DONE && i < job->cases->len; i++) {
        struct platform_series series = {
            .job = job, .test_case = g_ptr_array_index(job->cases, i), .tolerance = tolerance};
        if (!has_library(series.test_case, job->cases->len))
            continue;
        if (!export_speed(job, &series.test_case->workload, &series.speed))
            return CLI_BAD_INPUT;
        code = export_series(&series, i);
        series_clear(&series);
        any = true;
    }
    return any ? code : CLI_BAD_INPUT;
}
