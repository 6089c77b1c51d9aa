// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/compare/curve.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/measure/result.h"

#include <string.h>

// ---- Reading ----

static bool append_set(GString *sets, const struct node *node, const char *path,
                       struct diag_list *diags)
{
    const char *text = reader_text(node, path, "a setting PATH=VALUE", diags);
    if (!text)
        return false;
    if (!strchr(text, '=') || strchr(text, '\n')) {
        diag_add(diags, node->mark, path, "write PATH=VALUE, as --set has it",
                 "\"%.64s\" is no setting", text);
        return false;
    }
    g_string_append_printf(sets, "%s%s", sets->len > 0 ? "\n" : "", text);
    return true;
}

const char *curve_sets_read(const struct node *node, const char *path, struct diag_list *diags)
{
    GString *sets = g_string_new(NULL);
    bool good = true;
    if (node->kind == NODE_LIST)
        for (guint i = 0; i < node->children->len; i++)
            good &= append_set(sets, g_ptr_array_index(node->children, i), path, diags);
    else
        good = append_set(sets, node, path, diags);
    const char *text = good ? intern_text(sets->str) : NULL;
    g_string_free(sets, TRUE);
    return text;
}

static const char *read_name(const struct node *map, const char *key, const char *path,
                             const char *fallback, struct diag_list *diags)
{
    const struct node *node = node_get(map, key);
    return node ? intern_text(reader_text(node, path, "a name", diags)) : fallback;
}

static bool read_rank(struct curve *curve, const struct node *node, const char *path,
                      struct diag_list *diags)
{
    int64_t rank;
    if (!node)
        return true;
    if (!reader_count(node, path, 0, INT16_MAX, &rank, diags))
        return false;
    curve->of_rank = (int)rank + 1;
    return true;
}

// Reads the second curve of a relation, which may not be a relation itself.
static bool read_other(struct curve *curve, const struct node *map, const char *path,
                       struct diag_list *diags)
{
    const struct node *over = node_get(map, "over"), *minus = node_get(map, "minus");
    if (!over && !minus)
        return true;
    if (over && minus) {
        diag_add(diags, minus->key_mark, path, NULL, "it is either `over` or `minus`, not both");
        return false;
    }
    curve->relation = over ? CURVE_OVER : CURVE_MINUS;
    curve->other = curve_read(over ? over : minus, path, curve, diags);
    if (curve->other && curve->other->relation != CURVE_ALONE) {
        diag_add(diags, map->mark, path, NULL, "a relation of a relation can't be checked");
        return false;
    }
    return curve->other != NULL;
}

static bool read_map(struct curve *curve, const struct node *map, const char *path,
                     struct diag_list *diags)
{
    static const char *const keys[] = {"series", "scenario", "set",   "metric",
                                       "rank",   "over",     "minus", NULL};
    if (!reader_keys(map, path, keys, diags))
        return false;
    curve->series = read_name(map, "series", path, curve->series, diags);
    curve->scenario = read_name(map, "scenario", path, curve->scenario, diags);
    curve->metric = read_name(map, "metric", path, curve->metric, diags);
    const struct node *set = node_get(map, "set");
    if (set && !(curve->sets = curve_sets_read(set, path, diags)))
        return false;
    if (!read_rank(curve, node_get(map, "rank"), path, diags))
        return false;
    return read_other(curve, map, path, diags);
}

struct curve *curve_read(const struct node *node, const char *path, const struct curve *defaults,
                         struct diag_list *diags)
{
    struct curve *curve = g_new0(struct curve, 1);
    curve->scenario = defaults->scenario;
    curve->sets = defaults->sets ? defaults->sets : "";
    curve->metric = defaults->metric;
    curve->of_rank = defaults->of_rank;
    bool good = true;
    if (node->kind == NODE_MAP)
        good = read_map(curve, node, path, diags);
    else
        curve->series = intern_text(reader_text(node, path, "the name of a series", diags));
    if (good && (!curve->series || !curve->scenario)) {
        diag_add(diags, node->mark, path, NULL, "a curve needs %s",
                 curve->series ? "a scenario" : "a series");
        good = false;
    }
    if (good)
        return curve;
    curve_free(curve);
    return NULL;
}

struct curve *curve_copy(const struct curve *curve)
{
    struct curve *copy = g_new(struct curve, 1);
    *copy = *curve;
    if (curve->other)
        copy->other = curve_copy(curve->other);
    return copy;
}

void curve_free(struct curve *curve)
{
    if (!curve)
        return;
    curve_free(curve->other);
    g_free(curve);
}

// ---- Saying ----

static void append_label(GString *out, const struct curve *curve)
{
    g_string_append(out, curve->series);
    if (curve->of_rank > 0)
        g_string_append_printf(out, ", rank %d", curve->of_rank - 1);
    if (!*curve->sets)
        return;
    char **sets = g_strsplit(curve->sets, "\n", -1);
    char *joined = g_strjoinv(", ", sets);
    g_string_append_printf(out, " (%s)", joined);
    g_free(joined);
    g_strfreev(sets);
}

char *curve_label(const struct curve *curve)
{
    GString *out = g_string_new(NULL);
    append_label(out, curve);
    if (curve->other) {
        g_string_append(out, curve->relation == CURVE_OVER ? " / " : " - ");
        append_label(out, curve->other);
        if (curve->other->scenario != curve->scenario)
            g_string_append_printf(out, " of %s", curve->other->scenario);
    }
    return g_string_free(out, FALSE);
}

const char *curve_unit(const struct curve *curve)
{
    return curve->relation == CURVE_OVER || !curve->metric ? "" : metric_unit(curve->metric);
}

// ---- Points ----

json_t *curve_find_series(json_t *result, const char *name)
{
    size_t index;
    json_t *one;
    json_array_foreach(json_object_get(result, "series"), index, one)
    {
        if (g_strcmp0(json_string_value(json_object_get(one, "name")), name) == 0)
            return one;
    }
    return NULL;
}

static void curve_add_point(GArray *points, json_t *size, json_t *value)
{
    struct curve_point point = {
        .size = json_is_integer(size) ? json_integer_value(size) : -1,
        .value = json_number_value(value),
    };
    if (json_is_number(value))
        g_array_append_val(points, point);
}

static gint by_curve_point(gconstpointer a, gconstpointer b)
{
    const struct curve_point *p = a, *q = b;
    return (p->size > q->size) - (p->size < q->size);
}

// Whether a value is of the rank that is meant.
static bool is_of_rank(json_t *rank, int of_rank)
{
    return of_rank == 0 ? json_is_null(rank)
                        : json_is_integer(rank) && json_integer_value(rank) == of_rank - 1;
}

static GArray *points_of(json_t *series, const char *metric, int of_rank)
{
    GArray *points = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    size_t index;
    json_t *one;
    json_array_foreach(of_rank == 0 ? json_object_get(series, "points") : NULL, index, one)
    {
        curve_add_point(points, json_object_get(one, "size_bytes"), json_object_get(one, metric));
    }
    json_array_foreach(json_object_get(series, "values"), index, one)
    {
        const char *name = json_string_value(json_object_get(one, "metric"));
        if (g_strcmp0(name, metric) == 0 && is_of_rank(json_object_get(one, "rank"), of_rank))
            curve_add_point(points, json_object_get(one, "size_bytes"),
                            json_object_get(one, "value"));
    }
    g_array_sort(points, by_curve_point);
    return points;
}

GArray *curve_points_of(json_t *series, const char *metric)
{
    return points_of(series, metric, 0);
}

GArray *curve_own_points(json_t *series, const struct curve *curve)
{
    return points_of(series, curve->metric, curve->of_rank);
}

const struct curve_point *curve_at(const GArray *points, int64_t size)
{
    for (guint i = 0; i < points->len; i++) {
        const struct curve_point *point = &g_array_index(points, struct curve_point, i);
        if (point->size == size)
            return point;
    }
    return NULL;
}
