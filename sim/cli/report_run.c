// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a page that is a run: its files, and what its scenario gives besides.
#include "sim/cli/report.h"

#include "sim/explain/diagram.h"
#include "sim/explain/report.h"
#include "sim/figures/document.h"
#include "sim/figures/results.h"
#include "sim/measure/result.h"
#include "sim/output/manifest.h"
#include "sim/output/topology_graph.h"
#include "sim/run/schema.h"
#include "sim/validate/validate.h"

#include <string.h>

#define PAGE_MOST_METRICS 12
// Sizes of a series that are explained, each by itself, and their repetitions; the events of a
// program beyond which it is not run again.
#define PAGE_MOST_SIZES 6
#define PAGE_REPETITIONS 5
#define PAGE_MOST_EVENTS 2000000
// Series of which the path of a message is shown, and the largest message.
#define PAGE_MOST_DIAGRAMS 6
#define PAGE_LARGEST_MESSAGE 65536

static void page_note(json_t *notes, char *text)
{
    json_array_append_new(notes, json_string(text));
    g_free(text);
}

// ---- Pictures ----

static void page_add_metric(GPtrArray *metrics, const char *name)
{
    if (name && strcmp(name, "size_bytes") != 0 && metrics->len < PAGE_MOST_METRICS &&
        !g_ptr_array_find_with_equal_func(metrics, name, g_str_equal, NULL))
        g_ptr_array_add(metrics, (gpointer)name);
}

// The names of all metrics, borrowed from the result; ends with NULL.
static GPtrArray *page_metrics(json_t *result)
{
    GPtrArray *metrics = g_ptr_array_new();
    size_t i, k;
    json_t *series, *one, *value;
    const char *key;
    json_array_foreach(json_object_get(result, "series"), i, series)
    {
        json_array_foreach(json_object_get(series, "points"), k, one)
        {
            json_object_foreach(one, key, value)
            {
                page_add_metric(metrics, key);
            }
        }
        json_array_foreach(json_object_get(series, "values"), k, one)
        {
            if (json_is_null(json_object_get(one, "size_bytes")))
                page_add_metric(metrics, json_string_value(json_object_get(one, "metric")));
        }
    }
    g_ptr_array_add(metrics, NULL);
    return metrics;
}

// One picture with a panel for each metric.
static json_t *page_run_pictures(json_t *result, GError **error)
{
    GPtrArray *metrics = page_metrics(result);
    const struct choice_words words = {.metrics =
                                           metrics->len > 1 ? (char **)metrics->pdata : NULL};
    struct choice *choice = choice_new(&words, error);
    json_t *pictures = NULL;
    if (choice) {
        json_t *document = figure_of_result(result, choice);
        pictures = json_pack("[{s:s, s:o}]", "title", "results", "document", document);
        choice_free(choice);
    }
    g_ptr_array_unref(metrics);
    return pictures;
}

// ---- Files ----

static void page_add_file(json_t *tables, const char *directory, const char *name, const char *file,
                          json_t *notes)
{
    char *path = g_build_filename(directory, file, NULL), *text = NULL;
    if (g_file_get_contents(path, &text, NULL, NULL)) {
        json_t *table = page_table(name, file, text);
        if (table)
            json_array_append_new(tables, table);
        else
            page_note(notes, g_strdup_printf("%s can't be read", path));
    }
    g_free(text);
    g_free(path);
}

static json_t *page_run_tables(const char *directory, const json_t *manifest, json_t *notes)
{
    static const char *const names[MANIFEST_EXTRAS] = {
        [MANIFEST_SAMPLES] = "single repetitions",
        [MANIFEST_LINKS] = "links",
        [MANIFEST_LINKS_BY_SIZE] = "links by size",
    };
    const json_t *files = json_object_get(manifest, "results");
    json_t *tables = json_array();
    page_add_file(tables, directory, "values", "results.csv", notes);
    for (int extra = 0; extra < MANIFEST_EXTRAS; extra++) {
        const char *file = manifest_extra_file((enum manifest_extra)extra);
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)files, key, value)
        {
            if (g_strcmp0(json_string_value(value), file) == 0 && strcmp(key, "file") != 0)
                page_add_file(tables, directory, names[extra], file, notes);
        }
    }
    return tables;
}

// ---- The scenario ----

// The settings that the run was given: its --set and --draw. Ends with NULL.
static GPtrArray *page_sets(const json_t *manifest)
{
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    const json_t *command = json_object_get(json_object_get(manifest, "execution"), "command");
    size_t count = json_array_size(command);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (g_strcmp0(word, "--set") == 0 && i + 1 < count)
            g_ptr_array_add(sets, g_strdup(json_string_value(json_array_get(command, ++i))));
        else if (word && g_str_has_prefix(word, "--set="))
            g_ptr_array_add(sets, g_strdup(word + strlen("--set=")));
    }
    g_ptr_array_add(sets, NULL);
    return sets;
}

// A copy without the places that values come from, which another directory changes.
static json_t *page_without_origins(const json_t *value)
{
    json_t *copy, *member;
    size_t i;
    const char *key;
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach(value, i, member)
        {
            json_array_append_new(copy, page_without_origins(member));
        }
    } else if (json_is_object(value)) {
        copy = json_object();
        json_object_foreach((json_t *)value, key, member)
        {
            if (strcmp(key, "origin") != 0 && strcmp(key, "testbed") != 0)
                json_object_set_new(copy, key, page_without_origins(member));
        }
    } else {
        copy = json_deep_copy(value);
    }
    return copy;
}

static bool page_same_case(const struct scenario_case *test_case, const json_t *was)
{
    json_t *resolved = scenario_case_json(test_case);
    json_t *now = page_without_origins(resolved), *before = page_without_origins(was);
    bool same = json_equal(now, before);
    json_decref(resolved);
    json_decref(now);
    json_decref(before);
    return same;
}

static const struct scenario_case *page_case_of(const struct scenario *scenario, const char *name)
{
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (g_strcmp0(one->name, name) == 0)
            return one;
    }
    return NULL;
}

// Whether the scenario still gives the cases that were run.
static bool page_same_scenario(const struct scenario *scenario, const json_t *manifest)
{
    bool same = true;
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(manifest, "series"), i, series)
    {
        const struct scenario_case *now =
            page_case_of(scenario, json_string_value(json_object_get(series, "name")));
        same = same && now && page_same_case(now, json_object_get(series, "case"));
    }
    return same;
}

// The scenario of a run; NULL, with a note, if it is gone or has changed since.
static struct scenario *page_scenario(const struct scenario_schema *schema, const json_t *manifest,
                                      char **sets, json_t *notes)
{
    const char *file = json_string_value(json_object_get(manifest, "file"));
    json_int_t seed = json_integer_value(json_object_get(manifest, "seed"));
    char *why = NULL;
    struct scenario *scenario = NULL;
    if (file && g_file_test(file, G_FILE_TEST_IS_REGULAR))
        scenario = cli_scenario_quietly(schema, file, sets, (uint64_t)seed, &why);
    if (scenario && !page_same_scenario(scenario, manifest)) {
        scenario_free(scenario);
        scenario = NULL;
        why = g_strdup("it has changed since");
    }
    if (!scenario)
        page_note(notes,
                  g_strdup_printf("where the time goes, a message's path, the machine and claims "
                                  "are left out (scenario %s: %s)",
                                  file ? file : "unknown", why ? why : "it is not there"));
    g_free(why);
    return scenario;
}

// ---- Where the time goes ----

// Some sizes of a benchmark, spread over all of them.
static void page_explain_sizes(struct explained_series *series, struct explain_run *run)
{
    const GArray *sizes = run->test_case->workload.sizes;
    guint count = MIN(sizes->len, PAGE_MOST_SIZES);
    run->repetitions = PAGE_REPETITIONS;
    for (guint i = 0; i < count; i++) {
        guint at = count > 1 ? i * (sizes->len - 1) / (count - 1) : 0;
        run->size = g_array_index(sizes, int64_t, at);
        GPtrArray *one = explain_case(run);
        g_ptr_array_extend_and_steal(series->sizes, one);
    }
}

static struct explained_series *page_explain_series(const struct scenario_case *test_case,
                                                    uint64_t seed)
{
    struct explained_series *series = explained_series_new(test_case);
    struct explain_run run = {
        .registry = &model_registry, .test_case = test_case, .seed = seed, .size = EXPLAIN_ALL};
    const GArray *sizes = test_case->workload.sizes;
    if (test_case->workload.benchmark && sizes && sizes->len > 0) {
        page_explain_sizes(series, &run);
    } else {
        g_ptr_array_unref(series->sizes);
        series->sizes = explain_case(&run);
    }
    return series;
}

static void page_free_series(void *series)
{
    explained_series_free(series);
}

static json_t *page_explain(const struct scenario *scenario, const json_t *manifest, json_t *notes)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(page_free_series);
    size_t i;
    const json_t *series;
    json_array_foreach(json_object_get(manifest, "series"), i, series)
    {
        const char *name = json_string_value(json_object_get(series, "name"));
        const char *status = json_string_value(json_object_get(series, "status"));
        const struct scenario_case *of = page_case_of(scenario, name);
        bool sized = of && of->workload.benchmark && of->workload.sizes->len > 0;
        if (!of || of->fidelity != FIDELITY_PACKET || g_strcmp0(status, "completed") != 0)
            continue;
        if (sized || json_integer_value(json_object_get(series, "events")) <= PAGE_MOST_EVENTS)
            g_ptr_array_add(all, page_explain_series(of, scenario->seed));
        else
            page_note(notes, g_strdup_printf("%s: too long to be explained here (netsim explain "
                                             "does it)",
                                             name));
    }
    json_t *explained = all->len > 0 ? report_json(scenario->name, all) : NULL;
    g_ptr_array_unref(all);
    return explained;
}

// ---- The path of a message ----

// Of a benchmark: the first of its sizes above 0 that is not too large; -1: there is none.
static int64_t page_message_size(const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    if (!workload->benchmark || workload->benchmark->sizeless)
        return -1;
    for (guint i = 0; i < workload->sizes->len; i++) {
        int64_t size = g_array_index(workload->sizes, int64_t, i);
        if (size > 0 && size <= PAGE_LARGEST_MESSAGE)
            return size;
    }
    return -1;
}

// The diagrams of a message of each of the series (sim/explain/diagram.h).
static json_t *page_diagrams(const struct scenario *scenario)
{
    json_t *list = json_array();
    for (guint i = 0; i < scenario->cases->len && json_array_size(list) < PAGE_MOST_DIAGRAMS; i++) {
        const struct scenario_case *test_case = g_ptr_array_index(scenario->cases, i);
        struct explain_run run = {.registry = &model_registry,
                                  .test_case = test_case,
                                  .seed = scenario->seed,
                                  .size = page_message_size(test_case),
                                  .repetitions = PAGE_REPETITIONS};
        if (run.size < 0 || test_case->fidelity != FIDELITY_PACKET)
            continue;
        const struct diagram_request request = {&run, 0};
        struct diagram *diagram = diagram_of(&request);
        if (!diagram->why)
            json_array_append_new(list, diagram_json(diagram, scenario->name, &request));
        diagram_free(diagram);
    }
    return list;
}

// ---- The machine ----

static void page_add_machine(json_t *part, const struct scenario *scenario)
{
    const struct scenario_case *first = g_ptr_array_index(scenario->cases, 0);
    struct topology_graph *graph = topology_graph_new(&first->topology, GRAPH_AUTO);
    bool irregular;
    GString *svg = topology_graph_svg(graph, scenario->name, &irregular);
    json_object_set_new(part, "machine", json_string(svg->str));
    g_string_free(svg, TRUE);
    topology_graph_free(graph);
}

// ---- Claims ----

// The verdicts of claims on the scenario as it is shipped; NULL: it is not that.
static json_t *page_claims(const struct scenario *scenario, json_t *result, char **sets,
                           json_t *notes)
{
    char *name = g_strconcat(scenario->name, ".yaml", NULL);
    char *shipped = g_build_filename(cli_data_dir(), "scenarios", name, NULL);
    char *real = g_canonicalize_filename(scenario->file, NULL);
    char *real_shipped = g_canonicalize_filename(shipped, NULL);
    json_t *claims = NULL;
    if (!*sets && strcmp(real, real_shipped) == 0) {
        struct diag_list *diags = diag_list_new();
        GError *error = NULL;
        claims =
            validate_result(&model_registry, cli_data_dir(), scenario->name, result, diags, &error);
        if (!claims)
            page_note(notes, g_strdup_printf("no verdicts: %s", error ? error->message
                                                                      : "the claims can't be "
                                                                        "read"));
        g_clear_error(&error);
        diag_list_free(diags);
    }
    g_free(real_shipped);
    g_free(real);
    g_free(shipped);
    g_free(name);
    return claims;
}

// ---- The part ----

// Adds to the series of a result what the manifest has of them besides: counters, ledgers.
static void page_complete(json_t *result, const json_t *manifest)
{
    json_t *list = json_object_get(result, "series"), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        json_object_update_missing(one, json_array_get(json_object_get(manifest, "series"), i));
    }
}

// Adds what the scenario gives that the files of the run have not.
static void page_add_scenario(json_t *part, const json_t *manifest, json_t *result,
                              const struct page_arguments *arguments)
{
    json_t *notes = json_object_get(part, "notes");
    struct scenario_schema *schema = registry_schema(&model_registry);
    GPtrArray *sets = page_sets(manifest);
    char **given = (char **)sets->pdata;
    struct scenario *scenario = page_scenario(schema, manifest, given, notes);
    if (scenario) {
        json_t *explained = arguments->no_explain ? NULL : page_explain(scenario, manifest, notes);
        json_t *claims = page_claims(scenario, result, given, notes);
        page_add_machine(part, scenario);
        if (explained)
            json_object_set_new(part, "explain", explained);
        if (!arguments->no_explain)
            json_object_set_new(part, "diagrams", page_diagrams(scenario));
        if (claims)
            json_object_set_new(part, "claims", claims);
        scenario_free(scenario);
    }
    g_ptr_array_unref(sets);
    registry_schema_free(schema);
}

static json_t *page_manifest(const char *directory)
{
    char *path = g_build_filename(directory, "manifest.json", NULL);
    json_t *manifest = json_load_file(path, 0, NULL);
    g_free(path);
    return manifest;
}

json_t *page_run(const char *directory, const struct page_arguments *arguments, GError **error)
{
    json_t *result = results_read(directory, error); // checks the manifest, too
    json_t *manifest = result ? page_manifest(directory) : NULL;
    json_t *pictures = manifest ? page_run_pictures(result, error) : NULL, *part = NULL;
    if (pictures) {
        json_t *notes = json_array(), *name = json_object_get(manifest, "scenario");
        json_t *title = json_object_get(manifest, "description");
        part = json_pack("{s:s, s:O, s:O, s:O, s:O?, s:O, s:o, s:O, s:O}", "kind", "run", "label",
                         name, "scenario", name, "title", json_is_string(title) ? title : name,
                         "source", json_object_get(manifest, "version"), "pictures", pictures,
                         "tables", page_run_tables(directory, manifest, notes), "notes", notes,
                         "manifest", manifest);
        json_decref(notes);
        page_complete(result, manifest);
        if (part)
            page_add_scenario(part, manifest, result, arguments);
    }
    json_decref(pictures);
    json_decref(manifest);
    json_decref(result);
    return part;
}
