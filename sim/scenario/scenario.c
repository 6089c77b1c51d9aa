// SPDX-License-Identifier: GPL-3.0-or-later
// From a scenario file to its cases: --set, series, and what lies under them.
#include "sim/scenario/scenario.h"

#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/scenario/compiler.h"
#include "sim/scenario/draw.h"
#include "sim/scenario/draw_mix.h"
#include "sim/scenario/unused.h"

#include <string.h>

#define DRAWS_STEADY 3 // workload.steady of a draw
#define MOST_SERIES 256
#define MOST_NODES (10 * NODE_MAX_NODES) // in the trees of all cases together

static void free_case(void *data)
{
    case_free(data);
}

void scenario_free(struct scenario *scenario)
{
    if (!scenario)
        return;
    g_free(scenario->name);
    g_free(scenario->description);
    g_free(scenario->file);
    g_ptr_array_free(scenario->cases, TRUE);
    sweep_free(scenario->sweep);
    g_free(scenario);
}

// ---- --set ----

static void set_free(void *data)
{
    struct scenario_set *set = data;
    g_free(set->path);
    g_free(set);
}

static void add_set(struct compiler *compiler, const char *text)
{
    char *origin = g_strdup_printf("--set %s", text);
    struct source_mark mark = {.file = intern_text(origin)};
    const char *equals = strchr(text, '=');
    g_free(origin);
    if (!equals || equals == text || !g_utf8_validate(text, -1, NULL)) {
        diag_add(compiler->diags, mark, NULL, "write --set PATH=VALUE", "not a setting");
        return;
    }
    char *path = g_strstrip(g_strndup(text, (gsize)(equals - text)));
    if (!keys_path_exists(compiler->schema, path, mark, compiler->diags)) {
        g_free(path);
        return;
    }
    struct scenario_set *set = g_new(struct scenario_set, 1);
    *set = (struct scenario_set){
        .path = path,
        .value = equals + 1,
        .origin = mark.file,
        .unsets = equals[1 + strspn(equals + 1, " \t")] == '\0',
    };
    g_ptr_array_add(compiler->sets, set);
}

// Whether a path starts with a key that stands for the whole scenario, and not for one of its
// cases.
static bool is_global(const char *path)
{
    char *first = g_strndup(path, strcspn(path, ".["));
    bool global = false;
    for (const struct scenario_key *key = scenario_keys; key->name; key++)
        global |= strcmp(key->name, first) == 0 && !(key->places & KEY_IN_SERIES);
    g_free(first);
    return global;
}

static void apply_set(struct scenario_set *set, struct node **tree, struct diag_list *diags)
{
    if (set->unsets)
        set->unset |= node_unset(*tree, set->path);
    else
        node_set(tree, set->path, set->value, set->origin, diags);
}

// Applies those of the settings that are global, or those that are not.
static void apply_sets(const struct compiler *compiler, bool global, struct node **tree,
                       struct diag_list *diags)
{
    for (guint i = 0; i < compiler->sets->len; i++) {
        struct scenario_set *set = g_ptr_array_index(compiler->sets, i);
        if (is_global(set->path) == global)
            apply_set(set, tree, diags);
    }
}

static void refuse_unset(const struct compiler *compiler)
{
    for (guint i = 0; i < compiler->sets->len; i++) {
        const struct scenario_set *set = g_ptr_array_index(compiler->sets, i);
        if (set->unsets && !set->unset)
            diag_add(compiler->diags, (struct source_mark){.file = set->origin}, set->path,
                     "without a value --set removes a key that a file gives",
                     "is not set: there is nothing to unset");
    }
}

// ---- Cases ----

// One of the scenario's series, or the only one that a plain `stack` makes.
struct series {
    const char *name;
    const struct node *stack;
    const struct node *set; // map, or NULL
    struct source_mark mark;
};

void compiler_add_new(struct diag_list *diags, const struct diag_list *found)
{
    for (guint i = 0; i < found->items->len; i++) {
        const struct diag *new = g_ptr_array_index(found->items, i);
        bool known = false;
        for (guint k = 0; !known && k < diags->items->len; k++) {
            const struct diag *old = g_ptr_array_index(diags->items, k);
            known = memcmp(&old->mark, &new->mark, sizeof old->mark) == 0 &&
                    g_strcmp0(old->path, new->path) == 0 && strcmp(old->message, new->message) == 0;
        }
        if (known)
            diags->found++;
        else
            diag_add(diags, new->mark, new->path, new->hint, "%s", new->message);
    }
    diags->found += found->found - found->items->len;
    diags->overflow |= found->overflow;
}

// The testbed's name: the last word has --set, before it the series, before it the scenario.
static struct node *testbed_name(const struct compiler *compiler, const struct series *series,
                                 struct diag_list *diags)
{
    struct node *tree = node_new_map(compiler->root->mark);
    const struct node *given[] = {node_get(compiler->root, "testbed"),
                                  series->set ? node_get(series->set, "testbed") : NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++)
        if (given[i])
            node_put(&tree, "testbed", given[i], diags);
    for (guint i = 0; i < compiler->sets->len; i++) {
        struct scenario_set *set = g_ptr_array_index(compiler->sets, i);
        if (strcmp(set->path, "testbed") == 0)
            apply_set(set, &tree, diags);
    }
    struct node *name = node_take(tree, "testbed");
    node_free(tree);
    return name;
}

// Lays a series' `set` over its tree.
static void apply_series(const struct compiler *compiler, const struct series *series,
                         struct node **tree, struct diag_list *diags)
{
    for (guint i = 0; series->set && i < series->set->children->len; i++) {
        const struct node *value = g_ptr_array_index(series->set->children, i);
        if (is_global(value->key))
            diag_add(diags, value->key_mark, value->key, NULL,
                     "cannot be set for one of the series");
        else if (keys_path_exists(compiler->schema, value->key, value->key_mark, diags))
            node_put(tree, value->key, value, diags);
    }
}

static struct node *case_tree(struct compiler *compiler, const struct series *series,
                              struct diag_list *diags)
{
    struct node *name = testbed_name(compiler, series, diags);
    const struct node *testbed = name ? compiler_testbed(compiler, name) : NULL;
    struct node *tree =
        node_merge(testbed && testbed->kind == NODE_MAP ? testbed : NULL, compiler->root);
    node_free(node_take(tree, "series"));
    bool good = ensembles_mark(&compiler->ensembles, &tree, diags) && (!name || testbed);
    node_put(&tree, "stack", series->stack, diags);
    apply_series(compiler, series, &tree, diags);
    apply_sets(compiler, false, &tree, diags);
    node_free(name);
    if (good)
        return tree;
    node_free(tree);
    return NULL;
}

int scenario_steady_in_draws(const struct scenario_case *medians)
{
    const struct workload *workload = &medians->workload;
    const struct benchmark_schema *benchmark = workload->benchmark;
    bool laid = benchmark && !benchmark->over_time && !workload->samples &&
                medians->fidelity == FIDELITY_PACKET &&
                !node_get(node_get(medians->tree, "workload"), "steady");
    return laid ? DRAWS_STEADY : workload->steady;
}

static void lay_steady(const struct scenario_case *medians, struct node **tree,
                       struct diag_list *diags)
{
    int steady = scenario_steady_in_draws(medians);
    if (steady == medians->workload.steady)
        return;
    char *text = g_strdup_printf("%d", steady);
    node_set(tree, "workload.steady", text, "draw", diags);
    g_free(text);
}

static bool lay_mix(const char *mix, struct node **tree, struct diag_list *diags)
{
    char *origin = g_strdup_printf("--set " DRAW_MIX_KEY "=%s", mix);
    bool good = node_set(tree, DRAW_MIX_KEY, mix, origin, diags);
    g_free(origin);
    return good;
}

struct scenario_case *compiler_draw_case(struct compiler *compiler, int64_t draw, const char *mix,
                                         const struct scenario_case *medians,
                                         struct diag_list *diags)
{
    struct node *tree = node_copy(medians->tree);
    bool good = (!mix || lay_mix(mix, &tree, diags)) &&
                draw_lay(draw, medians, compiler->schema, &compiler->ensembles, &tree, diags);
    lay_steady(medians, &tree, diags);
    struct scenario_case *drawn = case_read(medians->name, medians->mark, tree, compiler->schema,
                                            &compiler->recordings, compiler->what_if, diags);
    g_assert(good || diag_any(diags));
    return drawn;
}

static void add_case(struct compiler *compiler, const struct series *series, GPtrArray *cases)
{
    if (compiler->nodes > MOST_NODES) {
        diag_add(compiler->diags, series->mark, "series", "split the scenario",
                 "so many series of so many values are too much");
        return;
    }
    struct diag_list *found = diag_list_new();
    struct node *tree = case_tree(compiler, series, found);
    compiler->nodes += tree ? node_count(tree) : 0;
    struct scenario_case *read = tree
                                     ? case_read(series->name, series->mark, tree, compiler->schema,
                                                 &compiler->recordings, compiler->what_if, found)
                                     : NULL;
    if (read && compiler->draw && !diag_any(found)) {
        struct scenario_case *medians = read;
        read = compiler_draw_case(compiler, compiler->draw, NULL, medians, found);
        case_free(medians);
    }
    if (read)
        g_ptr_array_add(cases, read);
    compiler_add_new(compiler->diags, found);
    diag_list_free(found);
}

// ---- Series ----

static bool name_is_new(const struct compiler *compiler, const GPtrArray *cases,
                        const struct series *series, struct source_mark mark, const char *path)
{
    for (guint i = 0; i < cases->len; i++) {
        const struct scenario_case *other = g_ptr_array_index(cases, i);
        if (strcmp(other->name, series->name) != 0)
            continue;
        diag_add(compiler->diags, mark, path, "give each of the series its own name",
                 "the name \"%.64s\" is taken by the series of line %d", series->name,
                 other->mark.line);
        return false;
    }
    return true;
}

static bool is_wanted(const struct compiler *compiler, const char *name)
{
    const char *const *wanted = compiler->options ? compiler->options->series : NULL;
    return !wanted || g_strv_contains(wanted, name);
}

// Reads one item of `series` and makes its case.
static void read_series(struct compiler *compiler, const struct node *item, const char *path,
                        GPtrArray *cases)
{
    if (!reader_is(item, NODE_MAP, path, "{name: TEXT, stack: NAME}", compiler->diags))
        return;
    bool good = reader_keys(item, path, series_keys, compiler->diags);
    struct series series = {.stack = node_get(item, "stack"), .mark = item->mark};
    const struct node *name = node_get(item, "name"), *set = node_get(item, "set");
    if (!series.stack) {
        diag_add(compiler->diags, item->mark, path, "write stack: NAME",
                 "the key stack is missing");
        return;
    }
    char *name_path = reader_path(path, "name"), *set_path = reader_path(path, "set");
    series.name = reader_text(name ? name : series.stack, name_path, "a name", compiler->diags);
    if (!node_is_null(set) && reader_is(set, NODE_MAP, set_path, "a map", compiler->diags))
        series.set = set;
    if (good && series.name && is_wanted(compiler, series.name) &&
        name_is_new(compiler, cases, &series, name ? name->mark : item->mark, name_path))
        add_case(compiler, &series, cases);
    g_free(name_path);
    g_free(set_path);
}

static void read_series_list(struct compiler *compiler, const struct node *list, GPtrArray *cases)
{
    if (!reader_is(list, NODE_LIST, "series", "a list of {name: TEXT, stack: NAME}",
                   compiler->diags))
        return;
    if (list->children->len == 0 || list->children->len > MOST_SERIES) {
        diag_add(compiler->diags, list->mark, "series", NULL, "there must be 1 .. %d series",
                 MOST_SERIES);
        return;
    }
    for (guint i = 0; i < list->children->len; i++) {
        char *path = reader_path_item("series", i);
        read_series(compiler, g_ptr_array_index(list->children, i), path, cases);
        g_free(path);
    }
}

static void read_cases(struct compiler *compiler, GPtrArray *cases)
{
    const struct node *list = node_get(compiler->root, "series");
    const struct node *stack = node_get(compiler->root, "stack");
    if (list && stack) {
        diag_add(compiler->diags, stack->key_mark, "stack", "each of the series has its own stack",
                 "stack and series exclude each other");
    } else if (list) {
        read_series_list(compiler, list, cases);
    } else if (stack) {
        const char *name = reader_text(stack, "stack", "the name of a stack", compiler->diags);
        struct series series = {name, stack, NULL, stack->mark};
        if (name)
            add_case(compiler, &series, cases);
    } else {
        diag_add(compiler->diags, compiler->root->mark, "stack",
                 "write stack: NAME, or series: [{name: TEXT, stack: NAME}]",
                 "neither stack nor series is given");
    }
}

// ---- The scenario itself ----

// "scenarios/flood.yaml" is called flood, and a text that is no file, "<stdin>", stdin.
static char *stem(const char *file)
{
    size_t length = strlen(file);
    if (length > 2 && *file == '<' && file[length - 1] == '>')
        return g_strndup(file + 1, length - 2);
    char *name = g_path_get_basename(file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
    return name;
}

static void read_head(struct compiler *compiler, struct scenario *scenario)
{
    const struct node *name = node_get(compiler->root, "name");
    const struct node *description = node_get(compiler->root, "description");
    const struct node *seed = node_get(compiler->root, "seed");
    const struct node *draw = node_get(compiler->root, "draw");
    const struct node *sweep = node_get(compiler->root, "sweep");
    int64_t number = 1;
    if (name && reader_name(name, "name", compiler->diags))
        scenario->name = g_strdup(name->text);
    else
        scenario->name = stem(scenario->file);
    if (!name && !reader_is_name(scenario->name))
        diag_add(compiler->diags, (struct source_mark){.file = intern_text(scenario->file)}, "name",
                 "write name: TEXT, or call the file something else: a name has letters, digits, "
                 "and - _ . inside, at most 64 characters",
                 "the file's name cannot be that of the scenario");
    if (description)
        scenario->description =
            g_strdup(reader_text(description, "description", "a text", compiler->diags));
    if (seed)
        reader_count(seed, "seed", 1, INT64_MAX, &number, compiler->diags);
    if (draw && !compiler->medians &&
        reader_count(draw, "draw", 1, DRAW_MOST, &scenario->draw, compiler->diags))
        compiler->draw = scenario->draw;
    const struct node *mix = node_get(compiler->root, DRAW_MIX_KEY);
    if (mix && !draw && !compiler->medians)
        diag_add(compiler->diags, mix->mark, DRAW_MIX_KEY, "write draw: 7, too",
                 "it is of a draw, and there is none");
    if (sweep) {
        scenario->sweep = sweep_new();
        sweep_read(scenario->sweep, sweep, compiler->schema, compiler->diags);
    }
    bool chosen = compiler->options && compiler->options->seed;
    scenario->seed = chosen ? compiler->options->seed : (uint64_t)number;
}

static void read_all(struct compiler *compiler, struct scenario *scenario)
{
    if (!reader_is(compiler->root, NODE_MAP, "", "a map of keys", compiler->diags))
        return;
    const char *const *sets = compiler->options ? compiler->options->sets : NULL;
    for (; sets && *sets; sets++)
        add_set(compiler, *sets);
    apply_sets(compiler, true, &compiler->root, compiler->diags);
    if (!compiler_check_version(compiler->root, compiler->diags))
        return;
    GPtrArray *known = keys_at_top(compiler->schema, KEY_IN_SCENARIO);
    keys_check(compiler->root, "", known, compiler->schema, compiler->diags);
    g_ptr_array_free(known, TRUE);
    read_head(compiler, scenario);
    read_cases(compiler, scenario->cases);
    refuse_unset(compiler);
}

static void free_tree(void *data)
{
    node_free(data);
}

static void refuse_unused(const struct scenario *scenario, const struct scenario_schema *schema,
                          bool only_sets, struct diag_list *diags)
{
    struct unused *unused = unused_new(schema);
    unused_add(unused, scenario->cases, scenario->file, only_sets);
    unused_report(unused, diags);
    unused_free(unused);
}

void compiler_open(struct compiler *compiler, const struct scenario_schema *schema,
                   const struct scenario_options *options, const char *directory)
{
    *compiler = (struct compiler){.schema = schema, .options = options, .directory = directory};
    compiler->what_if = options && options->what_if;
    compiler->sets = g_ptr_array_new_with_free_func(set_free);
    recording_shelf_init(&compiler->recordings, directory);
    ensemble_shelf_init(&compiler->ensembles, schema);
    compiler->testbeds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_tree);
}

void compiler_close(struct compiler *compiler)
{
    node_free(compiler->root);
    g_ptr_array_free(compiler->sets, TRUE);
    g_hash_table_destroy(compiler->testbeds);
    recording_shelf_clear(&compiler->recordings);
    ensemble_shelf_clear(&compiler->ensembles);
}

struct scenario *compiler_run(struct compiler *compiler, struct node *root, const char *file,
                              struct diag_list *diags)
{
    const struct scenario_options *options = compiler->options;
    guint before = diags->found;
    if (!root)
        return NULL;
    compiler->root = root;
    compiler->diags = diags;
    struct scenario *scenario = g_new0(struct scenario, 1);
    scenario->file = g_strdup(file);
    scenario->cases = g_ptr_array_new_with_free_func(free_case);
    read_all(compiler, scenario);
    if (diags->found == before && !(options && options->allow_unused))
        refuse_unused(scenario, compiler->schema, options && options->series, diags);
    if (diags->found == before)
        return scenario;
    scenario_free(scenario);
    return NULL;
}

// Compiles a tree, which it takes over. NULL, with diagnostics, after an error.
static struct scenario *compile(struct node *root, const char *file, const char *directory,
                                const struct scenario_schema *schema,
                                const struct scenario_options *options, struct diag_list *diags)
{
    struct compiler compiler;
    compiler_open(&compiler, schema, options, directory);
    struct scenario *scenario = compiler_run(&compiler, root, file, diags);
    compiler_close(&compiler);
    return scenario;
}

struct scenario *scenario_load(const char *file, const struct scenario_schema *schema,
                               const struct scenario_options *options, struct diag_list *diags)
{
    char *directory = g_path_get_dirname(file);
    struct scenario *scenario =
        compile(node_load(file, diags), file, directory, schema, options, diags);
    g_free(directory);
    return scenario;
}

struct scenario *scenario_parse(const char *text, size_t length, const char *name,
                                const char *directory, const struct scenario_schema *schema,
                                const struct scenario_options *options, struct diag_list *diags)
{
    struct node *root = node_parse(text, length, name, directory, diags);
    return compile(root, name, directory, schema, options, diags);
}
