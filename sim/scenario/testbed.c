// SPDX-License-Identifier: GPL-3.0-or-later
// Testbeds: the files that scenarios lie over.
#include "sim/config/reader.h"
#include "sim/scenario/compiler.h"

#include <string.h>

#define TESTBED_PATH "testbed"
#define MOST_TESTBEDS 10 // that lie on each other

bool compiler_check_version(const struct node *tree, struct diag_list *diags)
{
    const struct node *node = node_get(tree, "schema");
    char *hint = g_strdup_printf("write schema: %d", SCENARIO_SCHEMA);
    int64_t version = SCENARIO_SCHEMA;
    bool good = node && reader_count(node, "schema", 0, INT64_MAX, &version, diags) &&
                version == SCENARIO_SCHEMA;
    if (!node)
        diag_add(diags, tree->mark, "schema", hint, "the version of the file's layout is missing");
    else if (version != SCENARIO_SCHEMA)
        diag_add(diags, node->mark, "schema", hint,
                 "this program does not know version %" G_GINT64_FORMAT, version);
    g_free(hint);
    return good;
}

// Returns the places of a testbed: the directory of the file that names it, then the installed
// testbeds, with or without testbeds/ and .yaml. NULL-terminated; the caller frees it with
// g_strfreev.
static char **candidates(const struct compiler *compiler, const char *directory, const char *name)
{
    if (g_path_is_absolute(name))
        return g_strsplit(name, "\n", 1);
    const char *data = compiler->options ? compiler->options->data_dir : NULL;
    bool here = strcmp(directory, ".") == 0;
    GPtrArray *files = g_ptr_array_new();
    g_ptr_array_add(files, here ? g_strdup(name) : g_build_filename(directory, name, NULL));
    if (data)
        g_ptr_array_add(files, g_build_filename(data, "scenarios", name, NULL));
    // The file of a testbed that `netsim list testbeds` prints.
    char *shipped = g_strconcat(name, ".yaml", NULL);
    if (data && reader_is_name(name))
        g_ptr_array_add(files, g_build_filename(data, "scenarios", "testbeds", shipped, NULL));
    g_free(shipped);
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Appends the names of the files in the directory of `file`, as a scenario would name them.
static void add_siblings(GPtrArray *names, const char *file, const char *name)
{
    char *directory = g_path_get_dirname(file), *prefix = g_path_get_dirname(name);
    GDir *listing = g_dir_open(directory, 0, NULL);
    const char *entry;
    while (listing && (entry = g_dir_read_name(listing)))
        if (g_str_has_suffix(entry, ".yaml"))
            g_ptr_array_add(names, strcmp(prefix, ".") == 0
                                       ? g_strdup(entry)
                                       : g_build_filename(prefix, entry, NULL));
    if (listing)
        g_dir_close(listing);
    g_free(directory);
    g_free(prefix);
}

// The names in the last directory searched, that of the testbeds; NULL: none. The caller frees it.
static char *known_testbeds(char **files)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    char *last = files[0] ? files[g_strv_length(files) - 1] : NULL;
    if (last)
        add_siblings(names, last, "");
    for (guint i = names->len; i-- > 0;)
        if (g_str_has_suffix(g_ptr_array_index(names, i), ".fit.yaml")) // included by testbeds
            g_ptr_array_remove_index(names, i);
    for (guint i = 0; i < names->len; i++)
        *strrchr(g_ptr_array_index(names, i), '.') = '\0';
    g_ptr_array_sort(names, compare_texts);
    g_ptr_array_add(names, NULL);
    char *list = g_strjoinv(", ", (char **)names->pdata);
    char *hint = *list ? g_strdup_printf("known: %s", list) : NULL;
    g_free(list);
    g_ptr_array_free(names, TRUE);
    return hint;
}

static void complain_unknown(struct compiler *compiler, const struct node *name, char **files)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; files[i]; i++)
        add_siblings(names, files[i], name->text);
    g_ptr_array_add(names, NULL);
    char *hint = reader_hint(name->text, (const char *const *)names->pdata);
    if (!hint)
        hint = known_testbeds(files);
    char *looked = g_strjoinv(" and ", files);
    diag_add(compiler->diags, name->mark, TESTBED_PATH, hint,
             "there is no testbed %s; looked for %s", name->text, looked);
    g_free(looked);
    g_free(hint);
    g_ptr_array_free(names, TRUE);
}

// A scenario serves as a testbed by its machine.
static bool is_scenario(const struct node *tree)
{
    return node_get(tree, "workload") || node_get(tree, "stack") || node_get(tree, "series");
}

// Removes what a scenario has besides its machine, which its own testbed is a part of.
static void keep_machine(const struct compiler *compiler, struct node *tree)
{
    GPtrArray *machine = keys_at_top(compiler->schema, KEY_IN_TESTBED);
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        if (!g_strv_contains((const char *const *)machine->pdata, key->name) &&
            strcmp(key->name, TESTBED_PATH) != 0)
            node_free(node_take(tree, key->name));
    g_ptr_array_free(machine, TRUE);
}

// Checks a testbed's keys, and removes those that describe the file only.
static void prepare(struct compiler *compiler, struct node *tree)
{
    static const char *const own[] = {"schema", "name", "description", NULL};
    compiler_check_version(tree, compiler->diags);
    if (is_scenario(tree))
        keep_machine(compiler, tree);
    GPtrArray *known = keys_at_top(compiler->schema, KEY_IN_TESTBED);
    GPtrArray *elsewhere = keys_at_top(compiler->schema, KEY_IN_SCENARIO);
    for (guint i = 0; i < tree->children->len; i++) {
        const struct node *child = g_ptr_array_index(tree->children, i);
        if (g_strv_contains((const char *const *)known->pdata, child->key) ||
            strcmp(child->key, TESTBED_PATH) == 0)
            continue;
        bool misplaced = g_strv_contains((const char *const *)elsewhere->pdata, child->key);
        char *hint = misplaced ? g_strdup("it belongs in the scenario")
                     : diag_full(compiler->diags)
                         ? NULL
                         : reader_hint(child->key, (const char *const *)known->pdata);
        diag_add(compiler->diags, child->key_mark, child->key, hint, "%s",
                 misplaced ? "not a key of a testbed" : "unknown key");
        g_free(hint);
    }
    g_ptr_array_free(known, TRUE);
    g_ptr_array_free(elsewhere, TRUE);
    for (int i = 0; own[i]; i++)
        node_free(node_take(tree, own[i]));
}

static bool mark_ensembles(void *owner, struct node **tree, struct diag_list *diags)
{
    return ensembles_mark(owner, tree, diags);
}

static struct node *testbed_load(struct compiler *compiler, const char *directory,
                                 const struct node *name, int depth);

// Lays the machine of a scenario, or a testbed, over that which it names itself.
static struct node *lay_over_own(struct compiler *compiler, const char *file, struct node *tree,
                                 int depth)
{
    struct node *name = node_take(tree, TESTBED_PATH);
    if (!name)
        return tree;
    char *directory = g_path_get_dirname(file);
    struct node *under = NULL, *laid = NULL;
    if (!reader_text(name, TESTBED_PATH, "the name of a file", compiler->diags))
        ;
    else if (depth >= MOST_TESTBEDS)
        diag_add(compiler->diags, name->mark, TESTBED_PATH, "does one lie on itself?",
                 "more than %d testbeds lie on each other", MOST_TESTBEDS);
    else
        under = testbed_load(compiler, directory, name, depth + 1);
    if (under)
        laid = node_merge(under, tree);
    node_free(under);
    node_free(name);
    node_free(tree);
    g_free(directory);
    return laid;
}

static struct node *testbed_load(struct compiler *compiler, const char *directory,
                                 const struct node *name, int depth)
{
    char **files = candidates(compiler, directory, name->text);
    struct node *tree = NULL;
    int i = 0;
    while (files[i] && !g_file_test(files[i], G_FILE_TEST_EXISTS))
        i++;
    if (!files[i])
        complain_unknown(compiler, name, files);
    else if (!g_file_test(files[i], G_FILE_TEST_IS_REGULAR))
        diag_add(compiler->diags, name->mark, TESTBED_PATH, NULL,
                 "cannot read %s: it is no regular file", files[i]);
    else
        tree = node_load_each(files[i], mark_ensembles, &compiler->ensembles, compiler->diags);
    if (tree && reader_is(tree, NODE_MAP, "", "a map of keys", compiler->diags)) {
        prepare(compiler, tree);
        tree = lay_over_own(compiler, files[i], tree, depth);
    }
    g_strfreev(files);
    return tree;
}

const struct node *compiler_testbed(struct compiler *compiler, const struct node *name)
{
    if (!reader_text(name, TESTBED_PATH, "the name of a file", compiler->diags))
        return NULL;
    if (!compiler->directory) {
        diag_add(compiler->diags, name->mark, TESTBED_PATH, NULL, "no testbed can be read here");
        return NULL;
    }
    gpointer tree;
    if (g_hash_table_lookup_extended(compiler->testbeds, name->text, NULL, &tree))
        return tree;
    tree = testbed_load(compiler, compiler->directory, name, 1);
    g_hash_table_insert(compiler->testbeds, g_strdup(name->text), tree);
    return tree;
}
