// SPDX-License-Identifier: GPL-3.0-or-later
// Measured points as targets.
#include "sim/calibrate/target.h"

#include "sim/core/intern.h"
#include "sim/measure/result.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

#define MOST_SIZE 9e15 // whole numbers up to here are exact in a double

struct point_reader {
    const struct measured_points *points;
    const struct scenario *scenario;
    struct target_list *list;
    GError **error;
};

bool target_file_is_measured(const char *file)
{
    size_t length = strlen(file);
    return length > 4 && g_ascii_strcasecmp(file + length - 4, ".csv") == 0;
}

static const struct scenario_case *scenario_case_at(const struct scenario *scenario, guint index)
{
    return g_ptr_array_index(scenario->cases, index);
}

// ---- Series ----

static char *list_series(const struct scenario *scenario)
{
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < scenario->cases->len; i++)
        g_string_append_printf(names, "%s%s", i ? ", " : "", scenario_case_at(scenario, i)->name);
    return g_string_free(names, FALSE);
}

static bool refuse_series(const struct point_reader *reader, const struct measured_point *point)
{
    char *names = list_series(reader->scenario);
    bool column = point->series != NULL;
    measured_refuse(reader->points, column ? point->value.line : reader->points->line,
                    column ? point->series_column : 1, reader->error,
                    column ? "the scenario has no series \"%s\" (it has %s)"
                           : "a column series is missing%s: the scenario has %s",
                    column ? point->series : "", names);
    g_free(names);
    return false;
}

// The case of a point's series. NULL and the error if the scenario has none, or several and the
// file names none.
static const struct scenario_case *case_of_point(const struct point_reader *reader,
                                                 const struct measured_point *point)
{
    const struct scenario *scenario = reader->scenario;
    if (!point->series && scenario->cases->len == 1)
        return scenario_case_at(scenario, 0);
    for (guint i = 0; point->series && i < scenario->cases->len; i++)
        if (strcmp(scenario_case_at(scenario, i)->name, point->series) == 0)
            return scenario_case_at(scenario, i);
    refuse_series(reader, point);
    return NULL;
}

// ---- Metrics ----

// The unit of the name that a metric has in results, for values in `unit`: "_us" of ms.
static const char *ending_of(const char *unit)
{
    static const struct {
        const char *unit, *ending;
    } endings[] = {{"us", "_us"}, {"MB/s", "_MB_per_s"}, {"Mb/s", "_Mb_per_s"}};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (*unit && measured_scale(unit, endings[i].unit) > 0.0)
            return endings[i].ending;
    return "";
}

// The metric of a benchmark that a user's name means; NULL: none is listed.
static const char *listed_metric(const struct benchmark_schema *benchmark, const char *name)
{
    char **names = g_strsplit(benchmark->metrics ? benchmark->metrics : "", ", ", -1);
    const char *found = NULL;
    for (int i = 0; names[i] && !found; i++)
        if (text_metric_is(names[i], name))
            found = intern_text(names[i]);
    g_strfreev(names);
    return found;
}

// The name in results of what a user has measured, interned; NULL and the error if there is none.
static const char *metric_of_results(const struct point_reader *reader,
                                     const struct measured_metric *metric,
                                     const struct benchmark_schema *benchmark)
{
    const char *found = listed_metric(benchmark, metric->name);
    if (!found) {
        const char *ending = *metric_unit(metric->name) ? "" : ending_of(metric->unit);
        char *whole = g_strdelimit(g_strconcat(metric->name, ending, NULL), " ", '_');
        found = *metric_unit(whole) ? intern_text(whole) : NULL;
        g_free(whole);
    }
    const char *unit = found ? metric_unit(found) : "";
    if (!found)
        measured_refuse(reader->points, metric->line, metric->column, reader->error,
                        "%s is no metric of %s (it has %s)", metric->name, benchmark->name,
                        benchmark->metrics);
    else if (*metric->unit && measured_scale(metric->unit, unit) <= 0.0)
        measured_refuse(reader->points, metric->line, metric->column, reader->error,
                        "%s is no unit of %s, which is in %s", metric->unit, found, unit);
    else if (*metric->error_unit && measured_scale(metric->error_unit, unit) <= 0.0)
        measured_refuse(reader->points, metric->line, metric->error_column, reader->error,
                        "an error in %s is none of what is in %s", metric->error_unit, unit);
    else
        return found;
    return NULL;
}

// ---- Points ----

static bool read_point_size(const struct point_reader *reader, const struct measured_point *point,
                            bool counts, int64_t *size)
{
    const struct measured_points *points = reader->points;
    const char *unit = counts ? "" : "B";
    double scale = *points->x_unit ? measured_scale(points->x_unit, unit) : 1.0, number;
    if (scale <= 0.0)
        return measured_refuse(points, points->line, points->x_column, reader->error,
                               counts ? "sizes of this benchmark are numbers without a unit"
                                      : "%s is no unit of message sizes",
                               points->x_unit);
    if (!measured_number(points, &point->x, points->x_name, unit, scale, &number, reader->error))
        return false;
    *size = (int64_t)number;
    return (number >= 0.0 && number < MOST_SIZE && number == floor(number)) ||
           measured_refuse(points, point->x.line, point->x.column, reader->error,
                           counts ? "%s is no whole number" : "%s is no number of bytes",
                           point->x.text);
}

static bool read_point_error(const struct point_reader *reader, const struct measured_point *point,
                             const char *unit, struct target *target)
{
    const struct measured_metric *metric = measured_metric_at(reader->points, point->metric);
    const char *given = *metric->error_unit ? metric->error_unit : metric->unit;
    if (!*point->error.text) {
        reader->list->assumed++;
        target->tolerance = target_default_tolerance(target->value);
        return target->value != 0.0 ||
               measured_refuse(reader->points, point->value.line, point->value.column,
                               reader->error, "a value of 0 needs an error");
    }
    return measured_number(reader->points, &point->error, "error", unit,
                           *given ? measured_scale(given, unit) : 1.0, &target->tolerance,
                           reader->error) &&
           (target->tolerance > 0.0 ||
            measured_refuse(reader->points, point->error.line, point->error.column, reader->error,
                            "an error is above 0"));
}

// Without sizes there is nothing that a point could be held against.
static bool has_sizes(const struct point_reader *reader, const struct measured_point *point,
                      const struct scenario_case *test_case)
{
    const struct benchmark_schema *benchmark = test_case->workload.benchmark;
    if (strcmp(reader->points->x_name, MEASURED_SIZE) != 0)
        return measured_refuse(reader->points, reader->points->line, reader->points->x_column,
                               reader->error, "a column size is expected here, not %s",
                               reader->points->x_name);
    return (benchmark && !benchmark->sizeless) ||
           measured_refuse(reader->points, point->value.line, 1, reader->error,
                           "%s runs %s, which measures no message sizes", test_case->name,
                           benchmark ? benchmark->name : "a program");
}

static bool read_measured_point(const struct point_reader *reader,
                                const struct measured_point *point)
{
    const struct scenario_case *test_case = case_of_point(reader, point);
    const struct measured_points *points = reader->points;
    if (!test_case || !has_sizes(reader, point, test_case))
        return false;
    const struct benchmark_schema *benchmark = test_case->workload.benchmark;
    const struct measured_metric *metric = measured_metric_at(points, point->metric);
    struct target *target = target_new(TARGET_POINT);
    int64_t size = 0;
    g_ptr_array_add(reader->list->targets, target);
    g_ptr_array_add(target->series, g_strdup(test_case->name));
    target->counts = benchmark->counts != NULL;
    target->mark =
        (struct source_mark){intern_text(points->path), point->value.line, point->value.column};
    target->metric = metric_of_results(reader, metric, benchmark);
    if (!target->metric)
        return false;
    const char *unit = metric_unit(target->metric);
    bool good = read_point_size(reader, point, target->counts, &size) &&
                measured_number(points, &point->value, metric->name, unit,
                                *metric->unit ? measured_scale(metric->unit, unit) : 1.0,
                                &target->value, reader->error) &&
                read_point_error(reader, point, unit, target);
    g_array_append_val(target->sizes, size);
    return good;
}

struct target_list *target_list_of_points(const struct measured_points *points,
                                          const struct scenario *scenario, GError **error)
{
    struct point_reader reader = {points, scenario, target_list_new(points->path), error};
    bool good = points->points->len > 0 ||
                measured_refuse(points, points->line, 1, error, "there is no point below this");
    for (guint i = 0; good && i < points->points->len; i++)
        good = read_measured_point(&reader, measured_point_at(points, i));
    if (good)
        return reader.list;
    target_list_free(reader.list);
    return NULL;
}

struct target_list *target_list_measured(const char *file, const struct scenario *scenario,
                                         GError **error)
{
    char *text;
    gsize length;
    if (!g_file_get_contents(file, &text, &length, error))
        return NULL;
    struct measured_points *points = measured_read(file, text, length, error);
    struct target_list *list = points ? target_list_of_points(points, scenario, error) : NULL;
    measured_free(points);
    g_free(text);
    return list;
}
