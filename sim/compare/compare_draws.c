// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/compare/compare_draws.h"

#include "sim/outcome/grid.h"
#include "sim/outcome/paired.h"
#include "sim/output/junit.h"
#include "sim/output/text.h"

#include <math.h>
#include <string.h>

// A value of both by draw.
struct drawn_row {
    char *series;
    const char *metric;
    int rank;
    int64_t size;
    double *a, *b; // NAN: none
};

static void free_drawn_row(void *data)
{
    struct drawn_row *row = data;
    g_free(row->series);
    g_free(row->a);
    g_free(row->b);
    g_free(row);
}

// The row of a point, which is made if it is new.
static struct drawn_row *drawn_row_of(GPtrArray *rows, GHashTable *by_place, guint draws,
                                      const struct compared_curve *curve, int64_t size)
{
    char *place = g_strdup_printf("%s\n%s\n%d\n%" G_GINT64_FORMAT, curve->series, curve->metric,
                                  curve->rank, size);
    struct drawn_row *row = g_hash_table_lookup(by_place, place);
    if (row) {
        g_free(place);
        return row;
    }
    row = g_new0(struct drawn_row, 1);
    *row = (struct drawn_row){.series = g_strdup(curve->series),
                              .metric = curve->metric,
                              .rank = curve->rank,
                              .size = size,
                              .a = g_new(double, draws + 1),
                              .b = g_new(double, draws + 1)};
    for (guint i = 0; i < draws; i++)
        row->a[i] = row->b[i] = NAN;
    g_ptr_array_add(rows, row);
    g_hash_table_insert(by_place, place, row);
    return row;
}

static GPtrArray *drawn_rows(const GPtrArray *a, const GPtrArray *b,
                             const struct compare_options *options)
{
    const GPtrArray *const both[] = {a, b};
    GPtrArray *rows = g_ptr_array_new_with_free_func(free_drawn_row);
    GHashTable *by_place = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int which = 0; which < 2; which++)
        for (guint draw = 0; draw < a->len; draw++) {
            const struct compared *compared = g_ptr_array_index(both[which], draw);
            for (guint i = 0; compared && i < compared->curves->len; i++) {
                const struct compared_curve *curve = g_ptr_array_index(compared->curves, i);
                for (guint k = 0; compare_wants(options, curve->metric) && k < curve->points->len;
                     k++) {
                    const struct curve_point *point =
                        &g_array_index(curve->points, struct curve_point, k);
                    struct drawn_row *row =
                        drawn_row_of(rows, by_place, a->len, curve, point->size);
                    (which ? row->b : row->a)[draw] = point->value;
                }
            }
        }
    g_hash_table_unref(by_place);
    return rows;
}

// In how many draws B is outside; *compared: of how many. A draw that neither has is none.
static size_t count_outside(const struct drawn_row *row, guint draws,
                            const struct compare_options *options, size_t *compared)
{
    size_t outside = 0;
    *compared = 0;
    for (guint i = 0; i < draws; i++) {
        bool has_a = !isnan(row->a[i]), has_b = !isnan(row->b[i]);
        if ((!has_a && !has_b) || (options->common && has_a != has_b))
            continue;
        ++*compared;
        outside += has_a != has_b ||
                   !tolerances_allow(options->tolerances, row->metric, row->a[i], row->b[i]);
    }
    return outside;
}

static const char *drawn_verdict(size_t outside, size_t compared)
{
    struct share share = share_of(outside, compared);
    enum share_verdict verdict = share_judge(&share);
    return verdict <= SHARE_IN_FEW ? "within" : verdict >= SHARE_IN_MOST ? "outside" : "undecided";
}

static json_t *value_json(const double *values, guint draws)
{
    struct band band = band_of(values, draws);
    if (band.n == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "median", band.median, "low", band.low, "high", band.high);
}

static json_t *drawn_row_json(const struct drawn_row *row, guint draws,
                              const struct compare_options *options)
{
    size_t compared, outside = count_outside(row, draws, options, &compared);
    if (compared == 0)
        return NULL;
    double *changes = g_new(double, draws + 1);
    for (guint i = 0; i < draws; i++) {
        double change = row->a[i] == row->b[i] ? 0.0 : row->b[i] / row->a[i] - 1.0;
        changes[i] = isfinite(change) ? change : NAN;
    }
    struct paired paired = paired_of(changes, draws);
    g_free(changes);
    json_t *json = paired_json(&paired);
    json_object_set_new(json, "series", json_string(row->series));
    json_object_set_new(json, "metric", json_string(row->metric));
    json_object_set_new(json, "rank", row->rank < 0 ? json_null() : json_integer(row->rank));
    json_object_set_new(json, "size_bytes", row->size < 0 ? json_null() : json_integer(row->size));
    json_object_set_new(json, "a", value_json(row->a, draws));
    json_object_set_new(json, "b", value_json(row->b, draws));
    json_object_set_new(json, "compared", json_integer((json_int_t)compared));
    json_object_set_new(json, "outside", json_integer((json_int_t)outside));
    json_object_set_new(json, "verdict", json_string(drawn_verdict(outside, compared)));
    return json;
}

// ---- Series ----

static void count_completed(json_t *list, const GPtrArray *results, const char *side)
{
    for (guint draw = 0; draw < results->len; draw++) {
        const struct compared *compared = g_ptr_array_index(results, draw);
        for (guint i = 0; compared && i < compared->series->len; i++) {
            const struct compared_series *series = g_ptr_array_index(compared->series, i);
            json_t *one, *found = NULL;
            size_t k;
            json_array_foreach(list, k, one)
            {
                if (strcmp(json_string_value(json_object_get(one, "series")), series->name) == 0)
                    found = one;
            }
            if (!found) {
                found = json_pack("{s:s, s:i, s:i}", "series", series->name, "a", 0, "b", 0);
                json_array_append_new(list, found);
            }
            json_int_t count = json_integer_value(json_object_get(found, side));
            bool good = g_strcmp0(series->status, "completed") == 0;
            json_object_set_new(found, side, json_integer(count + good));
        }
    }
}

json_t *compare_draws(const GPtrArray *a, const GPtrArray *b, const struct compare_options *options)
{
    json_t *rows = json_array(), *series = json_array(), *tolerances = json_array();
    GPtrArray *list = drawn_rows(a, b, options);
    bool same = true;
    for (guint i = 0; i < list->len; i++) {
        json_t *row = drawn_row_json(g_ptr_array_index(list, i), a->len, options);
        if (!row)
            continue;
        same &= strcmp(json_string_value(json_object_get(row, "verdict")), "within") == 0;
        json_array_append_new(rows, row);
    }
    g_ptr_array_unref(list);
    count_completed(series, a, "a");
    count_completed(series, b, "b");
    const char *const *text = options->tolerances ? tolerances_texts(options->tolerances) : NULL;
    for (; text && *text; text++)
        json_array_append_new(tolerances, json_string(*text));
    return json_pack("{s:b, s:i, s:o, s:o, s:o}", "same", same, "draws", (int)a->len, "tolerances",
                     tolerances, "series", series, "rows", rows);
}

// ---- Text ----

static const char *drawn_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static char *drawn_place(const json_t *row)
{
    const json_t *rank = json_object_get(row, "rank"), *size = json_object_get(row, "size_bytes");
    GString *text = g_string_new(NULL);
    if (json_is_integer(rank))
        g_string_append_printf(text, "rank %d ", (int)json_integer_value(rank));
    if (json_is_integer(size))
        g_string_append_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(size));
    return g_strchomp(g_string_free(text, FALSE));
}

static char *drawn_value(const json_t *value)
{
    if (!json_is_object(value))
        return g_strdup("-");
    return text_with_band(json_number_value(json_object_get(value, "median")),
                          json_number_value(json_object_get(value, "low")),
                          json_number_value(json_object_get(value, "high")));
}

// "all draws", "97 % of the draws", "-" if nothing changes.
static char *drawn_share(const json_t *row)
{
    char *share = paired_share_text(row);
    char *text = strcmp(share, "all") == 0 ? g_strdup("all draws")
                 : strcmp(share, "-") == 0 ? g_strdup("-")
                                           : g_strdup_printf("%s of the draws", share);
    g_free(share);
    return text;
}

char *compare_draws_text(const json_t *comparison)
{
    static const char *const head[] = {"", "", "metric", "size", "A", "B", "change", "sign in"};
    GString *out = g_string_new(NULL);
    const json_t *row, *series;
    size_t i, within = 0, outside = 0,
              draws = (size_t)json_integer_value(json_object_get(comparison, "draws"));
    struct grid grid = grid_new(G_N_ELEMENTS(head), 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6);
    for (size_t k = 0; k < G_N_ELEMENTS(head); k++)
        grid_add(&grid, head[k]);
    json_array_foreach(json_object_get(comparison, "rows"), i, row)
    {
        within += strcmp(drawn_word(row, "verdict"), "within") == 0;
        outside += strcmp(drawn_word(row, "verdict"), "outside") == 0;
        grid_add(&grid, drawn_word(row, "verdict"));
        grid_add(&grid, drawn_word(row, "series"));
        grid_add(&grid, drawn_word(row, "metric"));
        grid_take(&grid, drawn_place(row));
        grid_take(&grid, drawn_value(json_object_get(row, "a")));
        grid_take(&grid, drawn_value(json_object_get(row, "b")));
        grid_take(&grid, paired_change_text(row));
        grid_take(&grid, drawn_share(row));
    }
    g_string_append_printf(out, "%zu draws: medians (5 %% .. 95 %%), changes draw by draw\n",
                           draws);
    grid_print(&grid, out);
    json_array_foreach(json_object_get(comparison, "series"), i, series)
    {
        int a = (int)json_integer_value(json_object_get(series, "a"));
        int b = (int)json_integer_value(json_object_get(series, "b"));
        if (a < (int)draws || b < (int)draws)
            g_string_append_printf(out, "%s: %d draws completed in A, %d in B\n",
                                   drawn_word(series, "series"), a, b);
    }
    size_t all = json_array_size(json_object_get(comparison, "rows"));
    g_string_append_printf(out, "%zu within, %zu outside, %zu undecided", within, outside,
                           all - within - outside);
    json_array_foreach(json_object_get(comparison, "tolerances"), i, row)
    {
        g_string_append_printf(out, "%s%s", i ? ", " : " of a tolerance of ",
                               json_string_value(row));
    }
    g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}

// ---- JUnit ----

static void add_drawn_case(struct junit *junit, const json_t *row)
{
    const char *verdict = drawn_word(row, "verdict"), *series = drawn_word(row, "series");
    char *place = drawn_place(row), *a = drawn_value(json_object_get(row, "a"));
    char *b = drawn_value(json_object_get(row, "b")), *change = paired_change_text(row);
    char *name = g_strdup_printf("%s%s%s", drawn_word(row, "metric"), *place ? " at " : "", place);
    char *message =
        g_strdup_printf("%s: A %s, B %s, change %s; outside in %d of %d draws", verdict, a, b,
                        change, (int)json_integer_value(json_object_get(row, "outside")),
                        (int)json_integer_value(json_object_get(row, "compared")));
    junit_add(junit, series, series, name,
              strcmp(verdict, "within") == 0 ? JUNIT_PASSED : JUNIT_FAILED, verdict, message);
    g_free(message);
    g_free(name);
    g_free(change);
    g_free(b);
    g_free(a);
    g_free(place);
}

char *compare_draws_junit(const json_t *comparison)
{
    struct junit *junit = junit_new();
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(comparison, "rows"), i, row)
    {
        add_drawn_case(junit, row);
    }
    char *text = junit_text(junit);
    junit_free(junit);
    return text;
}
