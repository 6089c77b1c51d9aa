// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/run_draws.h"

#include "sim/campaign/campaign.h"
#include "sim/measure/result.h"
#include "sim/output/csv_field.h"
#include "sim/output/progress.h"
#include "sim/output/table.h"
#include "sim/output/text.h"
#include "sim/scenario/draw.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The ends of the central 90 %. With fewer than 20 draws they are nearly the least and the most.
#define LOW 0.05
#define HIGH 0.95

static const char *draws_text_at(const json_t *value, const char *key)
{
    return json_string_value(json_object_get(value, key));
}

// ---- Constants that are not drawn ----

// The fitted constants that a case reads. They keep their values, though in another machine the fit
// would have found others: bands are wider than those of a machine that is known to be calibrated.
static json_t *fitted_constants(const struct run_draws *run)
{
    json_t *list = json_array();
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, i);
        for (guint k = 0; k < test_case->sections->len; k++) {
            const struct param_values *values = g_ptr_array_index(test_case->sections, k);
            if (!scenario_case_reads(test_case, run->schema, values->path))
                continue;
            for (int at = 0; values->table->params[at].name; at++) {
                const char *source = values->sources[at];
                char *path = g_strdup_printf("%s.%s", values->path, values->table->params[at].name);
                if (source && g_str_has_prefix(source, "fitted") &&
                    !g_hash_table_contains(seen, path))
                    json_array_append_new(list, json_string(path));
                g_hash_table_add(seen, path);
            }
        }
    }
    g_hash_table_unref(seen);
    return list;
}

// ---- Running ----

static void on_draw(void *owner, int done, int total, const char *name)
{
    (void)total;
    progress_update(owner, done, 0.0, name);
}

static bool add_draws(const struct run_draws *run, struct campaign *campaign)
{
    GPtrArray *sets = g_ptr_array_new(), *series = g_ptr_array_new();
    for (char **set = run->sets; set && *set; set++)
        g_ptr_array_add(sets, *set);
    g_ptr_array_add(sets, NULL);
    g_ptr_array_add(sets, NULL);
    for (guint i = 0; i < run->scenario->cases->len; i++)
        g_ptr_array_add(series,
                        ((struct scenario_case *)g_ptr_array_index(run->scenario->cases, i))->name);
    g_ptr_array_add(series, NULL);
    struct diag_list *diags = diag_list_new();
    bool good = true;
    for (int draw = 1; good && draw <= run->draws; draw++) {
        char *set = g_strdup_printf("draw=%d", draw);
        sets->pdata[sets->len - 2] = set;
        good = campaign_add_series(campaign, run->scenario->file, (const char *const *)sets->pdata,
                                   (const char *const *)series->pdata, run->seed, diags) >= 0;
        g_free(set);
    }
    diag_print(diags, stderr);
    diag_list_free(diags);
    g_ptr_array_free(sets, TRUE);
    g_ptr_array_free(series, TRUE);
    return good;
}

// ---- Quantiles ----

// A metric of a series at a size or of a rank, with its value in each draw that completed.
struct cell {
    json_t *place;  // {"series", "size_bytes", "rank", "metric", "unit"}
    GArray *values; // double
    GArray *draws;  // int, the draw of each
};

struct cells {
    GPtrArray *list; // struct cell *, in the order of the first draw that has it
    GHashTable *by_place;
    int draw; // that is added
};

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

static int compare_values(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static json_t *cell_json(const struct cell *cell)
{
    g_array_sort(cell->values, compare_values);
    const double *sorted = (const double *)(const void *)cell->values->data;
    size_t n = cell->values->len;
    json_t *json = json_copy(cell->place);
    json_object_set_new(json, "n", json_integer((json_int_t)n));
    json_object_set_new(json, "median", json_real(gsl_stats_median_from_sorted_data(sorted, 1, n)));
    json_object_set_new(json, "low",
                        json_real(gsl_stats_quantile_from_sorted_data(sorted, 1, n, LOW)));
    json_object_set_new(json, "high",
                        json_real(gsl_stats_quantile_from_sorted_data(sorted, 1, n, HIGH)));
    return json;
}

// How many draws completed, of each series.
static json_t *completed_json(const struct campaign *campaign, const struct run_draws *run,
                              struct cells *cells)
{
    json_t *counts = json_array();
    for (guint i = 0; i < run->scenario->cases->len; i++)
        json_array_append_new(counts, json_integer(0));
    for (int draw = 0; draw < run->draws; draw++) {
        json_t *result = campaign_result(campaign, draw), *series;
        cells->draw = draw + 1;
        size_t i;
        json_array_foreach(json_object_get(result, "series"), i, series)
        {
            if (g_strcmp0(json_string_value(json_object_get(series, "status")), "completed") != 0)
                continue;
            json_t *count = json_array_get(counts, i);
            json_integer_set(count, json_integer_value(count) + 1);
            add_drawn_series(cells, series);
        }
        json_decref(result);
    }
    json_t *list = json_array();
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, i);
        json_array_append_new(list, json_pack("{s:s, s:O}", "name", test_case->name, "completed",
                                              json_array_get(counts, i)));
    }
    json_decref(counts);
    return list;
}

// ---- Causes ----

#define CHANCE 0.05 // that the largest of all correlations is beyond the bound by chance

struct input_share {
    const char *name;
    double share; // of the variance of the ranks, mean over sizes
};

static int compare_shares(const void *a, const void *b)
{
    double one = ((const struct input_share *)a)->share;
    double other = ((const struct input_share *)b)->share;
    return one > other ? -1 : one < other;
}

// The cells of a metric of a series, with two values at least.
static GPtrArray *cells_of(const struct cells *cells, const char *series, const char *metric)
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

// Room for the ranks of as many draws as there are.
struct ranking {
    double *quantiles; // of an input, by draw - 1
    double *inputs;    // of those draws that a cell has
    double *work;      // twice as long
};

// The square of the rank correlation of a cell with an input.
static double rank_share(const struct cell *cell, const struct ranking *ranking)
{
    size_t n = cell->values->len;
    for (size_t i = 0; i < n; i++)
        ranking->inputs[i] = ranking->quantiles[g_array_index(cell->draws, int, i) - 1];
    double r = gsl_stats_spearman(
        ranking->inputs, 1, (const double *)(const void *)cell->values->data, 1, n, ranking->work);
    return isnan(r) ? 0.0 : r * r;
}

static double mean_share(const GPtrArray *cells, const struct ranking *ranking)
{
    double sum = 0.0;
    for (guint i = 0; i < cells->len; i++)
        sum += rank_share(g_ptr_array_index(cells, i), ranking);
    return sum / MAX(cells->len, 1);
}

// The inputs that the cells depend on, beyond what chance makes of as many, the greatest first.
static GArray *input_shares(const GPtrArray *cells, const GPtrArray *inputs, int draws)
{
    GArray *shares = g_array_new(FALSE, FALSE, sizeof(struct input_share));
    struct ranking ranking = {g_new(double, draws), g_new(double, draws), g_new(double, 2 * draws)};
    double z = gsl_cdf_ugaussian_Qinv(CHANCE / 2 / MAX(inputs->len, 1));
    double bound = z * z / MAX(draws - 1, 1);
    for (guint i = 0; i < inputs->len; i++) {
        struct input_share share = {.name = g_ptr_array_index(inputs, i)};
        for (int draw = 0; draw < draws; draw++)
            ranking.quantiles[draw] = draw_quantile(draw + 1, share.name);
        share.share = mean_share(cells, &ranking);
        if (share.share > bound)
            g_array_append_val(shares, share);
    }
    g_array_sort(shares, compare_shares);
    g_free(ranking.quantiles);
    g_free(ranking.inputs);
    g_free(ranking.work);
    return shares;
}

static json_t *shares_json(const struct cells *cells, const GPtrArray *inputs, const char *series,
                           const char *metric, int draws)
{
    GPtrArray *chosen = cells_of(cells, series, metric);
    GArray *shares = input_shares(chosen, inputs, draws);
    json_t *list = json_array();
    for (guint i = 0; i < shares->len; i++) {
        const struct input_share *share = &g_array_index(shares, struct input_share, i);
        json_array_append_new(list,
                              json_pack("{s:s, s:f}", "of", share->name, "share", share->share));
    }
    g_array_unref(shares);
    g_ptr_array_unref(chosen);
    return list;
}

// Adds to each series the inputs that its first metric depends on.
static void add_causes(const struct run_draws *run, const struct cells *cells, json_t *series)
{
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, i);
        const char *metric = NULL;
        for (guint k = 0; !metric && k < cells->list->len; k++) {
            const struct cell *cell = g_ptr_array_index(cells->list, k);
            if (strcmp(draws_text_at(cell->place, "series"), test_case->name) == 0)
                metric = draws_text_at(cell->place, "metric");
        }
        if (!metric)
            continue;
        GPtrArray *inputs = draw_inputs(test_case, run->schema);
        json_t *one = json_array_get(series, i);
        json_object_set_new(one, "inputs", json_integer((json_int_t)inputs->len));
        json_object_set_new(one, "causes_of", json_string(metric));
        json_object_set_new(one, "causes",
                            shares_json(cells, inputs, test_case->name, metric, run->draws));
        g_ptr_array_unref(inputs);
    }
}

static json_t *draws_document(const struct campaign *campaign, const struct run_draws *run)
{
    struct cells cells = {g_ptr_array_new_with_free_func(free_cell),
                          g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), 0};
    json_t *series = completed_json(campaign, run, &cells), *list = json_array();
    add_causes(run, &cells, series);
    for (guint i = 0; i < cells.list->len; i++)
        json_array_append_new(list, cell_json(g_ptr_array_index(cells.list, i)));
    g_hash_table_unref(cells.by_place);
    g_ptr_array_unref(cells.list);
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "scenario", run->scenario->name, "draws",
                     run->draws, "fitted", fitted_constants(run), "series", series, "values", list);
}

json_t *run_draws(const struct run_draws *run)
{
    GError *error = NULL;
    struct progress *progress =
        run->quiet ? NULL : progress_new(stderr, run->draws * (int)run->scenario->cases->len);
    struct campaign_options options = {.data_dir = cli_data_dir(),
                                       .jobs = run->jobs,
                                       .time_limit_s = run->time_limit_s,
                                       .progress = on_draw,
                                       .progress_owner = progress};
    struct campaign *campaign = campaign_open(&model_registry, &options, &error);
    json_t *document = NULL;
    if (campaign && add_draws(run, campaign) && campaign_run(campaign, &error))
        document = draws_document(campaign, run);
    progress_free(progress);
    if (error)
        cli_refuse(error);
    campaign_close(campaign);
    return document;
}

bool run_draws_failed(const json_t *document)
{
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        if (json_integer_value(json_object_get(series, "completed")) == 0)
            return true;
    }
    return false;
}

// ---- Printing ----

static double draws_number_at(const json_t *value, const char *key)
{
    return json_number_value(json_object_get(value, key));
}

// "74.03 (68.12 .. 80.90)": four digits of the largest. The caller frees it.
static char *band_text(const json_t *value)
{
    double median = draws_number_at(value, "median"), low = draws_number_at(value, "low");
    double high = draws_number_at(value, "high"), most = MAX(fabs(low), fabs(high));
    int digits = most > 0.0 ? CLAMP(3 - (int)floor(log10(most)), 0, 9) : 0;
    return g_strdup_printf("%.*f (%.*f .. %.*f)", digits, median, digits, low, digits, high);
}

// "1", "rank 3", or nothing. The caller frees it.
static char *row_name(const json_t *value)
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
        char *row = row_name(value);
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

// "VIA RPI: latency depends most on eepro100 (29 %), host.processor.cycle_ratio (17 %)"
static void append_causes(GString *out, const json_t *series)
{
    const json_t *causes = json_object_get(series, "causes"), *cause;
    size_t i;
    if (!causes)
        return;
    char *label = text_metric_label(draws_text_at(series, "causes_of"));
    g_string_append_printf(out, "%s: the band of %s ", draws_text_at(series, "name"), label);
    g_free(label);
    if (json_array_size(causes) == 0)
        g_string_append_printf(out,
                               "has no cause that stands out among %d inputs; more draws find it",
                               (int)json_integer_value(json_object_get(series, "inputs")));
    json_array_foreach(causes, i, cause)
        g_string_append_printf(out, "%s%s %.0f %%", i ? ", " : "comes from ",
                               draws_text_at(cause, "of"), 100.0 * draws_number_at(cause, "share"));
    g_string_append_c(out, '\n');
}

static void append_notes(GString *out, const json_t *document)
{
    size_t i;
    const json_t *series, *path;
    json_int_t draws = json_integer_value(json_object_get(document, "draws"));
    g_string_append_printf(out, "%" JSON_INTEGER_FORMAT " draws of the uncertain constants\n",
                           draws);
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        json_int_t completed = json_integer_value(json_object_get(series, "completed"));
        if (completed < draws)
            g_string_append_printf(out,
                                   "%s: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
                                   " draws completed, and only these are in the table\n",
                                   draws_text_at(series, "name"), completed, draws);
    }
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        append_causes(out, series);
    }
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

char *run_draws_csv(const json_t *document)
{
    static const char *const numbers[] = {"n", "median", "low", "high", NULL};
    GString *out = g_string_new("series,rank,size,metric,unit,n,median,low,high\n");
    size_t i;
    const json_t *value;
    json_array_foreach(json_object_get(document, "values"), i, value)
    {
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
