// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/measured.h"

#include "sim/config/axis_value.h"
#include "sim/measure/result.h"
#include "sim/output/csv_field.h"
#include "sim/output/csv_rows.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// Values beyond this are mistakes; with it, sums of two are numbers.
#define MEASURED_LARGEST 1e100
#define BYTE_RATE "MB/s"

enum measured_kind {
    MEASURED_VALUE, // of a metric
    MEASURED_X,
    MEASURED_SERIES,
    MEASURED_ERROR,
    MEASURED_METRIC_NAME, // only in the form with a row for each value, as is the next
    MEASURED_UNIT,
};

// A column, from its header "NAME (UNIT)".
struct measured_column {
    enum measured_kind kind;
    int place; // in the line of the header
    const char *name, *unit;
    int error; // of a value: the column of its errors; -1: none
};

struct measured_reader {
    struct measured_points *points;
    struct csv_rows rows;
    bool by_rows;      // there is a row for each value
    GArray *columns;   // struct measured_column
    GArray *places;    // int: where the row's fields begin
    GPtrArray *fields; // char *: of the row
    GError **error;
};

bool measured_refuse(const struct measured_points *points, int line, int column, GError **error,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s:%d:%d: %s", points->path, line, column,
                text);
    g_free(text);
    return false;
}

const struct measured_metric *measured_metric_at(const struct measured_points *points, guint index)
{
    return &g_array_index(points->metrics, struct measured_metric, index);
}

const struct measured_point *measured_point_at(const struct measured_points *points, guint index)
{
    return &g_array_index(points->points, struct measured_point, index);
}

// ---- Numbers ----

// A text with a unit of its own. The MB/s of results are those of their benchmark, some 10^6 B and
// some 2^20, so that no other rate is converted to them.
static bool place_with_unit(const char *text, const char *unit, double *place)
{
    char *own;
    g_ascii_strtod(text, &own);
    own += strspn(own, " ");
    return (strcmp(unit, BYTE_RATE) != 0 || strcmp(own, unit) == 0) &&
           axis_value_place(text, unit, place);
}

double measured_scale(const char *unit, const char *other)
{
    double scale = 0.0;
    if (strcmp(unit, other) == 0)
        return 1.0;
    char *one = g_strdup_printf("1 %s", unit);
    if (!*unit || !place_with_unit(one, other, &scale))
        scale = 0.0;
    g_free(one);
    return scale;
}

static bool measured_plain(const char *text, double *value)
{
    char *end;
    *value = g_ascii_strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

bool measured_number(const struct measured_points *points, const struct measured_field *field,
                     const char *name, const char *unit, double scale, double *value,
                     GError **error)
{
    const char *text = field->text;
    if (!measured_plain(text, value))
        return place_with_unit(text, unit, value) ||
               measured_refuse(points, field->line, field->column, error,
                               *unit ? "%s is no number, and no value in %s" : "%s is no number%s",
                               text, unit);
    *value *= scale;
    if (!isfinite(*value) || fabs(*value) > MEASURED_LARGEST)
        return measured_refuse(points, field->line, field->column, error,
                               "%s is too large to be drawn", text);
    return scale > 0.0 || measured_refuse(points, field->line, field->column, error,
                                          "%s has no unit: write %s %s, or %s (%s) in the header",
                                          text, text, unit, name, unit);
}

// ---- The header ----

static struct measured_column *measured_column_at(const struct measured_reader *reader, guint index)
{
    return &g_array_index(reader->columns, struct measured_column, index);
}

static int field_place(const struct measured_reader *reader, guint index)
{
    return g_array_index(reader->places, int, index);
}

static const char *keep_text(const struct measured_reader *reader, const char *text)
{
    return g_string_chunk_insert_const(reader->points->texts, text);
}

// A unit as all else writes it.
static const char *plain_unit(const char *unit)
{
    bool micro = strcmp(unit, "\u00b5s") == 0 || strcmp(unit, "\u03bcs") == 0; // micro, mu
    return micro ? "us" : unit;
}

// "latency (us)", "latency [us]": takes the unit off a name.
static const char *take_unit(const struct measured_reader *reader, char *name)
{
    size_t length = strlen(name);
    char last = length > 0 ? name[length - 1] : '\0';
    char *open = last == ')' ? strrchr(name, '(') : last == ']' ? strrchr(name, '[') : NULL;
    if (!open || open == name)
        return "";
    name[length - 1] = '\0';
    const char *unit = keep_text(reader, plain_unit(g_strstrip(open + 1)));
    *open = '\0';
    g_strstrip(name);
    return unit;
}

static enum measured_kind kind_of_name(const char *name, bool by_rows)
{
    static const struct {
        const char *name;
        enum measured_kind kind;
        bool by_rows;
    } names[] = {
        {"series", MEASURED_SERIES, false},
        {"error", MEASURED_ERROR, false},
        {"metric", MEASURED_METRIC_NAME, true},
        {"unit", MEASURED_UNIT, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(name, names[i].name) == 0 && (by_rows || !names[i].by_rows))
            return names[i].kind;
    return MEASURED_VALUE;
}

// The column of this kind; -1: there is none.
static int column_of_kind(const struct measured_reader *reader, enum measured_kind kind)
{
    for (guint i = 0; i < reader->columns->len; i++)
        if (measured_column_at(reader, i)->kind == kind)
            return (int)i;
    return -1;
}

static bool measured_fails(const struct measured_reader *reader, int column, const char *text)
{
    return measured_refuse(reader->points, reader->points->line, column, reader->error, "%s", text);
}

// An error of a metric's column stands right of it.
static bool join_error(const struct measured_reader *reader, guint index)
{
    struct measured_column *before = index > 0 ? measured_column_at(reader, index - 1) : NULL;
    if (!before || before->kind != MEASURED_VALUE)
        return measured_fails(reader, measured_column_at(reader, index)->place,
                              "an error stands right of the metric that it is of");
    before->error = (int)index;
    return true;
}

// In the form with a row for each value there is one column of each kind.
static bool check_rows_column(const struct measured_reader *reader, guint index)
{
    static const char *const known = "the columns are size, value, series, metric, unit and error";
    const struct measured_column *column = measured_column_at(reader, index);
    if (column->kind == MEASURED_VALUE && strcmp(column->name, "value") != 0)
        return measured_refuse(reader->points, reader->points->line, column->place, reader->error,
                               "%s stands beside a column value; %s", column->name, known);
    if (column_of_kind(reader, column->kind) != (int)index)
        return measured_refuse(reader->points, reader->points->line, column->place, reader->error,
                               "%s is there twice", column->name);
    if (column->kind == MEASURED_VALUE)
        measured_column_at(reader, index)->error = column_of_kind(reader, MEASURED_ERROR);
    return true;
}

static void read_names(struct measured_reader *reader)
{
    guint x = 0;
    for (guint i = 0; i < reader->fields->len; i++) {
        struct measured_column column = {.place = field_place(reader, i), .error = -1};
        char *name = g_strstrip(g_strdup(csv_field_text(g_ptr_array_index(reader->fields, i))));
        column.unit = take_unit(reader, name);
        column.name = keep_text(reader, name);
        reader->by_rows |= strcmp(name, "value") == 0;
        if (strcmp(name, MEASURED_SIZE) == 0 && x == 0)
            x = i;
        g_array_append_val(reader->columns, column);
        g_free(name);
    }
    for (guint i = 0; i < reader->columns->len; i++) {
        struct measured_column *column = measured_column_at(reader, i);
        column->kind = i == x ? MEASURED_X : kind_of_name(column->name, reader->by_rows);
    }
    const struct measured_column *along = measured_column_at(reader, x);
    reader->points->x_name = along->name;
    reader->points->x_unit = along->unit;
    reader->points->x_column = along->place;
}

// A value in a unit that no latency has needs the name of its metric.
static bool check_value_unit(const struct measured_reader *reader)
{
    int value = column_of_kind(reader, MEASURED_VALUE);
    const struct measured_column *column = measured_column_at(reader, (guint)value);
    if (!reader->by_rows || column_of_kind(reader, MEASURED_METRIC_NAME) >= 0 || !*column->unit ||
        measured_scale(column->unit, metric_unit(MEASURED_METRIC)) > 0.0)
        return true;
    return measured_refuse(reader->points, reader->points->line, column->place, reader->error,
                           "a value in %s of what? Name it in a column metric, or call the column "
                           "as the metric: bandwidth (MB/s)",
                           column->unit);
}

static bool read_header(struct measured_reader *reader)
{
    reader->points->line = reader->rows.line;
    read_names(reader);
    for (guint i = 0; i < reader->columns->len; i++) {
        const struct measured_column *column = measured_column_at(reader, i);
        if (!*column->name)
            return measured_fails(reader, column->place, "this column has no name");
        if (reader->by_rows ? !check_rows_column(reader, i)
                            : column->kind == MEASURED_ERROR && !join_error(reader, i))
            return false;
    }
    if (column_of_kind(reader, MEASURED_VALUE) < 0)
        return measured_fails(reader, 1,
                              "the columns size and a metric are expected here: size,latency_us "
                              "or size,value (and error, series)");
    return check_value_unit(reader);
}

// ---- Rows ----

static struct measured_field field_at(const struct measured_reader *reader, int index)
{
    if (index < 0)
        return (struct measured_field){"", reader->rows.line, 1};
    return (struct measured_field){
        keep_text(reader, g_ptr_array_index(reader->fields, (guint)index)), reader->rows.line,
        field_place(reader, (guint)index)};
}

// The index of a metric; a new one if it is not known.
static guint metric_of(struct measured_reader *reader, const struct measured_metric *metric)
{
    GArray *metrics = reader->points->metrics;
    for (guint i = 0; i < metrics->len; i++) {
        const struct measured_metric *known = measured_metric_at(reader->points, i);
        if (strcmp(known->name, metric->name) == 0 && strcmp(known->unit, metric->unit) == 0 &&
            strcmp(known->error_unit, metric->error_unit) == 0)
            return i;
    }
    g_array_append_val(metrics, *metric);
    return metrics->len - 1;
}

// The metric that a column's header names.
static struct measured_metric metric_of_column(const struct measured_reader *reader,
                                               const struct measured_column *column)
{
    const struct measured_column *error =
        column->error >= 0 ? measured_column_at(reader, (guint)column->error) : NULL;
    return (struct measured_metric){.name = column->name,
                                    .unit = column->unit,
                                    .error_unit = error ? error->unit : "",
                                    .line = reader->points->line,
                                    .column = column->place,
                                    .error_column = error ? error->place : 0};
}

// The metric that a row's own fields name.
static struct measured_metric metric_of_row(const struct measured_reader *reader,
                                            const struct measured_column *column)
{
    struct measured_metric metric = metric_of_column(reader, column);
    struct measured_field name = field_at(reader, column_of_kind(reader, MEASURED_METRIC_NAME));
    struct measured_field unit = field_at(reader, column_of_kind(reader, MEASURED_UNIT));
    metric.name = *name.text ? keep_text(reader, csv_field_text(name.text)) : MEASURED_METRIC;
    if (*unit.text)
        metric.unit = keep_text(reader, plain_unit(csv_field_text(unit.text)));
    if (*name.text || *unit.text) {
        metric.line = reader->rows.line;
        metric.column = *name.text ? name.column : unit.column;
        if (metric.error_column)
            metric.error_column = field_at(reader, column->error).column;
    }
    return metric;
}

static void take_point(struct measured_reader *reader, guint index)
{
    const struct measured_column *column = measured_column_at(reader, index);
    int series = column_of_kind(reader, MEASURED_SERIES);
    struct measured_field name = field_at(reader, series);
    const struct measured_metric metric =
        reader->by_rows ? metric_of_row(reader, column) : metric_of_column(reader, column);
    struct measured_point point = {
        .series = series >= 0 ? keep_text(reader, csv_field_text(name.text)) : NULL,
        .series_column = name.column,
        .x = field_at(reader, column_of_kind(reader, MEASURED_X)),
        .value = field_at(reader, (int)index),
        .error = field_at(reader, column->error),
        .metric = metric_of(reader, &metric),
    };
    g_array_append_val(reader->points->points, point);
}

static bool read_row(struct measured_reader *reader)
{
    const GPtrArray *row = reader->fields;
    if (row->len == 1 && !*(char *)g_ptr_array_index(row, 0))
        return true; // a line without anything
    if (row->len != reader->columns->len)
        return measured_refuse(reader->points, reader->rows.line, 1, reader->error,
                               "this row has %u fields, and the header %u", row->len,
                               reader->columns->len);
    for (guint i = 0; i < row->len; i++)
        g_strstrip(g_ptr_array_index(row, i));
    for (guint i = 0; i < row->len; i++)
        if (measured_column_at(reader, i)->kind == MEASURED_VALUE &&
            *(char *)g_ptr_array_index(row, i))
            take_point(reader, i);
    return true;
}

// The metrics of columns are known by the header, also those without points.
static void take_metrics(struct measured_reader *reader)
{
    for (guint i = 0; i < reader->columns->len && !reader->by_rows; i++)
        if (measured_column_at(reader, i)->kind == MEASURED_VALUE) {
            const struct measured_metric metric =
                metric_of_column(reader, measured_column_at(reader, i));
            metric_of(reader, &metric);
        }
}

static bool read_rows(struct measured_reader *reader)
{
    bool headed = false, good = true;
    for (; good && *reader->rows.at; csv_rows_next(&reader->rows)) {
        if (!headed && *reader->rows.at == '#') {
            reader->rows.at += strcspn(reader->rows.at, "\n");
            reader->rows.at += *reader->rows.at == '\n';
            continue;
        }
        const char *problem = NULL;
        g_array_set_size(reader->places, 0);
        reader->fields = csv_rows_take(&reader->rows, reader->places, &problem);
        if (problem)
            good =
                measured_refuse(reader->points, reader->rows.line, 1, reader->error, "%s", problem);
        else
            good = headed ? read_row(reader) : read_header(reader);
        if (good && !headed)
            take_metrics(reader);
        headed = true;
        g_ptr_array_unref(reader->fields);
    }
    return good && (headed ||
                    measured_refuse(reader->points, 1, 1, reader->error, "there is nothing in it"));
}

struct measured_points *measured_read(const char *path, const char *text, size_t length,
                                      GError **error)
{
    struct measured_points *points = g_new0(struct measured_points, 1);
    points->path = g_strdup(path);
    points->metrics = g_array_new(FALSE, FALSE, sizeof(struct measured_metric));
    points->points = g_array_new(FALSE, FALSE, sizeof(struct measured_point));
    points->texts = g_string_chunk_new(1024);
    struct measured_reader reader = {.points = points,
                                     .rows = csv_rows_of(text),
                                     .columns =
                                         g_array_new(FALSE, FALSE, sizeof(struct measured_column)),
                                     .places = g_array_new(FALSE, FALSE, sizeof(int)),
                                     .error = error};
    int bad = csv_rows_bad_line(text, length);
    bool good = bad ? measured_refuse(points, bad, 1, error, "this is no text in UTF-8")
                    : read_rows(&reader);
    g_array_unref(reader.columns);
    g_array_unref(reader.places);
    if (good)
        return points;
    measured_free(points);
    return NULL;
}

void measured_free(struct measured_points *points)
{
    if (!points)
        return;
    g_array_unref(points->metrics);
    g_array_unref(points->points);
    g_string_chunk_free(points->texts);
    g_free(points->path);
    g_free(points);
}
