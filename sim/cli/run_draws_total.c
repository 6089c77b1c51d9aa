// SPDX-License-Identifier: GPL-3.0-or-later
// `--sensitivity total`: Saltelli's design over the sections that hold uncertain constants, and the
// indices of each.
#include "sim/cli/run_draws_internal.h"
#include "sim/output/text.h"
#include "sim/scenario/draw.h"
#include "sim/statistics/indices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOTAL_OTHER 500000     // draw k of B is draw 500000 + k
#define TOTAL_LEAST_SHARE 0.01 // that is printed

// ---- Groups ----

static bool has_name(const GPtrArray *names, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

// The section of an input, which is one itself if its values share a part.
static char *group_of(const char *input, const GPtrArray *tables)
{
    const char *dot = has_name(tables, input) ? NULL : strrchr(input, '.');
    return dot ? g_strndup(input, (gsize)(dot - input)) : g_strdup(input);
}

static void add_groups(const struct scenario_case *test_case, const struct scenario_schema *schema,
                       GPtrArray *groups)
{
    GPtrArray *parameters = draw_parameters(test_case, schema);
    GPtrArray *inputs = draw_inputs(test_case, schema), *tables = g_ptr_array_new();
    for (guint i = 0; i < parameters->len; i++) {
        const struct drawn_parameter *parameter = g_ptr_array_index(parameters, i);
        if (parameter->table)
            g_ptr_array_add(tables, (char *)parameter->table);
    }
    for (guint i = 0; i < inputs->len; i++) {
        char *group = group_of(g_ptr_array_index(inputs, i), tables);
        if (has_name(groups, group))
            g_free(group);
        else
            g_ptr_array_add(groups, group);
    }
    g_ptr_array_unref(tables);
    g_ptr_array_unref(inputs);
    g_ptr_array_unref(parameters);
}

GPtrArray *total_groups(const struct run_draws *run)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < run->scenario->cases->len; i++)
        add_groups(g_ptr_array_index(run->scenario->cases, i), run->schema, groups);
    return groups;
}

// ---- Runs ----

int total_runs(const struct run_draws *run, const GPtrArray *groups)
{
    return run->draws * ((int)groups->len + 2);
}

int total_add(const struct run_draws *run, struct campaign *campaign, const GPtrArray *groups,
              struct diag_list *diags)
{
    int first = draws_add_run(run, campaign, 1, "none", diags);
    bool good = first >= 0;
    for (int draw = 2; good && draw <= run->draws; draw++)
        good = draws_add_run(run, campaign, draw, "none", diags) >= 0;
    for (int draw = 1; good && draw <= run->draws; draw++)
        good = draws_add_run(run, campaign, TOTAL_OTHER + draw, "none", diags) >= 0;
    for (guint group = 0; group < groups->len; group++)
        for (int draw = 1; good && draw <= run->draws; draw++) {
            char *mix = g_strdup_printf("%d of %s", TOTAL_OTHER + draw,
                                        (const char *)g_ptr_array_index(groups, group));
            good = draws_add_run(run, campaign, draw, mix, diags) >= 0;
            g_free(mix);
        }
    return good ? first : -1;
}

// ---- Indices ----

// The values of the whole design.
struct total_design {
    struct cells *cells; // of A, of B, of each group
    const GPtrArray *groups;
    guint parts; // groups + 2
    int draws;
};

static struct total_design design_of(const struct run_draws *run, const struct campaign *campaign,
                                     int first, const GPtrArray *groups)
{
    struct total_design design = {g_new0(struct cells, groups->len + 2), groups, groups->len + 2,
                                  run->draws};
    for (guint part = 0; part < design.parts; part++) {
        design.cells[part] = cells_new(run->scenario->cases->len);
        for (int draw = 0; draw < run->draws; draw++) {
            json_t *result = campaign_result(campaign, first + (int)part * run->draws + draw);
            cells_add(&design.cells[part], result);
            json_decref(result);
        }
    }
    return design;
}

static void design_clear(struct total_design *design)
{
    for (guint part = 0; part < design->parts; part++)
        cells_clear(&design->cells[part]);
    g_free(design->cells);
}

// The draws (from 1) in which a series completed in all parts. The caller unrefs them.
static GArray *complete_draws(const struct total_design *design, guint series)
{
    GArray *draws = g_array_new(FALSE, FALSE, sizeof(int));
    for (int draw = 1; draw <= design->draws; draw++) {
        bool complete = true;
        for (guint part = 0; complete && part < design->parts; part++) {
            const GPtrArray *reasons = g_ptr_array_index(design->cells[part].reasons, series);
            complete = g_ptr_array_index(reasons, draw - 1) == NULL;
        }
        if (complete)
            g_array_append_val(draws, draw);
    }
    return draws;
}

// The values of a cell in some of its draws; NAN: it has none there.
static double *values_in(const struct cell *cell, const GArray *draws)
{
    double *values = g_new(double, draws->len + 1);
    guint at = 0;
    for (guint i = 0; i < draws->len; i++) {
        int draw = g_array_index(draws, int, i);
        while (cell && at < cell->draws->len && g_array_index(cell->draws, int, at) < draw)
            at++;
        bool here = cell && at < cell->draws->len && g_array_index(cell->draws, int, at) == draw;
        values[i] = here ? cell_values(cell)[at] : NAN;
    }
    return values;
}

static bool all_are_numbers(const double *values, guint n)
{
    for (guint i = 0; i < n; i++)
        if (isnan(values[i]))
            return false;
    return true;
}

// The values of one place in all parts; false if a draw has none.
static bool sample_at(const struct total_design *design, const struct cell *cell,
                      const GArray *draws, const double **parts)
{
    char *key = json_dumps(cell->place, JSON_COMPACT);
    bool good = true;
    for (guint part = 0; part < design->parts; part++) {
        double *values = values_in(g_hash_table_lookup(design->cells[part].by_place, key), draws);
        good &= all_are_numbers(values, draws->len);
        parts[part] = values;
    }
    free(key);
    return good;
}

static int compare_groups(const void *a, const void *b)
{
    double one = draws_number_at(*(json_t *const *)a, "total");
    double other = draws_number_at(*(json_t *const *)b, "total");
    return one > other ? -1 : one < other;
}

static json_t *interval_json(double low, double high)
{
    return json_pack("[f, f]", low, high);
}

// [{"group", "first", "first_between", "total", "total_between"}], the greatest total first; empty
// if no value varies.
static json_t *indices_json(const struct indices *indices, const GPtrArray *groups)
{
    GPtrArray *found = g_ptr_array_new();
    for (guint i = 0; i < groups->len; i++)
        if (!isnan(indices[i].total))
            g_ptr_array_add(
                found, json_pack("{s:s, s:f, s:o, s:f, s:o}", "group", g_ptr_array_index(groups, i),
                                 "first", indices[i].first, "first_between",
                                 interval_json(indices[i].first_low, indices[i].first_high),
                                 "total", indices[i].total, "total_between",
                                 interval_json(indices[i].total_low, indices[i].total_high)));
    g_ptr_array_sort(found, compare_groups);
    json_t *list = json_array();
    for (guint i = 0; i < found->len; i++)
        json_array_append_new(list, g_ptr_array_index(found, i));
    g_ptr_array_unref(found);
    return list;
}

// The indices of a series, means over the sizes.
static void add_series_indices(const struct run_draws *run, const struct total_design *design,
                               guint number, const char *metric, json_t *series)
{
    const char *name = draws_text_at(series, "name");
    GArray *draws = complete_draws(design, number);
    GPtrArray *cells = cells_of(&design->cells[0], name, metric);
    const double **parts = g_new0(const double *, (gsize)cells->len * design->parts + 1);
    struct indices_sample *samples = g_new0(struct indices_sample, cells->len + 1);
    struct indices *indices = g_new0(struct indices, design->groups->len + 1);
    guint used = 0;
    for (guint i = 0; i < cells->len; i++) {
        const double **here = parts + (gsize)i * design->parts;
        if (sample_at(design, g_ptr_array_index(cells, i), draws, here))
            samples[used++] = (struct indices_sample){here[0], here[1], here + 2};
    }
    indices_of(samples, used, design->groups->len, draws->len, run->scenario->seed, indices);
    json_object_set_new(series, "total_of", json_string(metric));
    json_object_set_new(series, "total_draws", json_integer(draws->len));
    json_object_set_new(series, "total", indices_json(indices, design->groups));
    for (gsize i = 0; i < (gsize)cells->len * design->parts; i++)
        g_free((double *)parts[i]);
    g_free(indices);
    g_free(samples);
    g_free(parts);
    g_ptr_array_unref(cells);
    g_array_unref(draws);
}

void total_add_indices(const struct run_draws *run, const struct campaign *campaign, int first,
                       const GPtrArray *groups, json_t *series)
{
    struct total_design design = design_of(run, campaign, first, groups);
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        json_t *one = json_array_get(series, i);
        const char *metric = cells_metric(&design.cells[0], draws_text_at(one, "name"));
        if (metric)
            add_series_indices(run, &design, i, metric, one);
    }
    design_clear(&design);
}

// ---- Printing ----

// "46 % (40 .. 52 %)": an estimate below 0 is one of nothing.
static char *index_text(const json_t *index, const char *key, const char *between)
{
    const json_t *ends = json_object_get(index, between);
    return g_strdup_printf("%.0f %% (%.0f .. %.0f %%)",
                           100.0 * MAX(draws_number_at(index, key), 0.0),
                           100.0 * MAX(json_number_value(json_array_get(ends, 0)), 0.0),
                           100.0 * MAX(json_number_value(json_array_get(ends, 1)), 0.0));
}

static void append_series_total(GString *out, const json_t *series)
{
    const json_t *list = json_object_get(series, "total"), *index;
    size_t i, width = 0, count = json_array_size(list), shown = 0;
    if (!list)
        return;
    char *label = text_metric_label(draws_text_at(series, "total_of"));
    g_string_append_printf(out, "%s: shares of the variance of %s (95 %%), from %d draws%s\n",
                           draws_text_at(series, "name"), label,
                           (int)draws_number_at(series, "total_draws"),
                           count ? "" : ": it does not vary");
    g_free(label);
    json_array_foreach(list, i, index)
    {
        bool first = i == 0 || draws_number_at(index, "total") >= TOTAL_LEAST_SHARE;
        shown += first;
        if (first)
            width = MAX(width, strlen(draws_text_at(index, "group")));
    }
    if (shown)
        g_string_append_printf(out, "  %*s   %-20s   %s\n", (int)width, "", "alone", "with others");
    for (i = 0; i < shown; i++) {
        index = json_array_get(list, i);
        char *alone = index_text(index, "first", "first_between");
        char *together = index_text(index, "total", "total_between");
        g_string_append_printf(out, "  %-*s   %-20s   %s\n", (int)width,
                               draws_text_at(index, "group"), alone, together);
        g_free(together);
        g_free(alone);
    }
    if (shown < count)
        g_string_append_printf(out, "  %zu other%s at most %.1f %% each with others\n",
                               count - shown, count - shown > 1 ? "s" : "",
                               100.0 * draws_number_at(json_array_get(list, shown), "total"));
}

bool draws_append_total(GString *out, const json_t *document)
{
    bool any = false;
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        any |= json_object_get(series, "total") != NULL;
        append_series_total(out, series);
    }
    if (any)
        g_string_append(out,
                        "These are of machines that are not fitted again: fitted constants keep "
                        "the values of the medians.\n");
    return any;
}
