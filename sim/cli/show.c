// SPDX-License-Identifier: GPL-3.0-or-later
// netsim show: a scenario, testbed or sweep as it is resolved, its machine as text and as a
// drawing, and the routes between hosts; or the text of the file.
#include "sim/cli/cli.h"

#include "sim/cli/show_values.h"
#include "sim/config/quantity.h"
#include "sim/core/shown.h"
#include "sim/model/model.h"
#include "sim/output/json.h"
#include "sim/output/text.h"
#include "sim/output/topology_graph.h"
#include "sim/run/routes.h"
#include "sim/run/schema.h"
#include "sim/scenario/placement.h"
#include "sim/scenario/topology_read.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST_RANK_LINES 16

static const char *const show_formats[] = {"text", "json", NULL};

struct show_arguments {
    gboolean path, file, origins, all, allow_unused, wide;
    char **sets, **series, *route, *svg, *dot, *format;
};

// A scenario, or a testbed that is none.
struct shown_machine {
    struct scenario *scenario;       // NULL: a testbed
    struct node *tree;               // of a testbed
    struct topology own;             // of a testbed
    const struct topology *topology; // of the first series, or the testbed's
    char *title;
};

// ---- The file ----

static enum cli_exit show_file(const char *name, bool path_only)
{
    GError *error = NULL;
    char *text = NULL;
    gsize length;
    char *path = g_file_test(name, G_FILE_TEST_IS_REGULAR) ? g_strdup(name) : cli_shipped(name);
    enum cli_exit code = CLI_BAD_INPUT;
    if (!path)
        return code;
    if (path_only) {
        printf("%s\n", path);
        code = CLI_DONE;
    } else if (g_file_get_contents(path, &text, &length, &error)) {
        fwrite(text, 1, length, stdout);
        code = CLI_DONE;
    } else {
        cli_refuse(error);
    }
    g_free(text);
    g_free(path);
    return code;
}

// ---- What is shown ----

// Whether a file is a testbed: a map without what the ranks do.
static struct node *testbed_tree(const char *path)
{
    struct diag_list *diags = diag_list_new();
    struct node *tree = node_load(path, diags);
    diag_list_free(diags);
    bool testbed = tree && tree->kind == NODE_MAP && !node_get(tree, "workload") &&
                   !node_get(tree, "stack") && !node_get(tree, "series") &&
                   !node_get(tree, "testbed");
    if (testbed)
        return tree;
    node_free(tree);
    return NULL;
}

static bool show_testbed(struct shown_machine *shown, const char *path,
                         const struct show_arguments *arguments,
                         const struct scenario_schema *schema)
{
    struct diag_list *diags = diag_list_new();
    for (char **set = arguments->sets; set && *set; set++) {
        char **parts = g_strsplit(*set, "=", 2);
        if (parts[0] && parts[1])
            node_set(&shown->tree, parts[0], parts[1], "--set", diags);
        g_strfreev(parts);
    }
    topology_read(&shown->own, shown->tree, schema, diags);
    bool good = !diag_any(diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    shown->topology = &shown->own;
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".yaml"))
        name[strlen(name) - strlen(".yaml")] = '\0';
    shown->title = name;
    return good;
}

static bool show_scenario(struct shown_machine *shown, const char *argument,
                          const struct show_arguments *arguments,
                          const struct scenario_schema *schema)
{
    shown->scenario = cli_scenario(schema, argument, arguments->sets, arguments->allow_unused, 0);
    if (!shown->scenario || !cli_series_keep(shown->scenario, arguments->series))
        return false;
    const struct scenario_case *first = g_ptr_array_index(shown->scenario->cases, 0);
    shown->topology = &first->topology;
    shown->title = g_strdup(shown->scenario->name);
    return true;
}

// Finds what an argument names. A word is a shipped scenario or sweep, or else a shipped testbed.
static bool show_find(struct shown_machine *shown, const char *argument,
                      const struct show_arguments *arguments, const struct scenario_schema *schema)
{
    bool standard = strcmp(argument, CLI_STDIN) == 0;
    bool file = !standard && g_file_test(argument, G_FILE_TEST_IS_REGULAR);
    char *path = standard ? NULL : file ? g_strdup(argument) : cli_shipped(argument);
    bool good = false;
    if (path)
        shown->tree = testbed_tree(path);
    if (path && shown->tree)
        good = show_testbed(shown, path, arguments, schema);
    else if (standard || path)
        good = show_scenario(shown, standard ? argument : path, arguments, schema);
    g_free(path);
    return good;
}

static void shown_clear(struct shown_machine *shown)
{
    scenario_free(shown->scenario);
    topology_clear(&shown->own);
    node_free(shown->tree);
    g_free(shown->title);
}

// ---- Text ----

// "pmb.pingpong, 24 sizes, 0 B .. 4 MiB", "a program", "a recording"; the caller frees it.
static char *workload_text(const struct workload *workload)
{
    if (!workload->benchmark)
        return g_strdup(workload->recording ? "a recording" : "a program");
    const struct benchmark_schema *benchmark = workload->benchmark;
    if (benchmark->sizeless || workload->sizes->len == 0)
        return g_strdup(benchmark->name);
    enum quantity_kind kind = benchmark->counts ? QUANTITY_COUNT : QUANTITY_SIZE;
    char *first = quantity_format(
        kind, (struct quantity){.integer = g_array_index(workload->sizes, int64_t, 0)});
    char *last = quantity_format(
        kind, (struct quantity){
                  .integer = g_array_index(workload->sizes, int64_t, workload->sizes->len - 1)});
    char *text = workload->sizes->len == 1
                     ? g_strdup_printf("%s, %s", benchmark->name, first)
                     : g_strdup_printf("%s, %u sizes, %s .. %s", benchmark->name,
                                       workload->sizes->len, first, last);
    g_free(last);
    g_free(first);
    return text;
}

static void append_series(GString *out, const struct scenario *scenario)
{
    g_string_append(out, "\nseries\n");
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        char *workload = workload_text(&one->workload);
        GString *text = g_string_new(NULL);
        g_string_append_printf(text, "%s: %s%s%s%s, %d ranks, %s", one->name, one->stack->name,
                               one->nic ? " on " : "", one->nic ? one->nic : "",
                               one->fidelity == FIDELITY_FLOW ? " (flows)" : "",
                               one->workload.ranks, workload);
        g_string_append(out, "  ");
        text_append_wrapped(out, text->str, cli_wrap_width(stdout) - 2, 4);
        g_string_append_c(out, '\n');
        g_string_free(text, TRUE);
        g_free(workload);
    }
}

// The ranks of a case, with consecutive ones that are on consecutive hosts, or one host, together.
static void append_ranks(GString *out, const struct scenario_case *one)
{
    const struct workload *workload = &one->workload;
    int lines = 0;
    for (int rank = 0, end; rank < workload->ranks; rank = end) {
        int first = placement_host(workload->placement, rank), step = 0;
        for (end = rank + 1; end < workload->ranks; end++) {
            int host = placement_host(workload->placement, end);
            if (end == rank + 1)
                step = host - first;
            if ((step != 0 && step != 1) || host != first + step * (end - rank))
                break;
        }
        if (lines++ == MOST_RANK_LINES) {
            g_string_append_printf(out, "            and %d more ranks\n", workload->ranks - rank);
            return;
        }
        const char *from = topology_node_name(&one->topology, first);
        const char *to =
            topology_node_name(&one->topology, placement_host(workload->placement, end - 1));
        g_string_append(out, lines == 1 ? "  ranks     " : "            ");
        if (end == rank + 1)
            g_string_append_printf(out, "%d on %s\n", rank, from);
        else if (strcmp(from, to) == 0)
            g_string_append_printf(out, "%d .. %d on %s\n", rank, end - 1, from);
        else
            g_string_append_printf(out, "%d .. %d on %s .. %s\n", rank, end - 1, from, to);
    }
}

static char *case_machine_text(const struct scenario_case *one)
{
    GString *out = g_string_new(NULL);
    topology_append_text(out, &one->topology, cli_wrap_width(stdout));
    append_ranks(out, one);
    return g_string_free(out, FALSE);
}

// The machines of the series, each once with the series that have it.
static void append_machines(GString *out, const struct scenario *scenario)
{
    guint count = scenario->cases->len;
    char **texts = g_new0(char *, count + 1);
    for (guint i = 0; i < count; i++)
        texts[i] = case_machine_text(g_ptr_array_index(scenario->cases, i));
    for (guint i = 0; i < count; i++) {
        GString *whose = g_string_new(NULL);
        bool told = false, all = true;
        for (guint k = 0; k < count; k++) {
            const struct scenario_case *other = g_ptr_array_index(scenario->cases, k);
            bool same = strcmp(texts[i], texts[k]) == 0;
            told |= same && k < i;
            all &= same;
            if (same)
                g_string_append_printf(whose, "%s%s", whose->len ? ", " : "", other->name);
        }
        if (!told) {
            g_string_append(out, "\nmachine");
            if (!all)
                g_string_append(out, " of ");
            text_append_wrapped(out, all ? "" : whose->str, cli_wrap_width(stdout) - 12, 2);
            g_string_append_printf(out, "\n%s", texts[i]);
        }
        g_string_free(whose, TRUE);
    }
    for (guint i = 0; i < count; i++)
        g_free(texts[i]);
    g_free(texts);
}

static void append_head(GString *out, const char *title, const char *description)
{
    g_string_append_printf(out, "%s\n", title);
    if (!description || !*description)
        return;
    g_string_append(out, "  ");
    text_append_wrapped(out, description, cli_wrap_width(stdout) - 2, 2);
    g_string_append_c(out, '\n');
}

static void show_text(const struct shown_machine *shown, const struct show_arguments *arguments,
                      const struct scenario_schema *schema)
{
    const struct show_values_options options = {arguments->all, arguments->origins,
                                                cli_wrap_width(stdout)};
    GString *out = g_string_new(NULL);
    if (shown->scenario) {
        append_head(out, shown->title, shown->scenario->description);
        append_series(out, shown->scenario);
        append_machines(out, shown->scenario);
        show_values_of_cases(out, shown->scenario, schema, &options);
    } else {
        const struct node *description = node_get(shown->tree, "description");
        append_head(out, shown->title,
                    description && description->kind == NODE_SCALAR ? description->text : NULL);
        g_string_append(out, "\nmachine\n");
        topology_append_text(out, shown->topology, cli_wrap_width(stdout));
        show_values_of_testbed(out, shown->tree, schema, &options);
    }
    shown_print(out->str, SHOWN_TEXT, stdout);
    g_string_free(out, TRUE);
}

static void show_json(const struct shown_machine *shown)
{
    json_t *series = json_array();
    for (guint i = 0; i < shown->scenario->cases->len; i++)
        json_array_append_new(series,
                              scenario_case_json(g_ptr_array_index(shown->scenario->cases, i)));
    char *text =
        document_text(json_pack("{s:s, s:s?, s:o}", "name", shown->scenario->name, "description",
                                shown->scenario->description, "series", series));
    fputs(text, stdout);
    g_free(text);
}

// ---- Routes ----

static int host_named(const struct topology *topology, const char *name)
{
    GPtrArray *names = g_ptr_array_new();
    int found = -1;
    for (int i = 0; i < (int)topology->hosts->len; i++) {
        g_ptr_array_add(names, (gpointer)topology_node_name(topology, i));
        if (strcmp(topology_node_name(topology, i), name) == 0)
            found = i;
    }
    g_ptr_array_add(names, NULL);
    char *hint = found < 0 ? cli_did_you_mean(name, (const char *const *)names->pdata) : NULL;
    if (found < 0)
        cli_error(hint, "--route: the machine has no host `%s'", name);
    g_free(hint);
    g_ptr_array_unref(names);
    return found;
}

static void append_route(GString *out, const struct topology *topology, int from,
                         const GArray *hops)
{
    GString *text = g_string_new(topology_node_name(topology, from));
    for (guint i = 0; i < hops->len; i++) {
        const struct route_hop *hop = &g_array_index(hops, struct route_hop, i);
        const struct topology_link *link = g_ptr_array_index(topology->links, (guint)hop->link);
        char *rate = topology_link_rate(link);
        int end = link->b == hop->to ? 1 : 0;
        const struct topology_card *card = topology_link_card(topology, link, end),
                                   *begin = topology_link_card(topology, link, !end);
        if (i == 0 && begin)
            g_string_append_printf(text, ".%s", begin->name);
        g_string_append_printf(text, " -> %s%s%s (%s)", topology_node_name(topology, hop->to),
                               card ? "." : "", card ? card->name : "", rate);
        g_free(rate);
    }
    if (hops->len > 0 && topology->cards->len > 0) {
        const struct topology_link *first = g_ptr_array_index(
            topology->links, (guint)g_array_index(hops, struct route_hop, 0).link);
        if (first->idle[0] || first->idle[1])
            g_string_append(text, ", not used by the stack");
    }
    g_string_append(out, "  ");
    text_append_wrapped(out, text->str, cli_wrap_width(stdout) - 2, 4);
    g_string_append_c(out, '\n');
    g_string_free(text, TRUE);
}

static enum cli_exit show_route(const struct shown_machine *shown, const char *from_name,
                                const char *to_name)
{
    int from = host_named(shown->topology, from_name);
    int to = from < 0 ? -1 : host_named(shown->topology, to_name);
    if (to < 0)
        return CLI_BAD_INPUT;
    struct diag_list *diags = diag_list_new();
    GPtrArray *routes = routes_between(shown->topology, from, to, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    if (!routes)
        return CLI_BAD_INPUT;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s to %s: %u route%s\n", from_name, to_name, routes->len,
                           routes->len == 1 ? "" : "s");
    for (guint i = 0; i < routes->len; i++)
        append_route(out, shown->topology, from, g_ptr_array_index(routes, i));
    shown_print(out->str, SHOWN_TEXT, stdout);
    g_string_free(out, TRUE);
    g_ptr_array_unref(routes);
    return CLI_DONE;
}

// ---- Drawings ----

// Has Graphviz lay out a machine. Returns its SVG, which the caller frees, or NULL.
static char *drawn_by_graphviz(const char *dot)
{
    char *path = NULL, *svg = NULL;
    int status, file = g_file_open_tmp("netsim-XXXXXX.dot", &path, NULL);
    if (file < 0)
        return NULL;
    g_close(file, NULL);
    const char *arguments[] = {"neato", "-Tsvg", path, NULL};
    if (!g_file_set_contents(path, dot, -1, NULL) ||
        !g_spawn_sync(NULL, (char **)arguments, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &svg, NULL,
                      &status, NULL) ||
        !g_spawn_check_wait_status(status, NULL))
        g_clear_pointer(&svg, g_free);
    g_unlink(path);
    g_free(path);
    return svg;
}

static bool put_drawing(const char *path, const char *text)
{
    GError *error = NULL;
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return true;
    }
    if (file_put(path, text, strlen(text), &error))
        return true;
    cli_refuse(error);
    return false;
}

static enum cli_exit show_drawings(const struct shown_machine *shown,
                                   const struct show_arguments *arguments)
{
    struct topology_graph *graph = topology_graph_new(shown->topology, GRAPH_AUTO);
    GString *dot = topology_graph_dot(graph, shown->title);
    bool good = true, irregular;
    if (arguments->svg) {
        GString *svg = topology_graph_svg(graph, shown->title, &irregular);
        char *other = irregular ? drawn_by_graphviz(dot->str) : NULL;
        good = put_drawing(arguments->svg, other ? other : svg->str);
        g_free(other);
        g_string_free(svg, TRUE);
    }
    if (good && arguments->dot)
        good = put_drawing(arguments->dot, dot->str);
    g_string_free(dot, TRUE);
    topology_graph_free(graph);
    return good ? CLI_DONE : CLI_BAD_INPUT;
}

// ---- The command ----

static enum cli_exit show_found(const struct shown_machine *shown, char **words,
                                const struct show_arguments *arguments,
                                const struct scenario_schema *schema, int format)
{
    if (arguments->route)
        return show_route(shown, arguments->route, words[1]);
    if (arguments->svg || arguments->dot)
        return show_drawings(shown, arguments);
    if (format == 0)
        show_text(shown, arguments, schema);
    else if (shown->scenario)
        show_json(shown);
    else
        cli_error("show a scenario on it", "--format json: a testbed alone is not resolved");
    return format == 0 || shown->scenario ? CLI_DONE : CLI_BAD_INPUT;
}

static enum cli_exit show(char **words, const void *data)
{
    const struct show_arguments *arguments = data;
    if (arguments->path || arguments->file)
        return show_file(words[0], arguments->path);
    int format = cli_choice("--format", arguments->format, show_formats);
    if (format < 0)
        return CLI_BAD_INPUT;
    if ((words[1] != NULL) != (arguments->route != NULL)) {
        cli_error("netsim show NAME --route FROM TO",
                  arguments->route ? "--route lacks the second host"
                                   : "a second argument is the host of --route");
        return CLI_BAD_INPUT;
    }
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct shown_machine shown = {0};
    enum cli_exit code = show_find(&shown, words[0], arguments, schema)
                             ? show_found(&shown, words, arguments, schema, format)
                             : CLI_BAD_INPUT;
    shown_clear(&shown);
    registry_schema_free(schema);
    return code;
}

const struct cli_option cli_show_options[] = {
    {.name = "file",
     .value = CLI_FLAG,
     .offset = offsetof(struct show_arguments, file),
     .summary = "print the text of the file instead"},
    {.name = "path",
     .value = CLI_FLAG,
     .offset = offsetof(struct show_arguments, path),
     .summary = "print where the file is instead"},
    {.name = "origins",
     .value = CLI_FLAG,
     .offset = offsetof(struct show_arguments, origins),
     .summary = "print where each value comes from"},
    {.name = "defaults",
     .value = CLI_FLAG,
     .offset = offsetof(struct show_arguments, all),
     .summary = "print also values that are defaults"},
    {.name = "route",
     .value = CLI_TEXT,
     .offset = offsetof(struct show_arguments, route),
     .argument = "FROM",
     .summary = "print the routes from this host to the one after NAME",
     .more = "`netsim show NAME --route node0 node3`"},
    {.name = "svg",
     .value = CLI_TEXT,
     .offset = offsetof(struct show_arguments, svg),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "draw the machine into this file; -: to standard output",
     .more = "Trees, Clos networks, chains and rings have a layout of their own; others are laid "
             "out by Graphviz where it is installed."},
    {.name = "dot",
     .value = CLI_TEXT,
     .offset = offsetof(struct show_arguments, dot),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "write the machine in Graphviz's language; -: to standard output"},
    CLI_SERIES_OPTION(struct show_arguments, series),
    CLI_SET_OPTION(struct show_arguments, sets),
    CLI_UNUSED_OPTION(struct show_arguments, allow_unused),
    CLI_WIDE_OPTION(struct show_arguments, wide),
    CLI_FORMAT_OPTION(struct show_arguments, format, show_formats,
                      "JSON has each series as the manifest of a run does."),
    CLI_OPTIONS_END,
};

enum cli_exit cli_show(const struct cli_command *command, int argc, char **argv)
{
    struct show_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, show);
}
