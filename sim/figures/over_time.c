// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/figures/over_time.h"

#include "sim/figures/notes.h"
#include "sim/output/csv_field.h"
#include "sim/output/csv_rows.h"
#include "sim/output/values.h"

#include <string.h>

#define MOST_OVER_TIME_PANELS 8
#define MOST_POINTS 2000 // of a line

enum over_time_column { SERIES, HOST, NAME, QUANTITY, UNIT, TIME, VALUE, COLUMNS };

struct over_time_line {
    char *quantity;
    GArray *points; // struct value_point
};

// The quantities of one unit of a connection.
struct panel {
    char *series, *title, *unit;
    GPtrArray *lines; // struct over_time_line *
    guint points;
    bool shown;
};

struct over_time_reader {
    const char *path;
    struct choice *choice;
    struct csv_rows rows;
    GPtrArray *panels; // struct panel *
    GHashTable *ends;  // series -> sim_time *, the last time that it has
    GError **error;
};

static void line_free(void *data)
{
    struct over_time_line *line = data;
    g_free(line->quantity);
    g_array_unref(line->points);
    g_free(line);
}

static void over_time_panel_free(void *data)
{
    struct panel *panel = data;
    g_free(panel->series);
    g_free(panel->title);
    g_free(panel->unit);
    g_ptr_array_unref(panel->lines);
    g_free(panel);
}

// ---- Reading ----

static bool over_time_fail(const struct over_time_reader *reader, const char *what)
{
    g_set_error(reader->error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s:%d: %s", reader->path,
                reader->rows.line, what);
    return false;
}

// Rows of a line come one after the other, and so do those of a panel.
static struct over_time_line *line_of(struct over_time_reader *reader, const char *const *fields)
{
    char *title = g_strdup_printf("%s: %s, %s", fields[SERIES], fields[HOST], fields[NAME]);
    struct panel *panel = NULL;
    for (guint i = reader->panels->len; i-- > 0 && !panel;) {
        struct panel *one = g_ptr_array_index(reader->panels, i);
        if (strcmp(one->title, title) == 0 && strcmp(one->unit, fields[UNIT]) == 0)
            panel = one;
        else if (strcmp(one->title, title) != 0)
            break;
    }
    if (!panel) {
        panel = g_new0(struct panel, 1);
        panel->series = g_strdup(fields[SERIES]);
        panel->title = g_strdup(title);
        panel->unit = g_strdup(fields[UNIT]);
        panel->lines = g_ptr_array_new_with_free_func(line_free);
        g_ptr_array_add(reader->panels, panel);
    }
    g_free(title);
    panel->points++;
    struct over_time_line *line =
        panel->lines->len ? g_ptr_array_index(panel->lines, panel->lines->len - 1) : NULL;
    if (line && strcmp(line->quantity, fields[QUANTITY]) == 0)
        return line;
    line = g_new0(struct over_time_line, 1);
    line->quantity = g_strdup(fields[QUANTITY]);
    line->points = g_array_new(FALSE, FALSE, sizeof(struct value_point));
    g_ptr_array_add(panel->lines, line);
    return line;
}

static void note_end(const struct over_time_reader *reader, const char *series, sim_time when)
{
    sim_time *end = g_hash_table_lookup(reader->ends, series);
    if (!end) {
        end = g_new0(sim_time, 1);
        g_hash_table_insert(reader->ends, g_strdup(series), end);
    }
    *end = MAX(*end, when);
}

static bool over_time_read_row(struct over_time_reader *reader, const GPtrArray *row)
{
    const char *fields[COLUMNS];
    char *after_time, *after_value;
    if (row->len != COLUMNS)
        return over_time_fail(reader, "a row has seven columns");
    for (int i = 0; i < COLUMNS; i++)
        fields[i] = csv_field_text(g_ptr_array_index(row, i));
    double us = g_ascii_strtod(fields[TIME], &after_time);
    struct value_point point = {.value = g_ascii_strtoll(fields[VALUE], &after_value, 10)};
    if (*after_time || *after_value || !*fields[TIME] || !*fields[VALUE] ||
        !(us >= 0.0 && us < time_to_us(TIME_END)))
        return over_time_fail(reader, "a time in microseconds and a whole number are expected");
    point.when = (sim_time)(us * (double)TIME_US);
    note_end(reader, fields[SERIES], point.when);
    if (!choice_takes_series(reader->choice, fields[SERIES]) ||
        !choice_takes_label(reader->choice, fields[QUANTITY], ""))
        return true;
    GArray *points = line_of(reader, fields)->points;
    if (points->len && g_array_index(points, struct value_point, points->len - 1).when > point.when)
        return over_time_fail(reader, "this time is before that of the row above");
    g_array_append_val(points, point);
    return true;
}

static bool over_time_read_rows(struct over_time_reader *reader)
{
    bool good = true;
    for (bool header = true; good && *reader->rows.at; header = false) {
        const char *problem = NULL;
        GPtrArray *row = csv_rows_take(&reader->rows, NULL, &problem);
        if (problem)
            good = over_time_fail(reader, problem);
        else if (!header)
            good = over_time_read_row(reader, row);
        g_ptr_array_unref(row);
        csv_rows_next(&reader->rows);
    }
    return good;
}

// ---- The document ----

// The line goes on to the end of its series.
static json_t *over_time_line_json(const struct over_time_line *line, sim_time end)
{
    json_t *points = json_array();
    values_thin(line->points, MOST_POINTS);
    const struct value_point *point = NULL;
    for (guint i = 0; i < line->points->len; i++) {
        point = &g_array_index(line->points, struct value_point, i);
        json_array_append_new(points,
                              json_pack("[f,f]", time_to_s(point->when), (double)point->value));
    }
    if (point && point->when < end)
        json_array_append_new(points, json_pack("[f,f]", time_to_s(end), (double)point->value));
    return json_pack("{s:s,s:s,s:b,s:o,s:n}", "name", line->quantity, "stack", line->quantity,
                     "steps", 1, "points", points, "failure");
}

static json_t *panel_json(const struct panel *panel, sim_time end)
{
    json_t *lines = json_array();
    for (guint i = 0; i < panel->lines->len; i++)
        json_array_append_new(lines, over_time_line_json(g_ptr_array_index(panel->lines, i), end));
    const char *only =
        panel->lines->len == 1
            ? ((const struct over_time_line *)g_ptr_array_index(panel->lines, 0))->quantity
            : "";
    return json_pack("{s:s,s:s,s:{s:s,s:s,s:s},s:{s:s,s:s,s:s},s:o}", "kind", "lines", "title",
                     panel->title, "x", "label", "time", "unit", "s", "scale", "linear", "y",
                     "label", *only ? only : "value", "unit", panel->unit, "scale", "linear",
                     "series", lines);
}

static gint by_points(gconstpointer a, gconstpointer b)
{
    const struct panel *p = *(struct panel *const *)a, *q = *(struct panel *const *)b;
    return (p->points < q->points) - (p->points > q->points);
}

// Marks those with the most changes, of equal ones the first.
static guint choose_lines(const struct over_time_reader *reader)
{
    GPtrArray *sorted = g_ptr_array_new();
    for (guint i = 0; i < reader->panels->len; i++)
        g_ptr_array_add(sorted, g_ptr_array_index(reader->panels, i));
    g_ptr_array_sort(sorted, by_points);
    guint shown = MIN(sorted->len, MOST_OVER_TIME_PANELS);
    for (guint i = 0; i < shown; i++)
        ((struct panel *)g_ptr_array_index(sorted, i))->shown = true;
    g_ptr_array_unref(sorted);
    return shown;
}

static json_t *over_time_json(const struct over_time_reader *reader, const char *name)
{
    json_t *panels = json_array(), *notes = json_array();
    guint shown = choose_lines(reader);
    for (guint i = 0; i < reader->panels->len; i++) {
        const struct panel *panel = g_ptr_array_index(reader->panels, i);
        const sim_time *end = g_hash_table_lookup(reader->ends, panel->series);
        if (panel->shown)
            json_array_append_new(panels, panel_json(panel, *end));
    }
    if (shown < reader->panels->len)
        notes_add(notes, "%u of %u are drawn, those with the most changes; --series chooses", shown,
                  reader->panels->len);
    return json_pack("{s:i,s:s,s:n,s:s,s:s,s:n,s:o,s:o}", "figure", 1, "id", name, "number", "file",
                     name, "title", name, "source", "notes", notes, "panels", panels);
}

json_t *over_time_document(const char *path, const char *text, size_t length, const char *name,
                           struct choice *choice, GError **error)
{
    struct over_time_reader reader = {
        .path = path,
        .choice = choice,
        .rows = csv_rows_of(text),
        .panels = g_ptr_array_new_with_free_func(over_time_panel_free),
        .ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
        .error = error};
    json_t *document = NULL;
    int bad = csv_rows_bad_line(text, length);
    if (bad) {
        reader.rows.line = bad;
        over_time_fail(&reader, "this is no text in UTF-8");
    } else if (over_time_read_rows(&reader)) {
        document = over_time_json(&reader, name);
    }
    g_ptr_array_unref(reader.panels);
    g_hash_table_unref(reader.ends);
    return document;
}
