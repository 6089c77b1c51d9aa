// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/run/measurements.h"

#include "sim/benchmark/samples.h"

#define PALLAS_MB (1024.0 * 1024.0) // bytes, as Pallas counts

// The times of one message size: seconds of a repetition, over the ranks that have measured it, or
// over the repetitions if each is measured apart.
struct point {
    int64_t size;
    int64_t times; // measured so far
    double least, most, sum;
    guint sample, samples;          // of the slowest rank, the first and how many
    struct repetitions repetitions; // if each is measured apart
};

static void report_progress(struct measurements *of, int64_t size)
{
    of->points_measured++;
    if (!of->options->progress || of->points_expected == 0)
        return;
    const char *unit = of->result->counts;
    char *detail = g_strdup_printf("%s: %" G_GINT64_FORMAT " %s", of->test_case->name, size,
                                   unit ? unit : "B");
    of->options->progress(of->options->progress_owner, of->result->number,
                          (double)of->points_measured / of->points_expected, detail);
    g_free(detail);
}

// A benchmark that counts its operations: its time is that of the run.
static void report_operations(const struct measurements *of, const struct point *point)
{
    double operations = of->report.operations(&of->test_case->workload);
    series_result_add(of->result, -1, point->size, "time_s", point->most);
    series_result_add(of->result, -1, point->size, "operations_Mop_per_s",
                      point->most > 0 ? operations / 1e6 / point->most : 0.0);
}

// Reports a size once all ranks that measure have measured it.
static void report_point(struct measurements *of, const struct point *point)
{
    struct series_result *result = of->result;
    const char *metric = of->report.time_metric;
    if (of->report.operations) {
        report_operations(of, point);
        report_progress(of, point->size);
        return;
    }
    double mean = point->sum / (double)point->times;
    double time = of->report.each_repetition ? mean : point->most;
    series_result_add(result, -1, point->size, metric ? metric : "latency_us", time * 1e6);
    if (of->report.all_ranks && !metric) {
        series_result_add(result, -1, point->size, "latency_min_us", point->least * 1e6);
        series_result_add(result, -1, point->size, "latency_avg_us", mean * 1e6);
    }
    if (of->report.messages > 0) {
        const struct workload *workload = &of->test_case->workload;
        int64_t each = of->report.bytes ? of->report.bytes(point->size, workload) : point->size;
        double bytes = (double)(of->report.messages * each);
        double megabyte = of->report.megabyte ? (double)of->report.megabyte : PALLAS_MB;
        series_result_add(result, -1, point->size, "bandwidth_MB_per_s",
                          time > 0 ? bytes / megabyte / time : 0.0);
        if (of->report.bits)
            series_result_add(result, -1, point->size, "rate_Mb_per_s",
                              time > 0 ? bytes * 8 / 1e6 / time : 0.0);
    }
    if (point->samples)
        samples_report(result, point->sample, point->samples);
    else if (of->report.each_repetition)
        samples_report_range(result, point->size, point->least, point->most);
    report_progress(of, point->size);
}

static struct point *point_of(struct measurements *of, int64_t size)
{
    for (guint i = 0; i < of->points->len; i++)
        if (g_array_index(of->points, struct point, i).size == size)
            return &g_array_index(of->points, struct point, i);
    struct point point = {.size = size};
    g_array_append_val(of->points, point);
    return &g_array_index(of->points, struct point, of->points->len - 1);
}

// How many times of a size are measured before it is reported.
static int64_t times_of_point(const struct measurements *of, int64_t size)
{
    if (of->report.each_repetition)
        return benchmark_repetitions(&of->test_case->workload, size);
    return of->report.all_ranks ? of->test_case->workload.ranks : 1;
}

// Keeps the times of single repetitions: those of the slowest rank, or all, one by one.
static void keep_samples(struct measurements *of, struct point *point, int rank, int64_t count,
                         int64_t parts, const sim_time *times, bool slowest)
{
    GArray *samples = of->result->samples;
    if (of->report.each_repetition && point->samples > 0) {
        point->samples += (guint)count;
    } else if (slowest) {
        point->sample = samples->len;
        point->samples = (guint)count;
    }
    samples_keep(samples, rank, point->size, count, parts, times);
}

// Keeps the unusual repetitions of a size: those of its slowest rank.
static void keep_standouts(const struct measurements *of, int64_t size, int rank, int64_t parts,
                           const struct repetitions *repetitions)
{
    GArray *standouts = of->result->standouts;
    for (guint i = standouts->len; i-- > 0;)
        if (g_array_index(standouts, struct result_standout, i).size == size)
            g_array_remove_index(standouts, i);
    repetitions_judge(repetitions, rank, size, parts, of->result);
}

void measurements_begin(struct measurements *of, const struct registry *registry,
                        const struct scenario_case *test_case, const struct run_options *options,
                        struct series_result *result)
{
    const struct workload *workload = &test_case->workload;
    *of = (struct measurements){.test_case = test_case, .options = options, .result = result};
    if (!workload->benchmark)
        return;
    of->benchmark = registry_benchmark(registry, workload->benchmark->name);
    of->report = of->benchmark->report;
    of->points = g_array_new(FALSE, FALSE, sizeof(struct point));
    of->points_expected = workload->sizes->len;
    result->counts = of->benchmark->schema.counts;
    if (workload->samples)
        result->samples = g_array_new(FALSE, FALSE, sizeof(struct result_sample));
}

void measurements_clear(struct measurements *of)
{
    for (guint i = 0; of->points && i < of->points->len; i++)
        repetitions_clear(&g_array_index(of->points, struct point, i).repetitions);
    if (of->points)
        g_array_free(of->points, TRUE);
    *of = (struct measurements){0};
}

void measurements_tell(const struct measurements *of, const struct run_interval *interval)
{
    if (of->options->measured)
        of->options->measured(of->options->measured_owner, interval);
}

bool measurements_add(struct measurements *of, const struct run_interval *interval, int64_t parts,
                      const sim_time *times, const struct repetitions *repetitions)
{
    struct point *point = point_of(of, interval->size);
    sim_time elapsed = interval->to - interval->from + interval->left_out;
    int64_t count = interval->count + interval->count_left_out;
    double seconds = time_to_s(elapsed) / (double)count;
    measurements_tell(of, interval);
    bool slowest = point->times == 0 || seconds > point->most;
    if (times)
        keep_samples(of, point, interval->rank, interval->count / parts, parts, times, slowest);
    if (of->report.each_repetition)
        repetitions_add(&point->repetitions, of->sim, interval->from, interval->to);
    else if (repetitions && slowest)
        keep_standouts(of, point->size, interval->rank, parts, repetitions);
    point->least = point->times == 0 ? seconds : MIN(point->least, seconds);
    point->most = point->times == 0 ? seconds : MAX(point->most, seconds);
    point->sum += seconds;
    if (++point->times < times_of_point(of, point->size))
        return false;
    if (of->report.each_repetition)
        keep_standouts(of, point->size, interval->rank, parts, &point->repetitions);
    report_point(of, point);
    return true;
}

void measurements_add_program(const struct measurements *of, const struct run_interval *interval)
{
    series_result_add(of->result, interval->rank, -1, "program_us",
                      time_to_us(interval->to - interval->from));
    measurements_tell(of, interval);
}
