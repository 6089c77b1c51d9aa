// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/campaign/campaign.h"
#include "sim/cli/run_draws_internal.h"
#include "sim/measure/result.h"
#include "sim/output/progress.h"
#include "sim/scenario/draw.h"
#include "sim/statistics/band.h"

#include <stdlib.h>
#include <string.h>

// ---- Constants that are not drawn ----

// The fitted constants that a case reads and that no ensemble has. They keep their values, though
// in another machine the fit would have found others: bands are wider than those of a machine that
// is known to be calibrated.
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
                if (source && g_str_has_prefix(source, "fitted") && !values->ensembles[at] &&
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

// The result of a draw that the scenario does not take, as that of an ensemble that has no values
// there: each series failed.
static json_t *refused_result(const struct run_draws *run, const struct diag_list *diags)
{
    const struct diag *first = g_ptr_array_index(diags->items, 0);
    json_t *list = json_array();
    for (guint i = 0; i < run->scenario->cases->len; i++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:{s:s, s:s}}", "name",
                      ((struct scenario_case *)g_ptr_array_index(run->scenario->cases, i))->name,
                      "status", "refused", "reason", "kind", "refused", "text", first->message));
    return json_pack("{s:o}", "series", list);
}

// A draw's number in the campaign, or the result of one that is refused.
struct added_draw {
    int number;
    json_t *refused;
};

// Adds one. A draw that is refused is no more than a draw that failed, unless all are: then the
// complaints of the first stand for them.
static struct added_draw add_one_draw(const struct run_draws *run, struct campaign *campaign,
                                      int draw, bool refused_before, struct diag_list *diags)
{
    struct diag_list *own = diag_list_new();
    struct added_draw added = {0};
    added.number = draws_add_run(run, campaign, draw, NULL, refused_before ? own : diags);
    if (added.number < 0)
        added.refused = refused_result(run, refused_before ? own : diags);
    diag_list_free(own);
    return added;
}

static bool add_draws(const struct run_draws *run, struct campaign *campaign,
                      struct added_draw *added)
{
    struct diag_list *diags = diag_list_new();
    int refused = 0;
    for (int draw = 1; draw <= run->draws; draw++) {
        added[draw - 1] = add_one_draw(run, campaign, draw, refused > 0, diags);
        refused += added[draw - 1].refused != NULL;
    }
    diag_print(diags, stderr);
    diag_list_free(diags);
    return refused < run->draws;
}

// Those of the total sensitivity (groups NULL: it is not asked for). Returns the number of the
// first one, -1 after a complaint.
static int add_total(const struct run_draws *run, struct campaign *campaign,
                     const GPtrArray *groups)
{
    struct diag_list *diags = diag_list_new();
    int first = groups ? total_add(run, campaign, groups, diags) : 0;
    diag_print(diags, stderr);
    diag_list_free(diags);
    return first;
}

// ---- Bands ----

// [low, high], of the values between which an end of the band lies; null where it may be beyond
// all.
static json_t *end_json(const double *sorted, size_t n, double p)
{
    struct band_ranks ranks = band_quantile_ranks(n, p);
    json_t *low = ranks.from == 0 ? json_null() : json_real(sorted[ranks.from - 1]);
    json_t *high = ranks.to > n ? json_null() : json_real(sorted[ranks.to - 1]);
    return json_pack("[o, o]", low, high);
}

static json_t *cell_json(const struct cell *cell)
{
    size_t n = cell->values->len;
    double *sorted = g_memdup2(cell_values(cell), n * sizeof *sorted);
    struct band band = band_of(sorted, n);
    band_sort(sorted, n);
    json_t *json = json_copy(cell->place);
    json_object_set_new(json, "n", json_integer((json_int_t)n));
    json_object_set_new(json, "median", json_real(band.median));
    json_object_set_new(json, "low", json_real(band.low));
    json_object_set_new(json, "high", json_real(band.high));
    json_object_set_new(json, "low_between", end_json(sorted, n, BAND_LOW));
    json_object_set_new(json, "high_between", end_json(sorted, n, BAND_HIGH));
    g_free(sorted);
    return json;
}

// ---- The document ----

// How many draws completed, of each series.
static json_t *completed_json(const struct run_draws *run, const struct cells *cells)
{
    json_t *list = json_array();
    for (guint i = 0; i < run->scenario->cases->len; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(run->scenario->cases, i);
        const GPtrArray *reasons = g_ptr_array_index(cells->reasons, i);
        int completed = 0;
        for (guint draw = 0; draw < reasons->len; draw++)
            completed += g_ptr_array_index(reasons, draw) == NULL;
        json_array_append_new(
            list, json_pack("{s:s, s:i}", "name", test_case->name, "completed", completed));
    }
    return list;
}

static json_t *draws_document(const struct campaign *campaign, const struct run_draws *run,
                              const struct added_draw *added, int first_of_total,
                              const GPtrArray *groups)
{
    struct cells cells = cells_new(run->scenario->cases->len);
    for (int draw = 0; draw < run->draws; draw++) {
        json_t *result = added[draw].refused ? json_incref(added[draw].refused)
                                             : campaign_result(campaign, added[draw].number);
        cells_add(&cells, result);
        json_decref(result);
    }
    json_t *series = completed_json(run, &cells), *list = json_array();
    draws_add_causes(run, &cells, series);
    draws_add_failures(run, &cells, series);
    if (groups)
        total_add_indices(run, campaign, first_of_total, groups, series);
    for (guint i = 0; i < cells.list->len; i++)
        json_array_append_new(list, cell_json(g_ptr_array_index(cells.list, i)));
    json_t *document = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "scenario", run->scenario->name,
                                 "draws", run->draws, "fitted", fitted_constants(run), "series",
                                 series, "pairs", draws_pairs(run, &cells), "values", list);
    cells_clear(&cells);
    return document;
}

json_t *run_draws(const struct run_draws *run)
{
    GError *error = NULL;
    GPtrArray *groups = run->total ? total_groups(run) : NULL;
    int runs = run->draws + (groups ? total_runs(run, groups) : 0);
    struct progress *progress =
        run->quiet ? NULL : progress_new(stderr, runs * (int)run->scenario->cases->len);
    struct campaign_options options = {.data_dir = cli_data_dir(),
                                       .jobs = run->jobs,
                                       .time_limit_s = run->time_limit_s,
                                       .progress = on_draw,
                                       .progress_owner = progress};
    struct campaign *campaign = campaign_open(&model_registry, &options, &error);
    json_t *document = NULL;
    struct added_draw *added = g_new0(struct added_draw, run->draws);
    int first = campaign && add_draws(run, campaign, added) ? add_total(run, campaign, groups) : -1;
    if (first >= 0 && campaign_run(campaign, &error))
        document = draws_document(campaign, run, added, first, groups);
    for (int draw = 0; draw < run->draws; draw++)
        json_decref(added[draw].refused);
    g_free(added);
    progress_free(progress);
    if (error)
        cli_refuse(error);
    campaign_close(campaign);
    if (groups)
        g_ptr_array_unref(groups);
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
