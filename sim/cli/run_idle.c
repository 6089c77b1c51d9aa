// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of the command line that change nothing: a short run is run again without each of them.
#include "sim/cli/run.h"

#include "sim/core/sim.h"
#include "sim/flow/flow.h"
#include "sim/run/limit.h"
#include "sim/run/schema.h"

#include <math.h>
#include <string.h>

// Events of all runs again together: about a second.
#define IDLE_MOST_EVENTS 1000000
#define IDLE_MOST_TIMES 4 // those of the run that it is compared with

// A run again, which is given up when it has many more events than the run that it is compared
// with: that is a difference, too.
struct idle_trial {
    const struct sim *sim;
    uint64_t most;
};

static void trial_began(void *owner, const struct sim *sim)
{
    ((struct idle_trial *)owner)->sim = sim;
}

static bool trial_is_longer(void *owner)
{
    const struct idle_trial *trial = owner;
    return engine_events(trial->sim->engine) > trial->most;
}

static bool values_are_same(const GArray *one, const GArray *other)
{
    bool same = one->len == other->len;
    for (guint i = 0; same && i < one->len; i++) {
        const struct result_value *a = &g_array_index(one, struct result_value, i);
        const struct result_value *b = &g_array_index(other, struct result_value, i);
        same = a->rank == b->rank && a->size == b->size && strcmp(a->metric, b->metric) == 0 &&
               (a->value == b->value || (isnan(a->value) && isnan(b->value)));
    }
    return same;
}

static bool runs_alike(const struct scenario_case *test_case, const struct series_result *series,
                       uint64_t seed)
{
    struct idle_trial trial = {.most = IDLE_MOST_TIMES * series->events};
    const struct run_options options = {.began = trial_began,
                                        .began_owner = &trial,
                                        .enough = trial_is_longer,
                                        .enough_owner = &trial};
    struct series_result *again =
        flow_or_packets(&model_registry, test_case, series->number, seed, &options);
    bool alike = again->status == series->status && again->events <= trial.most &&
                 values_are_same(again->values, series->values) &&
                 json_equal(again->counters, series->counters);
    series_result_free(again);
    return alike;
}

// The value of the parameter at `path` as text, with its unit; NULL: it is none of a section. The
// caller frees it.
static char *idle_value(const struct scenario_case *test_case, const char *path)
{
    const char *dot = strrchr(path, '.');
    for (guint i = 0; dot && i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        bool here = strlen(values->path) == (size_t)(dot - path) &&
                    g_str_has_prefix(path, values->path) &&
                    values->table != limit_sections[0].table;
        int index = here ? param_index(values->table, dot + 1) : -1;
        if (index >= 0)
            return param_value_text(values, &values->table->params[index]);
    }
    return NULL;
}

// Whether both have the same value at `path` in every case, or it is no parameter of a section.
static bool sets_nothing(const struct scenario *scenario, const struct scenario *without,
                         const char *path)
{
    bool same = true;
    for (guint i = 0; same && i < scenario->cases->len; i++) {
        char *value = idle_value(g_ptr_array_index(scenario->cases, i), path);
        char *before = idle_value(g_ptr_array_index(without->cases, i), path);
        same = g_strcmp0(value, before) == 0;
        g_free(value);
        g_free(before);
    }
    return same;
}

// The scenario without the setting with that number; NULL: it has errors then.
static struct scenario *scenario_without(const struct scenario *scenario,
                                         const struct scenario_schema *schema, char **sets,
                                         guint number)
{
    GPtrArray *others = g_ptr_array_new(), *names = g_ptr_array_new();
    for (guint i = 0; sets[i]; i++)
        if (i != number)
            g_ptr_array_add(others, sets[i]);
    g_ptr_array_add(others, NULL);
    for (guint i = 0; i < scenario->cases->len; i++)
        g_ptr_array_add(names,
                        ((struct scenario_case *)g_ptr_array_index(scenario->cases, i))->name);
    g_ptr_array_add(names, NULL);
    const struct scenario_options options = {.sets = (const char *const *)others->pdata,
                                             .data_dir = cli_data_dir(),
                                             .seed = scenario->seed,
                                             .series = (const char *const *)names->pdata,
                                             .allow_unused = true};
    struct diag_list *diags = diag_list_new();
    struct scenario *without = scenario_load(scenario->file, schema, &options, diags);
    bool whole = without && without->cases->len == scenario->cases->len;
    if (!whole)
        g_clear_pointer(&without, scenario_free);
    diag_list_free(diags);
    g_ptr_array_unref(others);
    g_ptr_array_unref(names);
    return without;
}

static bool changes_nothing(const struct scenario *scenario, const struct scenario_schema *schema,
                            const struct result *result, char **sets, guint number)
{
    char *path = g_strstrip(g_strndup(sets[number], strcspn(sets[number], "=")));
    struct scenario *without = scenario_without(scenario, schema, sets, number);
    bool nothing = without && !sets_nothing(scenario, without, path);
    for (guint i = 0; nothing && i < result->series->len; i++)
        nothing = runs_alike(g_ptr_array_index(without->cases, i),
                             g_ptr_array_index(result->series, i), scenario->seed);
    scenario_free(without);
    g_free(path);
    return nothing;
}

void run_find_idle(const struct scenario *scenario, char **sets, struct result *result)
{
    bool comparable = result->series->len == scenario->cases->len;
    for (guint i = 0; comparable && i < result->series->len; i++)
        comparable = !((struct series_result *)g_ptr_array_index(result->series, i))->fidelity;
    if (!sets || !comparable || result_events(result) * g_strv_length(sets) > IDLE_MOST_EVENTS)
        return;
    struct scenario_schema *schema = registry_schema(&model_registry);
    for (guint i = 0; sets[i]; i++)
        if (changes_nothing(scenario, schema, result, sets, i))
            g_ptr_array_add(result->idle_settings, g_strdup(sets[i]));
    registry_schema_free(schema);
}
