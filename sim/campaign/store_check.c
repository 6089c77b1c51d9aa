// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/store.h"

#include "sim/output/json_check.h"
#include "sim/scenario/sweep.h"

#include <sqlite3.h>
#include <string.h>

// The kinds of cells.
enum cell {
    TEXT,
    NAME,
    TEXT_OR_NULL,
    SEED_OR_NULL,
    WHOLE,
    COUNT,
    COUNT_OR_NULL,
    INDEX,
    INDEX_OR_NULL,
    REAL_OR_NULL
};

struct column {
    const char *name;
    enum cell cell;
};

#define MOST_COLUMNS 6
#define MOST_KEY 2 // columns that identify a row

struct check {
    struct store *store;
    const struct table *table; // whose rows are checked
};

// The rows of a table, in their order: its key first.
struct table {
    const char *name;
    int keys;
    struct column columns[MOST_COLUMNS];
    // Returns what is wrong with a row whose cells are right, or NULL. The caller frees it.
    char *(*row)(struct check *check, sqlite3_stmt *row);
};

// ---- Cells ----

static bool in_range(sqlite3_stmt *row, int column, int64_t least, int64_t most)
{
    int64_t value = sqlite3_column_int64(row, column);
    return sqlite3_column_type(row, column) == SQLITE_INTEGER && value >= least && value <= most;
}

static bool is_text(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) != SQLITE_TEXT)
        return false;
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text && g_utf8_validate(text, sqlite3_column_bytes(row, column), NULL);
}

static bool fits(sqlite3_stmt *row, int column, enum cell cell)
{
    bool null = sqlite3_column_type(row, column) == SQLITE_NULL;
    switch (cell) {
    case TEXT:
        return is_text(row, column);
    case NAME:
        return is_text(row, column) && sqlite3_column_bytes(row, column) > 0;
    case TEXT_OR_NULL:
        return null || is_text(row, column);
    case SEED_OR_NULL:
        return null || in_range(row, column, 0, INT64_MAX);
    case WHOLE:
        return in_range(row, column, INT64_MIN, INT64_MAX);
    case COUNT:
        return in_range(row, column, 0, INT64_MAX);
    case COUNT_OR_NULL:
        return null || in_range(row, column, 0, INT64_MAX);
    case INDEX:
        return in_range(row, column, 0, INT32_MAX);
    case INDEX_OR_NULL:
        return null || in_range(row, column, 0, INT32_MAX);
    case REAL_OR_NULL:
        return null || sqlite3_column_type(row, column) == SQLITE_FLOAT;
    }
    return false;
}

static const char *const nouns[] = {
    [TEXT] = "text in UTF-8",
    [NAME] = "text in UTF-8 that is not empty",
    [TEXT_OR_NULL] = "text in UTF-8 or nothing",
    [SEED_OR_NULL] = "a seed or nothing",
    [WHOLE] = "a whole number",
    [COUNT] = "a whole number from 0 on",
    [COUNT_OR_NULL] = "a whole number from 0 on, or nothing,",
    [INDEX] = "a number that counts from 0",
    [INDEX_OR_NULL] = "a number that counts from 0, or nothing,",
    [REAL_OR_NULL] = "a number or nothing",
};

static const char *text_at(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

// ---- JSON in cells ----

static char *axis_problem(const json_t *axis, size_t index)
{
    const json_t *path = json_object_get(axis, "path"), *values = json_object_get(axis, "values");
    const json_t *value;
    bool good = json_string_length(path) > 0 && json_array_size(values) > 0;
    size_t i;
    json_array_foreach(values, i, value)
    {
        good = good && json_is_string(value);
    }
    return good ? NULL
                : g_strdup_printf("axes[%zu]: a path and a list of texts as values are expected",
                                  index);
}

// Whether an axis before this one has its path; enters it among the paths.
static bool is_known(const json_t *axis, json_t *paths)
{
    const char *path = json_string_value(json_object_get(axis, "path"));
    bool known = json_object_get(paths, path);
    json_object_set_new(paths, path, json_true());
    return known;
}

// Returns what is wrong with the axes of a sweep; *points: how many they span.
static char *axes_problem(const json_t *axes, bool zip, double *points)
{
    const json_t *axis;
    json_t *paths = json_object();
    char *problem = NULL;
    size_t i, first = json_array_size(json_object_get(json_array_get(axes, 0), "values"));
    json_array_foreach(axes, i, axis)
    {
        size_t values = json_array_size(json_object_get(axis, "values"));
        problem = axis_problem(axis, i);
        if (!problem && is_known(axis, paths))
            problem = g_strdup_printf("axes[%zu]: its path is that of another axis", i);
        if (!problem && zip && values != first)
            problem = g_strdup_printf("axes[%zu]: %zu values go with %zu", i, values, first);
        if (problem)
            break;
        if (!zip || i == 0)
            *points *= (double)values;
    }
    json_decref(paths);
    return problem;
}

// The error in the definition of a sweep, as points.c writes it; else NULL and the number of its
// points.
static char *definition_problem(const json_t *definition, int *points)
{
    const json_t *seeds = json_object_get(definition, "seeds");
    const json_t *axes = json_object_get(definition, "axes");
    const json_t *draws = json_object_get(definition, "draws"); // NULL: none
    const char *mode = json_string_value(json_object_get(definition, "mode"));
    bool zip = g_strcmp0(mode, "zip") == 0;
    if (!zip && g_strcmp0(mode, "product") != 0)
        return g_strdup("mode: product or zip is expected");
    if (!json_is_integer(seeds) || json_integer_value(seeds) < 0 ||
        json_integer_value(seeds) > SWEEP_MOST_SEEDS)
        return g_strdup("seeds: a whole number is expected");
    if (draws && (!json_is_integer(draws) || json_integer_value(draws) < 1 ||
                  json_integer_value(draws) > SWEEP_MOST_DRAWS))
        return g_strdup("draws: a whole number above 0 is expected");
    if (!json_is_array(axes))
        return g_strdup("axes: a list is expected");
    if (json_array_size(axes) == 0 && json_integer_value(seeds) == 0 && !draws)
        return g_strdup("the sweep varies nothing");
    double spanned =
        (double)MAX(json_integer_value(seeds), 1) * (double)MAX(json_integer_value(draws), 1);
    char *problem = axes_problem(axes, zip, &spanned);
    if (!problem && spanned > SWEEP_MOST_POINTS)
        problem = g_strdup_printf("%.0f points are more than a sweep has", spanned);
    *points = problem ? 0 : (int)spanned;
    return problem;
}

// Reads the JSON of a cell; NULL and *problem if it is none.
static json_t *json_at(sqlite3_stmt *row, int column, char **problem)
{
    json_error_t error;
    json_t *json = json_loads(text_at(row, column), 0, &error);
    *problem = json ? NULL : g_strdup_printf("it is no JSON: %s", error.text);
    return json;
}

static char *in_column(const char *column, char *problem)
{
    char *placed = problem ? g_strdup_printf("%s: %s", column, problem) : NULL;
    g_free(problem);
    return placed;
}

// ---- Rows ----

static char *case_problem(struct check *check, sqlite3_stmt *row)
{
    (void)check;
    char *problem;
    json_decref(json_at(row, 4, &problem));
    return in_column("definition", problem);
}

static char *result_problem(struct check *check, sqlite3_stmt *row)
{
    (void)check;
    char *problem;
    json_t *document = json_at(row, 3, &problem);
    if (document)
        problem = series_problem_json(document);
    const char *status = json_string_value(json_object_get(document, "status"));
    const json_t *reason = json_object_get(document, "reason");
    if (!problem && g_strcmp0(status, text_at(row, 1)) != 0)
        problem = g_strdup("its status is not that of the row");
    if (!problem &&
        g_strcmp0(json_string_value(json_object_get(reason, "kind")), text_at(row, 2)) != 0)
        problem = g_strdup("the kind of its reason is not that of the row");
    json_decref(document);
    return in_column("document", problem);
}

static int64_t count_points(struct check *check, const char *campaign)
{
    sqlite3_stmt *count = NULL;
    int64_t points = -1;
    if (sqlite3_prepare_v2(store_connection(check->store),
                           "SELECT count(*) FROM points WHERE campaign = ?1", -1, &count,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_text(count, 1, campaign, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(count) == SQLITE_ROW)
            points = sqlite3_column_int64(count, 0);
    }
    sqlite3_finalize(count);
    return points;
}

static char *campaign_problem(struct check *check, sqlite3_stmt *row)
{
    char *problem;
    int points = 0;
    json_t *definition = json_at(row, 4, &problem);
    if (definition)
        problem = definition_problem(definition, &points);
    json_decref(definition);
    if (problem)
        return in_column("definition", problem);
    int64_t found = count_points(check, text_at(row, 0));
    return found == points ? NULL
                           : g_strdup_printf("the sweep has %d points, and the table points has "
                                             "%" G_GINT64_FORMAT " of them",
                                             points, found);
}

// A point has a seed, or the reason why it is not possible.
static char *point_problem(struct check *check, sqlite3_stmt *row)
{
    (void)check;
    char *problem;
    json_t *axes = json_at(row, 3, &problem), *value;
    const char *path;
    json_object_foreach(axes, path, value)
    {
        if (!problem && !json_is_string(value))
            problem = g_strdup("its values are no texts");
    }
    if (!problem && !json_is_object(axes))
        problem = g_strdup("an object is expected");
    json_decref(axes);
    bool possible = sqlite3_column_type(row, 2) != SQLITE_NULL;
    if (!problem && possible == (sqlite3_column_type(row, 4) != SQLITE_NULL))
        return g_strdup("just one of seed and problem is expected");
    return in_column("axes", problem);
}

static const struct table tables[] = {
    {"cases",
     1,
     {{"key", NAME}, {"source", TEXT}, {"seed", WHOLE}, {"stack", TEXT}, {"definition", TEXT}},
     case_problem},
    {"results",
     1,
     {{"key", NAME}, {"status", NAME}, {"kind", TEXT_OR_NULL}, {"document", TEXT}},
     result_problem},
    {"measurements",
     2,
     {{"key", NAME},
      {"number", INDEX},
      {"rank", INDEX_OR_NULL},
      {"size", COUNT_OR_NULL},
      {"metric", NAME},
      {"value", REAL_OR_NULL}},
     NULL},
    {"campaigns",
     1,
     {{"id", NAME}, {"number", COUNT}, {"scenario", NAME}, {"source", TEXT}, {"definition", TEXT}},
     campaign_problem},
    {"points",
     2,
     {{"campaign", NAME},
      {"point", INDEX},
      {"seed", SEED_OR_NULL},
      {"axes", TEXT},
      {"problem", TEXT_OR_NULL}},
     point_problem},
    {"series",
     2,
     {{"campaign", NAME}, {"point", INDEX}, {"series", INDEX}, {"name", TEXT}, {"key", NAME}},
     NULL},
};

static char *cells_problem(const struct table *table, sqlite3_stmt *row)
{
    for (int i = 0; i < MOST_COLUMNS && table->columns[i].name; i++)
        if (!fits(row, i, table->columns[i].cell))
            return g_strdup_printf("%s: %s is expected", table->columns[i].name,
                                   nouns[table->columns[i].cell]);
    return NULL;
}

// "table points, campaign c12, point 3: what"; the key may contain anything.
static bool fail_at(struct check *check, sqlite3_stmt *row, const char *what, GError **error)
{
    GString *place = g_string_new(check->table->name);
    for (int i = 0; i < check->table->keys; i++) {
        const char *cell = text_at(row, i);
        char *valid = g_utf8_make_valid(cell ? cell : "", -1);
        g_string_append_printf(place, ", %s %.20s", check->table->columns[i].name, valid);
        g_free(valid);
    }
    // Cut off in the middle of a character.
    char *valid = g_utf8_make_valid(place->str, -1);
    g_set_error(error, STORE_ERROR, 0, "%s: the database is damaged: table %s: %s",
                store_name(check->store), valid, what);
    g_free(valid);
    g_string_free(place, TRUE);
    return false;
}

static bool check_row(struct check *check, sqlite3_stmt *row, GError **error)
{
    char *problem = cells_problem(check->table, row);
    if (!problem && check->table->row)
        problem = check->table->row(check, row);
    bool good = !problem || fail_at(check, row, problem, error);
    g_free(problem);
    return good;
}

static sqlite3_stmt *prepared_check(struct check *check, const char *sql, GError **error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store_connection(check->store), sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(check->store, "the database is damaged", error);
    return statement;
}

static bool check_table(struct check *check, const struct table *table, GError **error)
{
    GString *sql = g_string_new("SELECT");
    for (int i = 0; i < MOST_COLUMNS && table->columns[i].name; i++)
        g_string_append_printf(sql, "%s %s", i ? "," : "", table->columns[i].name);
    g_string_append_printf(sql, " FROM %s ORDER BY 1, 2", table->name);
    check->table = table;
    sqlite3_stmt *rows = prepared_check(check, sql->str, error);
    bool good = rows;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(rows)) == SQLITE_ROW)
        good = check_row(check, rows, error);
    if (good && code != SQLITE_DONE)
        good = store_fail(check->store, "the database is damaged", error);
    sqlite3_finalize(rows);
    g_string_free(sql, TRUE);
    return good;
}

// ---- Rows that go together ----

// A row that such a query finds belongs nowhere.
static const struct {
    const char *table; // whose row it is: its key is what the query gives
    const char *sql;
    const char *what;
} strays[] = {
    {"results", "SELECT key FROM results WHERE key NOT IN (SELECT key FROM cases)",
     "there is no such case"},
    {"measurements",
     "SELECT key, number FROM measurements WHERE key NOT IN (SELECT key FROM cases)",
     "there is no such case"},
    {"points",
     "SELECT campaign, point FROM points WHERE campaign NOT IN (SELECT id FROM campaigns)",
     "there is no such sweep"},
    // All points of a sweep are there (campaign_problem), so that these are not the right ones.
    {"points",
     "SELECT campaign, point FROM points JOIN"
     " (SELECT campaign AS whose, count(*) AS count FROM points GROUP BY campaign)"
     " ON whose = campaign WHERE point >= count",
     "the sweep has no such point"},
    {"series",
     "SELECT campaign, point FROM series AS one WHERE NOT EXISTS (SELECT 1 FROM points WHERE"
     " campaign = one.campaign AND point = one.point AND seed IS NOT NULL)",
     "there is no such point, or it is not possible"},
    {"series",
     "SELECT campaign, point FROM series GROUP BY campaign, point, name HAVING count(*) > 1",
     "two of the series have one name"},
};

static const struct table *table_of(const char *name)
{
    size_t i = 0;
    while (strcmp(tables[i].name, name) != 0)
        i++;
    return &tables[i];
}

static bool check_strays(struct check *check, size_t which, GError **error)
{
    sqlite3_stmt *rows = prepared_check(check, strays[which].sql, error);
    if (!rows)
        return false;
    check->table = table_of(strays[which].table);
    int code = sqlite3_step(rows);
    bool good = code == SQLITE_DONE;
    if (code == SQLITE_ROW)
        fail_at(check, rows, strays[which].what, error);
    else if (!good)
        store_fail(check->store, "the database is damaged", error);
    sqlite3_finalize(rows);
    return good;
}

// ---- Tables ----

// Whether one of our tables is there as we make it: a table of another kind may compute its cells.
static bool check_made(struct check *check, const char *name, const char *layout, GError **error)
{
    sqlite3_stmt *row = prepared_check(
        check, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1", error);
    if (!row)
        return false;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    const char *sql = sqlite3_step(row) == SQLITE_ROW ? text_at(row, 0) : NULL;
    char *statement = sql ? g_strconcat(sql, ";", NULL) : NULL;
    char *start = g_strdup_printf("CREATE TABLE %s (", name);
    bool good = statement && g_str_has_prefix(statement, start) && strstr(layout, statement);
    if (!good)
        g_set_error(error, STORE_ERROR, 0, "%s: the database is damaged: its table %s is %s",
                    store_name(check->store), name, sql ? "another than ours" : "missing");
    g_free(start);
    g_free(statement);
    sqlite3_finalize(row);
    return good;
}

bool store_is_sound(struct store *store, GError **error)
{
    struct check check = {.store = store};
    bool good = true;
    for (size_t i = 0; good && i < G_N_ELEMENTS(tables); i++)
        good = check_made(&check, tables[i].name, store_layout, error);
    for (size_t i = 0; good && i < G_N_ELEMENTS(tables); i++)
        good = check_table(&check, &tables[i], error);
    for (size_t i = 0; good && i < G_N_ELEMENTS(strays); i++)
        good = check_strays(&check, i, error);
    return good;
}
