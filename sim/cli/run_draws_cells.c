// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/run_draws_internal.h"
#include "sim/measure/result.h"

#include <stdlib.h>
#include <string.h>

const char *draws_text_at(const json_t *value, const char *key)
{
    return json_string_value(json_object_get(value, key));
}

double draws_number_at(const json_t *value, const char *key)
{
    return json_number_value(json_object_get(value, key));
}

char *draws_row_name(const json_t *value)
{
    const json_t *size = json_object_get(value, "size_bytes");
    const json_t *rank = json_object_get(value, "rank");
    GString *text = g_string_new(NULL);
    if (json_is_integer(size))
        g_string_append_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(size));
    if (json_is_integer(rank))
        g_string_append_printf(text, "%srank %" JSON_INTEGER_FORMAT, text->len ? ", " : "",
                               json_integer_value(rank));
    return g_string_free(text, FALSE);
}

// ---- Values ----

static void free_cell(void *data)
{
    struct cell *cell = data;
    json_decref(cell->place);
    g_array_unref(cell->values);
    g_array_unref(cell->draws);
    g_free(cell);
}

static void add_cell_value(struct cells *cells, json_t *place, double value)
{
    char *key = json_dumps(place, JSON_COMPACT);
    struct cell *cell = g_hash_table_lookup(cells->by_place, key);
    if (!cell) {
        cell = g_new0(struct cell, 1);
        cell->place = json_incref(place);
        cell->values = g_array_new(FALSE, FALSE, sizeof(double));
        cell->draws = g_array_new(FALSE, FALSE, sizeof(int));
        g_ptr_array_add(cells->list, cell);
        g_hash_table_insert(cells->by_place, g_strdup(key), cell);
    }
    g_array_append_val(cell->values, value);
    g_array_append_val(cell->draws, cells->draw);
    free(key);
    json_decref(place);
}

static json_t *draws_place(const json_t *series, const json_t *size, const json_t *rank,
                           const char *metric)
{
    return json_pack("{s:O, s:O?, s:O?, s:s, s:s}", "series", json_object_get(series, "name"),
                     "size_bytes", size, "rank", rank, "metric", metric, "unit",
                     metric_unit(metric));
}

// The values of one series in one draw.
static void add_drawn_series(struct cells *cells, const json_t *series)
{
    size_t i;
    json_t *point, *value;
    json_array_foreach(json_object_get(series, "points"), i, point)
    {
        const char *key;
        json_t *number, *size = json_object_get(point, "size_bytes");
        json_object_foreach(point, key, number) if (number != size && json_is_number(number))
            add_cell_value(cells, draws_place(series, size, NULL, key), json_number_value(number));
    }
    json_array_foreach(json_object_get(series, "values"), i, value)
    {
        json_t *number = json_object_get(value, "value");
        if (json_is_number(number))
            add_cell_value(cells,
                           draws_place(series, json_object_get(value, "size_bytes"),
                                       json_object_get(value, "rank"),
                                       json_string_value(json_object_get(value, "metric"))),
                           json_number_value(number));
    }
}

const double *cell_values(const struct cell *cell)
{
    return (const double *)(const void *)cell->values->data;
}

const char *cells_metric(const struct cells *cells, const char *series)
{
    for (guint i = 0; i < cells->list->len; i++) {
        const struct cell *cell = g_ptr_array_index(cells->list, i);
        if (strcmp(draws_text_at(cell->place, "series"), series) == 0)
            return draws_text_at(cell->place, "metric");
    }
    return NULL;
}

GPtrArray *cells_of(const struct cells *cells, const char *series, const char *metric)
{
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; i < cells->list->len; i++) {
        struct cell *cell = g_ptr_array_index(cells->list, i);
        if (strcmp(draws_text_at(cell->place, "series"), series) == 0 &&
            strcmp(draws_text_at(cell->place, "metric"), metric) == 0 && cell->values->len >= 2)
            g_ptr_array_add(found, cell);
    }
    return found;
}

// ---- Results ----

static bool draw_completed(const json_t *series)
{
    return g_strcmp0(draws_text_at(series, "status"), "completed") == 0;
}

// Why a series failed: {"kind", "text"}. A series whose process has ended has no reason.
static json_t *failure_of(const json_t *series)
{
    const json_t *reason = json_object_get(series, "reason");
    const char *kind = draws_text_at(reason, "kind"), *text = draws_text_at(reason, "text");
    return json_pack("{s:s, s:s}", "kind", kind ? kind : draws_text_at(series, "status"), "text",
                     text ? text : "no reason was given");
}

void cells_add(struct cells *cells, const json_t *result)
{
    const json_t *series;
    size_t i;
    cells->draw++;
    json_array_foreach(json_object_get(result, "series"), i, series)
    {
        bool completed = draw_completed(series);
        g_ptr_array_add(g_ptr_array_index(cells->reasons, i),
                        completed ? NULL : failure_of(series));
        if (completed)
            add_drawn_series(cells, series);
    }
}

static void free_reason(void *data)
{
    json_decref(data);
}

static void free_reasons(void *data)
{
    g_ptr_array_unref(data);
}

struct cells cells_new(guint series)
{
    struct cells cells = {g_ptr_array_new_with_free_func(free_cell),
                          g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), 0,
                          g_ptr_array_new_with_free_func(free_reasons)};
    for (guint i = 0; i < series; i++)
        g_ptr_array_add(cells.reasons, g_ptr_array_new_with_free_func(free_reason));
    return cells;
}

void cells_clear(struct cells *cells)
{
    g_ptr_array_unref(cells->reasons);
    g_hash_table_unref(cells->by_place);
    g_ptr_array_unref(cells->list);
}
