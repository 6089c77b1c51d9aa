// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/compare_draws.h"

#include "sim/campaign/campaign.h"
#include "sim/compare/compare.h"
#include "sim/run/schema.h"

#include <string.h>

// The settings after the #, with room for one more; commas within brackets and quotes do not
// separate.
static GPtrArray *variant_sets(const char *text)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    const char *start = text;
    int depth = 0;
    char quote = '\0';
    for (const char *at = text; text; at++) {
        if (*at && quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        if (*at && (*at != ',' || depth > 0 || quote))
            continue;
        g_ptr_array_add(sets, g_strstrip(g_strndup(start, (gsize)(at - start))));
        start = at + 1;
        if (!*at)
            break;
    }
    g_ptr_array_add(sets, NULL);
    return sets;
}

// The runs of a place: of draw k + 1 with seed s + 1 the number in the campaign is
// numbers[k * seeds + s], -1 where the scenario refuses the draw.
struct drawn_variant {
    const char *place;
    GPtrArray *series; // char *, the names of the scenario's series
    int *numbers;
    int draws, seeds;
};

static void drawn_variant_clear(struct drawn_variant *variant)
{
    if (variant->series)
        g_ptr_array_unref(variant->series);
    g_free(variant->numbers);
}

static void name_series(const struct scenario *scenario, struct drawn_variant *variant)
{
    variant->series = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < scenario->cases->len; i++)
        g_ptr_array_add(
            variant->series,
            g_strdup(((struct scenario_case *)g_ptr_array_index(scenario->cases, i))->name));
}

// Adds the runs. A draw that the scenario refuses is no more than one that failed, unless all are:
// then the complaints of the first stand for them, and it returns false.
static bool add_drawn_runs(struct campaign *campaign, const char *file, GPtrArray *sets,
                           const struct compare_draws_options *options,
                           struct drawn_variant *variant)
{
    struct diag_list *first = diag_list_new();
    bool any = false;
    g_ptr_array_add(sets, NULL);
    for (int i = 0; i < variant->draws * variant->seeds; i++) {
        struct diag_list *diags = diag_list_new();
        uint64_t seed = options->seeds ? (uint64_t)(i % variant->seeds) + 1 : 0;
        g_free(sets->pdata[sets->len - 2]);
        sets->pdata[sets->len - 2] = g_strdup_printf("draw=%d", i / variant->seeds + 1);
        variant->numbers[i] = campaign_add(campaign, file, (const char *const *)sets->pdata, seed,
                                           i == 0 ? first : diags);
        any |= variant->numbers[i] >= 0;
        diag_list_free(diags);
    }
    if (!any)
        diag_print(first, stderr);
    diag_list_free(first);
    return any;
}

// Returns false after printed errors.
static bool add_variant(struct campaign *campaign, const struct scenario_schema *schema,
                        const struct compare_draws_options *options, struct drawn_variant *variant)
{
    const char *place = variant->place, *hash = strchr(place, '#');
    char *name = hash ? g_strndup(place, (gsize)(hash - place)) : g_strdup(place);
    GPtrArray *sets = variant_sets(hash ? hash + 1 : NULL);
    struct scenario *scenario = cli_scenario(schema, name, (char **)sets->pdata, false, 0);
    bool good = scenario != NULL;
    if (good) {
        variant->draws = options->draws;
        variant->seeds = MAX(options->seeds, 1);
        variant->numbers = g_new(int, (gsize)variant->draws *(gsize)variant->seeds);
        name_series(scenario, variant);
        good = add_drawn_runs(campaign, scenario->file, sets, options, variant);
    }
    scenario_free(scenario);
    g_ptr_array_unref(sets);
    g_free(name);
    return good;
}

static void free_compared(void *data)
{
    compared_free(data);
}

// The result of a run. A series that did not complete has no values.
static struct compared *drawn_result(const struct campaign *campaign,
                                     const struct drawn_variant *variant, int number)
{
    struct compared *compared = compared_new(variant->place);
    json_t *document = number < 0 ? NULL : campaign_result(campaign, number), *series;
    size_t i;
    for (guint k = 0; number < 0 && k < variant->series->len; k++)
        compared_add_series(compared, g_ptr_array_index(variant->series, k), "refused", NULL, NULL);
    json_array_foreach(json_object_get(document, "series"), i, series)
    {
        const char *name = json_string_value(json_object_get(series, "name"));
        const char *status = json_string_value(json_object_get(series, "status"));
        if (g_strcmp0(status, "completed") == 0)
            compared_add_document(compared, name, series);
        else
            compared_add_series(compared, name, status, NULL, NULL);
    }
    json_decref(document);
    return compared;
}

// The results of the draws of a place, each the mean of its seeds.
static void take_variant(const struct campaign *campaign, const struct drawn_variant *variant,
                         GPtrArray *results)
{
    g_ptr_array_set_free_func(results, free_compared);
    for (int draw = 0; draw < variant->draws; draw++) {
        GPtrArray *seeds = g_ptr_array_new_with_free_func(free_compared);
        for (int seed = 0; seed < variant->seeds; seed++)
            g_ptr_array_add(seeds, drawn_result(campaign, variant,
                                                variant->numbers[draw * variant->seeds + seed]));
        g_ptr_array_add(results, compared_mean(variant->place, seeds));
        g_ptr_array_unref(seeds);
    }
}

bool compare_run_draws(char **places, const struct compare_draws_options *options, GPtrArray *a,
                       GPtrArray *b)
{
    GError *error = NULL;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct campaign_options how = {.data_dir = cli_data_dir(), .jobs = options->jobs};
    struct campaign *campaign = campaign_open(&model_registry, &how, &error);
    struct drawn_variant one = {.place = places[0]}, other = {.place = places[1]};
    bool good = campaign && add_variant(campaign, schema, options, &one) &&
                add_variant(campaign, schema, options, &other) && campaign_run(campaign, &error);
    if (good) {
        take_variant(campaign, &one, a);
        take_variant(campaign, &other, b);
    }
    if (error)
        cli_refuse(error);
    drawn_variant_clear(&one);
    drawn_variant_clear(&other);
    campaign_close(campaign);
    registry_schema_free(schema);
    return good;
}
