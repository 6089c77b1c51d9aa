// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/drawn_scenario.h"

#include "sim/scenario/compiler.h"

struct drawn_scenario {
    char *directory;
    struct scenario_options options;
    struct compiler compiler;
    struct scenario *medians;
};

struct drawn_scenario *drawn_scenario_load(const char *file, const struct scenario_schema *schema,
                                           const struct scenario_options *options,
                                           struct diag_list *diags)
{
    struct drawn_scenario *drawn = g_new0(struct drawn_scenario, 1);
    drawn->directory = g_path_get_dirname(file);
    drawn->options = *options;
    compiler_open(&drawn->compiler, schema, &drawn->options, drawn->directory);
    drawn->compiler.medians = true;
    drawn->medians = compiler_run(&drawn->compiler, node_load(file, diags), file, diags);
    // The caller's, and read.
    drawn->compiler.diags = NULL;
    drawn->options = (struct scenario_options){.what_if = options->what_if};
    if (drawn->medians)
        return drawn;
    drawn_scenario_free(drawn);
    return NULL;
}

void drawn_scenario_free(struct drawn_scenario *drawn)
{
    if (!drawn)
        return;
    scenario_free(drawn->medians);
    compiler_close(&drawn->compiler);
    g_free(drawn->directory);
    g_free(drawn);
}

const struct scenario *drawn_scenario_medians(const struct drawn_scenario *drawn)
{
    return drawn->medians;
}

static void free_drawn_case(void *data)
{
    case_free(data);
}

struct scenario *drawn_scenario_take(struct drawn_scenario *drawn, int64_t draw, const char *mix,
                                     struct diag_list *diags)
{
    const struct scenario *medians = drawn->medians;
    struct scenario *scenario = g_new0(struct scenario, 1);
    scenario->name = g_strdup(medians->name);
    scenario->description = g_strdup(medians->description);
    scenario->file = g_strdup(medians->file);
    scenario->seed = medians->seed;
    scenario->draw = draw;
    scenario->cases = g_ptr_array_new_with_free_func(free_drawn_case);
    guint before = diags->found;
    for (guint i = 0; i < medians->cases->len; i++) {
        struct diag_list *found = diag_list_new();
        g_ptr_array_add(scenario->cases,
                        compiler_draw_case(&drawn->compiler, draw, mix,
                                           g_ptr_array_index(medians->cases, i), found));
        compiler_add_new(diags, found);
        diag_list_free(found);
    }
    if (diags->found == before)
        return scenario;
    scenario_free(scenario);
    return NULL;
}
