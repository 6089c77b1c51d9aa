// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/runs.h"

#include "sim/core/intern.h"
#include "sim/flow/flow.h"
#include "sim/output/state_log.h"
#include "sim/run/estimate.h"
#include "sim/run/run.h"
#include "sim/run/schema.h"
#include "sim/scenario/draw.h"

#include <string.h>

// A scenario under settings.
struct run {
    char *key;
    const char *scenario, *sets; // interned
    int number;                  // in the campaign; -1: not there
    json_t *result;              // NULL until it was run
    char *why;                   // NULL unless it can't be run
};

struct runs {
    const struct registry *registry;
    struct scenario_schema *schema; // NULL if the results were given
    char *data_dir;
    struct campaign *campaign; // NULL if the results were given
    GHashTable *by_key;        // char * -> struct run *
    GPtrArray *in_order;       // struct run *, as they were needed
    GHashTable *scenarios;     // char *, the key of a run -> struct scenario *, as they were read
    GHashTable *logs;          // char *, the key of a run and a series -> GArray of struct logged
};

static void run_free(gpointer data)
{
    struct run *run = data;
    g_free(run->key);
    g_free(run->why);
    json_decref(run->result);
    g_free(run);
}

struct runs *runs_new_empty(void)
{
    struct runs *runs = g_new0(struct runs, 1);
    runs->by_key = g_hash_table_new(g_str_hash, g_str_equal);
    runs->in_order = g_ptr_array_new_with_free_func(run_free);
    runs->scenarios =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)scenario_free);
    runs->logs =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    return runs;
}

struct runs *runs_new(const struct registry *registry, const struct campaign_options *options,
                      GError **error)
{
    struct campaign *campaign = campaign_open(registry, options, error);
    if (!campaign)
        return NULL;
    struct runs *runs = runs_new_empty();
    runs->registry = registry;
    runs->schema = registry_schema(registry);
    runs->campaign = campaign;
    runs->data_dir = g_strdup(options->data_dir);
    return runs;
}

void runs_free(struct runs *runs)
{
    if (!runs)
        return;
    if (runs->campaign)
        campaign_close(runs->campaign);
    g_hash_table_destroy(runs->by_key);
    g_hash_table_destroy(runs->logs);
    g_hash_table_destroy(runs->scenarios);
    g_ptr_array_unref(runs->in_order);
    if (runs->schema)
        registry_schema_free(runs->schema);
    g_free(runs->data_dir);
    g_free(runs);
}

static struct run *run_of(const struct runs *runs, const char *scenario, const char *sets)
{
    char *key = g_strconcat(scenario, "\n", sets, NULL);
    struct run *run = g_hash_table_lookup(runs->by_key, key);
    g_free(key);
    return run;
}

static struct run *run_add(struct runs *runs, const char *scenario, const char *sets)
{
    struct run *run = g_new0(struct run, 1);
    run->key = g_strconcat(scenario, "\n", sets, NULL);
    run->scenario = intern_text(scenario);
    run->sets = intern_text(sets);
    run->number = -1;
    g_hash_table_insert(runs->by_key, run->key, run);
    g_ptr_array_add(runs->in_order, run);
    return run;
}

void runs_add_result(struct runs *runs, const char *scenario, const char *sets, json_t *result)
{
    run_add(runs, scenario, sets)->result = json_incref(result);
}

void runs_add_fault(struct runs *runs, const char *scenario, const char *sets, const char *why)
{
    run_add(runs, scenario, sets)->why = g_strdup(why);
}

// ---- Running ----

char *runs_file(const struct runs *runs, const char *scenario)
{
    // A name with a dot or a slash is a file first, as it is of all commands.
    if (scenario[strcspn(scenario, "./")] && g_file_test(scenario, G_FILE_TEST_IS_REGULAR))
        return g_strdup(scenario);
    char *name = g_strconcat(scenario, ".yaml", NULL);
    char *file = g_build_filename(runs->data_dir, "scenarios", name, NULL);
    g_free(name);
    return file;
}

char *runs_complaint(const char *scenario, const struct diag_list *diags)
{
    if (!diag_any(diags))
        return g_strdup_printf("%s can't be run", scenario);
    const struct diag *first = g_ptr_array_index(diags->items, 0);
    return g_strdup_printf("%s: %s%s%s", scenario, first->path ? first->path : "",
                           first->path ? ": " : "", first->message);
}

static void run_enter(struct runs *runs, struct run *run)
{
    char *file = runs_file(runs, run->scenario);
    if (!g_file_test(file, G_FILE_TEST_EXISTS)) {
        run->why = g_strdup_printf("there is no scenario %s", run->scenario);
    } else {
        struct diag_list *diags = diag_list_new();
        char **sets = *run->sets ? g_strsplit(run->sets, "\n", -1) : NULL;
        run->number = campaign_add(runs->campaign, file, (const char *const *)sets, 0, diags);
        if (run->number < 0)
            run->why = runs_complaint(run->scenario, diags);
        g_strfreev(sets);
        diag_list_free(diags);
    }
    g_free(file);
}

void runs_need(struct runs *runs, const struct curve *curve)
{
    for (; curve; curve = curve->other) {
        if (run_of(runs, curve->scenario, curve->sets))
            continue;
        struct run *run = run_add(runs, curve->scenario, curve->sets);
        if (runs->campaign)
            run_enter(runs, run);
    }
}

bool runs_run(struct runs *runs, GError **error)
{
    if (!runs->campaign)
        return true;
    if (!campaign_run(runs->campaign, error))
        return false;
    for (guint i = 0; i < runs->in_order->len; i++) {
        struct run *run = g_ptr_array_index(runs->in_order, i);
        if (run->number >= 0 && !run->result)
            run->result = campaign_result(runs->campaign, run->number);
    }
    return true;
}

// ---- Results ----

json_t *runs_result(const struct runs *runs, const struct curve *curve, char **why)
{
    const struct run *run = run_of(runs, curve->scenario, curve->sets);
    if (run && run->result)
        return run->result;
    *why =
        run && run->why ? g_strdup(run->why) : g_strdup_printf("%s was not run", curve->scenario);
    return NULL;
}

json_t *runs_series(const struct runs *runs, const struct curve *curve, char **why)
{
    json_t *result = runs_result(runs, curve, why);
    if (!result)
        return NULL;
    json_t *series = curve_find_series(result, curve->series);
    if (!series)
        *why = g_strdup_printf("series missing: %s has no \"%s\"", curve->scenario, curve->series);
    return series;
}

static char *how_it_ended(const struct curve *curve, json_t *series)
{
    const char *status = json_string_value(json_object_get(series, "status"));
    json_t *reason = json_object_get(series, "reason");
    const char *text = json_string_value(json_object_get(reason, "text"));
    return g_strdup_printf("%s of %s ended as %s%s%s", curve->series, curve->scenario,
                           status ? status : "unknown", text ? ": " : "", text ? text : "");
}

static GArray *plain_points(const struct runs *runs, const struct curve *curve, bool *failed,
                            char **why)
{
    json_t *series = runs_series(runs, curve, why);
    if (!series)
        return NULL;
    if (g_strcmp0(json_string_value(json_object_get(series, "status")), "completed") != 0) {
        *failed = true;
        *why = how_it_ended(curve, series);
        return NULL;
    }
    GArray *points = curve_own_points(series, curve);
    if (points->len > 0)
        return points;
    *why = g_strdup_printf("%s of %s has no %s", curve->series, curve->scenario, curve->metric);
    g_array_unref(points);
    return NULL;
}

// Returns the quotients or differences of two curves, at the sizes of both.
static GArray *related(const struct curve *curve, const GArray *points, const GArray *others)
{
    GArray *both = g_array_new(FALSE, FALSE, sizeof(struct curve_point));
    for (guint i = 0; i < points->len; i++) {
        struct curve_point point = g_array_index(points, struct curve_point, i);
        const struct curve_point *other = curve_at(others, point.size);
        if (!other || (curve->relation == CURVE_OVER && other->value == 0.0))
            continue;
        if (curve->relation == CURVE_OVER)
            point.value /= other->value;
        else
            point.value -= other->value;
        g_array_append_val(both, point);
    }
    return both;
}

GArray *runs_points(const struct runs *runs, const struct curve *curve, bool *failed, char **why)
{
    *failed = false;
    GArray *points = plain_points(runs, curve, failed, why);
    if (!points || curve->relation == CURVE_ALONE)
        return points;
    GArray *others = plain_points(runs, curve->other, failed, why);
    GArray *both = others ? related(curve, points, others) : NULL;
    if (others)
        g_array_unref(others);
    g_array_unref(points);
    return both;
}

// The number of a curve's series among the cases; -1 and *why if it is not there.
static int case_number(const struct scenario *scenario, const struct curve *curve, char **why)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (strcmp(one->name, curve->series) == 0)
            return (int)i;
    }
    *why = g_strdup_printf("series missing: %s has no \"%s\"", curve->scenario, curve->series);
    return -1;
}

// The scenario of a curve under its settings; read once. NULL and *why if it can't be.
static const struct scenario *scenario_of(const struct runs *runs, const struct curve *curve,
                                          char **why)
{
    char *key = g_strconcat(curve->scenario, "\n", curve->sets, NULL);
    struct scenario *scenario = g_hash_table_lookup(runs->scenarios, key);
    if (scenario) {
        g_free(key);
        return scenario;
    }
    char *file = runs_file(runs, curve->scenario);
    char **sets = *curve->sets ? g_strsplit(curve->sets, "\n", -1) : NULL;
    struct scenario_options options = {.sets = (const char *const *)sets,
                                       .data_dir = runs->data_dir};
    struct diag_list *diags = diag_list_new();
    scenario = scenario_load(file, runs->schema, &options, diags);
    if (scenario) {
        g_hash_table_insert(runs->scenarios, key, scenario);
    } else {
        *why = runs_complaint(curve->scenario, diags);
        g_free(key);
    }
    diag_list_free(diags);
    g_strfreev(sets);
    g_free(file);
    return scenario;
}

// The case of a curve's series. NULL and *why if there is none.
static const struct scenario_case *case_of(const struct runs *runs, const struct curve *curve,
                                           char **why)
{
    if (!runs->schema) {
        *why = g_strdup("no scenarios are at hand");
        return NULL;
    }
    const struct scenario *scenario = scenario_of(runs, curve, why);
    int number = scenario ? case_number(scenario, curve, why) : -1;
    return number >= 0 ? g_ptr_array_index(scenario->cases, number) : NULL;
}

json_t *runs_case(const struct runs *runs, const struct curve *curve, char **why)
{
    const struct scenario_case *one = case_of(runs, curve, why);
    return one ? scenario_case_json(one) : NULL;
}

guint runs_inputs(const struct runs *runs, const struct curve *curve, double *events)
{
    char *why = NULL;
    const struct scenario_case *one = case_of(runs, curve, &why);
    g_free(why);
    *events = 0.0;
    if (!one)
        return 0;
    struct scenario_case drawn = *one;
    drawn.workload.steady = scenario_steady_in_draws(one);
    *events = estimate_cost(&drawn);
    GPtrArray *inputs = draw_inputs(one, runs->schema);
    guint count = inputs->len;
    g_ptr_array_unref(inputs);
    return count;
}

json_t *runs_read_case(const struct runs *runs, const struct curve *curve, char **why)
{
    const struct scenario_case *one = case_of(runs, curve, why);
    json_t *json = one ? scenario_case_json(one) : NULL;
    json_t *parameters = json_object_get(json, "parameters"), *section;
    const char *path;
    void *next;
    json_object_foreach_safe(parameters, next, path, section)
    {
        if (!scenario_case_reads(one, runs->schema, path))
            json_object_del(parameters, path);
    }
    return json;
}

// ---- State logs ----

// A sink that keeps the transitions.
struct keeper {
    struct trace trace;
    GArray *log;
    GString *line;
};

static void log_add(GArray *log, sim_time when, const char *line)
{
    struct logged logged = {when, log->len, g_strdup(line)};
    g_array_append_val(log, logged);
}

static void keeper_transition(struct trace *trace, trace_lane lane, sim_time when,
                              const struct trace_transition *transition)
{
    (void)lane;
    struct keeper *keeper = (struct keeper *)trace;
    g_string_truncate(keeper->line, 0);
    state_log_append(keeper->line, transition);
    log_add(keeper->log, when, keeper->line->str);
}

static void logged_clear(gpointer data)
{
    g_free(((struct logged *)data)->line);
}

static GArray *log_new(void)
{
    GArray *log = g_array_new(FALSE, FALSE, sizeof(struct logged));
    g_array_set_clear_func(log, logged_clear);
    return log;
}

static gint compare_logged(gconstpointer a, gconstpointer b)
{
    const struct logged *p = a, *q = b;
    return p->when != q->when ? (p->when > q->when) - (p->when < q->when)
                              : (p->number > q->number) - (p->number < q->number);
}

static GArray *log_of(const struct runs *runs, const struct scenario *scenario, int number)
{
    static const struct trace_ops ops = {.transition = keeper_transition};
    struct keeper keeper = {{&ops}, log_new(), g_string_new(NULL)};
    struct run_options options = {.trace = &keeper.trace};
    series_result_free(flow_or_packets(runs->registry, g_ptr_array_index(scenario->cases, number),
                                       number, scenario->seed, &options));
    g_string_free(keeper.line, TRUE);
    // Handlers report transitions ahead of time, and not in the order of time.
    g_array_sort(keeper.log, compare_logged);
    return keeper.log;
}

static char *log_key(const struct curve *curve)
{
    return g_strconcat(curve->scenario, "\n", curve->sets, "\n\n", curve->series, NULL);
}

const GArray *runs_state_log(const struct runs *runs, const struct curve *curve, char **why)
{
    char *key = log_key(curve);
    GArray *log = g_hash_table_lookup(runs->logs, key);
    if (log || !runs->schema) {
        if (!log)
            *why = g_strdup("no scenarios are at hand");
        g_free(key);
        return log;
    }
    const struct scenario *scenario = scenario_of(runs, curve, why);
    int number = scenario ? case_number(scenario, curve, why) : -1;
    if (number < 0) {
        g_free(key);
        return NULL;
    }
    log = log_of(runs, scenario, number);
    g_hash_table_insert(runs->logs, key, log);
    return log;
}

void runs_add_state_log(struct runs *runs, const struct curve *curve, const char *const *lines)
{
    GArray *log = log_new();
    for (; *lines; lines++) {
        char *rest;
        double us = g_ascii_strtod(*lines, &rest);
        log_add(log, (sim_time)(us * 1e6), rest + 1);
    }
    g_array_sort(log, compare_logged);
    g_hash_table_insert(runs->logs, log_key(curve), log);
}
