// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/run_draws_internal.h"
#include "sim/scenario/draw_mix.h"

int draws_add_run(const struct run_draws *run, struct campaign *campaign, int64_t draw,
                  const char *mix, struct diag_list *diags)
{
    GPtrArray *sets = g_ptr_array_new(), *series = g_ptr_array_new();
    char *number = g_strdup_printf("draw=%" G_GINT64_FORMAT, draw);
    char *mixed = mix ? g_strdup_printf(DRAW_MIX_KEY "=%s", mix) : NULL;
    for (char **set = run->sets; set && *set; set++)
        g_ptr_array_add(sets, *set);
    g_ptr_array_add(sets, number);
    g_ptr_array_add(sets, mixed);
    g_ptr_array_add(sets, NULL);
    for (guint i = 0; i < run->scenario->cases->len; i++)
        g_ptr_array_add(series,
                        ((struct scenario_case *)g_ptr_array_index(run->scenario->cases, i))->name);
    g_ptr_array_add(series, NULL);
    int added = campaign_add_series(campaign, run->scenario->file, (const char *const *)sets->pdata,
                                    (const char *const *)series->pdata, run->seed, diags);
    g_free(mixed);
    g_free(number);
    g_ptr_array_free(sets, TRUE);
    g_ptr_array_free(series, TRUE);
    return added;
}
