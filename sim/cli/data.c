// SPDX-License-Identifier: GPL-3.0-or-later
// Where the program's data is, and how the scenario is found that an argument names.
#include "sim/cli/cli.h"

#include "sim/core/diag.h"
#include "sim/core/intern.h"
#include "sim/output/python.h"

#include <errno.h>
#include <string.h>

static bool holds_scenarios(const char *directory)
{
    char *scenarios = g_build_filename(directory, "scenarios", NULL);
    bool found = g_file_test(scenarios, G_FILE_TEST_IS_DIR);
    g_free(scenarios);
    return found;
}

char *cli_beside_program(const char *name)
{
    char *program = g_file_read_link("/proc/self/exe", NULL);
    if (!program)
        return NULL;
    char *bin = g_path_get_dirname(program);
    char *file = g_build_filename(bin, name, NULL);
    char *plain = g_canonicalize_filename(file, NULL);
    g_free(file);
    g_free(bin);
    g_free(program);
    return plain;
}

const char *cli_data_dir(void)
{
    static const char *directory;
    if (directory)
        return directory;
    const char *given = g_getenv("NETSIM_DATA_DIR");
    if (given && *given)
        return directory = intern_text(given);
    // PREFIX/share/netsim for a program in PREFIX/bin, so that an installed tree may be moved.
    char *beside = cli_beside_program("../share/netsim");
    if (beside && holds_scenarios(beside))
        directory = intern_text(beside);
    else if (holds_scenarios(NETSIM_SOURCE_DIR))
        directory = NETSIM_SOURCE_DIR;
    else
        directory = NETSIM_DATA_DIR;
    g_free(beside);
    return directory;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **cli_data_names(const char *folder)
{
    GPtrArray *names = g_ptr_array_new();
    char *path = g_build_filename(cli_data_dir(), folder, NULL);
    GDir *directory = g_dir_open(path, 0, NULL);
    const char *file;
    while (directory && (file = g_dir_read_name(directory)))
        // A file of fitted values is a part of a testbed, and none of its own.
        if (g_str_has_suffix(file, ".yaml") && !g_str_has_suffix(file, ".fit.yaml") && *file != '.')
            g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(".yaml")));
    if (directory)
        g_dir_close(directory);
    g_free(path);
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

// Returns the path of FOLDER/NAMEsuffix in the data directory, or NULL if there is no such file.
static char *data_file(const char *folder, const char *name, const char *suffix)
{
    char *file = g_strconcat(name, suffix, NULL);
    char *path = g_build_filename(cli_data_dir(), folder, file, NULL);
    g_free(file);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return path;
    g_free(path);
    return NULL;
}

// Returns the path of the scenario shipped under this name, or NULL.
static char *shipped_scenario(const char *argument)
{
    static const struct {
        const char *folder, *suffix;
    } places[] = {{"scenarios", ".yaml"},
                  {"scenarios/sweeps", ".yaml"},
                  {"scenarios", ""},
                  {"", ".yaml"},
                  {"", ""}};
    for (size_t i = 0; !g_path_is_absolute(argument) && i < G_N_ELEMENTS(places); i++) {
        char *path = data_file(places[i].folder, argument, places[i].suffix);
        if (path && !g_file_test(path, G_FILE_TEST_IS_DIR))
            return path;
        g_free(path);
    }
    return NULL;
}

// ---- Standard input ----

#define STDIN_NAME "<stdin>" // of its text, in messages

// Reads standard input once, at most a byte more than a scenario may have, and keeps it as the text
// of STDIN_NAME. Returns false after an error.
static bool stdin_keep(void)
{
    static GString *text;
    if (text)
        return true;
    text = g_string_new(NULL);
    g_string_set_size(text, NODE_MAX_FILE_BYTES + 1);
    g_string_set_size(text, fread(text->str, 1, NODE_MAX_FILE_BYTES + 1, stdin));
    node_keep_text(STDIN_NAME, text->str, text->len);
    if (ferror(stdin))
        cli_error(NULL, "standard input cannot be read: %s", g_strerror(errno));
    return !ferror(stdin);
}

// Returns the file that an argument names, or NULL. A path is the file there, if there is one. A
// word is a shipped scenario: programs, results and recordings are often called the same.
static char *find_scenario(const char *argument)
{
    if (strcmp(argument, CLI_STDIN) == 0)
        return stdin_keep() ? g_strdup(STDIN_NAME) : NULL;
    bool word = !strpbrk(argument, "./"), exists = g_file_test(argument, G_FILE_TEST_EXISTS);
    if (!word && exists && !g_file_test(argument, G_FILE_TEST_IS_DIR))
        return g_strdup(argument);
    char *shipped = shipped_scenario(argument);
    return shipped || !exists ? shipped : g_strdup(argument);
}

// "did you mean A or B?" for names that have the word in them; NULL: none has. The caller frees it.
static char *names_with(const char *word, char **names)
{
    GString *hint = g_string_new(NULL);
    for (char **name = names; *word && *name; name++)
        if (strstr(*name, word))
            g_string_append_printf(hint, "%s%s", hint->len > 0 ? " or " : "did you mean ", *name);
    if (hint->len > 0)
        g_string_append_c(hint, '?');
    return g_string_free(hint, hint->len == 0);
}

static void report_missing(const char *argument)
{
    char *base = g_path_get_basename(argument);
    if (g_str_has_suffix(base, ".yaml"))
        base[strlen(base) - strlen(".yaml")] = '\0';
    char **names = cli_data_names("scenarios");
    char *hint = cli_did_you_mean(base, (const char *const *)names);
    if (!hint)
        hint = names_with(base, names);
    bool is_path = strchr(argument, '/') || g_str_has_suffix(argument, ".yaml");
    cli_error(hint ? hint : "`netsim list scenarios` shows those that are shipped",
              is_path ? "there is no file %s, and no shipped scenario of this name"
                      : "no scenario `%s'",
              argument);
    g_free(hint);
    g_strfreev(names);
    g_free(base);
}

char *cli_shipped(const char *name)
{
    static const char *const folders[] = {"scenarios", "scenarios/testbeds", "scenarios/sweeps"};
    static const char *const suffixes[] = {".yaml", ""};
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    char *found = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        for (size_t k = 0; !found && !strchr(name, '/') && k < G_N_ELEMENTS(suffixes); k++)
            found = data_file(folders[i], name, suffixes[k]);
        if (found && !g_file_test(found, G_FILE_TEST_IS_REGULAR))
            g_clear_pointer(&found, g_free);
        char **there = cli_data_names(folders[i]);
        for (char **one = there; *one; one++)
            g_ptr_array_add(names, *one);
        g_free(there);
    }
    g_ptr_array_add(names, NULL);
    if (!found) {
        char *hint = cli_did_you_mean(name, (const char *const *)names->pdata);
        if (!hint)
            hint = names_with(name, (char **)names->pdata);
        cli_error(hint ? hint : "`netsim list` shows what is shipped",
                  "no scenario, testbed or sweep `%s'", name);
        g_free(hint);
    }
    g_ptr_array_free(names, TRUE);
    return found;
}

struct scenario *cli_scenario_quietly(const struct scenario_schema *schema, const char *argument,
                                      char **sets, uint64_t seed, char **why)
{
    char *file = find_scenario(argument);
    if (!file)
        return NULL;
    struct scenario_options options = {
        .sets = (const char *const *)sets,
        .data_dir = cli_data_dir(),
        .seed = seed,
        .allow_unused = true,
        .what_if = true,
    };
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_load(file, schema, &options, diags);
    if (!scenario && diags->items->len > 0)
        *why = g_strdup(((struct diag *)g_ptr_array_index(diags->items, 0))->message);
    diag_list_free(diags);
    g_free(file);
    return scenario;
}

struct scenario *cli_scenario(const struct scenario_schema *schema, const char *argument,
                              char **sets, bool allow_unused, uint64_t seed)
{
    char *file = find_scenario(argument);
    if (!file) {
        if (strcmp(argument, CLI_STDIN) != 0)
            report_missing(argument);
        return NULL;
    }
    struct scenario_options options = {
        .sets = (const char *const *)sets,
        .data_dir = cli_data_dir(),
        .seed = seed,
        .allow_unused = allow_unused,
    };
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_load(file, schema, &options, diags);
    diag_print(diags, stderr);
    diag_list_free(diags);
    g_free(file);
    return scenario;
}

bool cli_series_wanted(char **names, const char *name)
{
    return !names || g_strv_contains((const char *const *)names, name);
}

bool cli_can_draw(const char *option, const char *path)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    bool known = false;
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        known |= g_str_has_suffix(path, endings[i]);
    if (!known) {
        cli_error(NULL, "%s %s: a picture ends in .svg, .png or .pdf", option, path);
        return false;
    }
    GError *error = NULL;
    char *python = python_find(&error);
    if (error)
        cli_refuse(error);
    g_free(python);
    return python != NULL;
}

bool cli_draw(const char *script, const char *json, const char *path)
{
    GError *error = NULL;
    char *python = python_find(&error);
    char *where = g_strconcat("--out=", path, NULL); // `path` may begin with -
    const char *const arguments[] = {where, "-", NULL};
    struct python_call call = {.python = python,
                               .data_dir = cli_data_dir(),
                               .script = script,
                               .arguments = arguments,
                               .input = json};
    bool good = python && python_run(&call, &error);
    if (error)
        cli_error(NULL, "%s", error->message);
    g_clear_error(&error);
    g_free(where);
    g_free(python);
    return good;
}

bool cli_packets_exist(const struct scenario *scenario, char **names, const char *what)
{
    const struct scenario_case *flow = NULL;
    // The device of flows has states and times, but no frames to capture, explain or draw.
    static const char *const of_frames[] = {"--pcap", "explain", "diagram", NULL};
    bool packets = false, frames = g_strv_contains(of_frames, what);
    for (guint i = 0; i < scenario->cases->len; i++) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i);
        if (!cli_series_wanted(names, one->name))
            continue;
        bool none = scenario_case_on_simgrid(one) || (frames && one->fidelity == FIDELITY_FLOW);
        packets = packets || !none;
        if (none)
            flow = one;
    }
    if (flow && packets)
        cli_error(NULL, "note: %s: %s runs on flows, of which there is nothing in it", what,
                  flow->name);
    else if (flow)
        cli_error("fidelity=packet runs it on packets",
                  "%s: %s runs on flows, of which there is nothing to show", what, flow->name);
    return packets || !flow;
}

bool cli_series_exist(const struct scenario *scenario, char **names)
{
    GPtrArray *known = g_ptr_array_new();
    for (guint i = 0; i < scenario->cases->len; i++)
        g_ptr_array_add(known,
                        ((struct scenario_case *)g_ptr_array_index(scenario->cases, i))->name);
    g_ptr_array_add(known, NULL);
    bool good = true;
    for (int i = 0; good && names && names[i]; i++) {
        if (g_strv_contains((const char *const *)known->pdata, names[i]))
            continue;
        char *hint = cli_did_you_mean(names[i], (const char *const *)known->pdata);
        char *all = g_strjoinv(", ", (char **)known->pdata);
        if (!hint)
            hint = g_strdup_printf("it has %s", all);
        g_free(all);
        cli_error(hint, "--series %s: the scenario has no such series", names[i]);
        g_free(hint);
        good = false;
    }
    g_ptr_array_unref(known);
    return good;
}

bool cli_series_keep(struct scenario *scenario, char **names)
{
    if (!cli_series_exist(scenario, names))
        return false;
    for (guint i = scenario->cases->len; i > 0; i--) {
        const struct scenario_case *one = g_ptr_array_index(scenario->cases, i - 1);
        if (!cli_series_wanted(names, one->name))
            g_ptr_array_remove_index(scenario->cases, i - 1);
    }
    return true;
}

const struct node *cli_node_at(const struct node *tree, const char *path)
{
    char **keys = g_strsplit(path, ".", -1);
    for (char **key = keys; tree && *key; key++)
        tree = tree->kind == NODE_MAP ? node_get(tree, *key) : NULL;
    g_strfreev(keys);
    return tree;
}

char *cli_description(const char *path)
{
    struct diag_list *diags = diag_list_new();
    struct node *tree = node_load(path, diags);
    const struct node *description =
        tree && tree->kind == NODE_MAP ? node_get(tree, "description") : NULL;
    char *text = NULL;
    if (!tree)
        text = g_strdup("(cannot be read: see `netsim check')");
    else if (description && description->kind == NODE_SCALAR && description->text)
        text = g_strstrip(g_utf8_make_valid(description->text, -1));
    node_free(tree);
    diag_list_free(diags);
    return text;
}

char *cli_description_of(const char *name)
{
    static const char *const folders[] = {"scenarios", "scenarios/sweeps"};
    char *path = strcmp(name, CLI_STDIN) == 0                ? g_strdup(STDIN_NAME)
                 : g_file_test(name, G_FILE_TEST_IS_REGULAR) ? g_strdup(name)
                                                             : NULL;
    for (size_t i = 0; !path && i < G_N_ELEMENTS(folders); i++) {
        path = data_file(folders[i], name, ".yaml");
        if (path && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
            g_clear_pointer(&path, g_free);
    }
    char *text = path ? cli_description(path) : NULL;
    g_free(path);
    return text;
}
