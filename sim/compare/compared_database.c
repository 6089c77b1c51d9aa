// SPDX-License-Identifier: GPL-3.0-or-later
// Results out of a database: one case by its key, or the points of the newest sweep.
#include "sim/compare/compare.h"

#include "sim/campaign/store.h"
#include "sim/outcome/outcome.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

static bool refuse(GError **error, const char *file, const char *format, const char *what)
{
    char *text = g_strdup_printf(format, what);
    g_set_error(error, STORE_ERROR, 0, "%s: %s", file, text);
    g_free(text);
    return false;
}

// ---- A case ----

static bool is_key(const char *which)
{
    return *which && strspn(which, "0123456789abcdef") == strlen(which);
}

// The keys that start with `which`, at most two of them.
static GPtrArray *keys_like(struct store *store, const char *which, GPtrArray *stacks)
{
    GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(store_connection(store),
                       "SELECT key, stack FROM cases WHERE substr(key, 1, length(?1)) = ?1"
                       " ORDER BY key LIMIT 2",
                       -1, &statement, NULL);
    sqlite3_bind_text(statement, 1, which, -1, SQLITE_TRANSIENT);
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        g_ptr_array_add(keys, g_strdup((const char *)sqlite3_column_text(statement, 0)));
        g_ptr_array_add(stacks, g_strdup((const char *)sqlite3_column_text(statement, 1)));
    }
    sqlite3_finalize(statement);
    return keys;
}

static bool read_case(struct compared *compared, struct store *store, const char *file,
                      const char *which, GError **error)
{
    GPtrArray *stacks = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *keys = keys_like(store, which, stacks);
    bool good = keys->len == 1;
    json_t *result = NULL;
    if (keys->len == 0)
        refuse(error, file, "no case has a key that starts with %s", which);
    else if (!good)
        refuse(error, file, "several cases have a key that starts with %s", which);
    else if (!(result = store_result(store, g_ptr_array_index(keys, 0))))
        good = refuse(error, file, "the case %s has no result", which);
    else
        compared_add_document(compared, g_ptr_array_index(stacks, 0), result);
    json_decref(result);
    g_ptr_array_unref(keys);
    g_ptr_array_unref(stacks);
    return good;
}

// ---- Points of a sweep ----

// The value that `which` gives a parameter, or NULL.
static const char *asked_for(char *const *conditions, const char *parameter)
{
    size_t length = strlen(parameter);
    for (; *conditions; conditions++)
        if (strncmp(*conditions, parameter, length) == 0 && (*conditions)[length] == '=')
            return *conditions + length + 1;
    return NULL;
}

static const char *text_at(const struct outcome *outcome, int point, guint parameter)
{
    return outcome->texts[(guint)point * outcome->parameters->len + parameter];
}

static bool point_is_meant(const struct outcome *outcome, int point, char *const *conditions)
{
    for (guint i = 0; i < outcome->parameters->len; i++) {
        const char *asked = asked_for(conditions, g_ptr_array_index(outcome->parameters, i));
        if (asked && g_strcmp0(asked, text_at(outcome, point, i)) != 0)
            return false;
    }
    return true;
}

// "VIA RPI, lam_via.tiny=4 KiB, seed=2": the series, and all by which the point differs from others
// that are meant.
static char *name_of(const struct outcome *outcome, int point, int series, char *const *conditions)
{
    GString *name = g_string_new(outcome_series_name(outcome, series));
    for (guint i = 0; i < outcome->parameters->len; i++) {
        const char *parameter = g_ptr_array_index(outcome->parameters, i);
        const char *text = text_at(outcome, point, i);
        if (!asked_for(conditions, parameter))
            g_string_append_printf(name, ", %s=%s", parameter, text ? text : "");
    }
    bool named =
        g_ptr_array_find_with_equal_func(outcome->parameters, OUTCOME_SEED, g_str_equal, NULL);
    bool varied = outcome->replications->len > 0 || outcome->problems[point];
    if (!named && varied && outcome->seeds[point] >= 0)
        g_string_append_printf(name, ", seed=%" G_GINT64_FORMAT, outcome->seeds[point]);
    return g_string_free(name, FALSE);
}

static void add_sweep_point(struct compared *compared, const struct outcome *outcome, int point,
                            char *const *conditions)
{
    for (int series = 0; series < (int)outcome->series->len; series++) {
        char *name = name_of(outcome, point, series, conditions);
        const struct outcome_end *end = outcome_end_at(outcome, point, series);
        compared_add_series(compared, name, outcome->problems[point] ? "impossible" : end->status,
                            NULL, end->kind);
        for (int i = 0; i < (int)outcome->curves->len; i++) {
            const struct outcome_curve *curve = outcome_curve_at(outcome, i);
            double value = isnan(curve->values[point]) ? curve->lost[point] : curve->values[point];
            if (curve->series == series && !isnan(value))
                compared_add_value(compared, name, curve->metric, curve->rank, curve->size, value);
        }
        g_free(name);
    }
}

// Whether all that is asked for is a parameter of the sweep.
static bool conditions_are_right(const struct outcome *outcome, char *const *conditions,
                                 const char *file, GError **error)
{
    for (; *conditions; conditions++) {
        bool known = false;
        for (guint i = 0; i < outcome->parameters->len && !known; i++) {
            const char *one[] = {*conditions, NULL};
            known = asked_for((char *const *)one, g_ptr_array_index(outcome->parameters, i));
        }
        if (!known)
            return refuse(error, file, "%s: the sweep does not vary that", *conditions);
    }
    return true;
}

static bool read_sweep(struct compared *compared, struct store *store, const char *file,
                       const char *which, GError **error)
{
    struct outcome *outcome = outcome_read(store, error);
    if (!outcome)
        return false;
    char **conditions = g_strsplit(which ? which : "", ",", -1);
    bool good = conditions_are_right(outcome, conditions, file, error);
    for (int point = 0; good && point < outcome->points; point++)
        if (point_is_meant(outcome, point, conditions))
            add_sweep_point(compared, outcome, point, conditions);
    if (good && compared->series->len == 0)
        good = refuse(error, file, "no point of the sweep has %s", which ? which : "a result");
    g_strfreev(conditions);
    outcome_free(outcome);
    return good;
}

bool compared_read_database(struct compared *compared, const char *file, const char *which,
                            GError **error)
{
    struct store *store = store_open_existing(file, error);
    if (!store)
        return false;
    bool good = which && is_key(which) ? read_case(compared, store, file, which, error)
                                       : read_sweep(compared, store, file, which, error);
    store_close(store);
    return good;
}
