// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/validate/claim.h"

#include "sim/config/param_map.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"
#include "sim/validate/anchor.h"

#include <string.h>

#define BEHAVIOUR "behaviour"
#define AGREEMENT "agreement"
#define ARITHMETIC "arithmetic"
#define GUESS "guess"
#define KNOWN_MISS_FORM "docs/PAGE.md#ANCHOR"

static const char *const kinds[] = {"number",   "shape", "config",  "figure",
                                    ARITHMETIC, GUESS,   AGREEMENT, NULL};

static void claim_free(gpointer data)
{
    struct claim *claim = data;
    g_ptr_array_unref(claim->tests);
    g_ptr_array_unref(claim->checks);
    if (claim->same_as)
        g_ptr_array_unref(claim->same_as);
    g_free(claim);
}

static void rank_free(gpointer data)
{
    struct claim_rank *rank = data;
    g_ptr_array_unref(rank->ids);
    g_free(rank);
}

struct claim_list *claims_new(void)
{
    struct claim_list *list = g_new0(struct claim_list, 1);
    list->claims = g_ptr_array_new_with_free_func(claim_free);
    list->ranks = g_ptr_array_new_with_free_func(rank_free);
    return list;
}

void claims_free(struct claim_list *list)
{
    if (!list)
        return;
    g_ptr_array_unref(list->claims);
    g_ptr_array_unref(list->ranks);
    g_free(list);
}

static struct claim *find_claim(const struct claim_list *list, const char *id)
{
    for (guint i = 0; i < list->claims->len; i++) {
        struct claim *claim = g_ptr_array_index(list->claims, i);
        if (strcmp(claim->id, id) == 0)
            return claim;
    }
    return NULL;
}

const struct claim *claims_find(const struct claim_list *list, const char *id)
{
    return find_claim(list, id);
}

bool claim_is_behaviour(const struct claim *claim)
{
    return strcmp(claim->kind, BEHAVIOUR) == 0;
}

bool claim_is_agreement(const struct claim *claim)
{
    return strcmp(claim->kind, AGREEMENT) == 0;
}

bool claim_is_arithmetic(const struct claim *claim)
{
    return strcmp(claim->kind, ARITHMETIC) == 0;
}

bool claim_is_guess(const struct claim *claim)
{
    return strcmp(claim->kind, GUESS) == 0;
}

bool claim_matches(const char *id, const char *pattern)
{
    if (strpbrk(pattern, "*?"))
        return g_pattern_match_simple(pattern, id);
    size_t length = strlen(pattern);
    return strncmp(id, pattern, length) == 0 && (id[length] == '\0' || id[length] == '.');
}

// ---- One claim ----

static bool read_checks(const struct param_reading *reading)
{
    struct claim *claim = reading->map->values;
    const struct node *node = reading->node;
    bool several = node->kind == NODE_LIST, good = true;
    guint count = several ? node->children->len : 1;
    for (guint i = 0; i < count; i++) {
        char *item = several ? reader_path_item(reading->path, i) : g_strdup(reading->path);
        struct check *check =
            check_read(several ? g_ptr_array_index(node->children, i) : node, item, reading->diags);
        good &= check != NULL;
        if (check)
            g_ptr_array_add(claim->checks, check);
        g_free(item);
    }
    return count > 0 ? good : param_refuse(reading, NULL, NULL, "a check is missing");
}

// "ID", or a list of such.
static bool read_ids(const struct param_reading *reading)
{
    const struct node *node = reading->node;
    GPtrArray **ids = reading->field;
    bool several = node->kind == NODE_LIST;
    guint count = several ? node->children->len : 1;
    *ids = g_ptr_array_new();
    for (guint i = 0; i < count; i++) {
        const struct node *one = several ? g_ptr_array_index(node->children, i) : node;
        const char *text = reader_text(one, reading->path, "the id of a claim", reading->diags);
        if (!text)
            return false;
        g_ptr_array_add(*ids, (gpointer)intern_text(text));
    }
    return count > 0 || param_refuse(reading, NULL, NULL, "the id of a claim is missing");
}

// A check that only compares simulations is no evidence for a source.
static void check_kind(const struct claim *claim, const struct node *map, const char *path,
                       struct diag_list *diags)
{
    for (guint i = 0; i < claim->checks->len; i++) {
        const struct check *check = g_ptr_array_index(claim->checks, i);
        if (check->word == CHECK_AGREEMENT && !claim_is_agreement(claim))
            diag_add(diags, check->mark, path, "write kind: " AGREEMENT,
                     "an agreement of two simulations is no statement of a source");
    }
    if (claim_is_agreement(claim) && claim->same_as)
        diag_add(diags, map->mark, path, NULL, "an agreement is the same as no other claim");
    if (claim_is_arithmetic(claim) && claim->not_checkable)
        diag_add(diags, node_get(map, "not_checkable")->mark, path, NULL,
                 "what follows from the inputs can be checked");
    if (claim_is_guess(claim) && claim->known_miss)
        diag_add(diags, node_get(map, "known_miss")->mark, path, "take it out",
                 "a guess that does not hold is refuted, and no known miss");
}

// A claim has a check, or a reason why not, or other claims that state it; a guess may have none of
// these. A known miss is checked.
static bool finish_claim(const struct param_map *map)
{
    const struct claim *claim = map->values;
    const struct node *miss = node_get(map->node, "known_miss");
    bool check = node_get(map->node, "check") != NULL;
    int ways = check + (claim->not_checkable != NULL) + (claim->same_as != NULL);
    bool open = ways == 0 && claim->kind && claim_is_guess(claim);
    if (ways != 1 && !open)
        diag_add(map->diags, map->node->mark, map->path, NULL,
                 "it needs `check', `not_checkable' or `same_as'%s", ways ? ", and one only" : "");
    if (claim->kind)
        check_kind(claim, map->node, map->path, map->diags);
    if (claim->known_miss && !check)
        diag_add(map->diags, miss->mark, map->path, NULL, "what is not checked can't miss");
    if (claim->known_miss &&
        !g_regex_match_simple("^docs/[a-z_-]+\\.md#.", claim->known_miss, 0, 0))
        diag_add(map->diags, miss->mark, map->path, "write " KNOWN_MISS_FORM,
                 "a known miss says where its analysis stands");
    if (claim->cause && !claim->known_miss)
        diag_add(map->diags, node_get(map->node, "cause")->mark, map->path, NULL,
                 "only a known miss has a cause");
    return true;
}

static const struct param_node checks_form = {.read = read_checks,
                                              .form = "a check, or a list of such"};
static const struct param_node ids_form = {.read = read_ids, .form = "an id, or a list of such"};
static const struct param_node reader_form = {.read = param_node_later, .form = "text"};

#define CLAIM(field, form, ...) PARAM(struct claim, field, PARAM_NODE, .node = &(form), __VA_ARGS__)
#define FOR_READERS(name_, ...)                                                                    \
    {                                                                                              \
        .name = (name_), .kind = PARAM_NODE, .node = &reader_form, .optional = true, __VA_ARGS__   \
    }
#define STATEMENT                                                                                  \
    CLAIM(statement, param_node_text, .doc = "in words of our own"),                               \
        CLAIM(source, param_node_text, .doc = "where the source says so")
#define CHECKED(...)                                                                               \
    PARAM_AS(struct claim, "check", checks, PARAM_NODE, .node = &checks_form, .optional = true,    \
             .doc = "what must hold of results: " __VA_ARGS__)

static const struct param behaviour_rows[] = {
    STATEMENT,
    CLAIM(outside, param_node_text, .optional = true, .doc = "why no simulator can show it"),
    PARAM(struct claim, inferred, PARAM_BOOL, .optional = true,
          .doc = "whether it is not said, but follows"),
    CHECKED("a check, or a list of such"),
    {0}};
static const struct param claim_rows[] = {
    CLAIM(kind, param_node_word, .choices = kinds, .noun = "kind", .doc = "what it is"),
    STATEMENT,
    FOR_READERS("value", .doc = "what is printed"),
    FOR_READERS("unit", .doc = "of the value"),
    PARAM(struct claim, inferred, PARAM_BOOL, .optional = true,
          .doc = "whether it is not said, but follows"),
    FOR_READERS("because", .doc = "how the statement is read, and why the tolerance is what it is"),
    CHECKED("a check, or a list of which all must hold"),
    CLAIM(not_checkable, param_node_text, .optional = true, .doc = "instead of `check`: why not"),
    CLAIM(same_as, ids_form, .optional = true,
          .doc = "instead of `check`: claims that say this already; it is not counted"),
    CLAIM(known_miss, param_node_text, .optional = true,
          .doc = "the check fails, and " KNOWN_MISS_FORM " says why"),
    CLAIM(cause, param_node_text, .optional = true,
          .doc = "of a known miss: a name that misses of the same cause share"),
    CLAIM(by_chance, param_node_text, .optional = true,
          .doc =
              "why the source shows one throw of chance: with draws it misses only if hardly any "
              "is like it"),
    CLAIM(fact, param_node_text, .optional = true,
          .doc =
              "a name that claims share if they judge the same simulated numbers; a claim without "
              "it is a fact of its own, which others may name by its id"),
    {0}};
const struct param_table claim_behaviour_table =
    PARAM_TABLE(struct claim, behaviour_rows, .name = "behaviours", .noun = "a claim",
                .doc = "a behaviour of the system, which tests cover");
const struct param_table claim_other_table =
    PARAM_TABLE(struct claim, claim_rows, .name = "others", .noun = "a claim",
                .finish = finish_claim, .doc = "a statement that results can be compared with");

static void read_claim(struct claim_list *list, const struct node *node,
                       const struct param_table *table, struct diag_list *diags)
{
    if (claims_find(list, node->key))
        diag_add(diags, node->key_mark, node->key, NULL, "there is such a claim already");
    struct claim *claim = g_new0(struct claim, 1);
    g_ptr_array_add(list->claims, claim);
    claim->id = intern_text(node->key);
    claim->kind = table == &claim_behaviour_table ? BEHAVIOUR : NULL;
    claim->mark = node->key_mark;
    claim->checks = g_ptr_array_new_with_free_func((GDestroyNotify)check_free);
    claim->tests = g_ptr_array_new_with_free_func(g_free);
    const struct param_map map = {table, node, claim->id, claim, NULL, NULL, diags};
    param_map_read(&map);
}

// ---- Files ----

bool claims_read(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    static const struct param_table *const tables[] = {&claim_behaviour_table, &claim_other_table};
    static const char *const groups[] = {"behaviours", "others", NULL};
    guint before = diags->found;
    if (!reader_is(tree, NODE_MAP, "", "a map of claims", diags) ||
        !reader_keys(tree, "", groups, diags))
        return false;
    for (size_t i = 0; groups[i]; i++) {
        const struct node *group = node_get(tree, groups[i]);
        if (node_is_null(group) || !reader_is(group, NODE_MAP, groups[i], "a map of claims", diags))
            continue;
        for (guint k = 0; k < group->children->len; k++)
            read_claim(list, g_ptr_array_index(group->children, k), tables[i], diags);
    }
    return diags->found == before;
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
    const struct claim_rank *const *p = a, *const *q = b;
    return ((*p)->rank > (*q)->rank) - ((*p)->rank < (*q)->rank);
}

#define RANK(field, kind, ...) PARAM(struct claim_rank, field, kind, __VA_ARGS__)

static const struct param rank_rows[] = {
    RANK(rank, PARAM_COUNT, .least = "1", .most = "1000", .doc = "its place"),
    RANK(title, PARAM_NODE, .node = &param_node_text, .doc = "the result"),
    RANK(ids, PARAM_NODE, .node = &ids_form, .doc = "the claims that it rests on"),
    {0}};
static const struct param_table rank_table =
    PARAM_TABLE(struct claim_rank, rank_rows, .name = "top40", .noun = "a rank", .doc = "a result");

static void read_rank(struct claim_list *list, const struct node *node, const char *path,
                      struct diag_list *diags)
{
    struct claim_rank *rank = g_new0(struct claim_rank, 1);
    const struct param_map map = {&rank_table, node, path, rank, NULL, NULL, diags};
    param_map_read(&map);
    if (!rank->ids)
        rank->ids = g_ptr_array_new();
    g_ptr_array_add(list->ranks, rank);
    for (guint i = 0; i < rank->ids->len; i++) {
        const char *id = g_ptr_array_index(rank->ids, i);
        const struct claim *claim = claims_find(list, id);
        const struct node *given = node_get(node, "ids");
        if (given->kind == NODE_LIST)
            given = g_ptr_array_index(given->children, i);
        if (!claim)
            diag_add(diags, given->mark, path, NULL, "there is no claim %s", id);
        if (claim && claim->same_as)
            diag_add(diags, given->mark, path, "name what it is the same as", "%s is not counted",
                     id);
    }
}

bool claims_read_ranks(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    guint before = diags->found;
    const struct node *ranks = tree->kind == NODE_MAP ? node_get(tree, "top40") : NULL;
    if (!ranks || ranks->kind != NODE_LIST) {
        diag_add(diags, tree->mark, "top40", NULL, "a list of ranks is expected here");
        return false;
    }
    for (guint i = 0; i < ranks->children->len; i++) {
        char *path = reader_path_item("top40", i);
        read_rank(list, g_ptr_array_index(ranks->children, i), path, diags);
        g_free(path);
    }
    g_ptr_array_sort(list->ranks, compare_ranks);
    return diags->found == before;
}

// ---- Claims stated twice ----

bool claims_refer(const struct claim_list *list, struct diag_list *diags)
{
    guint before = diags->found;
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        for (guint k = 0; claim->same_as && k < claim->same_as->len; k++) {
            const char *id = g_ptr_array_index(claim->same_as, k);
            const struct claim *other = claims_find(list, id);
            if (!other)
                diag_add(diags, claim->mark, claim->id, NULL, "there is no claim %s", id);
            else if (other->checks->len == 0)
                diag_add(diags, claim->mark, claim->id, "name one that has a check",
                         "%s is not checked itself", id);
        }
    }
    return diags->found == before;
}

// ---- Tests, and analyses ----

static void read_tests(struct claim *claim, const struct node *list, struct diag_list *diags)
{
    if (!reader_is(list, NODE_LIST, claim->id, "a list of tests", diags))
        return;
    for (guint i = 0; i < list->children->len; i++) {
        const char *text = reader_text(g_ptr_array_index(list->children, i), claim->id,
                                       "the file of a test", diags);
        if (text)
            g_ptr_array_add(claim->tests, g_strdup(text));
    }
}

bool claims_read_tests(struct claim_list *list, const struct node *tree, struct diag_list *diags)
{
    guint before = diags->found;
    const struct node *tests = tree->kind == NODE_MAP ? node_get(tree, "tests") : NULL;
    if (!tests || tests->kind != NODE_MAP) {
        diag_add(diags, tree->mark, "tests", NULL, "a map of claims to tests is expected here");
        return false;
    }
    for (guint i = 0; i < tests->children->len; i++) {
        const struct node *one = g_ptr_array_index(tests->children, i);
        struct claim *claim = find_claim(list, one->key);
        if (!claim) {
            diag_add(diags, one->key_mark, "tests", NULL, "there is no claim %s", one->key);
            continue;
        }
        read_tests(claim, one, diags);
    }
    return diags->found == before;
}

bool claims_are_analysed(const struct claim_list *list, const char *name, const char *page,
                         struct diag_list *diags)
{
    guint before = diags->found;
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        const char *miss = claim->known_miss;
        if (miss && g_str_has_prefix(miss, name) && miss[strlen(name)] == '#' &&
            !anchor_exists(page, miss + strlen(name) + 1))
            diag_add(diags, claim->mark, claim->id, "a heading that reads so, or <a id=\"…\">",
                     "%s: there is no such place", miss);
    }
    return diags->found == before;
}

// ---- All of them ----

static gint by_claim_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *claims_yaml_files(const char *directory)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GDir *open = g_dir_open(directory, 0, NULL);
    const char *name;
    while (open && (name = g_dir_read_name(open)))
        if (g_str_has_suffix(name, ".yaml") && *name != '.')
            g_ptr_array_add(files, g_build_filename(directory, name, NULL));
    if (open)
        g_dir_close(open);
    g_ptr_array_sort(files, by_claim_name);
    return files;
}

typedef bool read_fn(struct claim_list *list, const struct node *tree, struct diag_list *diags);

static bool read_file(struct claim_list *list, const char *file, read_fn *read,
                      struct diag_list *diags)
{
    struct node *tree = node_load(file, diags);
    bool good = tree && read(list, tree, diags);
    node_free(tree);
    return good;
}

// A file that may be missing.
static bool read_beside(struct claim_list *list, const char *data_dir, const char *name,
                        read_fn *read, struct diag_list *diags)
{
    char *file = g_build_filename(data_dir, "references", name, NULL);
    bool good = !g_file_test(file, G_FILE_TEST_EXISTS) || read_file(list, file, read, diags);
    g_free(file);
    return good;
}

// A page that is missing (an installed program may lack it) complains about nothing.
static bool page_has_analyses(const struct claim_list *list, const char *data_dir, const char *name,
                              struct diag_list *diags)
{
    char *file = g_build_filename(data_dir, name, NULL), *page = NULL;
    bool good = !g_file_get_contents(file, &page, NULL, NULL) ||
                claims_are_analysed(list, name, page, diags);
    g_free(page);
    g_free(file);
    return good;
}

static bool analyses_are_there(const struct claim_list *list, const char *data_dir,
                               struct diag_list *diags)
{
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool good = true;
    for (guint i = 0; i < list->claims->len; i++) {
        const struct claim *claim = g_ptr_array_index(list->claims, i);
        char *name = claim->known_miss
                         ? g_strndup(claim->known_miss, strcspn(claim->known_miss, "#"))
                         : NULL;
        if (name && !g_hash_table_contains(seen, name))
            good &= page_has_analyses(list, data_dir, name, diags);
        if (name)
            g_hash_table_add(seen, name);
    }
    g_hash_table_unref(seen);
    return good;
}

struct claim_list *claims_load(const char *data_dir, struct diag_list *diags)
{
    char *directory = g_build_filename(data_dir, "references", "claims", NULL);
    struct claim_list *list = claims_new();
    GPtrArray *files = claims_yaml_files(directory);
    bool good = files->len > 0;
    if (!good)
        diag_add(diags, (struct source_mark){.file = intern_text(directory)}, NULL, NULL,
                 "there are no claims here");
    for (guint i = 0; i < files->len; i++)
        good &= read_file(list, g_ptr_array_index(files, i), claims_read, diags);
    good = good && claims_refer(list, diags) &&
           read_beside(list, data_dir, "top40.yaml", claims_read_ranks, diags) &&
           read_beside(list, data_dir, "tests.yaml", claims_read_tests, diags) &&
           analyses_are_there(list, data_dir, diags);
    g_ptr_array_unref(files);
    g_free(directory);
    if (good)
        return list;
    claims_free(list);
    return NULL;
}

struct claim_list *claims_load_files(const char *const *files, struct diag_list *diags)
{
    struct claim_list *list = claims_new();
    bool good = true;
    for (int i = 0; files[i]; i++)
        good &= read_file(list, files[i], claims_read, diags);
    if (good && list->claims->len == 0)
        diag_add(diags, (struct source_mark){.file = intern_text(files[0])}, NULL,
                 "others: {ID: {kind, statement, source, check}}", "there are no claims here");
    good = good && list->claims->len > 0 && claims_refer(list, diags);
    if (good)
        return list;
    claims_free(list);
    return NULL;
}
