// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/measured.h"

#include "sim/figures/axis_value.h"
#include "sim/measure/result.h"
#include "sim/output/csv_field.h"
#include "sim/output/csv_rows.h"
#include "sim/output/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

// Values beyond this are mistakes; with it, sums of two are numbers.
#define LARGEST 1e100

enum column_kind { COLUMN_X, COLUMN_SERIES, COLUMN_ERROR, COLUMN_METRIC };

// A column, from its header "NAME (UNIT)".
struct measured_column {
    enum column_kind kind;
    int place;         // in the line of the header
    char *name, *unit; // unit "": none is given
    json_t *panel;     // of a metric: what its points go into, owned; NULL: it is not chosen
    double scale;      // of values in this unit to those of the axis; 0: they have their own
    int value;         // of an error: the column that it is of
};

struct measured_reader {
    const char *path, *name;
    const json_t *panels; // NULL: the points are alone
    struct choice *choice;
    struct csv_rows rows;
    int line;        // of the row
    bool left_out;   // some of the points, as they are not chosen
    GArray *places;  // int: columns of its fields
    GArray *columns; // struct measured_column
    GError **error;
};

static bool measured_fail(struct measured_reader *reader, int column, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

// False and the error, with the place in the line.
static bool measured_fail(struct measured_reader *reader, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(reader->error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s:%d:%d: %s", reader->path,
                reader->line, column, text);
    g_free(text);
    return false;
}

static const char *measured_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static struct measured_column *column_at(const struct measured_reader *reader, guint index)
{
    return &g_array_index(reader->columns, struct measured_column, index);
}

// ---- The header ----

// "latency (us)", "latency [us]": takes the unit off a name.
static char *take_unit(char *name)
{
    size_t length = strlen(name);
    char last = length > 0 ? name[length - 1] : '\0';
    char *open = last == ')' ? strrchr(name, '(') : last == ']' ? strrchr(name, '[') : NULL;
    if (!open || open == name)
        return g_strdup("");
    char *unit = g_strndup(open + 1, (gsize)(name + length - open - 2));
    *open = '\0';
    g_strstrip(name);
    g_strstrip(unit);
    if (strcmp(unit, "\u00b5s") == 0 || strcmp(unit, "\u03bcs") == 0) { // micro, mu
        g_free(unit);
        unit = g_strdup("us");
    }
    return unit;
}

// Whether a name is that of an axis along x.
static bool is_x_of(const char *name, const json_t *x)
{
    const char *label = measured_text_of(x, "label"), *last = strrchr(name, '.');
    const char *last_of_label = strrchr(label, '.');
    return strcmp(name, label) == 0 ||
           (strcmp(name, CHOICE_SIZE_AXIS) == 0 && strcmp(label, "message size") == 0) ||
           (last && strcmp(last + 1, label) == 0) ||
           (last_of_label && strcmp(last_of_label + 1, name) == 0);
}

// By how much a number in one unit is multiplied to be in another: of times; else they are the
// same, and it is 1. 0: it can't be.
static double scale_to(const char *unit, const char *other)
{
    double scale = 0.0;
    char *one = g_strdup_printf("1 %s", unit);
    bool time = strcmp(other, "us") == 0 || strcmp(other, "s") == 0;
    if (strcmp(unit, other) == 0)
        scale = 1.0;
    else if (!time || !axis_value_place(one, other, &scale))
        scale = 0.0;
    g_free(one);
    return scale;
}

// The names that columns of a metric may have, for an error: of the panels over this x.
static char *list_panels(const struct measured_reader *reader)
{
    GString *list = g_string_new(NULL);
    size_t index;
    const json_t *panel;
    json_array_foreach(reader->panels, index, panel)
    {
        const json_t *y = json_object_get(panel, "y");
        if (strcmp(measured_text_of(panel, "kind"), "lines") != 0)
            continue;
        g_string_append_printf(list, "%s%s", list->len > 0 ? ", " : "",
                               measured_text_of(y, "label"));
        if (*measured_text_of(y, "unit"))
            g_string_append_printf(list, " (%s)", measured_text_of(y, "unit"));
        g_string_append_printf(list, " over %s",
                               measured_text_of(json_object_get(panel, "x"), "label"));
    }
    return g_string_free(list, FALSE);
}

// Whether an axis along y is that of a metric with this label.
static bool is_y_of(const char *label, const json_t *y)
{
    const char *drawn = measured_text_of(y, "label");
    size_t length = strlen(label);
    return strncmp(drawn, label, length) == 0 &&
           (!drawn[length] || strcmp(drawn + length, " time") == 0);
}

// The panel of the picture for a metric that is called so in a picture; NULL: there is none.
static json_t *find_panel(const struct measured_reader *reader, const char *label, const char *unit)
{
    size_t index;
    json_t *panel;
    json_array_foreach(reader->panels, index, panel)
    {
        const json_t *y = json_object_get(panel, "y");
        if (strcmp(measured_text_of(panel, "kind"), "lines") == 0 &&
            is_x_of(column_at(reader, 0)->name, json_object_get(panel, "x")) && is_y_of(label, y) &&
            scale_to(unit, measured_text_of(y, "unit")) > 0.0)
            return panel;
    }
    return NULL;
}

// An empty panel: with the axes of one of the picture, or with its own.
static json_t *new_panel(const struct measured_reader *reader, const json_t *like,
                         const char *label, const char *unit)
{
    json_t *x, *y;
    const struct measured_column *along = column_at(reader, 0);
    bool sizes = strcmp(along->name, CHOICE_SIZE_AXIS) == 0;
    bool time = scale_to(unit, "us") > 0.0;
    if (like) {
        x = json_deep_copy(json_object_get(like, "x"));
        y = json_deep_copy(json_object_get(like, "y"));
    } else {
        x = json_pack("{s:s,s:s,s:s}", "label", sizes ? "message size" : along->name, "unit",
                      sizes ? "B" : along->unit, "scale", sizes ? "log" : "linear");
        y = json_pack("{s:s,s:s,s:s}", "label", label, "unit", time ? "us" : unit, "scale",
                      time ? "log" : "linear");
    }
    return json_pack("{s:s,s:o,s:o,s:[]}", "kind", "lines", "x", x, "y", y, "series");
}

// Finds the panel of a metric's column.
static bool find_metric(struct measured_reader *reader, struct measured_column *column)
{
    char *label, *unit;
    if (*column->unit) {
        label = g_strdelimit(g_strdup(column->name), "_", ' ');
        unit = g_strdup(column->unit);
    } else {
        label = text_metric_label(column->name);
        unit = g_strdup(metric_unit(column->name));
    }
    json_t *like = find_panel(reader, label, unit);
    const char *in = like ? measured_text_of(json_object_get(like, "y"), "unit")
                     : scale_to(unit, "us") > 0.0 ? "us"
                                                  : unit;
    bool taken = choice_takes_label(reader->choice, label, in), good = true;
    if (taken && reader->panels && !like) {
        char *list = list_panels(reader);
        good = measured_fail(
            reader, column->place,
            "nothing is drawn as %s%s%s%s over %s here (there is %s); a column is called "
            "as the metric, latency_us or latency (us)",
            label, *unit ? " (" : "", unit, *unit ? ")" : "", column_at(reader, 0)->name,
            *list ? list : "nothing");
        g_free(list);
    } else if (taken) {
        column->panel = new_panel(reader, like, label, unit);
        column->scale = scale_to(unit, in);
    } else {
        reader->left_out = true;
    }
    g_free(unit);
    g_free(label);
    return good;
}

static bool read_column(struct measured_reader *reader, const char *header, int place)
{
    struct measured_column column = {.kind = COLUMN_METRIC, .place = place, .value = -1};
    column.name = g_strstrip(g_strdup(csv_field_text(header)));
    column.unit = take_unit(column.name);
    guint index = reader->columns->len;
    if (index == 0)
        column.kind = COLUMN_X;
    else if (strcmp(column.name, "series") == 0)
        column.kind = COLUMN_SERIES;
    else if (strcmp(column.name, "error") == 0)
        column.kind = COLUMN_ERROR;
    g_array_append_val(reader->columns, column);
    struct measured_column *kept = column_at(reader, index);
    const struct measured_column *before = index > 0 ? column_at(reader, index - 1) : NULL;
    if (!*kept->name)
        return measured_fail(reader, place, "this column has no name");
    if (before && kept->kind == COLUMN_ERROR) { // the first column is never one
        if (before->kind != COLUMN_METRIC)
            return measured_fail(reader, place,
                                 "an error stands right of the metric that it is of");
        kept->value = (int)index - 1;
        kept->scale = before->scale;
        if (*kept->unit && before->panel)
            kept->scale =
                scale_to(kept->unit, measured_text_of(json_object_get(before->panel, "y"), "unit"));
        return kept->scale > 0.0 || !before->panel ||
               measured_fail(reader, place, "an error in %s is none of what is in %s", kept->unit,
                             *before->unit ? before->unit : metric_unit(before->name));
    }
    if (kept->kind == COLUMN_METRIC && strcmp(kept->name, "value") == 0)
        return measured_fail(
            reader, place,
            "a value of what? Call the column as the metric: latency_us or latency (us)");
    return kept->kind != COLUMN_METRIC || find_metric(reader, kept);
}

// A panel of one of the metrics; NULL: none is chosen.
static const json_t *any_panel(const struct measured_reader *reader)
{
    const json_t *panel = NULL;
    for (guint i = 1; i < reader->columns->len && !panel; i++)
        panel = column_at(reader, i)->panel;
    return panel;
}

// The unit of the axis along x, from the first panel that there is.
static bool measured_read_x(struct measured_reader *reader)
{
    struct measured_column *x = column_at(reader, 0);
    const json_t *panel = any_panel(reader);
    const char *unit = panel ? measured_text_of(json_object_get(panel, "x"), "unit") : x->unit;
    char *one = g_strdup_printf("1 %s", x->unit);
    double scale = 0.0;
    bool good = !*x->unit || strcmp(x->unit, unit) == 0 || axis_value_place(one, unit, &scale);
    if (strcmp(x->unit, unit) == 0 || (!*x->unit && strcmp(unit, "B") == 0))
        scale = 1.0;
    x->scale = scale;
    g_free(one);
    if (good) {
        char *copy = g_strdup(unit); // which may be its own
        g_free(x->unit);
        x->unit = copy;
        return true;
    }
    return measured_fail(reader, x->place, "%s is not a unit of %s; along x there is %s", x->unit,
                         x->name, *unit ? unit : "a number");
}

static bool read_header(struct measured_reader *reader, const GPtrArray *row)
{
    bool metric = false;
    for (guint i = 0; i < row->len; i++) {
        if (!read_column(reader, g_ptr_array_index(row, i), g_array_index(reader->places, int, i)))
            return false;
        metric = metric || column_at(reader, i)->kind == COLUMN_METRIC;
    }
    if (!metric)
        return measured_fail(
            reader, 1,
            "the columns size and a metric are expected here: size,latency_us (and error, "
            "series)");
    return measured_read_x(reader);
}

// ---- Rows ----

static bool read_number(const char *text, double *value)
{
    char *end;
    *value = g_ascii_strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

// A number in the column's unit, or one with a unit of its own.
static bool read_field(struct measured_reader *reader, const struct measured_column *column,
                       const char *unit, const char *text, int place, double *value)
{
    if (read_number(text, value)) {
        *value *= column->scale;
        if (!isfinite(*value) || fabs(*value) > LARGEST)
            return measured_fail(reader, place, "%s is too large to be drawn", text);
        return column->scale > 0.0 ||
               measured_fail(reader, place, "%s has no unit: write %s %s, or %s (%s) in the header",
                             text, text, unit, column->name, unit);
    }
    return axis_value_place(text, unit, value) ||
           measured_fail(reader, place,
                         *unit ? "%s is no number, and no value in %s" : "%s is no number%s", text,
                         unit);
}

static json_t *series_of(json_t *panel, const char *name)
{
    json_t *all = json_object_get(panel, "series"), *one;
    size_t index;
    json_array_foreach(all, index, one)
    {
        if (strcmp(measured_text_of(one, "name"), name) == 0)
            return one;
    }
    one = json_pack("{s:s,s:n,s:n,s:[],s:n,s:b}", "name", name, "stack", "scenario", "points",
                    "failure", "measured", true);
    json_array_append_new(all, one);
    return one;
}

static void add_point(json_t *series, double x, double y, double error)
{
    json_array_append_new(json_object_get(series, "points"), json_pack("[f,f]", x, y));
    if (isnan(error))
        return;
    json_t *intervals = json_object_get(series, "intervals");
    if (!intervals) {
        intervals = json_array();
        json_object_set_new(series, "intervals", intervals);
    }
    json_array_append_new(intervals, json_pack("[f,f,f,i]", x, y - error, y + error, 1));
}

// The point of one metric in a row.
static bool read_point(struct measured_reader *reader, const GPtrArray *row, guint index,
                       const char *name, double x)
{
    const struct measured_column *column = column_at(reader, index);
    const struct measured_column *next =
        index + 1 < reader->columns->len ? column_at(reader, index + 1) : NULL;
    const char *text = g_ptr_array_index(row, index), *unit;
    double y, error = NAN;
    if (!column->panel || !*text)
        return true;
    unit = measured_text_of(json_object_get(column->panel, "y"), "unit");
    if (!read_field(reader, column, unit, text, g_array_index(reader->places, int, index), &y))
        return false;
    if (next && next->kind == COLUMN_ERROR && *(char *)g_ptr_array_index(row, index + 1)) {
        int place = g_array_index(reader->places, int, index + 1);
        if (!read_field(reader, next, unit, g_ptr_array_index(row, index + 1), place, &error))
            return false;
        if (error < 0.0)
            return measured_fail(reader, place, "an error is not negative");
    }
    add_point(series_of(column->panel, name), x, y, error);
    return true;
}

static bool measured_read_row(struct measured_reader *reader, const GPtrArray *row)
{
    if (row->len == 1 && !*(char *)g_ptr_array_index(row, 0))
        return true; // a line without anything
    if (row->len != reader->columns->len)
        return measured_fail(reader, 1, "this row has %u fields, and the header %u", row->len,
                             reader->columns->len);
    const struct measured_column *along = column_at(reader, 0);
    const char *name = reader->name;
    double x;
    for (guint i = 0; i < row->len; i++) {
        g_strstrip(g_ptr_array_index(row, i));
        if (column_at(reader, i)->kind == COLUMN_SERIES)
            name = csv_field_text(g_ptr_array_index(row, i));
    }
    int place = g_array_index(reader->places, int, 0);
    if (!any_panel(reader))
        return true;
    if (!read_field(reader, along, along->unit, g_ptr_array_index(row, 0), place, &x))
        return false;
    bool sizes = strcmp(along->unit, "B") == 0;
    if (sizes && (x < 0.0 || x != floor(x)))
        return measured_fail(reader, place, "%s is no number of bytes",
                             (char *)g_ptr_array_index(row, 0));
    if (!choice_takes_series(reader->choice, name) ||
        (sizes && !choice_takes_size(reader->choice, (int64_t)fmin(x, 9e18)))) {
        reader->left_out = true;
        return true;
    }
    for (guint i = 1; i < row->len; i++)
        if (column_at(reader, i)->kind == COLUMN_METRIC && !read_point(reader, row, i, name, x))
            return false;
    return true;
}

static bool measured_read_rows(struct measured_reader *reader)
{
    bool headed = false, good = true;
    for (; good && *reader->rows.at; csv_rows_next(&reader->rows)) {
        reader->line = reader->rows.line;
        if (!headed && *reader->rows.at == '#') {
            reader->rows.at += strcspn(reader->rows.at, "\n");
            reader->rows.at += *reader->rows.at == '\n';
            continue;
        }
        const char *problem = NULL;
        g_array_set_size(reader->places, 0);
        GPtrArray *row = csv_rows_take(&reader->rows, reader->places, &problem);
        if (problem)
            good = measured_fail(reader, 1, "%s", problem);
        else
            good = headed ? measured_read_row(reader, row) : read_header(reader, row);
        headed = true;
        g_ptr_array_unref(row);
    }
    reader->line = 1;
    return good && (headed || measured_fail(reader, 1, "there is nothing in it"));
}

// ---- The document ----

static void clear_column(gpointer data)
{
    struct measured_column *column = data;
    g_free(column->name);
    g_free(column->unit);
    json_decref(column->panel);
}

static json_t *measured_json(const struct measured_reader *reader)
{
    json_t *panels = json_array();
    for (guint i = 0; i < reader->columns->len; i++) {
        json_t *panel = column_at(reader, i)->panel;
        if (panel && json_array_size(json_object_get(panel, "series")) > 0)
            json_array_append(panels, panel);
    }
    return json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:[],s:o}", "figure", 1, "id", reader->name,
                     "number", "file", reader->name, "title", reader->name, "source", "notes",
                     "panels", panels);
}

json_t *measured_document(const char *path, const char *text, size_t length, const char *name,
                          const json_t *panels, struct choice *choice, GError **error)
{
    struct measured_reader reader = {.path = path,
                                     .name = name,
                                     .panels = panels,
                                     .choice = choice,
                                     .rows = csv_rows_of(text),
                                     .line = csv_rows_bad_line(text, length),
                                     .error = error};
    json_t *document = NULL;
    reader.places = g_array_new(FALSE, FALSE, sizeof(int));
    reader.columns = g_array_new(FALSE, FALSE, sizeof(struct measured_column));
    g_array_set_clear_func(reader.columns, clear_column);
    if (reader.line)
        measured_fail(&reader, 1, "this is no text in UTF-8");
    else if (measured_read_rows(&reader))
        document = measured_json(&reader);
    if (document && json_array_size(json_object_get(document, "panels")) == 0 && reader.left_out) {
        json_array_append_new(json_object_get(document, "notes"),
                              json_string("not drawn: measured points, as none of them is chosen"));
    } else if (document && json_array_size(json_object_get(document, "panels")) == 0) {
        reader.line = 1;
        measured_fail(&reader, 1, "there is no point in it that is to be drawn");
        g_clear_pointer(&document, json_decref);
    }
    g_array_unref(reader.columns);
    g_array_unref(reader.places);
    return document;
}
