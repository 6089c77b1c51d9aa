// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/outcome.h"

#include "sim/core/intern.h"
#include "sim/core/sim.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

// Points times series: each has an end.
#define MOST_ENDS 100000000

// One of the things that vary, in the order in which points are counted.
struct level {
    int values;
    int axis;         // -1: seeds, which are none
    const int *place; // which value of the axis each is, owned; NULL: they are just those
};

struct reader {
    struct store *store;
    struct outcome *outcome;
    char *id; // of the sweep
    json_t *definition;
    bool zip;
    int64_t seed_count, draw_count;
    GArray *levels;          // struct level: what the number of a point counts, the slowest first
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

static void clear_level(void *data)
{
    g_free((gpointer)((struct level *)data)->place);
}

static void free_curve(void *data)
{
    struct outcome_curve *curve = data;
    g_free(curve->values);
    g_free(curve->lost);
    g_free(curve->replicates);
    g_free(curve->summaries);
    g_free(curve->bands);
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
    g_free(outcome->draws);
    g_free(outcome->numbers);
    g_array_unref(outcome->replications);
    g_array_unref(outcome->all_draws);
    g_array_unref(outcome->other_seeds);
    g_ptr_array_unref(outcome->curves);
    g_ptr_array_unref(outcome->series);
    g_ptr_array_unref(outcome->axes);
    g_ptr_array_unref(outcome->parameters);
    g_free(outcome->scenario);
    g_free(outcome->source);
    g_free(outcome->description);
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

// The status of a row of results; see series_judge_json.
#define STATUS                                                                                     \
    "CASE WHEN status = 'completed' AND json_extract(document, '$.ledger.balanced') = 0"           \
    " THEN 'lost' ELSE status END"

typedef void row_fn(struct reader *reader, sqlite3_stmt *row);

// Calls `take` for every row of a query about the sweep. False and *error if it can't be read.
static bool each_row(struct reader *reader, const char *sql, row_fn *take, GError **error)
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
    reader->outcome->description =
        g_strdup(json_string_value(json_object_get(reader->definition, "description")));
}

struct outcome_axis *outcome_add_axis(struct outcome *outcome, const char *name)
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

// Whether an axis varies seeds or draws.
static bool is_repeated(const json_t *axis)
{
    return outcome_is_repeated(json_string_value(json_object_get(axis, "path")));
}

bool outcome_is_repeated(const char *path)
{
    return strcmp(path, OUTCOME_SEED) == 0 || strcmp(path, OUTCOME_DRAW) == 0;
}

static void add_level(struct reader *reader, size_t values, int axis, const int *place)
{
    struct level level = {.values = (int)values, .axis = axis, .place = place};
    g_array_append_val(reader->levels, level);
}

// The k-th values of all axes (k < 0: their paths) but seed and draw: "1 Mb/s, 4", or of equal ones
// one. The caller frees it.
static char *zipped_text(const json_t *axes, int k)
{
    GString *text = g_string_new(NULL);
    const char *first = NULL;
    bool equal = true;
    const json_t *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        if (is_repeated(axis))
            continue;
        const char *one =
            k < 0 ? json_string_value(json_object_get(axis, "path")) : value_at(axis, (size_t)k);
        g_string_append_printf(text, "%s%s", first ? ", " : "", one);
        first = first ? first : one;
        equal &= strcmp(first, one) == 0;
    }
    if (first && equal)
        g_string_assign(text, first);
    return g_string_free(text, FALSE);
}

// Zipped parameters are one axis, as no points vary one of them alone. Those that differ
// in the seed alone have one value of it.
static void read_zipped(struct reader *reader, const json_t *axes)
{
    size_t values = json_array_size(json_object_get(json_array_get(axes, 0), "values"));
    char *name = zipped_text(axes, -1);
    if (!*name) {
        add_level(reader, values, -1, NULL);
        g_free(name);
        return;
    }
    struct outcome_axis *zipped = outcome_add_axis(reader->outcome, name);
    int *place = g_new0(int, values + 1);
    for (size_t k = 0; k < values; k++) {
        char *text = zipped_text(axes, (int)k);
        guint known;
        if (g_ptr_array_find_with_equal_func(zipped->values, text, g_str_equal, &known)) {
            place[k] = (int)known;
            g_free(text);
        } else {
            place[k] = (int)zipped->values->len;
            g_ptr_array_add(zipped->values, text);
        }
    }
    add_level(reader, values, (int)reader->outcome->axes->len - 1, place);
    g_free(name);
}

static void read_axes(struct reader *reader)
{
    const json_t *axes = json_object_get(reader->definition, "axes"), *axis;
    size_t i;
    json_array_foreach(axes, i, axis)
    {
        const char *path = json_string_value(json_object_get(axis, "path"));
        size_t values = json_array_size(json_object_get(axis, "values"));
        g_ptr_array_add(reader->outcome->parameters, g_strdup(path));
        if (reader->zip)
            continue;
        if (is_repeated(axis)) {
            add_level(reader, values, -1, NULL);
            continue;
        }
        struct outcome_axis *added = outcome_add_axis(reader->outcome, path);
        for (size_t k = 0; k < values; k++)
            g_ptr_array_add(added->values, g_strdup(value_at(axis, k)));
        add_level(reader, values, (int)reader->outcome->axes->len - 1, NULL);
    }
    if (reader->zip && json_array_size(axes) > 0)
        read_zipped(reader, axes);
    if (reader->draw_count > 0) {
        g_ptr_array_add(reader->outcome->parameters, g_strdup(OUTCOME_DRAW));
        add_level(reader, (size_t)reader->draw_count, -1, NULL);
    }
    if (reader->seed_count > 0)
        add_level(reader, (size_t)reader->seed_count, -1, NULL);
}

static void take_count(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->points = sqlite3_column_int(row, 0);
}

// Which value of each axis a point has: points are counted with the last level fastest.
static void index_point(struct reader *reader, int point)
{
    struct outcome *outcome = reader->outcome;
    int rest = point;
    for (int i = (int)reader->levels->len - 1; i >= 0; i--) {
        const struct level *level = &g_array_index(reader->levels, struct level, i);
        int value = rest % MAX(level->values, 1);
        rest /= MAX(level->values, 1);
        if (level->axis >= 0)
            outcome->indices[point * (int)outcome->axes->len + level->axis] =
                level->place ? level->place[value] : value;
    }
}

int outcome_compare_seeds(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

// The number that a parameter has at a point; `none` if it does not vary.
static int64_t asked_number(const struct outcome *outcome, int point, const char *path,
                            int64_t none)
{
    guint parameter;
    if (!g_ptr_array_find_with_equal_func(outcome->parameters, path, g_str_equal, &parameter))
        return none;
    const char *text = outcome->texts[(guint)point * outcome->parameters->len + parameter];
    return g_ascii_strtoll(text ? text : "", NULL, 10);
}

// The seed that the sweep asks for at a point; -1: none.
static int64_t asked_seed(const struct reader *reader, int point)
{
    if (reader->seed_count > 0)
        return point % reader->seed_count + 1;
    return asked_number(reader->outcome, point, OUTCOME_SEED, -1);
}

static void take_draw(struct outcome *outcome, int point)
{
    outcome->draws[point] = asked_number(outcome, point, OUTCOME_DRAW, 0);
    if (outcome->draws[point] > 0)
        g_array_append_val(outcome->all_draws, outcome->draws[point]);
}

static void take_seed(struct reader *reader, int point, bool possible, int64_t seed)
{
    struct outcome *outcome = reader->outcome;
    int64_t asked = asked_seed(reader, point);
    outcome->seeds[point] = asked >= 0 || !possible ? asked : seed;
    if (asked >= 0 && possible)
        g_array_append_val(outcome->replications, asked);
}

static void take_point(struct reader *reader, sqlite3_stmt *row)
{
    struct outcome *outcome = reader->outcome;
    int point = sqlite3_column_int(row, 0);
    if (point < 0 || point >= outcome->points)
        return;
    bool possible = sqlite3_column_type(row, 1) != SQLITE_NULL;
    outcome->numbers[point] = point;
    outcome->problems[point] = text_of(row, 3);
    json_t *axes = json_loads((const char *)sqlite3_column_text(row, 2), 0, NULL);
    for (guint i = 0; i < outcome->parameters->len; i++)
        outcome->texts[point * (int)outcome->parameters->len + (int)i] = g_strdup(
            json_string_value(json_object_get(axes, g_ptr_array_index(outcome->parameters, i))));
    json_decref(axes);
    index_point(reader, point);
    take_draw(outcome, point);
    take_seed(reader, point, possible, sqlite3_column_int64(row, 1));
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
    end->runs = end->status != NULL;
    end->completed = g_strcmp0(end->status, sim_status_name(SIM_COMPLETED)) == 0;
    if (!end->status)
        end->status = g_strdup("missing");
}

static void take_counts(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->counts = intern_text((const char *)sqlite3_column_text(row, 0));
}

static void take_other_seed(struct reader *reader, sqlite3_stmt *row)
{
    int64_t seed = sqlite3_column_int64(row, 0);
    g_array_append_val(reader->outcome->other_seeds, seed);
}

static void take_chances(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->risked_packets = sqlite3_column_int64(row, 0);
    reader->outcome->random_choices = sqlite3_column_int64(row, 1);
}

static void take_risked_apart(struct reader *reader, sqlite3_stmt *row)
{
    reader->outcome->risked_apart = sqlite3_column_int64(row, 0);
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
    curve->metric = intern_text(metric);
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

// Sorts seeds or draws, and leaves each in once.
static void sort_seeds(GArray *seeds)
{
    guint kept = 0;
    g_array_sort(seeds, outcome_compare_seeds);
    for (guint i = 0; i < seeds->len; i++) {
        int64_t seed = g_array_index(seeds, int64_t, i);
        if (kept == 0 || g_array_index(seeds, int64_t, kept - 1) != seed)
            g_array_index(seeds, int64_t, kept++) = seed;
    }
    g_array_set_size(seeds, kept);
}

// The queries of a campaign, and what is made of their rows. The first are for the sizes of arrays.
struct outcome_query {
    const char *sql;
    row_fn *take;
};

static const struct outcome_query outcome_sizes[] = {
    {"SELECT count(*) FROM points WHERE campaign = ?1", take_count},
    {"SELECT name FROM series WHERE campaign = ?1 GROUP BY name"
     " ORDER BY min(series), name",
     take_series_name},
};

static const struct outcome_query outcome_rows[] = {
    {"SELECT point, seed, axes, problem FROM points WHERE campaign = ?1 ORDER BY point",
     take_point},
    {"SELECT point, name, " STATUS ", kind,"
     " ifnull(json_extract(document, '$.reason.text'),"
     "   json_extract(document, '$.unaccounted[0]'))"
     " FROM series LEFT JOIN results USING (key) WHERE campaign = ?1"
     " ORDER BY point, series",
     take_end},
    {"SELECT point, name, rank, size, metric, value"
     " FROM series JOIN measurements USING (key) WHERE campaign = ?1"
     " ORDER BY point, series, number",
     take_value},
    {"SELECT json_extract(document, '$.counts') FROM series JOIN results USING (key)"
     " WHERE campaign = ?1 GROUP BY 1 HAVING (SELECT count(DISTINCT"
     " ifnull(json_extract(document, '$.counts'), '')) FROM series JOIN results"
     " USING (key) WHERE campaign = ?1) = 1",
     take_counts},
    {"SELECT sum(json_extract(document, '$.counters.\"" SIM_RISKED_PACKETS "\"')),"
     " sum(json_extract(document, '$.counters.\"" SIM_RANDOM_CHOICES "\"'))"
     " FROM series JOIN results USING (key) WHERE campaign = ?1",
     take_chances},
    {"SELECT sum(most) FROM (SELECT max(json_extract(document, '$.counters.\"" SIM_RISKED_PACKETS
     "\"')) AS most FROM series JOIN results USING (key) JOIN cases USING (key)"
     " WHERE campaign = ?1 GROUP BY seed)",
     take_risked_apart},
    {"SELECT DISTINCT seed FROM cases JOIN results USING (key)"
     " WHERE seed NOT IN (SELECT seed FROM points WHERE campaign = ?1"
     "   AND seed IS NOT NULL)"
     " AND (source, definition) IN (SELECT source, definition"
     "   FROM series JOIN cases USING (key) WHERE campaign = ?1) ORDER BY seed",
     take_other_seed},
};

static bool read_queries(struct reader *reader, const struct outcome_query *queries, size_t count,
                         GError **error)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = each_row(reader, queries[i].sql, queries[i].take, error);
    return good;
}

static bool allocate_rows(struct outcome *outcome, GError **error)
{
    if ((int64_t)outcome->points * outcome->series->len > MOST_ENDS) {
        g_set_error(error, STORE_ERROR, 0, "%d points with %u series are too many to report on",
                    outcome->points, outcome->series->len);
        return false;
    }
    outcome->indices = g_new0(int, outcome->points *(int)outcome->axes->len + 1);
    outcome->texts = g_new0(char *, outcome->points *(int)outcome->parameters->len + 1);
    outcome->seeds = g_new0(int64_t, outcome->points + 1);
    outcome->draws = g_new0(int64_t, outcome->points + 1);
    outcome->numbers = g_new0(int, outcome->points + 1);
    outcome->problems = g_new0(char *, outcome->points + 1);
    outcome->ends = g_new0(struct outcome_end, outcome->points * (int)outcome->series->len + 1);
    return true;
}

static bool read_rows(struct reader *reader, GError **error)
{
    struct outcome *outcome = reader->outcome;
    if (!read_queries(reader, outcome_sizes, G_N_ELEMENTS(outcome_sizes), error) ||
        !allocate_rows(outcome, error))
        return false;
    bool good = read_queries(reader, outcome_rows, G_N_ELEMENTS(outcome_rows), error);
    g_ptr_array_sort(outcome->curves, compare_curves);
    sort_seeds(outcome->replications);
    sort_seeds(outcome->all_draws);
    return good;
}

struct outcome *outcome_read(struct store *store, GError **error)
{
    return outcome_read_sweep(store, NULL, error);
}

struct outcome *outcome_new(void)
{
    struct outcome *outcome = g_new0(struct outcome, 1);
    outcome->parameters = g_ptr_array_new_with_free_func(g_free);
    outcome->axes = g_ptr_array_new_with_free_func(free_axis);
    outcome->series = g_ptr_array_new_with_free_func(g_free);
    outcome->curves = g_ptr_array_new_with_free_func(free_curve);
    outcome->replications = g_array_new(FALSE, FALSE, sizeof(int64_t));
    outcome->other_seeds = g_array_new(FALSE, FALSE, sizeof(int64_t));
    outcome->all_draws = g_array_new(FALSE, FALSE, sizeof(int64_t));
    return outcome;
}

struct outcome *outcome_read_sweep(struct store *store, const char *id, GError **error)
{
    struct outcome *outcome = outcome_new();
    struct reader reader = {.store = store, .outcome = outcome, .id = g_strdup(id)};
    reader.levels = g_array_new(FALSE, FALSE, sizeof(struct level));
    g_array_set_clear_func(reader.levels, clear_level);
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
        reader.draw_count = json_integer_value(json_object_get(reader.definition, "draws"));
        read_axes(&reader);
        good = read_rows(&reader, error);
    }
    g_hash_table_unref(reader.by_identity);
    g_ptr_array_unref(reader.metrics);
    g_array_unref(reader.levels);
    json_decref(reader.definition);
    g_free(reader.id);
    if (good)
        return outcome;
    outcome_free(outcome);
    return NULL;
}
