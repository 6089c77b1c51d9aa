// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/outcome.h"

#include "sim/core/sim.h"
#include "sim/output/csv.h"
#include "sim/output/text.h"
#include "sim/workload/result.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

// Points times series: each has an end.
#define MOST_ENDS 100000000

struct reader {
    struct store *store;
    struct outcome *outcome;
    char *id; // of the sweep
    json_t *definition;
    bool zip;
    int64_t seed_count;
    GPtrArray *metrics;      // interned names, as first met
    GHashTable *by_identity; // "series|metric|rank|size" -> struct outcome_curve *
};

static void free_axis(void *data)
{
    struct outcome_axis *axis = data;
    g_free(axis->name);
    g_ptr_array_unref(axis->values);
    g_free(axis);
}

static void free_curve(void *data)
{
    struct outcome_curve *curve = data;
    g_free(curve->values);
    g_free(curve->lost);
    g_free(curve);
}

void outcome_free(struct outcome *outcome)
{
    if (!outcome)
        return;
    for (guint i = 0; outcome->ends && i < (guint)outcome->points * outcome->series->len; i++) {
        g_free(outcome->ends[i].status);
        g_free(outcome->ends[i].kind);
        g_free(outcome->ends[i].text);
    }
    for (guint i = 0; outcome->texts && i < (guint)outcome->points * outcome->parameters->len; i++)
        g_free(outcome->texts[i]);
    for (int i = 0; outcome->problems && i < outcome->points; i++)
        g_free(outcome->problems[i]);
    g_free(outcome->ends);
    g_free(outcome->texts);
    g_free(outcome->problems);
    g_free(outcome->indices);
    g_free(outcome->seeds);
    g_ptr_array_unref(outcome->curves);
    g_ptr_array_unref(outcome->series);
    g_ptr_array_unref(outcome->axes);
    g_ptr_array_unref(outcome->parameters);
    g_free(outcome->scenario);
    g_free(outcome->source);
    g_free(outcome);
}

const struct outcome_axis *outcome_axis_at(const struct outcome *outcome, int axis)
{
    return g_ptr_array_index(outcome->axes, axis);
}

const struct outcome_end *outcome_end_at(const struct outcome *outcome, int point, int series)
{
    return &outcome->ends[point * (int)outcome->series->len + series];
}

const struct outcome_curve *outcome_curve_at(const struct outcome *outcome, int curve)
{
    return g_ptr_array_index(outcome->curves, curve);
}

const char *outcome_series_name(const struct outcome *outcome, int series)
{
    return g_ptr_array_index(outcome->series, series);
}

bool outcome_has_lost(const struct outcome_end *end)
{
    return g_strcmp0(end->status, sim_status_name(SIM_LOST)) == 0;
}

int outcome_count_lost(const struct outcome *outcome)
{
    int lost = 0;
    for (int i = 0; i < outcome->points * (int)outcome->series->len; i++)
        lost += outcome_has_lost(&outcome->ends[i]);
    return lost;
}

// ---- Reading ----

// The status of a row of results; see json_series_judge.
#define STATUS                                                                                     \
    "CASE WHEN status = 'completed' AND json_extract(document, '$.ledger.balanced') = 0"           \
    " THEN 'lost' ELSE status END"

// Calls `take` for every row of a query about the sweep. False and *error if it can't be read.
static bool each_row(struct reader *reader, const char *sql,
                     void (*take)(struct reader *, sqlite3_stmt *), GError **error)
{
    sqlite3_stmt *rows = NULL;
    int code = sqlite3_prepare_v2(store_connection(reader->store), sql, -1, &rows, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_text(rows, 1, reader->id, -1, SQLITE_TRANSIENT);
        while ((code = sqlite3_step(rows)) == SQLITE_ROW)
            take(reader, rows);
    }
    bool good = code == SQLITE_DONE || store_fail(reader->store, "cannot be read", error);
    sqlite3_finalize(rows);
    return good;
}

static char *text_of(sqlite3_stmt *row, int column)
{
    return g_strdup((const char *)sqlite3_column_text(row, column));
}

static void take_head(struct reader *reader, sqlite3_stmt *row)
{
    g_free(reader->id);
    reader->id = text_of(row, 0);
    reader->outcome->scenario = text_of(row, 1);
    reader->outcome->source = text_of(row, 2);
    reader->definition = json_loads((const char *)sqlite3_column_text(row, 3), 0, NULL);
}

static struct outcome_axis *add_axis(struct outcome *outcome, const char *name)
{
    struct outcome_axis *axis = g_new0(struct outcome_axis, 1);
    axis->name = g_strdup(name);
    axis->values = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(outcome->axes, axis);
    return axis;
}

static const char *value_at(const json_t *axis, size_t index)
{
    return json_string_value(json_array_get(json_object_get(axis, "values"), index));
}

// Zipped parameters are one axis: there are no points in which one varies alone.
static void add_zipped(struct reader *reader, const json_t *axes)
{
    GString *text = g_string_new(NULL);
    const json_t *axis, *first = json_array_get(axes, 0);
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        g_string_append_printf(text, "%s%s", i ? ", " : "",
                               json_string_value(json_object_get(axis, "path")));
    }
    struct outcome_axis *zipped = add_axis(reader->outcome, text->str);
    for (size_t k = 0; k < json_array_size(json_object_get(first, "values")); k++) {
        g_string_truncate(text, 0);
        json_array_foreach(axes, i, axis)
        {
            g_string_append_printf(text, "%s%s", i ? ", " : "", value_at(axis, k));
        }
        g_ptr_array_add(zipped->values, g_strdup(text->str));
    }
    g_string_free(text, TRUE);
}

static void read_axes(struct reader *reader)
{
    const json_t *axes = json_object_get(reader->definition, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        const char *path = json_string_value(json_object_get(axis, "path"));
        g_ptr_array_add(reader->outcome->parameters, g_strdup(path));
        if (reader->zip)
            continue;
        struct outcome_axis *added = add_axis(reader->outcome, path);
        for (size_t k = 0; k < json_array_size(json_object_get(axis, "values")); k++)
            g_ptr_array_add(added->values, g_strdup(value_at(axis, k)));
    }
    if (reader->zip && json_array_size(axes) > 0)
        add_zipped(reader, axes);
    if (reader->seed_count > 0) {
        struct outcome_axis *added = add_axis(reader->outcome, "seed");
        for (int64_t seed = 1; seed <= reader->seed_count; seed++)
            g_ptr_array_add(added->values, g_strdup_printf("%" G_GINT64_FORMAT, seed));
    }
}

static void take_count(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->points = sqlite3_column_int(row, 0);
}

// Which value of each axis a point has: points are counted with the last axis fastest.
static void index_point(struct outcome *outcome, int point)
{
    int rest = point;
    for (int axis = (int)outcome->axes->len - 1; axis >= 0; axis--) {
        int values = MAX((int)outcome_axis_at(outcome, axis)->values->len, 1);
        outcome->indices[point * (int)outcome->axes->len + axis] = rest % values;
        rest /= values;
    }
}

static void take_point(struct reader *reader, sqlite3_stmt *row)
{
    struct outcome *outcome = reader->outcome;
    int point = sqlite3_column_int(row, 0);
    if (point < 0 || point >= outcome->points)
        return;
    bool possible = sqlite3_column_type(row, 1) != SQLITE_NULL;
    outcome->seeds[point] = possible ? sqlite3_column_int64(row, 1) : -1;
    outcome->problems[point] = text_of(row, 3);
    json_t *axes = json_loads((const char *)sqlite3_column_text(row, 2), 0, NULL);
    for (guint i = 0; i < outcome->parameters->len; i++)
        outcome->texts[point * (int)outcome->parameters->len + (int)i] = g_strdup(
            json_string_value(json_object_get(axes, g_ptr_array_index(outcome->parameters, i))));
    json_decref(axes);
    index_point(outcome, point);
}

static void take_series_name(struct reader *reader, sqlite3_stmt *row)
{
    g_ptr_array_add(reader->outcome->series, text_of(row, 0));
}

static int series_number(const struct outcome *outcome, const char *name)
{
    guint index = 0;
    g_ptr_array_find_with_equal_func(outcome->series, name, g_str_equal, &index);
    return (int)index;
}

static void take_end(struct reader *reader, sqlite3_stmt *row)
{
    struct outcome *outcome = reader->outcome;
    int point = sqlite3_column_int(row, 0);
    int series = series_number(outcome, (const char *)sqlite3_column_text(row, 1));
    struct outcome_end *end = &outcome->ends[point * (int)outcome->series->len + series];
    end->status = text_of(row, 2);
    end->kind = text_of(row, 3);
    end->text = text_of(row, 4);
    if (!end->status)
        end->status = g_strdup("missing");
}

static void take_counts(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->counts = g_intern_string((const char *)sqlite3_column_text(row, 0));
}

static int metric_number(struct reader *reader, const char *interned)
{
    guint index;
    if (g_ptr_array_find(reader->metrics, interned, &index))
        return (int)index;
    g_ptr_array_add(reader->metrics, (gpointer)interned);
    return (int)reader->metrics->len - 1;
}

static struct outcome_curve *curve_of(struct reader *reader, int series, int rank, int64_t size,
                                      const char *metric)
{
    struct outcome *outcome = reader->outcome;
    char *identity = g_strdup_printf("%d|%s|%d|%" G_GINT64_FORMAT, series, metric, rank, size);
    struct outcome_curve *curve = g_hash_table_lookup(reader->by_identity, identity);
    if (curve) {
        g_free(identity);
        return curve;
    }
    curve = g_new0(struct outcome_curve, 1);
    *curve = (struct outcome_curve){.series = series, .rank = rank, .size = size};
    curve->metric = g_intern_string(metric);
    curve->metric_number = metric_number(reader, curve->metric);
    curve->values = g_new(double, outcome->points);
    curve->lost = g_new(double, outcome->points);
    for (int i = 0; i < outcome->points; i++)
        curve->values[i] = curve->lost[i] = NAN;
    g_ptr_array_add(outcome->curves, curve);
    g_hash_table_insert(reader->by_identity, identity, curve);
    return curve;
}

static void take_value(struct reader *reader, sqlite3_stmt *row)
{
    int series = series_number(reader->outcome, (const char *)sqlite3_column_text(row, 1));
    int rank = sqlite3_column_type(row, 2) == SQLITE_NULL ? -1 : sqlite3_column_int(row, 2);
    int64_t size = sqlite3_column_type(row, 3) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, 3);
    struct outcome_curve *curve =
        curve_of(reader, series, rank, size, (const char *)sqlite3_column_text(row, 4));
    int point = sqlite3_column_int(row, 0);
    bool lost = outcome_has_lost(outcome_end_at(reader->outcome, point, series));
    if (sqlite3_column_type(row, 5) != SQLITE_NULL)
        (lost ? curve->lost : curve->values)[point] = sqlite3_column_double(row, 5);
}

static int compare_curves(const void *a, const void *b)
{
    const struct outcome_curve *one = *(const struct outcome_curve *const *)a;
    const struct outcome_curve *other = *(const struct outcome_curve *const *)b;
    if (one->series != other->series)
        return one->series < other->series ? -1 : 1;
    if (one->metric_number != other->metric_number)
        return one->metric_number < other->metric_number ? -1 : 1;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->size < other->size ? -1 : one->size > other->size;
}

static bool read_rows(struct reader *reader, GError **error)
{
    struct outcome *outcome = reader->outcome;
    if (!each_row(reader, "SELECT count(*) FROM points WHERE campaign = ?1", take_count, error) ||
        !each_row(reader,
                  "SELECT name FROM series WHERE campaign = ?1 GROUP BY name"
                  " ORDER BY min(series), name",
                  take_series_name, error))
        return false;
    if ((int64_t)outcome->points * outcome->series->len > MOST_ENDS) {
        g_set_error(error, STORE_ERROR, 0, "%d points with %u series are too many to report on",
                    outcome->points, outcome->series->len);
        return false;
    }
    outcome->indices = g_new0(int, outcome->points *(int)outcome->axes->len + 1);
    outcome->texts = g_new0(char *, outcome->points *(int)outcome->parameters->len + 1);
    outcome->seeds = g_new0(int64_t, outcome->points + 1);
    outcome->problems = g_new0(char *, outcome->points + 1);
    outcome->ends = g_new0(struct outcome_end, outcome->points * (int)outcome->series->len + 1);
    bool good =
        each_row(reader,
                 "SELECT point, seed, axes, problem FROM points WHERE campaign = ?1 ORDER BY point",
                 take_point, error) &&
        each_row(reader,
                 "SELECT point, name, " STATUS ", kind,"
                 " ifnull(json_extract(document, '$.reason.text'),"
                 "   json_extract(document, '$.unaccounted[0]'))"
                 " FROM series LEFT JOIN results USING (key) WHERE campaign = ?1"
                 " ORDER BY point, series",
                 take_end, error) &&
        each_row(reader,
                 "SELECT point, name, rank, size, metric, value"
                 " FROM series JOIN measurements USING (key) WHERE campaign = ?1"
                 " ORDER BY point, series, number",
                 take_value, error) &&
        each_row(reader,
                 "SELECT json_extract(document, '$.counts') FROM series JOIN results USING (key)"
                 " WHERE campaign = ?1 GROUP BY 1 HAVING (SELECT count(DISTINCT"
                 " ifnull(json_extract(document, '$.counts'), '')) FROM series JOIN results"
                 " USING (key) WHERE campaign = ?1) = 1",
                 take_counts, error);
    g_ptr_array_sort(outcome->curves, compare_curves);
    return good;
}

struct outcome *outcome_read(struct store *store, GError **error)
{
    return outcome_read_sweep(store, NULL, error);
}

struct outcome *outcome_read_sweep(struct store *store, const char *id, GError **error)
{
    struct outcome *outcome = g_new0(struct outcome, 1);
    outcome->parameters = g_ptr_array_new_with_free_func(g_free);
    outcome->axes = g_ptr_array_new_with_free_func(free_axis);
    outcome->series = g_ptr_array_new_with_free_func(g_free);
    outcome->curves = g_ptr_array_new_with_free_func(free_curve);
    struct reader reader = {.store = store, .outcome = outcome, .id = g_strdup(id)};
    reader.metrics = g_ptr_array_new();
    reader.by_identity = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool good = each_row(&reader,
                         "SELECT id, scenario, source, definition FROM campaigns"
                         " WHERE ?1 IS NULL OR id = ?1 ORDER BY number DESC, id LIMIT 1",
                         take_head, error);
    if (good && !reader.definition)
        g_set_error(error, STORE_ERROR, 0, "there is no sweep in the database");
    good = good && reader.definition;
    if (good) {
        const char *mode = json_string_value(json_object_get(reader.definition, "mode"));
        reader.zip = g_strcmp0(mode, "zip") == 0;
        reader.seed_count = json_integer_value(json_object_get(reader.definition, "seeds"));
        read_axes(&reader);
        good = read_rows(&reader, error);
    }
    g_hash_table_unref(reader.by_identity);
    g_ptr_array_unref(reader.metrics);
    json_decref(reader.definition);
    g_free(reader.id);
    if (good)
        return outcome;
    outcome_free(outcome);
    return NULL;
}

// ---- CSV ----

static void append_head(GString *out, const struct outcome *outcome)
{
    g_string_append(out, "point");
    for (guint i = 0; i < outcome->parameters->len; i++) {
        g_string_append_c(out, ',');
        csv_append_field(out, g_ptr_array_index(outcome->parameters, i));
    }
    g_string_append(out,
                    g_ptr_array_find_with_equal_func(outcome->parameters, "seed", g_str_equal, NULL)
                        ? ""
                        : ",seed");
    g_string_append(out, ",series,status,reason,rank,size,metric,unit,value\n");
}

// The columns that all rows of a point have.
static char *point_columns(const struct outcome *outcome, int point)
{
    GString *out = g_string_new(NULL);
    bool has_seed = false;
    g_string_append_printf(out, "%d,", point);
    for (guint i = 0; i < outcome->parameters->len; i++) {
        const char *text = outcome->texts[point * (int)outcome->parameters->len + (int)i];
        csv_append_field(out, text ? text : "");
        g_string_append_c(out, ',');
        has_seed |= strcmp(g_ptr_array_index(outcome->parameters, i), "seed") == 0;
    }
    if (!has_seed && outcome->seeds[point] >= 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, outcome->seeds[point]);
    if (!has_seed)
        g_string_append_c(out, ',');
    return g_string_free(out, FALSE);
}

static void append_value(GString *out, const struct outcome_curve *curve, double value)
{
    char *digits = text_exact(value);
    if (curve->rank < 0)
        g_string_append(out, "all,");
    else
        g_string_append_printf(out, "%d,", curve->rank);
    if (curve->size >= 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT, curve->size);
    g_string_append_c(out, ',');
    csv_append_field(out, curve->metric);
    g_string_append_printf(out, ",%s,%s\n", metric_unit(curve->metric), digits);
    g_free(digits);
}

static void append_series(GString *out, const struct outcome *outcome, int point, int series,
                          const char *columns)
{
    const struct outcome_end *end = outcome_end_at(outcome, point, series);
    bool any = false;
    if (!end->status) // this point has no such series
        return;
    GString *head = g_string_new(columns);
    csv_append_field(head, outcome_series_name(outcome, series));
    g_string_append_printf(head, ",%s,%s,", end->status, end->kind ? end->kind : "");
    for (guint i = 0; i < outcome->curves->len; i++) {
        const struct outcome_curve *curve = outcome_curve_at(outcome, (int)i);
        double value = isnan(curve->values[point]) ? curve->lost[point] : curve->values[point];
        if (curve->series != series || isnan(value))
            continue;
        g_string_append(out, head->str);
        append_value(out, curve, value);
        any = true;
    }
    if (!any)
        g_string_append_printf(out, "%s,,,,\n", head->str);
    g_string_free(head, TRUE);
}

GString *outcome_csv(const struct outcome *outcome)
{
    GString *out = g_string_new(NULL);
    append_head(out, outcome);
    for (int point = 0; point < outcome->points; point++) {
        char *columns = point_columns(outcome, point);
        for (int series = 0; series < (int)outcome->series->len; series++)
            append_series(out, outcome, point, series, columns);
        if (outcome->problems[point]) {
            g_string_append_printf(out, "%s,impossible,", columns);
            csv_append_field(out, outcome->problems[point]);
            g_string_append(out, ",,,,,\n");
        }
        g_free(columns);
    }
    return out;
}
