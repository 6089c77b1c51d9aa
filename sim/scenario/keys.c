// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/keys.h"

#include "sim/config/reader.h"
#include "sim/scenario/draw_mix.h"
#include "sim/scenario/ensemble.h"
#include "sim/scenario/rule.h"
#include "sim/scenario/topology_read.h"
#include "sim/scenario/workload.h"

#include <string.h>

#define ANYWHERE (KEY_IN_SCENARIO | KEY_IN_TESTBED | KEY_IN_SERIES)

const struct scenario_key scenario_keys[] = {
    [SCENARIO_KEY_SCHEMA] = {"schema", KEY_IN_SCENARIO | KEY_IN_TESTBED,
                             "version of the file's layout"},
    [SCENARIO_KEY_NAME] = {"name", KEY_IN_SCENARIO | KEY_IN_TESTBED,
                           "name of the scenario and of its results"},
    [SCENARIO_KEY_DESCRIPTION] = {"description", KEY_IN_SCENARIO | KEY_IN_TESTBED, "free text"},
    [SCENARIO_KEY_TESTBED] =
        {"testbed", KEY_IN_SCENARIO | KEY_IN_SERIES,
         "file of the machine that it runs on, or a scenario that runs on it; this file's keys "
         "win"},
    [SCENARIO_KEY_SEED] = {"seed", KEY_IN_SCENARIO, "seed of all random streams"},
    [SCENARIO_KEY_DRAW] = {"draw", KEY_IN_SCENARIO,
                           "the machine among those that the uncertain constants allow"},
    [SCENARIO_KEY_ENSEMBLE] = {ENSEMBLE_KEY, KEY_IN_SCENARIO | KEY_IN_TESTBED,
                               "files of what fitted constants are in each draw"},
    [SCENARIO_KEY_DRAW_MIX] = {DRAW_MIX_KEY, KEY_IN_SCENARIO,
                               "another draw, and the sections that are of it"},
    [SCENARIO_KEY_WORKLOAD] = {"workload", KEY_IN_SCENARIO | KEY_IN_SERIES, "what the ranks do"},
    [SCENARIO_KEY_STACK] = {"stack", KEY_IN_SCENARIO, "the library and protocol that run"},
    [SCENARIO_KEY_SERIES] = {"series", KEY_IN_SCENARIO,
                             "several runs, each with its own stack and settings"},
    [SCENARIO_KEY_SWEEP] = {"sweep", KEY_IN_SCENARIO, "what `netsim sweep` varies"},
    [SCENARIO_KEY_HOSTS] = {"hosts", ANYWHERE, "the hosts"},
    [SCENARIO_KEY_BUSES] = {TOPOLOGY_BUSES_KEY, ANYWHERE,
                            "buses of hosts besides `host.bus`, at which cards may sit"},
    [SCENARIO_KEY_SWITCHES] = {"switches", ANYWHERE, "the switches"},
    [SCENARIO_KEY_LINKS] = {"links", ANYWHERE, "the links"},
    [SCENARIO_KEY_ROUTES] = {"routes", ANYWHERE,
                             "ways between hosts, or how all of them are computed"},
    [SCENARIO_KEY_LINK] = {"link", ANYWHERE, "parameters of all links, unless a link has its own"},
    [SCENARIO_KEY_SWITCH] = {"switch", ANYWHERE,
                             "parameters of all switches, unless a switch has its own"},
    [SCENARIO_KEY_NIC] =
        {"nic", ANYWHERE,
         "the NIC model of all hosts, or which of the cards that they list is used"},
    [SCENARIO_KEY_WHAT_IF] = {RULE_WHAT_IF_KEY, ANYWHERE,
                              "rules of physics that this what-if breaks on purpose"},
    [SCENARIO_KEY_FIDELITY] =
        {"fidelity", KEY_IN_SCENARIO | KEY_IN_SERIES,
         "what carries the messages: packets, or flows that share links as fluids do"},
    [SCENARIO_KEY_FLOW] = {"flow", KEY_IN_SCENARIO | KEY_IN_SERIES,
                           "what plays flows: a device like those of the stacks, or SimGrid"},
    [SCENARIO_KEYS] = {0}};

const char *const series_keys[] = {"name", "stack", "set", NULL};

// Names in the order in which they were added, each once. There are hundreds of paths, and a sweep
// asks for each of its points.
struct names {
    GPtrArray *list;
    GHashTable *seen; // holds the strings of the list
};

static struct names names_new(void)
{
    return (struct names){g_ptr_array_new_with_free_func(g_free),
                          g_hash_table_new(g_str_hash, g_str_equal)};
}

static void add(struct names *names, char *name)
{
    // (g_hash_table_add would put a second one, which is freed here, in the place of the first.)
    if (g_hash_table_contains(names->seen, name)) {
        g_free(name);
        return;
    }
    g_hash_table_add(names->seen, name);
    g_ptr_array_add(names->list, name);
}

// The list, ended by NULL, which the caller frees.
static GPtrArray *names_end(struct names *names)
{
    g_hash_table_unref(names->seen);
    g_ptr_array_add(names->list, NULL);
    return names->list;
}

// Returns the part of `section` that follows `path`: "" if they are the same, the rest after the
// dot if the section is below, else NULL.
static const char *below(const char *section, const char *path)
{
    size_t length = strlen(path);
    if (length == 0)
        return section;
    if (strncmp(section, path, length) != 0 || (section[length] && section[length] != '.'))
        return NULL;
    return section + length + (section[length] == '.');
}

static void add_table(struct names *names, const char *path, const struct param_table *table)
{
    for (const struct param *param = table->params; param->name; param++)
        add(names, reader_path(path, param->name));
}

static void add_section(struct names *names, const struct scenario_schema *schema, const char *path)
{
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        const char *rest = below(section->path, path);
        if (rest && *rest)
            add(names, g_strndup(rest, strcspn(rest, ".")));
        else if (rest)
            add_table(names, "", section->table);
    }
}

GPtrArray *keys_of_section(const struct scenario_schema *schema, const char *path)
{
    struct names names = names_new();
    add_section(&names, schema, path);
    return names_end(&names);
}

static void add_top(struct names *names, const struct scenario_schema *schema, enum key_place place)
{
    add_section(names, schema, "");
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        if (key->places & place)
            add(names, g_strdup(key->name));
}

GPtrArray *keys_at_top(const struct scenario_schema *schema, enum key_place place)
{
    struct names names = names_new();
    add_top(&names, schema, place);
    return names_end(&names);
}

// ---- Paths ----

// Called for each table of parameters and the path that they are below; true: no more.
typedef bool table_fn(const char *path, const struct param_table *table, void *data);

// Returns whether one of the calls did.
static bool any_table(const struct scenario_schema *schema, table_fn *visit, void *data)
{
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        if (visit(section->path, section->table, data))
            return true;
    if (visit("link", schema->link_table, data) || visit("switch", schema->switch_table, data) ||
        visit("workload", &workload_table, data) || visit("workload", &replay_table, data))
        return true;
    for (const struct benchmark_schema *one = schema->benchmarks; one->name; one++)
        if (one->parameters && visit("workload", one->parameters, data))
            return true;
    return false;
}

static bool add_paths(const char *path, const struct param_table *table, void *names)
{
    add_table(names, path, table);
    return false;
}

// Every path that --set may name, but for those into lists.
static GPtrArray *all_paths(const struct scenario_schema *schema)
{
    struct names names = names_new();
    add_top(&names, schema, KEY_IN_SCENARIO);
    for (const struct scenario_section *section = schema->sections; section->path; section++) {
        for (const char *dot = strchr(section->path, '.'); dot; dot = strchr(dot + 1, '.'))
            add(&names, g_strndup(section->path, (gsize)(dot - section->path)));
        add(&names, g_strdup(section->path));
    }
    any_table(schema, add_paths, &names);
    return names_end(&names);
}

static bool has_parameter(const char *path, const struct param_table *table, void *sought)
{
    const char *rest = below(sought, path);
    return rest && *rest && param_index(table, rest) >= 0;
}

// Whether all_paths has the path. It does not make that list of hundreds: a campaign sets several
// paths in each of its runs.
static bool path_is_known(const struct scenario_schema *schema, const char *path)
{
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        if (key->places & KEY_IN_SCENARIO && strcmp(key->name, path) == 0)
            return true;
    for (const struct scenario_section *section = schema->sections; section->path; section++)
        if (*path && below(section->path, path))
            return true;
    return any_table(schema, has_parameter, (void *)path);
}

// The table whose parameters stand at `path`; NULL: none.
static const struct param_table *keys_table_at(const struct scenario_schema *schema,
                                               const char *path)
{
    const struct scenario_section *section = schema->sections;
    while (section->path && strcmp(section->path, path) != 0)
        section++;
    return section->path                 ? section->table
           : strcmp(path, "link") == 0   ? schema->link_table
           : strcmp(path, "switch") == 0 ? schema->switch_table
                                         : NULL;
}

// The keys at `path` that have other names now; NULL: none.
static const struct reader_renamed *renamed_at(const struct scenario_schema *schema,
                                               const char *path)
{
    const struct param_table *table = keys_table_at(schema, path);
    return table ? table->renamed : NULL;
}

bool keys_check(const struct node *map, const char *path, const GPtrArray *known,
                const struct scenario_schema *schema, struct diag_list *diags)
{
    bool all = true;
    for (guint i = 0; all && i < map->children->len; i++) {
        const struct node *child = g_ptr_array_index(map->children, i);
        all = g_strv_contains((const char *const *)known->pdata, child->key);
    }
    if (all)
        return true;
    GPtrArray *paths = all_paths(schema);
    bool good = reader_keys_or(map, path, (const char *const *)known->pdata,
                               (const char *const *)paths->pdata, renamed_at(schema, path), diags);
    g_ptr_array_free(paths, TRUE);
    return good;
}

// "did you mean links[0].rate or, of all links, link.rate?": for a parameter of a list's items that
// was asked for of the list. NULL if it is none.
static char *item_hint(const struct scenario_schema *schema, const char *path)
{
    const struct {
        const char *list, *common;
        const struct param_table *table;
    } lists[] = {{"links.", "link", schema->link_table},
                 {"switches.", "switch", schema->switch_table},
                 {"buses.", "host.bus", schema->bus_table}};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        const char *name = path + strlen(lists[i].list);
        if (g_str_has_prefix(path, lists[i].list) && lists[i].table &&
            param_index(lists[i].table, name) >= 0)
            return g_strdup_printf("did you mean %s.%s, of all of them, or %.*s[0].%s?",
                                   lists[i].common, name, (int)strlen(lists[i].list) - 1,
                                   lists[i].list, name);
    }
    return NULL;
}

static bool complain_renamed(const struct scenario_schema *schema, const char *path,
                             struct source_mark mark, struct diag_list *diags)
{
    const char *dot = strrchr(path, '.');
    char *section = g_strndup(path, dot ? (gsize)(dot - path) : 0);
    bool renamed =
        dot && reader_complain_renamed(renamed_at(schema, section), dot + 1, section, mark, diags);
    g_free(section);
    return renamed;
}

bool keys_path_exists(const struct scenario_schema *schema, const char *path,
                      struct source_mark mark, struct diag_list *diags)
{
    char *plain = g_strndup(path, strcspn(path, "["));
    bool in_list = strlen(plain) < strlen(path);
    char *parent = g_strdup(plain), *dot = strrchr(parent, '.');
    bool sourced = dot && (strcmp(dot, ".value") == 0 || strcmp(dot, ".source") == 0);
    if (sourced)
        *dot = '\0';
    bool exists = path_is_known(schema, plain) || (sourced && path_is_known(schema, parent));
    if (!exists && !complain_renamed(schema, plain, mark, diags)) {
        GPtrArray *paths = all_paths(schema);
        char *hint = item_hint(schema, plain);
        if (!hint)
            hint = reader_path_hint(plain, (const char *const *)paths->pdata);
        if (!hint)
            hint = g_strdup("`netsim list parameters` shows all");
        diag_add(diags, mark, path, hint,
                 in_list ? "there is no such list" : "there is no such key");
        g_free(hint);
        g_ptr_array_free(paths, TRUE);
    }
    g_free(parent);
    g_free(plain);
    return exists;
}
