// SPDX-License-Identifier: GPL-3.0-or-later
// Which inputs a band comes from, by regression on ranks, and which stand out among the draws that
// fail.
#include "sim/cli/run_draws_internal.h"
#include "sim/output/text.h"
#include "sim/scenario/draw.h"
#include "sim/statistics/band.h"
#include "sim/statistics/rank.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define CAUSES_CHANCE 0.01   // that an input is named by chance, at each size
#define CAUSES_LEAST_R2 0.8  // of a band that ranks explain
#define FAILURES_CHANCE 0.05 // that an input of failed draws is named by chance
#define CAUSES_MOST 6        // that are printed
#define FAILURES_MOST 3      // reasons that are printed

// ---- Inputs ----

// The inputs of a series, with their quantiles in each draw.
struct causes_inputs {
    GPtrArray *names;
    double **quantiles;  // [input][draw - 1]
    const double **some; // [input][of the draws that are looked into]
};

// The items of an array of json_t *, which are taken over with it, in order.
static json_t *sorted_json(GPtrArray *items, GCompareFunc compare)
{
    g_ptr_array_sort(items, compare);
    json_t *list = json_array();
    for (guint i = 0; i < items->len; i++)
        json_array_append_new(list, g_ptr_array_index(items, i));
    g_ptr_array_unref(items);
    return list;
}

static struct causes_inputs causes_inputs_of(const struct run_draws *run, guint series)
{
    const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, series);
    struct causes_inputs inputs = {draw_inputs(test_case, run->schema), NULL, NULL};
    inputs.quantiles = g_new(double *, inputs.names->len + 1);
    inputs.some = g_new(const double *, inputs.names->len + 1);
    for (guint i = 0; i < inputs.names->len; i++) {
        inputs.quantiles[i] = g_new(double, run->draws);
        for (int draw = 0; draw < run->draws; draw++)
            inputs.quantiles[i][draw] = draw_quantile(draw + 1, g_ptr_array_index(inputs.names, i));
    }
    return inputs;
}

static void causes_inputs_clear(struct causes_inputs *inputs)
{
    for (guint i = 0; i < inputs->names->len; i++)
        g_free(inputs->quantiles[i]);
    g_free(inputs->quantiles);
    g_free(inputs->some);
    g_ptr_array_unref(inputs->names);
}

// The inputs in those draws that a cell has, ranked.
static struct rank_inputs *ranked_inputs(const struct causes_inputs *inputs, const GArray *draws)
{
    guint count = inputs->names->len;
    double *room = g_new(double, (gsize)count * draws->len + 1);
    for (guint i = 0; i < count; i++) {
        double *some = room + (size_t)i * draws->len;
        for (guint k = 0; k < draws->len; k++)
            some[k] = inputs->quantiles[i][g_array_index(draws, int, k) - 1];
        inputs->some[i] = some;
    }
    struct rank_inputs *ranked = rank_inputs_new(inputs->some, count, draws->len);
    g_free(room);
    return ranked;
}

// ---- Causes ----

// Sums over the sizes of a series.
struct causes_sums {
    double *shares, *signs; // by input
    double r2;
    int sizes; // at which the value has a band
};

static json_t *regression_json(const struct rank_regression *found, const struct cell *cell,
                               const struct causes_inputs *inputs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < found->count; i++) {
        const struct rank_coefficient *one = &found->list[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f, s:f}", "of",
                                        g_ptr_array_index(inputs->names, one->input), "srrc",
                                        one->value, "error", one->error, "share", one->share));
    }
    return json_pack("{s:O?, s:O?, s:f, s:o}", "size_bytes",
                     json_object_get(cell->place, "size_bytes"), "rank",
                     json_object_get(cell->place, "rank"), "r2", found->r2, "inputs", list);
}

static bool cell_varies(const struct cell *cell)
{
    for (guint i = 1; i < cell->values->len; i++)
        if (cell_values(cell)[i] != cell_values(cell)[0])
            return true;
    return false;
}

// Whether the ends of a cell's band print alike, as where an ensemble is fitted to the value: what
// is left is the fit's step, and no band.
static bool cell_is_pinned(const struct cell *cell)
{
    struct band band = band_of(cell_values(cell), cell->values->len);
    char *low = text_with_band(band.low, band.low, band.high);
    char *high = text_with_band(band.high, band.low, band.high);
    bool pinned = strcmp(low, high) == 0;
    g_free(low);
    g_free(high);
    return pinned;
}

static bool same_draws(const GArray *one, const GArray *other)
{
    return one && one->len == other->len &&
           memcmp(one->data, other->data, one->len * sizeof(int)) == 0;
}

// Regresses each cell that varies. Returns the list "by_size".
static json_t *regress_cells(const GPtrArray *cells, const struct causes_inputs *inputs,
                             struct causes_sums *sums)
{
    json_t *list = json_array();
    struct rank_inputs *ranked = NULL;
    const GArray *draws = NULL;
    for (guint i = 0; i < cells->len; i++) {
        const struct cell *cell = g_ptr_array_index(cells, i);
        if (!cell_varies(cell))
            continue;
        if (!same_draws(draws, cell->draws)) {
            rank_inputs_free(ranked);
            draws = cell->draws;
            ranked = ranked_inputs(inputs, draws);
        }
        struct rank_regression found = rank_regression_of(ranked, cell_values(cell), CAUSES_CHANCE);
        bool counts = !cell_is_pinned(cell);
        for (size_t k = 0; counts && k < found.count; k++) {
            sums->shares[found.list[k].input] += found.list[k].share;
            sums->signs[found.list[k].input] += found.list[k].value;
        }
        sums->r2 += counts ? found.r2 : 0.0;
        sums->sizes += counts;
        json_array_append_new(list, regression_json(&found, cell, inputs));
        rank_regression_clear(&found);
    }
    rank_inputs_free(ranked);
    return list;
}

static int compare_causes(const void *a, const void *b)
{
    double one = draws_number_at(*(json_t *const *)a, "share");
    double other = draws_number_at(*(json_t *const *)b, "share");
    return one > other ? -1 : one < other;
}

// The inputs with their shares, means over the sizes, the greatest first.
static json_t *causes_json(const struct causes_sums *sums, const struct causes_inputs *inputs)
{
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; i < inputs->names->len; i++)
        if (sums->shares[i] > 0.0)
            g_ptr_array_add(found,
                            json_pack("{s:s, s:f, s:i}", "of", g_ptr_array_index(inputs->names, i),
                                      "share", sums->shares[i] / sums->sizes, "sign",
                                      sums->signs[i] < 0.0 ? -1 : 1));
    return sorted_json(found, compare_causes);
}

static void add_series_causes(const struct cells *cells, const struct causes_inputs *inputs,
                              const char *name, const char *metric, json_t *series)
{
    GPtrArray *chosen = cells_of(cells, name, metric);
    struct causes_sums sums = {.shares = g_new0(double, inputs->names->len + 1),
                               .signs = g_new0(double, inputs->names->len + 1)};
    json_t *by_size = regress_cells(chosen, inputs, &sums);
    json_object_set_new(series, "inputs", json_integer((json_int_t)inputs->names->len));
    json_object_set_new(series, "causes_of", json_string(metric));
    json_object_set_new(series, "causes", causes_json(&sums, inputs));
    if (sums.sizes > 0)
        json_object_set_new(series, "r2", json_real(sums.r2 / sums.sizes));
    json_object_set_new(series, "by_size", by_size);
    g_free(sums.shares);
    g_free(sums.signs);
    g_ptr_array_unref(chosen);
}

void draws_add_causes(const struct run_draws *run, const struct cells *cells, json_t *series)
{
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, i);
        const char *metric = cells_metric(cells, test_case->name);
        if (!metric)
            continue;
        struct causes_inputs inputs = causes_inputs_of(run, i);
        add_series_causes(cells, &inputs, test_case->name, metric, json_array_get(series, i));
        causes_inputs_clear(&inputs);
    }
}

// ---- Failures ----

// The text with "N" for each number: reasons of one kind differ in times and ranks.
static char *reason_kind(const json_t *reason)
{
    GString *kind = g_string_new(draws_text_at(reason, "kind"));
    g_string_append(kind, ": ");
    bool number = false;
    for (const char *at = draws_text_at(reason, "text"); *at; at++) {
        bool part = g_ascii_isdigit(*at) || (number && *at == '.');
        if (!part)
            g_string_append_c(kind, *at);
        else if (!number)
            g_string_append_c(kind, 'N');
        number = part;
    }
    return g_string_free(kind, FALSE);
}

static int compare_failures(const void *a, const void *b)
{
    size_t one = json_array_size(json_object_get(*(json_t *const *)a, "draws"));
    size_t other = json_array_size(json_object_get(*(json_t *const *)b, "draws"));
    return one > other ? -1 : one < other;
}

// [{"kind", "text", "draws": [number]}] by reason, the most frequent first.
static json_t *failures_json(const GPtrArray *reasons)
{
    GPtrArray *found = g_ptr_array_new();
    GHashTable *by_kind = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint draw = 0; draw < reasons->len; draw++) {
        const json_t *reason = g_ptr_array_index(reasons, draw);
        char *kind = reason ? reason_kind(reason) : NULL;
        json_t *failure = kind ? g_hash_table_lookup(by_kind, kind) : NULL;
        if (kind && !failure) {
            failure = json_copy((json_t *)reason);
            json_object_set_new(failure, "draws", json_array());
            g_hash_table_insert(by_kind, g_strdup(kind), failure);
            g_ptr_array_add(found, failure);
        }
        if (failure)
            json_array_append_new(json_object_get(failure, "draws"),
                                  json_integer((json_int_t)draw + 1));
        g_free(kind);
    }
    g_hash_table_unref(by_kind);
    return sorted_json(found, compare_failures);
}

static int compare_z(const void *a, const void *b)
{
    double one = fabs(draws_number_at(*(json_t *const *)a, "z"));
    double other = fabs(draws_number_at(*(json_t *const *)b, "z"));
    return one > other ? -1 : one < other;
}

// [{"of", "z"}]: the inputs that are high (z > 0) or low in the draws that failed, by the rank-sum
// test, beyond what chance makes of as many inputs.
static json_t *failing_json(const GPtrArray *reasons, const struct causes_inputs *inputs)
{
    GPtrArray *found = g_ptr_array_new();
    bool *failed = g_new0(bool, reasons->len + 1);
    for (guint draw = 0; draw < reasons->len; draw++)
        failed[draw] = g_ptr_array_index(reasons, draw) != NULL;
    double bound = gsl_cdf_ugaussian_Qinv(FAILURES_CHANCE / 2.0 / MAX(inputs->names->len, 1));
    for (guint i = 0; i < inputs->names->len; i++) {
        double z = rank_sum_z(inputs->quantiles[i], failed, reasons->len);
        if (fabs(z) > bound)
            g_ptr_array_add(
                found, json_pack("{s:s, s:f}", "of", g_ptr_array_index(inputs->names, i), "z", z));
    }
    g_free(failed);
    return sorted_json(found, compare_z);
}

void draws_add_failures(const struct run_draws *run, const struct cells *cells, json_t *series)
{
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const GPtrArray *reasons = g_ptr_array_index(cells->reasons, i);
        json_t *failures = failures_json(reasons), *one = json_array_get(series, i);
        if (json_array_size(failures) > 0) {
            struct causes_inputs inputs = causes_inputs_of(run, i);
            json_object_set(one, "failures", failures);
            json_object_set_new(one, "failing", failing_json(reasons, &inputs));
            causes_inputs_clear(&inputs);
        }
        json_decref(failures);
    }
}

// ---- Printing ----

// "comes from switch.latency 51 %, mvia 12 %, 5 others 6 %"
static void append_list_of_causes(GString *out, const json_t *causes)
{
    size_t i;
    const json_t *cause;
    double rest = 0.0;
    json_array_foreach(causes, i, cause)
    {
        double share = draws_number_at(cause, "share");
        if (i < CAUSES_MOST)
            g_string_append_printf(out, "%s%s %.0f %%", i ? ", " : "comes from ",
                                   draws_text_at(cause, "of"), 100.0 * share);
        else
            rest += share;
    }
    if (i > CAUSES_MOST)
        g_string_append_printf(out, ", %zu other%s %.0f %%", i - CAUSES_MOST,
                               i - CAUSES_MOST > 1 ? "s" : "", 100.0 * rest);
}

// "VIA RPI: the band of latency comes from switch.latency 51 %, mvia 12 %". Returns whether too
// little of it is explained.
static bool append_series_causes(GString *out, const json_t *series)
{
    const json_t *causes = json_object_get(series, "causes");
    const json_t *r2 = json_object_get(series, "r2");
    if (!causes)
        return false;
    char *label = text_metric_label(draws_text_at(series, "causes_of"));
    g_string_append_printf(out, "%s: ", draws_text_at(series, "name"));
    if (!r2)
        g_string_append_printf(out, "no draw changes %s", label);
    else
        g_string_append_printf(out, "the band of %s ", label);
    if (r2 && json_array_size(causes) == 0)
        g_string_append_printf(out,
                               "has no cause that stands out among %d inputs; more draws find it",
                               (int)json_integer_value(json_object_get(series, "inputs")));
    append_list_of_causes(out, causes);
    bool little = r2 && json_array_size(causes) > 0 && json_real_value(r2) < CAUSES_LEAST_R2;
    if (little)
        g_string_append_printf(out, "; R2 %.2f", json_real_value(r2));
    g_string_append_c(out, '\n');
    g_free(label);
    return little;
}

void draws_append_causes(GString *out, const json_t *document)
{
    bool little = false;
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        little |= append_series_causes(out, series);
    }
    if (little)
        g_string_append(out,
                        "R2 is the share that these explain; more draws find the smaller causes, "
                        "--sensitivity total those that act together.\n");
}

// "VIA RPI: 17 of 20 draws completed, and only these are in the table", and why.
static void append_series_failures(GString *out, const json_t *series, int draws)
{
    size_t i;
    const json_t *failure, *input;
    int completed = (int)draws_number_at(series, "completed");
    if (completed == draws)
        return;
    g_string_append_printf(out, "%s: %d of %d draws completed, and only these are in the table\n",
                           draws_text_at(series, "name"), completed, draws);
    json_array_foreach(json_object_get(series, "failures"), i, failure)
    {
        const json_t *numbers = json_object_get(failure, "draws");
        if (i < FAILURES_MOST)
            g_string_append_printf(out, "  %zu of the others (--set draw=%d): %s: %s\n",
                                   json_array_size(numbers),
                                   (int)json_integer_value(json_array_get(numbers, 0)),
                                   draws_text_at(failure, "kind"), draws_text_at(failure, "text"));
    }
    if (i > FAILURES_MOST)
        g_string_append_printf(out, "  and %zu other reasons\n", i - FAILURES_MOST);
    json_array_foreach(json_object_get(series, "failing"), i, input) g_string_append_printf(
        out, "%s%s %s", i ? ", " : "  the draws that failed have ",
        draws_number_at(input, "z") > 0.0 ? "high" : "low", draws_text_at(input, "of"));
    g_string_append(out, i ? "\n" : "");
}

void draws_append_failures(GString *out, const json_t *document)
{
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(document, "series"), i, series)
        append_series_failures(out, series, (int)draws_number_at(document, "draws"));
}
