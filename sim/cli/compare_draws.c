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

// Adds the runs of a place, a draw each; *first is the number of the first. Returns false after
// printed errors.
static bool add_variant(struct campaign *campaign, const struct scenario_schema *schema,
                        const char *place, int draws, int *first)
{
    const char *hash = strchr(place, '#');
    char *name = hash ? g_strndup(place, (gsize)(hash - place)) : g_strdup(place);
    GPtrArray *sets = variant_sets(hash ? hash + 1 : NULL);
    struct scenario *scenario = cli_scenario(schema, name, (char **)sets->pdata, false, 0);
    struct diag_list *diags = diag_list_new();
    bool good = scenario != NULL;
    g_ptr_array_add(sets, NULL);
    for (int draw = 1; good && draw <= draws; draw++) {
        g_free(sets->pdata[sets->len - 2]);
        sets->pdata[sets->len - 2] = g_strdup_printf("draw=%d", draw);
        int run =
            campaign_add(campaign, scenario->file, (const char *const *)sets->pdata, 0, diags);
        *first = draw == 1 ? run : *first;
        good = run >= 0;
    }
    diag_print(diags, stderr);
    diag_list_free(diags);
    scenario_free(scenario);
    g_ptr_array_unref(sets);
    g_free(name);
    return good;
}

static void free_compared(void *data)
{
    compared_free(data);
}

// The results of the draws of a place. A series that did not complete has no values.
static void take_variant(const struct campaign *campaign, const char *place, int first, int draws,
                         GPtrArray *results)
{
    g_ptr_array_set_free_func(results, free_compared);
    for (int draw = 0; draw < draws; draw++) {
        json_t *document = campaign_result(campaign, first + draw), *series;
        struct compared *compared = compared_new(place);
        size_t i;
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
        g_ptr_array_add(results, compared);
    }
}

bool compare_run_draws(char **places, int draws, int jobs, GPtrArray *a, GPtrArray *b)
{
    GError *error = NULL;
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct campaign_options options = {.data_dir = cli_data_dir(), .jobs = jobs};
    struct campaign *campaign = campaign_open(&model_registry, &options, &error);
    int first[2] = {0, 0};
    bool good = campaign && add_variant(campaign, schema, places[0], draws, &first[0]) &&
                add_variant(campaign, schema, places[1], draws, &first[1]) &&
                campaign_run(campaign, &error);
    if (good) {
        take_variant(campaign, places[0], first[0], draws, a);
        take_variant(campaign, places[1], first[1], draws, b);
    }
    if (error)
        cli_refuse(error);
    campaign_close(campaign);
    registry_schema_free(schema);
    return good;
}
