// SPDX-License-Identifier: GPL-3.0-or-later
// Used by every measurement: a clock, a message on what is being measured, and runs of scenarios.
#include "bench/bench.h"

#include "sim/run/run.h"

#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double children_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / G_USEC_PER_SEC;
}

double bench_seconds(void)
{
    struct timespec own;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    return (double)own.tv_sec + (double)own.tv_nsec / 1e9 + children_seconds();
}

void bench_say(const struct bench_options *options, const char *format, ...)
{
    if (!options->say)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    options->say(text);
    g_free(text);
}

json_t *bench_number(double value)
{
    return value > 0.0 ? json_real(value) : json_null();
}

json_t *bench_ratio(double rate, double peer)
{
    return bench_number(peer > 0.0 ? rate / peer : 0.0);
}

struct scenario *bench_scenario(const struct bench_options *options, const char *text)
{
    struct scenario_options scenario_options = {.data_dir = options->data_dir};
    struct diag_list *diags = diag_list_new();
    char *directory = g_build_filename(options->data_dir, "scenarios", NULL);
    struct scenario *scenario = scenario_parse(text, strlen(text), "bench", directory,
                                               options->schema, &scenario_options, diags);
    g_free(directory);
    diag_print(diags, stderr);
    diag_list_free(diags);
    return scenario;
}

double bench_case_rate(const struct bench_options *options, const struct scenario *scenario,
                       double (*count)(const struct series_result *series, void *owner),
                       void *owner)
{
    double start = bench_seconds();
    struct series_result *series =
        run_case(options->registry, g_ptr_array_index(scenario->cases, 0), 0, scenario->seed, NULL);
    double seconds = bench_seconds() - start;
    bool completed = series->status == SIM_COMPLETED && seconds > 0.0;
    double rate = completed ? count(series, owner) / seconds : 0.0;
    series_result_free(series);
    return rate;
}

double bench_messages_of(const struct series_result *series, void *owner)
{
    (void)owner;
    return (double)series->ledger.messages;
}
