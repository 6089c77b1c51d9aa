// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/run_draws_internal.h"
#include "sim/measure/result.h"
#include "sim/output/csv_field.h"
#include "sim/output/table.h"
#include "sim/output/text.h"
#include "sim/statistics/band.h"

#include <math.h>
#include <string.h>

// ---- Tables ----

// "74.03 (68.12 .. 80.90)": four digits of the largest. The caller frees it.
static char *band_text(const json_t *value)
{
    double median = draws_number_at(value, "median"), low = draws_number_at(value, "low");
    double high = draws_number_at(value, "high"), most = MAX(fabs(low), fabs(high));
    int digits = most > 0.0 ? CLAMP(3 - (int)floor(log10(most)), 0, 9) : 0;
    return g_strdup_printf("%.*f (%.*f .. %.*f)", digits, median, digits, low, digits, high);
}

// The texts of one metric: a column per series, a row per size and rank.
struct draws_table {
    GPtrArray *rows;   // char *, owned
    GHashTable *cells; // "row\nseries" -> char *
    const json_t *series;
};

static void take_metric(struct draws_table *table, const json_t *values, const char *metric)
{
    size_t i;
    const json_t *value;
    json_array_foreach(values, i, value)
    {
        if (strcmp(draws_text_at(value, "metric"), metric) != 0)
            continue;
        char *row = draws_row_name(value);
        g_hash_table_insert(table->cells,
                            g_strdup_printf("%s\n%s", row, draws_text_at(value, "series")),
                            band_text(value));
        if (g_ptr_array_find_with_equal_func(table->rows, row, g_str_equal, NULL))
            g_free(row);
        else
            g_ptr_array_add(table->rows, row);
    }
}

static const char *cell_text(const struct draws_table *table, const char *row, const char *series)
{
    char *key = g_strdup_printf("%s\n%s", row, series);
    const char *text = g_hash_table_lookup(table->cells, key);
    g_free(key);
    return text ? text : "-";
}

static void append_metric(GString *out, const struct draws_table *table, const char *metric)
{
    const char *unit = metric_unit(metric);
    char *label = text_metric_label(metric);
    int width = 8;
    g_string_append_printf(out, "%s%s%s, median (5 %% .. 95 %%)\n", label, *unit ? ", " : "", unit);
    g_free(label);
    for (guint i = 0; i < table->rows->len; i++)
        width = MAX(width, text_width(g_ptr_array_index(table->rows, i)));
    size_t k;
    const json_t *series;
    int *widths = g_new0(int, json_array_size(table->series) + 1);
    text_append_right(out, "", width);
    json_array_foreach(table->series, k, series)
    {
        widths[k] = text_width(draws_text_at(series, "name"));
        for (guint i = 0; i < table->rows->len; i++)
            widths[k] =
                MAX(widths[k], text_width(cell_text(table, g_ptr_array_index(table->rows, i),
                                                    draws_text_at(series, "name"))));
        g_string_append(out, "   ");
        text_append_right(out, draws_text_at(series, "name"), widths[k]);
    }
    for (guint i = 0; i < table->rows->len; i++) {
        const char *row = g_ptr_array_index(table->rows, i);
        g_string_append_c(out, '\n');
        text_append_right(out, row, width);
        json_array_foreach(table->series, k, series)
        {
            g_string_append(out, "   ");
            text_append_right(out, cell_text(table, row, draws_text_at(series, "name")), widths[k]);
        }
    }
    g_string_append(out, "\n\n");
    g_free(widths);
}

// ---- Notes ----

// Below so many draws the ends of a band are uncertain enough to be mentioned.
#define DRAWS_MANY 1000

static const char *ordinal_ending(size_t number)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    bool teen = number / 10 % 10 == 1;
    return teen || number % 10 > 3 ? endings[0] : endings[number % 10];
}

// Both ends are alike, counted from outside.
static void append_ends(GString *out, size_t draws)
{
    struct band_ranks ranks = band_quantile_ranks(draws, BAND_LOW);
    if (draws < 2 || draws >= DRAWS_MANY)
        return;
    g_string_append_printf(out, "; with so many the 5 %% end may be anywhere ");
    if (ranks.from == 0)
        g_string_append(out, "up to");
    else
        g_string_append_printf(out, "from the %zu%s to", ranks.from, ordinal_ending(ranks.from));
    g_string_append_printf(out, " the %zu%s least value, and the 95 %% end likewise", ranks.to,
                           ordinal_ending(ranks.to));
}

static void append_notes(GString *out, const json_t *document)
{
    size_t i;
    const json_t *path;
    json_int_t draws = json_integer_value(json_object_get(document, "draws"));
    g_string_append_printf(out, "%" JSON_INTEGER_FORMAT " draws of the uncertain constants", draws);
    append_ends(out, (size_t)draws);
    g_string_append_c(out, '\n');
    draws_append_failures(out, document);
    draws_append_pairs(out, document);
    if (!draws_append_total(out, document))
        draws_append_causes(out, document);
    json_array_foreach(json_object_get(document, "fitted"), i, path) g_string_append_printf(
        out, "%s%s", i ? ", " : "fitted for the medians, and not drawn: ", json_string_value(path));
    g_string_append(out, i ? "\n" : "");
}

char *run_draws_text(const json_t *document, char **metrics)
{
    GString *out = g_string_new(NULL);
    GPtrArray *done = g_ptr_array_new();
    size_t i;
    const json_t *value, *values = json_object_get(document, "values");
    json_array_foreach(values, i, value)
    {
        const char *metric = draws_text_at(value, "metric");
        if (g_ptr_array_find_with_equal_func(done, metric, g_str_equal, NULL))
            continue;
        g_ptr_array_add(done, (char *)metric);
        if (!table_shows((const char *const *)metrics, metric))
            continue;
        struct draws_table table = {g_ptr_array_new_with_free_func(g_free),
                                    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                                    json_object_get(document, "series")};
        take_metric(&table, values, metric);
        append_metric(out, &table, metric);
        g_ptr_array_unref(table.rows);
        g_hash_table_unref(table.cells);
    }
    g_ptr_array_unref(done);
    append_notes(out, document);
    return g_string_free(out, FALSE);
}

static void append_csv_number(GString *out, const json_t *number)
{
    g_string_append_c(out, ',');
    if (json_is_integer(number)) {
        g_string_append_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    } else if (json_is_real(number)) {
        char *text = text_exact(json_real_value(number));
        g_string_append(out, text);
        g_free(text);
    }
}

char *run_draws_csv(const json_t *document, char **metrics)
{
    static const char *const numbers[] = {"n", "median", "low", "high", NULL};
    GString *out = g_string_new("series,rank,size,metric,unit,n,median,low,high\n");
    size_t i;
    const json_t *value;
    json_array_foreach(json_object_get(document, "values"), i, value)
    {
        if (metrics &&
            !text_metric_is_among(draws_text_at(value, "metric"), (const char *const *)metrics))
            continue;
        csv_append_field(out, draws_text_at(value, "series"));
        append_csv_number(out, json_object_get(value, "rank"));
        append_csv_number(out, json_object_get(value, "size_bytes"));
        g_string_append_c(out, ',');
        csv_append_field(out, draws_text_at(value, "metric"));
        g_string_append_c(out, ',');
        csv_append_field(out, draws_text_at(value, "unit"));
        for (const char *const *number = numbers; *number; number++)
            append_csv_number(out, json_object_get(value, *number));
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}
